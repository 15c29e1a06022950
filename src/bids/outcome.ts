import { RejectedBid } from '../api/bids.js';
import { codeFacts } from '../api/codes.js';
import { repairOf } from '../core/repair.js';
import type { Identity, IntendedBid, LookupEvent } from '../intents/content.js';
import { SIGNATURE_WINDOW_MS } from '../intents/fold.js';
import type { Intent } from '../intents/ledger.js';
import type { Settlement } from './settle.js';
import type { BidEvidence, BidOutcome, UnknownBid, UnsentBid, UnsentReason } from './types.js';

/** What became of a bid, in data and in words. */

/** What an outcome is made of besides the record. */
export interface OutcomeSources {
  readonly similar?: Settlement['similar'];
  /** Server time, Unix ms. */
  readonly now: number;
}

/** Tells what became of a bid from its record. */
export function outcomeOf(intent: Intent, sources: OutcomeSources): BidOutcome {
  const { status, content, key } = intent;
  const { verdict, refusal } = status;
  const event = verdict?.event;
  const { bid } = content;
  const facts = {
    ...bidFacts(key, bid),
    codes: [] as readonly string[],
    replayed: event?.type === 'result' && event.replayed === true,
    attempts: status.attempts,
  };
  switch (status.state) {
    case 'accepted':
      return {
        status: 'accepted',
        ...facts,
        ...recordOf(event?.record, event?.bidId),
        what: `The service accepted this bid${verdict?.by === 'lookup' ? ' (confirmed by a lookup)' : ''}.`,
        nextStep: 'Standings are provisional: watch the lot, and wait for the sale to be approved.',
      };
    case 'rejected': {
      const codes = event?.codes ?? [];
      return {
        status: 'rejected',
        ...facts,
        codes,
        ...recordOf(event?.record, event?.bidId),
        what: sentence(`The service rejected this bid${listed(codes)}.`, meanings(codes)),
        nextStep: sentence(
          `A rejection is final: a further bid is a new one, with ${newKey(bid)}.`,
          remedy(codes),
        ),
      };
    }
    case 'refused':
      return { ...facts, ...refusedBid(intent), codes: status.notRecorded ? [] : (refusal?.codes ?? []) };
    case 'not_sent':
      return unsent(
        facts,
        status.unsent ?? { reason: 'interrupted', why: 'no attempt was made' },
        intent,
        sources,
      );
    default:
      return unknownBid(intent, facts, sources);
  }
}

/** What a lookup alone tells of a key that the store doesn't know. */
export function lookedUpOnly(key: string, event: LookupEvent): BidOutcome {
  const facts = { ...bidFacts(key, undefined), codes: [], replayed: false, attempts: 0 };
  const record = recordOf(event.record, event.bidId);
  if (event.found === 'accepted') {
    return {
      status: 'accepted',
      ...facts,
      ...record,
      what: 'The service accepted a bid under this key, but this store has no record of it.',
      nextStep: 'Read the bid (bids.get), and use one store for all processes that bid.',
    };
  }
  if (event.found === 'rejected') {
    const codes = event.codes ?? [];
    return {
      status: 'rejected',
      ...facts,
      codes,
      ...record,
      what: `The service rejected a bid under this key${listed(codes)}, but this store has no record of it.`,
      nextStep: 'A rejection is final: a further bid is a new one, with a new key.',
    };
  }
  const evidence: BidEvidence =
    event.found === 'absent'
      ? {
          kind: 'absent',
          observedAt: event.observedAt,
          copiesExpireAt: (event.observedAt ?? event.at) + SIGNATURE_WINDOW_MS,
        }
      : event.found === 'processing'
        ? { kind: 'processing', observedAt: event.observedAt }
        : { kind: 'lookup_failed', why: event.why ?? 'no reason given' };
  return {
    status: 'unknown',
    reason: 'in_doubt',
    ...facts,
    evidence,
    what: `This store has no record of this key. ${evidenceSentence(evidence)}`,
    nextStep: 'Another process may have sent it: call intents.reconcile(key) again in five minutes.',
  };
}

