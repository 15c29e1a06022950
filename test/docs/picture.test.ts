import { describe, expect, it } from 'vitest';
import type { IntentEvent } from '../../src/intents/content.js';
import { isOpen } from '../../src/store/store.js';
import { readPicture } from '../../tools/pictures/draw.js';
import {
  abandoned,
  attempt,
  bid,
  looked,
  placed,
  result,
  status,
  stuck,
  tried,
  unsent,
} from '../intents/logs.js';
import { textOf } from '../support/sources.js';

const { states, arrows, notes } = readPicture(textOf('docs/pictures/life-of-a-bid.txt'));

const sent = [attempt(1)];

/** For each arrow: what led to its beginning, and the events that lead on, one story for each. */
const stories: Readonly<
  Record<string, readonly (readonly [readonly IntentEvent[], readonly IntentEvent[]])[]>
> = {
  'ready -> sent': [[[], sent]],
  'ready -> not_sent': [[[], [unsent]]],
  'sent -> accepted': [
    [sent, [result(1, 'done')]],
    [sent, [looked('accepted')]],
  ],
  'sent -> rejected': [
    [sent, [result(1, 'rejected')]],
    [sent, [looked('rejected')]],
  ],
  'sent -> refused': [
    [sent, [result(1, 'refused')]],
    [sent, [looked('absent', 301), looked('absent', 361)]],
  ],
  'sent -> not_sent': [[sent, [result(1, 'not_sent')]]],
  'sent -> stuck': [
    [sent, [result(1, 'unknown', { keyConflict: true })]],
    [sent, [stuck]],
  ],
  'sent -> abandoned': [[sent, [abandoned]]],
};

function stateAfter(...log: readonly IntentEvent[]): string {
  return status(bid(...log)).state;
}

describe('the picture of the life of a bid', () => {
  it('has every state of a bid, and says which of them are open', () => {
    expect(states.map(({ name }) => name).sort()).toEqual(
      ['abandoned', 'accepted', 'not_sent', 'ready', 'refused', 'rejected', 'sent', 'stuck'].sort(),
    );
    const bidStates = [
      'ready',
      'sent',
      'stuck',
      'accepted',
      'rejected',
      'refused',
      'not_sent',
      'abandoned',
    ] as const;
    for (const name of bidStates)
      expect(states.find((state) => state.name === name)?.isOpen, name).toBe(isOpen(name));
  });

  it('has arrows that the fold follows, all of them', () => {
    expect(arrows.map(({ from, to }) => `${from} -> ${to}`).sort()).toEqual(Object.keys(stories).sort());
    for (const [arrow, tellings] of Object.entries(stories)) {
      const [from, to] = arrow.split(' -> ');
      for (const [before, then] of tellings) {
        expect([stateAfter(...before), stateAfter(...before, ...then)], arrow).toEqual([from, to]);
      }
    }
  });

  it('has notes that hold: what is placed again, and what a later acceptance changes', () => {
    expect(notes).toHaveLength(2);
    const refused = tried(1, 'refused');
    const notSent = tried(1, 'not_sent');
    for (const log of [refused, notSent]) expect(stateAfter(...log, placed(10, 120))).toBe('ready');
    const settled = [refused, notSent, [...sent, abandoned]];
    for (const log of settled)
      expect(stateAfter(...log, looked('accepted', 5, { refusalsSeen: 1 }))).toBe('accepted');
    expect(stateAfter(...tried(1, 'rejected'), looked('accepted'))).toBe('stuck');
  });
});
