import * as z from 'zod';
import { limits } from '../api/common.js';
import { isAddressOrBlock } from './addresses.js';
import { type Deployment, type Habits, habits, habitsOf } from './deployment/habits.js';
import { check, fields, moment, quantity, shaped, textUpTo, whole, word, yesOrNo } from './schema.js';
import { planOf, type SandboxSeed, type SeedPlan } from './seed/seed.js';
import type { Moment } from './times.js';
import { choices, defaults, type Variants } from './variants.js';
import type { WebhookOptions } from './webhooks/webhooks.js';

/** The call that a `reply` hook can change the reply of. */
export interface ReplyContext {
  /** Operation id, such as `A22`. */
  readonly operation: string;
  /** Client method, such as `saleCases.decide`. */
  readonly call: string | null;
  readonly method: string;
  /** The `/api/v1/…` path, as sent. */
  readonly path: string;
  /** Path parameters by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly clientId: string;
  /** JSON of the request body; null without one. */
  readonly request: unknown;
  /** HTTP status of the reply. */
  readonly status: number;
}

/** Returns the JSON to send instead of the reply's own. */
export type ReplyHook = (call: ReplyContext, json: unknown) => unknown;

/** Options of `startSandbox()`. All are optional. */
export interface SandboxOptions {
  /**
   * Whether to start an HTTP server. Defaults to true. If false, use `handlers()` or `fetch()`; the sandbox does
   * not keep the process alive.
   */
  readonly listen?: boolean;
  /** Port to listen on. Defaults to a free port. */
  readonly port?: number;
  /** Address to listen on. Defaults to 127.0.0.1. */
  readonly host?: string;
  /**
   * Public scheme, host and port, such as those of a proxy. Defaults to the server's address, or to
   * `https://sandbox.vehicle-auction.test` without a server.
   */
  readonly origin?: string;
  /** Front-controller path before `/api/v1`, such as `/index.php`. It is sent but not signed. */
  readonly prefix?: string;
  /**
   * Initial data. A number seeds the auctions and lots of `small`; the same number gives the same lots and ids.
   * `busy` has 20 auctions with 5,000 lots, some with rival bids. Pass an object for your own auctions. Defaults
   * to 1.
   */
  readonly seed?: number | 'small' | 'busy' | SandboxSeed;
  /** `real` follows the machine's clock; `manual` moves only when advanced. Defaults to `real`. */
  readonly clock?: 'real' | 'manual';
  /** Initial server time, Unix milliseconds or ISO 8601. Defaults to the machine's time. */
  readonly startAt?: Moment;
  /** Requests per rolling minute and client, or false for no limit. Defaults to 120. */
  readonly rateLimit?: number | false;
  /** Environment of the sandbox. Credentials of another environment are refused. Defaults to `sandbox`. */
  readonly environment?: string;
  /** Whether to refuse requests without TLS, as deployed environments do. Defaults to false. */
  readonly requireTls?: boolean;
  /** Approved source addresses or CIDR blocks. Defaults to all. */
  readonly allowedIps?: readonly string[];
  /** Largest request body in bytes. Larger ones get a 413. Defaults to 32 MiB. */
  readonly maxBodyBytes?: number;
  /** Duration of a document scan, in milliseconds of sandbox time. Defaults to 1,000. */
  readonly scan?: number;
  /** Whether to serve the inspector page at `/` and the control interface. Defaults to true. */
  readonly inspector?: boolean;
  /** Number of latest requests that `attempts()` returns. Older ones are dropped. Defaults to 10,000. */
  readonly keepAttempts?: number;
  /**
   * Called with a line for each completed request. A refused signature adds lines with the canonical request and
   * the likely mistake. Lines never hold a secret or signature. By default, nothing is logged.
   */
  readonly log?: ((line: string) => void) | undefined;
  /** Webhook delivery. Defaults to HTTPS to public addresses. */
  readonly webhooks?: WebhookOptions;
  /** Service behaviour where the API text leaves a choice. */
  readonly variants?: Partial<Variants>;
  /**
   * Habits of a real deployment: types, pages, statuses, refusals, headers and URLs other than the documented ones.
   * `laravel` has those of a Laravel application behind gateways. Defaults to the documented forms.
   */
  readonly deployment?: 'laravel' | Deployment;
  /**
   * Changes the JSON of replies, for shapes and values that the sandbox does not produce. Takes the call and a
   * copy of the JSON, and returns the JSON to send. The record under an idempotency key does not change. With
   * `deployment`, the JSON is in its documented form; the habits apply afterwards.
   */
  readonly reply?: ReplyHook;
}

const callable = <F extends (...given: never[]) => unknown>(what: string) =>
  z.custom<F>((value) => typeof value === 'function', `must be ${what}`);
const origin = z.string().refine(isOrigin, 'must be like "https://sandbox.example:8443", without a path');
const address = z.string().refine(isAddressOrBlock, 'must be an IP address or a CIDR block');
const perMinute = 'must be 1 or more requests a minute, or false';

const deployment = fields({
  like: z.literal('laravel', 'must be "laravel"'),
  ...Object.fromEntries(Object.entries(habits).map(([name, { choices }]) => [name, word(choices)])),
}).partial();

/** Schema and defaults of the options. `planOf` checks the seed. */
const schema = fields({
  listen: yesOrNo.default(true),
  port: whole(0, 65_535).optional(),
  host: textUpTo(253).optional(),
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
  environment: textUpTo(200).default('sandbox'),
  requireTls: yesOrNo.default(false),
  allowedIps: z.array(address).optional(),
  maxBodyBytes: quantity('bytes').default(33_554_432),
  scan: quantity('milliseconds').default(1_000),
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
  deployment: z
    .union([z.literal('laravel'), deployment], 'must be "laravel" or an object of habits')
    .optional(),
  reply: callable<ReplyHook>('a function that takes a call and its JSON').optional(),
} satisfies Record<keyof SandboxOptions, z.ZodType>);

/** Options with their defaults filled in. */
export interface Settings
  extends Readonly<Omit<z.output<typeof schema>, 'seed' | 'variants' | 'deployment'>> {
  readonly port: number;
  readonly host: string;
  /** Initial data, from the option `seed`. */
  readonly plan: SeedPlan;
  readonly variants: Variants;
  readonly deployment: Habits;
}

/** Fills in defaults. Throws a RangeError for invalid options. */
export function settle(options: SandboxOptions): Settings {
  const { seed, variants, deployment, port, host, ...rest } = check(schema, options, 'options');
  if (!rest.listen && (port !== undefined || host !== undefined)) {
    throw new RangeError(
      'options.port and options.host must be omitted with "listen: false": there is no server',
    );
  }
  const origin = rest.origin ?? (rest.listen ? undefined : 'https://sandbox.vehicle-auction.test');
  return {
    ...rest,
    origin,
    port: port ?? 0,
    host: host ?? '127.0.0.1',
    plan: planOf(seed),
    variants: { ...defaults, ...variants },
    deployment: habitsOf(deployment),
  };
}

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
