import { unknownName } from '../api/nearest.js';
import { ConfigurationError, InvalidRequestError } from '../errors/local.js';
import type { Clock } from '../ports/clock.js';
import type { Randomness } from '../ports/randomness.js';
import { systemClock } from './timers.js';

/** Refuses unknown options: a misspelt one would silently be the default. @throws ConfigurationError */
export function checkNames(option: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigurationError(option || 'options', 'must be an object');
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const name = option === '' ? unknown : `${option}.${unknown}`;
  throw new ConfigurationError(name, unknownName(unknown, known, 'option'));
}

/** Every option of a method; written as a record, so that none is forgotten. */
export type KnownOptions<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Refuses unknown options of a method: a misspelt one would silently be the default.
 *
 * @param prefix of paths in the error: empty if all arguments are one object
 * @throws InvalidRequestError
 */
export function checkMethodOptions(
  call: string,
  options: unknown,
  known: Readonly<Record<string, true>>,
  prefix = 'options.',
): void {
  if (options === undefined) return;
  const context = { call, operation: call };
  const names = Object.keys(known);
  if (typeof options !== 'object' || options === null) {
    throw new InvalidRequestError(
      [{ path: 'options', message: `must be an object with any of ${names.join(', ')}` }],
      context,
    );
  }
  const issues = Object.keys(options)
    .filter((name) => !Object.hasOwn(known, name))
    .map((name) => ({ path: `${prefix}${name}`, message: unknownName(name, names, 'option') }));
  if (issues.length > 0) throw new InvalidRequestError(issues, context);
}

/** Refuses an injected object that lacks a method, before a call finds out. @throws ConfigurationError */
export function checkMethods(
  option: string,
  given: unknown,
  methods: readonly string[],
  needed: 'all' | 'any',
): void {
  if (given === undefined) return;
  if (typeof given !== 'object' || given === null) throw new ConfigurationError(option, 'must be an object');
  for (const method of methods) {
    const found: unknown = Reflect.get(given, method);
    if (typeof found !== 'function' && (needed === 'all' || found !== undefined)) {
      const which = needed === 'all' ? 'the methods' : 'any of the methods';
      throw new ConfigurationError(option, `must have ${which} ${methods.join(', ')}`);
    }
  }
}

/** The machine's clock, with the members that are injected. @throws ConfigurationError */
export function clockWith(given: Partial<Clock> = {}): Clock {
  checkMethods('clock', given, ['now', 'monotonic', 'after'], 'any');
  return {
    now: given.now?.bind(given) ?? systemClock.now,
    monotonic: given.monotonic?.bind(given) ?? systemClock.monotonic,
    after: given.after?.bind(given) ?? systemClock.after,
  };
}

/** The machine's randomness, with the members that are injected. @throws ConfigurationError */
export function randomnessWith(given: Partial<Randomness> = {}): Randomness {
  checkMethods('randomness', given, ['uuid', 'nonce', 'fraction'], 'any');
  // A UUID v4 has 122 random bits, and its text is a legal nonce.
  return {
    uuid: given.uuid?.bind(given) ?? crypto.randomUUID.bind(crypto),
    nonce: given.nonce?.bind(given) ?? crypto.randomUUID.bind(crypto),
    fraction: given.fraction?.bind(given) ?? Math.random,
  };
}
