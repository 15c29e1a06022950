import { CallSuperseded } from '../core/attempt-journal.js';
import type { CallContext } from '../errors/base.js';
import { JournalError, LeaseLostError } from '../errors/journal.js';
import { type AttemptEntry, type EndEntry, type Entry, isBeginningOf, type LookEntry } from './entry.js';
import { isSame } from './finding.js';
import { type Intent, isOpen, namespaceOf } from './intent.js';
import type { Change, HeldIntent, IntentId, Unwaited } from './journal.js';
import type { Keeper } from './keeper.js';
import { Patience } from './patience.js';
import { journalError, otherContent, twinInDoubt } from './refusals.js';
import { LeaseTime, Renewal } from './renewal.js';
import { isUnsaid, type Standing, standingOf } from './standing.js';
import { clearUnsent, unsent } from './unsent.js';

/** How a new intent is written down. */
export interface RecordRules {
  /** Refuses where another bid of the same buyer on the same lot is open. */
  readonly exclusive: boolean;
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
  /** Writes wait for it, and what is known meanwhile doesn't. */
  #renewing: Promise<void> = Promise.resolve();
  #isAsked = false;
  #wasLost = false;
  #isStale = false;
  #leased: LeaseTime;
  readonly #patience: Patience;
  readonly #renewal: Renewal;

