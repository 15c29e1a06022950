import type { StoreTransaction } from '../../store/store.js';
import {
  at,
  bid,
  type Cases,
  expectRejection,
  expectSame,
  keysOf,
  type Opened,
  RACERS,
  row,
} from '../setting.js';

/** Cases about units of work: all or nothing, one after the other, and what a restart keeps. */
export const transactions: Cases = {
  'transaction: reads what it has written, and leaves nothing if it rejects': async (opened) => {
    await opened.insert(row('kept', { content: 'before', owner: 'me' }));
    await opened.settle([row('old', { state: 'done' }), at(1)]);
    await opened.do((tx) => tx.account.advanceServerTime(10));
    const reason = new Error('on purpose');
    const failing = opened.do(async (tx) => {
      await doEverything(tx);
      const listed = keysOf(await tx.intents.list({ which: 'all', limit: 10 }));
      const found = [(await tx.intents.get('added'))?.state, listed, await tx.account.halt()];
      expectSame('what it reads', found, ['done', ['kept', 'added'], 'on purpose']);
      expectSame('the server time that it reads', await tx.account.serverTime(), 20);
      throw reason;
    });
    const thrown = await expectRejection('the transaction', failing);
    if (thrown !== reason) throw thrown;
    expectSame('the rows', await opened.keys(), ['kept', 'old']);
    expectSame('the row that was saved', (await opened.get('kept'))?.content, 'before');
    expectSame('the halt', await opened.do((tx) => tx.account.halt()), undefined);
    expectSame('server time', await opened.do((tx) => tx.account.serverTime()), 10);
    expectSame('the evidence', await claim(opened, 'bid_1', 'other'), 'other');
    await opened.do(doEverything);
    expectSame('the rows, once it resolves', await opened.keys(), ['kept', 'added']);
    expectSame('their sequence', (await opened.get('added'))?.settledSequence, 2);
  },
  'transaction: a failed insert fails it, even if the work continues': async (opened) => {
    await opened.insert(row('taken'));
    const goingOn = opened.do(async (tx) => {
      for (const key of ['before', 'taken', 'after'])
        await tx.intents.insert(row(key), at(1)).catch(() => undefined);
    });
    await expectRejection('the transaction', goingOn);
    expectSame('the rows', await opened.keys(), ['taken']);
  },
  'transaction: of many at once, those that reject do not affect the others': async (opened, setting) => {
    const answers = await setting.racing(opened, (store, n) =>
      store.do(async (tx) => {
        await tx.intents.insert(row(`key-${n}`), at(1));
        if (n % 4 === 0) throw new Error('on purpose');
        return `key-${n}`;
      }),
    );
    const succeeded = Array.from({ length: RACERS }, (_, n) => n).filter((n) => n % 4 !== 0);
    const values = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const keys = succeeded.map((n) => `key-${n}`);
    expectSame('what those that resolve return', values, keys);
    expectSame('the rows', [...(await opened.keys())].sort(), keys.sort());
  },
  'commits: a unit that writes replaces the mark of the one before, and a unit that reads leaves none':
    async (opened) => {
      const mark = (token: number) => ({ owner: 'host/1#1', token });
      const run = (token: number, work: (tx: StoreTransaction) => Promise<unknown>) =>
        opened.do((tx) => {
          tx.commits.markWith(mark(token));
          return work(tx);
        });
      const left = () =>
        opened.do(async ({ commits }) => {
          const found = [];
          for (const token of [1, 2, 3, 4]) if (await commits.has(mark(token))) found.push(token);
          return found;
        });
      await run(1, (tx) => tx.account.setHalt('on purpose'));
      expectSame('after one that writes', await left(), [1]);
      await run(2, (tx) => tx.account.halt());
      expectSame('after one that reads', await left(), [1]);
      const failing = run(3, async (tx) => {
        await tx.account.setHalt('again');
        throw new Error('on purpose');
      });
      await expectRejection('one that fails', failing);
      expectSame('after it', await left(), [1]);
      await run(4, (tx) => tx.audit.append({ about: 'a', phase: 'before', at: 1, content: '{}' }));
      expectSame('after the next that writes', await left(), [4]);
      const inOther = await opened.do((tx) => tx.commits.has(mark(4)), 'other');
      expectSame('in another account', inOther, false);
    },
  'race: no transaction changes a row between the read and the save of another': async (opened, setting) => {
    await opened.insert(row('counter', { content: '0' }));
    const answers = await setting.racing(opened, (store) =>
      store.do(async (tx) => {
        const stored = await tx.intents.get('counter');
        const next = row('counter', { content: String(Number(stored?.content) + 1) });
        return tx.intents.update(next, stored?.version ?? 0, at(1));
      }),
    );
    const saved = answers.filter((answer) => answer.status === 'fulfilled' && answer.value !== undefined);
    expectSame('how many saved what they had read', saved.length, RACERS);
    expectSame('the counter', (await opened.get('counter'))?.content, String(RACERS));
  },
  'race: nothing is sent after a halt that another process sets': async (opened, setting) => {
    const [, sender, halter] = await setting.three(opened);
    for (let round = 0; round < 6; round += 1) {
      const key = `key-${round}`;
      await opened.insert(row(key));
      const send = sender.do(async (tx) => {
        const stored = await tx.intents.get(key);
        if ((await tx.account.halt()) !== undefined) return;
        await tx.intents.update(row(key, { state: 'sent' }), stored?.version ?? 0, at(1));
      });
      const halt = halter.do(async (tx) => {
        const stored = await tx.intents.get(key);
        await tx.account.setHalt('on purpose');
        return stored?.state;
      });
      const [seen] = await Promise.all([halt, send]);
      expectSame('what was sent is what the halt has seen', (await opened.get(key))?.state, seen);
      await opened.do((tx) => tx.account.setHalt(undefined));
    }
  },
  'race: a follower of the settled rows misses none': async (opened, setting) => {
    const [, , follower] = await setting.three(opened);
    const keys = Array.from({ length: RACERS }, (_, n) => `key-${n}`);
    await opened.insert(...keys.map((key) => row(key, { state: 'sent' })));
    let isOver = false;
    const seen: string[] = [];
    const follow = async () => {
      for (let sequence = 0, isLast = false; !isLast; ) {
        isLast = isOver;
        const rows = await follower.do((tx) => tx.intents.settledAfter(sequence, 2));
        seen.push(...keysOf(rows));
        sequence = rows.at(-1)?.settledSequence ?? sequence;
        if (rows.length > 0) isLast = false;
      }
    };
    const settling = setting.racing(opened, (store, n) => store.save(row(`key-${n}`, { state: 'done' })));
    await Promise.all([
      follow(),
      settling.finally(() => {
        isOver = true;
      }),
    ]);
    expectSame('what was seen', seen.sort(), keys.sort());
  },
  'evidence: an id belongs to the first key that reserves it': async (opened, setting) => {
    expectSame('the first claim', await claim(opened, 'bid_1', 'first'), 'first');
    expectSame('again', await claim(opened, 'bid_1', 'first'), 'first');
    expectSame('by another key', await claim(opened, 'bid_1', 'second'), 'first');
    const kinds = await opened.do((tx) => tx.evidence.reserve('request_id', 'bid_1', 'second'));
    expectSame('of another kind', kinds, 'second');
    const other = await opened.do((tx) => tx.evidence.reserve('bid_id', 'bid_1', 'third'), 'other');
    expectSame('in another account', other, 'third');
    const holder = (value: string, account?: string) =>
      opened.do((tx) => tx.evidence.holder('bid_id', value), account);
    const holders = [await holder('bid_1'), await holder('bid_1', 'other'), await holder('bid_9')];
    expectSame('the holders', holders, ['first', 'third', undefined]);
    const claims = await setting.racing(opened, (store, n) => claim(store, 'bid_2', `key-${n}`));
    const held = claims.map((each) => (each.status === 'fulfilled' ? each.value : 'a rejection'));
    expectSame('keys that hold it, of many at once', new Set(held).size, 1);
  },
  'account: a halt is set and lifted, and server time moves forward only': async (opened, setting) => {
    const [one, two] = await setting.three(opened);
    const halt = (account?: string) => two.do((tx) => tx.account.halt(), account);
    const time = (account?: string) => two.do((tx) => tx.account.serverTime(), account);
    expectSame('at first', [await halt(), await time()], [undefined, undefined]);
    const start = 1_772_431_200_000;
    for (const [noted, known] of [
      [start, start],
      [start - 9, start],
      [start + 9, start + 9],
    ] as const) {
      await one.do((tx) => tx.account.advanceServerTime(noted));
      expectSame(`after ${noted}`, await time(), known);
    }
    for (const reason of ['limit reached', 'by hand', undefined]) {
      await one.do((tx) => tx.account.setHalt(reason));
      expectSame('the halt', await halt(), reason);
    }
    await one.do((tx) => tx.account.setHalt('again'));
    expectSame('in another account', [await halt('other'), await time('other')], [undefined, undefined]);
    expectSame('server time after the halts', await time(), start + 9);
  },
  'restart: everything that was written is there, whether the store was closed or killed': async (
    first,
    setting,
  ) => {
    if (!first.store.durable) return;
    await first.settle([row('settled', { state: 'done' }), at(1)]);
    await first.insert(bid('open', {}, { guarded: true, body: 'body' }));
    await first.do((tx) => tx.account.setHalt('on purpose'));
    await first.do((tx) => tx.account.advanceServerTime(20));
    await claim(first, 'bid_1', 'open');
    const closed = await setting.restart(first, 'closed');
    await check(closed);
    const killed = await setting.restart(closed, 'killed');
    await check(killed);
    await killed.settle([row('next', { state: 'done' }), at(1)]);
    expectSame('the next sequence', (await killed.get('next'))?.settledSequence, 2);

    async function check(opened: Opened): Promise<void> {
      expectSame('the rows', await opened.keys(), ['settled', 'open']);
      expectSame('the body', (await opened.get('open'))?.body, 'body');
      expectSame('the halt', await opened.do((tx) => tx.account.halt()), 'on purpose');
      expectSame('server time', await opened.do((tx) => tx.account.serverTime()), 20);
      expectSame('the evidence', await claim(opened, 'bid_1', 'other'), 'open');
      await expectRejection('a second guarded bid', opened.insert(bid('second', {}, { guarded: true })));
    }
  },
  'close: waits for the work under way, and a later transaction opens the store again': async (opened) => {
    let inserted = 0;
    for (let n = 0; n < RACERS; n += 1) {
      const counted = opened.insert(row(`key-${n}`)).then(() => (inserted += 1));
      counted.catch(() => undefined);
    }
    await opened.store.close();
    expectSame('inserts that were over', inserted, RACERS);
    await opened.insert(row('later'));
    if (opened.store.durable) expectSame('the rows', (await opened.keys()).length, RACERS + 1);
    await opened.store.close();
    await opened.store.close();
  },
};

/** One write of each kind, after which `kept` and `added` are the only rows. */
async function doEverything(tx: StoreTransaction): Promise<void> {
  await tx.intents.insert(row('added', { state: 'sent' }), at(1));
  await tx.intents.update(row('added', { state: 'done' }), 1, at(20));
  const kept = await tx.intents.get('kept');
  await tx.intents.update(row('kept', { content: 'after' }), kept?.version ?? 0, at(1));
  await tx.evidence.reserve('bid_id', 'bid_1', 'added');
  await tx.account.setHalt('on purpose');
  await tx.account.advanceServerTime(20);
  await tx.intents.prune({ server: 10, local: 10, now: 20 }, 10, (content) => content);
}

function claim(opened: Opened, value: string, key: string): Promise<string> {
  return opened.do((tx) => tx.evidence.reserve('bid_id', value, key));
}
