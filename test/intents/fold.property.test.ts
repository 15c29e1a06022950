import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { IntentEvent } from '../../src/intents/content.js';
import { isThorough } from '../support/thorough.js';
import {
  attempt,
  bid,
  abandoned as byHand,
  command,
  expired,
  looked,
  placed,
  restored,
  result,
  stuck as tooLate,
  unsent,
  voided,
  word,
} from './logs.js';

/**
 * The rules of an intent once more, written down as directly as they are stated, and random stories told to both. Times
 * are seconds after the insert; the reference has exact server time and knows nothing of the log.
 */

const SIGNATURE_WINDOW = 300;
const GAP = 60;
const KEY_RETENTION = 3_600;

/** o: open, d: in doubt, b: bare 4xx, n: never left, c: refused by a code, x: proved absent, A, R: verdict, D: done. */
type End = 'o' | 'd' | 'b' | 'n' | 'c' | 'x' | 'A' | 'R' | 'D';

interface Tried {
  readonly time: number;
  end: End;
}

const inDoubt = ({ end }: Tried) => end === 'o' || end === 'd' || end === 'b';

class BidByTheRules {
  #inserted = 0;
  #placeBy = 120;
  readonly tries: Tried[] = [];
  #roundStart = 0;
  #shown: 'A' | 'R' | undefined;
  /** A look that began after every refusal on record found nothing. */
  #looked = false;
  #firstAbsence: number | undefined;
  #gone = false;
  #confirmed = false;
  #unsent = false;
  #stuck = false;
  #contradicted = false;
  #abandoned = false;
  isRestored = false;

  get keyExpires(): number {
    return this.#inserted + KEY_RETENTION;
  }

