import type { Pipeline } from '../core/call.js';
import type { ClientLimits } from '../core/caller.js';
import type { CallDefaults } from '../core/request/prepare.js';
import type { PartnerBids } from '../generated/bids.js';
import type { Events } from '../generated/events.js';
import type { PartnerLots } from '../generated/lots.js';
import type { Recording } from '../intents/recording.js';
import type { Quota } from '../ports/quota.js';
import type { QuotaState } from '../quota/share.js';
import type { LotReader } from './lot-reader.js';
import type { RiskLimits } from './types.js';

/** Injected dependencies of placing bids. */
export interface BidPorts {
  readonly pipeline: Pipeline;
  readonly recording: Recording;
  readonly bids: Pick<PartnerBids, 'get' | 'list' | 'lookup'>;
  readonly lots: Pick<PartnerLots, 'status' | 'statusBatch'>;
  readonly lotReader: LotReader;
  readonly events: Pick<Events, 'get' | 'lot'>;
  /** Rows of a batch wait for their turn before they are recorded. */
  readonly quota: Pick<Quota, 'permit'> & { state(): QuotaState };
  readonly limits: ClientLimits;
  readonly riskLimits: RiskLimits;
  /** Maximum number of lots in one A11. */
  readonly statusBatchSize: number;
  readonly address: Pick<CallDefaults, 'origin' | 'prefix'>;
  /** Runs work of several calls, unless the client is closed. */
  during<T>(call: string, work: () => Promise<T>): Promise<T>;
}
