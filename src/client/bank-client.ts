import { Approvals } from '../approvals/approvals.js';
import { type ConflictOptions, retryOnConflict } from '../approvals/retry-on-conflict.js';
import type { ServerTime } from '../clock/clock.js';
import type { RawRequest } from '../core/request/raw.js';
import { Documents } from '../files/documents.js';
import { Media } from '../files/media.js';
import { Notifications, WinnerUpdates } from '../following/news.js';
import { type WaitOptions, waitFor } from '../following/wait.js';
import { BankPaymentReports, BankSaleCases, Refunds } from '../following/waiters.js';
import { BankResources } from '../generated/bank.js';
import type { CommandOutcome } from '../intents/commands.js';
import type { Intents, RecoverOptions } from '../intents/intents.js';
import type { CallOptions, MutationOptions } from '../ports/caller.js';
import { refuseOtherActor } from './actors.js';
import { Composition, derivedInsides, derivedOptions } from './compose.js';
import type { BankClientOptions, OverridableOptions } from './options.js';
import { bankIntents } from './recovery.js';
import { checkOptions, type QuotaMonitor } from './resolve.js';
import { type Expectations, type Finding, type VerifyOptions, verifyWith } from './verify.js';

/**
 * The service as a bank's own backend sees it, with bank-service credentials. There is no bidding on it.
 * One client per set of credentials; it is safe to share between concurrent requests.
 */
export class BankClient extends BankResources {
  readonly #options: BankClientOptions;
  readonly #insides: Composition;
  readonly #expected: Expectations;
  /** Photos and documents by the URLs that replies carry. */
  readonly media: Media;
  /** Sales, from the award of a lot to the transfer of its ownership. */
  override readonly saleCases: BankSaleCases;
  /** Reports of payments: decide on them, read them, wait for them. */
  override readonly paymentReports: BankPaymentReports;
  /** Sale decisions that the bank has committed: read by cursor, or follow them. */
  override readonly winnerUpdates: WinnerUpdates;
  /** The inbox of workflow messages: list it, follow it. */
  override readonly notifications: Notifications;
  /** Evidence documents: upload, wait for the scan, download, save. */
  override readonly documents: Documents;
  /** Refunds: read them, wait for them. */
  override readonly refunds: Refunds;
  /** The request quota: how much of it is used, and how many requests wait. */
  readonly quota: QuotaMonitor;
  /** Server time, measured from replies. */
  readonly clock: ServerTime;
  /** Decides sales by a policy of yours: on fresh facts, once, and audited. */
  readonly approvals: Approvals;
  /** Every command on record. */
  readonly intents: Intents<CommandOutcome>;