  word(): string {
    const others = (but: Tried) => this.tries.some((one) => one !== but && inDoubt(one));
    const judged = (verdict: End) => this.tries.filter(({ end }) => end === verdict);
    if (this.#contradicted) return 'stuck';
    // The service's own record of the key outranks a reply, where a person has resolved that they differ.
    if (this.#shown !== undefined) return this.#shown === 'A' ? 'accepted' : 'rejected';
    if (judged('A').length > 0) return 'accepted';
    if (this.#stuck) return 'stuck';
    if (this.#abandoned) return 'abandoned';
    if (judged('R').some((one) => !others(one))) return 'rejected';
    if (this.#gone) return 'refused';
    const mark = this.#confirmed ? '' : '?';
    const round = this.tries.slice(this.#roundStart);
    if (round.length === 0) {
      if (!this.#unsent) return 'ready';
      // A bare refusal of an earlier round still holds as it was told.
      return this.tries.some(inDoubt) && !this.#confirmed ? 'refused?' : 'not_sent';
    }
    // The first attempt of the round that is not overshadowed by another decides.
    for (const one of round) {
      if (others(one)) continue;
      if (one.end === 'c') return 'refused';
      if (one.end === 'b' && this.#looked) return `refused${mark}`;
    }
    return this.tries.some((one) => inDoubt(one) || one.end === 'R') ? 'sent' : 'not_sent';
  }

  send(time: number): void {
    this.tries.push({ time, end: 'o' });
    this.#looked = false;
    this.#firstAbsence = undefined;
    this.#confirmed = false;
  }

  get #isAccepted(): boolean {
    return this.#shown === 'A' || this.tries.some(({ end }) => end === 'A');
  }

  /** Any change that brings evidence: an acceptance after a reported rejection, or the reverse, is for a person. */
  #learn(change: () => void): void {
    const before = this.word();
    const wasAccepted = this.#isAccepted;
    change();
    if (before === 'rejected' && !wasAccepted && this.#isAccepted) this.#contradicted = true;
    if (before === 'accepted' && this.#shown === 'R') this.#contradicted = true;
  }

  end(one: Tried, end: End): void {
    this.#learn(() => {
      one.end = end;
    });
  }

  show(verdict: 'A' | 'R'): void {
    this.#learn(() => {
      this.#shown = verdict;
    });
  }

  absent(time: number, beganAfterAllRefusals: boolean): void {
    const before = this.word();
    if (before === 'ready') return;
    if (beganAfterAllRefusals && time <= this.keyExpires) this.#looked = true;
    const left = this.tries.filter(({ end }) => end !== 'n' && end !== 'x');
    const last = left.length > 0 ? Math.max(...left.map((one) => one.time)) : this.#placeBy;
    if (time <= last + SIGNATURE_WINDOW || time > this.keyExpires) return;
    if (this.#firstAbsence === undefined) this.#firstAbsence = time;
    else if (time - this.#firstAbsence >= GAP) {
      if (before.endsWith('?')) this.#confirmed = true;
      else if (before === 'sent') this.#gone = true;
    }
  }

  placeAgain(time: number, placeBy: number): void {
    const before = this.word();
    this.#placeBy = placeBy;
    if (before !== 'ready' && !before.endsWith('?')) {
      this.#inserted = time;
      for (const one of this.tries) if (inDoubt(one)) one.end = 'x';
    }
    this.#roundStart = this.tries.length;
    this.#looked = false;
    this.#firstAbsence = undefined;
    this.#gone = false;
    this.#confirmed = false;
    this.#unsent = false;
  }

  notSent(): void {
    this.#unsent = true;
  }

  giveUp(): void {
    this.#stuck = true;
  }

  abandon(): void {
    this.#abandoned = true;
    this.#stuck = false;
    this.#contradicted = false;
  }

  restore(time: number): void {
    this.isRestored = true;
    this.send(time);
  }
}

/** One step of a story: what to try first, a choice within it, and how much time passes before. */
const step = fc.record({
  op: fc.nat({ max: 15 }),
  pick: fc.nat({ max: 11 }),
  pass: fc.oneof(fc.nat({ max: 90 }), fc.constantFrom(0, 1, 60, 300, 301, 3_600)),
});
type Step = { op: number; pick: number; pass: number };

const ends = {
  o: 'unknown',
  d: 'unknown',
  b: 'uncoded',
  n: 'not_sent',
  c: 'refused',
  A: 'done',
  R: 'rejected',
};

/** Tells a story of a bid to both; calls `check` after each step. */
function tellBid(
  steps: readonly Step[],
  check: (expected: string, log: readonly IntentEvent[]) => void,
): void {
  const rules = new BidByTheRules();
  const log: IntentEvent[] = [];
  const open: { n: number; one: Tried }[] = [];
  /** Lookups that have begun: how many refusals were on record then. */
  const looks: number[] = [];
  const verdicts: { n: number; one: Tried }[] = [];
  let time = 0;
  let refusals = 0;
  const absent = (began: number) => {
    log.push(looked('absent', time, { refusalsSeen: began }));
    rules.absent(time, began === refusals);
  };
  for (const { op, pick, pass } of steps) {
    time += pass;
    const state = rules.word();
    const n = rules.tries.length + 1;
    if (op < 4 && (state === 'ready' || state === 'sent') && !rules.isRestored) {
      rules.send(time);
      const one = rules.tries.at(-1);
      if (one === undefined) throw new Error('No attempt');
      log.push(attempt(n, time));
      open.push({ n, one });
    } else if (op < 8 && open.length > 0) {
      const [{ n: number, one }] = open.splice(pick % open.length, 1) as [{ n: number; one: Tried }];
      const end = (['d', 'b', 'n', 'c', 'A', 'R', 'b', 'c'] as const)[pick % 8] ?? 'd';
      log.push(result(number, ends[end] as 'done', { bidId: `bid_${number}` }));
      rules.end(one, end);
      if (end === 'b' || end === 'c') refusals += 1;
      if (end === 'A' || end === 'R') verdicts.push({ n: number, one });
    } else if (op === 8) {
      looks.push(refusals);
    } else if (op === 9 && looks.length > 0) {
      absent(looks.shift() ?? 0);
    } else if (op === 10 || op === 11) {
      absent(refusals);
    } else if (op === 12 && pick < 4) {
      const verdict = pick % 2 === 0 ? 'A' : 'R';
      log.push(looked(verdict === 'A' ? 'accepted' : 'rejected', time));
      rules.show(verdict);
    } else if (op === 12 && verdicts.length > 0 && pick > 8) {
      const [{ n: number, one }] = verdicts.splice(0, 1) as [{ n: number; one: Tried }];
      log.push(voided(`bid_${number}`));
      if (one.end === 'A' || one.end === 'R') rules.end(one, 'd');
    } else if (op === 13 && state === 'ready') {
      log.push(unsent);
      rules.notSent();
    } else if (op >= 13 && /^(refused|not_sent|ready)/.test(state) && !rules.isRestored) {
      log.push(placed(time, time + 120));
      rules.placeAgain(time, time + 120);
    } else if (op === 14 && (state === 'sent' || state === 'stuck')) {
      log.push(byHand);
      rules.abandon();
    } else if (op === 15 && state.endsWith('?') && time > rules.keyExpires) {
      // It stays as it was told.
      log.push(expired);
    } else if (op === 15 && state === 'sent' && time > rules.keyExpires) {
      log.push(tooLate);
      rules.giveUp();
    } else if (op === 15 && pick === 0 && (state === 'sent' || state === 'ready') && !rules.isRestored) {
      log.push(restored(time));
      rules.restore(time);
    }
    check(rules.word(), log);
  }
}

it('a bid is in the state that the rules give, whatever happens to it in whatever order', () => {
  const met = new Set<string>();
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
      tellBid(steps, (expected, log) => {
        met.add(expected);
        expect(word(bid(...log))).toBe(expected);
      });
    }),
    { numRuns: isThorough ? 4_000 : 1_000, seed: 21 },
  );
  // A story that never gets anywhere would prove nothing.
  expect([...met].sort()).toEqual([
    'abandoned',
    'accepted',
    'not_sent',
    'ready',
    'refused',
    'refused?',
    'rejected',
    'sent',
    'stuck',
  ]);
});

/** A command by the rules: no lookup, and a message alone is believed when it is repeated. */
function commandByTheRules(tries: readonly Tried[], facts: { stuck: boolean; unsent: boolean }): string {
  if (tries.some(({ end }) => end === 'D')) return 'done';
  if (facts.stuck) return 'stuck';
  if (tries.length === 0) return facts.unsent ? 'not_sent' : 'ready';
  const doubtBut = (one: Tried) => tries.some((other) => other !== one && inDoubt(other));
  if (tries.some((one) => one.end === 'c' && !doubtBut(one))) return 'refused';
  const isRepeated = tries.filter(({ end }) => end === 'b').length > 1;
  if (isRepeated && !tries.some(({ end }) => end === 'o' || end === 'd')) return 'refused';
  return tries.some(inDoubt) ? 'sent' : 'not_sent';
}

it('a command is in the state that the rules give, whatever happens to it in whatever order', () => {
  const effects = { d: 'unknown', b: 'uncoded', n: 'not_sent', c: 'refused', D: 'done' } as const;
  const met = new Set<string>();
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12, size: 'max' }), fc.boolean(), (steps, isVersioned) => {
      const tries: Tried[] = [];
      const facts = { stuck: false, unsent: false };
      const log: IntentEvent[] = [];
      const open: number[] = [];
      for (const { op, pick } of steps) {
        const state = commandByTheRules(tries, facts);
        if (op < 6 && (state === 'ready' || state === 'sent')) {
          tries.push({ time: 0, end: 'o' });
          log.push(attempt(tries.length));
          open.push(tries.length);
        } else if (op < 14 && open.length > 0) {
          const [n = 1] = open.splice(pick % open.length, 1);
          const end = (['d', 'b', 'n', 'c', 'b', 'b', 'c', 'D'] as const)[op % 8] ?? 'd';
          const status = [404, 409, 422][pick % 3] ?? 404;
          log.push(result(n, effects[end], { status }));
          const one = tries[n - 1];
          if (one !== undefined) one.end = end;
        } else if (op === 14 && state === 'ready') {
          log.push(unsent);
          facts.unsent = true;
        } else if (op === 15 && state === 'sent') {
          log.push(tooLate);
          facts.stuck = true;
        }
        const expected = commandByTheRules(tries, facts);
        met.add(expected);
        expect(word(command(isVersioned, ...log))).toBe(expected);
      }
    }),
    { numRuns: isThorough ? 3_000 : 800, seed: 21 },
  );
  expect([...met].sort()).toEqual(['done', 'not_sent', 'ready', 'refused', 'sent', 'stuck']);
});
