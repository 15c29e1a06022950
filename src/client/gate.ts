import type { Route } from '../api/operation.js';
import type { Caller } from '../core/caller.js';
import { contextOf } from '../core/context.js';
import { AbortedError } from '../errors/connection.js';

/** Knows which calls are under way, and lets none in once it is closing. */
export class Gate {
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #release: () => Promise<void>;
  #closing: Promise<void> | undefined;

  /** @param release lets go of what the calls used, once the last one has ended */
  constructor(release: () => Promise<void>) {
    this.#release = release;
  }

  /** A caller whose calls pass through this gate. */
  guard(inner: Caller): Caller {
    // Awaited here, so that a rejection nobody handles is reported as such, and stacks reach back to the caller's line.
    return async <T>(...args: Parameters<Caller>): Promise<T> => {
      if (this.#closing !== undefined) throw closedError(args[0]);
      const call = inner<T>(...args);
      this.#underWay.add(call);
      try {
        return await call;
      } finally {
        this.#underWay.delete(call);
      }
    };
  }

  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#underWay).then(this.#release);
    return this.#closing;
  }
}

function closedError(route: Route): AbortedError {
  return new AbortedError({
    ...contextOf(route),
    outcome: 'not_sent',
    what: 'The client is closed. Nothing was sent.',
    nextStep: 'Make a new client to call again.',
  });
}
