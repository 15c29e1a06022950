import { API_PREFIX } from '../api/formats.js';
import type { ApprovalPorts } from '../approvals/approvals.js';
import { LotReader } from '../bids/lot-reader.js';
import type { BidPorts } from '../bids/ports.js';
import { bidIn, checkedRiskLimits, heldBack } from '../bids/prepare.js';
import { bidOutcome, readClaimed, settleFound } from '../bids/settle.js';
import type { RiskLimits } from '../bids/types.js';
import { createServerClock, type ServerTime, serverTimeOf } from '../clock/clock.js';
import { type CallParts, createPipeline } from '../core/call.js';
import { type Observation, observing } from '../core/observe.js';
import { type ClientRecording, recordingOf } from '../core/recorder/flight-recorder.js';
import { redactorOf } from '../core/redact.js';
import type { CallDefaults } from '../core/request/prepare.js';
import { type RawRequest, rawCall } from '../core/request/raw.js';
import { RETRY_BUDGET } from '../core/retry.js';
import { chooseTransport, headersWith } from '../core/transport/options.js';
import { ConfigurationError } from '../errors/local.js';
import type { OwnPhotoPorts } from '../files/photos.js';
import type { ServiceAddress } from '../files/service-url.js';
import type { CursorStore } from '../following/follow.js';
import type { Pace } from '../following/pace.js';
import type { LotWatch } from '../following/watch.js';
import { PartnerBids } from '../generated/bids.js';
import { Events } from '../generated/events.js';
import { PartnerLots } from '../generated/lots.js';
import { Releases } from '../generated/releases.js';
import { recordedCaller, serverTimeFor } from '../intents/caller.js';
import type { CommandParts } from '../intents/commands.js';
import { textIn } from '../intents/content.js';
import { Ledger, Locks } from '../intents/ledger.js';
import type { Recording } from '../intents/recording.js';
import { checkedParts, type EarlierRun, latestRun, runOnce } from '../intents/run-once.js';
import { World } from '../intents/world.js';
import { callerOf } from '../paging/caller.js';
import type { Caller, MutationOptions } from '../ports/caller.js';
import { isIdle, joinQuota, pollsPerMinute, type QuotaMonitor } from '../quota/options.js';
import type { QuotaShare } from '../quota/share.js';
import { clockWith, randomnessWith } from '../runtime/injected.js';
import { accountOf, chooseStore, keyRetentionOf, retentionOf } from '../store/options.js';
import { httpAllowed, resolveBaseUrl, resolveFormerOrigins } from './base-url.js';
import { settingsFor } from './deployment-profile.js';
import { refuseEndedRelease } from './ended-release.js';
import { resolveKeys } from './keyring.js';
import { type CloseOptions, Lifecycle } from './lifecycle.js';
import { type ClientMetrics, FollowerLog, OutcomeCounter, unresolvedIn } from './metrics.js';
import type { ClientOptions, PartnerClientOptions } from './options.js';
import { type OwnSettings, settingsOf } from './overridable.js';
import { settleRecorded } from './recovery.js';
import { VERSION } from './version.js';

/** Shared by all clients derived from one: connections, keys, quota, store, clock, and its lifecycle. */
interface Shared {
  readonly parts: Omit<CallParts, keyof OwnSettings | 'quota' | 'closing'>;
  readonly quota: QuotaShare;
  readonly recording: Omit<Recording, 'log' | 'hooks' | 'settleClaim'>;
  readonly riskLimits: RiskLimits;
  /** Maximum number of lots in one A11. */
  readonly statusBatchSize: number;
  readonly isVolatile: boolean;
  readonly lifecycle: Lifecycle;
  readonly outcomes: OutcomeCounter;
  readonly followers: FollowerLog;
  readonly watches: Set<Pick<LotWatch, 'state'>>;
  /** Absent without a flight recorder. */
  readonly flight: ClientRecording | undefined;
}

/** Options of either client. */
type AnyOptions = ClientOptions & Partial<Pick<PartnerClientOptions, 'riskLimits'>>;

