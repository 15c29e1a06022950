import { API_PREFIX } from '../api/formats.js';
import type { ApprovalPorts } from '../approvals/approvals.js';
import type { BidParts } from '../bids/parts.js';
import { bidIn, checkedRiskLimits, heldBack } from '../bids/prepare.js';
import { readClaimed } from '../bids/settle.js';
import type { RiskLimits } from '../bids/types.js';
import { createServerClock, type ServerTime, serverTimeOf } from '../clock/clock.js';
import type { CallParts } from '../core/call.js';
import { createPipeline, type Pipeline, RETRY_BUDGET } from '../core/call.js';
import { type CallLimits, contextOf } from '../core/caller.js';
import { redactorOf } from '../core/redact.js';
import type { CallDefaults } from '../core/request/prepare.js';
import { type RawRequest, rawCall } from '../core/request/raw.js';
import { consoleLogger, leveled } from '../core/telemetry.js';
import { type CallContext, VehicleAuctionError } from '../errors/base.js';
import { AbortedError } from '../errors/connection.js';
import { ConfigurationError } from '../errors/local.js';
import type { ServiceAddress } from '../files/service-url.js';
import type { CursorStore } from '../following/follow.js';
import type { Pace } from '../following/pace.js';
import { PartnerBids } from '../generated/bids.js';
import { Events } from '../generated/events.js';
import { PartnerLots } from '../generated/lots.js';
import { recordedCaller, serverTimeFor } from '../intents/caller.js';
import type { CommandParts } from '../intents/commands.js';
import { Ledger, Locks } from '../intents/ledger.js';
import type { Recording } from '../intents/recorded-call.js';
import { type EarlierRun, latestRun, runOnce } from '../intents/run-once.js';
import { callerOf } from '../paging/caller.js';
import type { Call, Caller, MutationOptions } from '../ports/caller.js';
import type { Clock } from '../ports/clock.js';
import type { QuotaShare } from '../quota/quota.js';
import type { ClientOptions, OverridableOptions, PartnerClientOptions } from './options.js';
import { settleRecorded } from './recovery.js';
import {
  checkMethods,
  type QuotaMonitor,
  resolveAccount,
  resolveBaseUrl,
  resolveClock,
  resolveEnvironment,
  resolveFormerOrigins,
  resolveHeaders,
  resolveKeyRetention,
  resolveKeys,
  resolveLimits,
  resolveLogLevel,
  resolveMaxReplyBytes,
  resolveQuota,
  resolveRandomness,
  resolveRetention,
  resolveStore,
  resolveTransport,
} from './resolve.js';

/** What every client derived from one shares: connections, keys, quota, clock, and when it is closed. */
interface Shared {
  readonly parts: Omit<CallParts, 'limits' | 'log' | 'maxReplyBytes'> & { readonly quota: QuotaShare };
  readonly recording: Recording;
  readonly environment: ClientOptions['environment'];
  readonly riskLimits: RiskLimits;
  readonly gate: Gate;
  /** Requests per minute that polls may use. */
  readonly spare: () => number;
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
    const recording: Recording = {
      ...shared.recording,
      settleClaim: async (intent, options) => (await readClaimed(this.bidding, intent, options)).intent,
    };
    this.#inner = callerOf(recordedCaller(this.#pipeline, recording, this.#limits.deadline));
    this.call = shared.gate.guard(this.#inner);
  }

  /** Puts a client together from its options. @throws ConfigurationError for what can't work. */
  static of(options: ClientOptions, particulars: Pick<CallDefaults, 'fill' | 'partnerType'>): Composition {
    return new Composition(sharedOf(options, particulars), options);
  }

