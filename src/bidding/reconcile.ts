import { bids } from '../api/bids.js';
import { uuid } from '../api/common.js';
import type { BaseOptions } from '../core/caller.js';
import { limitsFor } from '../core/limits.js';
import { Stopped, type StopSources, Stretch, within } from '../core/stop.js';
import { InvalidRequestError } from '../errors/local.js';
import { abandonIntent } from '../intents/abandon.js';
import { claimInTurn, foundUnder } from '../intents/finding.js';
import { namespaceOf } from '../intents/intent.js';
import type { HeldIntent, IntentId, StoredIntent } from '../intents/journal.js';
import type { Keeper } from '../intents/keeper.js';
import { notLongAfter, patiently } from '../intents/patience.js';
import { otherAccountReason } from '../intents/refusals.js';
import { standingOf } from '../intents/standing.js';
import { storedBody } from '../intents/stored-body.js';
import { storedCall } from '../intents/stored-call.js';
import { neverSent } from '../intents/unsent.js';
import { IntentWork } from '../intents/work.js';
import { lookUp } from './look.js';
import type { BidOutcome } from './outcome.js';
import { lookedUpOnly, outcomeOf, quarantinedBid, unreadBid } from './outcome-of.js';
import type { BiddingParts } from './parts.js';
import { Pursuit } from './pursuit.js';

const MAX_LOOKS = 2;

const lookup = bids.operations.lookup;

/** Looks what became of the bid under a key. */
export async function reconcileKey(
  parts: BiddingParts,
  key: string,
  options: BaseOptions,
): Promise<BidOutcome> {
  const sources = sourcesOf(parts, options);
  const { keeper } = parts;
  const { clock, journal } = keeper.parts;
  checkedKey(key, RECONCILE);
  let stored: StoredIntent | 'nothing' | undefined;
  const reconciled = async (): Promise<BidOutcome> => {
    stored = await storedUnder(keeper, key);
    if (stored === 'nothing') return lookedUpOnly(key, await lookUp(parts, key, options));
    const id = { namespace: namespaceOf(await keeper.accountInTime()), key };
    // Under these credentials the service would look for another one.
    if (namespaceOf(stored.intent.account) !== id.namespace) {
      return quarantinedBid(key, otherAccountReason(stored), stored.intent.bid);
    }
    if (isSaid(stored)) return recordedOutcome(parts, stored);
    const held = await heldInTurn(parts, id, sources);
    if (held === undefined) return bidAtWork(parts, stored);
    try {
      return await settleBid(parts, held, options, { resend: false, sources });
    } finally {
      await patiently(clock, journal.release(id, held.fence)).catch(() => undefined);
    }
  };
  try {
    const wait = (turn: Promise<unknown>) => within(sources, turn);
    return await notLongAfter(sources, keeper.alone(key, reconciled, wait));
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    stored ??= await patiently(clock, storedUnder(keeper, key)).catch(() => undefined);
    return stored === undefined || stored === 'nothing' ? unreadBid(key) : bidAtWork(parts, stored);
  }
}

/** Settles a leased bid as far as that can be done; the lease stays with the caller. */
export async function settleBid(
  parts: BiddingParts,
  held: HeldIntent,
  options: BaseOptions,
  {
    resend,
    sources = sourcesOf(parts, options),
  }: { readonly resend: boolean; readonly sources?: StopSources },
): Promise<BidOutcome> {
  const { intent } = held.stored;
  const { keeper, digests, address } = parts;
  const body = await storedBody(intent, digests, new AbortController().signal);
  const frozen =
    body === 'changed' ? { length: 0, sha256: intent.body.sha256, open: () => new Uint8Array() } : body;
  const call = storedCall(intent, frozen, address);
  const work = IntentWork.on(keeper, call, held, {
    exclusive: false,
    keyGiven: true,
  });
  try {
    const { state } = standingOf(intent, held.stored.entries);
    if (state === 'prepared') await work.decide(neverSent(keeper.parts.clock.now()));
    const { maxAttempts } = limitsFor(parts.limits, options, lookup);
    const pursuit = new Pursuit(parts, work, intent.key, {
      options,
      sources,
      maxAttempts: resend && body !== 'changed' ? maxAttempts : 0,
      maxLooks: MAX_LOOKS,
    });
    return state === 'unknown' && resend ? await pursuit.place(call) : await pursuit.reconcile();
  } finally {
    await work.settle();
  }
}

