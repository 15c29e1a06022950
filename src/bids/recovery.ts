import type { BaseOptions } from '../core/caller.js';
import { isForeign } from '../intents/evidence.js';
import type { Intent } from '../intents/ledger.js';
import { lookUp } from './lookup.js';
import { foreignBid, lookedUpOnly, outcomeOf } from './outcome.js';
import type { BidParts } from './parts.js';
import { type Means, settleBid, settleReady } from './settle.js';
import type { BidOutcome } from './types.js';

/**
 * Lookups that bring nothing new before a bid is left unknown. Recovery goes on to the next at once: to wait for another
 * would hold up a restart by a second for each bid that is absent.
 */
const MAX_LOOKUPS = { recover: 1, reconcile: 2 } as const;

/** Settles a bid that was found unresolved: it is looked up, and never sent. */
export async function settleFound(
  parts: BidParts,
  intent: Intent,
  options: BaseOptions,
  force: boolean,
): Promise<BidOutcome> {
  const { recording, limits } = parts;
  const { ledger, clock } = recording;
  const { content, status } = intent;
  // Under these credentials its key means nothing.
  if (isForeign(content.identity, recording.identity(), recording.formerOrigins)) {
    return foreignBid(intent, { now: ledger.now() });
  }
  const deadlineAt = clock.monotonic() + (options.deadline ?? limits.deadline);
  const rests = status.verdict?.by !== 'lookup';
  const means: Means = {
    options,
    sources: { clock, signal: options.signal, deadlineAt },
    maxLookups: force ? MAX_LOOKUPS.reconcile : MAX_LOOKUPS.recover,
    force: (force && rests) || (status.provisional && isWorthLooking(parts, intent)),
  };
  const found = status.state === 'ready' ? await settleReady(parts, intent, means) : intent;
  if (found.status.state === 'ready' || (status.state === 'ready' && found.status.state !== 'sent')) {
    return bidOutcome(parts, found);
  }
  const { intent: after, similar } = await settleBid(parts, found, means);
  const { provisional, expired, keyExpiresAt } = after.status;
  if (provisional && !expired && ledger.now() > keyExpiresAt) {
    // The last look has shown nothing else: it is not looked up again, and stays as it was reported.
    return bidOutcome(parts, (await ledger.add(after.key, { type: 'expired', at: ledger.now() })) ?? after);
  }
  return outcomeOf(after, { similar, now: ledger.now() });
}

/** What a lookup alone shows of a key that the store doesn't know. */
export async function lookUpOnly(parts: BidParts, key: string, options: BaseOptions): Promise<BidOutcome> {
  return lookedUpOnly(key, await lookUp(parts, key, 0, options));
}

/** What became of a bid as it is on record. */
export function bidOutcome({ recording: { ledger } }: BidParts, intent: Intent): BidOutcome {
  return outcomeOf(intent, { now: ledger.now() });
}

/** A provisional refusal becomes final only inside the absence window; after it, one last look does no harm. */
function isWorthLooking({ recording: { ledger } }: BidParts, { status }: Intent): boolean {
  return ledger.now() > (status.copiesExpireAt ?? 0) && !status.expired;
}
