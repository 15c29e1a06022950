import { describe, expect, it } from 'vitest';
import type { IntentEvent } from '../../src/intents/content.js';
import { isOpen } from '../../src/store/intents.js';
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
import { importsOf, sourcesUnder, textOf } from '../support/sources.js';

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
      expect(states.find((state) => state.name === name)?.kind, name).toBe(isOpen(name) ? 'open' : 'settled');
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

describe('the picture of the layers', () => {
  const layers = readPicture(textOf('docs/pictures/layers.txt')).states;
  const rowOf = (folder: string) => layers.find(({ name }) => name === folder)?.y ?? Number.NaN;

  it('has every folder of src, and no other', () => {
    const folders = sourcesUnder('src').map((path) => path.split('/')[1]?.replace(/\.ts$/, ''));
    expect(layers.map(({ name }) => name).sort()).toEqual([...new Set(folders)].sort());
  });

  it('shows every import going down or to the side, but for the entries', () => {
    const entries = layers.filter(({ kind }) => kind === 'entry').map(({ name }) => name);
    const up = sourcesUnder('src').flatMap((path) => {
      const from = path.split('/')[1]?.replace(/\.ts$/, '') ?? '';
      return importsOf(path)
        .map((target) => /^src\/(\w+)/.exec(target)?.[1] ?? from)
        .filter((to) => !entries.includes(from) && rowOf(to) < rowOf(from))
        .map((to) => `${path} → ${to}`);
    });
    expect(up).toEqual([]);
  });
});
