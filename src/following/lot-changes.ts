import type { VehicleAuctionError } from '../errors/base.js';
import type { LotStatus } from '../generated/lots.js';
import { changedStandings, type Standing } from './standing.js';

/** A change of a watched lot, or of the watch. */
export type LotChange = LotSnapshot | LotChanged | LotUnavailable | WatchOutage | WatchResumed;

/** The first status of a lot, and again after it was unavailable. */
export interface LotSnapshot {
  readonly type: 'snapshot';
  /** Public lot id. */
  readonly lot: string;
  readonly after: LotStatus;
  /** Actions that you may take on this lot now, in the service's words. */
  readonly allowedActions: readonly string[];
  /** Every buyer's standing on the lot; empty without `buyers`. */
  readonly standings: readonly Standing[];
}

/** A lot changed. If you read slowly, you get only the latest change; `before` is the status that you got last. */
export interface LotChanged {
  readonly type: 'changed';
  /** Public lot id. */
  readonly lot: string;
  readonly before: LotStatus;
  readonly after: LotStatus;
  /** The fields of the status that differ, such as `highest_amount`; empty if only standings differ. */
  readonly fields: readonly (keyof LotStatus)[];
  /** Actions that you may take on this lot now, in the service's words. */
  readonly allowedActions: readonly string[];
  /** Every buyer's standing on the lot; empty without `buyers`. */
  readonly standings: readonly Standing[];
  /** The entries of `standings` that differ in `standing`, `ownAmount`, `derived` or `doubts`. */
  readonly changedStandings: readonly Standing[];
}

/**
 * The service gave no status for this lot. Reported once. The watch keeps asking for the lot, and yields a `snapshot`
 * when it returns.
 */
export interface LotUnavailable {
  readonly type: 'unavailable';
  /** Public lot id. */
  readonly lot: string;
  /** The status that you got last, if any. */
  readonly before?: LotStatus;
  /** HTTP status of this one lot, such as 404; absent if the reply had no item for it. */
  readonly status?: number;
  /** Why, such as `NOT_FOUND`; absent if the service gave no code. */
  readonly code?: string;
}

/** The service can't be reached, so your data gets old. Reported once; the watch keeps retrying. */
export interface WatchOutage {
  readonly type: 'outage';
  /** Start of the outage, Unix ms in server time. */
  readonly since: number;
  readonly error: VehicleAuctionError;
}

/** The service answers again after an outage. Every lot is being read again. */
export interface WatchResumed {
  readonly type: 'resumed';
  /** Start of the outage, Unix ms in server time. */
  readonly since: number;
}

/** A lot as a watch knows it. */
export interface LotView {
  readonly status: LotStatus;
  readonly standings: readonly Standing[];
}

/** A change that the consumer has not read. */
export interface PendingChange {
  readonly change: LotChange;
  /** The lot as the consumer got it last, if this is a change of it. */
  readonly before?: LotView;
}

export function snapshotOf({ status, standings }: LotView): PendingChange {
  const allowedActions = status.allowed_actions ?? [];
  return { change: { type: 'snapshot', lot: status.lot_id, after: status, allowedActions, standings } };
}

/** Returns undefined if nothing differs. */
export function changeBetween(before: LotView, after: LotView): PendingChange | undefined {
  const pending = changedFrom(before, after);
  const { fields, changedStandings: moved } = pending.change;
  return fields.length === 0 && moved.length === 0 ? undefined : pending;
}

/** One change in place of two. Its `before` stays what the consumer got last. */
export function mergedChange(waiting: PendingChange | undefined, next: PendingChange): PendingChange {
  if (next.change.type !== 'changed') return next;
  const view = { status: next.change.after, standings: next.change.standings };
  if (waiting?.change.type === 'snapshot') return snapshotOf(view);
  return waiting?.before === undefined ? next : changedFrom(waiting.before, view);
}

function changedFrom(before: LotView, after: LotView) {
  const { status, standings } = after;
  const change: LotChanged = {
    type: 'changed',
    lot: status.lot_id,
    before: before.status,
    after: status,
    fields: differences(before.status, status),
    allowedActions: status.allowed_actions ?? [],
    standings,
    changedStandings: changedStandings(before.standings, standings),
  };
  return { change, before };
}

function differences(before: LotStatus, after: LotStatus): (keyof LotStatus)[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof LotStatus>;
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}
