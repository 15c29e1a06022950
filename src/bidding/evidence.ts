import type { Entry } from '../intents/entry.js';
import type { Standing } from '../intents/standing.js';
import type { BidDetail } from '../models/bids.js';
import { absenceOf } from './fence.js';
import type { BidEvidence } from './outcome.js';

/** What evidence is made of. */
export interface EvidenceSources {
  readonly standing: Standing;
  readonly entries: readonly Entry[];
  readonly horizonMs: number;
  /** Bids like it, where the look-up by key came too late. */
  readonly similar?: { readonly bids: readonly BidDetail[]; readonly complete: boolean } | undefined;
}

/** What looking has shown; undefined where nobody could look. */
export function evidenceOf({
  standing,
  entries,
  horizonMs,
  similar,
}: EvidenceSources): BidEvidence | undefined {
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

/** The same, as a sentence. */
export function sentenceFor(evidence: BidEvidence | undefined): string {
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
