import type { IntentRow } from '../../store/intents.js';
import { expectRejection, expectSame, expectThat } from './check.js';
import { at, bid, type Cases, row, written } from './setting.js';

/** Cases about single rows: insert, update and what they exclude. */
export const rows: Cases = {
  'insert: a row is read back exactly as it was written': async (opened) => {
    const full = {
      ...bid('full', { closesAt: 1_772_431_320_123 }),
      state: 'refused',
      provisional: true,
      guarded: true,
      once: 'once-1',
      owner: 'host/1/2/3 call-1',
      body: '{"amount":"465000.00"}',
    } satisfies IntentRow;
    const bare = row('bare');
    const [returned] = await opened.insert(full, bare);
    const stored = await opened.get('full');
    expectSame('what an insert returns', written(returned), full);
    expectSame('a row with everything', written(stored), full);
    expectSame('a row with nothing else', written(await opened.get('bare')), bare);
    expectSame('its first version', stored?.version, 1);
    expectSame('a row that is not there', await opened.get('other'), undefined);
  },
  'insert: long and unusual text stays as it is': async (opened) => {
    const unusual = 'नीलामी 🚗 \u00e9 e\u0301 "quoted" \'single\' back\\slash $1 ?1 %s \r\n\t\u0001 \u2028 ﷺ';
    const long = `${unusual}${'0123456789abcdef'.repeat(65_536)}${unusual}`;
    const given = row(`key ${unusual}`, {
      content: long,
      body: long,
      once: unusual,
      owner: unusual,
      bid: { lot: unusual, buyer: unusual, paise: 1n },
    });
    await opened.insert(given);
    expectSame('the row', written(await opened.get(given.key)), given);
    await opened.save({ ...given, content: unusual });
    expectSame('after a save', (await opened.get(given.key))?.content, unusual);
  },
  'insert: keys and lots that differ only in case, accents or blanks are different': async (opened) => {
    const alike = ['lot_e', 'LOT_E', 'lot_\u00e9', 'lot_e\u0301', 'lot_e ', ' lot_e', 'lot_e\n'];
    await opened.insert(...alike.map((name) => bid(name, { lot: name }, { guarded: true })));
    for (const name of alike) expectSame(name, (await opened.get(name))?.bid?.lot, name);
  },
  'insert: amounts beyond 2^53 paise stay exact': async (opened) => {
    const amounts = [0n, 1n, 2n ** 53n + 1n, 2n ** 62n + 1n];
    await opened.insert(...amounts.map((paise) => bid(`key-${paise}`, { paise })));
    for (const paise of amounts)
      expectSame('an amount', (await opened.get(`key-${paise}`))?.bid?.paise, paise);
  },
  'insert: a key is taken only once in an account': async (opened) => {
    await opened.insert(row('key-1', { content: 'first' }));
    await expectRejection('a second insert', opened.insert(row('key-1', { content: 'second' })));
    expectSame('what is there', (await opened.get('key-1'))?.content, 'first');
    await opened.do(({ intents }) => intents.insert(row('key-1', { content: 'other' }), at(1)), 'other');
    expectSame('in another account', (await opened.get('key-1', 'other'))?.content, 'other');
    expectSame('in the first account', (await opened.get('key-1'))?.content, 'first');
  },
  'insert: a guarded bid excludes another of the same buyer on the same lot': async (opened) => {
    const guarded = { guarded: true };
    await opened.insert(bid('first', {}, guarded));
    await expectRejection('a second guarded bid', opened.insert(bid('second', {}, guarded)));
    expectSame('what is there', await opened.keys(), ['first']);
    await opened.insert(
      bid('unguarded', {}),
      bid('other lot', { lot: 'lot_2' }, guarded),
      bid('other buyer', { buyer: 'D-7' }, guarded),
    );
    await opened.do(({ intents }) => intents.insert(bid('first', {}, guarded), at(1)), 'other');
    expectSame('what is there then', await opened.keys(), ['first', 'unguarded', 'other lot', 'other buyer']);
  },
  'update: the guard of a bid ends and begins with its flag': async (opened) => {
    await opened.insert(bid('first', {}, { guarded: true }));
    await opened.save(bid('first', {}, { state: 'rejected' }));
    await opened.insert(bid('second', {}, { guarded: true }));
    await expectRejection('guarding the first again', opened.save(bid('first', {}, { guarded: true })));
    expectSame('the first', await opened.state('first'), 'rejected');
    await opened.save(bid('second', {}, { state: 'accepted' }));
    await opened.save(bid('first', {}, { guarded: true }));
    expectSame('the first, once the second has settled', (await opened.get('first'))?.guarded, true);
  },
  'update: a row is saved only over the version that was read': async (opened) => {
    await opened.insert(row('key-1'), row('key-2'));
    const save = async (key: string, content: string, version: number) =>
      (await opened.do(({ intents }) => intents.update(row(key, { content }), version, at(1))))?.content;
    expectSame('over version 1', await save('key-1', 'one', 1), 'one');
    expectSame('over version 1 again', await save('key-1', 'late', 1), undefined);
    expectSame('over a version to come', await save('key-1', 'early', 3), undefined);
    expectSame('of a row that is not there', await save('key-3', 'none', 1), undefined);
    const stored = await opened.get('key-1');
    expectSame('what is there', [stored?.content, stored?.version], ['one', 2]);
    expectSame('over version 2', await save('key-1', 'two', 2), 'two');
    expectSame('another row', (await opened.get('key-2'))?.version, 1);
    expectSame('its place', await opened.keys(), ['key-1', 'key-2']);
  },
  'update: everything of a row is replaced, and what is left out is gone': async (opened) => {
    const before = bid('key-1', {}, { owner: 'owner', once: 'once', body: 'body', guarded: true });
    const after = bid(
      'key-1',
      { lot: 'lot_2', buyer: 'D-7', paise: 7n, closesAt: undefined },
      { state: 'stuck', provisional: true, content: 'after' },
    );
    await opened.insert(before);
    await opened.save(after);
    expectSame('the row', written(await opened.get('key-1')), after);
    await opened.save(row('key-1'));
    expectSame('without a bid', written(await opened.get('key-1')), row('key-1'));
  },
  'touchOwner: the silence of an owner grows until it gives a sign': async (opened, setting) => {
    const { silenceMs } = setting;
    await opened.insert(
      row('mine', { owner: 'mine' }),
      row('also mine', { owner: 'mine' }),
      row('sent', { owner: 'mine', state: 'sent' }),
      row('theirs', { owner: 'theirs' }),
    );
    expectThat('right after an insert it is short', (await silence('mine')) < silenceMs);
    await setting.pass(silenceMs);
    expectThat('it has grown', (await silence('mine')) >= silenceMs);
    await opened.do(({ intents }) => intents.touchOwner('mine'));
    for (const key of ['mine', 'also mine'])
      expectThat(`it ends for ${key}`, (await silence(key)) < silenceMs);
    for (const key of ['sent', 'theirs'])
      expectThat(`it goes on for ${key}`, (await silence(key)) >= silenceMs);
    await opened.save(row('theirs', { owner: 'mine' }));
    expectThat('a save ends it', (await silence('theirs')) < silenceMs);
    expectSame('the version of what was touched', (await opened.get('mine'))?.version, 1);

    async function silence(key: string): Promise<number> {
      return (await opened.get(key))?.ownerSilentMs ?? Number.NaN;
    }
  },
};
