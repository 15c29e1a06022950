import { createHmac } from 'node:crypto';
import type { SandboxClock } from '../clock.js';
import type { Ids } from '../ids.js';
import { isoTime } from '../times.js';
import type { Delivery, FrozenEvent, Subscription, Tamper, WebhookAttempt } from './delivery.js';
import { BlockedDestinationError } from './destination.js';
import type { Answer, Post } from './post.js';

/** Everything that is to be delivered: when attempts fall due, what their answers mean, and when it is enough. */
export class Courier {
  readonly #clock: SandboxClock;
  readonly #ids: Ids;
  readonly #post: Post;
  readonly #deliveries = new Map<string, Delivery>();
  /** Attempts in progress, each a promise that never rejects. */
  readonly #pending = new Set<Promise<void>>();
  readonly #aborts = new Set<AbortController>();
  /** What has fallen due during a pause, oldest first. */
  readonly #held: Delivery[] = [];
  #paused = false;
  #closed = false;

  constructor(clock: SandboxClock, ids: Ids, post: Post) {
    this.#clock = clock;
    this.#ids = ids;
    this.#post = post;
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

  /** Starts delivering an event to a subscription: at once, which is after whatever runs now. */
  deliver(
    subscription: Subscription,
    event: FrozenEvent,
    how: { readonly repeats?: string; readonly mostAttempts?: number; readonly tamper?: Tamper } = {},
  ): Delivery {
    const { repeats = null, mostAttempts = 1 + waitsMs.length, tamper } = how;
    const shown: Delivery['shown'] = {
      id: this.#ids.next('whd'),
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

  pause(): void {
    this.#paused = true;
  }

  /** Goes on with what fell due meanwhile, in its order or, one after the other, from the newest on. */
  resume(newestFirst: boolean): void {
    this.#paused = false;
    const held = this.#held.splice(0);
    if (newestFirst) this.#track(this.#oneByOne(held.reverse()));
    else for (const delivery of held) this.#track(this.#attempt(delivery));
  }

  /** Resolves when what has fallen due is done with. */
  async settled(): Promise<void> {
    do {
      this.#clock.catchUp();
      await Promise.all(this.#pending);
    } while (this.#pending.size > 0);
  }

  /** Breaks off every attempt, and starts no more. */
  close(): void {
    this.#closed = true;
    for (const abort of this.#aborts) abort.abort(new Error('the sandbox was closed'));
  }

  #forgetOne(): void {
    const done = this.all().find(({ shown }) => shown.state !== 'pending');
    if (done !== undefined) this.#deliveries.delete(done.shown.id);
  }

  #schedule(delivery: Delivery, ms: number): void {
    delivery.shown.nextAttemptAt = this.#clock.now() + ms;
    this.#clock.after(ms, () => {
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
    const at = this.#clock.now();
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
    const timeout = new TimeoutError(`no answer in ${timeoutMs} ms`);
    const stop = this.#clock.after(timeoutMs, () => abort.abort(timeout));
    this.#aborts.add(abort);
    try {
      const { shown, allowsPrivate } = subscription;
      const answer = await this.#post({ url: shown.url, headers, body, allowsPrivate, signal: abort.signal });
      return { outcome: judged(answer, event.challenge), status: answer.status, problem: null };
    } catch (error) {
      const problem = error instanceof Error ? error.message || error.name : String(error);
      if (error instanceof TimeoutError) return { outcome: 'timed_out', status: null, problem };
      const isBlocked = error instanceof BlockedDestinationError;
      return { outcome: isBlocked ? 'blocked' : 'unreachable', status: null, problem };
    } finally {
      stop();
      this.#aborts.delete(abort);
    }
  }
}

class TimeoutError extends Error {}

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

/** Signs a body at a moment (Unix milliseconds): HMAC-SHA256 of the timestamp, a period and the bytes. */
export function signedDelivery(
  secret: string,
  event: Pick<FrozenEvent, 'id' | 'body'>,
  now: number,
  tamper?: Tamper,
): { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array } {
  const at = tamper === 'timestamp' ? now - 3_600_000 : now;
  const timestamp = String(Math.floor(at / 1_000));
  const key = tamper === 'signature' ? `not ${secret}` : secret;
  const digest = createHmac('sha256', key).update(`${timestamp}.`).update(event.body).digest('hex');
  return {
    headers: {
      'Content-Type': 'application/json',
      'Service-Timestamp': timestamp,
      'Service-Signature': `v1=${digest}`,
      'Service-Event-ID': tamper === 'event-id' ? `${event.id}x` : event.id,
    },
    // One more space: still the same JSON, and not the signed bytes any more.
    body: tamper === 'body' ? Buffer.concat([event.body, Buffer.from(' ')]) : event.body,
  };
}

/** How long an attempt may take. */
const timeoutMs = 10_000;
/** How long after the end of attempt n (from 1) the next one begins; with the first that makes eight. */
const waitsMs = [10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 10_800_000];
const mostKept = 10_000;
