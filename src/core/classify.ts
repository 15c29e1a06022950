import type { Effect } from '../api/operation.js';
import type { Outcome } from '../errors/base.js';

/** How far an attempt got. */
export type Stage =
  /** No byte of the request left. */
  | 'not_sent'
  /** Its body could not be read to the end, so no whole request left. */
  | 'unread_body'
  /** It left, or may have; no whole reply came back. */
  | 'lost'
  /** The attempt's time ran out. */
  | 'timed_out'
  /** A whole reply came back. */
  | 'replied';

/** What one attempt brought back, reduced to what the rules ask for. */
export interface Evidence {
  readonly stage: Stage;
  readonly effect: Effect;
  readonly status: number;
  readonly codes: readonly string[];
  /** The reply tells, by code or message, that the key is stored for other content. */
  readonly keyConflict: boolean;
  /** Some code is one under which a bid is judged and its rejection recorded. */
  readonly rejectionCode: boolean;
  /** It has codes, and those that are documented exclude, under this status, that anything was recorded. */
  readonly refusalCode: boolean;
  /** The shape of the error: one of the service's own, or `foreign`. Contradictory ones count as foreign. */
  readonly shape: 'application' | 'framework' | 'message' | 'foreign';
  /** The reply carries the record of a rejection. */
  readonly recordedRejection: boolean;
  /** A success parsed and agrees with its status. */
  readonly consistent: boolean;
}

/** What one attempt means. */
export interface Verdict {
  /** `done`, or what is known about this attempt's effect. */
  readonly effect: Outcome | 'done';
  readonly retry: boolean;
  /** A 4xx in the service's JSON without a documented code: perhaps a gateway's. */
  readonly uncoded?: boolean;
  /** What must be put right before another attempt makes sense. */
  readonly remedy?: Remedy;
}

/** The server clock, or the key. Each is put right once a call at most. */
export type Remedy = 'clock' | 'key';

const unknown: Verdict = { effect: 'unknown', retry: false };
const unknownAgain: Verdict = { effect: 'unknown', retry: true };
const refused: Verdict = { effect: 'refused', retry: false };

/**
 * What to make of one attempt. Never reported failed unless the service said so: whatever is not in its own words leaves
 * the effect unknown. `intents/fold.ts` decides what all attempts together mean.
 */
export function classify(evidence: Evidence): Verdict {
  switch (evidence.stage) {
    case 'not_sent':
      return { effect: 'not_sent', retry: true };
    case 'unread_body':
      return { effect: 'not_sent', retry: false };
    case 'lost':
    case 'timed_out':
      return unknownAgain;
    case 'replied':
      return classifyReply(evidence);
  }
}

function classifyReply(evidence: Evidence): Verdict {
  const { status, codes, shape, effect } = evidence;
  if (status >= 200 && status < 300) return evidence.consistent ? { effect: 'done', retry: false } : unknown;
  // Another copy of this attempt may have been let in.
  if (codes.includes('NONCE_REPLAYED')) return unknownAgain;
  if (evidence.keyConflict) return unknown;
  if (status === 429 || (status >= 500 && status < 600)) return unknownAgain;
  if (status < 400 || status >= 500 || status === 408 || status === 425) return unknown;
  if (shape === 'foreign') return unknown;
  if (status === 401 && codes.includes('TIMESTAMP_EXPIRED')) {
    // A doubled copy that comes late gets it, too.
    return { effect: effect === 'read' ? 'refused' : 'unknown', retry: true, remedy: 'clock' };
  }
  if (status === 401 && codes.includes('KEY_REVOKED'))
    return { effect: 'refused', retry: true, remedy: 'key' };
  if (effect === 'read') return refused;
  return effect === 'bid' ? classifyBidRefusal(evidence) : classifyCommandRefusal(evidence);
}

/** Statuses under which a bid may have been turned away by the service, or by a gateway after the service took it. */
const accessStatuses = [400, 401, 402, 403, 404, 405, 413];

function classifyBidRefusal({
  status,
  shape,
  recordedRejection,
  rejectionCode,
  refusalCode,
}: Evidence): Verdict {
  if (recordedRejection) return status === 422 ? { effect: 'rejected', retry: false } : unknown;
  if (refusalCode || (status === 422 && shape === 'framework')) return refused;
  if (accessStatuses.includes(status) || (status === 422 && rejectionCode))
    return { ...unknown, uncoded: true };
  return unknown;
}

/** A command is told of its refusal by a code, or by fields; a message alone is sent once more before it is believed. */
function classifyCommandRefusal({ status, shape }: Evidence): Verdict {
  if (shape === 'application' || (status === 422 && shape === 'framework')) return refused;
  const isKnown = accessStatuses.includes(status) || status === 409 || status === 422;
  return isKnown && status !== 400 ? { effect: 'unknown', retry: true, uncoded: true } : unknown;
}
