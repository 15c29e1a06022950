import * as z from 'zod';
import { limits } from '../api/common.js';
import { isAddressOrBlock } from './addresses.js';
import { amountOf, check, fields, moment, shaped, text, whole, word, yesOrNo } from './schema.js';
import { planOf, type SandboxSeed, type SeedPlan } from './seed/seed.js';
import type { Moment } from './times.js';
import { choices, defaults, type Variants } from './variants.js';
import type { WebhookOptions } from './webhooks/webhooks.js';

/** A call whose reply is about to be sent. */
export interface ReplyContext {
  /** Operation id, such as `A22`. */
  readonly operation: string;
  /** The client's method for it, such as `saleCases.decide`. */
  readonly call: string | null;
  readonly method: string;
  /** The `/api/v1/…` path, as sent. */
  readonly path: string;
  /** Path parameters by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly clientId: string;
  /** The JSON of the request; null where it had none. */
  readonly request: unknown;
  /** HTTP status of the reply. */
  readonly status: number;
}

/** Returns what is sent in place of the JSON of a reply. */
export type ReplyHook = (call: ReplyContext, json: unknown) => unknown;

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
  /** `real` runs with the machine; `manual` stops until advanced. Defaults to `real`. */
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
   * How many of the latest requests `attempts()` returns; 10,000 when left out, and none with 0. Older ones are
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
  /** What the service does where its text leaves a choice. */
  readonly variants?: Partial<Variants>;
  /**
   * Changes the JSON of a reply, for shapes and values that the service doesn't have by itself: takes the call and a copy of
   * the JSON, and returns what is sent instead. What is recorded under an idempotency key stays as it was.
   */
  readonly reply?: ReplyHook;
}

const callable = <F extends (...given: never[]) => unknown>(what: string) =>
  z.custom<F>((value) => typeof value === 'function', `must be ${what}`);
const origin = z.string().refine(isOrigin, 'must be like "https://sandbox.example:8443", without a path');
const address = z.string().refine(isAddressOrBlock, 'must be an IP address or a CIDR block');
const perMinute = 'must be 1 or more requests a minute, or false';

/** The one schema of the options, with their defaults. Seeds are checked where they are read. */
const schema = fields({
  listen: yesOrNo.default(true),
  port: whole(0, 65_535).optional(),
  host: text(253).optional(),
  origin: origin.optional(),
  prefix: shaped(
    /^(?:\/[A-Za-z0-9._~-]+)*$/,
    'empty or like "/index.php", without a slash at the end',
  ).default(''),
  seed: z.custom<NonNullable<SandboxOptions['seed']>>().default(1),
  clock: word(['real', 'manual']).default('real'),
  startAt: moment.prefault(() => Date.now()),
  rateLimit: z
    .union([z.number().min(1, perMinute), z.literal(false)], perMinute)
    .default(limits.requestsPerMinute),
  environment: text(200).default('sandbox'),
  requireTls: yesOrNo.default(false),
  allowedIps: z.array(address).optional(),
  maxBodyBytes: amountOf('bytes').default(33_554_432),
  scanMs: amountOf('milliseconds').default(1_000),
  inspector: yesOrNo.default(true),
  keepAttempts: whole(0, Number.MAX_SAFE_INTEGER).default(10_000),
  log: callable<NonNullable<SandboxOptions['log']>>('a function that takes a line').optional(),
  webhooks: fields({
    allowPrivate: yesOrNo.optional(),
    send: callable<NonNullable<WebhookOptions['send']>>('a function that takes a Request').optional(),
  }).default({}),
  variants: fields(Object.fromEntries(Object.entries(choices).map(([row, words]) => [row, word(words)])))
    .partial()
    .optional(),
  reply: callable<ReplyHook>('a function that takes a call and its JSON').optional(),
} satisfies Record<keyof SandboxOptions, z.ZodType>);

/** Options with their defaults filled in. */
export interface Settings extends Readonly<Omit<z.output<typeof schema>, 'seed' | 'variants'>> {
  readonly port: number;
  readonly host: string;
  /** What all that is invented is drawn from. */
  readonly plan: SeedPlan;
  readonly variants: Variants;
}

/** Fills in the defaults and refuses what can't be meant with a RangeError. */
export function settle(options: SandboxOptions): Settings {
  const { seed, variants, port, host, ...rest } = check(schema, options, 'options');
  if (!rest.listen && (port !== undefined || host !== undefined)) {
    throw new RangeError('port and host are of the server that "listen: false" leaves out');
  }
  const origin = rest.origin ?? (rest.listen ? undefined : 'https://sandbox.vehicle-auction.test');
  return {
    ...rest,
    origin,
    port: port ?? 0,
    host: host ?? '127.0.0.1',
    plan: planOf(seed),
    variants: { ...defaults, ...variants },
  };
}

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