  /** The same client with other limits or another logger. */
  with(options: OverridableOptions): Composition {
    return new Composition(this.#shared, options);
  }

  get clock(): Clock {
    return this.#shared.parts.clock;
  }

  /** What a client shows of the quota that it shares. */
  get quota(): QuotaMonitor {
    const { quota } = this.#shared.parts;
    return { state: () => quota.state() };
  }

  /** What a client shows of server time. */
  get serverTime(): ServerTime {
    return serverTimeOf(this.#shared.parts);
  }

  get address(): ServiceAddress {
    return this.#shared.parts.defaults;
  }

  /** What a client may show of itself. */
  get shown(): { readonly baseUrl: string; readonly clientId: string; readonly keyId: string } {
    const { origin, prefix } = this.address;
    const { clientId = UNKNOWN, keyId = UNKNOWN } = this.#shared.parts.keys.signer ?? {};
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

  /** What commands are settled with. */
  get commands(): CommandParts {
    const { recording, parts } = this.#shared;
    return { pipeline: this.#pipeline, recording, address: parts.defaults };
  }

  /** What bids are placed with. */
  get bidding(): BidParts {
    const { riskLimits } = this.#shared;
    return {
      ...this.commands,
      bids: new PartnerBids(this.#inner),
      lots: new PartnerLots(this.#inner),
      events: new Events(this.#inner),
      limits: this.#limits,
      riskLimits,
      during: this.during,
    };
  }

  /** What waiting and following go by. */
  get pace(): Pace {
    const { parts, gate, recording, spare } = this.#shared;
    const { clock, serverClock, randomness } = parts;
    return {
      clock,
      randomness,
      now: () => serverClock.time() ?? clock.now(),
      spare,
      closing: gate.closing,
      during: gate.during,
      warn: (message, fields) => recording.log.warn(message, fields),
    };
  }

  /** Where followers keep how far they are. */
  get cursors(): CursorStore {
    const { ledger } = this.#shared.recording;
    return {
      within: (work) => ledger.within(({ cursors }) => work(cursors)),
      process: ledger.store.process,
      isForgetful: this.#shared.environment === 'production' && !ledger.store.durable,
    };
  }

  get deadlineMs(): number {
    return this.#limits.deadline;
  }

  /** Runs a function at most once with effect. */
  runOnce<T>(
    parts: readonly string[],
    run: (idempotencyKey: string) => Promise<T>,
    earlier: EarlierRun = this.#earlierCommand,
  ): Promise<T> {
    const { recording } = this.#shared;
    return this.during('runOnce', async () => {
      const context = { call: 'runOnce', operation: 'runOnce' };
      await serverTimeFor(this.#pipeline, recording, { deadlineMs: this.deadlineMs }, context);
      return runOnce(recording, earlier, parts, run);
    });
  }

  get #earlierCommand(): EarlierRun {
    return { settle: (intent) => settleRecorded(this.commands, intent, {}, true) };
  }

  /** What sales are decided with. */
  approvals(sales: ApprovalPorts['sales']): ApprovalPorts {
    const { recording } = this.#shared;
    const { ledger } = recording;
    const earlier = this.#earlierCommand;
    return {
      sales,
      latest: (parts) => this.during('approvals', () => latestRun(recording, earlier, parts)),
      once: (parts, run, how) => this.runOnce(parts, run, { ...earlier, ...how }),
      within: (work) => ledger.within(work),
      now: () => ledger.now(),
      clientId: () => recording.identity().clientId,
      clock: recording.clock,
      warn: recording.log.warn,
    };
  }

  /** Refuses new calls, waits for the running ones, then closes the connections. */
  close(): Promise<void> {
    return this.#shared.gate.close();
  }
}

const UNKNOWN = '(not fetched yet)';

/** For how long a bare `bids.submit` may be sent, ms. */
const SUBMIT_WITHIN_MS = 120_000;

/** Requests in one window that polls make at the most, where the quota has no limit. */
const MOST_POLLS = 600;

function sharedOf(
  options: ClientOptions & Partial<Pick<PartnerClientOptions, 'riskLimits' | 'partnerType'>>,
  particulars: Pick<CallDefaults, 'fill' | 'partnerType'>,
): Shared {
  const log = leveled(options.logger ?? consoleLogger, resolveLogLevel(options.logLevel));
  checkMethods('clock', options.clock, ['now', 'monotonic', 'after'], false);
  checkMethods('randomness', options.randomness, ['uuid', 'nonce', 'fraction'], false);
  const base = resolveBaseUrl(options.baseUrl);
  const clock = resolveClock(options.clock);
  const keys = resolveKeys(options.credentials, clock);
  const { transport, release } = resolveTransport(options, base.origin);
  const serverClock = createServerClock(clock);
  const environment = resolveEnvironment(options.environment);
  const { store, refusal, warning } = resolveStore(options.store, environment);
  if (warning !== undefined) log.warn(warning, () => ({ store: store.name }));
  const quota = resolveQuota(options, base.origin, clock, { departures: store.departures, warn: log.warn });
  const riskLimits = checkedRiskLimits(options.riskLimits);
  const ledger = new Ledger({
    store,
    account: resolveAccount(environment, options.account),
    clock,
    serverClock,
    keyRetentionMs: resolveKeyRetention(options.keyRetention),
    retentionMs: resolveRetention(options.retention),
  });
  const recording: Recording = {
    ledger,
    locks: new Locks(),
    identity: () => ({ origin: base.origin + base.prefix, clientId: keys.signer?.clientId ?? '' }),
    formerOrigins: resolveFormerOrigins(options.formerOrigins),
    clock,
    log,
    redact: (text) => redactorOf(keys.secrets)(text),
    refusal,
    submittedBid: (call) => {
      const placeBy = ledger.now() + SUBMIT_WITHIN_MS;
      return { ...bidIn(call), placeBy, allowUnresolved: false, confirm: false };
    },
    admit: (tx, key, bid) => heldBack(tx, { key, ...bid }, riskLimits, ledger.now()),
    reservations: new Map(),
  };
  return {
    recording,
    environment,
    riskLimits,
    // Half of the window stays for what a user waits for.
    spare: () => {
      const { limit, windowMs } = quota.state();
      return Math.min(limit / 2, MOST_POLLS) * (60_000 / windowMs);
    },
    parts: {
      transport,
      keys,
      quota,
      serverClock,
      retryBudget: { left: RETRY_BUDGET },
      cachedReplies: { count: 0 },
      headers: resolveHeaders(options.headers),
      clock,
      randomness: resolveRandomness(options.randomness),
      defaults: { ...base, ...particulars },
    },
    gate: new Gate(async () => {
      quota.release();
      await release();
      await ledger.pruned();
      await store.close();
    }),
  };
}

const overridable = ['timeout', 'deadline', 'maxAttempts', 'maxReplyBytes', 'logger', 'logLevel'];

/** Under which the options of a derived client carry the insides that it shares; no caller can name it. */
const insidesKey = Symbol('insides');

/** The options of a client like this one, but for what `overrides` change. @throws ConfigurationError */
export function derivedOptions<Options extends OverridableOptions>(
  options: Options,
  overrides: OverridableOptions,
  insides: Composition,
): Options {
  if (typeof overrides !== 'object' || overrides === null) {
    throw new ConfigurationError('options', 'must be an object');
  }
  for (const key of Object.keys(overrides)) {
    if (!overridable.includes(key)) {
      const problem = `can't be changed by withOptions(), only ${overridable.join(', ')}; make a new client`;
      throw new ConfigurationError(key, problem);
    }
  }
  const given = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));
  const all: Options = { ...options, ...given };
  return Object.assign(all, { [insidesKey]: insides.with(all) });
}

/** The insides that options of a derived client carry. */
export function derivedInsides(options: object): Composition | undefined {
  const insides: unknown = Reflect.get(options, insidesKey);
  return insides instanceof Composition ? insides : undefined;
}

/** Knows what is under way, and lets nothing in once it is closing. */
class Gate {
  /** A count, because a Set of what is under way would keep replies alive long after their calls. */
  #underWay = 0;
  #onIdle: (() => void) | undefined;
  readonly #release: () => Promise<void>;
  readonly #ending = new AbortController();
  #closing: Promise<void> | undefined;

  /** @param release lets go of what the calls used, once the last one has ended */
  constructor(release: () => Promise<void>) {
    this.#release = release;
  }

  /** A caller whose calls pass through this gate. */
  guard(inner: Call): Caller {
    // Awaited here, so that a rejection nobody handles is reported as such, and stacks reach back to the caller's line.
    return callerOf(async <T>(...[route, input, options]: Parameters<Call>): Promise<T> => {
      if (this.#closing !== undefined) throw closedError(contextOf(route));
      this.#underWay += 1;
      try {
        return await inner<T>(route, input, options);
      } catch (error) {
        throw withCallersFrames(error);
      } finally {
        this.#underWay -= 1;
        if (this.#underWay === 0) this.#onIdle?.();
      }
    });
  }

  /** Work of several calls, which count as one here: those inside must not pass through the gate themselves. */
  readonly during = async <T>(call: string, work: () => Promise<T>): Promise<T> => {
    if (this.#closing !== undefined) throw closedError({ call, operation: call });
    this.#underWay += 1;
    try {
      return await work();
    } catch (error) {
      throw withCallersFrames(error);
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#onIdle?.();
    }
  };

  /** Fires when closing begins: what polls ends by itself then. */
  get closing(): AbortSignal {
    return this.#ending.signal;
  }

  close(): Promise<void> {
    this.#closing ??= this.#idle().then(this.#release);
    this.#ending.abort();
    return this.#closing;
  }

  async #idle(): Promise<void> {
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }
}

/** The frames that the engine keeps end inside a bid; those of the caller are added. */
function withCallersFrames(error: unknown): unknown {
  if (!(error instanceof VehicleAuctionError)) return error;
  const { stack } = error;
  if (stack === undefined || framed.has(error)) return error;
  framed.add(error);
  const known = new Set(stack.split('\n'));
  const [, ...frames] = (new Error().stack ?? '').split('\n');
  error.stack = [stack, ...frames.filter((frame) => !known.has(frame))].join('\n');
  return error;
}

/** A journal that has stopped throws the same error again and again. */
const framed = new WeakSet<VehicleAuctionError>();

function closedError(context: CallContext): AbortedError {
  return new AbortedError({
    ...context,
    reason: 'closed',
    outcome: 'not_sent',
    what: 'The client is closed. Nothing was sent.',
    nextStep: 'Make a new client to call again.',
  });
}
