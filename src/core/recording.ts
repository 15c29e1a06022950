import type { Outcome } from '../errors/base.js';
import { Deadline, onceAborted, Stopped, type StopSources } from '../runtime/timers.js';
import type { Signer } from '../signing/signer.js';
import { type AttemptedCall, classify, type SignedAttempt, sign } from './attempt.js';
import type { CallJournal, Known, Settled } from './journal.js';
import type { AttemptEnd, AttemptResult } from './reply/classify.js';
import { unrecordedFailure } from './reply/failure.js';

/** A call whose attempts are recorded, before they leave and after they end. */
interface RecordedState extends AttemptedCall {
  readonly sources: StopSources;
  outcome: Outcome;
}

/** Time that a call which is over, or aborted, still waits for its store, ms. */
const GRACE_MS = 5_000;

/** Records a result. @throws StoreError if the store does not answer within the call's deadline and some seconds more */
export async function record(
  state: RecordedState,
  journal: CallJournal,
  result: AttemptResult,
): Promise<Known> {
  state.outcome = 'unknown';
  const { clock, signal, deadlineAt, closing } = state.sources;
  const recording = journal.arrived(result);
  // An abort does not undo what was sent, so it does not end the wait at once.
  const wait = new Deadline({ clock, signal: undefined, deadlineAt: deadlineAt + GRACE_MS });
  wait.limit();
  const unfollow = onceAborted(signal, () => wait.limit(GRACE_MS));
  const unfollowClosing = onceAborted(closing?.all, () => wait.limit(GRACE_MS));
  try {
    return await wait.race(recording);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    // The call was stopped while its store hung: the error of that stop says more.
    const wasStopped = result.effect === 'not_sent' && result.stop !== undefined;
    if (wasStopped)
      return { outcome: 'unknown', sent: { last: result, wasRejected: false, isClosed: false } };
    throw unrecordedFailure(state.context);
  } finally {
    unfollow();
    unfollowClosing();
    wait.end();
  }
}

/** A signature older than this is not sent: a store that took so long may have delayed other steps too. */
const SIGNATURE_LASTS_MS = 60_000;

/** Signs, and announces the attempt to the journal. A signature that grew old meanwhile is discarded with its attempt. */
export async function signAndRecord(
  state: RecordedState,
  journal: CallJournal,
  signer: Signer,
  deadline: Deadline,
): Promise<SignedAttempt | AttemptEnd | Settled> {
  const { clock } = state.parts;
  for (;;) {
    const signedAt = clock.monotonic();
    const signed = await sign(state, signer, deadline);
    if (!('signature' in signed)) return signed;
    deadline.during = 'journal';
    deadline.limit(journal.msToDepart(), 'too_late');
    const { timestamp, nonce } = signed;
    const answer = await deadline.race(journal.departing({ timestamp, nonce, keyId: signer.keyId }));
    if (answer.kind === 'settled') return answer;
    // Created only when needed, because an error costs more than a signature.
    const late = (): AttemptEnd => {
      return { kind: 'stopped', sent: 'no', stopped: new Stopped('too_late', undefined, 'journal') };
    };
    if (journal.msToDepart() <= 0) return late();
    if (clock.monotonic() - signedAt < SIGNATURE_LASTS_MS) return signed;
    const old = { ...classify(state, late()), why: 'its signature grew old while it was recorded' };
    await record(state, journal, old);
  }
}
