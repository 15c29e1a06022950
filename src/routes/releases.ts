// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { ReleaseRecord } from './schemas.js';

export const releases = {
  get: {
    name: 'releases.get',
    id: 'A53',
    method: 'GET',
    path: '/release-authorizations/{release}',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    params: { release: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: ReleaseRecord, server_time: { optional: 'string' } } },
  },
  revoke: {
    name: 'releases.revoke',
    id: 'A54',
    method: 'POST',
    path: '/release-authorizations/{release}/revocations',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    params: { release: 'pathId' },
    body: {
      fields: { reason: { optional: 'filled' }, idempotency_key: 'uuid', expected_version: 'version' },
      hints: { expected_version: 'give the version you read, or the record itself in place of its id' },
    },
    versionFrom: { param: 'release', kind: 'release', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: ReleaseRecord,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  collect: {
    name: 'releases.collect',
    id: 'A56',
    method: 'POST',
    path: '/release-authorizations/{release}/collections',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    params: { release: 'pathId' },
    body: {
      fields: {
        collector: {
          either: ['filled', { map: 'unknown' }],
          problem: 'must be a text that is not empty, or an object',
        },
        vehicle_identity: {
          either: ['filled', { map: 'unknown' }],
          problem: 'must be a text that is not empty, or an object',
        },
        evidence_id: { optional: 'filled' },
        idempotency_key: 'uuid',
        expected_version: 'version',
      },
      hints: { expected_version: 'give the version you read, or the record itself in place of its id' },
    },
    versionFrom: { param: 'release', kind: 'release', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: ReleaseRecord,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;
