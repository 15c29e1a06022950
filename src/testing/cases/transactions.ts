import type { StoreTransaction } from '../../store/store.js';
import { expectRejection, expectSame, expectThat } from './check.js';
import { at, bid, type Cases, keysOf, type Opened, row, type Setting } from './setting.js';

const RACERS = 12;

/** Cases about units of work: all or nothing, one after the other, and what a restart keeps. */
export const transactions: Cases = {
  'transaction: what rejects leaves nothing': async (opened) => {
    await opened.insert(row('kept', { content: 'before', owner: 'me' }));
    await opened.settle([row('old', { state: 'done' }), at(1)]);
    await opened.do((tx) => tx.account.noteServerTime(10));
    const reason = new Error('on purpose');
    const found = await expectRejection(
      'the transaction',
      opened.do(async (tx) => {
        await doEverything(tx);
        throw reason;
      }),
    );
    expectThat('it rejects with what the work threw', found === reason);
    expectSame('the rows', await opened.keys(), ['kept', 'old']);
    expectSame('the row that was saved', (await opened.get('kept'))?.content, 'before');
    expectSame('the halt', await opened.do((tx) => tx.account.halt()), undefined);
    expectSame('server time', await opened.do((tx) => tx.account.serverTime()), 10);
    expectSame('the evidence', await claim(opened, 'bid_1', 'other'), 'other');
    await opened.do(doEverything);
    expectSame('the rows, once it resolves', await opened.keys(), ['kept', 'added']);
    expectSame('their sequence', (await opened.get('added'))?.settledSequence, 2);
  },
  'transaction: a failed insert fails it, even where the work goes on': async (opened) => {
    await opened.insert(row('taken'));
    await expectRejection(
      'the transaction',
      opened.do(async ({ intents }) => {
        await intents.insert(row('before'), at(1));
        await intents.insert(row('taken'), at(1)).catch(() => undefined);
        await intents.insert(row('after'), at(1)).catch(() => undefined);
      }),
    );
    expectSame('the rows', await opened.keys(), ['taken']);
  },
  'transaction: of many at once, those that reject leave the others alone': async (opened, setting) => {
    const stores = await setting.three(opened);
    const keys = Array.from({ length: RACERS }, (_, n) => `key-${n}`);
    const answers = await Promise.allSettled(
      keys.map((key, n) =>
        storeOf(stores, n).do(async ({ intents }) => {
          await intents.insert(row(key), at(1));
          if (n % 4 === 0) throw new Error('on purpose');
          return key;
        }),
      ),
    );
    const succeeded = keys.filter((_, n) => n % 4 !== 0);
    const values = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    expectSame('what those that resolve return', values, succeeded);
    expectSame('the rows', [...(await stores[0].keys())].sort(), succeeded.sort());
  },
  'transaction: reads what it has written': async (opened) => {
    const found = await opened.do(async (tx) => {
      await doEverything(tx);
      const added = await tx.intents.get('added');
      const listed = keysOf(await tx.intents.list({ which: 'all', limit: 10 }));
      return [added?.state, listed, await tx.account.halt(), await tx.account.serverTime()];
    });
    expectSame('what it reads', found, ['done', ['added'], 'on purpose', 20]);
  },
  'race: of many inserts of a key, one wins': async (opened, setting) => {
    const stores = await setting.three(opened);
    const answers = await Promise.allSettled(
      racers((n) => storeOf(stores, n).insert(row('key-1', { content: `by ${n}` }))),
    );
    const winners = answers.flatMap(({ status }, n) => (status === 'fulfilled' ? [`by ${n}`] : []));
    expectSame('how many win', winners.length, 1);
    expectSame('what is there', (await stores[1].get('key-1'))?.content, winners[0]);
  },
  'race: of many guarded bids of a buyer on a lot, one wins': async (opened, setting) => {
    const stores = await setting.three(opened);
    const answers = await Promise.allSettled(
      racers((n) => storeOf(stores, n).insert(bid(`key-${n}`, {}, { guarded: true }))),
    );
    const winners = answers.flatMap(({ status }, n) => (status === 'fulfilled' ? [`key-${n}`] : []));
    expectSame('how many win', winners.length, 1);
    expectSame('what is there', await stores[2].keys(), winners);
  },
  'race: what one transaction reads and then saves, no other changes in between': async (opened, setting) => {
    const stores = await setting.three(opened);
    await stores[0].insert(row('counter', { content: '0' }));
    await Promise.all(
      racers((n) =>
        storeOf(stores, n).do(async ({ intents }) => {
          const stored = await intents.get('counter');
          const content = String(Number(stored?.content) + 1);
          const saved = await intents.update(row('counter', { content }), stored?.version ?? 0, at(1));
          expectThat('a version stays what was read', saved !== undefined);
        }),
      ),
    );
    expectSame('the counter', (await stores[1].get('counter'))?.content, String(RACERS));
  },
  'race: nothing is sent after a halt that another process sets': async (opened, setting) => {
    const stores = await setting.three(opened);
    for (let round = 0; round < 6; round += 1) {
      const key = `key-${round}`;
      await stores[0].insert(row(key));
      const send = stores[1].do(async (tx) => {
        const stored = await tx.intents.get(key);
        if ((await tx.account.halt()) !== undefined) return;
        await tx.intents.update(row(key, { state: 'sent' }), stored?.version ?? 0, at(1));
      });
      const halt = stores[2].do(async (tx) => {
        const stored = await tx.intents.get(key);
        await tx.account.setHalt('on purpose');
        return stored?.state;
      });
      const [seen] = await Promise.all([halt, send]);
      expectSame('what was sent is what the halt has seen', await stores[0].state(key), seen);
      await stores[0].do((tx) => tx.account.setHalt(undefined));
    }
  },
  'race: a follower of the settled rows misses none': async (opened, setting) => {
    const stores = await setting.three(opened);
    const keys = Array.from({ length: RACERS }, (_, n) => `key-${n}`);
    await stores[0].insert(...keys.map((key) => row(key, { state: 'sent' })));
    let left = keys.length;
    const seen: string[] = [];
    const follow = async () => {
      for (let sequence = 0, last = false; !last; ) {
        last = left === 0;
        const rows = await stores[2].do(({ intents }) => intents.settledAfter(sequence, 2));
        seen.push(...keysOf(rows));
        sequence = rows.at(-1)?.settledSequence ?? sequence;
        if (rows.length > 0) last = false;
      }
    };
    const settle = async () => {
      for (let from = 0; from < keys.length; from += 3) {
        const wave = keys.slice(from, from + 3);
        await Promise.all(wave.map((key, n) => storeOf(stores, n).save(row(key, { state: 'done' }))));
        left -= wave.length;
      }
    };
    await Promise.all([follow(), settle()]);
    expectSame('what was seen', seen.sort(), keys.sort());
  },
  'evidence: an id belongs to the first key that claims it': async (opened, setting) => {
    const stores = await setting.three(opened);
    expectSame('the first claim', await claim(stores[0], 'bid_1', 'first'), 'first');
    expectSame('again', await claim(stores[0], 'bid_1', 'first'), 'first');
    expectSame('by another key', await claim(stores[1], 'bid_1', 'second'), 'first');
    const kinds = await stores[0].do(({ evidence }) => evidence.claim('request_id', 'bid_1', 'second'));
    expectSame('of another kind', kinds, 'second');
    const other = await stores[0].do(({ evidence }) => evidence.claim('bid_id', 'bid_1', 'third'), 'other');
    expectSame('in another account', other, 'third');
    const holder = (value: string, account?: string) =>
      stores[1].do(({ evidence }) => evidence.holder('bid_id', value), account);
    expectSame('its holder', await holder('bid_1'), 'first');
    expectSame('its holder in another account', await holder('bid_1', 'other'), 'third');
    expectSame('the holder of an unclaimed id', await holder('bid_9'), undefined);
    const held = await Promise.all(racers((n) => claim(storeOf(stores, n), 'bid_2', `key-${n}`)));
    expectSame('of many claims at once, how many hold it', new Set(held).size, 1);
  },
  'halt: is set and lifted for one account': async (opened, setting) => {
    const [one, two] = await setting.three(opened);
    expectSame('at first', await two.do((tx) => tx.account.halt()), undefined);
    await one.do((tx) => tx.account.setHalt('limit reached'));
    await one.do((tx) => tx.account.setHalt('by hand'));
    expectSame('once it is set', await two.do((tx) => tx.account.halt()), 'by hand');
    expectSame('in another account', await two.do((tx) => tx.account.halt(), 'other'), undefined);
    await two.do((tx) => tx.account.setHalt(undefined));
    expectSame('once it is lifted', await one.do((tx) => tx.account.halt()), undefined);
  },
  'serverTime: moves forward only': async (opened, setting) => {
    const [one, two] = await setting.three(opened);
    expectSame('at first', await two.do((tx) => tx.account.serverTime()), undefined);
    for (const [noted, known] of [
      [1_772_431_200_000, 1_772_431_200_000],
      [1_772_431_100_000, 1_772_431_200_000],
      [1_772_431_300_000, 1_772_431_300_000],
    ] as const) {
      await one.do((tx) => tx.account.noteServerTime(noted));
      expectSame(`after ${noted}`, await two.do((tx) => tx.account.serverTime()), known);
    }
    expectSame('in another account', await one.do((tx) => tx.account.serverTime(), 'other'), undefined);
    await one.do((tx) => tx.account.setHalt('on purpose'));
    expectSame('after a halt', await two.do((tx) => tx.account.serverTime()), 1_772_431_300_000);
  },
  'restart, closed: everything that was written is there': (opened, setting) =>
    restarted(opened, setting, 'closed'),
  'restart, killed: everything that was written is there': (opened, setting) =>
    restarted(opened, setting, 'killed'),
  'close: waits for the work under way, and a later transaction opens the store again': async (opened) => {
    const inserts = racers((n) => opened.insert(row(`key-${n}`)));
    let inserted = 0;
    for (const insert of inserts) insert.then(() => (inserted += 1)).catch(() => undefined);
    await opened.store.close();
    expectSame('inserts that were over', inserted, RACERS);
    await opened.insert(row('later'));
    if (opened.store.durable) expectSame('the rows', (await opened.keys()).length, RACERS + 1);
    await opened.store.close();
    await opened.store.close();
  },
};

