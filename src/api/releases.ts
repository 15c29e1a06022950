import * as z from 'zod';
import { expectedVersion, filledText, idempotencyKey, pathId } from './common.js';
import type { Resource } from './operation.js';
import { sentVersion, workflowRecord } from './records.js';
import { filledTextOrObject, textOrObject } from './sale-values.js';

export const ReleaseData = z
  .object({
    recipient: textOrObject.optional().describe('Who may have the vehicle.'),
    yard: textOrObject.nullable().optional().describe('Where the vehicle is handed over.'),
    expires_at: z.string().optional().describe('When the authorisation lapses, ISO 8601.'),
    collection_date: z.string().nullable().optional().describe('Day of the collection, a date.'),
    sale_id: z.string().optional().describe('Sale that the vehicle is released for.'),
    reason: z.string().nullable().optional().describe('Why it was revoked, in words; after a revocation.'),
    collector: textOrObject.nullable().optional().describe('Who came for the vehicle; after the collection.'),
    vehicle_identity: textOrObject
      .nullable()
      .optional()
      .describe('How the vehicle was identified; after the collection.'),
    evidence_id: z
      .string()
      .nullable()
      .optional()
      .describe('Document that shows the collection; after the collection.'),
  })
  .meta({
    title: 'Who may collect a vehicle, and what became of that.',
    section: 'Workflow record',
  });

export const ReleaseRecord = workflowRecord({
  kind: 'release',
  states: ['valid', 'revoked', 'expired', 'used'],
  data: ReleaseData,
  what: 'a release authorisation',
  version: sentVersion,
});

const release = pathId.describe('Id of the release authorisation.');

export const releases = {
  name: 'releases',
  summary:
    'Release authorisations: read, revoke, confirm the collection. `saleCases.authorizeRelease` makes them.',
  operations: {
    get: {
      id: 'A53',
      method: 'GET',
      path: '/release-authorizations/{release}',
      scope: 'release:read',
      actors: ['bank', 'partner'],
      availability: 'callable',
      effect: 'read',
      summary: 'Reads one release authorisation.',
      section: 'Release, collection, transfer',
      params: { release },
      success: [200],
      envelope: 'read',
      reply: ReleaseRecord,
      refusals: ['NOT_FOUND'],
    },
    revoke: {
      id: 'A54',
      method: 'POST',
      path: '/release-authorizations/{release}/revocations',
      scope: 'release:revoke',
      actors: ['bank'],
      availability: 'callable',
      effect: 'command',
      summary: 'Takes back a release authorisation that has not been used.',
      notes: [
        'A collection at the same moment does no harm. One that is used up is not revoked; an exception is opened instead.',
      ],
      section: 'Release, collection, transfer',
      params: { release },
      body: z.strictObject({
        reason: filledText.optional().describe('Why, in words.'),
        idempotency_key: idempotencyKey,
        expected_version: expectedVersion,
      }),
      versionFrom: { param: 'release', kind: 'release', field: 'resource_version' },
      success: [200],
      envelope: 'command',
      reply: ReleaseRecord,
      refusals: ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT', 'NOT_FOUND'],
    },
    collect: {
      id: 'A56',
      method: 'POST',
      path: '/release-authorizations/{release}/collections',
      scope: 'collection:confirm',
      actors: ['bank'],
      availability: 'callable',
      effect: 'command',
      summary: 'Confirms that the vehicle was collected, which uses the release authorisation up.',
      notes: [
        'Works once for a release authorisation. That it is active, the money, holds and the identity of the vehicle are checked again.',
        'Evidence counts only once the scan has found its document clean.',
      ],
      section: 'Release, collection, transfer',
      params: { release },
      body: z.strictObject({
        collector: filledTextOrObject.describe('Who came for the vehicle.'),
        vehicle_identity: filledTextOrObject.describe('What identifies the vehicle that was handed over.'),
        evidence_id: filledText.optional().describe('Id of the document that shows the collection.'),
        idempotency_key: idempotencyKey,
        expected_version: expectedVersion,
      }),
      versionFrom: { param: 'release', kind: 'release', field: 'resource_version' },
      success: [200],
      envelope: 'command',
      reply: ReleaseRecord,
      refusals: ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT', 'NOT_FOUND'],
    },
  },
} as const satisfies Resource;
