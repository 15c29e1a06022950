import type { Market, Store } from './auctions/store.js';
import type { SandboxClock } from './clock.js';
import type { RequestLog } from './http/attempts.js';
import type { Ids } from './ids.js';
import type { Settings } from './options.js';
import type { Parties } from './parties.js';
import type { Webhooks } from './webhooks/webhooks.js';
import type { Flow } from './workflow/records.js';
import type { Scanner } from './workflow/scanner.js';

/** All that one sandbox is made of; every request works on it. */
export interface World {
  readonly settings: Settings;
  readonly clock: SandboxClock;
  readonly ids: Ids;
  readonly parties: Parties;
  readonly store: Store;
  /** Every workflow record. */
  readonly flow: Flow;
  readonly scanner: Scanner;
  readonly webhooks: Webhooks;
  readonly requests: RequestLog;
  /** Who watches bids and schedules. */
  readonly market: Market;
  /** The address clients use, up to and including `/api/v1`. */
  baseUrl: string;
}
