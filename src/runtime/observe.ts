import type { Lane } from '../api/operation.js';

/** Work that is observed and is no call of the API. `facts` are complete once it has ended. */
export type ObservedWork =
  /** One unit of work of the store. */
  | { readonly kind: 'store'; readonly name: 'store.transaction' }
  /** The wait of one request that had to queue for the quota. */
  | { readonly kind: 'queue'; readonly name: 'quota.wait'; readonly lane: Lane }
  /** The settlement of one intent by `recover` or `reconcile`. */
  | { readonly kind: 'settlement'; readonly name: 'intents.settle'; readonly facts: SettlementFacts }
  /** A follower's handler, for one item. */
  | { readonly kind: 'item'; readonly name: string }
  /** A delivery to a webhook receiver. */
  | { readonly kind: 'delivery'; readonly name: 'webhooks.receive'; readonly facts: DeliveryFacts }
  /** One attempt to handle a stored webhook event. */
  | { readonly kind: 'event'; readonly name: 'webhooks.handle'; readonly facts: EventFacts };

/** Facts of a settlement. */
export interface SettlementFacts {
  readonly idempotencyKey: string;
  /** Whether the observer reports to anything now; always, if absent. */
  isListening?: (() => boolean) | undefined;
  /** W3C `traceparent` of the spans that sent it, perhaps in other processes. */
  readonly traceparents: readonly string[];
}

/** Facts of a delivery to a webhook receiver. */
export interface DeliveryFacts {
  outcome?: string;
  reason?: string;
  eventId?: string;
}

/** Facts of one attempt to handle an event. */
export interface EventFacts {
  readonly type: string;
  readonly eventId: string;
  /** From 1. */
  readonly attempt: number;
  outcome?: 'handled' | 'failed' | 'failed_permanently';
}

/** Runs the observed work, and returns or throws what the work does. */
export type Observer<Observed> = <T>(observed: Observed, run: () => Promise<T>) => Promise<T>;

/** The observer of a client or a receiver, if it has one. */
export interface Observation<Observed = ObservedWork> {
  observer: Observer<Observed> | undefined;
  /** Whether the observer reports to anything now; always, if absent. */
  isListening?: (() => boolean) | undefined;
  /** W3C `traceparent` of the active span, recorded with each attempt. */
  traceparent?: (() => string | undefined) | undefined;
}

/** Runs work under the observer. Without one that listens, this costs next to nothing. */
export function observing<Observed, T>(
  observation: Observation<Observed> | undefined,
  observed: Observed,
  run: () => Promise<T>,
): Promise<T> {
  const observer = observation?.observer;
  return observer === undefined || observation?.isListening?.() === false ? run() : observer(observed, run);
}

/** Method that sets the observer, for `vehicle-auction-sdk/opentelemetry` of any build. */
export const observe = Symbol.for('vehicle-auction-sdk.observe');
