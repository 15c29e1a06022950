import type { Outcome } from '../errors/base.js';
import { AbortedError } from '../errors/connection.js';
import { InvalidRequestError, NotSentError } from '../errors/local.js';
import { StoreError } from '../errors/store.js';
import { Stopped } from '../runtime/timers.js';
import { ask } from '../runtime/user-code.js';
import { isOpen } from '../store/intents.js';
import {
  effectsElsewhere,
  foreignIntent,
  inDoubt,
  inProgress,
  recordedRejection,
  recordedResult,
  swallowed,
} from './answers.js';
import { type AuditFacts, isForeign } from './content.js';
import { loadDeriveKey } from './derived-key.js';
import { type Draft, type Intent, ownerOfCall, settleUnsent } from './ledger.js';
import type { Recording, Reservation } from './recording.js';
import { asRun, refuseNested } from './runs.js';

/** Never change this: under another namespace everything would run once more. */
const ONCE_NAMESPACE = '6d0f2b52-0b43-5f0e-9a63-3f1f7c1b8a5e';

const context = { call: 'runOnce', operation: 'runOnce' } as const;

/** Handling of an earlier run by `runOnce`. */
export interface EarlierRun {
  /** Settles an earlier run in doubt, as far as possible. */
  settle(intent: Intent): Promise<Intent>;
  /** The outcome of a bid that it placed, as `bids.place` returns it. */
  outcomeOf?(intent: Intent): unknown;
  /** Whether another run may follow one that took effect or was abandoned. Defaults to no. */
  mayFollow?(intent: Intent): boolean;
  /** Throws if the effect of an earlier run has ended since, so that its record must not be returned again. */
  stillHolds?(intent: Intent, value: unknown): Promise<void>;
  /** The audit facts of this run. */
  readonly audit?: AuditFacts | undefined;
}

/**
 * Runs a function so that its command takes effect at most once, unless `earlier.mayFollow` allows another run. The
 * idempotency key is derived from the account, `parts` and a generation number, and reserved before the function runs.
 * A run that is done is returned, and nothing is sent.
 */
export async function runOnce<T>(
  recording: Recording,
  earlier: EarlierRun,
  parts: readonly string[],
  run: (idempotencyKey: string) => Promise<T>,
): Promise<T> {
  const { ledger } = recording;
  return alone(recording, parts, async (once) => {
    const known = await latest(recording, earlier, once);
    const answer = known && earlierAnswer(known, earlier);
    if (answer !== undefined) return delivered<T>(answer, earlier);
    const generation = (known?.content.once?.generation ?? 0) + 1;
    const deriveKey = await loadDeriveKey();
    const key = deriveKey(ONCE_NAMESPACE, [ledger.parts.account, parts, generation]);
    const owner = ownerOfCall(ledger.parts);
    try {
      const content = { identity: recording.identity(), once: { parts, generation }, audit: earlier.audit };
      const draft = { key, content, once, owner: owner.id };
      const reserved = await reserve(recording, earlier, draft, known);
      if ('value' in reserved) return await delivered<T>(reserved, earlier);
      try {
        return await callOnce(recording, { key, once, owner: owner.id }, run);
      } finally {
        await giveBack(recording, reserved);
      }
    } finally {
      owner.release();
    }
  });
}

/** The latest run with these parts, settled as far as possible. @throws InDoubtError while another call works on it */
export function latestRun(
  recording: Recording,
  earlier: EarlierRun,
  parts: readonly string[],
): Promise<Intent | undefined> {
  return alone(recording, parts, (once) => latest(recording, earlier, once));
}

/** Runs with the same parts follow each other in this process. @throws AbortedError once the time to close is over */
async function alone<T>(
  { locks, clock, reservations, closing }: Recording,
  parts: readonly string[],
  work: (once: string) => Promise<T>,
): Promise<T> {
  const once = JSON.stringify(parts);
  refuseNested(reservations, once, context);
  const untilClosed = {
    clock,
    signal: undefined,
    deadlineAt: Number.POSITIVE_INFINITY,
    closing: closing(),
  };
  try {
    return await locks.alone(`once ${once}`, untilClosed, () => work(once));
  } catch (error) {
    throw error instanceof Stopped ? closedDuring('not_sent') : error;
  }
}

/**
 * The intent of the run before, looked up or settled as not sent if possible.
 *
 * @throws ConfigurationError or InDoubtError if another client made it, because its result is another bank's
 */
async function latest(recording: Recording, earlier: EarlierRun, once: string): Promise<Intent | undefined> {
  const { ledger } = recording;
  const intent = await ledger.within(async (tx) => ledger.intentOf(await tx.intents.latestOnce(once)));
  if (intent === undefined) return undefined;
  const { state } = intent.status;
  if (isForeign(intent.content, recording)) throw foreignIntent(intent, isOpen(state), context);
  return state === 'ready' || state === 'sent' ? earlier.settle(intent) : intent;
}

/** The answer of an earlier run in place of another one. */
interface Answer {
  readonly known: Intent;
  readonly value: unknown;
}

async function delivered<T>({ known, value }: Answer, earlier: EarlierRun): Promise<T> {
  await earlier.stillHolds?.(known, value);
  return value as T;
}

