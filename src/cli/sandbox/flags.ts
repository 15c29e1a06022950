import { readFileSync } from 'node:fs';
import type { Deployment, Sandbox, SandboxOptions, SandboxSeed, Variants } from '../../sandbox/index.js';
import { durationExample, durationMs } from '../duration.js';
import { given, ifGiven } from '../given.js';
import { messageOf, UsageError, wholeNumber } from '../usage-error.js';

/** Name of a sandbox party. */
export type Who = keyof Sandbox['credentials'];

/** Names of all parties. */
export const whos = [
  'dealer',
  'platform',
  'aggregator',
  'rival',
  'bank',
  'bankChecker',
  'otherBank',
] as const satisfies readonly Who[];

/** Raw command-line options. */
export interface Flags {
  readonly port: string;
  readonly host?: string;
  readonly origin?: string;
  readonly prefix?: string;
  readonly seed?: string;
  readonly clock?: 'real' | 'manual';
  readonly startAt?: string;
  readonly rateLimit?: string;
  readonly environment?: string;
  readonly requireTls?: boolean;
  readonly allowIp?: readonly string[];
  readonly maxBodyBytes?: string;
  readonly scan?: string;
  readonly keepAttempts?: string;
  readonly privateWebhooks?: boolean;
  readonly variant?: readonly string[];
  readonly deployment?: readonly string[];
  readonly as: Who;
  readonly writeEnv?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly inspector: boolean;
  readonly commands: boolean;
}

/** Converts command-line options to sandbox options. Throws a UsageError for an invalid number, file or pair. */
export function optionsOf(flags: Flags): SandboxOptions {
  const { host, origin, prefix, clock, startAt, environment } = flags;
  const port = wholeNumber('--port', flags.port);
  if (port > 65_535) throw new UsageError('--port must be a whole number from 0 to 65535.');
  return {
    port,
    inspector: flags.inspector,
    requireTls: flags.requireTls ?? false,
    webhooks: { allowPrivate: flags.privateWebhooks ?? false },
    variants: variantsOf(flags.variant ?? []),
    ...given({ host, origin, prefix, clock, startAt, environment, allowedIps: flags.allowIp }),
    ...given({
      seed: ifGiven(flags.seed, seedOf),
      rateLimit: ifGiven(flags.rateLimit, rateOf),
      deployment: ifGiven(flags.deployment, deploymentOf),
      maxBodyBytes: ifGiven(flags.maxBodyBytes, (text) => wholeNumber('--max-body-bytes', text)),
      scan: ifGiven(flags.scan, (text) => lasting('--scan', text)),
      keepAttempts: ifGiven(flags.keepAttempts, (text) => wholeNumber('--keep-attempts', text)),
    }),
  };
}

function lasting(flag: string, text: string): number {
  const ms = durationMs(text);
  if (ms === undefined)
    throw new UsageError(`${flag} must be ${durationExample}, not ${JSON.stringify(text)}.`);
  return ms;
}

function rateOf(text: string): number | false {
  return text === 'off' ? false : wholeNumber('--rate-limit, unless it is off,', text);
}

function variantsOf(pairs: readonly string[]): Partial<Variants> {
  const rule = '--variant must be a pair such as bank-unavailable-status=403';
  return choicesOf(rule, pairs) as Partial<Variants>;
}

function deploymentOf(given: readonly string[]): Deployment {
  const own = given.filter((each) => each !== 'laravel');
  const rule = '--deployment must be laravel or a pair such as money=number';
  const like = own.length < given.length ? { like: 'laravel' } : {};
  return { ...like, ...choicesOf(rule, own) } as Deployment;
}

/** Splits `name=choice` pairs. The sandbox checks names and choices. */
function choicesOf(rule: string, pairs: readonly string[]): Readonly<Record<string, string>> {
  const split = pairs.map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`${rule}, not ${JSON.stringify(pair)}.`);
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  });
  return Object.fromEntries(split);
}

function seedOf(text: string): number | 'small' | 'busy' | SandboxSeed {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  if (text === 'small' || text === 'busy') return text;
  let content: string;
  try {
    content = readFileSync(text, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const kinds = 'Use a whole number, small, busy or a JSON file.';
    throw new UsageError(`--seed: ${text} can't be read: ${messageOf(error)}. ${kinds}`);
  }
  try {
    // The sandbox checks the content.
    return JSON.parse(content);
  } catch (error) {
    throw new UsageError(`--seed: ${text} is not JSON: ${messageOf(error)}`);
  }
}
