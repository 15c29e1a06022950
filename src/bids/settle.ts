import { isForeign } from '../intents/content.js';
import { ABSENCE_GAP_MS } from '../intents/facts.js';
import { type Clash, type Intent, settleUnsent } from '../intents/ledger.js';
import type { BaseOptions } from '../ports/caller.js';
import type { Slots } from '../runtime/slots.js';
import { pause, Stopped, type StopSources } from '../runtime/timers.js';
import { isFree } from '../store/owner.js';
import { lookUp, readBid, similarBids } from './lookup.js';
import { foreignBid, lookedUpOnly, outcomeOf } from './outcome.js';
import type { BidPorts } from './ports.js';
import type { BidOutcome } from './types.js';

/** Limits of a settlement. */
export interface SettleOptions {
  readonly options: BaseOptions;
  readonly sources: StopSources;
  /** Lookups without news before it stays unknown. */
  readonly maxLookups: number;
  /** Limits the concurrent lookups of `recover`. */
  readonly slots?: Slots | undefined;
  /** Maximum number of lookups, whatever they show; no limit by default. */
  readonly mostLookups?: number | undefined;
  /** Looks up at least once, even if the outcome is known. */
  readonly force?: boolean | undefined;
  /** Whether lookups may go on after `maxLookups`; defaults to no. */
  goesOn?(intent: Intent): boolean;
  /** Sends the same bytes again after an absence; false if it may not. Without it, nothing is sent. */
  resend?(intent: Intent): Promise<boolean>;
}

/** Wait before the next lookup, ms, by the number of lookups so far. */
const WAITS_MS = [1_000, 2_000, 4_000, 8_000];

/** Looks up a bid until its outcome is known or all lookups are used up. */
export async function settleBid(parts: BidPorts, found: Intent, settling: SettleOptions): Promise<Intent> {
  const { ledger } = parts.recording;
  const { key } = found;
  let intent = found;
  let lookups = 0;
  let inAll = 0;
  let resent = 0;
  let isHeld = false;
  const bid = found.content.bid;
  if (bid === undefined) return intent;
  for (;;) {
    const { status } = intent;
    const isWanted = status.state === 'sent' || settling.force === true;
    if (!isWanted || isOver(settling)) return intent;
    if (status.state === 'sent' && ledger.now() > status.keyExpiresAt) {
      // One more lookup does no harm: its result is still evidence.
      intent = await lookUpOnce(parts, intent, settling);
      return intent.status.state === 'sent' ? expire(parts, intent) : intent;
    }
    if (status.claim?.bidId !== undefined) {
      const read = await readClaimed(parts, intent, optionsWithin(settling));
      intent = read.intent;
      if (intent.status.state !== 'sent' || !read.isRead) return intent;
    }
    intent = await lookUpOnce(parts, intent, settling);
    lookups += 1;
    inAll += 1;
    if (intent.status.state !== 'sent') return intent;
    const { absentSince } = intent.status;
    // The status has the last lookup that was answered; this one may have failed.
    const latest = intent.content.log.findLast((event) => event.type === 'lookup');
    if (latest?.found === 'absent' && settling.resend !== undefined) {
      const wasSent = await settling.resend(intent);
      intent = (await ledger.read(key)) ?? intent;
      if (intent.status.state !== 'sent') return intent;
      isHeld = !wasSent;
      if (wasSent) {
        lookups = 0;
        resent += 1;
        if (resent === 1) continue;
      }
    }
    const round = lookups === 0 ? resent - 1 : lookups;
    // During recovery, all bids take their second lookup together, a minute later.
    const isLater = absentSince !== undefined || settling.slots !== undefined;
    const waitMs = isLater ? ABSENCE_GAP_MS : (WAITS_MS[round - 1] ?? 8_000);
    const isWorthIt =
      absentSince !== undefined ||
      latest?.found === 'processing' ||
      lookups < settling.maxLookups ||
      (!isHeld && settling.goesOn?.(intent) === true);
    const isEnough = inAll >= (settling.mostLookups ?? Number.POSITIVE_INFINITY);
    if (!isWorthIt || isEnough || waitMs >= msLeft(settling)) return intent;
    await waited(settling, waitMs);
  }
}

