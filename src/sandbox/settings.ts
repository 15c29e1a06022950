import { limits } from '../api/common.js';
import { planOf, type SeedPlan } from './seed/plan.js';
import type { SandboxSeed } from './seed/seed.js';
import type { Moment } from './times.js';
import { unixMs } from './times.js';
import { chosen, type Variants } from './variants.js';
import { settleWebhooks, type WebhookOptions, type WebhookSettings } from './webhooks/options.js';

/** How a sandbox is set up. Everything has a default. */
export interface SandboxOptions {
  /**
   * Whether there is an HTTP server. True when left out; without one the sandbox answers `handlers()` and `fetch()` alone,
   * and keeps no process alive.
   */
  readonly listen?: boolean;
  /** Port to listen on; any free one when left out. */
  readonly port?: number;
  /** Address to listen on; 127.0.0.1 when left out. */
  readonly host?: string;
  /**
   * Scheme, host and port by which clients know it, such as those of a proxy before it; when left out the server's own, or
   * `https://sandbox.vehicle-auction.test` where there is no server.
   */
  readonly origin?: string;
  /** A front-controller segment before `/api/v1`, such as `/index.php`: sent, never signed. */
  readonly prefix?: string;
  /**
   * What it begins with. A number is what the auctions and lots of `small` are drawn from: the same one gives the same
   * lots and ids. `busy` has 20 auctions with 5,000 lots and rivals' bids on some. Or auctions of your own. 1 when left
   * out.
   */
  readonly seed?: number | 'small' | 'busy' | SandboxSeed;
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
  /** Whether the HTTP server has the inspector page at `/` and its control interface. True when left out. */
  readonly inspector?: boolean;
  /**
   * How many of the latest requests `attempts()` tells of; 10,000 when left out, and none with 0. Older ones are
   * forgotten.
   */
  readonly keepAttempts?: number;
  /**
   * Is given a line for each request that is done with, and more lines where a signature was refused: the canonical
   * request and the likely mistake. Never a secret or a signature. Nothing is logged when left out.
   */
  readonly log?: ((line: string) => void) | undefined;
  /** How webhooks are delivered: over HTTPS to public addresses when left out. */
  readonly webhooks?: WebhookOptions;
  /** What the service does where its text leaves a choice, by row of the open questions. */
  readonly variants?: Partial<Variants>;
}

export type Settings = Required<
  Omit<SandboxOptions, 'variants' | 'webhooks' | 'startAt' | 'allowedIps' | 'log' | 'seed' | 'origin'>
> & {
  /** What all that is invented is drawn from. */
  readonly seed: number;
  readonly plan: SeedPlan;
  /** Null for the server's own. */
  readonly origin: string | null;
  readonly startAt: number;
  readonly allowedIps: readonly string[] | null;
  readonly log: ((line: string) => void) | null;
  readonly webhooks: WebhookSettings;
  readonly variants: Variants;
};

const known: ReadonlySet<string> = new Set<keyof SandboxOptions>([
  'listen',
  'port',
  'host',
  'origin',
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
  'inspector',
  'keepAttempts',
  'log',
  'webhooks',
  'variants',
]);

/** Fills in the defaults and refuses what can't be meant. */
export function settle(options: SandboxOptions): Settings {
  const unknown = Object.keys(options).filter((key) => !known.has(key));
  if (unknown.length > 0)
    throw new RangeError(`no option ${unknown.join(', ')}; options are ${[...known].join(', ')}`);
  if (options.inspector !== undefined && typeof options.inspector !== 'boolean') {
    throw new RangeError('inspector is true or false');
  }
  if (options.clock !== undefined && options.clock !== 'real' && options.clock !== 'manual') {
    throw new RangeError('clock is "real" or "manual"');
  }
  const plan = planOf(options.seed ?? 1);
  const listen = options.listen ?? true;
  const settings: Settings = {
    listen,
    port: options.port ?? 0,
    host: options.host ?? '127.0.0.1',
    prefix: options.prefix ?? '',
    origin: options.origin ?? (listen ? null : 'https://sandbox.vehicle-auction.test'),
    seed: plan.random,
    plan,
    clock: options.clock ?? 'real',
    startAt: unixMs(options.startAt ?? Date.now()),
    rateLimit: options.rateLimit ?? limits.requestsPerMinute,
    environment: options.environment ?? 'sandbox',
    requireTls: options.requireTls ?? false,
    allowedIps: options.allowedIps ?? null,
    maxBodyBytes: options.maxBodyBytes ?? 33_554_432,
    scanMs: options.scanMs ?? 1_000,
    inspector: options.inspector ?? true,
    keepAttempts: options.keepAttempts ?? 10_000,
    log: options.log ?? null,
    webhooks: settleWebhooks(options.webhooks),
    variants: chosen(options.variants),
  };
  if (!/^(?:\/[A-Za-z0-9._~-]+)*$/.test(settings.prefix)) {
    throw new RangeError('prefix is empty or like "/index.php", without a slash at the end');
  }
  if (typeof listen !== 'boolean') throw new RangeError('listen is true or false');
  if (!listen && (options.port !== undefined || options.host !== undefined)) {
    throw new RangeError('port and host are of the server that "listen: false" leaves out');
  }
  if (settings.origin !== null && !isOrigin(settings.origin)) {
    throw new RangeError('origin is like "https://sandbox.example:8443", without a path');
  }
  if (settings.rateLimit !== false && !(settings.rateLimit >= 1)) {
    throw new RangeError('rateLimit is 1 or more requests a minute, or false');
  }
  if (!(Number.isSafeInteger(settings.keepAttempts) && settings.keepAttempts >= 0)) {
    throw new RangeError('keepAttempts is a whole number of requests, 0 or more');
  }
  if (settings.log !== null && typeof settings.log !== 'function') {
    throw new RangeError('log is a function that takes a line');
  }
  if (!(settings.maxBodyBytes >= 0)) throw new RangeError('maxBodyBytes is a number of bytes');
  if (!(settings.scanMs >= 0 && Number.isFinite(settings.scanMs)))
    throw new RangeError('scanMs is a number of milliseconds');
  return settings;
}

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
