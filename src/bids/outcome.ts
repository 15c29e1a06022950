import { checkReply } from '../api/check.js';
import { codeFacts } from '../api/codes.js';
import { type ConnectionFacts, connectionStep } from '../core/reply/connection.js';
import { VehicleAuctionError, withoutNextStep } from '../errors/base.js';
import { rejectedBidSchema } from '../generated/bids.js';
import { foreignOutcome } from '../intents/answers.js';
import type { IntendedBid, LookupEvent, ResultEvent } from '../intents/content.js';
import { SIGNATURE_WINDOW_MS } from '../intents/facts.js';
import type { Intent } from '../intents/ledger.js';
import type { SimilarBids } from './lookup.js';
import type { BidEvidence, BidOutcome, UnsentReason } from './types.js';

/** The outcome of a bid, as data and in words. */

/** Inputs of an outcome, in addition to the record. */
export interface OutcomeSources {
  readonly similar?: SimilarBids | undefined;
  /** Server time, Unix ms. */
  readonly now: number;
}

/** The outcome of a bid, from its record. */
export function outcomeOf(intent: Intent, sources: OutcomeSources): BidOutcome {
  const { status, content } = intent;
  const { verdict, refusal, unsent } = status;
  const { bid } = content;
  const event = verdict?.event;
  const facts = outcomeFacts(intent);
  switch (status.state) {
    case 'accepted':
      return {
        status: 'accepted',
        ...facts,
        ...recordedFacts(event),
        what: `The service accepted this bid${verdict?.by === 'lookup' ? ' (confirmed by a lookup)' : ''}.`,
        nextStep: 'Standings are provisional: watch the lot, and wait for the sale to be approved.',
      };
    case 'rejected': {
      const codes = event?.codes ?? [];
      return {
        status: 'rejected',
        ...facts,
        codes,
        ...recordedFacts(event),
        what: sentences(`The service rejected this bid${listed(codes)}.`, ...meanings(codes)),
        nextStep: sentences(
          `A rejection is final: a further bid is a new one, with ${newKey(bid)}.`,
          ...nextSteps(codes),
        ),
      };
    }
    case 'refused':
      return { ...facts, ...refusedBid(intent), codes: status.notRecorded ? [] : (refusal?.codes ?? []) };
    case 'not_sent':
      return { ...facts, ...unsentBid(intent, unsent ?? neverTried, sources) };
    case 'stuck':
    case 'abandoned':
      return { ...facts, ...givenUp(intent, status.state, sources) };
    default:
      return { ...facts, ...bidInDoubt(intent, sources) };
  }
}

/** The outcome from a lookup alone, for a key that the store doesn't have. */
export function lookedUpOnly(key: string, event: LookupEvent): BidOutcome {
  const { found, codes = [] } = event;
  const facts = bidFacts(key, undefined);
  const unrecorded = 'but this store has no record of it.';
  if (found === 'accepted') {
    const what = `The service accepted a bid under this key, ${unrecorded}`;
    const nextStep = 'Read the bid (bids.get), and use one store for all processes that bid.';
    return { status: found, ...facts, ...recordedFacts(event), what, nextStep };
  }
  if (found === 'rejected') {
    const what = `The service rejected a bid under this key${listed(codes)}, ${unrecorded}`;
    const nextStep = 'A rejection is final. To bid again, use a new key.';
    return { status: found, ...facts, codes, ...recordedFacts(event), what, nextStep };
  }
  const evidence = evidenceIn({ ...event, found }, (event.observedAt ?? event.at) + SIGNATURE_WINDOW_MS);
  const what = `This store has no record of this key. ${evidenceSentence(evidence)}`;
  const nextStep = 'Another process may have sent it: call intents.reconcile(key) again in five minutes.';
  return { status: 'unknown', reason: 'in_doubt', ...facts, evidence, what, nextStep };
}

/** The outcome of a bid that only another client can settle. */
export function foreignBid(intent: Intent, sources: OutcomeSources): BidOutcome {
  const outcome = outcomeOf(intent, sources);
  if (outcome.status === 'accepted' || outcome.status === 'rejected') return outcome;
  const { key, content, status } = intent;
  return { ...bidFacts(key, content.bid), attempts: status.attempts, ...foreignOutcome(intent, 'bid') };
}