  /**
   * The service as a bank's own backend sees it. Options that are left out and have a variable are read from the
   * environment.
   *
   * @throws ConfigurationError for what can't work, naming the option.
   */
  constructor(options: BankClientOptions) {
    checkOptions(options);
    const insides = derivedInsides(options) ?? Composition.of(options, { fill: {}, partnerType: undefined });
    super(insides.call);
    this.media = new Media(insides.call, insides.address, insides.pace.warn);
    this.saleCases = new BankSaleCases(insides.call, insides.pace);
    this.paymentReports = new BankPaymentReports(insides.call, insides.pace);
    this.winnerUpdates = new WinnerUpdates(insides.call, insides.pace, insides.cursors);
    this.notifications = new Notifications(insides.call, insides.pace, insides.cursors);
    this.documents = new Documents(insides.call, insides.pace);
    this.refunds = new Refunds(insides.call, insides.pace);
    this.approvals = new Approvals(insides.approvals(this.saleCases));
    this.intents = bankIntents(insides.commands, insides);
    this.#options = { ...options };
    this.quota = insides.quota;
    this.clock = insides.serverTime;
    this.#insides = insides;
    this.#expected = {
      clientId: () => insides.shown.clientId,
      actor: 'bank',
      environment: options.environment,
      scopes: ['integration:read'],
    };
    refuseOtherActor(this, 'bank');
  }

  /**
   * Asks the service whose credentials these are (A01) and compares it with how this client is set up: actor,
   * environment, and the clock. Call it once at start-up and log what isn't `ok`.
   *
   * @param options `scopes` that your program needs; signal, timeout, deadline and attempts of this call.
   * @throws InvalidRequestError for a scope that the API doesn't have.
   * @throws AuthenticationError or PermissionError where the credentials are not accepted.
   * @throws ConfigurationError where the service knows them under another client id.
   */
  verify(options?: VerifyOptions): Promise<Finding[]> {
    const { clock } = this.#insides;
    return verifyWith((limits) => this.integration.profile(limits), this.#expected, clock, options);
  }

  /**
   * Settles what was left unresolved. Call it at every start.
   *
   * No lookup exists for commands; with `resend`, those in doubt are sent again with the same bytes while that is safe.
   * After restoring a backup of the store, declare it with `restored: true`.
   *
   * @returns one outcome for each intent that was unresolved.
   * @throws StoreError where the store can't be read.
   */
  recover(options?: RecoverOptions): Promise<readonly CommandOutcome[]> {
    return this.intents.recover(options);
  }

  /**
   * Runs a function at most once with effect, however often and wherever it is called.
   *
   * The key is derived from the account and `parts`, and reserved before the function runs; the function makes exactly one
   * call under it. What is done already is returned from the store, and nothing is sent: a script can be restarted at any
   * point, although versions of records moved.
   *
   * @param parts What identifies the effect, such as `['approve', sale.id]`.
   * @param run Makes one call with `{ idempotencyKey: key }`, and returns its result.
   * @throws InDoubtError where an earlier run may have taken effect and that can't be settled.
   */
  runOnce<T>(parts: readonly string[], run: (idempotencyKey: string) => Promise<T>): Promise<T> {
    return this.#insides.runOnce(parts, run);
  }

  /**
   * Reads a record and runs a versioned command on it. Where the record moved in between, reads it again and runs `act`
   * again, which decides afresh. Each round needs its own idempotency key, so pass none.
   *
   * @throws what `act` throws, where the record has not moved or the rounds (5 by default) are used up.
   */
  retryOnConflict<R extends { readonly resource_version: number }, T>(
    read: () => Promise<R>,
    act: (record: R) => Promise<T>,
    options?: ConflictOptions,
  ): Promise<T> {
    return retryOnConflict(read, act, options);
  }

  /**
   * Signs and sends anything: an operation that has no method yet, the day it opens. Known and planned operations are
   * recognised by method and path; what isn't known to be a read gets an idempotency key, like every command. Bids
   * are refused: they have `bids.submit`.
   *
   * @param request `method` (PATCH and PUT are tunnelled), `path` after `/api/v1`, `query`, `body`.
   * @param options Signal, timeout, deadline and attempts of this call; the idempotency key.
   * @returns `data` of the reply, or the whole body where it has none; `responseOf()` has the rest.
   * @throws InvalidRequestError before anything is sent, naming the field.
   */
  request(request: RawRequest, options?: MutationOptions): Promise<unknown> {
    return this.#insides.request(request, options);
  }

  /**
   * Reads again and again until a value is the one that you wait for. It reads in the `poll` lane, less often while nothing
   * changes, and goes on after an outage.
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
    return waitFor(this.#insides.pace, read, until, options);
  }

  /**
   * The same client with other limits or another logger: it shares connections, credentials, quota and clock with
   * this one, and closing either closes both.
   *
   * @throws ConfigurationError for options that need a new client.
   */
  withOptions(options: OverridableOptions): BankClient {
    return new BankClient(derivedOptions(this.#options, options, this.#insides));
  }

  /** Refuses new calls, waits for the running ones, then closes the connections. */
  close(): Promise<void> {
    return this.#insides.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal What may be shown: where it points and as whom, never a secret. */
  toJSON(): object {
    return this.#insides.shown;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `BankClient ${JSON.stringify(this.#insides.shown)}`;
  }
}
