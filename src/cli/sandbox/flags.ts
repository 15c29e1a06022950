import { readFileSync } from 'node:fs';
import type { Sandbox, SandboxOptions, SandboxSeed, Variants } from '../../sandbox/index.js';
import { durationExample, durationMs } from '../duration.js';
import { messageOf, UsageError } from '../usage-error.js';

/** Whose credentials there are. */
export type Who = keyof Sandbox['credentials'];

/** All of them, for messages and checks. */
export const whos = [
  'dealer',
  'platform',
  'aggregator',
  'rival',
  'bank',
  'bankChecker',
  'otherBank',
] as const satisfies readonly Who[];

/** The options of the command line, as they were typed. */
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
  readonly as: Who;
  readonly writeEnv?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly inspector: boolean;
  readonly commands: boolean;
}

/** What a sandbox is started with. Throws a UsageError where that is no number, file or pair. */
export function optionsOf(flags: Flags): SandboxOptions {
  const { host, origin, prefix, clock, startAt, environment } = flags;
  const port = whole('--port', flags.port);
  if (port > 65_535) throw new UsageError('--port is a number from 0 to 65535');
  return {
    port,
    inspector: flags.inspector,
    requireTls: flags.requireTls ?? false,
    webhooks: { allowPrivate: flags.privateWebhooks ?? false },
    variants: variantsOf(flags.variant ?? []),
    ...(host !== undefined && { host }),
    ...(origin !== undefined && { origin }),
    ...(prefix !== undefined && { prefix }),
    ...(clock !== undefined && { clock }),
    ...(startAt !== undefined && { startAt }),
    ...(environment !== undefined && { environment }),
    ...(flags.seed !== undefined && { seed: seedOf(flags.seed) }),
    ...(flags.rateLimit !== undefined && { rateLimit: rateOf(flags.rateLimit) }),
    ...(flags.allowIp !== undefined && { allowedIps: flags.allowIp }),
    ...(flags.maxBodyBytes !== undefined && { maxBodyBytes: whole('--max-body-bytes', flags.maxBodyBytes) }),
    ...(flags.scan !== undefined && { scanMs: lasting('--scan', flags.scan) }),
    ...(flags.keepAttempts !== undefined && { keepAttempts: whole('--keep-attempts', flags.keepAttempts) }),
  };
}

function whole(flag: string, text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new UsageError(`${flag} is a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}

function lasting(flag: string, text: string): number {
  const ms = durationMs(text);
  if (ms === undefined) throw new UsageError(`${flag} is ${durationExample}, not ${JSON.stringify(text)}`);
  return ms;
}

function rateOf(text: string): number | false {
  return text === 'off' ? false : whole('--rate-limit, where it is not off,', text);
}

/** Pairs of a row and its choice; whether there are such is the sandbox's to say. */
function variantsOf(pairs: readonly string[]): Partial<Variants> {
  const split = pairs.map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) {
      throw new UsageError(`--variant is like bank-unavailable-status=403, not ${JSON.stringify(pair)}`);
    }
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  });
  return Object.fromEntries(split) as Partial<Variants>;
}

function seedOf(text: string): number | 'small' | 'busy' | SandboxSeed {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  if (text === 'small' || text === 'busy') return text;
  let content: string;
  try {
    content = readFileSync(text, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const kinds = '--seed is a whole number, small, busy or a JSON file';
    throw new UsageError(`${kinds}, and ${text} can't be read: ${messageOf(error)}`);
  }
  try {
    // The sandbox checks what is in it.
    return JSON.parse(content);
  } catch (error) {
    throw new UsageError(`--seed: ${text} is not JSON: ${messageOf(error)}`);
  }
}
