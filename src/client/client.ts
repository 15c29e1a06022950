import { type ConflictOptions, retryOnConflict } from '../approvals/retry-on-conflict.js';
import type { ServerTime } from '../clock/clock.js';
import { type Observation, observe } from '../core/observe.js';
import type { RawRequest } from '../core/request/raw.js';
import { Documents } from '../files/documents.js';
import { Media } from '../files/media.js';
import { WinnerUpdates } from '../following/news.js';
import { type WaitOptions, waitFor } from '../following/wait.js';
import { Refunds } from '../following/waiters.js';
import { Disputes } from '../generated/disputes.js';
import { Events } from '../generated/events.js';
import { Integration } from '../generated/integration.js';
import { Results } from '../generated/results.js';
import { Vehicles } from '../generated/vehicles.js';
import { WebhookSubscriptions } from '../generated/webhook-subscriptions.js';
import type { Intents, RecoverOptions } from '../intents/intents.js';
import type { CallOptions, MutationOptions } from '../ports/caller.js';
import type { QuotaMonitor } from '../quota/options.js';
import type { Internals } from './internals.js';
import type { CloseOptions } from './lifecycle.js';
import type { ClientMetrics } from './metrics.js';
import type { OverridableOptions } from './options.js';
import type { IntentOutcome } from './recovery.js';
import { type Expectations, type Finding, type VerifyOptions, verifyWith } from './verify.js';

/** The parts of a client that depend on its actor. */
export interface ActorParts<Self, Outcome extends IntentOutcome> {
  readonly name: 'PartnerClient' | 'BankClient';
  readonly intents: Intents<Outcome>;
  readonly expected: Omit<Expectations, 'clientId'>;
  /** Shown with the client; it holds no secret. */
  readonly shown: object;
  /** Makes a client with other options, which shares this one's internals. */
  derive(overrides: OverridableOptions): Self;
}

/** The calls and helpers that both clients have. */
export abstract class Client<Self, Outcome extends IntentOutcome> {
  readonly #internals: Internals;
  readonly #actor: ActorParts<Self, Outcome>;
  /** The identity of the credentials, and what the deployment can do. */
  readonly integration: Integration;
  /** Auction events and the lots in them. */
  readonly events: Events;
  /** Published vehicles, by public lot id. */
  readonly vehicles: Vehicles;
  /** Lots of closed auctions. */
  readonly results: Results;
  /** Sale decisions that the bank has committed: read by cursor, or follow them. */
  readonly winnerUpdates: WinnerUpdates;
  /** Refunds: read them, wait for them. */
  readonly refunds: Refunds;
  /** Disputes about sales: raise, read. */
  readonly disputes: Disputes;
  /** Evidence documents: upload, wait for the scan, download, save. */
  readonly documents: Documents;
  /** Subscriptions to webhook deliveries. */
  readonly webhookSubscriptions: WebhookSubscriptions;
  /** Photos and documents by the URLs that replies carry. */
  readonly media: Media;
  /** Every intent on record: commands, and a partner's bids. */
  readonly intents: Intents<Outcome>;
  /** The request quota: how much of it is used, and how many requests wait. */
  readonly quota: QuotaMonitor;
  /** Server time, measured from replies. */
  readonly clock: ServerTime;

  /** @internal */
  constructor(internals: Internals, actor: ActorParts<Self, Outcome>) {
    const { call, pace, cursors, address, photos } = internals;
    this.#internals = internals;
    this.#actor = actor;
    this.integration = new Integration(call);
    this.events = new Events(call);
    this.vehicles = new Vehicles(call);
    this.results = new Results(call);
    this.winnerUpdates = new WinnerUpdates(call, pace, cursors);
    this.refunds = new Refunds(call, pace);
    this.disputes = new Disputes(call);
    this.documents = new Documents(call, pace, photos);
    this.webhookSubscriptions = new WebhookSubscriptions(call);
    this.media = new Media(call, address, photos);
    this.intents = actor.intents;
    this.quota = internals.quota;
    this.clock = internals.serverTime;
  }

