import { openPayloads, shownPayloads } from '../../api/webhook-events.js';
import { LinkedSignal } from '../../runtime/timers.js';
import type { SandboxClock } from '../clock.js';
import type { DeploymentHabits } from '../deployment/deployment.js';
import type { Ids } from '../ids.js';
import type { AccessFacts, Parties, Party } from '../parties.js';
import { isoTime } from '../times.js';
import { BlockedDestinationError, urlProblem } from './destination.js';
import {
  type Answer,
  type FrozenEvent,
  type Post,
  postInProcess,
  postOverNetwork,
  signedDelivery,
  type Tamper,
} from './post.js';

/** Webhook delivery options. */
export interface WebhookOptions {
  /** Whether receivers can have private or local addresses and plain HTTP. For tests. Defaults to false. */
  readonly allowPrivate?: boolean | undefined;
  /**
   * Handles every delivery in process, like the `fetch` of a web framework, without DNS or network. A rejection
   * counts as an unreachable receiver.
   */
  readonly send?: ((request: Request) => Promise<Response>) | undefined;
}

/** A webhook subscription. Only its creation returns the secret. */
export interface WebhookSubscription {
  readonly id: string;
  /** API client that owns the subscription. */
  readonly clientId: string;
  readonly name: string;
  readonly url: string;
  /** Subscribed event types. */
  readonly events: readonly string[];
  /** `active` once the endpoint has answered the challenge. Only active subscriptions get events. */
  readonly state: 'pending_verification' | 'active';
}

/** The delivery of an event to one subscription. */
export interface WebhookDelivery {
  readonly id: string;
  readonly subscriptionId: string;
  readonly eventId: string;
  readonly type: string;
  /** The body that every attempt carries, byte for byte. */
  readonly body: string;
  readonly state: 'pending' | 'delivered' | 'failed';
  /** Completed attempts, oldest first. */
  readonly attempts: readonly WebhookAttempt[];
  /** Due time of the next attempt, Unix milliseconds; null if there is none, or one is in progress. */
  readonly nextAttemptAt: number | null;
  /** Id of the delivery that this one repeats; null for an original. */
  readonly repeats: string | null;
}

/** One attempt to deliver an event. */
export interface WebhookAttempt {
  /** Signing and sending time, Unix milliseconds. */
  readonly at: number;
  /**
   * - `acknowledged`: a 2xx; for a challenge, a 2xx that repeats it
   * - `unverified`: a 2xx to a challenge that doesn't repeat it
   * - `refused`: any other status, redirects included
   * - `unreachable`: no reply
   * - `timed_out`: no reply in time
   * - `blocked`: the destination is not allowed; nothing was sent
   */
  readonly outcome: 'acknowledged' | 'unverified' | 'refused' | 'unreachable' | 'timed_out' | 'blocked';
  /** Status of the reply; null without one. */
  readonly status: number | null;
  /** Why there was no reply or nothing was sent; null for a reply. */
  readonly problem: string | null;
}

type Changing<T> = { -readonly [Field in keyof T]: T[Field] };

export interface Subscription {
  readonly shown: Changing<WebhookSubscription>;
  readonly party: Party;
  readonly secret: string;
  /** Whether the receiver can have a private address, overriding the option `webhooks`. */
  readonly allowsPrivate: boolean;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

interface Delivery {
  readonly shown: Changing<WebhookDelivery>;
  readonly subscription: Subscription;
  readonly event: FrozenEvent;
  readonly mostAttempts: number;
  readonly tamper: Tamper | undefined;
}

/** Options of `webhooks.subscribe()`. */
export interface SubscribeOptions {
  /** Credentials of the subscribing client, such as `sandbox.credentials.dealer`. */
  readonly who: { readonly clientId: string };
  /** URL of the receiver. Must be https unless the option `webhooks` allows http. */
  readonly url: string;
  /** Event types. */
  readonly events: readonly string[];
  /** Name of the subscription. */
  readonly name?: string;
}

/** An event for `webhooks.send()`. */
export interface SyntheticEvent {
  /** Target subscription. Defaults to every active subscription to the type. */
  readonly subscriptionId?: string;
  /** Event type. May be a type that does not exist. */
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Event id. Defaults to a new one. */
  readonly id?: string;
  /** Deliberate defect. A defective event is attempted once. */
  readonly tamper?: Tamper;
}

/** Webhook subscriptions and deliveries of the sandbox, with fault controls. */
export class Webhooks {
  readonly #world: Surroundings;
  readonly #post: Post;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #deliveries = new Map<string, Delivery>();
  /** Attempts in progress. The promises never reject. */
  readonly #pending = new Set<Promise<void>>();
  readonly #closing = new LinkedSignal();
  /** Deliveries that became due during a pause, oldest first. */
  readonly #held: Delivery[] = [];
  #paused = false;
  #losing = false;
  #closed = false;