/** A bid that only another client can settle. */
export function foreignBid(outcome: BidOutcome, { origin, clientId }: Identity): BidOutcome {
  if (outcome.status === 'accepted' || outcome.status === 'rejected') return outcome;
  const { lot, amount, bidderReference, idempotencyKey, attempts } = outcome;
  return {
    call: 'bids.place',
    status: 'unknown',
    reason: 'foreign',
    ...(lot !== undefined && { lot }),
    ...(amount !== undefined && { amount }),
    ...(bidderReference !== undefined && { bidderReference }),
    idempotencyKey,
    codes: [],
    replayed: false,
    attempts,
    what: `This bid was recorded for client ${clientId} at ${origin}, so this client can't settle it.`,
    nextStep:
      'Recover with a client that has those credentials, list a moved address in formerOrigins, or abandon it.',
  };
}

export type NotBegunReason = 'aborted' | 'deadline' | 'failure';

/** This call ended before it could read or write what is recorded under the key. */
export function notBegun(
  bid: IntendedBid,
  key: string,
  { keyGiven, reason }: { readonly keyGiven: boolean; readonly reason: NotBegunReason },
): BidOutcome {
  const facts = { ...bidFacts(key, bid), codes: [], replayed: false, attempts: 0 } as const;
  const why = endings[reason];
  if (!keyGiven) {
    return {
      status: 'not_sent',
      reason,
      ...facts,
      what: `This bid was not sent: ${why} before it was recorded.`,
      nextStep: 'Place it again if you still want it.',
    };
  }
  return {
    status: 'unknown',
    reason: 'in_doubt',
    ...facts,
    what: `This call sent nothing: ${why} before it could tell what an earlier call did under this key.`,
    nextStep: 'Call intents.reconcile(key), or place the same bid under its key with a longer deadline.',
  };
}

const endings = {
  aborted: 'the call was aborted',
  deadline: 'the deadline of the call passed',
  failure: 'server time could not be read (A01)',
} as const;

type Facts = Omit<UnknownBid, 'status' | 'reason' | 'evidence' | 'what' | 'nextStep'>;

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
  const codes = refusal.codes ?? [];
  const fix =
    remedy(codes) ??
    (httpStatus === 404
      ? 'Check the lot id, and that these credentials may bid on it.'
      : 'Fix what the service reports.');
  const again = `To send the same bid, place it again under its key; a changed bid needs ${newKey(bid)}.`;
  if (refusal.effect === 'uncoded') {
    const until = provisional ? ' It may still appear until two later lookups find nothing.' : '';
    return {
      ...base,
      reason: 'uncoded',
      what: `This bid was turned away without a documented code (${refusal.why}), and a lookup found no record of it.${until}`,
      nextStep: `${fix} ${again}`,
    } as const;
  }
  return {
    ...base,
    reason: 'coded',
    what: sentence(`The service refused this bid and recorded nothing (${refusal.why}).`, meanings(codes)),
    nextStep: `${fix} ${again}`,
  } as const;
}

function unsent(
  facts: Facts,
  { reason, why }: { readonly reason: string; readonly why: string },
  { content: { bid }, status }: Intent,
  { now }: OutcomeSources,
): UnsentBid {
  const known = unsentReasons.find((one) => one === reason) ?? 'failure';
  const isLate = status.placeBy !== undefined && status.placeBy <= now;
  return {
    status: 'not_sent',
    reason: known,
    ...facts,
    what: `This bid was not sent: ${clause(why)}.`,
    nextStep: `${beforeAgain[known] ?? 'If you still want it,'} ${again(bid)}${isLate ? ' with a later placeBy' : ''}.`,
  };
}

/** What to do before an unsent bid is placed again. */
const beforeAgain: Readonly<Partial<Record<UnsentReason, string>>> = {
  network: 'Check the connection, then',
  halted: 'Call bids.resume() to bid again, then',
  risk_limit: 'Raise the limit or wait until less is at stake, then',
};

/** A recorded reason within a sentence. */
function clause(why: string): string {
  const text = why.replace(/\.$/, '').replace(/^connection: (.*)$/, 'no connection could be made ($1)');
  return text.charAt(0).toLowerCase() + text.slice(1);
}

const unsentReasons: readonly UnsentReason[] = [
  'network',
  'deadline',
  'aborted',
  'halted',
  'risk_limit',
  'interrupted',
  'failure',
];

