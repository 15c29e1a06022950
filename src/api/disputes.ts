import * as z from 'zod';
import { filledText, idempotencyKey, pathId } from './common.js';
import type { Resource } from './operation.js';
import { workflowRecord } from './records.js';

export const DisputeData = z
  .object({
    sale_id: z.string().optional().describe('Sale that is disputed.'),
    reason_code: z.string().optional().describe('Why, as a code; the allowed values are undocumented.'),
    explanation: z.string().nullable().optional().describe('Why, in words.'),
    evidence_id: z.string().nullable().optional().describe('Document that supports the dispute.'),
  })
  .meta({ title: 'What is disputed about a sale.', section: 'Workflow record' });

export const DisputeRecord = workflowRecord({
  kind: 'dispute',
  states: ['open'],
  data: DisputeData,
  what: 'a dispute',
});

export const disputes = {
  name: 'disputes',
  summary: 'Disputes about sales: raise, read.',
  operations: {
    create: {
      id: 'A50',
      method: 'POST',
      path: '/disputes',
      scope: 'disputes:write',
      actors: ['bank', 'partner'],
      availability: 'callable',
      effect: 'command',
      summary: 'Raises a dispute about a sale.',
      notes: [
        "It freezes only the actions that it affects, by the bank's policy.",
        'A field for the resolution that is wished for is described, but not named.',
      ],
      hints: ['`extraBody` can carry the wished-for resolution once the name of its field is known.'],
      section: 'Payments, receipts, refunds, disputes',
      body: z.strictObject({
        sale_id: filledText.describe('Id of the sale that is disputed.'),
        reason_code: filledText.describe('Why, as a code; the allowed values are undocumented.'),
        explanation: filledText.optional().describe('Why, in words.'),
        evidence_id: filledText.optional().describe('Id of the document that supports the dispute.'),
        idempotency_key: idempotencyKey,
      }),
      success: [200],
      envelope: 'command',
      reply: DisputeRecord,
      refusals: ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT', 'NOT_FOUND'],
    },
    get: {
      id: 'A51',
      method: 'GET',
      path: '/disputes/{dispute}',
      scope: 'disputes:read',
      actors: ['bank', 'partner'],
      availability: 'callable',
      effect: 'read',
      summary: 'Reads one dispute.',
      section: 'Payments, receipts, refunds, disputes',
      params: { dispute: pathId.describe('Dispute id.') },
      success: [200],
      envelope: 'read',
      reply: DisputeRecord,
      refusals: ['NOT_FOUND'],
    },
  },
} as const satisfies Resource;
