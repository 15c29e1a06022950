import type { Settled } from '../core/journal.js';
import { attachInfo } from '../core/reply/reply.js';
import { BidRejectedError, IdempotencyConflictError } from '../errors/api.js';
import { type CallContext, type Outcome, VehicleAuctionError } from '../errors/base.js';
import { AbortedError, TimeoutError } from '../errors/connection.js';
import {
  ConfigurationError,
  InDoubtError,
  type InDoubtReason,
  NotSentError,
  type NotSentReason,
  type Unresolved,
} from '../errors/local.js';
import type { RejectedBid } from '../generated/bids.js';
import { isOpen, type StoredIntent } from '../store/intents.js';
import {
  bodyFields,
  bodyOf,
  type Client,
  callNames,
  type IntentBody,
  type IntentContent,
  isForeign,
  isOwn,
  isSameRequest,
  type Target,
} from './content.js';
import { type Intent, knownEffect, type Ledger, type Unsent } from './ledger.js';

/** Answers of the store in place of the service's, and errors that keep a call from being sent. */

/** The recorded result of a call that took effect; undefined if its reply could not be kept. */
export function recordedValue({ key, status }: Intent) {
  const event = status.verdict?.event;
  if (event?.record === undefined) return undefined;
  return {
    kind: 'settled',
    value: event.record,
    info: {
      status: event.status ?? 200,
      headers: {},
      body: undefined,
      requestId: event.requestId,
      serverTime: undefined,
      replayed: true,
      attempts: status.attempts,
      idempotencyKey: key,
      timings: { total: 0, queued: 0 },
    },
  } as const;
}

/** The recorded result as a call returns it: with the facts of its reply attached. */
export function recordedResult(intent: Intent): { readonly value: object } | undefined {
  const recorded = recordedValue(intent);
  if (recorded !== undefined) attachInfo(recorded.value, recorded.info);
  return recorded;
}

export function failed(error: Error): Settled {
  return { kind: 'settled', error };
}

/** The error for a key that was used for other content. */
export function otherContent(
  intent: Intent,
  given: { readonly target: Target; readonly body: IntentBody },
  recordedBody: IntentBody | undefined,
  context: CallContext,
): IdempotencyConflictError {
  const differing = differences(intent.content, given, recordedBody);
  const { state, verdict } = intent.status;
  const row = intent.content.bid?.row;
  const record = verdict?.event.record;
  return new IdempotencyConflictError({
    ...context,
    idempotencyKey: intent.key,
    attempts: 0,
    outcome: knownEffect(intent),
    status: 409,
    codes: ['IDEMPOTENCY_CONFLICT'],
    differing,
    recorded: { state, ...(record !== undefined && { record }) },
    what: `This idempotency key is already recorded for other content (${differing.join(', ')} differ; the recorded call is ${state}), so nothing was sent.`,
    nextStep:
      row === undefined
        ? 'Use a new key for a new call, or pass the recorded content to repeat the recorded one.'
        : `Give the changed bid its own rowId; ${row.rowId} of batch ${row.batchId} is taken.`,
  });
}

function differences(
  { target }: IntentContent,
  given: { readonly target: Target; readonly body: IntentBody },
  recordedBody: IntentBody | undefined,
): string[] {
  const facts = (['operation', 'path', 'query'] as const).filter(
    (name) => target?.[name] !== given.target[name],
  );
  const now = bodyFields(given.body);
  // The bytes of a settled intent may have been dropped.
  const before = recordedBody === undefined ? now : bodyFields(recordedBody);
  const fields = Object.keys({ ...before, ...now }).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]),
  );
  const differing = [...facts, ...fields];
  return differing.length === 0 ? ['body'] : differing;
}

/** The error for an intent that was recorded under another origin or client id. */
export function foreignIntent(intent: Intent, isOpen: boolean, context: CallContext): Error {
  const { origin, clientId } = intent.content.identity;
  const owner = `client ${clientId} at ${origin}`;
  if (!isOpen) {
    return new ConfigurationError('account', `holds this key already, recorded for ${owner}`, {
      ...context,
      idempotencyKey: intent.key,
      nextStep:
        'Give each bank its own `account` label; if this is the same service under a new address, list the old one in `formerOrigins`.',
    });
  }
  return blocked('foreign', intent, context, {
    outcome: 'not_sent',
    what: `An unresolved intent was recorded for ${owner}, so this client can't settle it and sent nothing.`,
    nextStep:
      'Settle it with a client that has those credentials, list a moved address in `formerOrigins`, or abandon it with intents.abandon.',
  });
}