function unknownBid(
  { status, content, row }: Intent,
  facts: Facts,
  { similar, now }: OutcomeSources,
): UnknownBid {
  const { bid, log } = content;
  const evidence = evidenceOf(status, similar);
  const base = { status: 'unknown', ...facts, ...(evidence !== undefined && { evidence }) } as const;
  if (status.state === 'stuck' || status.state === 'abandoned') {
    const isStuck = status.state === 'stuck';
    return {
      ...base,
      reason: status.state,
      what: isStuck
        ? sentence(
            `This bid needs manual resolution: ${status.why ?? 'no reason is recorded'}.`,
            similar === undefined ? undefined : evidenceSentence({ kind: 'similar_bids', ...similar }),
          )
        : `This bid was abandoned while its outcome was unknown (${status.why ?? 'no reason given'}).`,
      nextStep: isStuck
        ? 'Compare intents.explain(key) with the bids that the service lists, then abandon it. Do not bid again before that.'
        : 'It is no longer followed; intents.reconcile(key) still looks it up.',
    };
  }
  const last = log.findLast((event) => event.type === 'result');
  const why = last?.type === 'result' ? ` (${last.why})` : '';
  const rejected = last?.type === 'result' && last.effect === 'rejected';
  const isWaiting = status.state === 'ready' && row.owner !== undefined;
  const what = isWaiting
    ? 'Another call has recorded this bid and may send it at any moment.'
    : rejected
      ? 'The service rejected this bid, but an earlier attempt is in doubt and no lookup has confirmed the rejection.'
      : `This bid may or may not have been recorded${why}.`;
  const mayPlace = now < status.sendableUntil && !status.closed;
  const wait = evidence?.kind === 'absent' ? ` after ${new Date(evidence.copiesExpireAt).toISOString()}` : '';
  return {
    ...base,
    reason: 'in_doubt',
    what: evidence === undefined ? what : `${what} ${evidenceSentence(evidence)}`,
    nextStep: isWaiting
      ? 'Wait for that call to end, then call intents.reconcile(key). Do not bid under a new key before that.'
      : `Call intents.reconcile(key)${wait}${mayPlace ? `, or ${again(bid)}` : ''}. Do not bid under a new key before that.`,
  };
}

function evidenceOf(
  { lastLookup, copiesExpireAt }: Intent['status'],
  similar: Settlement['similar'],
): BidEvidence | undefined {
  if (similar !== undefined) return { kind: 'similar_bids', ...similar };
  if (lastLookup === undefined) return undefined;
  const { found, observedAt, why, at } = lastLookup;
  if (found === 'absent')
    return { kind: 'absent', observedAt, copiesExpireAt: copiesExpireAt ?? observedAt ?? at };
  if (found === 'processing') return { kind: 'processing', observedAt };
  return found === 'failed' ? { kind: 'lookup_failed', why: why ?? 'no reason given' } : undefined;
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

/** Which bid it is. */
function bidFacts(key: string, bid: IntendedBid | undefined) {
  return {
    call: 'bids.place',
    ...(bid !== undefined && { lot: bid.lot, amount: bid.amount }),
    ...(bid?.bidderReference !== undefined && { bidderReference: bid.bidderReference }),
    idempotencyKey: key,
  } as const;
}

/** A record of either kind: that of a lookup is as it came, and its amounts may be JSON numbers. */
const repair = repairOf(RejectedBid);

function recordOf(record: unknown, bidId: string | undefined): { bidId?: string; receipt?: object } {
  const id = bidId === undefined ? {} : { bidId };
  if (typeof record !== 'object' || record === null) return id;
  const receipt = { ...record };
  repair?.(receipt);
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

function meanings(codes: readonly string[]): string | undefined {
  const texts = codes.flatMap((code) => codeFacts(code)?.meaning ?? []);
  return texts.length === 0 ? undefined : texts.join(' ');
}

function remedy(codes: readonly string[]): string | undefined {
  return codes.map(codeFacts).find((facts) => facts !== undefined)?.nextStep;
}

function sentence(first: string, second: string | undefined): string {
  return second === undefined ? first : `${first} ${second}`;
}
