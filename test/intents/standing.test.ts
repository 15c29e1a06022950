import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EndEntry, Entry, LookEntry, WordEntry } from '../../src/intents/entry.js';
import { type IntentState, isOpen } from '../../src/intents/intent.js';
import { type Standing, standingOf } from '../../src/intents/standing.js';

/** What the entries of an intent come to. */

const bid = { lot: 'lot_1', amount: '465000', placeBy: 1_000 };

const attempt = (number: number, timestamp = 100): Entry => ({
  type: 'attempt',
  attempt: number,
  at: 0,
  timestamp,
  nonce: `n${number}`,
  keyId: 'k',
});
const end = (number: number, effect: EndEntry['effect'], over: Partial<EndEntry> = {}): EndEntry => ({
  type: 'end',
  attempt: number,
  at: 0,
  effect,
  reason: effect,
  ...over,
});
const rejected = (number: number, over: Partial<EndEntry> = {}) =>
  end(number, 'rejected', { record: { status: 'rejected' }, codes: ['LOT_NOT_LIVE'], ...over });
const look = (found: string, by: LookEntry['by'] = 'A06'): LookEntry => ({ type: 'look', by, at: 0, found });
const word = (said: WordEntry['word'], over: Partial<WordEntry> = {}): WordEntry => ({
  type: 'word',
  word: said,
  at: 0,
  reason: said,
  ...over,
});

const ofBid = (...entries: readonly Entry[]) => standingOf({ bid }, entries);
const ofCommand = (...entries: readonly Entry[]) => standingOf({}, entries);

describe('a reply that comes when a look has settled the bid already', () => {
  it.each([
    ['accepted', end(1, 'in_doubt', { keyConflict: true })],
    ['rejected', end(1, 'in_doubt', { keyConflict: true })],
    ['accepted', end(1, 'done', { replayed: true })],
    ['accepted', rejected(1)],
    ['rejected', end(1, 'done')],
  ] as const)('quarantines it where it says that this is another bid (%s, %j)', (found, reply) => {
    expect(ofBid(attempt(1), look(found), reply).state).toBe('quarantined');
  });

  it.each([
    ['accepted', end(1, 'done')],
    ['accepted', end(1, 'refused')],
    ['accepted', end(1, 'not_sent')],
    ['rejected', rejected(1)],
    ['rejected', end(1, 'in_doubt')],
  ] as const)('changes nothing otherwise (%s, %j)', (found, reply) => {
    expect(ofBid(attempt(1), look(found), reply).state).toBe(found);
  });

  it('changes nothing where a reply to the bid itself had settled it', () => {
    const late = end(1, 'in_doubt', { keyConflict: true });
    expect(ofBid(attempt(1), attempt(2), end(2, 'done'), late).state).toBe('accepted');
  });
});

