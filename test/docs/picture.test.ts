import { describe, expect, it } from 'vitest';
import { resources } from '../../src/api/service.js';
import type { IntentEvent } from '../../src/intents/content.js';
import { isOpen } from '../../src/store/intents.js';
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
import { type ActName, paidFor } from '../sandbox/commands.js';
import { saleAfterIn } from '../sandbox/story.js';
import { importsOf, sourcesUnder, textOf } from '../support/sources.js';

const life = textOf('docs/pictures/life-of-a-bid.dot');
const layers = textOf('docs/pictures/layers.dot');

/** The nodes of a group in a DOT file, by name, with the row where they stand. */
function nodesOf(text: string, group: string): Map<string, number> {
  const [, inside = ''] = text.match(new RegExp(`subgraph ${group} {(.*?)\\n {2}}`, 's')) ?? [];
  const nodes = [...inside.matchAll(/^ {4}(\w+) \[(?:pos="[-\d.]+,-(\d+)!" )?label=/gm)];
  return new Map(nodes.map(([, name = '', row]) => [name, Number(row)]));
}

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
    [sent, [looked('absent', 302), looked('absent', 362)]],
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
    const states = [
      'ready',
      'sent',
      'stuck',
      'accepted',
      'rejected',
      'refused',
      'not_sent',
      'abandoned',
    ] as const;
    expect([...nodesOf(life, 'open').keys()]).toEqual(states.filter((state) => isOpen(state)));
    expect([...nodesOf(life, 'settled').keys()]).toEqual(states.filter((state) => !isOpen(state)));
  });

  it('has arrows that the fold follows, all of them', () => {
    const arrows = [...life.matchAll(/^ {2}(\w+ -> \w+) /gm)].map(([, arrow]) => arrow);
    expect(arrows).toEqual(Object.keys(stories));
    for (const [arrow, tellings] of Object.entries(stories)) {
      const [from, to] = arrow.split(' -> ');
      for (const [before, then] of tellings) {
        expect([stateAfter(...before), stateAfter(...before, ...then)], arrow).toEqual([from, to]);
      }
    }
  });

  it('has notes that hold: what is placed again, and what a later acceptance changes', () => {
    const refused = tried(1, 'refused');
    const notSent = tried(1, 'not_sent');
    for (const log of [refused, notSent]) expect(stateAfter(...log, placed(10, 120))).toBe('ready');
    const settled = [refused, notSent, [...sent, abandoned]];
    for (const log of settled)
      expect(stateAfter(...log, looked('accepted', 5, { refusalsSeen: 1 }))).toBe('accepted');
    expect(stateAfter(...tried(1, 'rejected'), looked('accepted'))).toBe('stuck');
  });
});

describe('the picture of the life of a sale', () => {
  const picture = textOf('docs/pictures/life-of-a-sale.dot');
  const operations = resources.flatMap((resource) => Object.values(resource.operations));
  const lives: readonly (readonly ActName[])[] = [
    ['offer', 'accept', 'approve'],
    ['offer', 'decline', 'approve', 'report', 'import', 'verify', 'allocate', 'askBack', 'approveRefund'],
    [...paidFor, 'release', 'revoke', 'release', 'collect', 'transfer', 'dispute'],
    ['approve', 'cancelSale', 'approveCancellation'],
  ];

  it('has every call that a sale takes to its end, who may make it, and the states it leads from and to', async () => {
    const made = new Set<string>();
    for (const life of lives) {
      const story = await saleAfterIn({});
      for (const name of life) {
        const before = new Map(story.records().map(({ id, kind, state }) => [id, `${kind}_${state}`]));
        const { id, kind, state } = await story.do(name);
        const operation = operations.find((each) => each.id === story.sandbox.ledger().at(-1)?.operation);
        if (name === 'acknowledge') continue;
        const [who, other] = operation?.actors ?? [];
        const line = other === undefined ? who : 'either';
        made.add(`${before.get(id) ?? kind} -> ${kind}_${state} ${operation?.name} ${line}`);
      }
    }
    const arrows = [...picture.matchAll(/^ {2}(\w+ -> \w+) \[label="(\w+\.\w+)"( style| color)?/gm)];
    const lines: Readonly<Record<string, string>> = { ' style': 'either', ' color': 'partner', none: 'bank' };
    const drawn = arrows.map(([, arrow, call, line = 'none']) => `${arrow} ${call} ${lines[line]}`);
    expect(drawn.toSorted()).toEqual([...made].sort());
  });
});

describe('the picture of the layers', () => {
  const groups = ['hand', 'generated', 'entries'].map((group) => nodesOf(layers, group));
  const rows = new Map(groups.flatMap((group) => [...group]));
  const entries = [...(groups[2] ?? [])].map(([name]) => name);

  it('has every folder of src, and no other', () => {
    const folders = sourcesUnder('src').map((path) => path.split('/')[1]?.replace(/\.ts$/, ''));
    expect([...rows.keys()].sort()).toEqual([...new Set(folders)].sort());
  });

  it('shows every import going down or to the side, but for the entries', () => {
    const rowOf = (folder: string) => rows.get(folder) ?? Number.NaN;
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
