import { CallSuperseded } from '../core/attempt-journal.js';
import { IdempotencyConflictError } from '../errors/api.js';
import { type CallContext, VehicleAuctionError } from '../errors/base.js';
import { InDoubtError, type Unresolved } from '../errors/in-doubt.js';
import { JournalError, LeaseLostError } from '../errors/journal.js';
import type { Intent } from './intent.js';
import type { StoredIntent } from './journal.js';

/**
 * Same key, other bytes: refused before the service has to. It bears the status and code that the service would give, as
 * all errors of its class do; no request id, for nothing was sent.
 */
export function otherContent(
  stored: StoredIntent,
  context: CallContext,
  given: Intent,
): IdempotencyConflictError {
  const { bid } = stored.intent;
  const buyer = bid?.bidderReference === undefined ? '' : ` for ${bid.bidderReference}`;
  const row = bid?.row === undefined ? '' : `, row ${bid.row.rowId} of batch ${bid.row.batchId}`;
  const held = bid === undefined ? '' : ` (${bid.amount} on lot ${bid.lot}${buyer}${row})`;
  const differing = differences(stored.intent, given);
  const other = differing.length === 0 ? '' : `; what differs: ${differing.join(', ')}`;
  return new IdempotencyConflictError({
    ...context,
    idempotencyKey: stored.intent.key,
    attempts: 0,
    outcome: 'not_sent',
    status: 409,
    codes: ['IDEMPOTENCY_CONFLICT'],
    what: `The journal holds other content under this key${held}${other}. Nothing was sent.`,
    nextStep:
      bid?.row === undefined
        ? 'One key stands for one string of bytes: give what is new a key of its own.'
        : 'One row of a batch stands for one string of bytes: give what is new a row id of its own.',
  });
}

/** By which fields two intents under one key differ; what else is in a body is told for bids only. */
function differences(held: Intent, given: Intent): string[] {
  const isOfBids = held.bid !== undefined && given.bid !== undefined;
  const pairs: readonly (readonly [string, unknown, unknown])[] = isOfBids
    ? [
        ['lot', held.bid.lot, given.bid.lot],
        ['amount', held.bid.amount, given.bid.amount],
        ['bidderReference', held.bid.bidderReference, given.bid.bidderReference],
        ['dealerId', held.account.dealerId, given.account.dealerId],
      ]
    : [
        ['the call', `${held.method} ${held.path}`, `${given.method} ${given.path}`],
        ['the query', held.query, given.query],
      ];
  const names = pairs.flatMap(([name, one, other]) => (one === other ? [] : [name]));
  return names.length === 0 && isOfBids ? ['another field, such as clientBidTime'] : names;
}

/** The key belongs to an intent of another account at the same service. */
export class OtherAccountError extends InDoubtError {
  /** Why, as a sentence. */
  readonly reason: string;

  constructor(stored: StoredIntent, context: CallContext) {
    const reason = otherAccountReason(stored);
    super([unresolvedOf(stored)], {
      ...context,
      idempotencyKey: stored.intent.key,
      what: `${reason} Nothing was sent.`,
      nextStep: 'Settle it with a client that has its credentials, or give what is new a key of its own.',
    });
    this.reason = reason;
  }
}

export function otherAccountReason({ intent }: StoredIntent): string {
  const { clientId, environment } = intent.account;
  const where = environment === '' ? '' : ` in environment ${environment}`;
  return `This key belongs to an intent of client ${clientId}${where}; under other credentials the service would take it for another one.`;
}

/** Another intent of the same buyer on the same lot is unresolved. */
export function twinInDoubt(by: readonly StoredIntent[], context: CallContext): InDoubtError {
  const [first] = by;
  const { bid, key = '' } = first?.intent ?? {};
  const buyer = bid?.bidderReference === undefined ? '' : ` for ${bid.bidderReference}`;
  const more = by.length > 1 ? ` and ${by.length - 1} more` : '';
  const isHopeless = first?.state === 'quarantined';
  return new InDoubtError(by.map(unresolvedOf), {
    ...context,
    what: `An earlier bid of ${bid?.amount ?? 'an unknown amount'}${buyer} on lot ${bid?.lot ?? '(unknown)'} is unresolved (key ${key}${more}); were it accepted after all, this one would outbid it. Nothing of this one was sent.`,
    nextStep: isHopeless
      ? 'The earlier one is quarantined: read intents.explain(key), settle it with the bank, and abandon it (bidding.abandon). Or place this one with the option overInDoubt: then you may outbid yourself.'
      : 'Reconcile the earlier one by its key first (bidding.reconcile). Or abandon it (bidding.abandon), or place this one with the option overInDoubt: then you may outbid yourself.',
  });
}

/** A command that may have taken effect, or has, when the service may have forgotten its key. */
export function tooLateToResend(stored: StoredIntent, horizonMs: number, context: CallContext): InDoubtError {
  const isDone = stored.state === 'done';
  const effect = isDone
    ? 'carried out; what it returned is not on record'
    : `left ${stored.state}, so its effect is not known`;
  return new InDoubtError(isDone ? [] : [unresolvedOf(stored)], {
    ...context,
    outcome: 'unknown',
    idempotencyKey: stored.intent.key,
    what: `This command was sent more than ${Math.round(horizonMs / 60_000)} minutes ago and was ${effect}. It was not sent again: the service may no longer know its key, and would then carry it out twice.`,
    nextStep: isDone
      ? 'Read the record that it has changed.'
      : 'Read the record that it was to change. If it has had no effect, abandon it (intents.abandon) and call again under a new key.',
  });
}

/** A command that somebody else took over while this call was at it: what this call saw is not all there is. */
export function takenOver(key: string, context: CallContext, cause: unknown): JournalError {
  return new LeaseLostError(key).within({
    ...context,
    outcome: 'unknown',
    what: 'Another process took this intent over while this call was at work on it, or may have, and may have sent it again.',
    nextStep: 'Read where it stands with intents.explain(key), or call again under the same key.',
    cause,
  });
}

/** What a journal threw, as the one error that this package throws for it; this package's own errors as they are. */
export function journalError(cause: unknown): Error {
  if (cause instanceof VehicleAuctionError || cause instanceof CallSuperseded) return cause;
  return new JournalError({
    fault: 'unavailable',
    what: 'The journal of intents failed.',
    nextStep: 'See the cause; nothing is sent until the journal can be written again.',
    cause,
  });
}

export function unresolvedOf({ intent }: StoredIntent): Unresolved {
  const { key, operation, bid } = intent;
  return {
    idempotencyKey: key,
    operation,
    ...(bid !== undefined && { lot: bid.lot, amount: bid.amount }),
    ...(bid?.bidderReference !== undefined && { bidderReference: bid.bidderReference }),
  };
}
