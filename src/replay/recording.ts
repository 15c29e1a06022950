import type { PartnerType } from '../api/operation.js';
import type { RecordedCall, RecordedEntry, RecordedOutcome } from '../core/recorder/flight-recorder.js';
import { routes } from '../generated/routes.js';

/** Entries of a flight recorder, and which client they are of. */
export interface Recording {
  readonly actor: 'partner' | 'bank';
  /** Absent for a bank. */
  readonly partnerType?: PartnerType | undefined;
  readonly entries: readonly RecordedEntry[];
}

/** How a call ended. */
export type End =
  | Pick<RecordedCall, 'outcome' | 'error' | 'reason'>
  | Pick<RecordedOutcome, 'outcome' | 'reason'>;

/** A recorded call or bid that can be played. */
export interface RecordedCase {
  /** Name of the method, such as `bids.place`. */
  readonly call: string;
  /** Local time of its first request, ISO 8601. */
  readonly at: string;
  readonly idempotencyKey?: string | undefined;
  readonly end: End;
  /** For how long a bid without an outcome was tried, ms; absent for others. */
  readonly openFor?: number | undefined;
  /** The call itself, or the submit of a bid that was placed. */
  readonly main: RecordedCall;
  /** All calls that belong to it. */
  readonly calls: readonly RecordedCall[];
}

/**
 * Reads a support bundle, or the file that a flight recorder saved.
 *
 * @throws TypeError for another text, or a bundle without a recording
 */
export function recordingIn(text: string): Recording {
  const bundle = jsonIn(text);
  if (bundle === undefined || Object(bundle).kind !== undefined) return recordingOf(linesOf(text));
  const { settings, recording } = Object(bundle);
  if (!Array.isArray(recording))
    throw new TypeError('There is no recording in it. Write the bundle with --recording.');
  const { actor, partnerType } = Object(settings);
  return {
    ...(actor === 'bank' ? { actor } : { actor: 'partner', partnerType: partnerTypeOf(partnerType) }),
    entries: checkedEntries(recording),
  };
}

/** A recording without settings: its calls show which client made them. */
function recordingOf(entries: readonly RecordedEntry[]): Recording {
  const calls = entries.filter((entry) => entry.kind === 'call');
  const isOfBank = calls.some(({ call }) => {
    const actors = routes.find(({ name }) => name === call)?.actors;
    return actors?.length === 1 && actors[0] === 'bank';
  });
  if (isOfBank) return { actor: 'bank', entries };
  const namesBuyer = calls.some(({ exchanges }) =>
    exchanges.some(({ request }) => Object(request.body).bidder_reference !== undefined),
  );
  return { actor: 'partner', partnerType: namesBuyer ? 'platform' : 'direct_dealer', entries };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function linesOf(text: string): readonly RecordedEntry[] {
  return checkedEntries(text.split('\n').flatMap((line) => (line === '' ? [] : [jsonIn(line)])));
}

function partnerTypeOf(given: unknown): PartnerType {
  return given === 'platform' || given === 'aggregator' ? given : 'direct_dealer';
}

function checkedEntries(entries: readonly unknown[]): readonly RecordedEntry[] {
  if (entries.length > 0 && entries.every(isEntry)) return entries;
  throw new TypeError('It is neither a support bundle nor a file that a flight recorder saved.');
}

function isEntry(value: unknown): value is RecordedEntry {
  const { kind, at, call, exchanges }: Readonly<Record<string, unknown>> = Object(value);
  if (typeof at !== 'string' || typeof call !== 'string') return false;
  return kind === 'outcome' || (kind === 'call' && Array.isArray(exchanges));
}

/** The cases of a recording, oldest first: bids that were placed, and calls that belong to none of them. */
export function casesIn({ entries }: Recording): readonly RecordedCase[] {
  const calls = entries.filter((entry) => entry.kind === 'call');
  const bids = entries.flatMap((entry): RecordedCase[] => {
    if (entry.kind !== 'outcome' || entry.call !== 'bids.place') return [];
    const { call, idempotencyKey, outcome, reason } = entry;
    const main = calls.find((one) => one.call === 'bids.submit' && one.idempotencyKey === idempotencyKey);
    if (main === undefined) return [];
    const own = callsOf(main, calls.slice(calls.indexOf(main)), entry.at);
    const end = { outcome, ...(reason !== undefined && { reason }) };
    const ms = Date.parse(entry.at) - Date.parse(main.at);
    const openFor = outcome === 'unknown' || outcome === 'not_sent' ? ms : undefined;
    return [{ call, at: main.at, idempotencyKey, end, openFor, main, calls: own }];
  });
  const taken = new Set(bids.flatMap((one) => one.calls));
  const others = calls.flatMap((main): RecordedCase[] => {
    if (taken.has(main) || main.outcome === 'pending') return [];
    const { call, at, idempotencyKey, outcome, error, reason } = main;
    const end = { outcome, ...(error !== undefined && { error }), ...(reason !== undefined && { reason }) };
    return [{ call, at, idempotencyKey, end, main, calls: [main] }];
  });
  return [...bids, ...others].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** The calls of a bid until its outcome: its submits and lookups, and reads of its lot. */
function callsOf(main: RecordedCall, later: readonly RecordedCall[], until: string): readonly RecordedCall[] {
  const key = main.idempotencyKey ?? '';
  const lot = /\/lots\/[^/]+/.exec(main.exchanges[0]?.request.path ?? '')?.[0];
  return later.filter(({ at, idempotencyKey, exchanges: [first] }) => {
    if (at > until) return false;
    if (idempotencyKey !== undefined) return idempotencyKey === key;
    const path = first?.request.path ?? '';
    return path.includes(key) || (lot !== undefined && path.includes(`${lot}/status`));
  });
}

/** Whether a case ended as it should: a call is done, a bid accepted. */
export function isSmooth({ end: { outcome } }: RecordedCase): boolean {
  return outcome === 'done' || outcome === 'accepted';
}
