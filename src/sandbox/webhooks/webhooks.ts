import { openPayloads, shownPayloads } from '../../api/webhook-events.js';
import type { SandboxClock } from '../clock.js';
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

interface Delivery {
  readonly shown: Changing<WebhookDelivery>;
  readonly subscription: Subscription;
  readonly event: FrozenEvent;
  readonly mostAttempts: number;
  readonly tamper: Tamper | undefined;
}

/** Who wants to be told of what, and where. */
export interface Subscribing {
  /** Credentials of the client, such as `sandbox.credentials.dealer`. */
  readonly who: { readonly clientId: string };
  /** The receiver: https, unless the option `webhooks` says otherwise. */
  readonly url: string;
  /** Event types. */
  readonly events: readonly string[];
  readonly name?: string;
}

/** An event that only a test wants to be told of. */
export interface MadeUpEvent {
  /** Where to; every active subscription to the type when left out. */
  readonly subscriptionId?: string;
  /** Any type, one that doesn't exist included. */
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Event id; a fresh one when left out. */
  readonly id?: string;
  /** What is wrong with it: then it is attempted once. */
  readonly tamper?: Tamper;
}

/** The webhooks of the sandbox: who is subscribed, what is delivered, and what goes wrong with it. */
export class Webhooks {
  readonly #world: Surroundings;
  readonly #post: Post;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #deliveries = new Map<string, Delivery>();
  /** Attempts in progress, each a promise that never rejects. */
  readonly #pending = new Set<Promise<void>>();
  readonly #aborts = new Set<AbortController>();
  /** What has fallen due during a pause, oldest first. */
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
   * Subscribes a client, and asks its endpoint to repeat a challenge; `verify(id)` asks again. The secret is shown here,
   * and nowhere else. Throws a RangeError for a client, a URL or an event type that can't be.
   */
  subscribe(wanted: Subscribing): { readonly id: string; readonly secret: string } {
    const { who, url, events, name = 'by hand' } = wanted;
    const party = this.#world.parties.known(who.clientId);
    const problem = this.problemWith(url, events);
    if (problem !== undefined) throw new RangeError(problem.message);
    const { shown, secret } = this.add(party, { url, events, name });
    return { id: shown.id, secret };
  }

  /** @internal Ends a subscription; what is on its way to it is still attempted. */
  unsubscribe(id: string): void {
    this.#subscriptions.delete(named('subscription', this.#subscriptions, id).shown.id);
  }