describe('an intent', () => {
  it('is prepared until something is sent', () => {
    expect(ofBid()).toMatchObject({
      state: 'prepared',
      attempts: 0,
      inDoubt: false,
      unconfirmed: false,
      lastTimestamp: undefined,
      quarantine: undefined,
      word: undefined,
      placeBy: 1_000,
    });
    expect(ofCommand().placeBy).toBeUndefined();
  });

  it('is unknown from the moment that an attempt may leave', () => {
    expect(ofBid(attempt(1, 77))).toMatchObject({
      state: 'unknown',
      attempts: 1,
      inDoubt: true,
      lastTimestamp: 77,
    });
  });

  const rows: [string, Entry[], IntentState, IntentState][] = [
    ['carried out', [attempt(1), end(1, 'done')], 'accepted', 'done'],
    ['refused', [attempt(1), end(1, 'refused')], 'refused', 'refused'],
    ['never sent', [attempt(1), end(1, 'not_sent')], 'not_sent', 'not_sent'],
    ['in doubt', [attempt(1), end(1, 'in_doubt')], 'unknown', 'unknown'],
    ['rejected', [attempt(1), rejected(1)], 'rejected', 'rejected'],
    ['refused after doubt', [attempt(1), attempt(2), end(2, 'refused')], 'unknown', 'unknown'],
    [
      'not sent after doubt',
      [attempt(1), end(1, 'in_doubt'), attempt(2), end(2, 'not_sent')],
      'unknown',
      'unknown',
    ],
    ['carried out after doubt', [attempt(1), attempt(2), end(2, 'done')], 'accepted', 'done'],
    ['doubt after a refusal', [attempt(1), end(1, 'refused'), attempt(2)], 'unknown', 'unknown'],
    ['refused twice', [attempt(1), end(1, 'refused'), attempt(2), end(2, 'refused')], 'refused', 'refused'],
    [
      'refused, then not sent',
      [attempt(1), end(1, 'refused'), attempt(2), end(2, 'not_sent')],
      'not_sent',
      'not_sent',
    ],
    [
      'an end that comes late, behind the next attempt',
      [attempt(1), attempt(2), end(1, 'refused'), end(2, 'refused')],
      'refused',
      'refused',
    ],
    ['withdrawn', [word('withdrawn')], 'not_sent', 'not_sent'],
    ['never sent, by word', [word('never_sent')], 'not_sent', 'not_sent'],
    ['withdrawn, though something left', [attempt(1), word('withdrawn')], 'unknown', 'unknown'],
    ['abandoned in doubt', [attempt(1), word('abandoned')], 'abandoned', 'abandoned'],
    ['abandoned before anything left', [word('abandoned')], 'abandoned', 'abandoned'],
    [
      'abandoned, and refused after all',
      [attempt(1), word('abandoned'), end(1, 'refused')],
      'abandoned',
      'abandoned',
    ],
    [
      'abandoned, and carried out after all',
      [attempt(1), word('abandoned'), end(1, 'done')],
      'accepted',
      'done',
    ],
    ['quarantined by word', [attempt(1), word('quarantined')], 'quarantined', 'quarantined'],
    [
      'carried out, then quarantined by word',
      [attempt(1), end(1, 'done'), word('quarantined')],
      'quarantined',
      'quarantined',
    ],
    ['quarantined, then abandoned', [word('quarantined'), word('abandoned')], 'abandoned', 'abandoned'],
    [
      'other content under the key',
      [attempt(1), end(1, 'in_doubt', { keyConflict: true })],
      'quarantined',
      'quarantined',
    ],
    [
      'carried out in quarantine',
      [attempt(1), word('quarantined'), end(1, 'done')],
      'quarantined',
      'quarantined',
    ],
  ];

  it.each(rows)('%s', (_, entries, asBid, asCommand) => {
    expect(ofBid(...entries).state).toBe(asBid);
    expect(ofCommand(...entries).state).toBe(asCommand);
  });

  const looks: [string, Entry[], IntentState][] = [
    ['found accepted', [attempt(1), look('accepted')], 'accepted'],
    ['found rejected', [attempt(1), look('rejected')], 'rejected'],
    ['found absent', [attempt(1), look('absent')], 'unknown'],
    ['found processing', [attempt(1), look('processing')], 'unknown'],
    ['not found out', [attempt(1), look('failed')], 'unknown'],
    ['found in a state of next year', [attempt(1), look('archived')], 'unknown'],
    ['found absent, and accepted later', [attempt(1), look('absent'), look('accepted')], 'accepted'],
    ['found accepted though abandoned', [attempt(1), word('abandoned'), look('accepted')], 'accepted'],
    ['found rejected though abandoned', [attempt(1), word('abandoned'), look('rejected')], 'rejected'],
    ['found absent though abandoned', [attempt(1), word('abandoned'), look('absent')], 'abandoned'],
    ['found accepted in quarantine', [attempt(1), word('quarantined'), look('accepted')], 'quarantined'],
    ['the lot closed', [attempt(1), look('closed', 'A10')], 'unknown'],
    ['bids like it', [attempt(1), look('found', 'bids.list')], 'unknown'],
    ['an acceptance of another look', [attempt(1), look('accepted', 'bids.list')], 'unknown'],
    ['rejected after doubt', [attempt(1), attempt(2), rejected(2)], 'unknown'],
    ['... and confirmed', [attempt(1), attempt(2), rejected(2), look('rejected')], 'rejected'],
    ['... and absent', [attempt(1), attempt(2), rejected(2), look('absent')], 'unknown'],
    [
      '... and absent, then confirmed',
      [attempt(1), attempt(2), rejected(2), look('absent'), look('rejected')],
      'rejected',
    ],
    ['... and no answer', [attempt(1), attempt(2), rejected(2), look('failed')], 'unknown'],
    ['... and processing', [attempt(1), attempt(2), rejected(2), look('processing')], 'unknown'],
    ['... and accepted', [attempt(1), attempt(2), rejected(2), look('accepted')], 'quarantined'],
    [
      '... and carried out by a third',
      [attempt(1), attempt(2), rejected(2), attempt(3), end(3, 'done')],
      'quarantined',
    ],
    [
      '... and abandoned, then accepted',
      [attempt(1), attempt(2), rejected(2), word('abandoned'), look('accepted')],
      'quarantined',
    ],
    ['rejected without a record after doubt', [attempt(1), attempt(2), end(2, 'rejected')], 'unknown'],
    ['... and then confirmed', [attempt(1), attempt(2), end(2, 'rejected'), look('rejected')], 'rejected'],
    ['... and then absent', [attempt(1), attempt(2), end(2, 'rejected'), look('absent')], 'unknown'],
    ['... and then accepted', [attempt(1), attempt(2), end(2, 'rejected'), look('accepted')], 'accepted'],
    ['rejected without a record', [attempt(1), end(1, 'rejected')], 'rejected'],
    ['rejected after a refusal', [attempt(1), end(1, 'refused'), attempt(2), rejected(2)], 'rejected'],
    ['a replay of what was never sent', [attempt(1), end(1, 'done', { replayed: true })], 'quarantined'],
    [
      'a replay after a refusal',
      [attempt(1), end(1, 'refused'), attempt(2), end(2, 'done', { replayed: true })],
      'quarantined',
    ],
    ['a replay after doubt', [attempt(1), attempt(2), end(2, 'done', { replayed: true })], 'accepted'],
    [
      'a rejection replayed after doubt',
      [attempt(1), attempt(2), rejected(2, { replayed: true })],
      'unknown',
    ],
    [
      'a rejection replayed of what was never sent',
      [attempt(1), rejected(1, { replayed: true })],
      'quarantined',
    ],
  ];

  it.each(looks)('a bid %s', (_, entries, state) => {
    expect(ofBid(...entries).state).toBe(state);
  });

  it('a command that was answered from the record of its key is as good as done', () => {
    expect(ofCommand(attempt(1), end(1, 'done', { replayed: true })).state).toBe('done');
  });

  it('tells of a rejection that wants to be confirmed, and by which word it settles', () => {
    const pending = [attempt(1), attempt(2), rejected(2)];
    expect(ofBid(...pending)).toMatchObject({
      unconfirmed: true,
      inDoubt: true,
      word: { codes: ['LOT_NOT_LIVE'] },
    });
    expect(ofBid(...pending, look('absent'))).toMatchObject({ unconfirmed: true });
    const settled = ofBid(...pending, look('rejected'));
    expect(settled).toMatchObject({ unconfirmed: false, inDoubt: false, word: { type: 'end', attempt: 2 } });
    expect(ofBid(attempt(1), look('rejected')).word).toMatchObject({ type: 'look' });
    expect(ofBid(attempt(1), end(1, 'done', { record: { bid_id: 'b' } })).word?.record).toEqual({
      bid_id: 'b',
    });
  });

  it('counts attempts, and knows the latest stamp of those that may have left', () => {
    expect(ofBid(attempt(1, 50), end(1, 'in_doubt'), attempt(2, 90), end(2, 'not_sent'))).toMatchObject({
      attempts: 2,
      lastTimestamp: 50,
    });
    expect(ofBid(attempt(1, 90), end(1, 'refused'), attempt(2, 50)).lastTimestamp).toBe(90);
  });

  it('that is to be placed after all is open again, by a new deadline; and is what it was where nothing leaves', () => {
    const refused = [attempt(1), end(1, 'refused')];
    const renewed = word('renewed', { placeBy: 9_000 });
    expect(ofBid(...refused, renewed)).toMatchObject({ state: 'prepared', placeBy: 9_000, inDoubt: false });
    expect(ofBid(...refused, renewed, word('withdrawn')).state).toBe('refused');
    expect(ofBid(...refused, renewed, word('never_sent')).state).toBe('refused');
    expect(ofBid(word('withdrawn'), renewed, word('withdrawn')).state).toBe('not_sent');
    expect(ofBid(...refused, renewed, attempt(2))).toMatchObject({ state: 'unknown', attempts: 2 });
    expect(ofBid(attempt(1), renewed)).toMatchObject({ state: 'unknown', placeBy: 9_000 });
    expect(ofBid(attempt(1), end(1, 'done'), renewed).state).toBe('accepted');
    expect(ofBid(attempt(1), word('abandoned'), renewed).state).toBe('abandoned');
    expect(ofBid(word('renewed')).placeBy).toBe(1_000);
  });

  it('says why it is quarantined, and no longer once it is abandoned', () => {
    expect(ofBid(word('quarantined', { reason: 'odd' })).quarantine).toBe('odd');
    expect(ofBid(word('quarantined'), word('abandoned')).quarantine).toBeUndefined();
  });
});