export type NotBegunReason = 'aborted' | 'closed' | 'deadline' | 'failure';

interface NotBegun {
  readonly keyGiven: boolean;
  readonly reason: NotBegunReason;
  /** The error that ended it, if any. */
  readonly cause?: VehicleAuctionError | undefined;
  /** How the SDK knows of the close, as the end of a sentence. */
  readonly why?: string | undefined;
}

/** The outcome of a call that ended before it could read or write the record of its key. */
export function notBegun(
  bid: IntendedBid,
  key: string,
  { keyGiven, reason, cause, why: known }: NotBegun,
): BidOutcome {
  const facts = bidFacts(key, bid);
  if (reason === 'closed') {
    const what = `This bid was not sent: lot ${bid.lot} has closed; ${known}.`;
    return { status: 'not_sent', reason, ...facts, what, nextStep: CLOSED };
  }
  const why = endings[reason];
  // The error of the failed read is the shortest.
  const read = cause?.cause instanceof VehicleAuctionError ? cause.cause : cause;
  const shown = read === undefined ? [] : [withoutNextStep(read)];
  const fix = cause === undefined ? [] : [cause.nextStep];
  if (!keyGiven) {
    const what = sentences(`This bid was not sent: ${why} before it was recorded.`, ...shown);
    const nextStep = sentences(...fix, 'Place it again if you still want it.');
    return { status: 'not_sent', reason, ...facts, what, nextStep };
  }
  const what = sentences(
    `This call sent nothing: ${why} before it could read what an earlier call did under this key.`,
    ...shown,
  );
  const nextStep = sentences(
    ...fix,
    'Call intents.reconcile(key), or place the same bid under its key with a longer deadline.',
  );
  return { status: 'unknown', reason: 'in_doubt', ...facts, what, nextStep };
}

const CLOSED = 'Read the lot again. If it is still open, place the bid with the new record.';

const endings = {
  aborted: 'the call was aborted',
  deadline: 'the deadline of the call passed',
  failure: 'server time could not be read (A01)',
} as const;

function refusedBid({ status, content: { bid } }: Intent) {
  const { refusal, provisional, notRecorded } = status;
  const httpStatus = refusal?.status;
  const base = { status: 'refused', provisional, ...(httpStatus !== undefined && { httpStatus }) } as const;
  if (notRecorded || refusal === undefined) {
    return {
      ...base,
      reason: 'not_recorded',
      what: 'The service did not record this bid: two lookups found nothing after every copy of it had expired.',
      nextStep: `Place the same bid again under its key, or a changed one with ${newKey(bid)}.`,
    } as const;
  }
  const { codes = [], why, effect } = refusal;
  const lotHint =
    httpStatus === 404 ? 'Check the lot id, and that these credentials may bid on it.' : undefined;
  const fix = nextSteps(codes)[0] ?? lotHint ?? 'Fix what the service reports.';
  const nextStep = `${fix} To send the same bid, place it again under its key; a changed bid needs ${newKey(bid)}.`;
  if (effect !== 'uncoded') {
    const what = sentences(`The service refused this bid and recorded nothing (${why}).`, ...meanings(codes));
    return { ...base, reason: 'coded', what, nextStep } as const;
  }
  const until = provisional ? ' It may still appear until two later lookups find nothing.' : '';
  const what = `This bid was refused without a documented code (${why}), and a lookup found no record of it.${until}`;
  return { ...base, reason: 'uncoded', what, nextStep } as const;
}

const neverTried = { reason: 'interrupted', why: 'no attempt was made' };