/** The error for other open bids of the same buyer on the same lot; it names the first of them. */
export function unresolvedBids(first: Intent, all: readonly Intent[], context: CallContext): InDoubtError {
  const { amount, lot, idempotencyKey, account } = unresolvedOf(first);
  const label = account === undefined ? '' : `, recorded under "${account}"`;
  const isStuck = first.status.state === 'stuck';
  return new InDoubtError('unresolved_bid', all.map(unresolvedOf), {
    ...context,
    what: `An earlier bid of ${amount} on lot ${lot} is unresolved (key ${idempotencyKey}${label}); if it is later accepted, this bid would outbid it, so nothing was sent.`,
    nextStep: isStuck
      ? 'Compare intents.explain(key) with the bank and abandon the earlier bid, or place this one with allowUnresolved.'
      : 'Reconcile the earlier bid first (intents.reconcile), abandon it, or place this one with allowUnresolved.',
  });
}

/** The error for a call that may have taken effect itself and is not sent again. */
export function inDoubt(intent: Intent, context: CallContext): InDoubtError {
  const { state, why } = intent.status;
  const isStuck = state === 'stuck' || state === 'abandoned';
  return blocked(isStuck ? 'stuck' : 'in_doubt', intent, context, {
    what: isStuck
      ? `The intent under this key needs manual resolution: ${why ?? 'no reason is recorded'}. Nothing was sent.`
      : 'An earlier call under this key may have taken effect, and the service may have forgotten the key, so nothing was sent.',
    nextStep:
      state === 'abandoned'
        ? 'Use a new key if you still want it.'
        : 'Read the record that the call changes; if it had no effect, abandon it (intents.abandon) and call again under a new key.',
  });
}

/** The error for a function of `runOnce` that returned although its call failed. */
export function swallowed(intent: Intent, context: CallContext): InDoubtError {
  const { state } = intent.status;
  const mayHave = knownEffect(intent) === 'unknown' ? ', and may have taken effect' : '';
  return blocked(state === 'stuck' ? 'stuck' : 'in_doubt', intent, context, {
    what: `The function of runOnce returned, but its call did not succeed: it is ${state}${mayHave}.`,
    nextStep: 'Let the function throw the error of its call, then run it again.',
  });
}

/** The error for an intent that another process or call works on. */
export function inProgress(intent: Intent, context: CallContext): InDoubtError {
  return blocked('in_progress', intent, context, {
    outcome: 'unknown',
    what: 'Another process is working on the call under this key, so nothing was sent from here.',
    nextStep: 'Call again under the same key once it has finished, or read intents.get(key).',
  });
}

/**
 * The error if another process changed the intent while this call held it.
 *
 * @param hasSent whether this call has made an attempt, so that it can't say that nothing was sent
 */
export function superseded(
  intent: Intent | undefined,
  context: CallContext,
  hasSent = false,
): NotSentError | InDoubtError {
  const nextStep = 'Call again under the same key to get its outcome.';
  if (intent !== undefined && hasSent) {
    const what = `Another process took over this intent after it was sent from here (it is ${intent.status.state} now).`;
    return blocked('in_progress', intent, context, { what, nextStep });
  }
  // An attempt of another process may take effect, or have taken it.
  if (intent !== undefined && knownEffect(intent) === 'unknown') return inProgress(intent, context);
  const what = `Another process settled this intent first (it is ${intent?.status.state ?? 'gone'}), so nothing was sent from here.`;
  return new NotSentError('superseded', { ...context, what, nextStep });
}

/** Reason that a halt or a risk limit blocks a bid. */
export interface HoldReason {
  readonly reason: 'halted' | 'risk_limit';
  readonly why: string;
}

/** The error for a bid that a halt or a risk limit holds back. */
export function heldBack(intent: Intent, context: CallContext, { reason, why }: HoldReason): Error {
  const nextStep =
    reason === 'halted'
      ? 'Call bids.resume() to bid again, then place the same bid under the same key.'
      : 'Raise the limit or wait until less is at stake, then place the same bid under the same key.';
  return keptBack(reason, intent, context, { why: why.replace(/\.$/, ''), nextStep });
}

/** The error if server time was known when the call was recorded, and no longer is. */
export function timeLost(intent: Intent, context: CallContext): Error {
  return keptBack('no_server_time', intent, context, {
    why: 'Server time is no longer known, because the local clock was set or the machine slept',
    nextStep: 'Call again under the same key.',
  });
}

function keptBack(
  reason: NotSentReason,
  intent: Intent,
  context: CallContext,
  { why, nextStep }: { readonly why: string; readonly nextStep: string },
): Error {
  if (mayHaveEffect(intent)) return notSentAgain(intent, context, { why, nextStep });
  const facts = { ...context, idempotencyKey: intent.key };
  return new NotSentError(reason, { ...facts, what: `${why}. Nothing was sent.`, nextStep });
}

/** The error if another call has read meanwhile that the lot is closed. */
export function closedMeanwhile(intent: Intent, context: CallContext): Error {
  if (!mayHaveEffect(intent)) return superseded(intent, context);
  const nextStep = 'Reconcile it to find out the outcome.';
  return notSentAgain(intent, context, { why: 'The lot has closed', nextStep });
}

