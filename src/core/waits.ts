import type { Account } from './account.js';
import type { Wait } from './attempt.js';
import { stopFailure } from './failure.js';
import type { CallLimits } from './limits.js';
import { type StopKind, Stopped } from './stop.js';

/** The waits of a call for something that isn't the service. */
export class Waits {
  readonly #limits: CallLimits;
  readonly #account: Account;
  readonly #made = new WeakSet<object>();

  constructor(limits: CallLimits, account: Account) {
    this.#limits = limits;
    this.#account = account;
  }

  /** Settles with `work`; the error of an early stop says what was being waited for. */
  async until<T>(during: Wait | undefined, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      const { kind, reason } = error;
      const failure = stopFailure(this.#account.context(), { kind, reason, during }, this.limitOf(kind));
      this.#made.add(failure);
      throw this.#account.report(failure);
    }
  }

  /** Tells an early stop of this call from an error that the caller's own function threw, of whatever class. */
  made(error: unknown): boolean {
    return typeof error === 'object' && error !== null && this.#made.has(error);
  }

  /** The limit that a stop of this kind ran into, in ms. */
  readonly limitOf = (kind: StopKind): number => {
    return kind === 'deadline' ? this.#limits.deadline : this.#limits.timeout;
  };
}
