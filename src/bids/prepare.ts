import { isFields } from '../api/check.js';
import { amountText, formats } from '../api/formats.js';
import { unknownName } from '../api/nearest.js';
import { zonedTimeMs } from '../clock/reply-time.js';
import type { CallLimits } from '../core/caller.js';
import { limitsFor } from '../core/caller.js';
import type { PreparedCall } from '../core/request/prepare.js';
import { ConfigurationError, type InputIssue, InvalidRequestError } from '../errors/local.js';
import { bids } from '../generated/bids.js';
import type { HoldReason } from '../intents/answers.js';
import { type IntendedBid, textIn } from '../intents/content.js';
import { isOnGrid } from '../money/minimum-bid.js';
import { fromPaise, isAmount, toPaise } from '../money/paise.js';
import type { BidColumns } from '../store/intents.js';
import type { Exposure } from '../store/stakes.js';
import type { StoreTransaction } from '../store/store.js';
import type { BidPorts } from './ports.js';
import type { BidToPlace, LotOrId, PlaceOptions, RiskLimits } from './types.js';

/** A bid with frozen bytes, and the options to place it with. */
export interface PreparedBid extends BidFacts {
  readonly call: PreparedCall;
  readonly key: string;
  /** True if the key was given: an earlier call may have recorded it. */
  readonly keyGiven: boolean;
  /** The given `placeBy`, and the close if it is known, Unix ms in server time. */
  readonly placeBy: number | undefined;
  readonly closesAt: number | undefined;
  /** True if the given lot or event is over. */
  readonly isOver: boolean;
  readonly allowUnresolved: boolean;
  readonly confirm: boolean;
  /** Options of its calls. */
  readonly options: Omit<PlaceOptions, 'idempotencyKey' | 'allowUnresolved' | 'confirm'>;
  readonly limits: CallLimits;
}

/** The bid as it is recorded. */
export interface BidFacts {
  readonly intended: IntendedBid;
  readonly columns: BidColumns;
}

/** Facts that a row of a batch adds to its bid. */
export interface BatchRow {
  readonly row: NonNullable<IntendedBid['row']>;
  /** Close of the lot, Unix ms in server time, if only the row states it. */
  readonly closesAt: number | undefined;
}

const route = bids.submit;
const context = { call: 'bids.place', operation: route.id } as const;
const fields = ['lot', 'event', 'amount', 'bidderReference', 'dealerId', 'clientBidTime', 'placeBy'];

/**
 * Checks the form of a bid, and its amount if the grid is known, and freezes its bytes. The service judges minimum and
 * bidding window, because cancellations lower the minimum and the window moves.
 *
 * @throws InvalidRequestError naming every wrong field as `place` knows it
 */
export function prepareBid(
  { pipeline, limits: clientLimits }: Pick<BidPorts, 'pipeline' | 'limits'>,
  bid: BidToPlace,
  placeOptions: PlaceOptions,
  row?: BatchRow,
): PreparedBid {
  if (!isFields(bid)) throw wrong([{ path: 'bid', message: 'must be an object with lot and amount' }]);
  if (!isFields(placeOptions)) throw wrong([{ path: 'options', message: 'must be an object' }]);
  const { allowUnresolved = false, confirm = false, idempotencyKey, ...options } = placeOptions;
  const issues: InputIssue[] = Object.keys(bid)
    .filter((name) => !fields.includes(name))
    .map((path) => ({
      path,
      message: `${unknownName(path, fields, 'known field')}. Options are the second argument`,
    }));
  // A word such as "no" would count as true.
  for (const [path, value] of Object.entries({ allowUnresolved, confirm })) {
    if (typeof value !== 'boolean')
      issues.push({ path: `options.${path}`, message: 'must be true or false' });
  }
  const lot = lotIdOf(bid.lot);
  if (lot === undefined) issues.push({ path: 'lot', message: 'must be a lot, or its public id' });
  const placeBy = bid.placeBy === undefined ? undefined : momentOf(bid.placeBy);
  if (bid.placeBy !== undefined && !isPlausible(placeBy)) {
    issues.push({ path: 'placeBy', message: `${momentHint} (not seconds)` });
  }
  issues.push(...gridIssues(bid));
  if (issues.length > 0) throw wrong(issues);
  try {
    const call = pipeline.prepare(
      route,
      { path: { lot }, body: submitBody(bid) },
      { ...options, ...(idempotencyKey !== undefined && { idempotencyKey }) },
    );
    const { idempotencyKey: key } = call;
    // The schema of a bid requires one.
    if (key === undefined) throw new Error('A bid has no key');
    const closesAt = closeOf(bid) ?? row?.closesAt;
    return {
      call,
      key,
      keyGiven: idempotencyKey !== undefined,
      ...bidIn(call, { closesAt, row: row?.row, placed: true }),
      placeBy,
      closesAt,
      isOver: isOver(bid),
      allowUnresolved,
      confirm,
      options,
      limits: limitsFor(clientLimits, options, route),
    };
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    const issues = error.issues.map((issue) => ({
      ...issue,
      path: names.get(issue.path) ?? issue.path,
      // Options of `place` that the call itself does not have.
      message: issue.message.replace('known options: ', 'known options: allowUnresolved, confirm, '),
    }));
    throw wrong(issues);
  }
}

