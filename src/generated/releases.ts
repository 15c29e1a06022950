// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Route } from '../api/operation.js';
import type {
  BodyFor,
  CallOptions,
  Caller,
  InputFor,
  MutationOptions,
  VersionedRecord,
} from '../ports/caller.js';

/**
 * A release authorisation and its collection.
 *
 * API text: Workflow record.
 */
export interface ReleaseData {
  /** Person or party that can collect the vehicle. (API: Workflow record) */
  readonly recipient?: string | { readonly [key: string]: unknown };
  /** Handover location. (API: Workflow record) */
  readonly yard?: string | { readonly [key: string]: unknown } | null;
  /** Expiry of the authorisation, ISO 8601. (API: Workflow record) */
  readonly expires_at?: string;
  /** Day of the collection, a date. (API: Workflow record) */
  readonly collection_date?: string | null;
  /** Sale that the vehicle is released for. (API: Workflow record) */
  readonly sale_id?: string;
  /** Reason for a revocation. (API: Workflow record) */
  readonly reason?: string | null;
  /** Person who collected the vehicle; after the collection. (API: Workflow record) */
  readonly collector?: string | { readonly [key: string]: unknown } | null;
  /** How the vehicle was identified; after the collection. (API: Workflow record) */
  readonly vehicle_identity?: string | { readonly [key: string]: unknown } | null;
  /** Document that shows the collection; after the collection. (API: Workflow record) */
  readonly evidence_id?: string | null;
}

/**
 * A release authorisation, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface ReleaseRecord {
  /** Id of a release authorisation. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'release' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'valid' | 'revoked' | 'expired' | 'used' | (string & {});
  /** Version of this record; commands on it send it as `expected_version`. (API: Workflow record) */
  readonly resource_version: number;
  /** Data of the record. (API: Workflow record) */
  readonly data?: ReleaseData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * Body of `releases.revoke`.
 *
 * API text: Release, collection, transfer.
 */
export interface ReleasesRevokeBody {
  /** Why, in words. (API: Release, collection, transfer) */
  readonly reason?: string | undefined;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Release, collection, transfer)
   */
  readonly idempotency_key?: string | undefined;
  /**
   * Version of the record that you decided on. The service refuses the command if the record has changed
   * since. (API: Release, collection, transfer)
   */
  readonly expected_version: number;
}

/**
 * Body of `releases.collect`.
 *
 * API text: Release, collection, transfer.
 */
export interface ReleasesCollectBody {
  /** Person who collects the vehicle. (API: Release, collection, transfer) */
  readonly collector: string | { readonly [key: string]: unknown };
  /** Identification of the collected vehicle. (API: Release, collection, transfer) */
  readonly vehicle_identity: string | { readonly [key: string]: unknown };
  /** Id of the document that shows the collection. (API: Release, collection, transfer) */
  readonly evidence_id?: string | undefined;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Release, collection, transfer)
   */
  readonly idempotency_key?: string | undefined;
  /**
   * Version of the record that you decided on. The service refuses the command if the record has changed
   * since. (API: Release, collection, transfer)
   */
  readonly expected_version: number;
}

export const releaseDataSchema: ObjectSchema = {
  fields: {
    recipient: { optional: { either: ['string', { map: 'unknown' }] } },
    yard: { optional: { nullable: { either: ['string', { map: 'unknown' }] } } },
    expires_at: { optional: 'string' },
    collection_date: { optional: { nullable: 'string' } },
    sale_id: { optional: 'string' },
    reason: { optional: { nullable: 'string' } },
    collector: { optional: { nullable: { either: ['string', { map: 'unknown' }] } } },
    vehicle_identity: { optional: { nullable: { either: ['string', { map: 'unknown' }] } } },
    evidence_id: { optional: { nullable: 'string' } },
  },
};

export const releaseRecordSchema: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: releaseDataSchema },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

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
    reply: { fields: { data: releaseRecordSchema, server_time: { optional: 'string' } } },
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
      hints: { expected_version: 'pass the version you read, or the record itself instead of its id' },
    },
    versionFrom: { param: 'release', kind: 'release', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: releaseRecordSchema,
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
          problem: 'must be a non-empty string or an object',
        },
        vehicle_identity: {
          either: ['filled', { map: 'unknown' }],
          problem: 'must be a non-empty string or an object',
        },
        evidence_id: { optional: 'filled' },
        idempotency_key: 'uuid',
        expected_version: 'version',
      },
      hints: { expected_version: 'pass the version you read, or the record itself instead of its id' },
    },
    versionFrom: { param: 'release', kind: 'release', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: releaseRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;

/**
 * Release authorisations: read, revoke, confirm the collection. `saleCases.authorizeRelease` makes them.
 *
 * To look up an id, such as A53: `npx vehicle-auction-sdk docs A53`.
 */
export class Releases {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Reads one release authorisation.
   *
   * API: A53, `GET /release-authorizations/{release}`, scope `release:read`; "Release, collection, transfer".
   * @param release Id of the release authorisation.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  get(release: string, options?: CallOptions): Promise<ReleaseRecord> {
    return this.#call<ReleaseRecord>(releases.get, { path: { release } }, options);
  }
}

/**
 * Release authorisations: read, revoke, confirm the collection. `saleCases.authorizeRelease` makes them. As a
 * bank calls it.
 *
 * To look up an id, such as A54: `npx vehicle-auction-sdk docs A54`.
 */
export class BankReleases extends Releases {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Revokes an unused release authorisation.
   *
   * Safe to call during a collection. A used authorisation can't be revoked; open an exception instead.
   *
   * API: A54, `POST /release-authorizations/{release}/revocations`, scope `release:revoke`; "Release,
   * collection, transfer".
   * @param release Id of the release authorisation. Or the record as it was read or returned: its id, and its
   * `resource_version` as `expected_version`.
   * @param body What to send: `reason`, `idempotency_key`, `expected_version`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  revoke<Release extends string | VersionedRecord>(
    release: Release,
    ...[body = {}, options]: InputFor<Release, ReleasesRevokeBody>
  ): Promise<ReleaseRecord> {
    return this.#call<ReleaseRecord>(releases.revoke, { path: { release }, body }, options);
  }

  /**
   * Confirms the collection of the vehicle and uses the release authorisation.
   *
   * Works once per release authorisation. The service checks again that the authorisation is active, the
   * money paid, nothing on hold, and the vehicle identity correct.
   *
   * Evidence counts only once the scan has found its document clean.
   *
   * API: A56, `POST /release-authorizations/{release}/collections`, scope `collection:confirm`; "Release,
   * collection, transfer".
   * @param release Id of the release authorisation. Or the record as it was read or returned: its id, and its
   * `resource_version` as `expected_version`.
   * @param body What to send: `collector`, `vehicle_identity`, `evidence_id`, `idempotency_key`,
   * `expected_version`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  collect<Release extends string | VersionedRecord>(
    release: Release,
    body: BodyFor<Release, ReleasesCollectBody>,
    options?: MutationOptions,
  ): Promise<ReleaseRecord> {
    return this.#call<ReleaseRecord>(releases.collect, { path: { release }, body }, options);
  }
}
