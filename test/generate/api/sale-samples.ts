import { z } from 'zod';
import {
  anyObject,
  bidderReference,
  expectedVersion,
  filledText,
  idempotencyKey,
  inr,
  integerId,
  openChoice,
  page,
  pathId,
} from '../../../src/api/common.js';
import { resource } from '../../../src/api/operation.js';
import { workflowRecord } from '../../../src/api/records.js';

/** A resource that no API has, with everything that the generator knows. */

export const SampleData = z
  .object({
    party: z.union([z.string(), anyObject]).nullable().optional().describe('Text or object | piped.'),
    currency: z.literal('INR').optional().describe('Ends a comment */ early.'),
    tags: z.array(openChoice('a', "b'c")).optional().describe('Tags.'),
  })
  .meta({ title: 'What is recorded of a sample.', section: 'Samples' });

export const SampleRecord = workflowRecord({
  kind: 'sample',
  states: ['pending'],
  data: SampleData,
  what: 'a sample',
});

export const SampleLabels = z
  .object({ anyOf: z.string().optional().describe('A field named like a keyword.') })
  .meta({ title: 'Labels.', section: 'Samples', open: 'A label of the bank.' });

const sample = pathId.describe('Sample id.');
const facts = {
  scope: 'sales:read',
  availability: 'callable',
  section: 'Samples',
  success: [200],
  refusals: ['NOT_FOUND'],
} as const;
const read = { ...facts, method: 'GET', effect: 'read' } as const;
const command = { ...facts, method: 'POST', effect: 'command', envelope: 'command' } as const;
const versionFrom = { param: 'sample', kind: 'sample', field: 'resource_version' } as const;

export const saleSamples = resource('saleSamples', 'Samples of sales.', {
  list: {
    ...read,
    id: 'S01',
    path: '/samples',
    actors: ['bank', 'partner'],
    summary: 'Lists samples.',
    query: z.strictObject({ page: page.optional() }),
    envelope: 'workflow_page',
    reply: SampleRecord,
  },
  follow: {
    ...read,
    id: 'saleSamples.follow',
    path: '/sample-labels',
    summary: 'Follows labels.',
    query: z.strictObject({ after: filledText.describe('Cursor.') }),
    envelope: 'cursor_page',
    reply: SampleLabels,
  },
  get: {
    ...read,
    id: 'A73',
    path: '/samples/{sample}',
    summary: 'Reads one sample.',
    params: { sample },
    envelope: 'read',
    reply: SampleRecord,
  },
  download: {
    ...read,
    id: 'A73',
    path: '/samples/{sample}',
    summary: 'Streams one sample.',
    notes: ['Never cached.'],
    params: { sample },
    fixedQuery: { download: '1' },
    envelope: 'binary',
  },
  decide: {
    ...command,
    id: 'A99',
    path: '/samples/{sample}/decisions/{step_number}',
    actors: ['bank'],
    summary: 'Decides a sample.',
    params: { sample, step_number: integerId.describe('Step.') },
    body: z.strictObject({
      decision: openChoice('approved').describe('The decision.'),
      currency: inr,
      idempotency_key: idempotencyKey,
      expected_version: expectedVersion,
    }),
    versionFrom,
    reply: SampleRecord,
  },
  revoke: {
    ...command,
    id: 'A98',
    path: '/samples/{sample}/revocations',
    actors: ['bank'],
    summary: 'Revokes a sample.',
    params: { sample },
    body: z.strictObject({
      reason: filledText.optional().describe('Why.'),
      idempotency_key: idempotencyKey,
      expected_version: expectedVersion,
    }),
    versionFrom,
    reply: SampleRecord,
  },
  rename: {
    ...command,
    id: 'A97',
    method: 'PATCH',
    path: '/samples/{sample}',
    actors: ['bank'],
    summary: 'Renames a sample.',
    notes: ['A sample that is shown cannot be renamed: 409.', 'It keeps its id.'],
    params: { sample },
    body: z.strictObject({
      title: filledText.describe('Title.'),
      idempotency_key: idempotencyKey,
      expected_version: expectedVersion,
    }),
    versionFrom: { ...versionFrom, field: 'inventory_version' },
    reply: SampleRecord,
  },
  upload: {
    ...command,
    id: 'A96',
    path: '/samples',
    summary: 'Uploads a sample.',
    notes: ['It is scanned.'],
    hints: ['`fileContent` makes bytes of a file.'],
    body: z.strictObject({
      content_base64: z.string().describe('The bytes.').meta({ file: true }),
      idempotency_key: idempotencyKey,
    }),
    reply: z.array(SampleRecord),
  },
  bid: {
    ...command,
    id: 'saleSamples.bid',
    effect: 'bid',
    envelope: 'bid',
    path: '/sample-bids',
    actors: ['partner'],
    summary: 'Bids on a sample.',
    body: z.strictObject({
      amount: filledText.describe('Amount.'),
      bidder_reference: bidderReference.optional().describe('Buyer.').meta({ partnerBid: true }),
      idempotency_key: idempotencyKey,
    }),
    success: [201, 200],
    reply: SampleLabels,
    rejection: SampleData,
    refusals: ['LOT_NOT_LIVE', 'NOT_FOUND', 'IDEMPOTENCY_CONFLICT'],
  },
  subscribe: {
    ...command,
    id: 'A13',
    availability: 'documented',
    path: '/sample-subscriptions',
    summary: 'Subscribes to samples.',
    body: z.strictObject({ idempotency_key: idempotencyKey }),
    reply: SampleLabels,
  },
});
