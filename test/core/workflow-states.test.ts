import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { recordKinds } from '../../src/api/operation.js';
import { resources } from '../../src/api/service.js';

/** What the API text shows in its table of moves and among the states named elsewhere. */
const shown: readonly (readonly [kind: string, states: readonly string[] | undefined])[] = [
  ['cancellation', ['pending', 'approved']],
  ['sale', ['approved']],
  ['offer', ['open', 'accepted', 'declined']],
  ['sale_cancellation', ['pending', 'approved']],
  ['payment_report', ['reported_pending_verification', 'verified']],
  ['payment', ['succeeded']],
  ['bank_receipt', ['verified']],
  ['allocation', ['allocated']],
  ['refund_request', ['pending', 'approved']],
  ['refund', ['requested', 'processing', 'succeeded', 'failed', 'approved_pending_execution']],
  ['dispute', ['open']],
  ['release', ['valid', 'revoked', 'expired', 'used']],
  ['transfer', ['not_started', 'submitted', 'completed', 'rejected']],
  ['inventory_command', ['completed']],
  ['document', ['awaiting_scan', 'ready']],
  ['notification_ack', undefined],
];

/** What operations return a record of a kind. */
const operations = resources.flatMap((resource) => Object.values(resource.operations));
const returning = (kind: string) =>
  operations.filter(({ reply }) => fieldOf(reply, 'kind')?.meta()?.['x-known-values']?.toString() === kind);

function fieldOf(schema: unknown, name: string): z.ZodType | undefined {
  const field: unknown = schema instanceof z.ZodObject ? schema.shape[name] : undefined;
  const bare = field instanceof z.ZodOptional ? field.unwrap() : field;
  return bare instanceof z.ZodType ? bare : undefined;
}

describe('states of workflow records', () => {
  it('are told of every kind', () => {
    expect(shown.map(([kind]) => kind)).toEqual(recordKinds);
  });

  // rule: state.cancellation, state.sale, state.offer, state.sale-cancellation, state.payment-report
  // rule: state.payment, state.bank-receipt, state.allocation, state.refund-request, state.refund
  // rule: state.release, state.dispute, state.transfer, state.inventory-command, state.document
  it.each(shown)('are those of the text: %s', (kind, states) => {
    const schemas = new Set(returning(kind).map(({ reply }) => fieldOf(reply, 'state')));
    expect([...schemas].map((state) => state?.meta()?.['x-known-values'])).toEqual([states]);
  });
});
