import type { Log } from '../core/log.js';
import type { Redact } from '../core/redact.js';
import type { PreparedCall } from '../core/request/prepare.js';
import type { Hooks } from '../core/telemetry.js';
import type { BaseOptions } from '../ports/caller.js';
import type { Clock } from '../ports/clock.js';
import type { Closing } from '../runtime/timers.js';
import type { BidColumns } from '../store/intents.js';
import type { StoreTransaction } from '../store/store.js';
import type { HoldReason } from './answers.js';
import type { Client, IntendedBid, IntentEvent } from './content.js';
import type { Intent, Ledger, Locks } from './ledger.js';
import type { World } from './world.js';

/** The ports of recorded calls; one for all clients derived from one. */
export interface Recording extends Client {
  readonly ledger: Ledger;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly log: Log;
  readonly hooks: Hooks;
  /** How closing the client ends work that begins now. */
  readonly closing: () => Closing;
  /** Redacts signing secrets. */
  readonly redact: Redact;
  /** Why writes are refused: a production client without a store. */
  readonly refusal: string | undefined;
  /** The bid in a call of `bids.submit`. */
  readonly submittedBid: ((call: PreparedCall) => BidToRecord) | undefined;
  /** Halt and risk limits, checked in the transactions that insert and send, once the bid is recorded. */
  readonly admit: (tx: StoreTransaction, key: string, bid: BidColumns) => Promise<HoldReason | undefined>;
  /** Reads the bid (A05) of a verdict on a request that this store never sent; absent for clients without bids. */
  readonly settleClaim?: ((intent: Intent, options: BaseOptions) => Promise<Intent>) | undefined;
  /** Compares the service with the settings of the client. */
  readonly world: World;
  /** Keys that `runOnce` has reserved in this process. */
  readonly reservations: Map<string, Reservation>;
}

/** A key that a function of `runOnce` was given. */
export interface Reservation {
  /** The owner of its row. */
  readonly owner: string;
  /** Calls that were made under it. */
  calls: number;
  /** The call that was made under it. */
  call: Promise<unknown> | undefined;
}

/** A bid as it is recorded. */
export interface BidToRecord {
  readonly intended: IntendedBid;
  readonly columns: BidColumns;
  /**
   * Unix ms in server time after which nothing is sent, for a bid that is recorded at `now`; undefined if only the
   * key's retention limits it.
   */
  readonly placeBy: (now: number) => number | undefined;
  readonly allowUnresolved: boolean;
  readonly confirm: boolean;
  /** The lot as it was read before the bid was recorded: its close has moved. */
  readonly lotRead?: Extract<IntentEvent, { readonly type: 'lot_read' }> | undefined;
}
