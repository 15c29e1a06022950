import { type StopSources, within } from '../core/deadline.js';
import type { Clock } from '../ports/clock.js';
import type { StoredIntent } from '../store/intents.js';
import type { Store } from '../store/store.js';

/**
 * Who works on a `ready` intent: one call of one process. Only tidying up depends on it. What keeps two from sending is
 * the version of the row, so a wrong guess costs a call, never a second bid.
 */

// One per process: the ESM and the CJS build are two copies of this module.
const heldKey = Symbol.for('vehicle-auction-sdk.owners');
const registry: typeof globalThis & { [heldKey]?: { next: number; readonly held: Set<string> } } = globalThis;
registry[heldKey] ??= { next: 0, held: new Set() };
const owners = registry[heldKey];

/** How often a call that waits says that its process is alive, ms. Others believe it for 15 s. */
const SIGN_OF_LIFE_MS = 5_000;

/** A call that owns intents as long as it runs. */
export class Owner {
  readonly id: string;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #account: string;
  #cancel: (() => void) | undefined;

  constructor(store: Store, account: string, clock: Clock) {
    owners.next += 1;
    this.id = `${store.process.id}#${owners.next}`;
    owners.held.add(this.id);
    this.#store = store;
    this.#account = account;
    this.#clock = clock;
    this.#signal();
  }

  /** The call is over: what it left `ready` is free. */
  release(): void {
    owners.held.delete(this.id);
    this.#cancel?.();
  }

  #signal(): void {
    this.#cancel = this.#clock.after(SIGN_OF_LIFE_MS, () => {
      // A store that fails shows that to the call itself.
      this.#store.transaction(this.#account, (tx) => tx.intents.touchOwner(this.id)).catch(() => undefined);
      if (owners.held.has(this.id)) this.#signal();
    });
  }
}

/** Whether no process works on a `ready` intent any longer. */
export function isFree({ owner, ownerSilentMs }: StoredIntent, { process }: Store): boolean {
  if (owner === undefined) return true;
  const processId = owner.slice(0, owner.lastIndexOf('#'));
  if (processId === process.id) return !owners.held.has(owner);
  return process.isGone(processId, ownerSilentMs);
}

/** Work on one name follows each other within this process: one key, or one buyer on one lot. */
export class Locks {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Waits for earlier work on this name, as long as `sources` allow. @throws Stopped */
  async alone<T>(name: string, sources: StopSources, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    let done: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => {
      done = resolve;
    });
    const chained = before === undefined ? mine : before.then(() => mine);
    this.#last.set(name, chained);
    try {
      if (before !== undefined) await within(sources, 'key', before);
      return await work();
    } finally {
      done();
      if (this.#last.get(name) === chained) this.#last.delete(name);
    }
  }
}
