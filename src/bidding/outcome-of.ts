import type { EndEntry, Entry, LookEntry } from '../intents/entry.js';
import type { IntendedBid } from '../intents/intent.js';
import { type Standing, standingOf } from '../intents/standing.js';
import type { BidDetail } from '../models/bids.js';
import { meaningsOf, remedyOf } from './code-words.js';
import { absenceOf } from './fence.js';
import type { BidEvidence, BidOutcome, UnknownBid } from './outcome.js';

/** What an outcome is made of. */
export interface OutcomeSources {
  readonly key: string;
  /** What was bid; undefined where the journal doesn't know the key. */
  readonly bid: IntendedBid | undefined;
  readonly standing: Standing;
  readonly entries: readonly Entry[];
  readonly horizonMs: number;
  /** Bids like it, where the look-up by key came too late. */
  readonly similar?: { readonly bids: readonly BidDetail[]; readonly complete: boolean } | undefined;
  /** Why nothing was sent, or nothing more could be found out, where the journal doesn't know. */
  readonly reason?: string | undefined;
}

/** Tells what became of a bid from what is on record. */
export function outcomeOf(sources: OutcomeSources): BidOutcome {
  const { standing, reason } = sources;
  const { word } = standing;
  const facts = {
    ...bidFacts(sources.bid),
    idempotencyKey: sources.key,
    codes: word?.codes ?? [],
    replayed: word?.type === 'end' && word.replayed === true,
    attempts: standing.attempts,
  };
  switch (standing.state) {
    case 'accepted':
      return {
        status: 'accepted',
        ...facts,
        ...recordOf(word),
        codes: [],
        what: `The service accepted this bid${saidBy(word)}${word?.record?.['bidder_status'] === 'outbid' ? '; it is outbid already' : ''}.`,
        nextStep: 'A standing is provisional: follow the lot, and wait for the sale to be approved.',
      };
    case 'rejected':
      return {
        status: 'rejected',
        ...facts,
        ...recordOf(word),
        what: `The service rejected this bid${codesOf(facts.codes)}${saidBy(word)}.`,
        nextStep: 'It is final. A bid of another amount is a new bid, with a key of its own.',
      };
    case 'refused':
      return {
        status: 'refused',
        ...facts,
        ...(word?.type === 'end' && word.status !== undefined && { httpStatus: word.status }),
        what: withMeanings(
          `The service turned this bid away and recorded nothing (${word?.reason ?? reason ?? 'no reason given'}).`,
          facts.codes,
        ),
        nextStep: `${remedyOf(facts.codes) ?? (word?.type === 'end' && word.status === 404 ? 'Check the lot id, and that the lot is open to these credentials.' : 'Mend what it names.')} Then ${placeAgain(sources.bid)}.`,
      };
    case 'not_sent':
    case 'prepared':
      return {
        status: 'not_sent',
        ...facts,
        what: `Nothing of this bid was sent (${word?.reason ?? reason ?? lastWord(sources.entries) ?? 'no attempt was made'}).`,
        nextStep: `If it is still wanted, ${placeAgain(sources.bid)}.`,
      };
    default:
      return unknown(sources, facts);
  }
}

/** What a look-up alone says of a key that the journal doesn't know. */
export function lookedUpOnly(key: string, look: LookEntry): BidOutcome {
  const entries = [look];
  const settled = look.found === 'accepted' || look.found === 'rejected';
  // Somebody sent it: were there no such attempt, the service could not have judged it.
  const standing = standingOf(
    { bid: unknownBid },
    settled ? [attemptBefore(look), look] : [attemptBefore(look)],
  );
  const reason = 'the journal has no record of this key';
  return { ...outcomeOf({ key, bid: undefined, standing, entries, horizonMs: 0, reason }), attempts: 0 };
}

const unknownBid = { lot: '', amount: '', placeBy: 0 };

/** When another process may have sent it: copies are let in until 300 s after now, whenever that is. */
function attemptBefore(look: LookEntry): Entry {
  const timestamp = Math.ceil((look.observedAt ?? look.at) / 1000);
  return { type: 'attempt', attempt: 1, at: look.at, timestamp, nonce: '', keyId: '' };
}

/** A bid that must not be sent, because its key is somebody else's. */
export function quarantinedBid(key: string, reason: string, bid?: IntendedBid): UnknownBid {
  return {
    status: 'unknown',
    ...bidFacts(bid),
    idempotencyKey: key,
    codes: [],
    replayed: false,
    attempts: 0,
    quarantined: { reason },
    what: reason,
    nextStep: 'Settle it with a client that has its credentials, or give the new bid a key of its own.',
  };
}

/** A bid of which this call could not learn in time whether it is on record. */
export function unreadBid(
  key: string,
  bid?: IntendedBid,
  until = 'the journal could say whether this key is on record',
): UnknownBid {
  return {
    status: 'unknown',
    ...bidFacts(bid),
    idempotencyKey: key,
    codes: [],
    replayed: false,
    attempts: 0,
    what: `This call sent nothing: its time was up before ${until}.`,
    nextStep: `Ask again under its key (bidding.reconcile), or, with a longer deadline, ${placeAgain(bid)}.`,
  };
}