/** Whether an earlier attempt has taken effect, or may have. */
function mayHaveEffect({ status: { state } }: Intent): boolean {
  return state !== 'ready' && state !== 'refused' && state !== 'not_sent';
}

/** The error if this side must not send an intent again and an earlier attempt may have taken effect. */
function notSentAgain(
  intent: Intent,
  context: CallContext,
  { why, nextStep }: { readonly why: string; readonly nextStep: string },
): InDoubtError {
  const what = `${why}, so this was not sent again; an earlier attempt may have taken effect.`;
  return blocked('in_doubt', intent, context, { what, nextStep });
}

/** An open intent on a lot does not block itself. */
function blocked(
  reason: InDoubtReason,
  intent: Intent,
  context: CallContext,
  words: { readonly outcome?: Outcome; readonly what: string; readonly nextStep: string },
): InDoubtError {
  const facts = { outcome: knownEffect(intent), idempotencyKey: intent.key };
  const unresolved = unresolvedOf(intent);
  const { account } = unresolved;
  const elsewhere = account !== undefined && {
    what: `${words.what} It is recorded under "${account}".`,
    nextStep: `${words.nextStep} recover({ resend: true }) of this client also settles what is recorded there.`,
  };
  return new InDoubtError(reason, [unresolved], { ...context, ...facts, ...words, ...elsewhere });
}

/** Why an outcome that only another client can learn is unknown, for bids and commands. */
export function foreignOutcome({ content: { identity } }: Intent, noun: 'bid' | 'command') {
  const { origin, clientId } = identity;
  return {
    status: 'unknown',
    reason: 'foreign',
    what: `This ${noun} was recorded for client ${clientId} at ${origin}, so this client can't settle it.`,
    nextStep:
      'Recover with a client that has those credentials, list a moved address in formerOrigins, or abandon it.',
  } as const;
}

/** The recorded rejection of a bid, as `bids.submit` throws it. */
export function recordedRejection(intent: Intent, context: CallContext): BidRejectedError {
  const event = intent.status.verdict?.event;
  const receipt = event?.record as RejectedBid | undefined;
  const codes = event?.codes ?? [];
  return new BidRejectedError({
    ...context,
    idempotencyKey: intent.key,
    attempts: 0,
    outcome: 'rejected',
    status: 422,
    codes,
    ...(receipt !== undefined && { receipt }),
    what: `The service rejected this bid earlier (${codes.join(', ') || 'no codes recorded'}).`,
    nextStep: 'A rejection is final. To bid again, use a new key.',
  });
}

export function unresolvedOf({ key, content, row: { account } }: Intent): Unresolved {
  const { bid } = content;
  return {
    idempotencyKey: key,
    operation: callNames(content).operation,
    ...(bid !== undefined && { lot: bid.lot, amount: bid.amount }),
    ...(bid?.bidderReference !== undefined && { bidderReference: bid.bidderReference }),
    ...(account !== undefined && { account }),
  };
}

/** The content of a call, as it is recorded. */
export interface Given {
  readonly target: Target;
  readonly body: IntentBody;
}

/** Why a key can't be used for this content: another client recorded it, or it is recorded for other content. */
export function otherUnder(
  client: Client,
  known: Intent,
  given: Given,
  context: CallContext,
): Error | undefined {
  const { target } = known.content;
  if (isForeign(known.content, client)) return foreignIntent(known, isOpen(known.status.state), context);
  if (target === undefined || isSameRequest(target, given.target)) return undefined;
  return otherContent(known, given, bodyOf(known.row), context);
}

/** What this client recorded in other accounts, without what had no effect: there the key may be used once more. */
export function effectsElsewhere(
  client: Client & { readonly ledger: Ledger },
  rows: readonly StoredIntent[],
): readonly Intent[] {
  return rows.flatMap((row) => {
    const intent = client.ledger.intentOf(row);
    if (intent === undefined || !isOwn(intent.content, client)) return [];
    const { state } = intent.status;
    return state === 'refused' || state === 'not_sent' ? [] : [intent];
  });
}

/** Why a recorded call was not sent, from its failure. */
export function unsentBy(failure: unknown): Unsent {
  if (failure instanceof AbortedError) {
    const what = failure.reason === 'closed' ? 'client was closed' : 'call was aborted';
    return { reason: 'aborted', why: `the ${what} before it could be sent` };
  }
  if (failure instanceof TimeoutError)
    return { reason: 'deadline', why: 'its deadline passed before it could be sent' };
  const why =
    failure instanceof VehicleAuctionError ? failure.name : 'the call ended before it could be sent';
  return { reason: failure === undefined ? 'interrupted' : 'failure', why };
}
