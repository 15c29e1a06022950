import { openPayloads, shownPayloads } from '../../api/webhook-events.js';
import type { SandboxClock } from '../clock.js';
import type { Ids } from '../ids.js';
import type { AccessFacts, Parties, Party } from '../parties.js';
import { Courier } from './courier.js';
import type {
  Delivery,
  Subscription,
  Tamper,
  WebhookDelivery,
  WebhookOptions,
  WebhookSubscription,
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
  readonly #subscriptions = new Map<string, Subscription>();
  #losing = false;

  /** @internal */
  constructor(world: Surroundings) {
    const { allowPrivate = false, send } = world.options;
    this.#world = world;
    const post = send === undefined ? postOverNetwork(allowPrivate) : postInProcess(send);
    this.#courier = new Courier(world.clock, world.ids, post);
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
    this.#subscriptions.delete(this.#subscription(id).shown.id);
  }

  #subscribe(wanted: Subscribing, allowsPrivate: boolean): { readonly id: string; readonly secret: string } {
    const { url, events, name = 'by hand' } = wanted;
    const party = this.#world.parties.known('who' in wanted ? wanted.who.clientId : wanted.clientId);
    const problem = allowsPrivate ? urlProblem(url, true) : this.urlProblem(url);
    if (problem !== undefined) throw new RangeError(problem);
    const unknown = events.filter((type) => !subscribable.has(type));
    if (events.length === 0 || unknown.length > 0) {
      const types = [...subscribable].join(', ');
      throw new RangeError(`events names one or more of ${types}; not ${unknown.join(', ') || 'none'}`);
    }
    const { shown, secret } = this.add(party, { url, events, name }, allowsPrivate);
    return { id: shown.id, secret };
  }

  /** Sends a challenge to the endpoint of a subscription that has yet to answer one. */
  verify(id: string): void {
    const subscription = this.#subscription(id);
    if (subscription.shown.state === 'active') throw new RangeError(`subscription ${id} is active already`);
    this.#challenge(subscription);
  }

  /** All subscriptions, oldest first. */
  subscriptions(): WebhookSubscription[] {
    return [...this.#subscriptions.values()].map(({ shown }) => structuredClone(shown));
  }

  /** Deliveries with their attempts, oldest first; of those that are done with the latest 10,000. */
  deliveries(): WebhookDelivery[] {
    return this.#courier.all().map(shownOf);
  }

  /**
   * Delivers an event again that was delivered or has failed for good: the same body and event id, and as many attempts
   * as at first. Throws a RangeError while it is pending.
   */
  replay(deliveryId: string): WebhookDelivery {
    const delivery = this.#courier.find(deliveryId);
    if (delivery.shown.state === 'pending') throw new RangeError(`delivery ${deliveryId} is pending`);
    if (delivery.event.challenge !== undefined) {
      throw new RangeError('a challenge is not replayed: verify(id)');
    }
    return shownOf(this.#courier.deliver(delivery.subscription, delivery.event, { repeats: deliveryId }));
  }

  /** Delivers an event a second time, whatever became of the first: at least once is more than once. */
  deliverAgain(deliveryId: string): WebhookDelivery {
    const { subscription, event } = this.#courier.find(deliveryId);
    return shownOf(this.#courier.deliver(subscription, event, { repeats: deliveryId, mostAttempts: 1 }));
  }

  /** Sends an event that nothing has caused, such as one with an old `resource_version`, or with something wrong. */
  send(wanted: MadeUpEvent): WebhookDelivery[] {
    const { subscriptionId, type, data, id, tamper } = wanted;
    const to = subscriptionId === undefined ? this.#subscribers(type) : [this.#subscription(subscriptionId)];
    const event = this.#courier.freeze(type, data, id);
    const how = tamper === undefined ? {} : { tamper, mostAttempts: 1 };
    return to.map((subscription) => shownOf(this.#courier.deliver(subscription, event, how)));
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
    wanted: Pick<WebhookSubscription, 'url' | 'events' | 'name'>,
    allowsPrivate = false,
  ): Subscription {
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
    const event = this.#courier.freeze(type, data);
    for (const subscription of to) this.#courier.deliver(subscription, event);
  }

  /** @internal Breaks off what is under way, and starts nothing any more. */
  close(): void {
    this.#courier.close();
  }

  #subscribers(type: string): Subscription[] {
    return [...this.#subscriptions.values()].filter(
      ({ shown }) => shown.state === 'active' && shown.events.includes(type),
    );
  }

  #challenge(subscription: Subscription): void {
    const challenge = this.#world.ids.next('challenge');
    const event = this.#courier.freeze('webhook.endpoint_verification', {}, undefined, { challenge });
    this.#courier.deliver(subscription, { ...event, challenge }, { mostAttempts: 1 });
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

function shownOf({ shown }: Delivery): WebhookDelivery {
  return structuredClone(shown);
}