function unknown(
  sources: OutcomeSources,
  facts: Omit<UnknownBid, 'status' | 'what' | 'nextStep'>,
): UnknownBid {
  const { standing, reason } = sources;
  const evidence = evidenceOf(sources);
  const base = { status: 'unknown', ...facts, ...(evidence !== undefined && { evidence }) } as const;
  if (standing.state === 'quarantined') {
    const why = standing.quarantine ?? 'what is known contradicts itself';
    return {
      ...base,
      quarantined: { reason: why },
      what: `This bid can't be settled by itself: ${why}.`,
      nextStep:
        "Compare intents.explain(key) with the bank's records (bids.list, bids.get), then abandon it. Don't bid again before that.",
    };
  }
  if (standing.state === 'abandoned') {
    return {
      ...base,
      abandoned: { reason: lastWord(sources.entries) ?? 'no reason given' },
      what: 'This bid was abandoned while its outcome was unknown.',
      nextStep: 'Nothing tracks it any more; bidding.reconcile(key) still looks for it.',
    };
  }
  const because = reason === undefined ? '' : ` (${reason})`;
  if (standing.unconfirmed) {
    return {
      ...base,
      what: `The service rejected this bid${codesOf(facts.codes)}, but an earlier attempt is in doubt, and its look-up has not confirmed it. ${sentenceFor(evidence)}`,
      nextStep: stepFor(evidence, sources.bid),
    };
  }
  return {
    ...base,
    what: `This bid may or may not have been recorded${because}. ${sentenceFor(evidence)}`,
    nextStep: stepFor(evidence, sources.bid),
  };
}

/** Which bid it is, for whoever reads the outcome. */
function bidFacts(bid: IntendedBid | undefined): Pick<BidOutcome, 'lot' | 'amount' | 'bidderReference'> {
  if (bid === undefined) return {};
  const { lot, amount, bidderReference } = bid;
  return { lot, amount, ...(bidderReference !== undefined && { bidderReference }) };
}

function evidenceOf({ standing, entries, horizonMs, similar }: OutcomeSources): BidEvidence | undefined {
  if (similar !== undefined) return { kind: 'similar_bids', ...similar };
  const absence = absenceOf(entries, standing, horizonMs);
  if (absence !== undefined) {
    const { conclusive, observedAt, fenceAt } = absence;
    return { kind: 'absent', conclusive, observedAt, fenceAt };
  }
  const look = entries.findLast((entry) => entry.type === 'look' && entry.by === 'A06');
  if (look?.type !== 'look') return undefined;
  if (look.found === 'processing') return { kind: 'processing', observedAt: look.observedAt };
  return { kind: 'lookup_failed', reason: look.reason ?? `it answered "${look.found}"` };
}

function sentenceFor(evidence: BidEvidence | undefined): string {
  switch (evidence?.kind) {
    case undefined:
      return 'Nobody could look it up yet.';
    case 'absent':
      return evidence.conclusive
        ? 'The service has no record of it, and no copy of it can be let in any more.'
        : 'The service has no record of it yet; a copy that is still on its way could be let in.';
    case 'processing':
      return 'The service is still working on it.';
    case 'lookup_failed':
      return `The look-up gave no answer (${evidence.reason}).`;
    case 'similar_bids':
      return `The service may have forgotten the key; ${evidence.bids.length} accepted bids like it are on record.`;
  }
}

function stepFor(evidence: BidEvidence | undefined, bid: IntendedBid | undefined): string {
  if (evidence?.kind === 'absent' && evidence.conclusive) {
    return 'It is as good as certain that it was not recorded, yet no proof: abandon it if you mean to bid anew.';
  }
  if (evidence?.kind === 'absent') {
    return `Reconcile it by its key after ${new Date(evidence.fenceAt).toISOString()} server time, or ${placeAgain(bid)}, which can't double it; don't bid anew before that.`;
  }
  if (evidence?.kind === 'similar_bids') {
    return 'A person has to say which of them it is, if any; then abandon it.';
  }
  return "Reconcile it by its key (bidding.reconcile, or recover()); don't bid anew before that.";
}

/** How the same bid is placed once more, as a clause. */
function placeAgain(bid: IntendedBid | undefined): string {
  return bid?.row === undefined
    ? 'place the same bid again under its key (as intentId)'
    : `run the batch ${bid.row.batchId} again`;
}

function recordOf(word: EndEntry | LookEntry | undefined): { bidId?: string; receipt?: object } {
  const record = word?.record;
  if (record === undefined) return {};
  const bidId = record['bid_id'];
  return { receipt: record, ...(typeof bidId === 'string' && { bidId }) };
}

function saidBy(word: EndEntry | LookEntry | undefined): string {
  return word?.type === 'look' ? ', as its look-up says' : '';
}

function codesOf(codes: readonly string[]): string {
  return codes.length === 0 ? '' : ` (${codes.join(', ')})`;
}

function withMeanings(sentence: string, codes: readonly string[]): string {
  const meanings = meaningsOf(codes);
  return meanings === '' ? sentence : `${sentence} ${meanings}`;
}

function lastWord(entries: readonly Entry[]): string | undefined {
  const word = entries.findLast(({ type }) => type === 'word');
  return word?.type === 'word' ? word.reason : undefined;
}
