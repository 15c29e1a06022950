import { expectSame, expectThat } from './check.js';
import { at, type Cases, type Opened, row } from './setting.js';

/** Cases about retention: what is deleted, what is shrunk, and what stays. */
export const retention: Cases = {
  'prune: deletes what settled before both moments, and never by one clock alone': async (opened) => {
    const done = { state: 'done' } as const;
    await opened.settle(
      [row('old by both', done), { serverMs: 99, localMs: 199 }],
      [row('old by server time', done), { serverMs: 99, localMs: 200 }],
      [row('old by the local clock', done), { serverMs: 100, localMs: 199 }],
      [row('new by both', done), { serverMs: 100, localMs: 200 }],
    );
    expectSame('how many', await prune(opened, { serverMs: 100, localMs: 200 }), 1);
    expectSame('what is left', await opened.keys(), [
      'old by server time',
      'old by the local clock',
      'new by both',
    ]);
    expectSame(
      'how many in another account',
      await prune(opened, { serverMs: 900, localMs: 900 }, 'other'),
      0,
    );
    expectSame('how many later', await prune(opened, { serverMs: 101, localMs: 201 }), 3);
  },
  'prune: what settled without server time is kept until it is old by a later one': async (opened) => {
    await opened.settle([row('key-1', { state: 'done' }), { serverMs: undefined, localMs: 1 }]);
    await opened.do((tx) => tx.account.noteServerTime(1_000));
    expectSame('how many at first', await prune(opened, { serverMs: 900, localMs: 900 }), 0);
    expectSame('how many before that time is old', await prune(opened, { serverMs: 1_000, localMs: 900 }), 0);
    expectSame('how many after', await prune(opened, { serverMs: 1_001, localMs: 900 }), 1);
  },
  'prune: never touches what is open or provisional': async (opened) => {
    await opened.insert(row('ready'), row('sent', { state: 'sent' }), row('stuck', { state: 'stuck' }));
    await opened.settle(
      [row('provisional', { state: 'refused', provisional: true }), at(1)],
      [row('reopened', { state: 'refused' }), at(1)],
    );
    await opened.save(row('reopened'));
    expectSame('how many', await prune(opened, at9()), 0);
    expectSame('what is left', await opened.keys(), ['ready', 'sent', 'stuck', 'provisional', 'reopened']);
    await opened.save(row('provisional', { state: 'refused' }), at(8_000));
    expectSame('how many once it is final', await prune(opened, { serverMs: 8_000, localMs: 8_000 }), 0);
    expectSame('how many once that is old', await prune(opened, at9()), 1);
  },
  'prune: takes no more than its limit, the oldest first': async (opened) => {
    const rows = [3, 1, 2, 5, 4].map((n) => [row(`key-${n}`, { state: 'done' }), at(n)] as const);
    await opened.settle(...rows, [row('once', { state: 'done', once: 'once' }), at(9)]);
    expectSame('how many', await prune(opened, at9(), undefined, 2), 2);
    expectSame('what is left', await opened.keys(), ['key-3', 'key-5', 'key-4', 'once']);
    expectSame('how many then', await prune(opened, at9(), undefined, 3), 3);
    expectSame('how many of one more', await prune(opened, at9(), undefined, 3), 1);
    expectSame('how many at last', await prune(opened, at9(), undefined, 3), 0);
  },
  'prune: a row of runOnce loses body and log, once, and stays': async (opened) => {
    const once = row('once', { state: 'done', once: 'import 7', content: 'with its log', body: 'body' });
    await opened.settle([once, at(1)], [row('plain', { state: 'done' }), at(1)]);
    const before = await opened.get('once');
    expectSame('how many', await prune(opened, at9()), 2);
    const after = await opened.get('once');
    expectSame('what is left', [after?.content, after?.body], ['shrunk: with its log', undefined]);
    expectSame('its verdict', [after?.state, after?.settledSequence], ['done', before?.settledSequence]);
    expectThat('it has a new version', (after?.version ?? 0) > (before?.version ?? 0));
    expectSame('how many then', await prune(opened, at9()), 0);
    const latest = await opened.do(({ intents }) => intents.latestOnce('import 7'));
    expectSame('what is found', latest?.key, 'once');
    await opened.save({ ...once, state: 'abandoned' }, at(1));
    expectSame('how many once it was saved again', await prune(opened, at9()), 1);
  },
  'prune: the evidence of what it deletes goes, all other stays': async (opened) => {
    await opened.settle(
      [row('old', { state: 'done' }), at(1)],
      [row('new', { state: 'done' }), at(9_999)],
      [row('once', { state: 'done', once: 'once' }), at(1)],
    );
    const claim = (value: string, key: string, account?: string) =>
      opened.do(({ evidence }) => evidence.claim('bid_id', value, key), account);
    for (const key of ['old', 'new', 'once']) await claim(`bid of ${key}`, key);
    await claim('bid of old', 'old', 'other');
    await prune(opened, at9());
    expectSame('of what was deleted', await claim('bid of old', 'another'), 'another');
    expectSame('of what is new', await claim('bid of new', 'another'), 'new');
    expectSame('of what was shrunk', await claim('bid of once', 'another'), 'once');
    expectSame('in another account', await claim('bid of old', 'another', 'other'), 'old');
  },
};

const at9 = () => ({ serverMs: 9_000, localMs: 9_000 });

function prune(
  opened: Opened,
  before: { serverMs: number; localMs: number },
  account?: string,
  limit = 100,
): Promise<number> {
  return opened.do((tx) => tx.intents.prune(before, limit, (content) => `shrunk: ${content}`), account);
}
