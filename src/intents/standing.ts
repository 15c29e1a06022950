import type { AttemptEntry, EndEntry, Entry, LookEntry } from './entry.js';
import type { Intent, IntentState } from './intent.js';

/** What the entries of an intent come to. */
export interface Standing {
  readonly state: IntentState;
  /** Attempts so far. */
  readonly attempts: number;
  /** True where something that was sent may have taken effect, and nobody has said yet. */
  readonly inDoubt: boolean;
  /** Latest time stamp among the attempts that may have left, Unix seconds: copies are let in until 300 s later. */
  readonly lastTimestamp: number | undefined;
  /** A rejection came after an attempt in doubt: the look-up by key is asked until it says whether it agrees. */
  readonly unconfirmed: boolean;
  /** Why it must not be settled by itself; set in quarantine only. */
  readonly quarantine: string | undefined;
  /** The entry that settled it, or that says most about it. */
  readonly word: EndEntry | LookEntry | undefined;
  /** Until when it may be sent, Unix ms in server time; undefined where it has no such limit. */
  readonly placeBy: number | undefined;
}

/**
 * Adds up what happened to an intent. Never reported failed unless the service said so: a refusal or a failed connection
 * speaks for its own attempt, and settles the intent only where no other attempt can have taken effect.
 */
export function standingOf(intent: Pick<Intent, 'bid'>, entries: readonly Entry[]): Standing {
  const sum = new Sum(intent);
  for (const entry of entries) sum.add(entry);
  return sum;
}

/** Whether a state rests on nothing having been recorded. */
export function isUnsaid(state: IntentState): boolean {
  return state === 'refused' || state === 'not_sent';
}

const CONFLICT =
  'the service holds other content under this key, so this intent and the recorded one are not the same';
const REPLAYED =
  'the service had recorded this key before the journal knew of any attempt: it belongs to an earlier run, or the journal was lost';
const DISAGREE = 'a rejection and an acceptance were reported for the same key';

class Sum implements Standing {
  state: IntentState = 'prepared';
  attempts = 0;
  lastTimestamp: number | undefined;
  quarantine: string | undefined;
  word: EndEntry | LookEntry | undefined;
  placeBy: number | undefined;
  readonly #isBid: boolean;
  /** Attempts that may have taken effect: their end isn't known, or leaves it open. */
  readonly #doubts = new Set<number>();
  readonly #left = new Map<number, AttemptEntry>();
  #rejection: EndEntry | undefined;
  /** What it is where nothing of it leaves, after all. */
  #unsent: 'not_sent' | 'refused' = 'not_sent';

  constructor({ bid }: Pick<Intent, 'bid'>) {
    this.#isBid = bid !== undefined;
    this.placeBy = bid?.placeBy;
  }

  get inDoubt(): boolean {
    return this.state === 'unknown' && this.#doubts.size > 0;
  }

  get unconfirmed(): boolean {
    return this.state === 'unknown' && this.#rejection !== undefined;
  }

  add(entry: Entry): void {
    switch (entry.type) {
      case 'attempt':
        this.attempts = Math.max(this.attempts, entry.attempt);
        this.#doubts.add(entry.attempt);
        this.#left.set(entry.attempt, entry);
        if (!this.#isFinal) this.state = 'unknown';
        break;
      case 'end':
        this.#end(entry);
        break;
      case 'look':
        if (entry.by === 'A06') this.#look(entry);
        break;
      case 'word':
        this.#decide(entry.word, entry.reason, entry.placeBy);
    }
    this.lastTimestamp = latest(this.#left.values());
  }

  /** What the service said of the effect itself stands against anything later; and quarantine is for a person to end. */
  get #isFinal(): boolean {
    return ['accepted', 'rejected', 'done', 'quarantined'].includes(this.state);
  }

  #end(end: EndEntry): void {
    if (end.effect === 'not_sent') this.#left.delete(end.attempt);
    if (end.effect !== 'in_doubt') this.#doubts.delete(end.attempt);
    const doubted = this.#doubts.size > 0;
    if (this.#isFinal) {
      this.#hold(end, doubted);
      return;
    }
    const strange = this.#strangeness(end, doubted);
    if (strange !== undefined) {
      this.#quarantine(strange, end);
      return;
    }
    const said = end.effect === 'done' || end.effect === 'rejected';
    if (this.state === 'abandoned' && !said) return;
    this.word = end;
    if (end.effect === 'done') {
      this.state = this.#isBid ? 'accepted' : 'done';
      if (this.#rejection !== undefined) this.#quarantine(DISAGREE, end);
    } else if (end.effect === 'rejected' && end.record !== undefined && doubted) {
      this.#rejection = end;
      this.state = 'unknown';
    } else {
      this.state = doubted || end.effect === 'in_doubt' ? 'unknown' : end.effect;
    }
  }

  /** A look says what stands under the key; a reply that came in the meantime, whether that is this intent. */
  #hold(end: EndEntry, doubted: boolean): void {
    if (this.word?.type !== 'look' || this.state === 'quarantined') return;
    const other = this.state === 'accepted' ? 'rejected' : 'done';
    const strange = this.#strangeness(end, doubted) ?? (end.effect === other ? DISAGREE : undefined);
    if (strange !== undefined) this.#quarantine(strange, end);
  }

  /** What about an attempt's end can't be true of this intent. */
  #strangeness({ keyConflict, replayed }: EndEntry, doubted: boolean): string | undefined {
    if (keyConflict === true) return CONFLICT;
    return this.#isBid && replayed === true && !doubted ? REPLAYED : undefined;
  }

  #look(look: LookEntry): void {
    if (this.#isFinal) return;
    if (look.found === 'accepted') {
      this.state = 'accepted';
      this.word = look;
      if (this.#rejection !== undefined) this.#quarantine(DISAGREE, look);
    } else if (look.found === 'rejected') {
      this.state = 'rejected';
      // The reply to the bid itself tells more.
      this.word = this.#rejection ?? look;
    }
  }

  #decide(word: string, reason: string, placeBy: number | undefined): void {
    const isSettled = ['accepted', 'rejected', 'done'].includes(this.state);
    if (word === 'quarantined') this.#quarantine(reason, this.word);
    else if (word === 'renewed') this.#renew(placeBy);
    else if (word === 'abandoned' && !isSettled) {
      this.state = 'abandoned';
      this.quarantine = undefined;
    } else if (this.state === 'prepared') this.state = this.#unsent;
  }

  /** To be placed after all: open again, so that others see it. */
  #renew(placeBy: number | undefined): void {
    this.placeBy = placeBy ?? this.placeBy;
    if (this.state !== 'refused' && this.state !== 'not_sent') return;
    this.#unsent = this.state;
    this.state = 'prepared';
  }

  #quarantine(reason: string, word: EndEntry | LookEntry | undefined): void {
    this.state = 'quarantined';
    this.quarantine = reason;
    this.word = word;
  }
}

function latest(attempts: Iterable<AttemptEntry>): number | undefined {
  let last: number | undefined;
  for (const { timestamp } of attempts) last = Math.max(last ?? timestamp, timestamp);
  return last;
}