/** Reads the bid that the service answered for although this store never sent it (A05), and records what that shows. */
export async function readClaimed(
  parts: BidPorts,
  intent: Intent,
  options: BaseOptions,
): Promise<{ readonly intent: Intent; readonly isRead: boolean }> {
  const { bid } = intent.content;
  const { bidId } = intent.status.claim ?? {};
  if (bid === undefined || bidId === undefined) return { intent, isRead: false };
  const read = await readBid(parts, bid, bidId, options);
  const after = await parts.recording.ledger.add(intent.key, read);
  return { intent: after ?? intent, isRead: read.type === 'bid_read' && read.found !== 'failed' };
}

/** Settles a recorded bid that no call holds any more as not sent, after one lookup. */
export async function settleReady(parts: BidPorts, found: Intent, settling: SettleOptions): Promise<Intent> {
  const { ledger } = parts.recording;
  if (!isFree(found.row, ledger.store)) return found;
  const intent = await lookUpOnce(parts, found, settling);
  if (intent.status.state !== 'ready' || intent.status.lastLookup?.found !== 'absent') return intent;
  // Another call may have taken it over during the lookup.
  if (intent.row.owner !== found.row.owner) return intent;
  return settleUnsent(ledger, intent);
}

/** Looks up once and records the result. */
async function lookUpOnce(parts: BidPorts, intent: Intent, settling: SettleOptions): Promise<Intent> {
  const { slots } = settling;
  if (slots === undefined) return lookOnce(parts, intent, settling);
  // The bid may have waited long for its slot.
  return slots.run(async () => (isOver(settling) ? intent : lookOnce(parts, intent, settling)));
}

async function lookOnce(parts: BidPorts, intent: Intent, settling: SettleOptions): Promise<Intent> {
  const { ledger } = parts.recording;
  const { key, status } = intent;
  const event = await lookUp(parts, key, status.refusalsSeen, optionsWithin(settling));
  const isVerdict = event.found === 'accepted' || event.found === 'rejected';
  let clashes: readonly Clash[] = [];
  const after = await ledger.change(key, async (_, tx) => {
    clashes = isVerdict ? await ledger.reserveIds(tx, key, event) : [];
    return { events: [event] };
  });
  // Verdicts that rest on the ids of this bid are now in doubt.
  for (const { other } of clashes) await learnOther(parts, other, settling);
  return after ?? intent;
}

async function learnOther(parts: BidPorts, key: string, settling: SettleOptions): Promise<void> {
  const other = await parts.recording.ledger.read(key);
  if (other?.status.state === 'sent' && other.content.bid !== undefined)
    await lookOnce(parts, other, settling);
}

/** Looks up the bids whose verdicts were voided together with this one. */
export async function settleClashes(
  parts: BidPorts,
  { content }: Intent,
  settling: SettleOptions,
): Promise<void> {
  const keys = new Set(content.log.flatMap((event) => (event.type === 'voided' ? [event.otherKey] : [])));
  for (const key of keys) await learnOther(parts, key, settling);
}

/** Marks a bid for manual resolution: the service may have forgotten its key. */
async function expire(parts: BidPorts, intent: Intent): Promise<Intent> {
  const { ledger } = parts.recording;
  const why = 'its effect is unknown, and the service may no longer remember its key';
  const after = await ledger.change(intent.key, ({ status }) =>
    status.state === 'sent' ? { events: [{ type: 'stuck', at: ledger.now(), why }] } : undefined,
  );
  return after ?? intent;
}

/** Waits before the next lookup. A stop ends the wait without an error. */
async function waited({ sources }: SettleOptions, ms: number): Promise<void> {
  try {
    await pause(sources, ms);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  }
}

function msLeft({ sources: { clock, deadlineAt } }: SettleOptions): number {
  return deadlineAt - clock.monotonic();
}

