import { CallSuperseded } from '../core/attempt-journal.js';
import type { CallContext } from '../errors/base.js';
import { LeaseLostError } from '../errors/journal.js';
import type { AttemptEntry, EndEntry, Entry, LookEntry, WordEntry } from './entry.js';
import { isSame } from './finding.js';
import { type Intent, type IntentState, namespaceOf, subjectOf } from './intent.js';
import type { Change, HeldIntent, IntentId, StoredIntent, Unwaited } from './journal.js';
import type { Keeper } from './keeper.js';
import { patiently } from './patience.js';
import { journalError, otherContent, twinInDoubt } from './refusals.js';
import { type Standing, standingOf } from './standing.js';
import { clearUnsent } from './unsent.js';

/** How a new intent is written down. */
export interface RecordRules {
  /** Refuses where another bid of the same buyer on the same lot is open. */
  readonly exclusive: boolean;
  /** How long the work on it may take, ms. */
  readonly deadlineMs: number;
  /** How errors name the call. */
  readonly context: CallContext;
}

const UNHEARD = 'the journal did not confirm it, so it was not sent';

/** One intent and its place in the journal, held under one lease; written one change after the other. */
export class IntentRecord {
  readonly intent: Intent;
  readonly #keeper: Keeper;
  readonly #rules: RecordRules;
  /** Undefined until it is in the journal. */
  #fence: number | undefined;
  /** Durable and not yet durable ones. */
  #entries: Entry[] = [];
  #unwritten: Entry[] = [];
  #tail: Promise<unknown> = Promise.resolve();
  #wasLost = false;
  #isStale = false;

  /** An intent that isn't in the journal yet; the first write puts it there. */
  constructor(keeper: Keeper, intent: Intent, rules: RecordRules) {
    this.#keeper = keeper;
    this.intent = intent;
    this.#rules = rules;
  }

  /** An intent that is leased already. */
  static of(keeper: Keeper, { stored, fence }: HeldIntent, rules: RecordRules): IntentRecord {
    const record = new IntentRecord(keeper, stored.intent, rules);
    record.#entries.push(...stored.entries);
    record.#fence = fence;
    return record;
  }

  get standing(): Standing {
    const standing = standingOf(this.intent, this.#entries);
    // What somebody else may have sent meanwhile is not known here.
    return this.#isStale && isUnsaid(standing.state) ? { ...standing, state: 'unknown' } : standing;
  }

  /** Whether somebody else took it over meanwhile. */
  get wasLost(): boolean {
    return this.#wasLost;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** Writes entries down, and what was left to write before. @throws JournalError */
  write(...entries: readonly Entry[]): Promise<void> {
    return this.#inTurn(() => this.#write(entries));
  }

  /** Writes an attempt down that is about to leave. @throws JournalError */
  async announce(attempt: AttemptEntry): Promise<void> {
    try {
      await this.write(attempt);
    } catch (error) {
      // It may stand there all the same: then so must that nothing of it left.
      if (this.#fence !== undefined && !(error instanceof LeaseLostError)) {
        this.note(attempt);
        this.note({
          type: 'end',
          attempt: attempt.attempt,
          at: attempt.at,
          effect: 'not_sent',
          reason: UNHEARD,
        });
      }
      throw error;
    }
  }

  /** Notes what needs no write of its own: it goes with the next one, behind a write that may still be under way. */
  note(entry: AttemptEntry | EndEntry): void {
    this.#tail = this.#tail.then(() => {
      this.#entries.push(entry);
      this.#unwritten.push(entry);
    });
  }