/** Histories as they can be written: attempts in order, each ended at the most once, looks and words anywhere. */
const histories = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant('attempt' as const) },
      {
        weight: 4,
        arbitrary: fc.record({
          effect: fc.constantFrom<EndEntry['effect']>('done', 'rejected', 'refused', 'not_sent', 'in_doubt'),
          replayed: fc.boolean(),
          keyConflict: fc.constantFrom(false, false, false, true),
          recorded: fc.boolean(),
          which: fc.nat(),
        }),
      },
      {
        weight: 3,
        arbitrary: fc
          .constantFrom('accepted', 'rejected', 'absent', 'processing', 'failed')
          .map((found) => look(found)),
      },
      {
        weight: 1,
        arbitrary: fc
          .constantFrom<WordEntry['word']>('abandoned', 'never_sent', 'withdrawn', 'quarantined', 'renewed')
          .map((said) => word(said)),
      },
    ),
    { maxLength: 14 },
  )
  .map((steps) => {
    const entries: Entry[] = [];
    const unended: number[] = [];
    let attempts = 0;
    for (const step of steps) {
      if (step === 'attempt') {
        attempts += 1;
        unended.push(attempts);
        entries.push(attempt(attempts, 100 + attempts));
      } else if ('which' in step) {
        const [number] = unended.splice(step.which % Math.max(1, unended.length), 1);
        if (number === undefined) continue;
        const { effect, replayed, keyConflict, recorded } = step;
        entries.push(
          end(number, effect, {
            ...(replayed && { replayed }),
            ...(keyConflict && { keyConflict }),
            ...(recorded && { record: { status: effect } }),
          }),
        );
      } else entries.push(step);
    }
    return entries;
  });