function isOver(settling: SettleOptions): boolean {
  const { signal, closing, mayHaveLeft } = settling.sources;
  const closed = mayHaveLeft === true ? closing?.all : closing?.unsent;
  return msLeft(settling) <= 0 || signal?.aborted === true || closed?.aborted === true;
}

/** Longest wait of a lookup of `recover` for the quota: after that, the service may have forgotten the key. */
const LONGEST_LOOKUP_MS = 3_600_000;

/** The options of one call within the remaining time. */
export function optionsWithin(settling: SettleOptions): BaseOptions {
  return { ...settling.options, deadline: Math.min(Math.max(1, msLeft(settling)), LONGEST_LOOKUP_MS) };
}

// Settling bids that were left unresolved.

/** Lookups without news before a bid stays unknown. */
const MAX_LOOKUPS = { recover: 1, reconcile: 2 } as const;

/** Lookups of one bid by one `recover`: the first, the second a minute later, and one more if one of them failed. */
const MOST_LOOKUPS = 3;

/** Settles an unresolved bid by lookups. Never sends it. */
export async function settleFound(
  parts: BidPorts,
  intent: Intent,
  given: BaseOptions,
  { force, slots }: { readonly force: boolean; readonly slots?: Slots | undefined },
): Promise<BidOutcome> {
  const { recording, limits } = parts;
  // Recovery queues after new bids; a lookup that a person asks for does not.
  const options: BaseOptions = force ? given : { lane: 'read', ...given };
  const { ledger, clock } = recording;
  const { content, status } = intent;
  // Under these credentials its key means nothing.
  if (isForeign(content, recording)) {
    return foreignBid(intent, { now: ledger.now() });
  }
  // In recovery, the quota decides how long it takes: `within` ends it.
  const isUnlimited = slots !== undefined && options.deadline === undefined;
  const deadline = isUnlimited ? Number.POSITIVE_INFINITY : (options.deadline ?? limits.deadline);
  const deadlineAt = clock.monotonic() + deadline;
  const isReady = status.state === 'ready';
  const rests = status.verdict?.by !== 'lookup';
  const settling: SettleOptions = {
    options,
    sources: { clock, signal: options.signal, deadlineAt, closing: recording.closing() },
    maxLookups: force ? MAX_LOOKUPS.reconcile : MAX_LOOKUPS.recover,
    slots,
    ...(slots !== undefined && { mostLookups: MOST_LOOKUPS }),
    // A `ready` bid is looked up once to settle it.
    force: !isReady && ((force && rests) || (status.provisional && isWorthLooking(parts, intent))),
  };
  const found = isReady ? await settleReady(parts, intent, settling) : intent;
  const after = await settleBid(parts, found, settling);
  const { provisional, expired, keyExpiresAt } = after.status;
  if (provisional && !expired && ledger.now() > keyExpiresAt) {
    // The last lookup has shown nothing new: the bid keeps the outcome that was reported.
    return bidOutcome(parts, (await ledger.add(after.key, { type: 'expired', at: ledger.now() })) ?? after);
  }
  // This takes up to 31 requests, so only if a person asks.
  const isForgotten = after.status.state === 'stuck' && ledger.now() > keyExpiresAt;
  const similar =
    force && isForgotten && content.bid !== undefined
      ? await similarBids(parts, content.bid, optionsWithin(settling))
      : undefined;
  return outcomeOf(after, { similar, now: ledger.now() });
}

/** Looks up a key that the store doesn't have. */
export async function lookUpOnly(parts: BidPorts, key: string, options: BaseOptions): Promise<BidOutcome> {
  return lookedUpOnly(key, await lookUp(parts, key, 0, options));
}

/** The outcome of a bid, from its record. */
export function bidOutcome({ recording: { ledger } }: BidPorts, intent: Intent): BidOutcome {
  return outcomeOf(intent, { now: ledger.now() });
}

/** A provisional refusal becomes final only inside the absence window; after it, one last lookup does no harm. */
function isWorthLooking({ recording: { ledger } }: BidPorts, { status }: Intent): boolean {
  return ledger.now() > (status.copiesExpireAt ?? 0) && !status.expired;
}