function unsentBid(
  { content: { bid }, status: { placeBy, sent }, row }: Intent,
  { reason, why, connection }: NonNullable<Intent['status']['unsent']>,
  { now }: OutcomeSources,
) {
  const closesAt = row.bid?.closesAt;
  const isPastClose = closesAt !== undefined && closesAt <= now && (placeBy ?? 0) >= closesAt;
  if (reason === 'deadline' && (sent.isClosed || isPastClose)) {
    const what = `This bid was not sent: lot ${bid?.lot} closed before it could be sent.`;
    return { status: 'not_sent', reason: 'closed', what, nextStep: CLOSED } as const;
  }
  const known = isUnsentReason(reason) ? reason : 'failure';
  const later = placeBy !== undefined && placeBy <= now ? ', with a later placeBy if you set one' : '';
  return {
    status: 'not_sent',
    reason: known,
    what: `This bid was not sent: ${clause(why)}.`,
    nextStep:
      connection === undefined
        ? `${beforeAgain[known]} ${again(bid)}${later}.`
        : sentences(connectionFix(connection), capitalized(`${again(bid)}${later}.`)),
  } as const;
}

/** What to do about a failed connection, as a sentence that does not ask for another call. */
function connectionFix(connection: ConnectionFacts): string {
  return connectionStep(connection).replace(/, then call again\.$/, '.');
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The step before an unsent bid is placed again. */
const beforeAgain: Readonly<Record<UnsentReason, string>> = {
  network: 'Check the connection, then',
  deadline: 'If you still want it,',
  closed: 'If the lot is still open,',
  aborted: 'If you still want it,',
  halted: 'Call bids.resume() to bid again, then',
  risk_limit: 'Raise the limit or wait until less is at stake, then',
  interrupted: 'If you still want it,',
  failure: 'If you still want it,',
};

function isUnsentReason(reason: string): reason is UnsentReason {
  return Object.hasOwn(beforeAgain, reason);
}

/** The outcome that a dry run expects of a bid that would not be sent. */
export function wouldBeUnsent(bid: IntendedBid, key: string, reason: UnsentReason, why: string): BidOutcome {
  return {
    ...bidFacts(key, bid),
    status: 'not_sent',
    reason,
    what: `This bid would not be sent: ${clause(why)}.`,
    nextStep: `${beforeAgain[reason]} place this batch.`,
  };
}

/** A recorded reason within a sentence. */
function clause(why: string): string {
  const text = why.replace(/\.$/, '').replace(/^connection: (.*)$/, 'no connection could be made ($1)');
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function givenUp({ status }: Intent, state: 'stuck' | 'abandoned', { similar }: OutcomeSources) {
  const evidence = evidenceOf(status, similar);
  const base = { status: 'unknown', reason: state, ...(evidence !== undefined && { evidence }) } as const;
  if (state === 'abandoned') {
    return {
      ...base,
      what: `This bid was abandoned while its outcome was unknown (${status.why ?? 'no reason given'}).`,
      nextStep: 'It is no longer followed; intents.reconcile(key) still looks it up.',
    };
  }
  return {
    ...base,
    what: sentences(
      `This bid needs manual resolution: ${status.why ?? 'no reason is recorded'}.`,
      ...(similar === undefined ? [] : [evidenceSentence({ kind: 'similar_bids', ...similar })]),
    ),
    nextStep:
      'List similar bids with intents.reconcile(key), compare them with intents.explain(key), then abandon it. Do not bid again before that.',
  };
}

function bidInDoubt({ status, content: { bid, log }, row }: Intent, { similar, now }: OutcomeSources) {
  const evidence = evidenceOf(status, similar);
  const shown = evidence === undefined ? [] : [evidenceSentence(evidence)];
  const base = {
    status: 'unknown',
    reason: 'in_doubt',
    ...(evidence !== undefined && { evidence }),
  } as const;
  if (status.state === 'ready' && row.owner !== undefined) {
    return {
      ...base,
      what: sentences('Another call has recorded this bid and may send it at any moment.', ...shown),
      nextStep:
        'Wait for that call to end, then call intents.reconcile(key). Do not bid under a new key before that.',
    };
  }
  const last = log.findLast((event) => event.type === 'result');
  const what =
    last?.effect === 'rejected'
      ? 'The service rejected this bid, but an earlier attempt is in doubt and no lookup has confirmed the rejection.'
      : `This bid may or may not have been recorded${last === undefined ? '' : ` (${last.why})`}.`;
  const wait = evidence?.kind === 'absent' ? ` after ${new Date(evidence.copiesExpireAt).toISOString()}` : '';
  const place = now < status.sendableUntil && !status.sent.isClosed ? `, or ${again(bid)}` : '';
  return {
    ...base,
    what: sentences(what, ...shown),
    nextStep: `Call intents.reconcile(key)${wait}${place}. Do not bid under a new key before that.`,
  };
}

function evidenceOf(
  { lastLookup, copiesExpireAt }: Intent['status'],
  similar: SimilarBids | undefined,
): BidEvidence | undefined {
  if (similar !== undefined) return { kind: 'similar_bids', ...similar };
  if (lastLookup === undefined) return undefined;
  const { found, observedAt, at } = lastLookup;
  if (found === 'accepted' || found === 'rejected') return undefined;
  return evidenceIn({ ...lastLookup, found }, copiesExpireAt ?? observedAt ?? at);
}

function evidenceIn(
  { found, observedAt, why }: LookupEvent & { readonly found: 'absent' | 'processing' | 'failed' },
  copiesExpireAt: number,
): BidEvidence {
  if (found === 'failed') return { kind: 'lookup_failed', why: why ?? 'no reason given' };
  return found === 'absent' ? { kind: found, observedAt, copiesExpireAt } : { kind: found, observedAt };
}

function evidenceSentence(evidence: BidEvidence): string {
  switch (evidence.kind) {
    case 'absent':
      return 'A lookup found no record of it, but a copy of the request may still arrive.';
    case 'processing':
      return 'The service is still working on it.';
    case 'lookup_failed':
      return `The lookup failed (${evidence.why}).`;
    case 'similar_bids':
      return evidence.bids.length === 0
        ? 'The service lists no accepted bid with the same lot, buyer and amount.'
        : `Accepted bids with the same lot, buyer and amount: ${evidence.bids.map(({ id }) => id).join(', ')}.`;
  }
}

function outcomeFacts({ key, content, status: { verdict, attempts } }: Intent) {
  const replayed = verdict?.event.type === 'result' && verdict.event.replayed === true;
  return { ...bidFacts(key, content.bid), replayed, attempts };
}

/** Facts that identify a bid. */
export function bidFacts(key: string, bid: IntendedBid | undefined) {
  return {
    call: 'bids.place',
    ...(bid !== undefined && { lot: bid.lot, amount: bid.amount }),
    ...(bid?.bidderReference !== undefined && { bidderReference: bid.bidderReference }),
    idempotencyKey: key,
    codes: [] as readonly string[],
    replayed: false,
    attempts: 0,
  } as const;
}

/** Checks the record of a rejection: that of a lookup is unchecked, and its amounts may be JSON numbers. */
const convertAmounts = (record: object) => checkReply(rejectedBidSchema, record);

function recordedFacts(event: ResultEvent | LookupEvent | undefined): { bidId?: string; receipt?: object } {
  const { bidId, record } = event ?? {};
  const id = bidId === undefined ? {} : { bidId };
  if (typeof record !== 'object' || record === null) return id;
  const receipt = { ...record };
  convertAmounts(receipt);
  return { ...id, receipt };
}

function again(bid: IntendedBid | undefined): string {
  return bid?.row === undefined
    ? 'place the same bid again under its key'
    : `run batch ${bid.row.batchId} again`;
}

function newKey(bid: IntendedBid | undefined): string {
  return bid?.row === undefined ? 'a new key' : 'a new rowId';
}

function listed(codes: readonly string[]): string {
  return codes.length === 0 ? '' : ` (${codes.join(', ')})`;
}

function meanings(codes: readonly string[]): string[] {
  return codes.flatMap((code) => codeFacts(code)?.meaning ?? []);
}

/** The next step for the first known code. */
function nextSteps(codes: readonly string[]): string[] {
  return codes.flatMap((code) => codeFacts(code)?.nextStep ?? []).slice(0, 1);
}

function sentences(...all: readonly string[]): string {
  return all.join(' ');
}
