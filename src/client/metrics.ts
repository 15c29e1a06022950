import type { ClockOffset } from '../clock/clock.js';
import type { Hooks, OutcomeEvent } from '../core/telemetry.js';
import type { FollowerRead } from '../following/pace.js';
import type { WatchState } from '../following/watch-state.js';
import type { Ledger } from '../intents/ledger.js';
import type { Clock } from '../ports/clock.js';
import type { QuotaState } from '../quota/share.js';
import type { IntentState } from '../store/intents.js';

/** Numbers of a client at one moment, for dashboards and alerts. */
export interface ClientMetrics {
  /** Server time of the numbers, Unix ms. */
  readonly at: number;
  /** Outcomes of bids and commands since this client was made, by call, outcome and reason. */
  readonly outcomes: readonly OutcomeCount[];
  /** Bids and commands of the store that are unresolved. */
  readonly unresolved: UnresolvedCount;
  readonly quota: QuotaState;
  /** How far server time is ahead of this machine's clock, and its uncertainty; undefined before the first reply. */
  readonly clock: ClockOffset | undefined;
  /** Followers of this client. */
  readonly followers: readonly FollowerState[];
  /** Running watches of lots. */
  readonly watches: readonly WatchState[];
  /** Names of the undocumented forms that replies were read in, each once. See the tolerance guide. */
  readonly tolerated: readonly string[];
}

/** How much is unresolved. */
export interface UnresolvedCount {
  readonly count: number;
  /** By state; a state without any is left out. */
  readonly byState: Readonly<Partial<Record<IntentState, number>>>;
  /** Age of the oldest that may have been sent and has no outcome, ms; undefined if there is none. */
  readonly oldest: number | undefined;
}

/** How current a follower is. */
export interface FollowerState {
  /** Name of the method, such as `winnerUpdates.follow`. */
  readonly call: string;
  /** Name of the follower. */
  readonly name: string;
  /** Time since it started or had last handled everything it read, ms. */
  readonly behind: number;
  /** Failures since then; each is retried. */
  readonly failures: number;
  /** Whether another process has the position. This follower then waits, and `behind` stays 0. */
  readonly standby: boolean;
}

/** Outcomes of one kind. */
export interface OutcomeCount {
  /** Name of the method, such as `bids.place`; `recover` for what recovery settled. */
  readonly call: string;
  readonly outcome: OutcomeEvent['outcome'];
  readonly reason?: string;
  readonly count: number;
  /** The longest time from the call to its outcome, ms. */
  readonly longest: number;
}

/** Counts the outcomes of a client, and of all that are derived from it. */
export class OutcomeCounter {
  readonly #counts = new Map<string, OutcomeCount>();

  get counts(): readonly OutcomeCount[] {
    return [...this.#counts.values()];
  }

  /** Adds the counting of outcomes to the hooks of the options. */
  with(hooks: Hooks): Hooks {
    return {
      ...hooks,
      onOutcome: (event) => {
        this.#note(event);
        return hooks.onOutcome?.(event);
      },
    };
  }

  #note({ call, outcome, reason, duration }: OutcomeEvent): void {
    const key = JSON.stringify([call, outcome, reason]);
    const known = this.#counts.get(key);
    this.#counts.set(key, {
      call,
      outcome,
      ...(reason !== undefined && { reason }),
      count: (known?.count ?? 0) + 1,
      longest: Math.max(known?.longest ?? 0, duration),
    });
  }
}

/** Records how current the followers of a client are. */
export class FollowerLog {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #reads = new Map<string, FollowerRead & { readonly currentAt: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  get states(): readonly FollowerState[] {
    const now = this.#clock.monotonic();
    return [...this.#reads.values()].map(({ call, name, state, failures, currentAt }) => {
      const standby = state === 'standby';
      return {
        call,
        name,
        behind: standby ? 0 : Math.max(0, Math.round(now - currentAt)),
        failures,
        standby,
      };
    });
  }

  note(read: FollowerRead): void {
    const key = `${read.call} ${read.name}`;
    if (read.state === 'ended') {
      this.#reads.delete(key);
      return;
    }
    const known = this.#reads.get(key);
    const isBehind = read.state === 'behind' && known !== undefined && known.state !== 'standby';
    this.#reads.set(key, { ...read, currentAt: isBehind ? known.currentAt : this.#clock.monotonic() });
  }
}

/** Counts the unresolved intents in a store, including those that can't be read. */
export async function unresolvedIn(ledger: Ledger): Promise<UnresolvedCount> {
  const at = ledger.now();
  const byState: Partial<Record<IntentState, number>> = {};
  let count = 0;
  let oldest: number | undefined;
  const damaged = () => {
    count += 1;
  };
  for await (const { status, content } of ledger.unresolved(damaged)) {
    const { state } = status;
    count += 1;
    byState[state] = (byState[state] ?? 0) + 1;
    const [first] = content.log;
    if (state === 'ready' || first === undefined) continue;
    oldest = Math.max(oldest ?? 0, at - first.at);
  }
  return { count, byState, oldest };
}
