import { at, type Cases, expectSame, keysOf, type Opened, row } from '../setting.js';

const done = { state: 'done' } as const;

/** Cases about retention: what is deleted, what is shrunk, and what stays. */
export const retention: Cases = {
  'prune: deletes intents that settled before both times, and never by one clock alone': async (opened) => {
    await opened.settle(
      [row('old by both', done), { server: 99, local: 199 }],
      [row('old by server time', done), { server: 99, local: 200 }],
      [row('old by the local clock', done), { server: 100, local: 199 }],
      [row('new by both', done), { server: 100, local: 200 }],
    );
    const before = { server: 100, local: 200 };
    expectSame('how many', await prune(opened, before), 1);
    const left = ['old by server time', 'old by the local clock', 'new by both'];
    expectSame('what is left', await opened.keys(), left);
    expectSame('how many in another account', await prune(opened, at(900), 'other'), 0);
    expectSame('how many later', await prune(opened, { server: 101, local: 201 }), 3);
  },
  'prune: intents that settled without server time are kept until they are old by a later one': async (
    opened,
  ) => {
    await opened.settle([row('key-1', done), { server: undefined, local: 1 }]);
    await opened.do((tx) => tx.account.advanceServerTime(1_000));
    expectSame('how many at first', await prune(opened, at(900)), 0);
    expectSame('how many before that time is old', await prune(opened, at(1_000)), 0);
    expectSame('how many after', await prune(opened, at(1_001)), 1);
  },
  'prune: intents that settled while the local clock was ahead count from now': async (opened) => {
    await opened.settle([row('key-1', done), { server: 1, local: 90_000_000 }]);
    expectSame('how many at first', await prune(opened, { ...at(900), now: 1_000 }), 0);
    expectSame('how many before that is old', await prune(opened, { ...at(1_000), now: 1_100 }), 0);
    expectSame('how many after', await prune(opened, { ...at(1_001), now: 1_101 }), 1);
  },
  'prune: never touches open or provisional intents': async (opened) => {
    await opened.insert(row('ready'), row('sent', { state: 'sent' }), row('stuck', { state: 'stuck' }));
    await opened.settle(
      [row('provisional', { state: 'refused', provisional: true }), at(1)],
      [row('reopened', { state: 'refused' }), at(1)],
    );
    await opened.save(row('reopened'));
    expectSame('how many', await prune(opened), 0);
    expectSame('what is left', await opened.keys(), ['ready', 'sent', 'stuck', 'provisional', 'reopened']);
    await opened.save(row('provisional', { state: 'refused' }), at(8_000));
    expectSame('how many once it is final', await prune(opened, at(8_000)), 0);
    expectSame('how many once that is old', await prune(opened), 1);
  },
  'prune: removes at most its limit, the oldest first, and no position is reused': async (opened) => {
    const rows = [3, 1, 2, 5, 4].map((n) => [row(`key-${n}`, done), at(n)] as const);
    await opened.settle([row('once', { ...done, once: 'once' }), at(9)], ...rows);
    const last = await opened.get('key-4');
    const many = () => prune(opened, at(9_000), undefined, 3);
    expectSame('how many', await prune(opened, at(9_000), undefined, 2), 2);
    expectSame('what is left', await opened.keys(), ['once', 'key-3', 'key-5', 'key-4']);
    expectSame('how many then', [await many(), await many(), await many()], [3, 1, 0]);
    await opened.settle([row('next', done), at(10)]);
    expectSame('a new position', ((await opened.get('next'))?.id ?? 0) > (last?.id ?? 0), true);
    const later = await opened.do((tx) => tx.intents.settledAfter(last?.settledSequence ?? 0, 9));
    expectSame('what a follower finds', keysOf(later), ['next']);
  },
  'prune: a row of runOnce loses body and log, once, and stays': async (opened) => {
    const once = row('once', { ...done, once: 'import 7', content: 'with its log', body: 'body' });
    await opened.settle([once, at(1)], [row('plain', done), at(1)]);
    const before = await opened.get('once');
    expectSame('how many', await prune(opened), 2);
    const after = await opened.do((tx) => tx.intents.latestOnce('import 7'));
    expectSame('what is left', [after?.content, after?.body], ['shrunk: with its log', undefined]);
    expectSame('its verdict', [after?.state, after?.settledSequence], ['done', before?.settledSequence]);
    expectSame('it has a new version', (after?.version ?? 0) > (before?.version ?? 0), true);
    expectSame('how many then', await prune(opened), 0);
    await opened.save({ ...once, state: 'abandoned' }, at(1));
    expectSame('how many once it was saved again', await prune(opened), 1);
  },
  'prune: deletes the evidence of the deleted intents, and no other': async (opened) => {
    await opened.settle(
      [row('old', done), at(1)],
      [row('new', done), at(9_999)],
      [row('once', { ...done, once: 'once' }), at(1)],
    );
    const claim = (of: string, key: string, account?: string) =>
      opened.do((tx) => tx.evidence.reserve('bid_id', `bid of ${of}`, key), account);
    for (const key of ['old', 'new', 'once']) await claim(key, key);
    await claim('old', 'old', 'other');
    await prune(opened);
    const holders = [];
    for (const key of ['old', 'new', 'once']) holders.push(await claim(key, 'another'));
    expectSame('who holds it then', holders, ['another', 'new', 'once']);
    expectSame('in another account', await claim('old', 'another', 'other'), 'old');
  },
};

function prune(
  opened: Opened,
  old: { server: number; local: number; now?: number } = at(9_000),
  account?: string,
  limit = 100,
): Promise<number> {
  const before = { now: 1_000_000, ...old };
  return opened.do((tx) => tx.intents.prune(before, limit, (content) => `shrunk: ${content}`), account);
}
