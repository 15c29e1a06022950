import * as z from 'zod';
import { filledText, idempotencyKey, pathId } from './common.js';
import { nullable, optional } from './fields.js';
import { command, read, resource } from './operation.js';
import { workflowRecord } from './records.js';

export const DisputeData = z
  .object({
    sale_id: optional.text('Sale that is disputed.'),
    reason_code: optional.text('Why, as a code; the allowed values are undocumented.'),
    explanation: nullable.text('Why, in words.'),
    evidence_id: nullable.text('Document that supports the dispute.'),
  })
  .meta({ title: 'A dispute about a sale.', section: 'Workflow record' });

export const DisputeRecord = workflowRecord({
  kind: 'dispute',
  states: ['open'],
  data: DisputeData,
  what: 'a dispute',
});

export const disputes = resource('disputes', 'Disputes about sales: raise, read.', {
  create: command({
    id: 'A50',
    path: '/disputes',
    scope: 'disputes:write',
    actors: ['bank', 'partner'],
    summary: 'Raises a dispute about a sale.',
    notes: [
      "A dispute freezes only the affected actions, by the bank's policy.",
      'The API describes a field for the desired resolution without naming it.',
    ],
    hints: ['Use `extraBody` for the desired resolution once you know the name of its field.'],
    section: 'Payments, receipts, refunds, disputes',
    body: z.strictObject({
      sale_id: filledText.describe('Id of the sale that is disputed.'),
      reason_code: filledText.describe('Why, as a code; the allowed values are undocumented.'),
      explanation: optional.of(filledText, 'Why, in words.'),
      evidence_id: optional.of(filledText, 'Id of the document that supports the dispute.'),
      idempotency_key: idempotencyKey,
    }),
    reply: DisputeRecord,
  }),
  get: read({
    id: 'A51',
    path: '/disputes/{dispute}',
    scope: 'disputes:read',
    actors: ['bank', 'partner'],
    summary: 'Reads one dispute.',
    section: 'Payments, receipts, refunds, disputes',
    params: { dispute: pathId.describe('Dispute id.') },
    reply: DisputeRecord,
  }),
});
