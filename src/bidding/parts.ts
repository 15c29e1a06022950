import type { CallLimits } from '../core/limits.js';
import type { CommandRecovery } from '../intents/recover-command.js';
import type { QuotaSettings } from '../quota/settings.js';
import type { PartnerBids } from '../resources/bids.js';
import type { Events } from '../resources/events.js';
import type { PartnerLots } from '../resources/lots.js';

/** What bidding works with, injected. */
export interface BiddingParts extends CommandRecovery {
  /** How a bid is looked for. */
  readonly bids: Pick<PartnerBids, 'lookup' | 'get' | 'list'>;
  readonly lots: Pick<PartnerLots, 'status' | 'statusBatch'>;
  readonly events: Pick<Events, 'get' | 'lot'>;
  readonly limits: CallLimits;
  /** What requests are paced by. */
  readonly quota: QuotaSettings;
  /** The client's dealer id; empty where it has none. */
  readonly dealerId: string;
  /** Lets work begin unless the client is closed, and keeps it from closing meanwhile. */
  during<T>(call: string, work: () => Promise<T>): Promise<T>;
}