  /** Writes down what a look has shown. What can't be written is known here all the same. */
  async look(entry: LookEntry): Promise<void> {
    await this.#patiently(this.write(entry)).catch(async (error: unknown) => {
      this.#entries.push(entry);
      this.#unwritten.push(entry);
      await this.#unwrittenIs(error);
    });
  }

  /**
   * Looks for others that are open on the same lot. Made once this one is open itself: of two that do so at the same
   * time, at least one sees the other.
   *
   * @throws InDoubtError where they are not allowed for
   */
  async checkTwins(): Promise<void> {
    const { intent } = this;
    if (!this.#rules.exclusive) return;
    const filter = { namespace: namespaceOf(intent.account), open: true, subject: subjectOf(intent) };
    const twins: StoredIntent[] = [];
    for await (const stored of this.#keeper.parts.journal.list(filter)) {
      if (stored.intent.key !== intent.key) twins.push(stored);
    }
    const left = await clearUnsent(this.#keeper, twins);
    if (left.length > 0) throw twinInDoubt(left, this.#rules.context);
  }

  /**
   * Writes what isn't written yet; an intent of which nothing left is withdrawn. Where that fails the journal says so to
   * the next caller, and this intent stays in doubt there: what the service has said is reported all the same.
   *
   * That a bid was accepted need not be durable before its caller hears it: after a crash the service says it again.
   */
  async settle(): Promise<void> {
    const settled = this.#inTurn(async () => {
      const withdrawn = this.standing.state === 'prepared' ? [this.#withdrawn()] : [];
      if (this.#fence === undefined || this.#unwritten.length + withdrawn.length === 0) return;
      const isSaidAgain = this.standing.state === 'accepted';
      await this.#write(withdrawn, isSaidAgain ? { onLost: (error) => this.#unwrittenIs(error) } : undefined);
    });
    await this.#patiently(settled).catch((error: unknown) => this.#unwrittenIs(error));
  }

  /** Lets others have the intent. */
  async release(): Promise<void> {
    const released = this.#inTurn(async () => {
      if (this.#fence !== undefined) await this.#keeper.parts.journal.release(this.#id, this.#fence);
    });
    // Where that fails it is free once the lease has run out.
    await this.#patiently(released).catch(() => undefined);
  }

  #patiently<T>(work: Promise<T>): Promise<T> {
    return patiently(this.#keeper.parts.clock, work);
  }

  async #write(entries: readonly Entry[], unwaited?: Unwaited): Promise<void> {
    const unwritten = this.#unwritten;
    const { state } = standingOf(this.intent, [...this.#entries, ...entries]);
    if (this.#fence === undefined) this.#fence = await this.#create({ entries, state });
    else if (entries.length + unwritten.length > 0) {
      const change = { entries: [...unwritten, ...entries], state };
      await this.#keeper.parts.journal.append(this.#id, this.#fence, change, unwaited);
    }
    this.#unwritten = [];
    this.#entries.push(...entries);
  }

  async #create(change: Change): Promise<number> {
    const { exclusive, deadlineMs, context } = this.#rules;
    const { journal } = this.#keeper.parts;
    const lease = this.#keeper.lease(deadlineMs);
    for (let mayClear = true; ; mayClear = false) {
      const created = await journal.create(this.intent, change, lease, { exclusive });
      if (created.kind === 'created') return created.fence;
      if (created.kind === 'exists') {
        if (!isSame(created.stored.intent, this.intent)) throw otherContent(created.stored, context);
        throw new CallSuperseded('somebody else wrote this intent down a moment ago');
      }
      const left = mayClear ? await clearUnsent(this.#keeper, created.by) : created.by;
      if (left.length > 0) throw twinInDoubt(left, context);
    }
  }

  /** One write after the other, in the order they were asked for. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#tail.then(work).catch((error: unknown) => {
      throw journalError(error);
    });
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  #withdrawn(): WordEntry {
    const at = this.#keeper.parts.clock.now();
    return { type: 'word', word: 'withdrawn', at, reason: 'nothing of it was sent' };
  }

  /** What went wrong is said here, for the outcome that the caller gets is true without it. */
  async #unwrittenIs(error: unknown): Promise<void> {
    if (error instanceof LeaseLostError) await this.#catchUp();
    this.#keeper.parts.log.error('The journal could not be written; the intent stays in doubt there', () => ({
      idempotencyKey: this.intent.key,
      error: error instanceof Error ? error.message : 'no reason given',
    }));
  }

  /** What whoever took it over wrote down counts as much as what is known here. */
  async #catchUp(): Promise<void> {
    this.#wasLost = true;
    try {
      const stored = await this.#keeper.parts.journal.read(this.#id);
      if (stored !== undefined) this.#entries = [...stored.entries, ...this.#unwritten];
      this.#isStale = stored === undefined;
    } catch {
      this.#isStale = true;
    }
  }

  get #id(): IntentId {
    return { namespace: namespaceOf(this.intent.account), key: this.intent.key };
  }
}

/** States that rest on nothing having been recorded. */
function isUnsaid(state: IntentState): boolean {
  return state === 'refused' || state === 'not_sent';
}
