import { createHmac } from 'node:crypto';
import { WebhookVerificationError } from '../../src/errors/webhook.js';
import { memoryStore } from '../../src/store/memory.js';
import type { Store } from '../../src/store/store.js';
import {
  type WebhookReceiverOptions,
  type WebhookReport,
  webhookReceiver,
} from '../../src/webhooks/index.js';
import { VirtualClock } from '../support/virtual-clock.js';

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

/** The approval of a sale, under an event id and a version of its own. */
export function approval(id: string, version = 2, sale = 'sale_1') {
  const { data } = saleApproved;
  const about = { resource_id: sale, resource_version: version, sale: { ...data.sale, id: sale } };
  return { ...saleApproved, id, data: { ...data, ...about } };
}

/** Signs with node:crypto, so that the tests do not lean on the code under test. */
export function headersFor(body: Uint8Array | string, key = secret, at: number | string = timestamp) {
  const digest = createHmac('sha256', key).update(`${at}.`).update(body).digest('hex');
  return { 'Service-Timestamp': String(at), 'Service-Signature': `v1=${digest}` };
}

export function deliveryOf(event: object | string, key = secret, at = timestamp) {
  const body = Buffer.from(typeof event === 'string' ? event : JSON.stringify(event));
  return { body, headers: headersFor(body, key, at) };
}

/** A receiver in virtual time, what it reported, and the ids that its handler got unless another is given. */
export function receiverWith(options: Partial<WebhookReceiverOptions> = {}, store: Store = memoryStore()) {
  const clock = new VirtualClock(nowMs);
  const reports: WebhookReport[] = [];
  const seen: string[] = [];
  const receiver = webhookReceiver({
    secrets: secret,
    store,
    clock,
    random: () => 0,
    onReport: (report: WebhookReport) => reports.push(report),
    ...(options.enqueue === undefined && { on: { '*': ({ id }) => void seen.push(id) } }),
    ...options,
  } as WebhookReceiverOptions);
  const take = (event: object | string, key = secret, at = timestamp) =>
    receiver.receive(deliveryOf(event, key, at));
  return { receiver, clock, reports, seen, take };
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
