import { bids } from '../api/bids.js';
import type { RequestBody } from '../core/body.js';
import { type CallLimits, limitsFor } from '../core/limits.js';
import { isFields } from '../core/plain.js';
import type { PreparedCall } from '../core/prepare.js';
import { type InputIssue, InvalidRequestError } from '../errors/local.js';
import type { CheckedBid } from './checked-bid.js';
import type { BiddingParts } from './parts.js';
import type { PlaceOptions } from './request.js';

/** A bid whose bytes are frozen, and how it is to be placed. */
export interface PreparedBid {
  readonly call: PreparedCall;
  readonly body: RequestBody;
  readonly key: string;
  /** The caller chose the key. */
  readonly keyGiven: boolean;
  readonly overInDoubt: boolean;
  /** Those of the calls that it is made with. */
  readonly options: Omit<PlaceOptions, 'idempotencyKey' | 'overInDoubt'>;
  readonly limits: CallLimits;
}

const route = bids.operations.submit;
const context = { call: 'bidding.place', operation: route.id } as const;

/** Freezes the bytes of a bid. @throws InvalidRequestError, naming the fields of `place` */
export function preparedBid(
  { pipeline, limits }: Pick<BiddingParts, 'pipeline' | 'limits'>,
  { lot, body, intentId }: CheckedBid,
  placeOptions: PlaceOptions,
): PreparedBid {
  if (!isFields(placeOptions)) throw refusal('options', 'must be an object');
  const { overInDoubt = false, idempotencyKey, ...options } = placeOptions;
  // A word such as "no" would count as a yes.
  if (typeof overInDoubt !== 'boolean') throw refusal('options.overInDoubt', 'must be true or false');
  if (intentId !== undefined && idempotencyKey !== undefined && intentId !== idempotencyKey) {
    throw refusal('options.idempotencyKey', 'must equal intentId where both are given');
  }
  const given = intentId ?? idempotencyKey;
  const keyOption = given === undefined ? {} : { idempotencyKey: given };
  const keyField = intentId === undefined ? 'options.idempotencyKey' : 'intentId';
  try {
    const call = pipeline.prepare(route, { path: { lot }, body }, { ...options, ...keyOption });
    const { idempotencyKey: key, body: frozen } = call;
    // A bid's schema demands a key, and no file can be part of it.
    if (key === undefined || frozen === undefined || 'pending' in frozen) {
      throw new Error('a bid without a key or a body');
    }
    return {
      call,
      body: frozen,
      key,
      keyGiven: given !== undefined,
      overInDoubt,
      options,
      limits: limitsFor(limits, options, route),
    };
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    throw new InvalidRequestError(
      error.issues.map((issue) => renamed(issue, keyField)),
      context,
    );
  }
}

const names = new Map([
  ['bidder_reference', 'bidderReference'],
  ['dealer_id', 'dealerId'],
  ['client_bid_time', 'clientBidTime'],
]);

function renamed({ path, message }: InputIssue, keyField: string): InputIssue {
  return { path: path === 'idempotency_key' ? keyField : (names.get(path) ?? path), message };
}

function refusal(path: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ path, message }], context);
}
