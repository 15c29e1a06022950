import { ConfigurationError } from '../errors/local.js';
import type { Clock } from '../ports/clock.js';
import type { Store } from '../store/store.js';
import type { OpenEventType, OpenWebhookEvent, WebhookEvent } from './event.js';
import type { HandlingReport, WebhookHandler } from './handling.js';
import { secretsOf } from './signature.js';

/** Event types that a handler can be given for. */
export type HandledEventType =
  | 'sale.approved'
  | 'auction.schedule_changed'
  | 'vehicle.status_changed'
  | OpenEventType;

/** The event of a type. */
export type EventOf<T extends HandledEventType> = T extends OpenEventType
  ? OpenWebhookEvent & { readonly type: T }
  : Extract<WebhookEvent, { readonly type: T }>;

/** A handler for each event type; `'*'` gets every event that has no other, unknown types included. */
export type WebhookHandlers = {
  readonly [T in HandledEventType]?: WebhookHandler<EventOf<T>> | undefined;
} & { readonly '*'?: WebhookHandler<WebhookEvent> | undefined };

/** Subscription secrets, or a function that returns the current ones. */
export type WebhookSecrets = string | readonly string[];

export interface CommonOptions {
  /** The subscription secret; while one replaces another, both. A function is called for each delivery. */
  readonly secrets: WebhookSecrets | (() => WebhookSecrets | Promise<WebhookSecrets>);
  /** Where events are kept: `sqliteStore`, `postgresStore`, or `memoryStore` in tests. */
  readonly store: Store;
  /** Names this endpoint; events are deduplicated within it. Defaults to `default`. */
  readonly endpoint?: string | undefined;
  /** How far a delivery's timestamp may be from now, either way, ms; defaults to 300,000. */
  readonly tolerance?: number | undefined;
  /** Largest body, bytes; a larger one is answered with 413. Defaults to 1,048,576. */
  readonly maxBodyBytes?: number | undefined;
  /** How often an event is tried before it is parked; defaults to 8. */
  readonly maxAttempts?: number | undefined;
  /** Handlers that may run at once; defaults to 4. Events of one resource run one after the other. */
  readonly concurrency?: number | undefined;
  /**
   * How long a handler may take, ms; defaults to 30,000. One that takes longer has failed: its signal fires, it is reported,
   * and tried again. Infinity lets it take as long as it likes.
   */
  readonly handlerTimeout?: number | undefined;
  /** How often the store is searched for events that another process left, ms; defaults to 30,000. */
  readonly sweepEvery?: number | undefined;
  /** For how long the bodies of handled events are kept, ms; defaults to 30 days. Their ids are kept for good. */
  readonly retention?: number | undefined;
  /** Called with what went wrong, for your log and your alerts. Prints a warning by default. */
  readonly onReport?: ((report: WebhookReport) => unknown) | undefined;
  /** For tests in virtual time. */
  readonly clock?: Clock | undefined;
  /** From 0 to 1, for the jitter between tries. For tests. */
  readonly random?: (() => number) | undefined;
}

/** How webhooks are received: with handlers (`on`), or with your own queue (`enqueue`). */
export type WebhookReceiverOptions = CommonOptions &
  (
    | {
        /** Handlers by event type. They run after the 2xx. */
        readonly on: WebhookHandlers;
        readonly enqueue?: undefined;
      }
    | {
        /**
         * Puts an event into your queue. It is awaited before the 2xx; if it fails, the answer is 503 and the event
         * stays kept, and is tried again here and by the sender.
         */
        readonly enqueue: WebhookHandler<WebhookEvent>;
        readonly on?: undefined;
      }
  );

/** What went wrong. */
export type WebhookReport =
  | HandlingReport
  /**
   * A delivery was not accepted (`refused`, `too_large`, `misused`), or is authentic and kept for a person (`misshapen`).
   */
  | { readonly kind: 'refused' | 'too_large' | 'misused' | 'misshapen'; readonly error: unknown }
  /** The store failed; deliveries are answered with 503 until it works again. */
  | { readonly kind: 'store'; readonly error: unknown };

/** @throws ConfigurationError for options that can't work */
export function checkOptions(options: WebhookReceiverOptions): void {
  const { secrets, store, on, enqueue } = options ?? {};
  if (typeof secrets !== 'function') secretsOf(secrets);
  if (typeof store?.transaction !== 'function') {
    throw new ConfigurationError('store', 'must be a store', {
      nextStep: "Use sqliteStore('./auction.db'), postgresStore({ pool }), or memoryStore() in a test.",
    });
  }
  if ((on === undefined) === (enqueue === undefined)) {
    throw new ConfigurationError('on', 'or enqueue must be given, and not both');
  }
  if (enqueue !== undefined && typeof enqueue !== 'function') {
    throw new ConfigurationError('enqueue', 'must be a function');
  }
  for (const [type, handler] of Object.entries(on ?? {})) {
    if (!handledTypes.includes(type)) {
      throw new ConfigurationError(`on['${type}']`, 'is not an event type of the API', {
        nextStep: `Use one of ${handledTypes.join(', ')}; '*' gets types that this version does not know.`,
      });
    }
    if (handler !== undefined && typeof handler !== 'function') {
      throw new ConfigurationError(`on['${type}']`, 'must be a function');
    }
  }
  const limits = [
    'tolerance',
    'maxBodyBytes',
    'maxAttempts',
    'concurrency',
    'sweepEvery',
    'retention',
  ] as const;
  const { handlerTimeout = 1 } = options;
  if (!(typeof handlerTimeout === 'number' && handlerTimeout > 0)) {
    throw new ConfigurationError('handlerTimeout', 'must be a positive number of milliseconds, or Infinity');
  }
  for (const option of limits) {
    const value = options[option];
    if (value !== undefined && !(Number.isFinite(value) && value > 0)) {
      throw new ConfigurationError(option, 'must be a positive, finite number');
    }
  }
}

const everyType: Record<HandledEventType | '*', true> = {
  'sale.approved': true,
  'auction.schedule_changed': true,
  'vehicle.status_changed': true,
  'sale.rejected': true,
  'sale.acknowledged': true,
  'payment.reported': true,
  'payment.verified': true,
  'payment.allocated': true,
  'sale.payment_status_changed': true,
  'release.authorized': true,
  'release.revoked': true,
  'vehicle.collected': true,
  '*': true,
};
const handledTypes: readonly string[] = Object.keys(everyType);

/** The handler for an event: of its type, else `'*'`. */
export function handlerOf(
  { on, enqueue }: WebhookReceiverOptions,
  event: WebhookEvent,
): WebhookHandler<WebhookEvent> | undefined {
  if (enqueue !== undefined) return enqueue;
  const type: string = event.type;
  // Typed by event type; which one an event has is known only here.
  const own = Object.hasOwn(on, type)
    ? (Reflect.get(on, type) as WebhookHandler<WebhookEvent> | undefined)
    : undefined;
  return own ?? on['*'];
}
