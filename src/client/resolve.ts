import { API_PREFIX } from '../api/formats.js';
import type { PartnerType } from '../api/operation.js';
import type { Keys } from '../core/call.js';
import type { CallLimits } from '../core/caller.js';
import { defaultLimits, limitIssues } from '../core/caller.js';
import { logLevels } from '../core/telemetry.js';
import { checkNames } from '../core/transport/tls.js';
import type { Transport } from '../core/transport/transport.js';
import { undiciTransport } from '../core/transport/undici.js';
import { ConfigurationError } from '../errors/local.js';
import type { Clock } from '../ports/clock.js';
import type { LogLevel } from '../ports/logger.js';
import type { Randomness } from '../ports/randomness.js';
import { defaultQuota, defaultReserve, type QuotaSettings, quotaIssues } from '../quota/lanes.js';
import { PacedQuota, type QuotaMember, type QuotaShare, type QuotaState } from '../quota/quota.js';
import { sharedQuota } from '../quota/shared-quota.js';
import { systemClock } from '../runtime/timers.js';
import { memoryStore } from '../store/memory.js';
import { thisProcess } from '../store/owner.js';
import type { Store } from '../store/store.js';
import { FetchedKeys, fixedKeys } from './keyring.js';
import type {
  ClientOptions,
  Credentials,
  CredentialsSource,
  OverridableOptions,
  QuotaOptions,
} from './options.js';
import { VERSION } from './version.js';

export function resolveBaseUrl(given: string | undefined): BaseUrl {
  const value = given ?? fromEnvironment('BASE_URL');
  if (value === undefined) throw missing('baseUrl', 'BASE_URL');
  return parseBaseUrl(value);
}

const clientOptions = [
  'baseUrl',
  'environment',
  'credentials',
  'timeout',
  'deadline',
  'maxAttempts',
  'maxReplyBytes',
  'logger',
  'logLevel',
  'transport',
  'store',
  'account',
  'formerOrigins',
  'keyRetention',
  'retention',
  'quota',
  'proxy',
  'tls',
  'dispatcher',
  'headers',
  'clock',
  'randomness',
];

/** Refuses what is no option: a misspelt one would silently be the default. */
export function checkOptions(options: unknown, further: readonly string[] = []): void {
  checkNames('', options, [...clientOptions, ...further]);
}

/** Refuses an injected object that lacks a method, before a call finds out. */
export function checkMethods(option: string, given: unknown, methods: readonly string[], all: boolean): void {
  if (given === undefined) return;
  if (typeof given !== 'object' || given === null) throw new ConfigurationError(option, 'must be an object');
  for (const method of methods) {
    const found: unknown = Reflect.get(given, method);
    if (typeof found !== 'function' && (all || found !== undefined)) {
      throw new ConfigurationError(
        option,
        `must have ${all ? 'the methods' : 'any of the methods'} ${methods.join(', ')}`,
      );
    }
  }
}

/** Credentials come whole from the options or whole from the environment: a mixture would sign with a stranger's key. */
export function resolveKeys(given: Credentials | CredentialsSource | undefined, clock: Clock): Keys {
  if (typeof given === 'function') return new FetchedKeys(given, clock);
  if (given !== undefined) {
    if (typeof given === 'object' && given !== null) return fixedKeys(given);
    throw new ConfigurationError(
      'credentials',
      'must be an object with clientId, keyId and signingSecret (or sign), or a function that gives one',
    );
  }
  const [clientId = '', keyId = '', signingSecret = ''] = credentialVariables.map(fromEnvironment);
  // All that are missing at once, for they are set together.
  const unset = credentialVariables.filter((name) => fromEnvironment(name) === undefined);
  if (unset.length > 0) throw missing('credentials', ...unset);
  return fixedKeys({ clientId, keyId, signingSecret });
}

const credentialVariables = ['CLIENT_ID', 'KEY_ID', 'SIGNING_SECRET'] as const;

export function resolveLimits(options: OverridableOptions): CallLimits {
  const limits = {
    timeout: options.timeout ?? defaultLimits.timeout,
    deadline: options.deadline ?? Math.max(defaultLimits.deadline, options.timeout ?? 0),
    maxAttempts: options.maxAttempts ?? defaultLimits.maxAttempts,
  };
  for (const { path, message } of limitIssues(limits)) throw new ConfigurationError(path, message);
  return limits;
}

export function resolveMaxReplyBytes(bytes = 16 * 1024 * 1024): number {
  if (Number.isInteger(bytes) && bytes > 0) return bytes;
  throw new ConfigurationError('maxReplyBytes', 'must be a whole number of bytes above zero');
}

const environments = ['sandbox', 'production'] as const;

export function resolveEnvironment(given: unknown): (typeof environments)[number] {
  const environment = environments.find((known) => known === given);
  if (environment !== undefined) return environment;
  const found = typeof given === 'string' ? `, not "${given}"` : '';
  throw new ConfigurationError('environment', `must be "sandbox" or "production"${found}`);
}