/** What is known of a bid that somebody else works on: it may be on its way, unless the service has judged it. */
export function bidAtWork(parts: BiddingParts, stored: StoredIntent): BidOutcome {
  const recorded = recordedOutcome(parts, stored);
  switch (recorded.status) {
    case 'accepted':
    case 'rejected':
      return recorded;
    case 'unknown':
      return { ...recorded, nextStep: AT_WORK };
    default: {
      const what = 'This bid may be sent at any moment.';
      return { ...recorded, status: 'unknown', what, nextStep: AT_WORK };
    }
  }
}

/** Stops tracking an unresolved bid. */
export async function abandonBid(parts: BiddingParts, key: string, reason: string): Promise<BidOutcome> {
  const rules = { call: 'bidding.abandon', bidsOnly: true };
  return recordedOutcome(
    parts,
    await abandonIntent(parts.keeper, checkedKey(key, rules.call), reason, rules),
  );
}

/** What a journal says of a bid, also while somebody else works on it. */
export function bidOnRecord(parts: BiddingParts, stored: StoredIntent): BidOutcome {
  return stored.lease === undefined ? recordedOutcome(parts, stored) : bidAtWork(parts, stored);
}

/** What a journal says of a bid. */
export function recordedOutcome(
  { horizonMs, keeper }: BiddingParts,
  { intent, entries }: StoredIntent,
): BidOutcome {
  const { key, bid } = intent;
  const now = keeper.parts.serverClock.now();
  return outcomeOf({ key, bid, standing: standingOf(intent, entries), entries, horizonMs, now });
}

const RECONCILE = 'bidding.reconcile';
const AT_WORK = 'Another call or process is at work on it: ask again when it has finished.';

/** The intent under a key: that of this account, or else that of another one at the same service. */
async function storedUnder(keeper: Keeper, key: string): Promise<StoredIntent | 'nothing'> {
  const { own, foreign } = await foundUnder(keeper, key, await keeper.accountInTime());
  const stored = own ?? foreign;
  if (stored === undefined) return 'nothing';
  if (stored.intent.bid !== undefined) return stored;
  const message = 'must be the key of a bid; this one is of a command (see intents.explain)';
  throw new InvalidRequestError([{ path: 'key', message }], { call: RECONCILE, operation: RECONCILE });
}

async function heldInTurn(
  { keeper }: BiddingParts,
  id: IntentId,
  sources: StopSources,
): Promise<HeldIntent | undefined> {
  const stretch = new Stretch(sources);
  const ms = sources.deadlineAt - sources.clock.monotonic();
  try {
    return (await stretch.race(claimInTurn(keeper, id, keeper.lease(ms), stretch.signal)))?.held;
  } catch (error) {
    if (error instanceof Stopped) return undefined;
    throw error;
  } finally {
    stretch.end();
  }
}

/** Whether the service has said what became of it; or nothing of it can have got there, and nobody has it in hand. */
function isSaid({ state, lease }: StoredIntent): boolean {
  if (state === 'refused' || state === 'not_sent') return lease === undefined;
  return state === 'accepted' || state === 'rejected';
}

function sourcesOf(parts: BiddingParts, options: BaseOptions): StopSources {
  const { clock } = parts.keeper.parts;
  const { deadline } = limitsFor(parts.limits, options, lookup);
  return { clock, signal: options.signal, deadlineAt: clock.monotonic() + deadline };
}

function checkedKey(key: string, call: string): string {
  if (uuid.safeParse(key).success) return key;
  throw new InvalidRequestError([{ path: 'key', message: 'must be the idempotency key (UUID) of a bid' }], {
    call,
    operation: call,
  });
}
