import * as z from 'zod';
import { expectedVersion, filledText, idempotencyKey, pathId } from './common.js';
import { nullable, optional } from './fields.js';
import { command, read, resource } from './operation.js';
import { sentVersion, workflowRecord } from './records.js';
import { filledTextOrObject, textOrObject } from './sale-values.js';

export const ReleaseData = z
  .object({
    recipient: optional.of(textOrObject, 'Person or party that can collect the vehicle.'),
    yard: nullable.of(textOrObject, 'Handover location.'),
    expires_at: optional.text('Expiry of the authorisation, ISO 8601.'),
    collection_date: nullable.text('Day of the collection, a date.'),
    sale_id: optional.text('Sale that the vehicle is released for.'),
    reason: nullable.text('Reason for a revocation.'),
    collector: nullable.of(textOrObject, 'Person who collected the vehicle; after the collection.'),
    vehicle_identity: nullable.of(textOrObject, 'How the vehicle was identified; after the collection.'),
    evidence_id: nullable.text('Document that shows the collection; after the collection.'),
  })
  .meta({
    title: 'A release authorisation and its collection.',
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
      summary: 'Revokes an unused release authorisation.',
      notes: [
        "Safe to call during a collection. A used authorisation can't be revoked; open an exception instead.",
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
      summary: 'Confirms the collection of the vehicle and uses the release authorisation.',
      notes: [
        'Works once per release authorisation. The service checks again that the authorisation is active, the money paid, nothing on hold, and the vehicle identity correct.',
        'Evidence counts only once the scan has found its document clean.',
      ],
      section: 'Release, collection, transfer',
      params: { release },
      body: z.strictObject({
        collector: filledTextOrObject.describe('Person who collects the vehicle.'),
        vehicle_identity: filledTextOrObject.describe('Identification of the collected vehicle.'),
        evidence_id: optional.of(filledText, 'Id of the document that shows the collection.'),
        idempotency_key: idempotencyKey,
        expected_version: expectedVersion,
      }),
      versionFrom: { param: 'release', kind: 'release', field: 'resource_version' },
      reply: ReleaseRecord,
    }),
  },
);
