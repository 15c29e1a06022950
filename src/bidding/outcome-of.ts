import { RejectedBid } from '../api/bids.js';
import { repairOf } from '../core/repair.js';
import type { EndEntry, Entry, LookEntry } from '../intents/entry.js';
import type { IntendedBid } from '../intents/intent.js';
import { standingOf } from '../intents/standing.js';
import { afterRefusal, afterRejection, ifStillWanted, placeAgain, prospectOf, stepFor } from './advice.js';
import { meaningsOf } from './code-words.js';
import { type EvidenceSources, evidenceOf, sentenceFor } from './evidence.js';
import type { BidOutcome, SaidOfBid, UnknownBid } from './outcome.js';

/** What an outcome is made of. */
export interface OutcomeSources extends EvidenceSources {
  readonly key: string;
  /** What was bid; undefined where the journal doesn't know the key. */
  readonly bid: IntendedBid | undefined;
  /** Why nothing was sent, or nothing more could be found out, where the journal doesn't know. */
  readonly reason?: string | undefined;
  /** Server time, Unix ms: past a bid's deadline nobody is told to place it by that. */
  readonly now?: number | undefined;
}

/** Tells what became of a bid from what is on record. */
export function outcomeOf(sources: OutcomeSources): BidOutcome {
  const { bid, standing, entries, reason } = sources;
  const { word } = standing;
  const facts = {
    ...bidFacts(sources.key, bid),
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
        what: withMeanings(
          `The service rejected this bid${codesOf(facts.codes)}${saidBy(word)}.`,
          facts.codes,
        ),
        nextStep: afterRejection(facts.codes, bid),
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
        nextStep: afterRefusal(word, facts.codes, prospectOf(bid, standing, entries, sources.now)),
      };
    case 'not_sent':
    case 'prepared':
      return {
        status: 'not_sent',
        ...facts,
        what: `Nothing of this bid was sent (${word?.reason ?? reason ?? lastWord(entries) ?? 'no attempt was made'}).`,
        nextStep: ifStillWanted(prospectOf(bid, standing, entries, sources.now)),
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
    ...unsaid(key, bid),
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
    ...unsaid(key, bid),
    what: `This call sent nothing: its time was up before ${until}.`,
    nextStep: `Ask again under its key (bidding.reconcile), or, with a longer deadline, ${placeAgain(bid)}.`,
  };
}

function unknown(
  sources: OutcomeSources,
  facts: Omit<UnknownBid, 'status' | 'what' | 'nextStep'>,
): UnknownBid {
  const { bid, standing, entries, reason, now } = sources;
  const evidence = evidenceOf(sources);
  const base = { status: 'unknown', ...facts, ...(evidence !== undefined && { evidence }) } as const;
  if (standing.state === 'quarantined') {
    const why = standing.quarantine ?? 'what is known contradicts itself';
    const said = saidOf(standing.word);
    return {
      ...base,
      quarantined: { reason: why, ...(said !== undefined && { said }) },
      what: `This bid can't be settled by itself: ${why}.${rowUsed(standing.word, bid)}${saidIn(said)}`,
      nextStep:
        "Compare intents.explain(key) with the bank's records (bids.list, bids.get), then abandon it. Don't bid again before that.",
    };
  }
  if (standing.state === 'abandoned') {
    return {
      ...base,
      abandoned: { reason: lastWord(entries) ?? 'no reason given' },
      what: 'This bid was abandoned while its outcome was unknown.',
      nextStep: 'Nothing tracks it any more; bidding.reconcile(key) still looks for it.',
    };
  }
  const because = reason === undefined ? '' : ` (${reason})`;
  const state = standing.unconfirmed
    ? `The service rejected this bid${codesOf(facts.codes)}, but an earlier attempt is in doubt, and its look-up has not confirmed it.`
    : `This bid may or may not have been recorded${because}.`;
  return {
    ...base,
    what: `${state} ${sentenceFor(evidence)}`,
    nextStep: stepFor(evidence, prospectOf(bid, standing, entries, now)),
  };
}

/** Which bid it is, for whoever reads the outcome. */
function bidFacts(key: string, bid: IntendedBid | undefined) {
  return {
    call: 'bidding.place',
    ...(bid !== undefined && { lot: bid.lot, amount: bid.amount }),
    ...(bid?.bidderReference !== undefined && { bidderReference: bid.bidderReference }),
    idempotencyKey: key,
  } as const;
}

/** The same, where nothing is known of what became of it. */
function unsaid(key: string, bid: IntendedBid | undefined) {
  return { ...bidFacts(key, bid), codes: [], replayed: false, attempts: 0 } as const;
}

/** A record of either kind: a look-up's is as it came, and its amounts may be JSON numbers. */
const mend = repairOf(RejectedBid);

function recordOf(word: EndEntry | LookEntry | undefined): { bidId?: string; receipt?: object } {
  if (word?.record === undefined) return {};
  const receipt = { ...word.record };
  mend?.(receipt);
  const bidId = receipt['bid_id'];
  return { receipt, ...(typeof bidId === 'string' && { bidId }) };
}

/** What the service itself says of a bid in quarantine; of one under another's key it says nothing. */
function saidOf(word: EndEntry | LookEntry | undefined): SaidOfBid | undefined {
  if (word === undefined) return undefined;
  const says = word.type === 'end' ? word.effect : word.found;
  const isAccepted = says === 'done' || says === 'accepted';
  if (!isAccepted && says !== 'rejected') return undefined;
  const { bidId } = recordOf(word);
  return {
    status: isAccepted ? 'accepted' : 'rejected',
    ...(bidId !== undefined && { bidId }),
    codes: isAccepted ? [] : (word.codes ?? []),
  };
}

function saidIn(said: SaidOfBid | undefined): string {
  return said === undefined
    ? ''
    : ` The service says: ${said.status}${codesOf([...(said.bidId === undefined ? [] : [said.bidId]), ...said.codes])}.`;
}

/** A key of a batch is made of its id and the row's. */
function rowUsed(word: EndEntry | LookEntry | undefined, bid: IntendedBid | undefined): string {
  return word?.type === 'end' && word.keyConflict === true && bid?.row !== undefined
    ? ` Row id ${bid.row.rowId} of batch ${bid.row.batchId} was used for another bid before.`
    : '';
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
