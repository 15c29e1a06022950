import type { Clock } from '../ports/clock.js';
import type { Quota } from '../ports/quota.js';
import { createQuota, type PacedQuota } from './quota.js';
import type { QuotaSettings } from './settings.js';

/** One client's share in a quota. */
export interface QuotaShare extends Quota {
  /**
   * Gives the share back. What the quota knows outlives the last one until its window and pauses are over, so that a
   * program which makes a client for every job doesn't begin a new window each time.
   */
  release(): void;
}

/**
 * The quota of this process for one origin: the service counts what all of its clients send. Where their settings
 * differ, the strictest of each holds from then on, for everybody.
 *
 * @param clock The machine's. A client on a clock of its own can't share and needs `createQuota`.
 */
export function sharedQuota(origin: string, settings: QuotaSettings, clock: Clock): QuotaShare {
  const entry = take(origin, settings, clock);
  let held = true;
  return {
    take: () => entry.quota.take(),
    permit: (lane, signal, turn) => entry.quota.permit(lane, signal, turn),
    pause: (ms) => entry.quota.pause(ms),
    release: () => {
      if (!held) return;
      held = false;
      entry.users -= 1;
    },
  };
}

interface Entry {
  readonly quota: PacedQuota;
  users: number;
}

function take(origin: string, settings: QuotaSettings, clock: Clock): Entry {
  sweep();
  const known = quotas.get(origin);
  if (known === undefined) {
    const entry = { quota: createQuota(settings, clock), users: 1 };
    quotas.set(origin, entry);
    return entry;
  }
  known.quota.tighten(settings);
  known.users += 1;
  return known;
}

function sweep(): void {
  for (const [origin, { quota, users }] of quotas) {
    if (users === 0 && quota.isIdle()) quotas.delete(origin);
  }
}

// The ESM and the CJS build are two copies of this module; the service counts one process.
const quotasKey = Symbol.for('vehicle-auction-sdk.quotas');
const registry: typeof globalThis & { [quotasKey]?: Map<string, Entry> } = globalThis;
registry[quotasKey] ??= new Map();
const quotas = registry[quotasKey];
