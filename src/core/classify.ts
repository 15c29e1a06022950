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

/** What one attempt brought back, reduced to what the table asks for. */
export interface Evidence {
  readonly stage: Stage;
  /** What the call changes; a bid's refusals are held to a stricter list. */
  readonly effect?: Effect;
  readonly status?: number;
  readonly codes?: readonly string[];
  /** True where the reply says, by code or message, that the key stands for other content. */
  readonly keyConflict?: boolean;
  /** True where a code says that a bid was judged and rejected. */
  readonly rejectionCode?: boolean;
  /** True where a bid was turned away before anyone judged it: invalid fields, or codes that say so. */
  readonly unjudged?: boolean;
  /** True where the error came in one of the service's own JSON shapes. */
  readonly ownShape?: boolean;
  /** True where the reply says that the rejection of a bid was recorded. */
  readonly recordedRejection?: boolean;
  /** True where a success parsed and agrees with its status. */
  readonly consistent?: boolean;
}

export interface Verdict {
  /** `done`, or what is known about this attempt's effect. */
  readonly effect: Outcome | 'done';
  readonly retry: boolean;
  /** True where it settles earlier attempts too: they are all copies of what was judged. */
  readonly settlesAll?: boolean;
  /** What must be mended before another attempt makes sense. */
  readonly remedy?: Remedy;
}

/** The server clock, or the key. Each is mended once a call at the most. */
export type Remedy = 'clock' | 'key';

interface Row extends Verdict {
  readonly name: string;
  readonly stage: Stage;
  readonly statuses?: readonly [from: number, to: number];
  /** Only these statuses, for bids. */
  readonly bidStatuses?: readonly number[];
  readonly code?: string;
  readonly keyConflict?: boolean;
  readonly rejectionCode?: boolean;
  readonly unjudged?: boolean;
  readonly ownShape?: boolean;
  readonly recordedRejection?: boolean;
  readonly consistent?: boolean;
}

/**
 * What to make of an attempt; the first row that fits decides. Never reported failed unless the service said so:
 * whatever isn't in the service's own words leaves the effect unknown.
 */
export const rows: readonly Row[] = [
  { name: 'nothing left', stage: 'not_sent', effect: 'not_sent', retry: true },
  { name: 'no whole body', stage: 'unread_body', effect: 'not_sent', retry: false },
  { name: 'no whole reply', stage: 'lost', effect: 'unknown', retry: true },
  { name: 'attempt timed out', stage: 'timed_out', effect: 'unknown', retry: true },
  { name: 'success', stage: 'replied', statuses: [200, 299], consistent: true, effect: 'done', retry: false },
  {
    name: 'success that does not parse',
    stage: 'replied',
    statuses: [200, 299],
    effect: 'unknown',
    retry: false,
  },
  { name: 'redirect', stage: 'replied', statuses: [300, 399], effect: 'unknown', retry: false },
  { name: 'a twin arrived', stage: 'replied', code: 'NONCE_REPLAYED', effect: 'unknown', retry: true },
  {
    name: 'key stands for other content',
    stage: 'replied',
    keyConflict: true,
    effect: 'unknown',
    retry: false,
  },
  { name: 'too many requests', stage: 'replied', statuses: [429, 429], effect: 'unknown', retry: true },
  { name: 'server failure', stage: 'replied', statuses: [500, 599], effect: 'unknown', retry: true },
  { name: 'request timeout', stage: 'replied', statuses: [408, 408], effect: 'unknown', retry: false },
  { name: 'too early', stage: 'replied', statuses: [425, 425], effect: 'unknown', retry: false },
  {
    name: 'recorded rejection',
    stage: 'replied',
    statuses: [400, 499],
    ownShape: true,
    recordedRejection: true,
    effect: 'rejected',
    retry: false,
    settlesAll: true,
  },
  {
    name: 'rejection without its record',
    stage: 'replied',
    statuses: [422, 422],
    ownShape: true,
    rejectionCode: true,
    effect: 'rejected',
    retry: false,
  },
  {
    name: 'clock too far off',
    stage: 'replied',
    statuses: [401, 401],
    code: 'TIMESTAMP_EXPIRED',
    ownShape: true,
    effect: 'refused',
    retry: true,
    remedy: 'clock',
  },
  {
    name: 'key revoked',
    stage: 'replied',
    statuses: [401, 401],
    code: 'KEY_REVOKED',
    ownShape: true,
    effect: 'refused',
    retry: true,
    remedy: 'key',
  },
  {
    // Rejections come under the same status, and are on record whatever their code.
    name: 'turned away before it was judged',
    stage: 'replied',
    statuses: [422, 422],
    ownShape: true,
    unjudged: true,
    effect: 'refused',
    retry: false,
  },
  {
    name: "refusal in the service's words",
    stage: 'replied',
    statuses: [400, 499],
    bidStatuses: [401, 402, 403, 404, 405, 413],
    ownShape: true,
    effect: 'refused',
    retry: false,
  },
  { name: 'refusal in other words', stage: 'replied', statuses: [400, 499], effect: 'unknown', retry: false },
];

/** The verdict of the first row that fits; a status outside 200 to 599 proves nothing. */
export function classify(evidence: Evidence, table: readonly Row[] = rows): Verdict {
  return table.find((row) => fits(row, evidence)) ?? unclear;
}

const unclear: Verdict = { effect: 'unknown', retry: false };

function fits(row: Row, evidence: Evidence): boolean {
  if (row.stage !== evidence.stage) return false;
  if (row.statuses !== undefined) {
    const status = evidence.status ?? 0;
    if (status < row.statuses[0] || status > row.statuses[1]) return false;
  }
  if (evidence.effect === 'bid' && row.bidStatuses?.includes(evidence.status ?? 0) === false) return false;
  if (row.code !== undefined && !evidence.codes?.includes(row.code)) return false;
  if (row.keyConflict !== undefined && row.keyConflict !== (evidence.keyConflict ?? false)) return false;
  if (row.rejectionCode !== undefined && row.rejectionCode !== (evidence.rejectionCode ?? false))
    return false;
  if (row.unjudged !== undefined && row.unjudged !== (evidence.unjudged ?? false)) return false;
  if (row.ownShape !== undefined && row.ownShape !== (evidence.ownShape ?? false)) return false;
  if (row.recordedRejection !== undefined && row.recordedRejection !== (evidence.recordedRejection ?? false))
    return false;
  return row.consistent === undefined || row.consistent === (evidence.consistent ?? false);
}
