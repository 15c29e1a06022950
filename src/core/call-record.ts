import { JournalError } from '../errors/journal.js';
import type { AttemptEnd } from './attempt.js';
import type { ArrivedAttempt, AttemptJournal, DepartingAttempt } from './attempt-journal.js';
import type { RequestBody } from './body.js';
import type { UnderWay } from './fetched.js';
import type { Interpretation } from './interpret.js';
import { leavingInTime } from './leaving.js';
import type { Leaks } from './redact.js';
import { Stopped, Stretch } from './stop.js';
import type { TransportRequest } from './transport.js';

/** A call that is on record, and what its journal has to be told of it. */
export interface Recorded extends UnderWay {
  interpret(end: AttemptEnd): Interpretation;
}

/** Keeps a call and its journal in step: nothing leaves that isn't written down. */
export class CallRecord {
  readonly #journal: AttemptJournal;
  readonly #recorded: Recorded;

  constructor(journal: AttemptJournal, recorded: Recorded) {
    this.#journal = journal;
    this.#recorded = recorded;
  }

  async begin(body: RequestBody | undefined): Promise<void> {
    if (body === undefined) return;
    const { sources, waits, account } = this.#recorded;
    const stretch = new Stretch(sources);
    try {
      await waits.until('journal', stretch.race(this.#journal.begin(body, stretch.signal)));
    } finally {
      stretch.end();
    }
    if (this.#journal.inDoubt) account.foundInDoubt();
  }

  waiting(): Promise<void> {
    return this.#journal.waiting();
  }

  msToDepart(): number {
    return this.#journal.msToDepart();
  }

  /** Writes down what is about to leave; what it comes to where nothing may. */
  async announce(
    stamp: Omit<DepartingAttempt, 'attempt'>,
    stretch: Stretch,
  ): Promise<Interpretation | undefined> {
    const { account, interpret } = this.#recorded;
    try {
      await stretch.race(this.#journal.departing({ attempt: account.attempts, ...stamp }));
      if (this.msToDepart() > 0) return undefined;
      throw new Stopped('too_late');
    } catch (cause) {
      if (cause instanceof Stopped) {
        const found = interpret({ kind: 'stopped', stopped: cause, sent: 'no', during: 'journal' });
        this.arrived(found);
        return found;
      }
      if (!(cause instanceof JournalError)) throw cause;
      // What can't be announced has not begun.
      account.attempts -= 1;
      const failure = () => cause.within(account.shown());
      return { verdict: { effect: 'not_sent', retry: false }, reason: 'journal failed', failure };
    }
  }

  /** Holds an attempt of so many ms to its time to depart, as long as it hasn't left. */
  leavingInTime(stretch: Stretch, timeoutMs: number): Pick<TransportRequest, 'connecting'> {
    const { clock } = this.#recorded.sources;
    return leavingInTime(stretch, { clock, timeoutMs, msToDepart: () => this.msToDepart() });
  }

  arrived(found: Interpretation): void {
    const { attempts, hides } = this.#recorded.account;
    this.#journal.arrived(arrivalOf(attempts, found, hides));
  }
}

/** What a journal is told of an attempt. */
function arrivalOf(
  attempt: number,
  { verdict, reason, status, said, payload }: Interpretation,
  hides: Leaks,
): ArrivedAttempt {
  const requestId = payload?.requestId ?? said?.requestId;
  const record = payload?.value ?? said?.rejection;
  return {
    attempt,
    effect: verdict.effect,
    reason,
    codes: said?.codes ?? [],
    replayed: payload?.replayed ?? said?.rejection?.replayed === true,
    keyConflict: said?.keyConflict ?? false,
    ...(status !== undefined && { status }),
    ...(requestId !== undefined && { requestId }),
    ...(record !== undefined && mayBeKept(record, hides) && { record }),
  };
}

/** False for what repeats a secret or a signature, and for what is nested beyond what can be written. */
function mayBeKept(record: unknown, hides: Leaks): boolean {
  try {
    return !hides(JSON.stringify(record));
  } catch {
    return false;
  }
}
