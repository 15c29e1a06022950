import { type CallLimits, defaultLimits, limitIssues } from '../core/limits.js';
import { ConfigurationError } from '../errors/local.js';
import type { Journal } from '../intents/journal.js';
import { memoryJournal } from '../intents/memory-journal.js';
import type { Clock } from '../ports/clock.js';
import type { LogLevel } from '../ports/logger.js';
import type { Randomness } from '../ports/randomness.js';
import { type BaseUrl, parseBaseUrl } from './base-url.js';
import { fromEnvironment, type Variable, variable } from './environment.js';
import { fetchedKeyring, fixedKeyring, type Keyring } from './keyring.js';
import type { Credentials, CredentialsSource, OverridableOptions } from './options.js';
import { systemClock, systemRandomness } from './system.js';

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
  'journal',
  'horizon',
  'quota',
  'proxy',
  'ca',
  'clock',
  'randomness',
];

/** Refuses what is no option: a misspelt one would silently be the default. */
export function checkOptions(options: unknown, further: readonly string[] = []): void {
  if (typeof options !== 'object' || options === null)
    throw new ConfigurationError('options', 'must be an object');
  const known = [...clientOptions, ...further];
  for (const key of Object.keys(options)) {
    if (!known.includes(key))
      throw new ConfigurationError(key, `is not an option; known options: ${known.join(', ')}`);
  }
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
export function resolveKeyring(given: Credentials | CredentialsSource | undefined): Keyring {
  if (typeof given === 'function') return fetchedKeyring(given);
  if (given !== undefined) {
    if (typeof given === 'object' && given !== null) return fixedKeyring(given);
    throw new ConfigurationError(
      'credentials',
      'must be an object with clientId, keyId and signingSecret, or a function that gives one',
    );
  }
  const clientId = fromEnvironment('CLIENT_ID');
  const keyId = fromEnvironment('KEY_ID');
  const signingSecret = fromEnvironment('SIGNING_SECRET');
  if (clientId !== undefined && keyId !== undefined && signingSecret !== undefined) {
    return fixedKeyring({ clientId, keyId, signingSecret });
  }
  // All that are missing at once, for they are set together.
  const unset = (['CLIENT_ID', 'KEY_ID', 'SIGNING_SECRET'] as const).filter(
    (name) => fromEnvironment(name) === undefined,
  );
  throw missing('credentials', ...unset);
}

export function resolveLimits(options: OverridableOptions): CallLimits {
  const limits = {
    timeout: options.timeout ?? defaultLimits.timeout,
    deadline: options.deadline ?? Math.max(defaultLimits.deadline, options.timeout ?? 0),
    maxAttempts: options.maxAttempts ?? defaultLimits.maxAttempts,
  };
  for (const { path, message } of limitIssues(limits)) throw new ConfigurationError(path, message);
  return limits;
}

export function resolveMaxReplyBytes(given: number | undefined): number {
  const value = given ?? 16 * 1024 * 1024;
  if (!(Number.isInteger(value) && value > 0)) {
    throw new ConfigurationError('maxReplyBytes', 'must be a whole number of bytes above zero');
  }
  return value;
}

/** How long the service is trusted to remember a key: not shown, so no longer than most do. */
const HORIZON_MS = 3_600_000;

export function resolveHorizon(given: number | undefined): number {
  const value = given ?? HORIZON_MS;
  if (!(Number.isFinite(value) && value > 0)) {
    throw new ConfigurationError('horizon', 'must be a positive number of milliseconds');
  }
  return value;
}

const journalMethods = ['create', 'append', 'claim', 'claimOpen', 'release', 'read', 'find', 'list', 'close'];

export function resolveJournal(given: Journal | undefined, clock: Clock): Journal {
  if (typeof given === 'string') {
    throw new ConfigurationError(
      'journal',
      'must be a journal, such as fileJournal(path); a path alone is none',
    );
  }
  checkMethods('journal', given, journalMethods, true);
  return given ?? memoryJournal({ now: () => clock.monotonic() });
}

const levels: readonly LogLevel[] = ['off', 'error', 'warn', 'info', 'debug'];

export function resolveLogLevel(given: LogLevel | undefined): LogLevel {
  const level = given ?? 'warn';
  if (!levels.includes(level))
    throw new ConfigurationError('logLevel', `must be one of ${levels.join(', ')}`);
  return level;
}

/** The machine's clock, with whatever members are injected. */
export function resolveClock(given: Partial<Clock> = {}): Clock {
  return {
    now: given.now?.bind(given) ?? systemClock.now,
    monotonic: given.monotonic?.bind(given) ?? systemClock.monotonic,
    after: given.after?.bind(given) ?? systemClock.after,
  };
}

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
