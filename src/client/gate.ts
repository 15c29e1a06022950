import { type Caller, contextOf } from '../core/caller.js';
import { type CallContext, VehicleAuctionError } from '../errors/base.js';
import { AbortedError } from '../errors/connection.js';

/** Knows what is under way, and lets nothing in once it is closing. */
export class Gate {
  /** A count, because a Set of what is under way would keep replies alive long after their calls. */
  #underWay = 0;
  #onIdle: (() => void) | undefined;
  readonly #release: () => Promise<void>;
  readonly #ending = new AbortController();
  #closing: Promise<void> | undefined;

  /** @param release lets go of what the calls used, once the last one has ended */
  constructor(release: () => Promise<void>) {
    this.#release = release;
  }

  /** A caller whose calls pass through this gate. */
  guard(inner: Caller): Caller {
    // Awaited here, so that a rejection nobody handles is reported as such, and stacks reach back to the caller's line.
    return async <T>(...[route, input, options]: Parameters<Caller>): Promise<T> => {
      if (this.#closing !== undefined) throw closedError(contextOf(route));
      this.#underWay += 1;
      try {
        return await inner<T>(route, input, options);
      } catch (error) {
        throw ledToCaller(error);
      } finally {
        this.#underWay -= 1;
        if (this.#underWay === 0) this.#onIdle?.();
      }
    };
  }

  /** Work of several calls, which count as one here: those inside must not pass through the gate themselves. */
  readonly during = async <T>(call: string, work: () => Promise<T>): Promise<T> => {
    if (this.#closing !== undefined) throw closedError({ call, operation: call });
    this.#underWay += 1;
    try {
      return await work();
    } catch (error) {
      throw ledToCaller(error);
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#onIdle?.();
    }
  };

  /** Fires when closing begins: what polls ends by itself then. */
  get closing(): AbortSignal {
    return this.#ending.signal;
  }

  close(): Promise<void> {
    this.#closing ??= this.#idle().then(this.#release);
    this.#ending.abort();
    return this.#closing;
  }

  async #idle(): Promise<void> {
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }
}

/** The frames that the engine keeps end inside a bid; those of the caller are added. */
function ledToCaller(error: unknown): unknown {
  if (!(error instanceof VehicleAuctionError)) return error;
  const { stack } = error;
  if (stack === undefined || LED.has(error)) return error;
  LED.add(error);
  const known = new Set(stack.split('\n'));
  const [, ...frames] = (new Error().stack ?? '').split('\n');
  error.stack = [stack, ...frames.filter((frame) => !known.has(frame))].join('\n');
  return error;
}

/** A journal that has stopped throws the same error again and again. */
const LED = new WeakSet<VehicleAuctionError>();

function closedError(context: CallContext): AbortedError {
  return new AbortedError({
    ...context,
    reason: 'closed',
    outcome: 'not_sent',
    what: 'The client is closed. Nothing was sent.',
    nextStep: 'Make a new client to call again.',
  });
}
