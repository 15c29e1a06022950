import type { Party } from '../parties.js';

/** Where webhooks are delivered. */
export interface WebhookOptions {
  /**
   * Whether receivers may be at private addresses, this machine's included, and without TLS. For tests; false when left
   * out.
   */
  readonly allowPrivate?: boolean | undefined;
  /**
   * Takes every delivery in process, as `fetch` of a web framework does. Then no address is looked up or checked, and no
   * network used. A rejection is a receiver that can't be reached.
   */
  readonly send?: ((request: Request) => Promise<Response>) | undefined;
}

/** A subscription as tests see it. Its secret is shown once, where it is made. */
export interface WebhookSubscription {
  readonly id: string;
  /** The API client that it belongs to. */
  readonly clientId: string;
  readonly name: string;
  readonly url: string;
  /** Event types that it is told of. */
  readonly events: readonly string[];
  /** Only an active one gets events: its endpoint has answered the challenge. */
  readonly state: 'pending_verification' | 'active';
}

/** An event on its way to one subscription, as tests see it. */
export interface WebhookDelivery {
  readonly id: string;
  readonly subscriptionId: string;
  readonly eventId: string;
  readonly type: string;
  /** The body that every attempt carries, byte for byte. */
  readonly body: string;
  readonly state: 'pending' | 'delivered' | 'failed';
  /** What became of each attempt, oldest first; one that is under way isn't among them yet. */
  readonly attempts: readonly WebhookAttempt[];
  /** When the next attempt falls due, Unix milliseconds; null when none will, or one is under way. */
  readonly nextAttemptAt: number | null;
  /** The delivery that this one repeats. */
  readonly repeats: string | null;
}

/** One attempt to deliver an event. */
export interface WebhookAttempt {
  /** When it was signed and sent, Unix milliseconds. */
  readonly at: number;
  /**
   * - `acknowledged`: a 2xx, to a challenge one that repeats it
   * - `unverified`: a 2xx to a challenge that doesn't repeat it
   * - `refused`: any other status, redirects included
   * - `unreachable`: no answer
   * - `timed_out`: no answer in time
   * - `blocked`: a destination that deliveries don't go to; nothing was sent
   */
  readonly outcome: 'acknowledged' | 'unverified' | 'refused' | 'unreachable' | 'timed_out' | 'blocked';
  /** What the receiver answered with; null when it didn't. */
  readonly status: number | null;
  /** Why there was no answer, or why nothing was sent. */
  readonly problem: string | null;
}

/**
 * What is wrong on purpose with a delivery: a signature of another secret, a body that isn't the signed one, a signed
 * timestamp of an hour ago, or a header that names another event.
 */
export type Tamper = 'signature' | 'body' | 'timestamp' | 'event-id';

type Changing<T> = { -readonly [Field in keyof T]: T[Field] };

export interface Subscription {
  readonly shown: Changing<WebhookSubscription>;
  readonly party: Party;
  readonly secret: string;
  /** Whether its receiver may be at a private address, whatever the option `webhooks` says. */
  readonly allowsPrivate: boolean;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** What is told, in the bytes that every attempt and every subscription gets. */
export interface FrozenEvent {
  readonly id: string;
  readonly type: string;
  readonly body: Uint8Array;
  /** What the receiver of a verification has to repeat. */
  readonly challenge?: string;
}

export interface Delivery {
  readonly shown: Changing<WebhookDelivery>;
  readonly subscription: Subscription;
  readonly event: FrozenEvent;
  readonly mostAttempts: number;
  readonly tamper: Tamper | undefined;
}
