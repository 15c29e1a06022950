import type { SandboxClock } from '../clock.js';
import type { Ids } from '../ids.js';
import { isoTime } from '../times.js';
import type { Courier } from './courier.js';
import type { Delivery, FrozenEvent, Subscription } from './delivery.js';

/** Everything that was given out to be delivered. */
export class Outbox {
  readonly #clock: SandboxClock;
  readonly #ids: Ids;
  readonly #courier: Pick<Courier, 'dispatch'>;
  readonly #mostAttempts: number;
  readonly #deliveries = new Map<string, Delivery>();

  constructor(clock: SandboxClock, ids: Ids, courier: Pick<Courier, 'dispatch'>, mostAttempts: number) {
    this.#clock = clock;
    this.#ids = ids;
    this.#courier = courier;
    this.#mostAttempts = mostAttempts;
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
      mostAttempts: how.mostAttempts ?? this.#mostAttempts,
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
