import type { Clock } from '../ports/clock.js';
import type { Lane, Quota, Turn } from '../ports/quota.js';
import { follow } from './follow.js';
import { RollingWindow } from './rolling-window.js';
import type { QuotaSettings } from './settings.js';
import { WaitingLine } from './waiting-line.js';

/** A quota of this process. */
export interface PacedQuota extends Quota {
  /** From now on keeps to further settings too, the strictest of each; it can't be loosened again. */
  tighten(further: QuotaSettings): void;
  /** True where forgetting it would let nobody leave earlier. */
  isIdle(): boolean;
}

/**
 * A strict rolling window on the monotonic clock: in no span of `windowMs + marginMs` do more than `limit` requests
 * leave. Whoever finds no room waits in the lane of its priority, first come, first served; a permit that is granted
 * and not used is gone. A pause holds every lane, bids too.
 *
 * Priority is all there is to the order: as long as higher lanes use the whole window up, lower ones wait.
 */
export function createQuota(settings: QuotaSettings, clock: Clock): PacedQuota {
  return new LocalQuota(settings, clock);
}

interface Waiter {
  go(): void;
  fail(error: unknown): void;
}

interface Timer {
  cancel: () => void;
}

class LocalQuota implements PacedQuota {
  readonly #clock: Clock;
  readonly #window: RollingWindow;
  readonly #line = new WaitingLine<Waiter>();
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** Pending exactly while somebody waits. It may fire too early, never too late: what it waits for only moves on. */
  #timer: Timer | undefined;

  constructor(settings: QuotaSettings, clock: Clock) {
    this.#clock = clock;
    this.#window = new RollingWindow(settings);
  }

  take(): boolean {
    return this.#line.isEmpty && this.#takeRoom(this.#clock.monotonic());
  }

  permit(lane: Lane, signal: AbortSignal, turn?: Turn): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
      } else if (this.take()) {
        resolve();
      } else {
        this.#wait({ lane, turn }, signal, resolve, reject);
        this.#letGo();
      }
    });
  }

  pause(ms: number): void {
    const until = this.#clock.monotonic() + ms;
    if (until > this.#pausedUntil) this.#pausedUntil = until;
  }

  tighten(further: QuotaSettings): void {
    this.#window.tighten(further);
  }

  isIdle(): boolean {
    const busyUntil = Math.max(this.#window.emptyAt(), this.#pausedUntil);
    return this.#line.isEmpty && busyUntil <= this.#clock.monotonic();
  }

  #wait(
    { lane, turn }: { readonly lane: Lane; readonly turn: Turn | undefined },
    signal: AbortSignal,
    resolve: () => void,
    reject: (error: unknown) => void,
  ): void {
    const waiter: Waiter = {
      go: () => {
        unfollow();
        resolve();
      },
      fail: (error) => {
        unfollow();
        reject(error);
      },
    };
    this.#line.join(lane, waiter, turn);
    const unfollow = follow(signal, () => {
      this.#line.leave(lane, waiter);
      reject(signal.reason);
      if (this.#line.isEmpty) this.#disarm();
    });
  }

  /** Lets everybody go for whom there is room, and sees to the others' turn. */
  #letGo(): void {
    try {
      const now = this.#clock.monotonic();
      while (!this.#line.isEmpty && this.#takeRoom(now)) this.#line.takeNext()?.go();
      if (this.#line.isEmpty) this.#disarm();
      else this.#arm(this.#freeAt() - now);
    } catch (error) {
      // An injected clock that fails would leave them waiting for nothing.
      this.#failAll(error);
    }
  }

  #takeRoom(now: number): boolean {
    if (this.#freeAt() > now) return false;
    this.#window.note(now);
    return true;
  }

  #freeAt(): number {
    return Math.max(this.#window.freeAt(), this.#pausedUntil);
  }

  #arm(ms: number): void {
    if (this.#timer !== undefined) return;
    const timer: Timer = { cancel: () => undefined };
    this.#timer = timer;
    // Rounded up, or a timer of whole milliseconds would fire a fraction too early each time.
    timer.cancel = this.#clock.after(Math.ceil(ms), () => {
      if (this.#timer !== timer) return;
      this.#timer = undefined;
      this.#letGo();
    });
  }

  #disarm(): void {
    const timer = this.#timer;
    this.#timer = undefined;
    timer?.cancel();
  }

  #failAll(error: unknown): void {
    for (let next = this.#line.takeNext(); next !== undefined; next = this.#line.takeNext()) next.fail(error);
    this.#disarm();
  }
}
