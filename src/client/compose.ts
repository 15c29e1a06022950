import { API_PREFIX } from '../api/common.js';
import type { BiddingParts } from '../bidding/parts.js';
import { createServerClock } from '../clock/server-clock.js';
import { createPipeline, type Pipeline } from '../core/call.js';
import type { Caller, MutationOptions } from '../core/caller.js';
import type { CallLimits } from '../core/limits.js';
import { leveled, Seldom } from '../core/log.js';
import type { CallParts } from '../core/parts.js';
import type { CallDefaults } from '../core/prepare.js';
import { type RawRequest, rawCall } from '../core/raw-route.js';
import { RetryBudget } from '../core/retry-budget.js';
import type { ServiceAddress } from '../files/service-url.js';
import { journalledCaller } from '../intents/journalled-caller.js';
import { Keeper } from '../intents/keeper.js';
import type { CommandRecovery } from '../intents/recover-command.js';
import type { Clock } from '../ports/clock.js';
import type { QuotaSettings } from '../quota/settings.js';
import { PartnerBids } from '../resources/bids.js';
import { Events } from '../resources/events.js';
import { PartnerLots } from '../resources/lots.js';
import { digests } from '../signing/digests.js';
import { Gate } from './gate.js';
import type { Keyring } from './keyring.js';
import type { ClientOptions, OverridableOptions } from './options.js';
import { resolveQuota } from './quota-options.js';
import {
  checkMethods,
  resolveBaseUrl,
  resolveClock,
  resolveHorizon,
  resolveJournal,
  resolveKeyring,
  resolveLimits,
  resolveLogLevel,
  resolveMaxReplyBytes,
  resolveRandomness,
} from './resolve.js';
import { consoleLogger, ownerName } from './system.js';
import { resolveTransport } from './transport-options.js';
import { VERSION } from './version.js';

/** What every client derived from one shares: connections, keys, quota, clock, and when it is closed. */
interface Shared {
  readonly parts: Omit<CallParts, 'limits' | 'log' | 'maxReplyBytes'>;
  readonly keeper: Keeper;
  readonly horizonMs: number;
  readonly pace: QuotaSettings;
  readonly keyring: Keyring;
  readonly gate: Gate;
}

/** A client's insides. */
export class Composition {
  readonly call: Caller;
  readonly #shared: Shared;
  readonly #pipeline: Pipeline;
  readonly #limits: CallLimits;
  /** Calls within work that has passed the gate already. */
  readonly #inner: Caller;

  private constructor(shared: Shared, options: OverridableOptions) {
    this.#shared = shared;
    checkMethods('logger', options.logger, ['error', 'warn', 'info', 'debug'], true);
    this.#limits = resolveLimits(options);
    const log = leveled(options.logger ?? consoleLogger, resolveLogLevel(options.logLevel));
    this.#pipeline = createPipeline({
      ...shared.parts,
      maxReplyBytes: resolveMaxReplyBytes(options.maxReplyBytes),
      limits: this.#limits,
      log,
    });
    this.#inner = journalledCaller(this.#pipeline, shared.keeper, this.#terms);
    this.call = shared.gate.guard(this.#inner);
  }

  /** Puts a client together from its options. @throws ConfigurationError for what can't work. */
  static of(options: ClientOptions, particulars: Pick<CallDefaults, 'fill' | 'check'>): Composition {
    return new Composition(sharedOf(options, particulars), options);
  }

  /** The same client with other limits or another logger. */
  with(options: OverridableOptions): Composition {
    return new Composition(this.#shared, options);
  }

  get clock(): Clock {
    return this.#shared.parts.clock;
  }

  get address(): ServiceAddress {
    return this.#shared.parts.defaults;
  }

  /** What a client may show of itself. */
  get shown(): { readonly baseUrl: string; readonly clientId: string; readonly keyId: string } {
    const { origin, prefix } = this.address;
    const { clientId = UNKNOWN, keyId = UNKNOWN } = this.#shared.keyring.ids ?? {};
    return { baseUrl: origin + prefix + API_PREFIX, clientId, keyId };
  }

  /** Signs and sends anything. */
  async request(request: RawRequest, options?: MutationOptions): Promise<unknown> {
    const { route, input } = rawCall(request, 'raw');
    return this.call(route, input, options);
  }

  /** Lets work of several calls begin unless the client is closed. */
  get during(): Gate['during'] {
    return this.#shared.gate.during;
  }

  /** What commands are recovered with. */
  get recovery(): CommandRecovery {
    const { keeper, parts } = this.#shared;
    return {
      pipeline: this.#pipeline,
      keeper,
      digests: parts.digests,
      address: parts.defaults,
      ...this.#terms,
    };
  }

  /** What bids are placed with. */
  get bidding(): BiddingParts {
    return {
      ...this.recovery,
      bids: new PartnerBids(this.#inner),
      lots: new PartnerLots(this.#inner),
      events: new Events(this.#inner),
      limits: this.#limits,
      quota: this.#shared.pace,
      dealerId: this.#shared.keeper.parts.account.dealerId,
      during: this.during,
    };
  }

  get #terms() {
    return { horizonMs: this.#shared.horizonMs, deadlineMs: this.#limits.deadline };
  }

  /** Refuses new calls, lets those under way finish, then lets go of the connections. */
  close(): Promise<void> {
    return this.#shared.gate.close();
  }
}

const UNKNOWN = '(not fetched yet)';

function sharedOf(options: ClientOptions, particulars: Pick<CallDefaults, 'fill' | 'check'>): Shared {
  const log = leveled(options.logger ?? consoleLogger, resolveLogLevel(options.logLevel));
  checkMethods('clock', options.clock, ['now', 'monotonic', 'after'], false);
  checkMethods('randomness', options.randomness, ['uuid', 'nonce', 'fraction'], false);
  const base = resolveBaseUrl(options.baseUrl);
  const keyring = resolveKeyring(options.credentials);
  const clock = resolveClock(options.clock);
  const { transport, release } = resolveTransport(options, base.origin);
  const { quota, settings: pace, release: releaseQuota } = resolveQuota(options, base.origin, clock);
  const serverClock = createServerClock(clock);
  const journal = resolveJournal(options.journal, clock);
  const account = {
    origin: base.origin + base.prefix,
    environment: options.environment ?? '',
    dealerId: particulars.fill['dealer_id'] ?? '',
  };
  const keeper = new Keeper({ journal, keys: keyring, clock, serverClock, log, owner: ownerName(), account });
  return {
    keyring,
    keeper,
    horizonMs: resolveHorizon(options.horizon),
    pace,
    parts: {
      transport,
      keys: keyring,
      leaks: keyring.leaks,
      quota,
      serverClock,
      retryBudget: new RetryBudget(),
      queueNotice: new Seldom(60_000),
      userAgent: `vehicle-auction-sdk/${VERSION}`,
      clock,
      randomness: resolveRandomness(options.randomness),
      digests,
      defaults: { ...base, ...particulars },
    },
    gate: new Gate(async () => {
      releaseQuota();
      await release();
      await keeper.close();
    }),
  };
}