  /** @internal */
  constructor(world: Surroundings) {
    const { allowPrivate = false, send } = world.options;
    this.#world = world;
    this.#post = send === undefined ? postOverNetwork(allowPrivate) : postInProcess(send);
  }

  /**
   * Subscribes a client and sends a challenge to its endpoint. `verify(id)` sends another one. Only this call
   * returns the secret. Throws a RangeError for an unknown client, an invalid URL or an unknown event type.
   */
  subscribe(wanted: SubscribeOptions): { readonly id: string; readonly secret: string } {
    const { who, url, events, name = 'by hand' } = wanted;
    const party = this.#world.parties.known(who.clientId);
    const problem = this.problemWith(url, events);
    if (problem !== undefined) throw new RangeError(problem.message);
    const { shown, secret } = this.add(party, { url, events, name });
    return { id: shown.id, secret };
  }

  /** @internal Removes a subscription. Its pending deliveries are still attempted. */
  unsubscribe(id: string): void {
    this.#subscriptions.delete(findById('subscription', this.#subscriptions, id).shown.id);
  }

  /** Sends a challenge to the endpoint of an unverified subscription. */
  verify(id: string): void {
    const subscription = findById('subscription', this.#subscriptions, id);
    if (subscription.shown.state === 'active')
      throw new RangeError(`The subscription ${id} is already active.`);
    this.#challenge(subscription);
  }

  /** All subscriptions, oldest first. */
  subscriptions(): WebhookSubscription[] {
    return [...this.#subscriptions.values()].map(({ shown }) => structuredClone(shown));
  }

  /** Deliveries with their attempts, oldest first. Beyond 10,000, completed ones are dropped. */
  deliveries(): WebhookDelivery[] {
    return [...this.#deliveries.values()].map(shownOf);
  }

  /**
   * Delivers a completed delivery again with the same body and event id, and with retries. Throws a RangeError
   * while it is pending.
   */
  replay(deliveryId: string): WebhookDelivery {
    const delivery = findById('delivery', this.#deliveries, deliveryId);
    if (delivery.shown.state === 'pending')
      throw new RangeError(`The delivery ${deliveryId} is pending. Wait until it is delivered or failed.`);
    if (delivery.event.challenge !== undefined) {
      throw new RangeError('A challenge cannot be replayed. Call verify(id) for a new one.');
    }
    return shownOf(this.#deliver(delivery.subscription, delivery.event, { repeats: deliveryId }));
  }

  /** Delivers an event again with one attempt, in any state. Use it to test duplicate events. */
  deliverAgain(deliveryId: string): WebhookDelivery {
    const { subscription, event } = findById('delivery', this.#deliveries, deliveryId);
    return shownOf(this.#deliver(subscription, event, { repeats: deliveryId, mostAttempts: 1 }));
  }

  /** Sends a made-up event, such as one with an old `resource_version` or a defect. */
  send(wanted: SyntheticEvent): WebhookDelivery[] {
    const { subscriptionId, type, data, id, tamper } = wanted;
    const to =
      subscriptionId === undefined
        ? this.#subscribers(type)
        : [findById('subscription', this.#subscriptions, subscriptionId)];
    const event = this.#freeze(type, data, id);
    const how = tamper === undefined ? {} : { tamper, mostAttempts: 1 };
    return to.map((subscription) => shownOf(this.#deliver(subscription, event, how)));
  }

  /** Pauses deliveries. Due attempts wait. With `lose`, events published during the pause are dropped. */
  pause(how: { readonly lose?: boolean } = {}): void {
    this.#losing = how.lose ?? false;
    this.#paused = true;
  }

  /** Resumes deliveries, starting with the waiting ones. `newestFirst` reverses their order. */
  resume(how: { readonly newestFirst?: boolean } = {}): void {
    this.#losing = false;
    this.#paused = false;
    const held = this.#held.splice(0);
    if (how.newestFirst) this.#track(this.#oneByOne(held.reverse()));
    else for (const delivery of held) this.#track(this.#attempt(delivery));
  }

  /**
   * Resolves when every due attempt is completed. It does not wait for later attempts. Await it before you advance
   * a manual clock. If a receiver does not reply, only an advance of the clock ends the attempt.
   */
  async settled(): Promise<void> {
    do {
      this.#world.clock.catchUp();
      await Promise.all(this.#pending);
    } while (this.#pending.size > 0);
  }

  /** @internal Describes an invalid field of a subscription; undefined if it is valid. */
  problemWith(url: string, events: readonly string[], allowsPrivate = false) {
    const { allowPrivate = false, send } = this.#world.options;
    const ofUrl = urlProblem(url, allowsPrivate || allowPrivate || send !== undefined);
    if (ofUrl !== undefined) return { field: 'url', message: ofUrl };
    const unknown = events.filter((type) => !subscribable.has(type));
    if (events.length > 0 && unknown.length === 0) return undefined;
    const types = [...subscribable].join(', ');
    const message = `The events are invalid: ${unknown.join(', ') || 'none given'}. Use one or more of ${types}.`;
    return { field: 'events', message };
  }

  /** @internal Adds a checked subscription and sends a challenge to its endpoint. */
  add(party: Party, wanted: Required<Omit<SubscribeOptions, 'who'>>, allowsPrivate = false): Subscription {
    const { ids, clock } = this.#world;
    const { name, url } = wanted;
    const subscription: Subscription = {
      shown: {
        id: ids.next('whs'),
        clientId: party.clientId,
        name,
        url,
        events: [...new Set(wanted.events)],
        state: 'pending_verification',
      },
      party,
      secret: ids.next('whsec') + ids.next('whsec').slice('whsec_'.length),
      allowsPrivate,
      createdAt: clock.now(),
    };
    this.#subscriptions.set(subscription.shown.id, subscription);
    this.#challenge(subscription);
    return subscription;
  }

  /** @internal Publishes an event to the active subscriptions of clients that may see it. */
  publish(type: string, data: Readonly<Record<string, unknown>>, maySee: (party: Party) => boolean): void {
    if (this.#losing) return;
    const to = this.#subscribers(type).filter(({ party }) => maySee(party) && isInGoodStanding(party.facts));
    if (to.length === 0) return;
    const event = this.#freeze(type, data);
    for (const subscription of to) this.#deliver(subscription, event);
  }

  /** @internal Aborts attempts in progress and starts no new ones. */
  close(): void {
    this.#closed = true;
    this.#closing.fire(new Error('the sandbox was closed'));
  }

  #subscribers(type: string): Subscription[] {
    return [...this.#subscriptions.values()].filter(
      ({ shown }) => shown.state === 'active' && shown.events.includes(type),
    );
  }

  #challenge(subscription: Subscription): void {
    const challenge = this.#world.ids.next('challenge');
    const event = this.#freeze('webhook.endpoint_verification', {}, undefined, { challenge });
    this.#deliver(subscription, { ...event, challenge }, { mostAttempts: 1 });
  }

  /** Serialises an event at the current time. `more` adds fields to the envelope. */
  #freeze(type: string, data: object, id = this.#world.ids.next('evt'), more: object = {}): FrozenEvent {
    const created_at = isoTime(this.#world.clock.now());
    const envelope = { id, type, schema_version: 1, created_at, data, ...more };
    const json = this.#world.deployment.event(envelope);
    return { id, type, body: Buffer.from(JSON.stringify(json), 'utf8') };
  }

  /** Schedules the delivery of an event after the current synchronous work. */
  #deliver(
    subscription: Subscription,
    event: FrozenEvent,
    how: { readonly repeats?: string; readonly mostAttempts?: number; readonly tamper?: Tamper } = {},
  ): Delivery {
    const { repeats = null, mostAttempts = 1 + waitsMs.length, tamper } = how;
    const shown: Delivery['shown'] = {
      id: this.#world.ids.next('whd'),
      subscriptionId: subscription.shown.id,
      eventId: event.id,
      type: event.type,
      body: Buffer.from(event.body).toString('utf8'),
      state: 'pending',
      attempts: [],
      nextAttemptAt: null,
      repeats,
    };
    const delivery = { shown, subscription, event, mostAttempts, tamper };
    this.#deliveries.set(shown.id, delivery);
    if (this.#deliveries.size > mostKept) this.#forgetOne();
    this.#schedule(delivery, 0);
    return delivery;
  }

  #forgetOne(): void {
    const done = [...this.#deliveries.values()].find(({ shown }) => shown.state !== 'pending');
    if (done !== undefined) this.#deliveries.delete(done.shown.id);
  }

  #schedule(delivery: Delivery, ms: number): void {
    const { clock } = this.#world;
    delivery.shown.nextAttemptAt = clock.now() + ms;
    clock.after(ms, () => {
      if (this.#paused) this.#held.push(delivery);
      else this.#track(this.#attempt(delivery));
    });
  }

  #track(work: Promise<void>): void {
    this.#pending.add(work);
    work.finally(() => this.#pending.delete(work));
  }

  async #oneByOne(deliveries: readonly Delivery[]): Promise<void> {
    for (const delivery of deliveries) await this.#attempt(delivery);
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { shown, subscription, event, mostAttempts } = delivery;
    // Let a running advance of the clock finish, so that it does not use up the timeout of this attempt.
    await Promise.resolve();
    if (this.#closed) return;
    shown.nextAttemptAt = null;
    const at = this.#world.clock.now();
    const attempt = { at, ...(await this.#carry(delivery, at)) };
    if (this.#closed) return;
    shown.attempts = [...shown.attempts, attempt];
    const count = shown.attempts.length;
    if (attempt.outcome === 'acknowledged') {
      shown.state = 'delivered';
      if (event.challenge !== undefined) subscription.shown.state = 'active';
    } else if (count >= mostAttempts || !isRetried(attempt)) {
      shown.state = 'failed';
    } else {
      this.#schedule(delivery, waitsMs[count - 1] ?? 0);
    }
  }

  /** Signs and sends one attempt and returns its outcome. */
  async #carry(delivery: Delivery, at: number): Promise<Omit<WebhookAttempt, 'at'>> {
    const { subscription, event, tamper } = delivery;
    const timestampOf = (ms: number) => this.#world.deployment.webhookTimestamp(ms);
    const { headers, body } = signedDelivery(subscription.secret, event, at, { tamper, timestampOf });
    const ended = new LinkedSignal(this.#closing.signal);
    const timeout = new Error(`no reply within ${timeoutMs} ms`);
    const stop = this.#world.clock.after(timeoutMs, () => ended.fire(timeout));
    try {
      const { shown, allowsPrivate } = subscription;
      const answer = await this.#post({ url: shown.url, headers, body, allowsPrivate, signal: ended.signal });
      return { outcome: judged(answer, event.challenge), status: answer.status, problem: null };
    } catch (error) {
      const problem = error instanceof Error ? error.message || error.name : String(error);
      if (error === timeout) return { outcome: 'timed_out', status: null, problem };
      const isBlocked = error instanceof BlockedDestinationError;
      return { outcome: isBlocked ? 'blocked' : 'unreachable', status: null, problem };
    } finally {
      stop();
      ended.release();
    }
  }
}

/** Whether a client has access. Others get no events. */
function isInGoodStanding({ active, partnerActive, kyb, agreement, bankSubscription }: AccessFacts): boolean {
  return active && partnerActive && kyb && agreement && bankSubscription;
}

/** Dependencies of the webhooks. */
interface Surroundings {
  readonly clock: SandboxClock;
  readonly ids: Ids;
  readonly parties: Parties;
  readonly deployment: DeploymentHabits;
  readonly options: WebhookOptions;
}

/** Subscribable event types. */
export const subscribable: ReadonlySet<string> = new Set(
  [...Object.keys(shownPayloads), ...openPayloads].filter((type) => type !== 'webhook.endpoint_verification'),
);

function findById<T>(what: string, all: ReadonlyMap<string, T>, id: string): T {
  const found = all.get(id);
  if (found === undefined) throw new RangeError(`No ${what} has the id ${JSON.stringify(id)}.`);
  return found;
}

function shownOf({ shown }: Delivery): WebhookDelivery {
  return { ...shown };
}

/** Classifies a reply. A challenge must be repeated at the top level of the JSON. */
function judged({ status, body }: Answer, challenge: string | undefined): WebhookAttempt['outcome'] {
  if (status < 200 || status > 299) return 'refused';
  if (challenge === undefined) return 'acknowledged';
  try {
    return JSON.parse(body ?? '')?.challenge === challenge ? 'acknowledged' : 'unverified';
  } catch {
    return 'unverified';
  }
}

/** Whether to retry after this outcome. */
function isRetried({ outcome, status }: WebhookAttempt): boolean {
  if (outcome === 'unreachable' || outcome === 'timed_out') return true;
  return outcome === 'refused' && status !== null && (status >= 500 || [408, 425, 429].includes(status));
}

/** Timeout of an attempt, milliseconds. */
const timeoutMs = 10_000;
/** Delay before each retry, milliseconds. With the first attempt, eight attempts in all. */
const waitsMs = [10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 10_800_000];
const mostKept = 10_000;
