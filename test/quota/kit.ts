import type { Clock } from '../../src/ports/clock.js';
import type { QuotaSettings } from '../../src/quota/lanes.js';
import { PacedQuota, type QuotaParts } from '../../src/quota/quota.js';
import type { WarnAbout } from '../../src/runtime/user-code.js';
import type { DepartureLog } from '../../src/store/store.js';

/** A quota of one client, without jitter. */
export function quotaWith(
  settings: Partial<QuotaSettings>,
  clock: Clock,
  more: Partial<QuotaParts> & { departures?: DepartureLog; warn?: WarnAbout } = {},
): PacedQuota {
  const { departures, warn, ...parts } = more;
  const quota = new PacedQuota({
    clock,
    scope: 'https://bank.example',
    process: 'this',
    random: () => 0,
    ...parts,
  });
  quota.join({ settings: { ...full, ...settings }, departures, warn });
  return quota;
}

const full: QuotaSettings = { limit: 120, reserve: 0, window: 60_000, margin: 1_000 };
