import { v5 } from 'uuid';
import { InvalidRequestError, NotSentError } from '../errors/local.js';
import { StoreError } from '../errors/store.js';
import { inDoubt, inProgress, recordedRejection, recordedResult } from './answers.js';
import type { AuditFacts } from './content.js';
import type { Intent } from './ledger.js';
import { isFree, Owner } from './owners.js';
import type { Recording } from './recorded-call.js';

/** Any UUID will do as long as it stays: with another one, everything would run once more. */
const ONCE_NAMESPACE = '6d0f2b52-0b43-5f0e-9a63-3f1f7c1b8a5e';

const context = { call: 'runOnce', operation: 'runOnce' } as const;

/** What `runOnce` makes of an earlier run. */
export interface EarlierRun {
  /** Settles what it left in doubt, as far as that can be done. */
  settle(intent: Intent): Promise<Intent>;
  /** What a bid that it placed came to, as `bids.place` returns it. */
  outcomeOf?(intent: Intent): unknown;
  /** Whether another run may follow one that took effect or was abandoned. None may where this is left out. */
  mayFollow?(intent: Intent): boolean;
  /** What the audit says of this run. */
  readonly audit?: AuditFacts | undefined;
}

/**
 * Runs a function at most once with effect: the key is derived from the account and `parts`, and reserved before the
 * function runs. What is done already is returned, and nothing is sent.
 */
export async function runOnce<T>(
  recording: Recording,
  earlier: EarlierRun,
  parts: readonly string[],
  run: (idempotencyKey: string) => Promise<T>,
): Promise<T> {
  checkParts(parts, run);
  const { ledger, locks, clock } = recording;
  const once = JSON.stringify(parts);
  const unlimited = { clock, signal: undefined, deadlineAt: Number.POSITIVE_INFINITY };
  return locks.alone(`once ${once}`, unlimited, async () => {
    const last = await latest(recording, once);
    const known = last === undefined ? undefined : await settled(recording, earlier, last);
    if (known !== undefined) {
      const { state } = known.status;
      const isOver = (state === 'done' || state === 'abandoned') && earlier.mayFollow?.(known) === true;
      // Its owner has shown signs of life meanwhile.
      if (state === 'ready') throw inProgress(known, context);
      const isJudged = state === 'accepted' || state === 'rejected';
      if (isJudged && known.content.bid?.placed === true && earlier.outcomeOf !== undefined)
        return earlier.outcomeOf(known) as T;
      if (!isOver && (state === 'done' || state === 'accepted')) {
        const recorded = recordedResult(known);
        if (recorded === undefined) throw inDoubt(known, context);
        return recorded.value as T;
      }
      if (state === 'rejected') throw recordedRejection(known, context);
      if (!isOver && (state === 'sent' || state === 'stuck' || state === 'abandoned'))
        throw inDoubt(known, context);
    }
    const generation = nextGeneration(known);
    const key = v5(JSON.stringify([ledger.parts.account, parts, generation]), ONCE_NAMESPACE);
    const owner = new Owner(ledger.store, ledger.parts.account, clock);
    try {
      await reserve(recording, {
        key,
        once,
        parts,
        generation,
        owner: owner.id,
        after: known,
        audit: earlier.audit,
      });
      return await callOnce(recording, key, owner.id, run);
    } finally {
      await giveBack(recording, key, owner);
    }
  });
}

/** The latest run with these parts, settled as far as that can be done. @throws InDoubtError while another call works on it */
export async function latestRun(
  recording: Recording,
  earlier: EarlierRun,
  parts: readonly string[],
): Promise<Intent | undefined> {
  const once = JSON.stringify(parts);
  const { locks, clock } = recording;
  const unlimited = { clock, signal: undefined, deadlineAt: Number.POSITIVE_INFINITY };
  return locks.alone(`once ${once}`, unlimited, async () => {
    const last = await latest(recording, once);
    return last === undefined ? undefined : settled(recording, earlier, last);
  });
}

async function latest({ ledger }: Recording, once: string): Promise<Intent | undefined> {
  return ledger.within(async (tx) => ledger.intentOf(await tx.intents.latestOnce(once)));
}

/** What an earlier run left: looked up or settled as not sent where that can be done. */
async function settled({ ledger }: Recording, earlier: EarlierRun, intent: Intent): Promise<Intent> {
  const { status, row } = intent;
  if (status.state === 'ready' && !isFree(row, ledger.store)) throw inProgress(intent, context);
  return status.state === 'ready' || status.state === 'sent' ? earlier.settle(intent) : intent;
}

function nextGeneration(known: Intent | undefined): number {
  if (known === undefined) return 1;
  return (known.content.once?.generation ?? 1) + 1;
}

interface Reservation {
  readonly key: string;
  readonly once: string;
  readonly parts: readonly string[];
  readonly generation: number;
  readonly owner: string;
  /** The generation before, as it was judged. */
  readonly after: Intent | undefined;
  readonly audit: AuditFacts | undefined;
}

async function reserve(
  recording: Recording,
  { key, once, parts, generation, owner, after, audit }: Reservation,
): Promise<void> {
  const { ledger } = recording;
  const insert = () =>
    ledger.within(async (tx) => {
      const known = ledger.intentOf(await tx.intents.get(key));
      // Another process was first: its version counts, and this one must not run.
      if (known !== undefined) throw inProgress(known, context);
      // The call of the generation before may have gone on meanwhile.
      const last = ledger.intentOf(await tx.intents.latestOnce(once));
      if (last !== undefined && last.row.version !== after?.row.version) throw inProgress(last, context);
      await ledger.insert(
        tx,
        {
          key,
          content: { identity: recording.identity(), once: { parts, generation }, audit },
          body: undefined,
          columns: undefined,
          guarded: false,
          owner,
          once,
        },
        [{ type: 'placed', at: ledger.now() }],
      );
    });
  try {
    await insert();
  } catch (error) {
    if (!(error instanceof StoreError) || error.commit !== 'unknown') throw error;
    const known = await ledger.read(key);
    if (known?.row.owner !== owner) throw error;
  }
}

async function callOnce<T>(
  { reservations, ledger }: Recording,
  key: string,
  owner: string,
  run: (idempotencyKey: string) => Promise<T>,
): Promise<T> {
  const reservation = { owner, calls: 0 };
  reservations.set(key, reservation);
  try {
    const value = await run(key);
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
    const { state } = intent?.status ?? {};
    const isKnown = intent?.content.bid?.placed === true || state === 'done' || state === 'accepted';
    // A function that swallows the error of its call doesn't make it a success.
    if (intent !== undefined && !isKnown) throw inDoubt(intent, context);
    return value;
  } finally {
    reservations.delete(key);
  }
}

/** Where the function made no call, its key is settled as not sent. */
async function giveBack({ ledger }: Recording, key: string, owner: Owner): Promise<void> {
  try {
    await ledger.change(key, ({ row, status, content }) =>
      status.state === 'ready' && content.target === undefined && row.owner === owner.id
        ? {
            events: [
              {
                type: 'unsent',
                at: ledger.now(),
                reason: 'interrupted',
                why: 'the function of runOnce ended without a call',
              },
            ],
          }
        : undefined,
    );
  } catch (error) {
    // A reservation that stays is settled by the next run.
    if (!(error instanceof StoreError)) throw error;
  } finally {
    owner.release();
  }
}

function checkParts(parts: readonly string[], run: unknown): void {
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
}