/** The answer of an earlier run in place of another one; undefined if another one may begin. */
function earlierAnswer(known: Intent, earlier: EarlierRun): Answer | undefined {
  const { state } = known.status;
  // Its owner is at work.
  if (state === 'ready') throw inProgress(known, context);
  if (state === 'sent' || state === 'stuck') throw inDoubt(known, context);
  if (state === 'refused' || state === 'not_sent') return undefined;
  if ((state === 'done' || state === 'abandoned') && earlier.mayFollow?.(known) === true) return undefined;
  if (state === 'abandoned') throw inDoubt(known, context);
  const wasPlaced = known.content.bid?.placed === true;
  if (wasPlaced && earlier.outcomeOf !== undefined) return { known, value: earlier.outcomeOf(known) };
  if (state === 'rejected') throw recordedRejection(known, context);
  const recorded = recordedResult(known);
  if (recorded === undefined) throw inDoubt(known, context);
  return { known, ...recorded };
}

/**
 * Reserves the key. What this client has run with these parts under another label or environment answers instead: to the
 * service it is the same client.
 *
 * @param after the generation before, as it was judged
 */
async function reserve(
  recording: Recording,
  earlier: EarlierRun,
  draft: Draft & { readonly once: string; readonly owner: string },
  after: Intent | undefined,
): Promise<Intent | Answer> {
  const { ledger } = recording;
  const { once } = draft;
  return ledger.within(async (tx) => {
    // Another process may have reserved this generation, or the call of the one before may have gone on.
    const last = ledger.intentOf(await tx.intents.latestOnce(once));
    if (last !== undefined && (last.key !== after?.key || last.row.version !== after.row.version))
      throw inProgress(last, context);
    for (const known of effectsElsewhere(recording, await tx.intents.recordedElsewhere({ once }))) {
      const answer = earlierAnswer(known, earlier);
      if (answer !== undefined) return answer;
    }
    return ledger.insert(tx, draft, [{ type: 'placed', at: ledger.now() }]);
  });
}

async function callOnce<T>(
  { reservations, ledger, clock, closing }: Recording,
  { key, once, owner }: { readonly key: string; readonly once: string; readonly owner: string },
  run: (idempotencyKey: string) => Promise<T>,
): Promise<T> {
  const reservation: Reservation = { owner, calls: 0, call: undefined };
  reservations.set(key, reservation);
  const toEnd = async () => {
    const value = await run(key);
    // A function may return before its call has ended.
    await reservation.call?.catch(() => undefined);
    return value;
  };
  const asking = { name: 'run', clock, limit: Number.POSITIVE_INFINITY, signal: closing().all };
  try {
    const value = await asRun({ key, once, client: reservations }, () => ask(toEnd, asking));
    if (reservation.calls === 0) {
      throw new NotSentError('no_call', {
        ...context,
        idempotencyKey: key,
        what: 'The function of runOnce made no call under the key it was given, and must make exactly one.',
        nextStep: 'Pass the key as `idempotencyKey` to the one call that changes something.',
      });
    }
    const intent = await ledger.read(key).catch((error: unknown) => {
      // The call was made, even if its record cannot be read now.
      throw error instanceof StoreError
        ? error.within({ ...context, idempotencyKey: key, outcome: 'unknown' })
        : error;
    });
    if (intent === undefined) return value;
    const { state } = intent.status;
    const isKnown = intent.content.bid?.placed === true || state === 'done' || state === 'accepted';
    if (isKnown) return value;
    // A function that swallows the error of its call doesn't make it a success.
    throw swallowed(intent, context);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    throw closedDuring(reservation.calls === 0 ? 'not_sent' : 'unknown', key);
  } finally {
    reservations.delete(key);
  }
}

const withoutCall = { reason: 'interrupted', why: 'the function of runOnce ended without a call' } as const;

/** Settles the key of a function that made no call as not sent. */
async function giveBack({ ledger }: Recording, reserved: Intent): Promise<void> {
  try {
    await settleUnsent(ledger, reserved, withoutCall);
  } catch (error) {
    // A reservation that stays is settled by the next run.
    if (!(error instanceof StoreError)) throw error;
  }
}

function closedDuring(outcome: Outcome, idempotencyKey?: string): AbortedError {
  return new AbortedError({
    ...context,
    reason: 'closed',
    outcome,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    what: 'The client was closed before the run ended.',
    nextStep: 'Run it again with a new client: what its call has done is settled first.',
  });
}

/** A copy of the parts: what the caller does to its list later names another run. @throws InvalidRequestError */
export function checkedParts(parts: readonly string[], run: unknown): readonly string[] {
  const issues = [];
  if (
    !Array.isArray(parts) ||
    parts.length === 0 ||
    !parts.every((part) => typeof part === 'string' && part !== '')
  ) {
    issues.push({ path: 'parts', message: 'must be a list of strings that names what is to happen once' });
  }
  if (typeof run !== 'function')
    issues.push({ path: 'run', message: 'must be a function that takes the key' });
  if (issues.length > 0) throw new InvalidRequestError(issues, context);
  return [...parts];
}
