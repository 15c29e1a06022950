import { createHmac } from 'node:crypto';
import type { SandboxClock } from '../clock.js';
import type { Delivery, FrozenEvent, Tamper, WebhookAttempt } from './delivery.js';
import { BlockedDestinationError } from './destination.js';
import type { Answer, Post } from './post.js';

/** Carries deliveries out: when attempts fall due, what their answers mean, and when it is enough. */
export class Courier {
  readonly #clock: SandboxClock;
  readonly #post: Post;
  /** Attempts in progress, each a promise that never rejects. */
  readonly #pending = new Set<Promise<void>>();
  readonly #aborts = new Set<AbortController>();
  /** What has fallen due during a pause, oldest first. */
  readonly #held: Delivery[] = [];
  #paused = false;
  #closed = false;

  constructor(clock: SandboxClock, post: Post) {
    this.#clock = clock;
    this.#post = post;
  }

  /** Attempts a delivery at once, which is: after whatever runs now. */
  dispatch(delivery: Delivery): void {
    this.#schedule(delivery, 0);
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

  /** Breaks off every attempt, and starts none any more. */
  close(): void {
    this.#closed = true;
    for (const abort of this.#aborts) abort.abort(new Error('the sandbox was closed'));
  }

  #schedule(delivery: Delivery, ms: number): void {
    delivery.nextAttemptAt = this.#clock.now() + ms;
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
    // An advance of the clock runs to its end first: it would otherwise use up the time of this attempt.
    await Promise.resolve();
    if (this.#closed) return;
    delivery.nextAttemptAt = null;
    const at = this.#clock.now();
    const result = await this.#carry(delivery, at);
    if (this.#closed) return;
    const attempt = { at, ...result };
    delivery.attempts.push(attempt);
    if (attempt.outcome === 'acknowledged') {
      delivery.state = 'delivered';
      if (delivery.event.challenge !== undefined) delivery.subscription.state = 'active';
    } else if (delivery.attempts.length >= delivery.mostAttempts || !isTransient(attempt)) {
      delivery.state = 'failed';
    } else {
      this.#schedule(delivery, waitsMs[delivery.attempts.length - 1] ?? 0);
    }
  }

  /** Sends one attempt, signed for this moment, and says what became of it. */
  async #carry(delivery: Delivery, at: number): Promise<Omit<WebhookAttempt, 'at'>> {
    const { subscription, event, tamper } = delivery;
    const { headers, body } = signedDelivery(subscription.secret, event, at, tamper);
    const abort = new AbortController();
    const timeout = new TimeoutError(timeoutMs);
    const stop = this.#clock.after(timeoutMs, () => abort.abort(timeout));
    this.#aborts.add(abort);
    try {
      const answer = await this.#post({
        url: subscription.url,
        headers,
        body,
        allowsPrivate: subscription.allowsPrivate,
        signal: abort.signal,
      });
      return { outcome: judged(answer, event.challenge), status: answer.status, problem: null };
    } catch (error) {
      return { ...failed(error), status: null };
    } finally {
      stop();
      this.#aborts.delete(abort);
    }
  }
}

class TimeoutError extends Error {
  constructor(ms: number) {
    super(`no answer in ${ms} ms`);
    this.name = 'TimeoutError';
  }
}

function judged({ status, body }: Answer, challenge: string | undefined): WebhookAttempt['outcome'] {
  if (status < 200 || status > 299) return 'refused';
  return challenge === undefined || repeats(body, challenge) ? 'acknowledged' : 'unverified';
}

/** Whether an answer is JSON with the challenge at its top. */
function repeats(body: string | undefined, challenge: string): boolean {
  try {
    const answer: unknown = JSON.parse(body ?? '');
    return (
      typeof answer === 'object' && answer !== null && 'challenge' in answer && answer.challenge === challenge
    );
  } catch {
    return false;
  }
}

function failed(error: unknown): Pick<WebhookAttempt, 'outcome' | 'problem'> {
  const problem = error instanceof Error ? error.message || error.name : String(error);
  if (error instanceof TimeoutError) return { outcome: 'timed_out', problem };
  if (error instanceof BlockedDestinationError) return { outcome: 'blocked', problem };
  return { outcome: 'unreachable', problem };
}

/** Whether another attempt may help. */
function isTransient({ outcome, status }: WebhookAttempt): boolean {
  if (outcome === 'unreachable' || outcome === 'timed_out') return true;
  if (outcome !== 'refused' || status === null) return false;
  return status >= 500 || status === 408 || status === 425 || status === 429;
}

/** A delivery as one attempt puts it on the wire. */
export interface SignedDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Signs a body at a moment (Unix milliseconds): HMAC-SHA256 of the timestamp, a period and the bytes. */
export function signedDelivery(
  secret: string,
  event: Pick<FrozenEvent, 'id' | 'body'>,
  now: number,
  tamper?: Tamper,
): SignedDelivery {
  const at = tamper === 'timestamp' ? now - hourMs : now;
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

const hourMs = 3_600_000;
/** How long an attempt may take. */
const timeoutMs = 10_000;
/** How long after the end of attempt n (from 1) the next one begins; with the first that makes eight. */
const waitsMs = [10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 10_800_000];
/** How often an event is attempted. */
export const mostAttempts = 1 + waitsMs.length;