  /**
   * Asks the service for the identity of the credentials (A01) and compares it with the client's settings: actor,
   * environment, scopes, the clock, and a partner's kind and dealer. Call it once at start-up and log what isn't `ok`.
   *
   * @param options `scopes` that your program needs; signal, timeout, deadline and attempts of this call.
   * @throws InvalidRequestError for a scope that the API doesn't have.
   * @throws AuthenticationError or PermissionError if the credentials are not accepted.
   * @throws ConfigurationError if the service knows them under another client id.
   */
  verify(options?: VerifyOptions): Promise<Finding[]> {
    const { clock } = this.#internals.pace;
    const expected = { ...this.#actor.expected, clientId: () => this.#internals.shown.clientId };
    return verifyWith((limits) => this.integration.profile(limits), expected, clock, options);
  }

  /**
   * Settles unresolved intents. Call it at every start.
   *
   * Bids are looked up and never sent. No lookup exists for commands; with `resend`, those in doubt are sent again with the
   * same bytes while that is safe. After restoring a backup of the store, declare it with `restored: true`.
   *
   * @returns one outcome for each intent that was unresolved.
   * @throws StoreError if the store can't be read.
   */
  recover(options?: RecoverOptions): Promise<readonly Outcome[]> {
    return this.intents.recover(options);
  }

  /**
   * Runs a function at most once with effect, however often and wherever it is called.
   *
   * The key is derived from the account and `parts`, and reserved before the function runs; the function makes exactly one
   * call under it. An effect that took place is returned from the store, and nothing is sent: you can restart a script
   * at any point, although versions of records moved.
   *
   * @param parts Identify the effect, such as `['acknowledge', sale.id]`.
   * @param run Makes one call with `{ idempotencyKey: key }`, and returns its result.
   * @throws InDoubtError if an earlier run may have taken effect and can't be settled.
   */
  runOnce<T>(parts: readonly string[], run: (idempotencyKey: string) => Promise<T>): Promise<T> {
    return this.#internals.runOnce(parts, run);
  }

  /**
   * Reads a record and runs a versioned command on it. If the record changed in between, reads it again and runs `act`
   * again, which decides on the new version. Each round needs its own idempotency key, so pass none.
   *
   * @throws the error of `act`, if the record has not changed or after the last round (5 by default).
   */
  retryOnConflict<R extends { readonly resource_version: number }, T>(
    read: () => Promise<R>,
    act: (record: R) => Promise<T>,
    options?: ConflictOptions,
  ): Promise<T> {
    return retryOnConflict(read, act, options);
  }

  /**
   * Signs and sends any request, such as one for an operation that has no method yet. Known and planned operations are
   * recognised by method and path; a request that isn't known to be a read gets an idempotency key, like every command.
   * Bids are refused: they have `bids.submit`.
   *
   * @param request `method` (PATCH and PUT are tunnelled), `path` after `/api/v1`, `query`, `body`.
   * @param options Signal, timeout, deadline and attempts of this call; the idempotency key.
   * @returns `data` of the reply, or the whole body if it has none; `responseOf()` has the rest.
   * @throws InvalidRequestError before anything is sent, naming the field.
   */
  request(request: RawRequest, options?: MutationOptions): Promise<unknown> {
    return this.#internals.request(request, options);
  }

  /**
   * Returns numbers for dashboards and alerts: outcomes by reason, unresolved intents and their age, the quota, the
   * clock. It sends nothing, and reads unresolved intents from the store.
   *
   * @throws StoreError if the store can't be read.
   */
  metrics(): Promise<ClientMetrics> {
    return this.#internals.metrics();
  }

  /**
   * Reads repeatedly until `until` returns true for the value. It reads in the `poll` lane, less often while nothing
   * changes, and retries temporary failures.
   *
   * @param read Makes one read; pass its options on, as in `(limits) => client.disputes.get(id, limits)`.
   * @param until Returns true for the value that you wait for.
   * @param options `deadline` (10 minutes by default), intervals in milliseconds, `signal`.
   * @throws WaitError with `reason` `deadline`; its `value` is the last one that was read.
   */
  waitFor<T>(
    read: (options: CallOptions) => Promise<T>,
    until: (value: T) => boolean | Promise<boolean>,
    options?: WaitOptions,
  ): Promise<T> {
    return waitFor(this.#internals.pace, read, until, options);
  }

  /**
   * Returns the same client with other limits or another logger. It shares connections, credentials, store, quota and
   * clock with this one, and closing either closes both.
   *
   * @throws ConfigurationError for options that need a new client.
   */
  withOptions(options: OverridableOptions): Self {
    return this.#actor.derive(options);
  }

  /**
   * Closes the client: refuses new calls, ends queued requests as not sent, and waits for requests on the wire. Then it
   * closes connections and the store.
   *
   * Work of several calls goes on within that time: `runOnce`, `waitFor`, `approvals.decide`, the lookups of a bid that
   * was sent. Followers and watches end. When the time is over, everything is aborted; the outcome of requests that may
   * have been sent is unknown, and `recover()` settles them at the next start.
   *
   * @param options `within`: that time in milliseconds, 10,000 by default. Another `close()` can only shorten it.
   * @throws InvalidRequestError for a `within` that is no number from 0.
   * @throws StoreError if the store can't be closed.
   */
  close(options?: CloseOptions): Promise<void> {
    return this.#internals.close(options);
  }

  /** @internal Sets the observer of this client and of those derived from it. */
  [observe](observation: Observation): void {
    this.#internals.observe(observation);
  }

  /** Same as `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal Shows the address and the ids of the client, never a secret. */
  toJSON(): object {
    return { ...this.#internals.shown, ...this.#actor.shown };
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `${this.#actor.name} ${JSON.stringify(this.toJSON())}`;
  }
}
