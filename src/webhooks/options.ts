import { ConfigurationError } from '../errors/local.js';
import type { Clock } from '../ports/clock.js';
import { retentionOf } from '../store/options.js';
import type { Store } from '../store/store.js';
import type { OpenEventType, OpenWebhookEvent, WebhookEvent } from './event.js';
import type { HandlingReport, WebhookHandler } from './handling.js';
import { secretsOf } from './signature.js';

/** Event types that can have a handler. */
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
} & {
  /** Handles every type that has no handler, unknown types included. */
  readonly '*'?: WebhookHandler<WebhookEvent> | undefined;
};

/** Subscription secrets, or a function that returns the current ones. */
export type WebhookSecrets = string | readonly string[];

export interface CommonOptions {
  /** The subscription secret; while one replaces another, both. A function is called for each delivery. */
  readonly secrets: WebhookSecrets | (() => WebhookSecrets | Promise<WebhookSecrets>);
  /** Store for the events: `sqliteStore`, `postgresStore`, or `memoryStore` in tests. */
  readonly store: Store;
  /** Names this endpoint; events are deduplicated within it. Defaults to `default`. */
  readonly endpoint?: string | undefined;
  /** Largest difference between a delivery's timestamp and now, either way, ms; defaults to 300,000. */
  readonly tolerance?: number | undefined;
  /** Largest body, bytes; a larger one is answered with 413. Defaults to 1,048,576. */
  readonly maxBodyBytes?: number | undefined;
  /** Attempts before an event fails permanently; defaults to 8. */
  readonly maxAttempts?: number | undefined;
  /** Handlers that may run at once; defaults to 4. Events of one resource run one after the other. */
  readonly concurrency?: number | undefined;
  /**
   * Timeout of a handler, ms; defaults to 30,000. A handler that exceeds it has failed: its signal fires, the failure is
   * reported, and the event is retried. `Infinity` disables the timeout.
   */
  readonly handlerTimeout?: number | undefined;
  /** Interval between searches for events of ended processes, ms; defaults to 30,000. */
  readonly sweepEvery?: number | undefined;
  /** Retention of the bodies of handled events, ms; defaults to 30 days. Their ids stay, unless `idRetention` is given. */
  readonly retention?: number | undefined;
  /**
   * Retention of handled events as a whole, ms, at least a day; defaults to `Infinity`. An event that is sent again after that is
   * handled again.
   */
  readonly idRetention?: number | undefined;
  /** Called for each failure, for your logs and alerts. Prints a warning by default. */
  readonly onReport?: ((report: WebhookReport) => unknown) | undefined;
  /** For tests in virtual time. */
  readonly clock?: Clock | undefined;
  /** Returns a number from 0 to 1 for the jitter of retries. For tests. */
  readonly random?: (() => number) | undefined;
}

/** Options of a receiver: handlers (`on`), or your own queue (`enqueue`). */
export type WebhookReceiverOptions = CommonOptions &
  (
    | {
        /** Handlers by event type. They run after the 2xx. */
        readonly on: WebhookHandlers;
        readonly enqueue?: undefined;
      }
    | {
        /**
         * Puts an event into your queue. Awaited before the 2xx. If it fails, the reply is 503, the event stays stored,
         * and both the receiver and the sender retry.
         */
        readonly enqueue: WebhookHandler<WebhookEvent>;
        readonly on?: undefined;
      }
  );

/** A failure that `onReport` receives. */
export type WebhookReport =
  | HandlingReport
  /**
   * A delivery was not accepted (`refused`, `too_large`, `misused`), or is authentic but `malformed`, and stored for review.
   */
  | { readonly kind: 'refused' | 'too_large' | 'misused' | 'malformed'; readonly error: unknown }
  /** The store failed; deliveries are answered with 503 until it works again. */
  | { readonly kind: 'store'; readonly error: unknown };

/** @throws ConfigurationError for options that can't work */
export function checkReceiverOptions(options: WebhookReceiverOptions): void {
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
    throw new ConfigurationError('handlerTimeout', 'must be a positive number of milliseconds, or Infinity', {
      given: handlerTimeout,
    });
  }
  retentionOf(options.idRetention, 'idRetention');
  for (const option of limits) {
    const value = options[option];
    if (value !== undefined && !(Number.isFinite(value) && value > 0)) {
      throw new ConfigurationError(option, 'must be a positive, finite number', { given: value });
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
  // The handlers are typed by event type, which only this lookup knows.
  const own = Object.hasOwn(on, type)
    ? (Reflect.get(on, type) as WebhookHandler<WebhookEvent> | undefined)
    : undefined;
  return own ?? on['*'];
}