/** The standing after each entry. */
function along(entries: readonly Entry[], intent: { bid?: typeof bid }): Standing[] {
  return entries.map((_, index) => {
    const {
      state,
      attempts,
      inDoubt,
      unconfirmed,
      lastTimestamp,
      quarantine,
      word: said,
      placeBy,
    } = standingOf(intent, entries.slice(0, index + 1));
    return { state, attempts, inDoubt, unconfirmed, lastTimestamp, quarantine, word: said, placeBy };
  });
}

const openDoubts = (entries: readonly Entry[]) => {
  const doubts = new Set<number>();
  for (const entry of entries) {
    if (entry.type === 'attempt') doubts.add(entry.attempt);
    if (entry.type === 'end' && entry.effect !== 'in_doubt') doubts.delete(entry.attempt);
  }
  return doubts.size;
};

describe.each([
  ['a bid', { bid }],
  ['a command', {}],
] as const)('whatever happens to %s', (_, intent) => {
  const holds = (check: (entries: readonly Entry[], steps: readonly Standing[]) => void) =>
    fc.assert(
      fc.property(histories, (entries) => check(entries, along(entries, intent))),
      { numRuns: 400 },
    );

  it('what the service judged never changes again, but by what quarantines it', () => {
    holds((entries, steps) => {
      for (const [index, { state, word }] of steps.entries()) {
        if (!['accepted', 'rejected', 'done'].includes(state)) continue;
        const later = steps[index + 1];
        const next = entries[index + 1];
        if (later === undefined || (next?.type === 'word' && next.word === 'quarantined')) continue;
        // What only a look has shown may be about another bid, as the reply to an attempt can tell.
        if (word?.type === 'look' && next?.type === 'end' && later.state === 'quarantined') continue;
        expect([state, next, later.state]).toEqual([state, next, state]);
      }
    });
  });

  it('it is never refused or not sent while an attempt may have taken effect', () => {
    holds((entries, steps) => {
      for (const [index, { state }] of steps.entries()) {
        if (state !== 'refused' && state !== 'not_sent' && state !== 'prepared') continue;
        expect(openDoubts(entries.slice(0, index + 1))).toBe(0);
      }
    });
  });

  it('it is accepted, rejected or done only after the service said so', () => {
    holds((entries, steps) => {
      for (const [index, { state }] of steps.entries()) {
        const before = entries.slice(0, index + 1);
        const said = (effect: EndEntry['effect'], found: string) =>
          before.some(
            (entry) =>
              (entry.type === 'end' && entry.effect === effect) ||
              (entry.type === 'look' && entry.found === found),
          );
        if (state === 'accepted' || state === 'done') expect(said('done', 'accepted')).toBe(true);
        if (state === 'rejected') expect(said('rejected', 'rejected')).toBe(true);
      }
    });
  });

  it('a bid for which both were said, and neither was settled by itself, is never reported as one of them', () => {
    holds((entries, steps) => {
      const [end_] = steps.slice(-1);
      if (end_?.state !== 'rejected') return;
      const settledAt = steps.findIndex(({ state }) => state === 'rejected');
      const accepted = entries
        .slice(0, settledAt)
        .some(
          (entry) =>
            (entry.type === 'end' && entry.effect === 'done') ||
            (entry.type === 'look' && entry.found === 'accepted'),
        );
      const quarantined = steps.slice(0, settledAt).some(({ state }) => state === 'quarantined');
      expect(accepted && !quarantined).toBe(false);
    });
  });

  it('it is quarantined until it is abandoned', () => {
    holds((entries, steps) => {
      for (const [index, { state }] of steps.entries()) {
        if (state !== 'quarantined') continue;
        const next = entries[index + 1];
        if (next === undefined || (next.type === 'word' && next.word === 'abandoned')) continue;
        expect(steps[index + 1]?.state).toBe('quarantined');
      }
    });
  });

  it('attempts only grow, and in doubt is always open', () => {
    holds((entries, steps) => {
      for (const [index, { attempts, inDoubt, state }] of steps.entries()) {
        expect(attempts).toBe(entries.slice(0, index + 1).filter(({ type }) => type === 'attempt').length);
        if (inDoubt) expect(isOpen(state)).toBe(true);
      }
    });
  });

  it('only a word makes it abandoned', () => {
    holds((entries, steps) => {
      for (const [index, { state }] of steps.entries()) {
        if (state === 'abandoned') {
          expect(entries.slice(0, index + 1)).toContainEqual(expect.objectContaining({ word: 'abandoned' }));
        }
      }
    });
  });
});
