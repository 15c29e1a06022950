import { expectKind, expectLeaseLost, expectSame } from './check.js';
import {
  all,
  attempt,
  changeTo,
  expected,
  idOf,
  intentWith,
  keysOf,
  lasting,
  lease,
  made,
  madeFree,
} from './material.js';
import type { Case } from './setting.js';

export function closing(): readonly Case[] {
  const intent = intentWith('key-1', { lot: 'lot_1' });
  const twin = intentWith('key-2', { lot: 'lot_1' });
  const id = idOf(intent);
  return [
    {
      name: 'close: can be asked for again, also while it is under way, and of a journal that was never used',
      async run(setting) {
        const journal = await setting.open();
        await journal.close();
        await made(journal, intent);
        await Promise.all([journal.close(), journal.close()]);
        await journal.close();
        if (!journal.durable) return;
        const unused = await setting.restart(journal, 'closed');
        await unused.close();
        await unused.close();
      },
    },
    {
      name: 'close: the next use takes everything up again',
      async run(setting) {
        const journal = await setting.open();
        const fence = await made(journal, intent, 'unknown');
        await journal.append(id, fence, changeTo('unknown', attempt(1)));
        const outcome = expected(intent, 'unknown', [attempt(1)]);
        const afterClose = async <Result>(use: () => Promise<Result>): Promise<Result> => {
          await journal.close();
          return use();
        };
        const read = await afterClose(() => journal.read(id));
        expectSame('read', read && lasting(read), outcome);
        expectSame('find', (await afterClose(() => journal.find('key-1'))).map(lasting), [outcome]);
        expectSame('list', (await afterClose(() => all(journal.list({})))).map(lasting), [outcome]);
        const rules = { exclusive: true };
        const refused = await afterClose(() =>
          journal.create(twin, changeTo('prepared'), lease('two'), rules),
        );
        expectKind('create', refused, 'blocked');
        // Its owner claims it anew.
        const claimed = await afterClose(() => journal.claim(id, lease('maker')));
        const { held } = expectKind('claim', claimed, 'claimed');
        await journal.close();
        await expectLeaseLost('append with the first fence', () =>
          journal.append(id, fence, changeTo('rejected')),
        );
        await afterClose(() => journal.append(id, held.fence, changeTo('unknown', attempt(2))));
        await afterClose(() => journal.release(id, held.fence));
        const taken = await afterClose(() => journal.claimOpen(id.namespace, lease('two'), 5));
        expectSame('claimOpen', keysOf(taken.map(({ stored }) => stored)), ['key-1']);
        expectSame('its entries', taken[0]?.stored.entries, [attempt(1), attempt(2)]);
      },
    },
    {
      name: 'close: takes no lease from who holds one, for clients that share a journal may each close it',
      async run(setting) {
        const journal = await setting.open();
        const fence = await made(journal, intent, 'unknown');
        await madeFree(journal, twin, 'unknown');
        await journal.close();
        const claimed = await journal.claim(id, lease('two'));
        expectSame('who holds it', expectKind('a claim', claimed, 'held').stored.lease?.owner, 'maker');
        await journal.close();
        const taken = await journal.claimOpen(id.namespace, lease('two'), 5);
        expectSame('claimOpen', keysOf(taken.map(({ stored }) => stored)), ['key-2']);
        await journal.close();
        await journal.append(id, fence, changeTo('accepted', attempt(1)));
        expectSame('its state', (await journal.read(id))?.state, 'accepted');
      },
    },
    {
      name: 'close: writes what is under way',
      async run(setting) {
        const journal = await setting.open();
        const others = Array.from({ length: 10 }, (_, index) => intentWith(`other-${index}`));
        await made(journal, intent, 'unknown');
        const under = [
          journal.append(id, 1, changeTo('unknown', attempt(1))),
          ...others.map((other) => made(journal, other)),
          journal.append(id, 1, changeTo('unknown', attempt(2))),
        ];
        const closed = journal.close();
        await Promise.all([closed, ...under]);
        const next = journal.durable ? await setting.restart(journal, 'closed') : journal;
        const stored = await next.read(id);
        expectSame('how many entries', stored?.entries.length, 2);
        for (const other of others) {
          const found = await next.read(idOf(other));
          expectSame('another one', found && lasting(found), expected(other, 'prepared'));
        }
      },
    },
    {
      name: 'close: what is asked for while it is under way is done all the same',
      async run(setting) {
        const journal = await setting.open();
        await made(journal, intent, 'unknown');
        const closed = journal.close();
        const under = [
          made(journal, twin),
          journal.append(id, 1, changeTo('unknown', attempt(1))),
          all(journal.list({})),
        ];
        await Promise.all([closed, ...under]);
        const listed = await all(journal.list({}));
        expectSame('all there is', keysOf(listed), ['key-1', 'key-2']);
        expectSame('the entries of the first', listed[0]?.entries, [attempt(1)]);
      },
    },
  ];
}
