import { limits } from '../api/formats.js';
import type { ConnectionFacts } from '../core/reply/connection.js';
import type { IntentState } from '../store/intents.js';
import type { LookupEvent, ResultEvent, TargetReadEvent } from './content.js';

/**
 * Time after its timestamp for which a signed copy of an attempt can be accepted, ms (Limits, Clock difference). A
 * service that counts whole seconds accepts it until the next second begins.
 */
export const SIGNATURE_WINDOW_MS = (limits.clockDifferenceSeconds + 1) * 1_000;

/** Two lookups that settle an absence are at least this far apart. */
export const ABSENCE_GAP_MS = 60_000;

/** Meaning of an attempt, by its result and later lookups. */
export type AttemptState =
  /** Announced, and no result recorded: the process may have died. Or its effect is unknown. */
  | 'doubt'
  /** A 4xx without a documented code. */
  | 'uncoded'
  | 'not_sent'
  | 'refused'
  | 'accepted'
  | 'rejected'
  /** A later absence proved that it was not recorded. */
  | 'absent';

/** An attempt as the log shows it. */
export interface LoggedAttempt {
  readonly n: number;
  /** `X-Timestamp`, Unix seconds. */
  readonly timestamp: number;
  readonly state: AttemptState;
  readonly result?: ResultEvent;
}

/** A verdict and where it comes from. */
export interface Verdict {
  readonly found: 'accepted' | 'rejected';
  /** `reply` rests on the reply to an attempt, `lookup` on the service's own record of the key. */
  readonly by: 'reply' | 'lookup';
  readonly event: ResultEvent | LookupEvent;
}

/** A verdict on a request that this store never sent; A05 on this bid has to show that it is this one. */
export interface Claim {
  readonly found: 'accepted' | 'rejected';
  readonly bidId: string | undefined;
}

/** Reason that an intent was not sent. */
export interface NeverSent {
  readonly reason: string;
  readonly why: string;
  readonly connection?: ConnectionFacts | undefined;
}

/** Facts from the log so far: later events and the status depend on nothing else. */
export interface Facts {
  readonly isBid: boolean;
  readonly versioned: boolean;
  /** Whether a read of its record shows whether it took effect. */
  readonly hasVersionLookup: boolean;
  readonly keyRetentionMs: number;
  readonly insertedAt?: number;
  readonly placeBy?: number | undefined;
  readonly attempts: readonly LoggedAttempt[];
  /** Index of the first attempt of this round. A new round begins when it is placed again. */
  readonly roundStart: number;
  readonly confirm: boolean;
  readonly restored: boolean;
  readonly closed: boolean;
  /** The service's own record of the key. */
  readonly lookup?: Verdict | undefined;
  readonly lastLookup?: LookupEvent;
  readonly claim?: Claim | undefined;
  readonly bidRead?: 'accepted' | 'rejected';
  readonly refusalsSeen: number;
  readonly last?: ResultEvent;
  readonly wasRejected: boolean;
  /** One absence was seen after the latest uncoded or unconfirmed reply. */
  readonly absentAfterReply: boolean;
  readonly absentSince?: number | undefined;
  /** Two absences inside the window: before them it was in doubt (`notRecorded`) or provisional (`final`). */
  readonly notRecorded: boolean;
  readonly final: boolean;
  readonly expired: boolean;
  readonly targetRead?: TargetReadEvent | undefined;
  readonly unsent?: NeverSent | undefined;
  readonly stuck?: string | undefined;
  /** The service has said that it holds other content under the key. */
  readonly keyConflict: boolean;
  /** The service contradicts a verdict that was reported: only a person can resolve that. */
  readonly contradicted?: string | undefined;
  readonly abandoned?: string;
}

/** A state as the fold computes it. */
export interface Folded {
  readonly state: IntentState;
  /** A later lookup may still find something else. */
  readonly provisional: boolean;
}

/** The latest timestamp of an attempt that may have left, Unix ms. */
export function lastSentAt({ attempts }: Facts): number | undefined {
  const stamps = attempts.filter(mayHaveLeft).map(({ timestamp }) => timestamp * 1000);
  return stamps.length === 0 ? undefined : Math.max(...stamps);
}

export function othersInDoubt({ attempts }: Facts, but: LoggedAttempt): boolean {
  return attempts.some((attempt) => attempt !== but && inDoubt(attempt));
}

export function settled(state: IntentState): Folded {
  return { state, provisional: false };
}

/** Whether a copy may have been sent. Its timestamp decides for how long the copy can be accepted. */
export function mayHaveLeft({ state }: LoggedAttempt): boolean {
  return state !== 'not_sent' && state !== 'absent';
}

export function inDoubt({ state }: LoggedAttempt): boolean {
  return state === 'doubt' || state === 'uncoded';
}
