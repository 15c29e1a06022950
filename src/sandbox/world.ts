import type { SandboxClock } from './clock.js';
import type { Ids } from './ids.js';
import type { Market } from './market.js';
import type { Parties } from './parties.js';
import type { Records } from './records.js';
import type { Settings } from './settings.js';
import type { Store } from './store.js';
import type { Webhooks } from './webhooks/webhooks.js';
import type { Cases } from './workflow/cases.js';
import type { Scanner } from './workflow/scanner.js';

/** All that one sandbox is made of; every request works on it. */
export interface World {
  readonly settings: Settings;
  readonly clock: SandboxClock;
  readonly ids: Ids;
  readonly parties: Parties;
  readonly store: Store;
  readonly cases: Cases;
  readonly scanner: Scanner;
  readonly webhooks: Webhooks;
  readonly records: Records;
  /** Who watches bids and schedules. */
  readonly market: Market;
  /** The address clients use, up to and including `/api/v1`. */
  baseUrl: string;
}
