import type { ArrivedAttempt, AttemptJournal, DepartingAttempt } from '../core/attempt-journal.js';
import type { RequestBody } from '../core/body.js';
import type { PreparedCall } from '../core/prepare.js';
import { JournalError } from '../errors/journal.js';
import { endOf } from './end-of.js';
import type { Entry, LookEntry, WordEntry } from './entry.js';
import { claimInTurn, sameKey } from './finding.js';
import { type IntendedBid, type Intent, namespaceOf } from './intent.js';
import type { HeldIntent, StoredIntent } from './journal.js';
import type { Keeper } from './keeper.js';
import { IntentRecord } from './record.js';
import { journalError } from './refusals.js';
import type { LeaseTime } from './renewal.js';
import type { Standing } from './standing.js';
import { bodyRecord } from './stored-body.js';
import { journalledContext } from './stored-call.js';
import { refuseTwins } from './twins.js';

/** What is known of a call beside its bytes. */
export interface WorkRules {
  readonly bid?: IntendedBid | undefined;
  readonly dealerId?: string | undefined;
  /** Refuses where another bid of the same buyer on the same lot is open. */
  readonly exclusive: boolean;
  /** The caller chose the key, so there may be an intent with it. */
  readonly keyGiven: boolean;
  /** Told of the intent with this key, where there is one, once it is leased; what it throws ends the call. */
  adopted?(held: HeldIntent, standing: Standing): void;
}

/** One call under an intent of its own, from its first look into the journal to the last line there. */
export class IntentWork implements AttemptJournal {
  readonly #keeper: Keeper;
  readonly #call: PreparedCall;
  readonly #key: string;
  readonly #rules: WorkRules;
  #record: IntentRecord | undefined;
  /** As the journal had it before anybody's turn was waited for. */
  #known: StoredIntent | undefined;
  #isNew: boolean;
  /** Attempts before this work, and before the call that is under way. */
  #before = 0;
  #base = 0;

  constructor(keeper: Keeper, call: PreparedCall, key: string, rules: WorkRules) {
    this.#keeper = keeper;
    this.#call = call;
    this.#key = key;
    this.#rules = rules;
    this.#isNew = !rules.keyGiven;
  }

  /** Work on an intent that is leased already. */
  static on(keeper: Keeper, call: PreparedCall, held: HeldIntent, rules: WorkRules): IntentWork {
    const work = new IntentWork(keeper, call, held.stored.intent.key, rules);
    work.#adopt(held);
    return work;
  }

  get standing(): Standing | undefined {
    return this.#record?.standing;
  }

  get entries(): readonly Entry[] {
    return this.#record?.entries ?? [];
  }

  /** Whether the journal knew of it before this work. */
  get isKnown(): boolean {
    return this.#known !== undefined;
  }

  /** The intent with this key as it was found; `unread` where the journal could not be asked in time. */
  get found(): StoredIntent | 'new' | 'unread' {
    return this.#known ?? (this.#isNew ? 'new' : 'unread');
  }

  get bid(): IntendedBid | undefined {
    return this.#record?.intent.bid ?? this.#rules.bid;
  }

  /** Attempts that were made before this work began. */
  get attemptsBefore(): number {
    return this.#before;
  }

  /** Whether nobody knows if the journal has taken it in. */
  get isUnheard(): boolean {
    return this.#record?.isUnheard ?? false;
  }

  /** Whether somebody else took the intent over meanwhile, or may have. */
  get mayBeElsewhere(): boolean {
    return this.#record?.mayBeElsewhere ?? false;
  }

  get inDoubt(): boolean {
    const { standing } = this;
    // What was carried out may be answered with a refusal when it is sent again; it took effect all the same.
    return standing?.inDoubt === true || standing?.state === 'done';
  }

  msToDepart(): number {
    const placeBy = this.standing?.placeBy ?? this.#rules.bid?.placeBy;
    if (placeBy === undefined) return Number.POSITIVE_INFINITY;
    return placeBy - this.#keeper.parts.serverClock.now();
  }

