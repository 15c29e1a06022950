import type { SandboxClock } from '../clock.js';
import type { Delivery, WebhookAttempt } from './delivery.js';
import type { DeliveryRules } from './delivery-rules.js';
import { BlockedDestinationError } from './destination.js';
import type { Answer, Post } from './post.js';
import { signedDelivery } from './signed-headers.js';

/** Carries deliveries out: when attempts fall due, what their answers mean, and when it is enough. */
export class Courier {
  readonly #clock: SandboxClock;
  readonly #post: Post;
  readonly #rules: DeliveryRules;
  /** Attempts under way, each a promise that never rejects. */
  readonly #underWay = new Set<Promise<void>>();
  readonly #aborts = new Set<AbortController>();
  /** What has fallen due during a pause, oldest first. */
  readonly #held: Delivery[] = [];
  #paused = false;
  #closed = false;

  constructor(clock: SandboxClock, post: Post, rules: DeliveryRules) {
    this.#clock = clock;
    this.#post = post;
    this.#rules = rules;
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
      await Promise.all(this.#underWay);
    } while (this.#underWay.size > 0);
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
    this.#underWay.add(work);
    work.finally(() => this.#underWay.delete(work));
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
    } else if (delivery.attempts.length >= delivery.mostAttempts || !this.#rules.isTransient(attempt)) {
      delivery.state = 'failed';
    } else {
      this.#schedule(delivery, this.#rules.waitMs(delivery.attempts.length));
    }
  }

  /** Sends one attempt, signed for this moment, and says what became of it. */
  async #carry(delivery: Delivery, at: number): Promise<Omit<WebhookAttempt, 'at'>> {
    const { subscription, event, tamper } = delivery;
    const { headers, body } = signedDelivery(subscription.secret, event, at, tamper, this.#rules.timestamp);
    const abort = new AbortController();
    const timeout = new TimeoutError(this.#rules.timeoutMs);
    const stop = this.#clock.after(this.#rules.timeoutMs, () => abort.abort(timeout));
    this.#aborts.add(abort);
    try {
      const answer = await this.#post({ url: subscription.url, headers, body, signal: abort.signal });
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
