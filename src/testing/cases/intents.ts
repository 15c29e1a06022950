import type { IntentRow } from '../../store/intents.js';
import type { StoreTransaction } from '../../store/store.js';
import {
  at,
  bid,
  type Cases,
  expectRejection,
  expectSame,
  keysOf,
  type Opened,
  row,
  written,
} from '../setting.js';

/** Cases about intents: single rows, what they exclude, and reading many. */
export const intents: Cases = {
  'insert: rows are read back exactly as they were written': async (opened) => {
    const full = {
      ...bid('full', { closesAt: 1_772_431_320_123 }),
      state: 'refused',
      provisional: true,
      guarded: true,
      once: 'once-1',
      owner: 'host/1/2/3 call-1',
      body: '{"amount":"465000.00"}',
    } satisfies IntentRow;
    const unusual = 'नीलामी 🚗 \u00e9 e\u0301 "quoted" \'single\' back\\slash $1 ?1 %s \r\n\t\u0001 \u2028 ﷺ';
    const long = `${unusual}${'0123456789abcdef'.repeat(65_536)}${unusual}`;
    const rows = [
      full,
      row('bare'),
      row(`key ${unusual}`, {
        content: long,
        body: long,
        once: unusual,
        owner: unusual,
        bid: { lot: unusual, buyer: unusual, paise: 1n },
      }),
      ...[0n, 2n ** 53n + 1n, 2n ** 62n + 1n].map((paise) => bid(`of ${paise} paise`, { paise })),
      // They differ only in case, accents or blanks.
      ...['lot_e', 'LOT_E', 'lot_\u00e9', 'lot_e\u0301', 'lot_e ', ' lot_e', 'lot_e\n'].map((name) =>
        bid(name, { lot: name }, { guarded: true }),
      ),
    ];
    const returned = await opened.insert(...rows);
    expectSame('what an insert returns', returned.map(written), rows);
    for (const each of rows) expectSame('a row', written(await opened.get(each.key)), each);
    expectSame('its first version', (await opened.get('full'))?.version, 1);
    expectSame('a row that is not there', await opened.get('other'), undefined);
  },
  'insert: of many inserts of a key in an account, one wins': async (opened, setting) => {
    const winner = await setting.race(opened, (store, n) =>
      store.insert(row('key-1', { content: `by ${n}` })),
    );
    const contents = async () => [
      (await opened.get('key-1'))?.content,
      (await opened.get('key-1', 'other'))?.content,
    ];
    expectSame('what is there', await contents(), [`by ${winner}`, undefined]);
    await expectRejection('a later insert', opened.insert(row('key-1', { content: 'later' })));
    await opened.do((tx) => tx.intents.insert(row('key-1', { content: 'elsewhere' }), at(1)), 'other');
    expectSame('in both accounts', await contents(), [`by ${winner}`, 'elsewhere']);
  },
  'insert: of many guarded bids of a buyer on a lot, one wins': async (opened, setting) => {
    const guarded = { guarded: true };
    const winner = await setting.race(opened, (store, n) => store.insert(bid(`key-${n}`, {}, guarded)));
    await opened.insert(
      bid('unguarded', {}),
      bid('other lot', { lot: 'lot_2' }, guarded),
      bid('other buyer', { buyer: 'D-7' }, guarded),
    );
    await opened.do((tx) => tx.intents.insert(bid('first', {}, guarded), at(1)), 'other');
    await expectRejection('a later one', opened.insert(bid('later', {}, guarded)));
    expectSame('what is there', await opened.keys(), [
      `key-${winner}`,
      'unguarded',
      'other lot',
      'other buyer',
    ]);
  },
  'update: the guard of a bid ends and begins with its flag': async (opened) => {
    await opened.insert(bid('first', {}, { guarded: true }));
    await opened.save(bid('first', {}, { state: 'rejected' }));
    await opened.insert(bid('second', {}, { guarded: true }));
    await expectRejection('guarding the first again', opened.save(bid('first', {}, { guarded: true })));
    expectSame('the first', (await opened.get('first'))?.state, 'rejected');
    await opened.save(bid('second', {}, { state: 'accepted' }));
    await opened.save(bid('first', {}, { guarded: true }));
    expectSame('the first, once the second has settled', (await opened.get('first'))?.guarded, true);
  },
  'update: a row is saved only over the version that was read': async (opened) => {
    await opened.insert(row('key-1'), row('key-2'));
    const save = async (key: string, content: string, version: number) =>
      (await opened.do((tx) => tx.intents.update(row(key, { content }), version, at(1))))?.content;
    expectSame('over version 1', await save('key-1', 'one', 1), 'one');
    expectSame('over version 1 again', await save('key-1', 'late', 1), undefined);
    expectSame('over a version to come', await save('key-1', 'early', 3), undefined);
    expectSame('of a row that is not there', await save('key-3', 'none', 1), undefined);
    expectSame('over version 2', await save('key-1', 'two', 2), 'two');
    const found = await opened.do((tx) => tx.intents.list({ which: 'all', limit: 10 }));
    expectSame(
      'what is there',
      found.map(({ key, content, version }) => [key, content, version]),
      [
        ['key-1', 'two', 3],
        ['key-2', row('key-2').content, 1],
      ],
    );
  },
  'update: everything of a row is replaced, and what is left out is gone': async (opened) => {
    const other = { lot: 'lot_2', buyer: 'D-7', paise: 7n, closesAt: undefined };
    const after = bid('key-1', other, { state: 'stuck', provisional: true, content: 'after' });
    await opened.insert(bid('key-1', {}, { owner: 'owner', once: 'once', body: 'body', guarded: true }));
    for (const next of [after, row('key-1')]) {
      await opened.save(next);
      expectSame('the row', written(await opened.get('key-1')), next);
    }
  },
  'touchOwner: the silence of an owner grows until its next heartbeat': async (opened, setting) => {
    await opened.insert(
      row('mine', { owner: 'mine' }),
      row('also mine', { owner: 'mine' }),
      row('sent', { owner: 'mine', state: 'sent' }),
      row('theirs', { owner: 'theirs' }),
    );
    const silent = async () => {
      const rows = await opened.do((tx) => tx.intents.list({ which: 'all', limit: 10 }));
      return keysOf(rows.filter(({ ownerSilence }) => ownerSilence >= setting.silenceMs));
    };
    expectSame('who is silent at first', await silent(), []);
    await setting.pass(setting.silenceMs);
    expectSame('who is silent then', await silent(), ['mine', 'also mine', 'sent', 'theirs']);
    await opened.do((tx) => tx.intents.touchOwner('mine'));
    expectSame('who is silent after a heartbeat', await silent(), ['sent', 'theirs']);
    await opened.save(row('theirs', { owner: 'mine' }));
    expectSame('who is silent after a save', await silent(), ['sent']);
    expectSame('the version of what was touched', (await opened.get('mine'))?.version, 1);
  },
  'list: rows come in the order of inserts, by page and by what they need': async (opened) => {
    await opened.insert(
      row('e-ready'),
      row('d-sent', { state: 'sent' }),
      row('c-stuck', { state: 'stuck' }),
      row('b-done', { state: 'done' }),
      row('a-provisional', { state: 'refused', provisional: true }),
    );
    await opened.do((tx) => tx.intents.insert(row('of another account'), at(1)), 'other');
    await opened.save(row('e-ready', { content: 'saved later' }));
    const list = (which: 'open' | 'unresolved' | 'all', limit = 100, after?: number) =>
      opened.do((tx) => tx.intents.list({ which, limit, after }));
    const open = ['e-ready', 'd-sent', 'c-stuck'];
    expectSame('open', keysOf(await list('open')), open);
    expectSame('unresolved', keysOf(await list('unresolved')), [...open, 'a-provisional']);
    expectSame('all', keysOf(await list('all')), [...open, 'b-done', 'a-provisional']);
    const first = await list('unresolved', 2);
    expectSame('the first page', keysOf(first), ['e-ready', 'd-sent']);
    const second = await list('unresolved', 9, first.at(-1)?.id);
    expectSame('the second page', keysOf(second), ['c-stuck', 'a-provisional']);
  },
  'settledAfter: rows come in the order in which their verdicts changed': async (opened) => {
    await opened.insert(...['a', 'b', 'c', 'd'].map((key) => row(key, { state: 'sent' })));
    const refused = row('a', { state: 'refused', provisional: true });
    for (const each of [row('c', { state: 'done' }), refused, row('d', { state: 'done' })])
      await opened.save(each);
    expectSame('all', await settled(opened), ['c', 'a', 'd']);
    const [first] = await opened.do((tx) => tx.intents.settledAfter(0, 1));
    expectSame('the first page', first?.key, 'c');
    expectSame('the rest', await settled(opened, first?.settledSequence), ['a', 'd']);
    expectSame('an open row', (await opened.get('b'))?.settledSequence, undefined);
    const other = await opened.do((tx) => tx.intents.settledAfter(0, 9), 'other');
    expectSame('in another account', other, []);
    await opened.save({ ...refused, content: 'looked up again' });
    expectSame('after a save that leaves the verdict', await settled(opened), ['c', 'a', 'd']);
    await opened.save({ ...refused, provisional: false });
    expectSame('once it is final', await settled(opened), ['c', 'd', 'a']);
    await opened.save(row('c', { state: 'abandoned' }));
    expectSame('after another verdict', await settled(opened), ['d', 'a', 'c']);
    await opened.save(row('a'));
    expectSame('while it is open again', await settled(opened), ['d', 'c']);
    await opened.save(row('a', { state: 'accepted' }));
    expectSame('once it has settled again', await settled(opened), ['d', 'c', 'a']);
  },
  'openBids, latestOnce: the open bids of a buyer on a lot, and the last row of an identity': async (
    opened,
  ) => {
    await opened.insert(
      bid('second', {}),
      bid('first', {}, { state: 'ready', guarded: true }),
      bid('third', {}, { state: 'stuck' }),
      bid('settled', {}, { state: 'accepted' }),
      bid('other lot', { lot: 'lot_2' }),
      bid('other buyer', { buyer: 'D-7' }),
      row('z', { once: 'import 7' }),
      row('a', { once: 'import 7' }),
      row('m', { once: 'import 8' }),
      row('n'),
    );
    await opened.do(async (tx) => {
      await tx.intents.insert(bid('fourth', {}), at(1));
      await tx.intents.insert(row('x', { once: 'import 7' }), at(1));
    }, 'other');
    await opened.save(row('z', { once: 'import 7', content: 'saved later' }));
    const bids = await opened.do((tx) => tx.intents.openBids('lot_1', 'D-204'));
    expectSame('the bids', keysOf(bids), ['second', 'first', 'third']);
    const latest = (once: string) => opened.do((tx) => tx.intents.latestOnce(once));
    expectSame('the latest', (await latest('import 7'))?.key, 'a');
    expectSame('of none', await latest('import 9'), undefined);
  },
  'openBidsElsewhere, otherAccounts: bids of other accounts for a buyer on a lot, and none of this one':
    async (opened) => {
      const held = (tx: StoreTransaction) => tx.intents.openBidsElsewhere('lot_1', 'D-204');
      expectSame('the other accounts at first', await opened.do((tx) => tx.intents.otherAccounts()), []);
      await opened.insert(bid('own', {}));
      await opened.do(async (tx) => {
        await tx.intents.insert(bid('theirs', {}, { guarded: true }), at(1));
        await tx.intents.insert(bid('settled', {}, { state: 'accepted' }), at(1));
        await tx.intents.insert(bid('other lot', { lot: 'lot_2' }), at(1));
        await tx.intents.insert(bid('other buyer', { buyer: 'D-7' }), at(1));
      }, 'other');
      expectSame('the other accounts', await opened.do((tx) => tx.intents.otherAccounts()), ['other']);
      const found = await opened.do(held);
      expectSame(
        'what they hold',
        found.map(({ key, account }) => [key, account]),
        [['theirs', 'other']],
      );
      await opened.insert(bid('guarded', {}, { guarded: true }));
      const own = await opened.do(held, 'other');
      expectSame('what this one holds', own.map(({ key }) => key).sort(), ['guarded', 'own']);
    },
  'recordedElsewhere: the latest row of each other account under a key or identity, and nothing of this one':
    async (opened) => {
      const found = async (what: { readonly key: string } | { readonly once: string }) => {
        const rows = await opened.do((tx) => tx.intents.recordedElsewhere(what));
        return rows.map(({ key, account }) => [key, account]);
      };
      await opened.insert(row('k'), row('own', { once: 'import 7' }));
      expectSame('of no other account', await found({ key: 'k' }), []);
      for (const account of ['one', 'two']) {
        await opened.do(async (tx) => {
          await tx.intents.insert(row('k'), at(1));
          await tx.intents.insert(row('z', { once: 'import 7' }), at(1));
          await tx.intents.insert(row('a', { once: 'import 7' }), at(1));
        }, account);
      }
      const both = (key: string) => [
        [key, 'one'],
        [key, 'two'],
      ];
      expectSame('under a key', await found({ key: 'k' }), both('k'));
      expectSame('of an identity', await found({ once: 'import 7' }), both('a'));
      expectSame('of another identity', await found({ once: 'import 9' }), []);
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
    await opened.do((tx) => tx.intents.insert(bid('elsewhere', {}), at(1)), 'other');
    const on = async (lots: readonly string[]) => keysOf(await opened.do((tx) => tx.intents.bidsOn(lots)));
    const onFirst = ['accepted', 'of another buyer', 'a ready one', 'provisional', 'abandoned'];
    expectSame('on one lot', await on(['lot_1']), onFirst);
    const onBoth = onFirst.toSpliced(2, 0, 'in doubt');
    expectSame('on two lots', await on(['lot_2', 'lot_1']), onBoth);
    const hundred = Array.from({ length: 100 }, (_, n) => `lot_${n + 1}`);
    expectSame('on a hundred lots', await on(hundred), [...onBoth, 'on another lot']);
    expectSame('on none', await on([]), []);
  },
  'exposure: sums the highest open or accepted amount of each buyer and lot, exactly': async (opened) => {
    const most = 2n ** 60n + 1n;
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
      ...[1, 2, 3].map((n) => bid(`large ${n}`, { lot: `lot_${n + 10}`, buyer: 'D-9', paise: most })),
      bid('on the same', { lot: 'lot_11', buyer: 'D-10', paise: most }),
    );
    await opened.do((tx) => tx.intents.insert(bid('z', { paise: 5n }), at(1)), 'other');
    expectSame('of both', await exposure(opened, {}), { buyer: 1_150n, lot: 10_150n });
    const withOne = await exposure(opened, { key: 'not_sent', lot: 'lot_3' });
    expectSame('with one that is not sent', withOne, { buyer: 10_001_149n, lot: 9_999_999n });
    const elsewhere = await exposure(opened, { lot: 'lot_9', buyer: 'nobody' });
    expectSame('of nobody', elsewhere, { buyer: 0n, lot: 0n });
    const large = await exposure(opened, { lot: 'lot_11', buyer: 'D-9' });
    expectSame('beyond 2^53 paise', large, { buyer: most * 3n, lot: most * 2n });
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
    const lots = [];
    for (const n of [1, 2, 3, 4, 5]) lots.push((await exposure(opened, { lot: `lot_${n}`, now: 1_000 })).lot);
    expectSame('each lot', lots, [0n, 10n, 100n, 1_000n, 0n]);
    const buyer = [];
    for (const now of [999, 1_000, 2_000]) buyer.push((await exposure(opened, { now })).buyer);
    expectSame('the buyer before, between and after the closes', buyer, [11_111n, 1_110n, 100n]);
  },
  'exposure: follows every save of a bid, and its deletion': async (opened) => {
    const sums = async (nowMs = 5_000) => {
      const { buyer, lot } = await exposure(opened, { now: nowMs });
      return [buyer, lot];
    };
    await opened.insert(bid('a', { paise: 100n, closesAt: undefined }));
    await opened.insert(bid('b', { paise: 70n, closesAt: undefined }, { state: 'ready' }));
    expectSame('the higher of two', await sums(), [100n, 100n]);
    await opened.save(bid('b', { paise: 130n, closesAt: undefined }));
    expectSame('once the other is higher', await sums(), [130n, 130n]);
    await opened.save(bid('b', { paise: 130n, closesAt: undefined }, { state: 'rejected' }));
    expectSame('once that is rejected', await sums(), [100n, 100n]);
    await opened.save(bid('a', { paise: 100n, closesAt: 9_000 }, { state: 'accepted' }));
    expectSame('accepted, before its close', await sums(8_999), [100n, 100n]);
    expectSame('after its close', await sums(9_000), [0n, 0n]);
    await opened.save(bid('a', { lot: 'lot_2', paise: 100n, closesAt: undefined }, { state: 'accepted' }));
    expectSame('once it is a bid on another lot', await sums(), [100n, 0n]);
    const old = { server: 2_000, local: 2_000, now: 2_000 };
    await opened.do((tx) => tx.intents.prune(old, 100, (content) => content));
    expectSame('once it is deleted', await sums(), [0n, 0n]);
  },
};

async function settled(opened: Opened, sequence = 0): Promise<readonly string[]> {
  return keysOf(await opened.do((tx) => tx.intents.settledAfter(sequence, 100)));
}

type ExposureQuery = { lot: string; buyer: string; now: number; key: string };

function exposure(opened: Opened, changes: Partial<ExposureQuery>) {
  const query = { lot: 'lot_1', buyer: 'D-204', now: 5_000, key: '', ...changes };
  return opened.do((tx) => tx.intents.exposure(query));
}