/** The bid of a call, read from the bytes that will be sent. */
export function bidIn(
  { body, signedPath }: PreparedCall,
  {
    closesAt,
    row,
    placed,
  }: Pick<IntendedBid, 'row' | 'placed'> & { readonly closesAt?: number | undefined } = {},
): BidFacts {
  const bytes = body === undefined || 'pending' in body ? undefined : body.open();
  if (!(bytes instanceof Uint8Array)) throw new Error('A bid has no body');
  const fields: unknown = JSON.parse(new TextDecoder().decode(bytes));
  const amount = textIn(fields, 'amount') ?? '';
  const dealerId = textIn(fields, 'dealer_id') ?? '';
  const bidderReference = textIn(fields, 'bidder_reference');
  const lot = decodeURIComponent(signedPath.split('/').at(-2) ?? '');
  return {
    intended: { lot, amount, dealerId, bidderReference, placed, row },
    columns: {
      lot,
      buyer: bidderReference ?? dealerId,
      paise: toPaise(amount),
      closesAt: closesAt === undefined ? undefined : Math.floor(closesAt),
    },
  };
}

const names = new Map([
  ['bidder_reference', 'bidderReference'],
  ['dealer_id', 'dealerId'],
  ['client_bid_time', 'clientBidTime'],
  ['idempotency_key', 'options.idempotencyKey'],
]);

function submitBody({ amount, bidderReference, dealerId, clientBidTime }: BidToPlace): object {
  return {
    amount,
    ...(bidderReference !== undefined && { bidder_reference: bidderReference }),
    ...(dealerId !== undefined && { dealer_id: dealerId }),
    ...(clientBidTime !== undefined && { client_bid_time: clientBidTime }),
  };
}

function wrong(issues: readonly InputIssue[]): InvalidRequestError {
  return new InvalidRequestError(issues, context);
}

/** The public id of a lot or of its status. */
export function lotIdOf(lot: LotOrId): string | undefined {
  if (typeof lot === 'string') return lot;
  if (typeof lot !== 'object' || lot === null) return undefined;
  const id: unknown = 'lot_id' in lot ? lot.lot_id : lot.id;
  return typeof id === 'string' ? id : undefined;
}

function gridIssues({ lot, event, amount }: BidToPlace): InputIssue[] {
  const startingPrice: unknown =
    typeof lot === 'object' && lot !== null && 'starting_price' in lot ? lot.starting_price : undefined;
  const increment: unknown = typeof event === 'object' && event !== null ? event.bid_increment : undefined;
  if (!isAmount(amount) || typeof startingPrice !== 'string' || typeof increment !== 'string') return [];
  try {
    if (isOnGrid({ amount, startingPrice, increment })) return [];
  } catch {
    // An unreadable price must not keep a bid from the service.
    return [];
  }
  const message = `must be the starting price ${startingPrice} plus a whole multiple of ${increment}`;
  return [{ path: 'amount', message }];
}

