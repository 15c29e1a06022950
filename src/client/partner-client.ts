import { formats } from '../api/formats.js';
import type { PartnerType } from '../api/operation.js';
import { type ConflictOptions, retryOnConflict } from '../approvals/retry-on-conflict.js';
import { PartnerBids } from '../bids/partner-bids.js';
import { bidOutcome, settleFound } from '../bids/settle.js';
import type { ServerTime } from '../clock/clock.js';
import type { RawRequest } from '../core/request/raw.js';
import { ConfigurationError } from '../errors/local.js';
import { Documents } from '../files/documents.js';
import { Media } from '../files/media.js';
import { PartnerLots } from '../following/lots.js';
import { PartnerNotifications, WinnerUpdates } from '../following/news.js';
import { type WaitOptions, waitFor } from '../following/wait.js';
import { PartnerPaymentReports, PartnerSaleCases, Refunds } from '../following/waiters.js';
import { PartnerResources } from '../generated/partner.js';
import { settleCommand } from '../intents/commands.js';
import type { Intents, RecoverOptions } from '../intents/intents.js';
import type { CallOptions, MutationOptions } from '../ports/caller.js';
import { refuseOtherActor } from './actors.js';
import { Composition, derivedInsides, derivedOptions } from './compose.js';
import type { OverridableOptions, PartnerClientOptions } from './options.js';
import { type IntentOutcome, partnerIntents } from './recovery.js';
import { checkOptions, fromEnvironment, type QuotaMonitor } from './resolve.js';
import { type Expectations, type Finding, type VerifyOptions, verifyWith } from './verify.js';

const partnerTypes: readonly PartnerType[] = ['direct_dealer', 'platform', 'aggregator'];

/**
 * The service as a partner of a bank sees it: direct dealers, and platforms or aggregators that act for buyers.
 * One client per set of credentials; it is safe to share between concurrent requests.
 */
export class PartnerClient<P extends PartnerType = PartnerType> extends PartnerResources<P> {
  readonly #options: PartnerClientOptions<P>;
  readonly #insides: Composition;
  readonly #particulars: object;
  readonly #expected: Expectations;
  /** Photos and documents by the URLs that replies carry. */
  readonly media: Media;
  /** Bids: place them safely, one or many; submit, list, read, look up, ask for cancellation. */
  override readonly bids: PartnerBids<P>;
  /** Lots across all permitted auctions: list them, read their status, follow them. */
  override readonly lots: PartnerLots;
  /** Sales, from the award of a lot to the transfer of its ownership. */
  override readonly saleCases: PartnerSaleCases;
  /** Reports of payments: make them, read them, wait for them. */
  override readonly paymentReports: PartnerPaymentReports;
  /** Sale decisions that the bank has committed: read by cursor, or follow them. */
  override readonly winnerUpdates: WinnerUpdates;
  /** The inbox of workflow messages: list it, follow it, acknowledge what is in it. */
  override readonly notifications: PartnerNotifications;
  /** Evidence documents: upload, wait for the scan, download, save. */
  override readonly documents: Documents;
  /** Refunds: read them, wait for them. */
  override readonly refunds: Refunds;
  /** The request quota: how much of it is used, and how many requests wait. */
  readonly quota: QuotaMonitor;
  /** Server time, measured from replies. */
  readonly clock: ServerTime;
  /** Every bid and command on record. */
  readonly intents: Intents<IntentOutcome>;