  /** An intent that isn't in the journal yet; the first write puts it there. */
  constructor(keeper: Keeper, intent: Intent, rules: RecordRules) {
    this.#keeper = keeper;
    this.intent = intent;
    this.#rules = rules;
    this.#leased = new LeaseTime(keeper.parts.clock);
    this.#patience = new Patience(keeper.parts.clock);
    this.#renewal = new Renewal(keeper.parts.clock, (isOver) => {
      this.#renewing = this.#tail.then(() => (isOver() ? undefined : this.#reclaim())).catch(() => undefined);
      return this.#renewing;
    });
  }

  /** An intent that is leased already. */
  static of(
    keeper: Keeper,
    { stored, fence }: HeldIntent,
    rules: RecordRules,
    leased?: LeaseTime,
  ): IntentRecord {
    const record = new IntentRecord(keeper, stored.intent, rules);
    if (leased !== undefined) record.#leased = leased;
    record.#entries.push(...stored.entries);
    record.#fence = fence;
    return record;
  }

  get standing(): Standing {
    const standing = standingOf(this.intent, this.#entries);
    // What somebody else may have sent meanwhile is not known here.
    return this.#isStale && isUnsaid(standing.state) ? { ...standing, state: 'unknown' } : standing;
  }

  /** Whether somebody else took it over meanwhile, or may have. */
  get mayBeElsewhere(): boolean {
    const mayHaveRunOut = this.#fence !== undefined && this.#leased.mayHaveRunOut;
    return this.#wasLost || this.#isStale || mayHaveRunOut;
  }

  /** Whether the journal was asked to take it in, and nobody knows whether it has. */
  get isUnheard(): boolean {
    return this.#isAsked && this.#fence === undefined;
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
      if (error instanceof JournalError && !(error instanceof LeaseLostError)) {
        // It may stand there all the same: then so must that nothing of it left.
        const { attempt: number, at } = attempt;
        this.note(attempt);
        this.note({ type: 'end', attempt: number, at, effect: 'not_sent', reason: UNHEARD });
        const isUnheard = this.#fence === undefined;
        if (isUnheard) await this.#patience.with(this.#inTurn(() => this.#reclaim())).catch(() => undefined);
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
    await this.#patience.with(this.write(entry)).catch(async (error: unknown) => {
      this.#entries.push(entry);
      this.#unwritten.push(entry);
      await this.#unwrittenIs(error);
    });
  }

  /**
   * Writes what isn't written yet; an intent of which nothing left is withdrawn. Where that fails the journal says so to
   * the next caller, and this intent stays in doubt there: what the service has said is reported all the same.
   *
   * That a bid was accepted need not be durable before its caller hears it: after a crash the service says it again.
   */
  async settle(): Promise<void> {
    const settled = this.#inTurn(async () => {
      const withdrawn = this.standing.state === 'prepared' ? [unsent(this.#keeper.parts.clock.now())] : [];
      if (this.#fence === undefined || this.#unwritten.length + withdrawn.length === 0) return;
      const onLost = (error: unknown) => this.#unwrittenIs(journalError(error));
      await this.#write(withdrawn, this.standing.state === 'accepted' ? { onLost } : undefined);
    });
    await this.#patience.with(settled).catch((error: unknown) => this.#unwrittenIs(error));
  }

  /** Renews the lease from now on, until it is released. */
  keepLease(): void {
    this.#renewal.begin();
  }

  /** Lets others have the intent. */
  async release(): Promise<void> {
    this.#renewal.end();
    const released = this.#inTurn(async () => {
      // Whoever took it over didn't know what has come back since.
      if (this.#wasLost && this.#unwritten.length > 0) {
        await this.#reclaim();
        await this.#write([]).catch(() => undefined);
      }
      if (this.#fence !== undefined) await this.#keeper.parts.journal.release(this.#id, this.#fence);
    });
    // Where that fails it is free once the lease has run out; and what still hangs must not meet the next call.
    await this.#patience.with(released).catch(() => this.#keeper.linger(this.intent.key, released));
  }

  /** Claims it anew, unless somebody else has written since: then the next write says that it was lost. */
  async #reclaim(): Promise<void> {
    const { journal, clock } = this.#keeper.parts;
    const leased = new LeaseTime(clock);
    const claimed = await journal.claim(this.#id, this.#keeper.renewedLease);
    if (claimed.kind !== 'claimed') return;
    const { stored, fence } = claimed.held;
    if (isSame(stored.intent, this.intent) && isBeginningOf(stored.entries, this.#entries)) {
      this.#fence = fence;
      this.#leased = leased;
      this.#isStale = false;
      this.#unwritten = this.#entries.slice(stored.entries.length);
    } else await journal.release(this.#id, fence);
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
    const { exclusive, context } = this.#rules;
    const { journal } = this.#keeper.parts;
    const lease = this.#keeper.renewedLease;
    this.#isAsked = true;
    this.#leased = new LeaseTime(this.#keeper.parts.clock);
    for (let mayClear = true; ; mayClear = false) {
      const created = await journal.create(this.intent, change, lease, { exclusive });
      if (created.kind === 'created') {
        this.keepLease();
        return created.fence;
      }
      if (created.kind === 'exists') {
        const { stored } = created;
        if (!isSame(stored.intent, this.intent)) throw otherContent(stored, context, this.intent);
        throw new CallSuperseded('somebody else wrote this intent down a moment ago');
      }
      const left = mayClear ? await clearUnsent(this.#keeper, created.by) : created.by;
      if (left.length > 0) throw twinInDoubt(left, context);
    }
  }

  /** One write after the other, in the order they were asked for. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#tail
      .then(() => this.#renewing)
      .then(work)
      .catch((error: unknown) => {
        throw journalError(error);
      });
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  /** What went wrong is said here, for the outcome that the caller gets is true without it. */
  async #unwrittenIs(error: unknown): Promise<void> {
    if (error instanceof LeaseLostError) await this.#catchUp();
    else if (this.#leased.mayHaveRunOut) this.#isStale = true;
    this.#keeper.parts.log.error('The journal could not be written; the intent stays in doubt there', () => ({
      idempotencyKey: this.intent.key,
      error: error instanceof Error ? error.message : 'no reason given',
    }));
  }

  /** What whoever took it over wrote down counts as much as what is known here. */
  async #catchUp(): Promise<void> {
    this.#wasLost = true;
    const reading = this.#keeper.parts.journal.read(this.#id);
    const stored = await this.#patience.with(reading).catch(() => undefined);
    if (stored !== undefined) this.#entries = [...stored.entries, ...this.#unwritten];
    // Whoever has it may be sending it at this moment.
    this.#isStale = stored === undefined || isOpen(stored.state);
  }

  get #id(): IntentId {
    return { namespace: namespaceOf(this.intent.account), key: this.intent.key };
  }
}