  async begin(body: RequestBody, signal: AbortSignal): Promise<void> {
    if (this.#record === undefined) {
      try {
        await this.#open(await this.#intentOf(body), signal);
      } catch (error) {
        const known = journalError(error);
        throw known instanceof JournalError ? known.within(this.#context()) : known;
      }
    }
    this.#base = this.standing?.attempts ?? 0;
  }

  async waiting(): Promise<void> {
    await this.#record?.write();
  }

  async departing({ attempt, timestamp, nonce, keyId }: DepartingAttempt): Promise<void> {
    const number = this.#base + attempt;
    const at = this.#keeper.parts.clock.now();
    await this.#opened.announce({ type: 'attempt', attempt: number, at, timestamp, nonce, keyId });
  }

  arrived(arrived: ArrivedAttempt): void {
    const attempt = this.#base + arrived.attempt;
    const at = this.#keeper.parts.clock.now();
    this.#record?.note(endOf(arrived, { attempt, at, envelope: this.#call.route.envelope }));
  }

  /** Writes down what a look has shown. */
  async look(entry: LookEntry): Promise<void> {
    await this.#record?.look(entry);
  }

  /**
   * Writes down that it is to be placed after all, until then (Unix ms in server time).
   *
   * @throws InDoubtError where another bid of the same buyer on the same lot has become unresolved meanwhile
   */
  async renew(placeBy: number): Promise<void> {
    const at = this.#keeper.parts.clock.now();
    await this.decide({ type: 'word', word: 'renewed', at, reason: 'placed again', placeBy });
    if (this.#rules.exclusive) await refuseTwins(this.#keeper, this.#opened.intent, this.#context());
  }

  /** Writes down a decision. @throws JournalError */
  async decide(entry: WordEntry): Promise<void> {
    await this.#opened.write(entry);
  }

  /** Writes what isn't written yet. */
  async settle(): Promise<void> {
    await this.#record?.settle();
  }

  /** Lets others have the intent. */
  async release(): Promise<void> {
    await this.#record?.release();
  }

  /** What leaves without being on record can double. */
  get #opened(): IntentRecord {
    if (this.#record === undefined) throw new Error('The call has not begun');
    return this.#record;
  }

  async #open(intent: Intent, signal: AbortSignal): Promise<void> {
    if (this.#rules.keyGiven) {
      this.#known = await sameKey(this.#keeper, intent, this.#context());
      this.#isNew = this.#known === undefined;
    }
    if (this.#known !== undefined) {
      const id = { namespace: namespaceOf(intent.account), key: this.#key };
      const claimed = await claimInTurn(this.#keeper, id, this.#keeper.renewedLease, signal);
      if (claimed !== undefined) {
        const { held } = claimed;
        const standing = this.#adopt(held, claimed.leased);
        this.#record?.keepLease();
        this.#rules.adopted?.(held, standing);
        return;
      }
    }
    this.#record = new IntentRecord(this.#keeper, intent, this.#recordRules());
  }

  #adopt(held: HeldIntent, leased?: LeaseTime): Standing {
    this.#record = IntentRecord.of(this.#keeper, held, this.#recordRules(), leased);
    const { standing } = this.#record;
    this.#before = standing.attempts;
    return standing;
  }

  async #intentOf(body: RequestBody): Promise<Intent> {
    const { route, signedPath, canonicalQuery } = this.#call;
    const { bid, dealerId } = this.#rules;
    return {
      key: this.#key,
      account: await this.#keeper.account(dealerId),
      operation: route.id,
      method: route.method === 'GET' ? 'POST' : route.method,
      path: signedPath,
      query: canonicalQuery,
      body: bodyRecord(body),
      ...(bid !== undefined && { bid }),
      createdAt: this.#keeper.parts.clock.now(),
    };
  }

  #recordRules() {
    return { exclusive: this.#rules.exclusive, context: this.#context() };
  }

  #context() {
    return { ...journalledContext(this.#call.route), idempotencyKey: this.#key, attempts: 0 };
  }
}