  /**
   * The service as a partner of a bank sees it. Options that are left out and have a variable are read from the
   * environment.
   *
   * @throws ConfigurationError for what can't work, naming the option.
   */
  constructor(options: PartnerClientOptions<P>) {
    checkOptions(options, ['partnerType', 'dealerId', 'riskLimits']);
    const { partnerType } = options;
    if (!partnerTypes.includes(partnerType)) {
      throw new ConfigurationError('partnerType', `must be one of ${partnerTypes.join(', ')}`);
    }
    // A dealer id of the environment belongs to the credentials of the environment.
    const dealerId =
      options.dealerId ?? (options.credentials === undefined ? fromEnvironment('DEALER_ID') : undefined);
    if (
      dealerId !== undefined &&
      (formats.dealerId(dealerId) !== undefined || dealerId !== dealerId.trim())
    ) {
      throw new ConfigurationError(
        'dealerId',
        'must be a string of 1 to 32 characters, without white space around it',
      );
    }
    const insides =
      derivedInsides(options) ??
      Composition.of(options, {
        fill: dealerId === undefined ? {} : { dealer_id: dealerId },
        partnerType,
      });
    super(insides.call);
    this.media = new Media(insides.call, insides.address, insides.pace.warn);
    this.lots = new PartnerLots(insides.call, insides.pace);
    this.saleCases = new PartnerSaleCases(insides.call, insides.pace);
    this.paymentReports = new PartnerPaymentReports(insides.call, insides.pace);
    this.winnerUpdates = new WinnerUpdates(insides.call, insides.pace, insides.cursors);
    this.notifications = new PartnerNotifications(insides.call, insides.pace, insides.cursors);
    this.documents = new Documents(insides.call, insides.pace);
    this.refunds = new Refunds(insides.call, insides.pace);
    this.bids = new PartnerBids<P>(insides.call, insides.bidding, {
      dealerId: dealerId ?? '',
      type: partnerType,
    });
    this.intents = partnerIntents(insides.commands, insides.bidding, insides);
    this.#options = { ...options, ...(dealerId !== undefined && { dealerId }) };
    this.quota = insides.quota;
    this.clock = insides.serverTime;
    this.#insides = insides;
    this.#expected = {
      clientId: () => insides.shown.clientId,
      actor: 'partner',
      environment: options.environment,
      partnerType,
      dealerId,
      scopes: ['catalogue:read', 'bids:write', 'bids:read'],
    };
    this.#particulars = { partnerType, ...(dealerId !== undefined && { dealerId }) };
    refuseOtherActor(this, 'partner');
  }

  /**
   * Asks the service whose credentials these are (A01) and compares it with how this client is set up: actor,
   * environment, kind of partner, dealer, scopes, and the clock. Call it once at start-up and log what isn't `ok`.
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
   * Bids are looked up and never sent; with `resend`, commands in doubt are sent again with the same bytes while that is
   * safe. After restoring a backup of the store, declare it with `restored: true`.
   *
   * @returns one outcome for each intent that was unresolved.
   * @throws StoreError where the store can't be read.
   */
  recover(options?: RecoverOptions): Promise<readonly IntentOutcome[]> {
    return this.intents.recover(options);
  }

  /**
   * Runs a function at most once with effect, however often and wherever it is called.
   *
   * The key is derived from the account and `parts`, and reserved before the function runs; the function makes exactly one
   * call under it. What is done already is returned from the store, and nothing is sent.
   *
   * @param parts What identifies the effect, such as `['acknowledge', sale.id]`.
   * @param run Makes one call with `{ idempotencyKey: key }`, and returns its result.
   * @throws InDoubtError where an earlier run may have taken effect and that can't be settled.
   */
  runOnce<T>(parts: readonly string[], run: (idempotencyKey: string) => Promise<T>): Promise<T> {
    const { bidding, commands } = this.#insides;
    return this.#insides.runOnce(parts, run, {
      settle: async (intent) => {
        if (intent.content.bid === undefined) return settleCommand(commands, intent, {}, true);
        await settleFound(bidding, intent, {}, true);
        return (await commands.recording.ledger.read(intent.key)) ?? intent;
      },
      outcomeOf: (intent) => bidOutcome(bidding, intent),
    });
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
  withOptions(options: OverridableOptions): PartnerClient<P> {
    return new PartnerClient(derivedOptions(this.#options, options, this.#insides));
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
    return { ...this.#insides.shown, ...this.#particulars };
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `PartnerClient ${JSON.stringify(this.toJSON())}`;
  }
}
