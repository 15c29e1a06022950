import { expectSame, expectThat } from './check.js';
import { ACCOUNT, at, bid, type Cases, keysOf, type Opened, row } from './setting.js';

/** Cases about reading many rows. */
export const queries: Cases = {
  'list: rows come in the order of inserts, by page and by what they need': async (opened) => {
    await opened.insert(
      row('e-ready'),
      row('d-sent', { state: 'sent' }),
      row('c-stuck', { state: 'stuck' }),
      row('b-done', { state: 'done' }),
      row('a-provisional', { state: 'refused', provisional: true }),
    );
    await opened.do(({ intents }) => intents.insert(row('of another account'), at(1)), 'other');
    await opened.save(row('e-ready', { content: 'saved later' }));
    const open = ['e-ready', 'd-sent', 'c-stuck'];
    expectSame('open', await list('open'), open);
    expectSame('unresolved', await list('unresolved'), [...open, 'a-provisional']);
    expectSame('all', await list('all'), [...open, 'b-done', 'a-provisional']);
    const first = await opened.do(({ intents }) => intents.list({ which: 'unresolved', limit: 2 }));
    expectSame('the first page', keysOf(first), ['e-ready', 'd-sent']);
    const after = first.at(-1)?.id;
    const second = await opened.do(({ intents }) => intents.list({ which: 'unresolved', after, limit: 9 }));
    expectSame('the second page', keysOf(second), ['c-stuck', 'a-provisional']);

    async function list(which: 'open' | 'unresolved' | 'all'): Promise<readonly string[]> {
      return keysOf(await opened.do(({ intents }) => intents.list({ which, limit: 100 })));
    }
  },
  'list: a row that is inserted after others were deleted comes last': async (opened) => {
    await opened.settle([row('key-1', { state: 'done' }), at(1)], [row('key-2', { state: 'done' }), at(1)]);
    const before = (await opened.get('key-2'))?.id ?? 0;
    await opened.do((tx) => tx.intents.prune({ serverMs: 2, localMs: 2 }, 10, (content) => content));
    await opened.insert(row('key-3'));
    expectThat('its id is above those deleted', ((await opened.get('key-3'))?.id ?? 0) > before);
  },
  'settledAfter: rows come in the order in which they settled': async (opened) => {
    await opened.insert(...['a', 'b', 'c', 'd'].map((key) => row(key, { state: 'sent' })));
    for (const key of ['c', 'a', 'd']) await opened.save(row(key, { state: 'done' }));
    expectSame('all', await settled(opened, 0), ['c', 'a', 'd']);
    const [first] = await opened.do(({ intents }) => intents.settledAfter(0, 1));
    expectSame('the first page', first?.key, 'c');
    expectSame('the rest', await settled(opened, first?.settledSequence ?? 0), ['a', 'd']);
    expectSame('an open row', (await opened.get('b'))?.settledSequence, undefined);
    expectSame('in another account', await settled(opened, 0, 'other'), []);
  },
  'settledAfter: a row whose verdict changes comes again, another save does not': async (opened) => {
    const refused = row('a', { state: 'refused', provisional: true });
    await opened.settle([refused, at(1)], [row('b', { state: 'done' }), at(1)]);
    await opened.save({ ...refused, content: 'looked up again' });
    expectSame('after a save', await settled(opened, 0), ['a', 'b']);
    await opened.save({ ...refused, provisional: false });
    expectSame('once it is final', await settled(opened, 0), ['b', 'a']);
    await opened.save(row('b', { state: 'abandoned' }));
    expectSame('after another verdict', await settled(opened, 0), ['a', 'b']);
    await opened.save(row('a', { state: 'ready' }));
    expectSame('while it is open again', await settled(opened, 0), ['b']);
    await opened.save(row('a', { state: 'accepted' }));
    expectSame('once it has settled again', await settled(opened, 0), ['b', 'a']);
  },
  'settledAfter: a position is never given twice, although rows are deleted': async (opened) => {
    await opened.settle([row('a', { state: 'done' }), at(1)], [row('b', { state: 'done' }), at(1)]);
    const last = (await opened.get('b'))?.settledSequence ?? 0;
    await opened.do((tx) => tx.intents.prune({ serverMs: 2, localMs: 2 }, 10, (content) => content));
    await opened.settle([row('c', { state: 'done' }), at(3)]);
    expectSame('what a follower finds after b', await settled(opened, last), ['c']);
  },
  'openBids: the open bids of one buyer on one lot, in the order of inserts': async (opened) => {
    await opened.insert(
      bid('second', {}),
      bid('first', {}, { state: 'ready', guarded: true }),
      bid('third', {}, { state: 'stuck' }),
      bid('settled', {}, { state: 'accepted' }),
      bid('other lot', { lot: 'lot_2' }),
      bid('other buyer', { buyer: 'D-7' }),
      row('command'),
    );
    await opened.do(({ intents }) => intents.insert(bid('fourth', {}), at(1)), 'other');
    const found = await opened.do(({ intents }) => intents.openBids('lot_1', 'D-204'));
    expectSame('the bids', keysOf(found), ['second', 'first', 'third']);
  },
  'bidsOn: every bid on some lots that is accepted or may be, in the order of inserts': async (opened) => {
    await opened.insert(
      bid('accepted', {}, { state: 'accepted' }),
      bid('of another buyer', { buyer: 'D-7' }, { state: 'accepted' }),
      bid('in doubt', { lot: 'lot_2' }),
      bid('a ready one', {}, { state: 'ready', guarded: true }),
      bid('provisional', {}, { state: 'refused', provisional: true }),
      bid('abandoned', {}, { state: 'abandoned' }),
      ...(['rejected', 'refused', 'not_sent'] as const).map((state) => bid(state, {}, { state })),
      bid('on another lot', { lot: 'lot_3' }, { state: 'accepted' }),
      row('command', { state: 'sent' }),
    );
    await opened.do(({ intents }) => intents.insert(bid('elsewhere', {}), at(1)), 'other');
    const on = async (lots: readonly string[]) =>
      keysOf(await opened.do(({ intents }) => intents.bidsOn(lots)));
    const onFirst = ['accepted', 'of another buyer', 'a ready one', 'provisional', 'abandoned'];
    expectSame('on one lot', await on(['lot_1']), onFirst);
    const onBoth = onFirst.toSpliced(2, 0, 'in doubt');
    expectSame('on two lots', await on(['lot_2', 'lot_1']), onBoth);
    const hundred = Array.from({ length: 100 }, (_, n) => `lot_${n + 1}`);
    expectSame('on a hundred lots', await on(hundred), [...onBoth, 'on another lot']);
    expectSame('on none', await on([]), []);
  },
  'latestOnce: the row that was inserted last under an identity': async (opened) => {
    const latest = async () => (await opened.do(({ intents }) => intents.latestOnce('import 7')))?.key;
    expectSame('before any', await latest(), undefined);
    await opened.insert(row('z', { once: 'import 7' }), row('a', { once: 'import 7' }));
    await opened.insert(row('m', { once: 'import 8' }), row('n'));
    await opened.do(({ intents }) => intents.insert(row('x', { once: 'import 7' }), at(1)), 'other');
    await opened.save(row('z', { once: 'import 7', content: 'saved later' }));
    expectSame('the latest', await latest(), 'a');
  },
  'exposure: sums the highest open or accepted amount of each buyer and lot': async (opened) => {
    await opened.insert(
      bid('a', { lot: 'lot_1', paise: 100n }),
      bid('b', { lot: 'lot_1', paise: 150n }, { state: 'accepted' }),
      bid('c', { lot: 'lot_1', paise: 120n }, { state: 'ready' }),
      bid('d', { lot: 'lot_2', paise: 1_000n }, { state: 'stuck' }),
      bid('e', { lot: 'lot_1', buyer: 'D-7', paise: 10_000n }),
      row('command'),
      ...(['rejected', 'refused', 'not_sent', 'abandoned'] as const).map((state, index) =>
        bid(state, { lot: `lot_${index + 1}`, paise: 9_999_999n }, { state }),
      ),
    );
    await opened.do(({ intents }) => intents.insert(bid('z', { paise: 5n }), at(1)), 'other');
    expectSame('of both', await exposure(opened, {}), { buyer: 1_150n, lot: 10_150n });
    const withOne = await exposure(opened, { key: 'not_sent', lot: 'lot_3' });
    expectSame('with one that is not sent', withOne, { buyer: 10_001_149n, lot: 9_999_999n });
    const elsewhere = await exposure(opened, { lot: 'lot_9', buyer: 'nobody' });
    expectSame('of nobody', elsewhere, { buyer: 0n, lot: 0n });
  },
  'exposure: leaves out a lot whose last known close has passed, and no other': async (opened) => {
    await opened.insert(
      bid('closed', { lot: 'lot_1', paise: 1n, closesAt: 1_000 }),
      bid('closes later', { lot: 'lot_2', paise: 10n, closesAt: 1_001 }),
      bid('no close known', { lot: 'lot_3', paise: 100n, closesAt: undefined }),
      bid('extended', { lot: 'lot_4', paise: 1_000n, closesAt: 900 }),
      bid('knows it', { lot: 'lot_4', buyer: 'D-7', paise: 1n, closesAt: 1_100 }, { state: 'rejected' }),
      bid('learned', { lot: 'lot_5', paise: 10_000n, closesAt: undefined }),
      bid('learned it', { lot: 'lot_5', buyer: 'D-7', paise: 1n, closesAt: 1_000 }),
    );
    const of = (lot: string, nowMs: number) => exposure(opened, { lot, nowMs });
    expectSame('the buyer', (await of('lot_1', 1_000)).buyer, 1_110n);
    const lots = [];
    for (const lot of ['lot_1', 'lot_2', 'lot_3', 'lot_4', 'lot_5']) lots.push((await of(lot, 1_000)).lot);
    expectSame('each lot', lots, [0n, 10n, 100n, 1_000n, 0n]);
    expectSame('the buyer before any close', (await of('lot_1', 999)).buyer, 11_111n);
    expectSame('the buyer after all', (await of('lot_1', 2_000)).buyer, 100n);
  },
  'exposure: sums beyond 2^53 paise stay exact': async (opened) => {
    const paise = 2n ** 60n + 1n;
    await opened.insert(
      ...[1, 2, 3].map((n) => bid(`of buyer ${n}`, { lot: `lot_${n}`, paise })),
      bid('on lot', { lot: 'lot_1', buyer: 'D-7', paise }),
    );
    expectSame('the sums', await exposure(opened, {}), { buyer: paise * 3n, lot: paise * 2n });
  },
};

async function settled(opened: Opened, sequence: number, account = ACCOUNT): Promise<readonly string[]> {
  return keysOf(await opened.do(({ intents }) => intents.settledAfter(sequence, 100), account));
}

type ExposureQuery = { lot: string; buyer: string; nowMs: number; key: string };

function exposure(opened: Opened, changes: Partial<ExposureQuery>) {
  const query = { lot: 'lot_1', buyer: 'D-204', nowMs: 5_000, key: '', ...changes };
  return opened.do(({ intents }) => intents.exposure(query));
}