  /** Sends a challenge to the endpoint of a subscription that has yet to answer one. */
  verify(id: string): void {
    const subscription = named('subscription', this.#subscriptions, id);
    if (subscription.shown.state === 'active') throw new RangeError(`subscription ${id} is active already`);
    this.#challenge(subscription);
  }

  /** All subscriptions, oldest first. */
  subscriptions(): WebhookSubscription[] {
    return [...this.#subscriptions.values()].map(({ shown }) => structuredClone(shown));
  }

  /** Deliveries with their attempts, oldest first; of those that are done with the latest 10,000. */
  deliveries(): WebhookDelivery[] {
    return [...this.#deliveries.values()].map(shownOf);
  }

  /**
   * Delivers an event again that was delivered or has failed for good: the same body and event id, and as many attempts
   * as at first. Throws a RangeError while it is pending.
   */
  replay(deliveryId: string): WebhookDelivery {
    const delivery = named('delivery', this.#deliveries, deliveryId);
    if (delivery.shown.state === 'pending') throw new RangeError(`delivery ${deliveryId} is pending`);
    if (delivery.event.challenge !== undefined) {
      throw new RangeError('a challenge is not replayed: verify(id)');
    }
    return shownOf(this.#deliver(delivery.subscription, delivery.event, { repeats: deliveryId }));
  }

  /** Delivers an event a second time, whatever became of the first: at least once is more than once. */
  deliverAgain(deliveryId: string): WebhookDelivery {
    const { subscription, event } = named('delivery', this.#deliveries, deliveryId);
    return shownOf(this.#deliver(subscription, event, { repeats: deliveryId, mostAttempts: 1 }));
  }

  /** Sends an event that nothing has caused, such as one with an old `resource_version`, or with something wrong. */
  send(wanted: MadeUpEvent): WebhookDelivery[] {
    const { subscriptionId, type, data, id, tamper } = wanted;
    const to =
      subscriptionId === undefined
        ? this.#subscribers(type)
        : [named('subscription', this.#subscriptions, subscriptionId)];
    const event = this.#freeze(type, data, id);
    const how = tamper === undefined ? {} : { tamper, mostAttempts: 1 };
    return to.map((subscription) => shownOf(this.#deliver(subscription, event, how)));
  }

  /** Stops: what falls due waits. With `lose`, events of this time are never delivered. */
  pause(how: { readonly lose?: boolean } = {}): void {
    this.#losing = how.lose ?? false;
    this.#paused = true;
  }

  /** Goes on, with what fell due meanwhile first; with `newestFirst` in the wrong order. */
  resume(how: { readonly newestFirst?: boolean } = {}): void {
    this.#losing = false;
    this.#paused = false;
    const held = this.#held.splice(0);
    if (how.newestFirst) this.#track(this.#oneByOne(held.reverse()));
    else for (const delivery of held) this.#track(this.#attempt(delivery));
  }

  /**
   * Resolves when every attempt that has fallen due is done with; it waits for no later ones. Await it before you move
   * a manual clock. While a receiver doesn't answer, that move is what ends the attempt.
   */
  async settled(): Promise<void> {
    do {
      this.#world.clock.catchUp();
      await Promise.all(this.#pending);
    } while (this.#pending.size > 0);
  }

  /** @internal What is wrong with a subscription, and with which field of it; undefined when nothing is. */
  problemWith(url: string, events: readonly string[], allowsPrivate = false) {
    const { allowPrivate = false, send } = this.#world.options;
    const ofUrl = urlProblem(url, allowsPrivate || allowPrivate || send !== undefined);
    if (ofUrl !== undefined) return { field: 'url', message: ofUrl };
    const unknown = events.filter((type) => !subscribable.has(type));
    if (events.length > 0 && unknown.length === 0) return undefined;
    const types = [...subscribable].join(', ');
    const message = `The events are one or more of ${types}; not ${unknown.join(', ') || 'none'}.`;
    return { field: 'events', message };
  }

  /** @internal Adds a subscription that was checked, and asks its endpoint to repeat a challenge. */
  add(party: Party, wanted: Required<Omit<Subscribing, 'who'>>, allowsPrivate = false): Subscription {
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

  /** @internal Publishes an event to the active subscriptions of those who may see what it is about. */
  publish(type: string, data: Readonly<Record<string, unknown>>, maySee: (party: Party) => boolean): void {
    if (this.#losing) return;
    const to = this.#subscribers(type).filter(({ party }) => maySee(party) && isInGoodStanding(party.facts));
    if (to.length === 0) return;
    const event = this.#freeze(type, data);
    for (const subscription of to) this.#deliver(subscription, event);
  }

  /** @internal Breaks off what is under way, and starts nothing any more. */
  close(): void {
    this.#closed = true;
    for (const abort of this.#aborts) abort.abort(new Error('the sandbox was closed'));
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

  /** An event that happens now; `more` goes into the envelope, next to `data`. */
  #freeze(type: string, data: object, id = this.#world.ids.next('evt'), more: object = {}): FrozenEvent {
    const created_at = isoTime(this.#world.clock.now());
    const envelope = { id, type, schema_version: 1, created_at, data, ...more };
    return { id, type, body: Buffer.from(JSON.stringify(envelope), 'utf8') };
  }

  /** Starts delivering an event to a subscription: at once, which is after whatever runs now. */
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
    // An advance of the clock runs to its end first: it would otherwise use up the time of this attempt.
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
    } else if (count >= mostAttempts || !isTransient(attempt)) {
      shown.state = 'failed';
    } else {
      this.#schedule(delivery, waitsMs[count - 1] ?? 0);
    }
  }

  /** Sends one attempt, signed for this moment, and says what became of it. */
  async #carry(delivery: Delivery, at: number): Promise<Omit<WebhookAttempt, 'at'>> {
    const { subscription, event, tamper } = delivery;
    const { headers, body } = signedDelivery(subscription.secret, event, at, tamper);
    const abort = new AbortController();
    const timeout = new Error(`no answer in ${timeoutMs} ms`);
    const stop = this.#world.clock.after(timeoutMs, () => abort.abort(timeout));
    this.#aborts.add(abort);
    try {
      const { shown, allowsPrivate } = subscription;
      const answer = await this.#post({ url: shown.url, headers, body, allowsPrivate, signal: abort.signal });
      return { outcome: judged(answer, event.challenge), status: answer.status, problem: null };
    } catch (error) {
      const problem = error instanceof Error ? error.message || error.name : String(error);
      if (error === timeout) return { outcome: 'timed_out', status: null, problem };
      const isBlocked = error instanceof BlockedDestinationError;
      return { outcome: isBlocked ? 'blocked' : 'unreachable', status: null, problem };
    } finally {
      stop();
      this.#aborts.delete(abort);
    }
  }
}

/** A client that has lost its access gets no events. */
function isInGoodStanding({ active, partnerActive, kyb, agreement, bankSubscription }: AccessFacts): boolean {
  return active && partnerActive && kyb && agreement && bankSubscription;
}

/** What webhooks need of the world around them. */
interface Surroundings {
  readonly clock: SandboxClock;
  readonly ids: Ids;
  readonly parties: Parties;
  readonly options: WebhookOptions;
}

/** Event types that can be subscribed to. */
export const subscribable: ReadonlySet<string> = new Set(
  [...Object.keys(shownPayloads), ...openPayloads].filter((type) => type !== 'webhook.endpoint_verification'),
);

function named<T>(what: string, all: ReadonlyMap<string, T>, id: string): T {
  const found = all.get(id);
  if (found === undefined) throw new RangeError(`the sandbox has no ${what} ${JSON.stringify(id)}`);
  return found;
}

function shownOf({ shown }: Delivery): WebhookDelivery {
  return { ...shown };
}

/** A challenge is to be repeated at the top of the JSON. */
function judged({ status, body }: Answer, challenge: string | undefined): WebhookAttempt['outcome'] {
  if (status < 200 || status > 299) return 'refused';
  if (challenge === undefined) return 'acknowledged';
  try {
    return JSON.parse(body ?? '')?.challenge === challenge ? 'acknowledged' : 'unverified';
  } catch {
    return 'unverified';
  }
}

/** Whether another attempt may help. */
function isTransient({ outcome, status }: WebhookAttempt): boolean {
  if (outcome === 'unreachable' || outcome === 'timed_out') return true;
  return outcome === 'refused' && status !== null && (status >= 500 || [408, 425, 429].includes(status));
}

/** How long an attempt may take. */
const timeoutMs = 10_000;
/** How long after the end of attempt n (from 1) the next one begins; with the first that makes eight. */
const waitsMs = [10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 10_800_000];
const mostKept = 10_000;