/** Environment and label, as one name: what the store keeps apart. */
export function resolveAccount(environment: string, label: unknown): string {
  if (label === undefined) return environment;
  if (typeof label === 'string' && /^[\w.-]{1,60}$/.test(label)) return `${environment}/${label}`;
  throw new ConfigurationError('account', 'must be 1 to 60 letters, digits, ".", "_" or "-"');
}

export function resolveFormerOrigins(given: unknown): readonly string[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) throw new ConfigurationError('formerOrigins', 'must be a list of base URLs');
  return given.map((url) => {
    const { origin, prefix } = parseBaseUrl(url);
    return origin + prefix;
  });
}

/** For how long the service is trusted to remember a key: undocumented, so no longer than most do. */
const KEY_RETENTION_MS = 3_600_000;

/** A copy of an attempt can arrive for five minutes: retention must be longer than that to be of any use. */
const LEAST_KEY_RETENTION_MS = 600_000;

export function resolveKeyRetention(ms = KEY_RETENTION_MS): number {
  if (Number.isFinite(ms) && ms >= LEAST_KEY_RETENTION_MS) return ms;
  throw new ConfigurationError('keyRetention', `must be at least ${LEAST_KEY_RETENTION_MS} milliseconds`);
}

const RETENTION_MS = 30 * 24 * 3_600_000;

export function resolveRetention(ms = RETENTION_MS): number {
  // Shorter, and a batch that is run again the next day would not find what it did.
  if (ms >= 24 * 3_600_000) return ms;
  throw new ConfigurationError('retention', 'must be at least a day, in milliseconds');
}

/** The store of a client, and why writes are refused without one. */
export function resolveStore(
  given: Store | undefined,
  environment: string,
): { readonly store: Store; readonly refusal?: string; readonly warning?: string } {
  if (typeof given === 'string') {
    throw new ConfigurationError('store', 'must be a store, such as sqliteStore(path); a path alone is none');
  }
  checkMethods('store', given, ['transaction', 'close'], true);
  if (given === undefined) {
    const store = memoryStore();
    if (environment === 'sandbox') return { store };
    return {
      store,
      refusal:
        'is required to write in production, such as sqliteStore("./auction.db"): what is sent must be on record',
    };
  }
  if (given.durable || environment === 'sandbox') return { store: given };
  return {
    store: given,
    warning: 'The store is in memory: a crash loses what is known of bids and commands',
  };
}

export function resolveLogLevel(level: LogLevel = 'warn'): LogLevel {
  if (logLevels.includes(level)) return level;
  throw new ConfigurationError('logLevel', `must be one of ${logLevels.join(', ')}`);
}

/** The machine's clock, with whatever members are injected. */
export function resolveClock(given: Partial<Clock> = {}): Clock {
  return {
    now: given.now?.bind(given) ?? systemClock.now,
    monotonic: given.monotonic?.bind(given) ?? systemClock.monotonic,
    after: given.after?.bind(given) ?? systemClock.after,
  };
}

/** The machine's own randomness. A UUID v4 has 122 random bits, and its text is a legal nonce. */
const randomUuid = () => crypto.randomUUID();
const systemRandomness: Randomness = { uuid: randomUuid, nonce: randomUuid, fraction: Math.random };

/** The machine's randomness, with whatever members are injected. */
export function resolveRandomness(given: Partial<Randomness> = {}): Randomness {
  return {
    uuid: given.uuid?.bind(given) ?? systemRandomness.uuid,
    nonce: given.nonce?.bind(given) ?? systemRandomness.nonce,
    fraction: given.fraction?.bind(given) ?? systemRandomness.fraction,
  };
}

function missing(option: string, ...names: readonly Variable[]): ConfigurationError {
  const variables = names.map(variable).join(' and ');
  return new ConfigurationError(option, `must be given, or ${variables} be set in the environment`);
}

const PREFIX = 'VEHICLE_AUCTION_';

/** Environment variables that options may be read from, without `VEHICLE_AUCTION_`. */
export type Variable = 'BASE_URL' | 'CLIENT_ID' | 'KEY_ID' | 'SIGNING_SECRET' | 'DEALER_ID';

/** An option from the environment; an empty variable counts as unset. */
export function fromEnvironment(name: Variable): string | undefined {
  const value = globalThis.process?.env[PREFIX + name];
  return value === '' ? undefined : value;
}

/** The whole name of a variable, for messages. */
export function variable(name: Variable): string {
  return PREFIX + name;
}

/** The request quota of a client. */
export interface QuotaMonitor {
  /** The quota as it is now. Reading it sends nothing and waits for nothing. */
  state(): QuotaState;
}