/** True if the lot or its event says that bidding has ended. */
function isOver({ lot, event }: BidToPlace): boolean {
  const states: unknown[] = [Object(lot).status, Object(lot).auction_state, Object(event).status];
  return states.includes('over');
}

/** Close of the lot, as the lot or its event states it. */
function closeOf({ lot, event }: BidToPlace): number | undefined {
  const closes: unknown[] = [];
  if (typeof lot === 'object' && lot !== null) {
    if ('effective_close_at' in lot) closes.push(lot.effective_close_at);
    if ('ends_at' in lot) closes.push(lot.ends_at);
  }
  if (typeof event === 'object' && event !== null) closes.push(event.ends_at);
  return closes.map(momentOf).find((moment) => moment !== undefined);
}

/** Converts a moment in any accepted form to Unix ms; undefined if it is invalid. */
export function momentOf(value: unknown): number | undefined {
  if (typeof value !== 'number' && !(value instanceof Date)) return zonedTimeMs(value);
  const ms = new Date(value).getTime();
  return Number.isNaN(ms) ? undefined : ms;
}

/** Seconds in place of milliseconds would give a deadline in 1970. */
function isPlausible(ms: number | undefined): boolean {
  return ms !== undefined && ms > Date.UTC(2001, 0);
}

export const momentHint =
  'must be a Date, an ISO 8601 date-time with a zone such as 2026-11-21T18:30:00+05:30, or Unix milliseconds';

// Checks that hold back a valid bid: a halt, and risk limits.

const LIMITS = ['perBid', 'perBuyer', 'perLot'];

/** @throws ConfigurationError for limits that are not amounts */
export function checkedRiskLimits(given: RiskLimits = {}): RiskLimits {
  const wrong = (name: string, problem: string) => new ConfigurationError(`riskLimits${name}`, problem);
  if (typeof given !== 'object' || given === null) throw wrong('', 'must be an object');
  for (const [name, value] of Object.entries(given)) {
    if (!LIMITS.includes(name)) throw wrong(`.${name}`, `is not a limit; known limits: ${LIMITS.join(', ')}`);
    if (value === undefined || formats.money(amountText(value)) === undefined) continue;
    throw wrong(`.${name}`, 'must be an INR decimal string such as "2500000", or a Big');
  }
  return { ...given };
}

/**
 * Why a recorded bid may not be sent now; undefined if it may. The sums include the bid, also before its next attempt
 * opens it.
 */
export async function heldBack(
  tx: StoreTransaction,
  bid: Pick<BidColumns, 'lot' | 'buyer' | 'paise'> & { readonly key: string },
  limits: RiskLimits,
  nowMs: number,
): Promise<HoldReason | undefined> {
  const halt = await tx.account.halt();
  if (halt !== undefined) return whyHalted(halt);
  const { key, lot, buyer } = bid;
  const needsSums = limits.perBuyer !== undefined || limits.perLot !== undefined;
  const alone = { buyer: bid.paise, lot: bid.paise };
  return overLimits(
    bid,
    limits,
    needsSums ? await tx.intents.exposure({ lot, buyer, now: nowMs, key }) : alone,
  );
}

export function whyHalted(halt: string): HoldReason {
  return { reason: 'halted', why: `Bidding is halted (${halt}).` };
}

/** The first risk limit that a bid exceeds. @param exposure amounts at stake, this bid included */
export function overLimits(
  { lot, buyer, paise }: Pick<BidColumns, 'lot' | 'buyer' | 'paise'>,
  limits: RiskLimits,
  exposure: Exposure,
): HoldReason | undefined {
  const over = (name: keyof RiskLimits, atStake: bigint, what: string): HoldReason | undefined => {
    const limit = limits[name];
    if (limit === undefined || atStake <= toPaise(limit)) return undefined;
    return {
      reason: 'risk_limit',
      why: `${what} would be ${fromPaise(atStake)}, and ${name} is ${amountText(limit)}.`,
    };
  };
  return (
    over('perBid', paise, 'The bid') ??
    over('perBuyer', exposure.buyer, `The amount at stake for ${buyer}`) ??
    over('perLot', exposure.lot, `The amount at stake on lot ${lot}`)
  );
}
