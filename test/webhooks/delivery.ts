import { createHmac } from 'node:crypto';
import { WebhookVerificationError } from '../../src/errors/webhook.js';

export const secret = 'whsec_3Yb0uYx9Qm';
/** 2026-01-01T01:23:20Z, Unix seconds. */
export const timestamp = 1_767_230_600;
export const nowMs = timestamp * 1000;

export const saleApproved = {
  id: 'evt_1',
  type: 'sale.approved',
  schema_version: 1,
  created_at: '2026-01-01T01:23:20+00:00',
  data: {
    resource_id: 'sale_1',
    resource_version: 2,
    lot_id: 'lot_4f1c9a',
    sale: { id: 'sale_1', state: 'approved', winner: true, amount: '505000.00', currency: 'INR' },
  },
};

/** Signs with node:crypto, so that the tests do not lean on the code under test. */
export function headersFor(body: Uint8Array | string, key = secret, at: number | string = timestamp) {
  const digest = createHmac('sha256', key).update(`${at}.`).update(body).digest('hex');
  return { 'Service-Timestamp': String(at), 'Service-Signature': `v1=${digest}` };
}

/** The error that a delivery is refused with. */
export function refusal(attempt: () => unknown): WebhookVerificationError {
  try {
    attempt();
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error;
    throw error;
  }
  throw new Error('The delivery was accepted.');
}