/** The request budget of a client, shared unless its options say otherwise. @throws ConfigurationError */
export function resolveQuota(
  options: Pick<ClientOptions, 'quota' | 'clock'> & { readonly partnerType?: PartnerType | undefined },
  origin: string,
  clock: Clock,
  member: Omit<QuotaMember, 'settings'> = {},
): QuotaShare {
  const { scope = 'origin', ...given } = checked(options.quota);
  const limit = given.limit ?? defaultQuota.limit;
  const settings: QuotaSettings = {
    limit,
    reserve: given.reserve ?? (options.partnerType === undefined ? 0 : defaultReserve(limit)),
    windowMs: given.windowMs ?? defaultQuota.windowMs,
    marginMs: given.marginMs ?? defaultQuota.marginMs,
  };
  for (const { path, message } of quotaIssues(settings))
    throw new ConfigurationError(`quota.${path}`, message);
  const parts = { clock, scope: origin, process: thisProcess().id, random: Math.random };
  // Two clocks can't pace one window.
  const ownTime = options.clock?.monotonic !== undefined || options.clock?.after !== undefined;
  if (scope === 'client' || ownTime) return new PacedQuota(parts).join({ settings, warn: member.warn });
  return sharedQuota(parts, { ...member, settings });
}

function checked(quota: QuotaOptions | undefined): QuotaOptions {
  if (quota === undefined) return {};
  checkNames('quota', quota, ['limit', 'reserve', 'windowMs', 'marginMs', 'scope']);
  if (quota.scope !== undefined && quota.scope !== 'origin' && quota.scope !== 'client') {
    throw new ConfigurationError('quota.scope', 'must be "origin" or "client"');
  }
  return quota;
}

export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** What precedes `/api/v1`: empty, or a front-controller segment such as `/index.php`. */
  readonly prefix: string;
}

/** @throws ConfigurationError for anything but an https URL (http on loopback) that ends in `/api/v1`. */
export function parseBaseUrl(value: unknown): BaseUrl {
  if (typeof value === 'string' && value !== value.trim())
    throw refusedUrl('must not begin or end with white space');
  // Parsers forgive backslashes, tabs and a third slash; what they make of them need not be what was meant.
  const plain = typeof value === 'string' && /^https?:\/\/[^/\\\s\p{Cc}][^\\\s\p{Cc}]*$/iu.test(value);
  const url = plain && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined) throw refusedUrl('must be an absolute URL such as https://bank.example/api/v1');
  if (url.username !== '' || url.password !== '') throw refusedUrl('must not hold a user name or password');
  if (url.search !== '' || url.hash !== '' || String(value).includes('?') || String(value).includes('#')) {
    throw refusedUrl('must not hold a query or a fragment');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw refusedUrl('must be https: the service refuses plain http, and only loopback is excepted');
  }
  const path = url.pathname.replace(/\/$/, '');
  if (!path.endsWith(API_PREFIX)) {
    throw refusedUrl(
      `must end in ${API_PREFIX}, as in ${url.origin}${path.replace(/\/api(\/v\d+)?$/, '')}${API_PREFIX}`,
    );
  }
  if (path.includes('%') || path.includes('//')) throw refusedUrl('must not hold "%" or "//" in its path');
  return { origin: url.origin, prefix: path.slice(0, -API_PREFIX.length) };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function refusedUrl(problem: string): ConfigurationError {
  return new ConfigurationError('baseUrl', problem);
}

/** The transport of a client, and how it is released: an injected one is not ours to close. */
export function resolveTransport(
  { transport, proxy: given, tls, dispatcher }: ClientOptions,
  origin: string,
): {
  readonly transport: Transport;
  release(): Promise<void>;
} {
  // Plain http is allowed because loopback never leaves the machine; through a proxy the signatures would.
  const plain = origin.startsWith('http:');
  if (plain && given !== undefined && given !== 'env') {
    throw new ConfigurationError('proxy', 'must be left out where the base URL is plain http');
  }
  const proxy = plain ? undefined : given;
  if (transport === undefined) {
    const own = undiciTransport({ proxy, tls, dispatcher });
    return { transport: own, release: () => own.close() };
  }
  if (typeof transport === 'function') {
    throw new ConfigurationError('transport', 'must be a transport: wrap a fetch as fetchTransport(fetch)');
  }
  checkMethods('transport', transport, ['send', 'close'], true);
  for (const [option, value] of Object.entries({ proxy: given, tls, dispatcher })) {
    if (value !== undefined) {
      throw new ConfigurationError(
        option,
        'must not be given together with transport, which would ignore it',
      );
    }
  }
  return { transport, release: async () => undefined };
}

/** What the SDK sends itself, or the connection does. */
const reserved =
  /^(x-(client-id|key-id|timestamp|nonce|content-sha256|signature)|idempotency-key|accept|accept-encoding|cache-control|content-(type|length|encoding)|host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/;

/** Headers of every request: the user agent, and those that the options add. @throws ConfigurationError */
export function resolveHeaders(given: unknown): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { 'user-agent': `vehicle-auction-sdk/${VERSION}` };
  if (given === undefined) return headers;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ConfigurationError('headers', 'must be an object of header names and values');
  }
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(lower)) {
      throw new ConfigurationError('headers', `must have header names; ${JSON.stringify(name)} is none`);
    }
    if (reserved.test(lower))
      throw new ConfigurationError(`headers.${name}`, 'is set by the SDK and cannot be changed');
    if (typeof value !== 'string' || !/^[\t\x20-\x7e]*$/.test(value)) {
      throw new ConfigurationError(`headers.${name}`, 'must be text of printable ASCII characters');
    }
    headers[lower] = value;
  }
  return headers;
}
