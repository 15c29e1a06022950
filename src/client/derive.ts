import { ConfigurationError } from '../errors/local.js';
import { Composition } from './compose.js';
import type { OverridableOptions } from './options.js';

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