async function restarted(before: Opened, setting: Setting, how: 'closed' | 'killed'): Promise<void> {
  if (!before.store.durable) return;
  await before.settle([row('settled', { state: 'done' }), at(1)]);
  await before.insert(bid('open', {}, { guarded: true, body: 'body' }));
  await before.do((tx) => tx.account.setHalt('on purpose'));
  await before.do((tx) => tx.account.noteServerTime(20));
  await claim(before, 'bid_1', 'open');
  const after = await setting.restart(before, how);
  expectSame('the rows', await after.keys(), ['settled', 'open']);
  expectSame('the body', (await after.get('open'))?.body, 'body');
  expectSame('the halt', await after.do((tx) => tx.account.halt()), 'on purpose');
  expectSame('server time', await after.do((tx) => tx.account.serverTime()), 20);
  expectSame('the evidence', await claim(after, 'bid_1', 'other'), 'open');
  await expectRejection('a second guarded bid', after.insert(bid('second', {}, { guarded: true })));
  await after.settle([row('next', { state: 'done' }), at(1)]);
  expectSame('the next sequence', (await after.get('next'))?.settledSequence, 2);
}

/** One write of each kind, after which `added` is the only settled row. */
async function doEverything(tx: StoreTransaction): Promise<void> {
  await tx.intents.insert(row('added', { state: 'sent' }), at(1));
  await tx.intents.update(row('added', { state: 'done' }), 1, at(20));
  const kept = await tx.intents.get('kept');
  if (kept !== undefined) await tx.intents.update(row('kept', { content: 'after' }), kept.version, at(1));
  await tx.evidence.claim('bid_id', 'bid_1', 'added');
  await tx.account.setHalt('on purpose');
  await tx.account.noteServerTime(20);
  await tx.intents.prune({ serverMs: 10, localMs: 10 }, 10, (content) => content);
}

function claim(opened: Opened, value: string, key: string): Promise<string> {
  return opened.do(({ evidence }) => evidence.claim('bid_id', value, key));
}

function racers<T>(run: (n: number) => Promise<T>): readonly Promise<T>[] {
  return Array.from({ length: RACERS }, (_, n) => run(n));
}

function storeOf(stores: readonly [Opened, Opened, Opened], n: number): Opened {
  return stores[n % stores.length] ?? stores[0];
}
