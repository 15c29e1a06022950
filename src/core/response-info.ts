import { type Redact, redactDeep } from './redact.js';

/** What came with a payload: the reply around it. */
export interface ResponseInfo {
  /** HTTP status. */
  readonly status: number;
  /** Reply headers, names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The service's id of the request; undefined where it gave none. */
  readonly requestId: string | undefined;
  /** Server time as the reply states it, ISO 8601; undefined where it does not. */
  readonly serverTime: string | undefined;
  /** True when the service had recorded this idempotency key before and answered from its record. */
  readonly replayed: boolean;
  /** Attempts that the call took. */
  readonly attempts: number;
  /** The key that the call was sent under; undefined for reads. */
  readonly idempotencyKey: string | undefined;
  /** The whole reply body as it was parsed: what stands beside the payload, such as `next_cursor`. */
  readonly body: unknown;
  /** Milliseconds on a monotonic clock: the whole call, and the part of it that waited for the request quota. */
  readonly timings: { readonly totalMs: number; readonly queuedMs: number };
}

interface Attached {
  readonly info: ResponseInfo;
  readonly redactor: (() => Redact) | undefined;
}

// One per process: the ESM and the CJS build are two copies of this module.
const infosKey = Symbol.for('vehicle-auction-sdk.responses');
const registry: typeof globalThis & { [infosKey]?: WeakMap<object, Attached> } = globalThis;
registry[infosKey] ??= new WeakMap();
const infos = registry[infosKey];

/** Attaches what came with a payload; the payload itself is not touched. Headers are redacted when they are read. */
export function attachInfo(value: object, info: ResponseInfo, redactor?: () => Redact): void {
  infos.set(value, { info, redactor });
}

/** Attaches to one value what came with another, of which it was made. */
export function copyInfo(from: object, to: object): void {
  const attached = infos.get(from);
  if (attached !== undefined) infos.set(to, attached);
}

/**
 * Returns the reply that a value came in: status, headers, request id, server time, attempts, idempotency key.
 *
 * @throws TypeError for a value that no call returned, such as a copy.
 */
export function responseOf(value: unknown): ResponseInfo {
  const attached = typeof value === 'object' && value !== null ? infos.get(value) : undefined;
  if (attached === undefined) {
    throw new TypeError('responseOf() takes the object that a call returned, not a copy or a part of it');
  }
  const { info, redactor } = attached;
  return redactor === undefined ? info : { ...info, headers: redactDeep(info.headers, redactor()) };
}