/** A client's internals: each port that its resources and helpers use, built once. */
export class Internals {
  readonly call: Caller;
  /** For commands and their recovery. */
  readonly commands: CommandParts;
  /** For bids and their recovery. */
  readonly bidding: BidPorts;
  /** For waits, followers and watches. */
  readonly pace: Pace;
  /** For followers: where they keep their positions. */
  readonly cursors: CursorStore;
  readonly quota: QuotaMonitor;
  readonly serverTime: ServerTime;
  readonly address: ServiceAddress;
  /** For photos. */
  readonly photos: OwnPhotoPorts;
  readonly #shared: Shared;
  readonly #earlier: EarlierRun;

  private constructor(shared: Shared, own: OwnSettings) {
    this.#shared = shared;
    const { parts, riskLimits, statusBatchSize, lifecycle } = shared;
    const { limits, log } = own;
    const counted = shared.outcomes.with(own.hooks);
    const hooks = shared.flight?.with(counted) ?? counted;
    const { clock, serverClock, randomness } = parts;
    const { ledger } = shared.recording;
    const quota = observedQuota(shared.quota.warning(log.warn), lifecycle.observation);
    const pipelineFor = (closing: CallParts['closing']) =>
      createPipeline({ ...parts, ...own, hooks, quota, closing, observation: lifecycle.observation });
    const pipeline = pipelineFor(lifecycle.closing);
    const recording: Recording = {
      ...shared.recording,
      log,
      hooks,
      settleClaim: async (intent, options) => (await readClaimed(this.bidding, intent, options)).intent,
    };
    // Lookups of a bid that was sent go on while the client closes.
    const settling = callerOf(
      recordedCaller(pipelineFor(lifecycle.closingOnceSent), recording, limits.deadline),
    );
    const lots = new PartnerLots(settling);
    this.call = callerOf(lifecycle.guard(recordedCaller(pipeline, recording, limits.deadline)));
    this.commands = { pipeline, recording, limits, address: parts.defaults };
    this.bidding = {
      ...this.commands,
      bids: new PartnerBids(settling),
      lots,
      lotReader: new LotReader({ lots, recording, limits, statusBatchSize }),
      events: new Events(settling),
      quota,
      riskLimits,
      statusBatchSize,
      during: lifecycle.during,
    };
    this.pace = {
      clock,
      randomness,
      deadline: limits.deadline,
      now: () => serverClock.time() ?? clock.now(),
      spare: () => pollsPerMinute(quota.state()),
      isIdle: () => isIdle(quota.state()),
      closing: lifecycle.begun,
      over: lifecycle.over,
      observation: lifecycle.observation,
      followed: (read) => shared.followers.note(read),
      watches: shared.watches,
      during: lifecycle.hosting,
      warn: log.warn,
    };
    this.cursors = {
      within: (work) => ledger.within(({ cursors }) => work(cursors)),
      process: ledger.store.process,
      isVolatile: shared.isVolatile,
    };
    this.quota = { state: () => quota.state() };
    this.serverTime = serverTimeOf(parts);
    this.address = parts.defaults;
    this.photos = {
      clock,
      closing: lifecycle.begun,
      warn: log.warn,
      isIdle: () => isIdle(quota.state()),
      account: async () => {
        const { clientId } = parts.keys.signer ?? (await parts.keys.fetch());
        return `${parts.defaults.origin}${parts.defaults.prefix} ${clientId}`;
      },
    };
    this.#earlier = {
      settle: async (intent) => {
        if (intent.content.bid === undefined) return settleRecorded(this.commands, intent, {}, true);
        await settleFound(this.bidding, intent, {}, { force: true });
        return (await ledger.read(intent.key)) ?? intent;
      },
      outcomeOf: (intent) => bidOutcome(this.bidding, intent),
      stillHolds: (intent, value) =>
        refuseEndedRelease(intent, value, { releases: new Releases(this.call), warn: log.warn }),
    };
  }

  /** Puts a client together from its options. @throws ConfigurationError for options that can't work. */
  static of(options: AnyOptions, defaults: Pick<CallDefaults, 'fill' | 'partnerType'>): Internals {
    const own = settingsOf(options);
    const shared = derived.get(options);
    return new Internals(shared ?? sharedOf(options, defaults, own), own);
  }

  /** The same options, for a client that shares its internals with this one. */
  derive<Options extends ClientOptions>(options: Options): Options {
    derived.set(options, this.#shared);
    return options;
  }

  /** The address and the ids of the client. It holds no secret. */
  get shown(): { readonly baseUrl: string; readonly clientId: string; readonly keyId: string } {
    const { origin, prefix } = this.address;
    const { clientId = UNKNOWN, keyId = UNKNOWN } = this.#shared.parts.keys.signer ?? {};
    return { baseUrl: origin + prefix + API_PREFIX, clientId, keyId };
  }

  get deadlineMs(): number {
    return this.commands.limits.deadline;
  }

  /** Signs and sends any request. */
  async request(request: RawRequest, options?: MutationOptions): Promise<unknown> {
    const { route, input } = rawCall(request, 'raw');
    return this.call(route, input, options);
  }

  /** Runs a function at most once with effect. */
  runOnce<T>(
    parts: readonly string[],
    run: (idempotencyKey: string) => Promise<T>,
    how: Pick<EarlierRun, 'mayFollow' | 'audit'> = {},
  ): Promise<T> {
    const { pipeline, recording } = this.commands;
    return this.#shared.lifecycle.hosting('runOnce', async () => {
      const named = checkedParts(parts, run);
      const context = { call: 'runOnce', operation: 'runOnce' };
      await serverTimeFor(pipeline, recording, { deadlineMs: this.deadlineMs }, context);
      return runOnce(recording, { ...this.#earlier, ...how }, named, run);
    });
  }

  /** For decisions on sales. */
  approvals(sales: ApprovalPorts['sales']): ApprovalPorts {
    const { recording } = this.commands;
    const { ledger } = recording;
    const { during, hosting } = this.#shared.lifecycle;
    return {
      sales,
      hosting,
      latest: (parts) => during('approvals', () => latestRun(recording, this.#earlier, parts)),
      once: (parts, run, how) => this.runOnce(parts, run, how),
      within: (work) => ledger.within(work),
      now: () => ledger.now(),
      clientId: () => recording.identity().clientId,
      clock: recording.clock,
      warn: recording.log.warn,
    };
  }

  async metrics(): Promise<ClientMetrics> {
    const { parts, recording, outcomes, followers, watches } = this.#shared;
    return {
      at: recording.ledger.now(),
      outcomes: outcomes.counts,
      unresolved: await unresolvedIn(recording.ledger),
      quota: this.quota.state(),
      clock: this.serverTime.offset(),
      followers: followers.states,
      watches: [...watches].map((watch) => watch.state()),
      tolerated: [...parts.tolerated],
    };
  }

  observe(observation: Observation): void {
    Object.assign(this.#shared.lifecycle.observation, observation);
  }

  close(options?: CloseOptions): Promise<void> {
    return this.#shared.lifecycle.close(options);
  }
}

/** The same share of the quota, with observed waits. */
function observedQuota(quota: QuotaShare, observation: Observation): QuotaShare {
  return {
    ...quota,
    permit: (lane, signal, turn) =>
      observing(observation, { kind: 'queue', name: 'quota.wait', lane }, () =>
        quota.permit(lane, signal, turn),
      ),
  };
}

/** The shared internals of a derived client, by its options. */
const derived = new WeakMap<object, Shared>();

const UNKNOWN = '(not fetched yet)';

/** A bare `bids.submit` may be sent for this time, ms. */
const SUBMIT_WITHIN_MS = 120_000;

function sharedOf(
  options: AnyOptions,
  defaults: Pick<CallDefaults, 'fill' | 'partnerType'>,
  { log }: OwnSettings,
): Shared {
  const isHttpAllowed = httpAllowed(options.insecureHttp, options.environment);
  const base = resolveBaseUrl(options.baseUrl, isHttpAllowed);
  const clock = clockWith(options.clock);
  const keys = resolveKeys(options.credentials, clock);
  const randomness = randomnessWith(options.randomness);
  const { transport, release } = chooseTransport(options, base.origin);
  const flight = recordingOf(options.flightRecorder, { clock, secrets: () => keys.secrets });
  const serverClock = createServerClock(clock);
  const environment = resolveEnvironment(options.environment);
  const { store, refusal, warning } = chooseStore(options.store, environment);
  if (warning !== undefined) log.warn(warning, () => ({ store: store.name }));
  const quota = joinQuota(options.quota, {
    origin: base.origin,
    clock,
    hasOwnTime: options.clock?.monotonic !== undefined || options.clock?.after !== undefined,
    placesBids: defaults.partnerType !== undefined,
    departures: store.departures,
    warn: log.warn,
  });
  const riskLimits = checkedRiskLimits(options.riskLimits);
  const learned = settingsFor(options.profile, base.origin + base.prefix + API_PREFIX);
  const lifecycle = new Lifecycle(clock, closeAll, log.warn);
  const ledger = new Ledger({
    store,
    account: accountOf(environment, options.account),
    clock,
    serverClock,
    keyRetentionMs: keyRetentionOf(options.keyRetention ?? learned.keyRetention),
    retentionMs: retentionOf(options.retention),
    auditRetentionMs: retentionOf(options.auditRetention ?? Number.POSITIVE_INFINITY, 'auditRetention'),
    observation: lifecycle.observation,
  });
  const { partnerType, fill } = defaults;
  const settings = {
    actor: partnerType === undefined ? 'bank' : 'partner',
    environment,
    partnerType,
    dealerId: textIn(fill, 'dealer_id'),
  } as const;
  const world = new World(settings, () => keys.signer?.clientId ?? '', clock);
  return {
    riskLimits,
    statusBatchSize: learned.statusBatchSize,
    quota,
    lifecycle,
    outcomes: new OutcomeCounter(),
    followers: new FollowerLog(clock),
    watches: new Set(),
    flight,
    isVolatile: environment === 'production' && !store.durable,
    recording: {
      ledger,
      locks: new Locks(),
      identity: () => ({ origin: base.origin + base.prefix, clientId: keys.signer?.clientId ?? '' }),
      formerOrigins: resolveFormerOrigins(options.formerOrigins, isHttpAllowed),
      clock,
      closing: lifecycle.closing,
      world,
      redact: (text) => redactorOf(keys.secrets)(text),
      refusal,
      submittedBid: (call) => {
        const placeBy = (now: number) => now + SUBMIT_WITHIN_MS;
        return { ...bidIn(call), placeBy, allowUnresolved: false, confirm: false };
      },
      admit: (tx, key, bid) => heldBack(tx, { key, ...bid }, riskLimits, ledger.now()),
      reservations: new Map(),
    },
    parts: {
      transport: flight?.over(transport) ?? transport,
      keys,
      serverClock,
      retryBudget: { left: RETRY_BUDGET },
      cachedReplies: { count: 0 },
      tolerated: new Set(),
      headers: headersWith(options.headers, `vehicle-auction-sdk/${VERSION}`),
      clock,
      randomness,
      defaults: { ...base, ...defaults },
    },
  };

  async function closeAll(): Promise<void> {
    quota.release();
    try {
      await release();
    } finally {
      await ledger.pruned();
      await store.close();
    }
  }
}

const environments = ['sandbox', 'production'] as const;

function resolveEnvironment(given: unknown): (typeof environments)[number] {
  const environment = environments.find((known) => known === given);
  if (environment !== undefined) return environment;
  throw new ConfigurationError('environment', 'must be "sandbox" or "production"', { given });
}
