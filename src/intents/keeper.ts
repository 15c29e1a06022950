import { noCredentials } from '../core/fetched.js';
import type { Keys } from '../core/keys.js';
import type { Log } from '../core/log.js';
import { type Leaks, safeCause } from '../core/redact.js';
import { Stopped, within } from '../core/stop.js';
import { ConfigurationError } from '../errors/local.js';
import type { Clock } from '../ports/clock.js';
import type { ServerClock } from '../ports/server-clock.js';
import type { Signer } from '../signing/signer.js';
import { guarded } from './guarded-journal.js';
import type { IntentAccount } from './intent.js';
import type { Journal, LeaseRequest } from './journal.js';
import { patiently } from './patience.js';
import { RENEWED_LEASE_MS } from './renewal.js';

/** What works on intents, injected. */
export interface KeeperParts {
  readonly journal: Journal;
  readonly keys: Keys & { readonly leaks: Leaks };
  readonly clock: Clock;
  readonly serverClock: ServerClock;
  readonly log: Log;
  /** Of this client object, never the same twice. */
  readonly owner: string;
  /** The account, but for what the credentials say. */
  readonly account: Omit<IntentAccount, 'clientId'>;
}

/** For how much longer than a work's deadline others keep off its intent, ms. */
const LEASE_MARGIN_MS = 5_000;

/** How long credentials are waited for where nobody says, ms. */
const FETCHED_WITHIN_MS = 30_000;

/** How long closing waits for calls that ended before their journal had answered, ms. */
const BEHIND_MS = 30_000;

/** A client's hand on its journal: who it is there, and which of its own calls are at work on which key. */
export class Keeper {
  readonly parts: KeeperParts;
  readonly #busy = new Map<string, Promise<unknown>>();
  readonly #lingering = new Map<string, Promise<unknown>>();

  constructor(parts: KeeperParts) {
    this.parts = { ...parts, journal: guarded(parts.journal, parts.clock) };
  }

  /**
   * Under whom calls are made; credentials that have to be fetched first are waited for, as long as the caller's own
   * limits let it.
   *
   * @throws ConfigurationError where none come
   */
  async account(dealerId?: unknown): Promise<IntentAccount> {
    const key = this.parts.keys.current();
    const { clientId } = key instanceof Promise ? await this.#fetched(key) : key;
    const own = this.parts.account;
    return { ...own, clientId, dealerId: typeof dealerId === 'string' ? dealerId : own.dealerId };
  }

  /**
   * The same, for work that has no limits of its own.
   *
   * @throws ConfigurationError where none come within half a minute
   */
  async accountInTime(dealerId?: unknown): Promise<IntentAccount> {
    const { clock, keys } = this.parts;
    const sources = { clock, signal: undefined, deadlineAt: clock.monotonic() + FETCHED_WITHIN_MS };
    try {
      return await within(sources, this.account(dealerId));
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      keys.abandon();
      const seconds = FETCHED_WITHIN_MS / 1_000;
      throw new ConfigurationError(
        'credentials',
        `could not be had from the function that gives them: it has not answered for ${seconds} s`,
      );
    }
  }

  async #fetched(key: Promise<Signer>): Promise<Signer> {
    const { keys } = this.parts;
    try {
      return await key;
    } catch (error) {
      keys.abandon();
      throw new ConfigurationError('credentials', noCredentials(error), {
        cause: safeCause(error, keys.leaks),
      });
    }
  }

  /** A lease for work that takes up to `deadlineMs`, and ends with it. */
  lease(deadlineMs: number): LeaseRequest {
    return { owner: this.parts.owner, ttlMs: deadlineMs + LEASE_MARGIN_MS };
  }

  /** A lease that is renewed as long as the work lasts, so that others need not wait long for what a crash left. */
  get renewedLease(): LeaseRequest {
    return { owner: this.parts.owner, ttlMs: RENEWED_LEASE_MS };
  }

  /** Whether a call of this client is at work on a key. */
  isBusy(key: string): boolean {
    return this.#busy.has(key);
  }

  /**
   * Lets one piece of work at a time have a key, in this client; the others wait for their turn.
   *
   * @param wait how: what it rejects with ends the wait, and the work is never begun
   */
  async alone<T>(
    key: string,
    work: () => Promise<T>,
    wait: (turn: Promise<unknown>) => Promise<unknown> = (turn) => turn,
  ): Promise<T> {
    const before = this.#busy.get(key);
    let leave: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => {
      leave = () => {
        if (this.#busy.get(key) === mine) this.#busy.delete(key);
        resolve();
      };
    });
    this.#busy.set(key, mine);
    let isBegun = false;
    try {
      if (before !== undefined) await wait(before);
      isBegun = true;
      return await work();
    } finally {
      // Whoever gives up waiting lets nobody past those before.
      const rest = isBegun ? this.#lingering.get(key) : before;
      if (rest === undefined) leave();
      else void rest.then(leave, leave);
    }
  }

  /** Keeps the next call under a key waiting for what goes on behind a call that has ended. */
  linger(key: string, work: Promise<unknown>): void {
    const lingering = Promise.allSettled([this.#lingering.get(key), work]);
    this.#lingering.set(key, lingering);
    void lingering.then(() => {
      if (this.#lingering.get(key) === lingering) this.#lingering.delete(key);
    });
  }

  /** Waits for what goes on behind calls that have ended, and then lets go of the journal. @throws JournalError */
  async close(): Promise<void> {
    const { clock, journal } = this.parts;
    const behind = Promise.allSettled(this.#busy.values());
    await patiently(clock, behind, BEHIND_MS).catch(() => undefined);
    await journal.close();
  }
}
