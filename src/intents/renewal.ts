import type { Clock } from '../ports/clock.js';

/** How long others keep off an intent behind a lease that is renewed, ms: so long they wait for what a crash left. */
export const RENEWED_LEASE_MS = 15_000;

/** How often a lease is renewed, ms: often enough that one renewal may fail. */
const RENEWED_EVERY_MS = 5_000;

/** Renews a lease for as long as somebody is at work under it. */
export class Renewal {
  readonly #clock: Clock;
  readonly #renew: (isOver: () => boolean) => Promise<void>;
  #isOver = false;
  #cancel: () => void = () => undefined;

  /** @param renew never rejects; does nothing where its turn comes when it is over */
  constructor(clock: Clock, renew: (isOver: () => boolean) => Promise<void>) {
    this.#clock = clock;
    this.#renew = renew;
  }

  begin(): void {
    if (this.#isOver) return;
    const renew = () => void this.#renew(() => this.#isOver).then(() => this.begin());
    this.#cancel = this.#clock.after(RENEWED_EVERY_MS, renew);
  }

  end(): void {
    this.#isOver = true;
    this.#cancel();
  }
}

/** A lease from the moment in which it was asked for. */
export class LeaseTime {
  readonly #clock: Clock;
  readonly #monotonic: number;
  readonly #wall: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#monotonic = clock.monotonic();
    this.#wall = clock.now();
  }

  /** Whether somebody else may have it by now; the wall clock goes on while a machine sleeps. */
  get mayHaveRunOut(): boolean {
    const passedMs = this.#clock.monotonic() - this.#monotonic;
    return Math.max(passedMs, this.#clock.now() - this.#wall) >= RENEWED_LEASE_MS;
  }
}
