import { limits } from '../api/common.js';
import type { Moment } from './times.js';
import { unixMs } from './times.js';
import { chosen, type Variants } from './variants.js';

/** How a sandbox is set up. Everything has a default. */
export interface SandboxOptions {
  /** Port to listen on; any free one when left out. */
  readonly port?: number;
  /** Address to listen on; 127.0.0.1 when left out. */
  readonly host?: string;
  /** A front-controller segment before `/api/v1`, such as `/index.php`: sent, never signed. */
  readonly prefix?: string;
  /** The same seed gives the same auctions, lots and ids. 1 when left out. */
  readonly seed?: number;
  /** `real` runs with the machine; `manual` stands still until advanced. `real` when left out. */
  readonly clock?: 'real' | 'manual';
  /** Server time at the start, Unix milliseconds or ISO 8601; the machine's time when left out. */
  readonly startAt?: Moment;
  /** Requests per rolling minute and client, 120 when left out; false for no limit. */
  readonly rateLimit?: number | false;
  /** The environment this sandbox serves; credentials of another are denied. `sandbox` when left out. */
  readonly environment?: string;
  /** Whether requests without TLS are denied, as deployed environments do. False when left out. */
  readonly requireTls?: boolean;
  /** Source addresses or CIDR blocks that the bank approved; all when left out. */
  readonly allowedIps?: readonly string[];
  /** Largest request body, bytes; 32 MiB when left out. Larger ones get a 413. */
  readonly maxBodyBytes?: number;
  /** How long the scan of an uploaded document takes, milliseconds of sandbox time; 1,000 when left out. */
  readonly scanMs?: number;
  /** What the service does where its text leaves a choice, by row of the open questions. */
  readonly variants?: Partial<Variants>;
}

export type Settings = Required<Omit<SandboxOptions, 'variants' | 'startAt' | 'allowedIps'>> & {
  readonly startAt: number;
  readonly allowedIps: readonly string[] | null;
  readonly variants: Variants;
};

const known: ReadonlySet<string> = new Set<keyof SandboxOptions>([
  'port',
  'host',
  'prefix',
  'seed',
  'clock',
  'startAt',
  'rateLimit',
  'environment',
  'requireTls',
  'allowedIps',
  'maxBodyBytes',
  'scanMs',
  'variants',
]);

/** Fills in the defaults and refuses what can't be meant. */
export function settle(options: SandboxOptions): Settings {
  const unknown = Object.keys(options).filter((key) => !known.has(key));
  if (unknown.length > 0)
    throw new RangeError(`no option ${unknown.join(', ')}; options are ${[...known].join(', ')}`);
  if (options.clock !== undefined && options.clock !== 'real' && options.clock !== 'manual') {
    throw new RangeError('clock is "real" or "manual"');
  }
  const settings: Settings = {
    port: options.port ?? 0,
    host: options.host ?? '127.0.0.1',
    prefix: options.prefix ?? '',
    seed: options.seed ?? 1,
    clock: options.clock ?? 'real',
    startAt: unixMs(options.startAt ?? Date.now()),
    rateLimit: options.rateLimit ?? limits.requestsPerMinute,
    environment: options.environment ?? 'sandbox',
    requireTls: options.requireTls ?? false,
    allowedIps: options.allowedIps ?? null,
    maxBodyBytes: options.maxBodyBytes ?? 33_554_432,
    scanMs: options.scanMs ?? 1_000,
    variants: chosen(options.variants),
  };
  if (!/^(?:\/[A-Za-z0-9._~-]+)*$/.test(settings.prefix)) {
    throw new RangeError('prefix is empty or like "/index.php", without a slash at the end');
  }
  if (settings.rateLimit !== false && !(settings.rateLimit >= 1)) {
    throw new RangeError('rateLimit is 1 or more requests a minute, or false');
  }
  if (!(settings.maxBodyBytes >= 0)) throw new RangeError('maxBodyBytes is a number of bytes');
  if (!(settings.scanMs >= 0 && Number.isFinite(settings.scanMs)))
    throw new RangeError('scanMs is a number of milliseconds');
  return settings;
}
