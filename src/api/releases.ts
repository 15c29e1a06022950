import * as z from 'zod';
import { expectedVersion, filledText, idempotencyKey, pathId } from './common.js';
import { nullable, optional } from './fields.js';
import { command, read, resource } from './operation.js';
import { sentVersion, workflowRecord } from './records.js';
import { filledTextOrObject, textOrObject } from './sale-values.js';

export const ReleaseData = z
  .object({
    recipient: optional.of(textOrObject, 'Who may have the vehicle.'),
    yard: nullable.of(textOrObject, 'Where the vehicle is handed over.'),
    expires_at: optional.text('When the authorisation lapses, ISO 8601.'),
    collection_date: nullable.text('Day of the collection, a date.'),
    sale_id: optional.text('Sale that the vehicle is released for.'),
    reason: nullable.text('Why it was revoked, in words; after a revocation.'),
    collector: nullable.of(textOrObject, 'Who came for the vehicle; after the collection.'),
    vehicle_identity: nullable.of(textOrObject, 'How the vehicle was identified; after the collection.'),
    evidence_id: nullable.text('Document that shows the collection; after the collection.'),
  })
  .meta({
    title: 'Who may collect a vehicle, and whether it was collected.',
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

export const releases = resource(
  'releases',
  'Release authorisations: read, revoke, confirm the collection. `saleCases.authorizeRelease` makes them.',
  {
    get: read({
      id: 'A53',
      path: '/release-authorizations/{release}',
      scope: 'release:read',
      actors: ['bank', 'partner'],
      summary: 'Reads one release authorisation.',
      section: 'Release, collection, transfer',
      params: { release },
      reply: ReleaseRecord,
    }),
    revoke: command({
      id: 'A54',
      path: '/release-authorizations/{release}/revocations',
      scope: 'release:revoke',
      actors: ['bank'],
      summary: 'Takes back a release authorisation that has not been used.',
      notes: [
        'A collection at the same moment does no harm. One that is used up is not revoked; an exception is opened instead.',
      ],
      section: 'Release, collection, transfer',
      params: { release },
      body: z.strictObject({
        reason: optional.of(filledText, 'Why, in words.'),
        idempotency_key: idempotencyKey,
        expected_version: expectedVersion,
      }),
      versionFrom: { param: 'release', kind: 'release', field: 'resource_version' },
      reply: ReleaseRecord,
    }),
    collect: command({
      id: 'A56',
      path: '/release-authorizations/{release}/collections',
      scope: 'collection:confirm',
      actors: ['bank'],
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
        evidence_id: optional.of(filledText, 'Id of the document that shows the collection.'),
        idempotency_key: idempotencyKey,
        expected_version: expectedVersion,
      }),
      versionFrom: { param: 'release', kind: 'release', field: 'resource_version' },
      reply: ReleaseRecord,
    }),
  },
);
