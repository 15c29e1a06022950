import { openPayloads, shownPayloads } from '../../api/webhook-events.js';
import type { SandboxClock } from '../clock.js';
import type { Ids } from '../ids.js';
import type { AccessFacts, Parties, Party } from '../parties.js';
import { isoTime } from '../times.js';
import { Courier, mostAttempts } from './courier.js';
import {
  type Delivery,
  deliveryInfo,
  type FrozenEvent,
  type Subscription,
  subscriptionInfo,
  type Tamper,
  type WebhookDelivery,
  type WebhookOptions,
  type WebhookSubscription,
} from './delivery.js';
import { urlProblem } from './destination.js';
import { postInProcess, postOverNetwork } from './post.js';

/** Who wants to be told of what, and where. */
export type Subscribing = {
  /** The receiver: https, unless the option `webhooks` says otherwise. */
  readonly url: string;
  /** Event types. */
  readonly events: readonly string[];
  readonly name?: string;
} & (
  | { readonly clientId: string }
  /** Credentials of the client, such as `sandbox.credentials.dealer`. */
  | { readonly who: { readonly clientId: string } }
);

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
  readonly #courier: Courier;
  readonly #outbox: Outbox;
  readonly #subscriptions = new Map<string, Subscription>();
  #losing = false;

  /** @internal */
  constructor(world: Surroundings) {
    const { allowPrivate = false, send } = world.options;
    this.#world = world;
    const post = send === undefined ? postOverNetwork(allowPrivate) : postInProcess(send);
    this.#courier = new Courier(world.clock, post);
    this.#outbox = new Outbox(world.clock, world.ids, this.#courier);
  }

  /**
   * Subscribes a client, and asks its endpoint to repeat a challenge; `verify(id)` asks again. The secret is shown here,
   * and nowhere else. Throws a RangeError for a client, a URL or an event type that can't be.
   */
  subscribe(wanted: Subscribing): { readonly id: string; readonly secret: string } {
    return this.#subscribe(wanted, false);
  }

  /** @internal Also where the receiver is at a private address: only the control interface of this machine may ask. */
  subscribeLocally(wanted: Subscribing): { readonly id: string; readonly secret: string } {
    return this.#subscribe(wanted, true);
  }

  /** @internal Ends a subscription; what is on its way to it is still attempted. */
  unsubscribe(id: string): void {
    this.#subscriptions.delete(this.#subscription(id).id);
  }

  #subscribe(wanted: Subscribing, allowsPrivate: boolean): { readonly id: string; readonly secret: string } {
    const { url, events, name = 'by hand' } = wanted;
    const clientId = 'who' in wanted ? wanted.who.clientId : wanted.clientId;
    const party = this.#world.parties.find(clientId);
    if (party === undefined) throw new RangeError(`the sandbox has no client ${JSON.stringify(clientId)}`);
    const problem = allowsPrivate ? urlProblem(url, true) : this.urlProblem(url);
    if (problem !== undefined) throw new RangeError(problem);
    const unknown = events.filter((type) => !subscribable.has(type));
    if (events.length === 0 || unknown.length > 0) {
      const types = [...subscribable].join(', ');
      throw new RangeError(`events names one or more of ${types}; not ${unknown.join(', ') || 'none'}`);
    }
    const { id, secret } = this.add(party, { url, events, name }, allowsPrivate);
    return { id, secret };
  }

  /** Sends a challenge to the endpoint of a subscription that has yet to answer one. */
  verify(id: string): void {
    const subscription = this.#subscription(id);
    if (subscription.state === 'active') throw new RangeError(`subscription ${id} is active already`);
    this.#challenge(subscription);
  }

  /** All subscriptions, oldest first. */
  subscriptions(): WebhookSubscription[] {
    return [...this.#subscriptions.values()].map(subscriptionInfo);
  }

  /** Deliveries with their attempts, oldest first; of those that are done with the latest 10,000. */
  deliveries(): WebhookDelivery[] {
    return this.#outbox.all().map(deliveryInfo);
  }

  /**
   * Delivers an event again that was delivered or has failed for good: the same body and event id, and as many attempts
   * as at first. Throws a RangeError while it is pending.
   */
  replay(deliveryId: string): WebhookDelivery {
    const delivery = this.#outbox.find(deliveryId);
    if (delivery.state === 'pending') throw new RangeError(`delivery ${deliveryId} is pending`);
    if (delivery.event.challenge !== undefined)
      throw new RangeError('a challenge is not replayed: verify(id)');
    return deliveryInfo(
      this.#outbox.deliver(delivery.subscription, delivery.event, { repeats: delivery.id }),
    );
  }

  /** Delivers an event a second time, whatever became of the first: at least once is more than once. */
  deliverAgain(deliveryId: string): WebhookDelivery {
    const { subscription, event, id } = this.#outbox.find(deliveryId);
    return deliveryInfo(this.#outbox.deliver(subscription, event, { repeats: id, mostAttempts: 1 }));
  }

  /** Sends an event that nothing has caused, such as one with an old `resource_version`, or with something wrong. */
  send(wanted: MadeUpEvent): WebhookDelivery[] {
    const { subscriptionId, type, data, id, tamper } = wanted;
    const to = subscriptionId === undefined ? this.#subscribers(type) : [this.#subscription(subscriptionId)];
    const event = this.#outbox.freeze(type, data, id);
    const how = tamper === undefined ? {} : { tamper, mostAttempts: 1 };
    return to.map((subscription) => deliveryInfo(this.#outbox.deliver(subscription, event, how)));
  }

  /** Stops: what falls due waits. With `lose`, events of this time are never delivered. */
  pause(how: { readonly lose?: boolean } = {}): void {
    this.#losing = how.lose ?? false;
    this.#courier.pause();
  }

  /** Goes on, with what fell due meanwhile first; with `newestFirst` in the wrong order. */
  resume(how: { readonly newestFirst?: boolean } = {}): void {
    this.#losing = false;
    this.#courier.resume(how.newestFirst ?? false);
  }

  /**
   * Resolves when every attempt that has fallen due is done with; it waits for no later ones. Await it before you move
   * a manual clock. While a receiver doesn't answer, that move is what ends the attempt.
   */
  settled(): Promise<void> {
    return this.#courier.settled();
  }

  /** @internal What is wrong with a receiver's URL, in a sentence; undefined when nothing is. */
  urlProblem(url: string): string | undefined {
    const { allowPrivate = false, send } = this.#world.options;
    return urlProblem(url, allowPrivate || send !== undefined);
  }

  /** @internal Adds a subscription that was checked, and asks its endpoint to repeat a challenge. */
  add(
    party: Party,
    wanted: Pick<Subscription, 'url' | 'events' | 'name'>,
    allowsPrivate = false,
  ): Subscription {
    const { ids, clock } = this.#world;
    const subscription: Subscription = {
      id: ids.next('whs'),
      party,
      name: wanted.name,
      url: wanted.url,
      events: [...new Set(wanted.events)],
      secret: ids.next('whsec') + ids.next('whsec').slice('whsec_'.length),
      createdAt: clock.now(),
      allowsPrivate,
      state: 'pending_verification',
    };
    this.#subscriptions.set(subscription.id, subscription);
    this.#challenge(subscription);
    return subscription;
  }

  /** @internal Publishes an event to the active subscriptions of those who may see what it is about. */
  publish(type: string, data: Readonly<Record<string, unknown>>, maySee: (party: Party) => boolean): void {
    if (this.#losing) return;
    const to = this.#subscribers(type).filter(({ party }) => maySee(party) && isInGoodStanding(party.facts));
    if (to.length === 0) return;
    const event = this.#outbox.freeze(type, data);
    for (const subscription of to) this.#outbox.deliver(subscription, event);
  }

  /** @internal Breaks off what is under way, and starts nothing any more. */
  close(): void {
    this.#courier.close();
  }

  #subscribers(type: string): Subscription[] {
    return [...this.#subscriptions.values()].filter(
      ({ state, events }) => state === 'active' && events.includes(type),
    );
  }

  #challenge(subscription: Subscription): void {
    const challenge = this.#world.ids.next('challenge');
    const event = this.#outbox.freeze('webhook.endpoint_verification', {}, undefined, { challenge });
    this.#outbox.deliver(subscription, { ...event, challenge }, { mostAttempts: 1 });
  }

  #subscription(id: string): Subscription {
    const found = this.#subscriptions.get(id);
    if (found === undefined) throw new RangeError(`the sandbox has no subscription ${JSON.stringify(id)}`);
    return found;
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

/** Everything that was given out to be delivered. */
class Outbox {
  readonly #clock: SandboxClock;
  readonly #ids: Ids;
  readonly #courier: Courier;
  readonly #deliveries = new Map<string, Delivery>();

  constructor(clock: SandboxClock, ids: Ids, courier: Courier) {
    this.#clock = clock;
    this.#ids = ids;
    this.#courier = courier;
  }

  /** Oldest first; of those that are done with the latest 10,000. */
  all(): Delivery[] {
    return [...this.#deliveries.values()];
  }

  find(id: string): Delivery {
    const found = this.#deliveries.get(id);
    if (found === undefined) throw new RangeError(`the sandbox has no delivery ${JSON.stringify(id)}`);
    return found;
  }

  /** An event of now; `more` stands in the envelope beside `data`. */
  freeze(type: string, data: object, id = this.#ids.next('evt'), more: object = {}): FrozenEvent {
    const created_at = isoTime(this.#clock.now());
    const envelope = { id, type, schema_version: 1, created_at, data, ...more };
    return { id, type, body: Buffer.from(JSON.stringify(envelope), 'utf8') };
  }

  /** Starts delivering an event to a subscription. */
  deliver(
    subscription: Subscription,
    event: FrozenEvent,
    how: Partial<Pick<Delivery, 'repeats' | 'mostAttempts' | 'tamper'>> = {},
  ): Delivery {
    const delivery: Delivery = {
      id: this.#ids.next('whd'),
      subscription,
      event,
      mostAttempts: how.mostAttempts ?? mostAttempts,
      tamper: how.tamper,
      repeats: how.repeats ?? null,
      state: 'pending',
      attempts: [],
      nextAttemptAt: null,
    };
    this.#deliveries.set(delivery.id, delivery);
    if (this.#deliveries.size > mostKept) this.#forgetOne();
    this.#courier.dispatch(delivery);
    return delivery;
  }

  #forgetOne(): void {
    for (const [id, { state }] of this.#deliveries) {
      if (state === 'pending') continue;
      this.#deliveries.delete(id);
      return;
    }
  }
}

const mostKept = 10_000;
