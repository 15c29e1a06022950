// Generated from src/api by `npm run generate`; edits are lost.

import type {
  BodyFor,
  CallOptions,
  Caller,
  InputFor,
  MutationOptions,
  VersionedRecord,
} from '../core/caller.js';
import type { ReleaseRecord, ReleasesCollectBody, ReleasesRevokeBody } from '../models/releases.js';
import { releases } from '../routes/releases.js';

/** Release authorisations: read, revoke, confirm the collection. `saleCases.authorizeRelease` makes them. */
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
 */
export class BankReleases extends Releases {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Takes back a release authorisation that has not been used.
   *
   * A collection at the same moment does no harm. One that is used up is not revoked; an exception is opened
   * instead.
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
   * Confirms that the vehicle was collected, which uses the release authorisation up.
   *
   * Works once for a release authorisation. That it is active, the money, holds and the identity of the
   * vehicle are checked again.
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
