import { namespaceOf, subjectOf } from '../intent.js';
import type { IntentFilter } from '../journal.js';
import { expectSame, expectThat } from './check.js';
import {
  all,
  attempt,
  changeTo,
  idOf,
  intentWith,
  keysOf,
  lasting,
  made,
  madeFree,
  series,
} from './material.js';
import type { Case } from './setting.js';

export const listing = (): readonly Case[] => [
  {
    name: 'list: gives the oldest first, as read gives them',
    async run(setting) {
      const journal = await setting.open();
      const intents = series(9, { lot: 'lot_1' });
      for (const intent of intents) {
        const fence = await made(journal, intent, 'unknown');
        await journal.append(idOf(intent), fence, changeTo('unknown', attempt(1), attempt(2)));
      }
      // What happens to the older ones leaves them where they are.
      for (const intent of intents.slice(0, 4)) await journal.append(idOf(intent), 1, changeTo('rejected'));
      const listed = await all(journal.list({}));
      expectSame('their order', keysOf(listed), keysOf(intents.map((intent) => ({ ...blank, intent }))));
      for (const stored of listed) {
        const read = await journal.read(idOf(stored.intent));
        expectSame('one of them', lasting(stored), read && lasting(read));
        expectSame('who holds it', stored.lease?.owner, 'maker');
      }
    },
  },
  {
    name: 'list: keeps to its filters, each and all together',
    async run(setting) {
      const journal = await setting.open();
      const lot = { lot: 'lot_1', buyer: 'b-1' };
      const bid = intentWith('bid', lot);
      await madeFree(journal, bid, 'unknown');
      await madeFree(journal, intentWith('settled', lot), 'accepted');
      await madeFree(journal, intentWith('other-buyer', { ...lot, buyer: 'b-2' }), 'unknown');
      await madeFree(journal, intentWith('elsewhere', { ...lot, clientId: 'client-2' }), 'unknown');
      await madeFree(journal, intentWith('command'), 'done');
      const namespace = namespaceOf(bid.account);
      const subject = subjectOf(bid);
      const filters: readonly [IntentFilter, string[]][] = [
        [{}, ['bid', 'settled', 'other-buyer', 'elsewhere', 'command']],
        [
          { namespace: undefined, open: undefined, subject: undefined },
          ['bid', 'settled', 'other-buyer', 'elsewhere', 'command'],
        ],
        [{ namespace }, ['bid', 'settled', 'other-buyer', 'command']],
        [{ open: true }, ['bid', 'other-buyer', 'elsewhere']],
        [{ open: false }, ['settled', 'command']],
        [{ subject }, ['bid', 'settled', 'elsewhere']],
        [{ subject, open: true }, ['bid', 'elsewhere']],
        [{ subject, namespace }, ['bid', 'settled']],
        [{ subject, namespace, open: true }, ['bid']],
        [{ subject, namespace, open: false }, ['settled']],
        [{ namespace: 'none' }, []],
        [{ subject: 'none' }, []],
      ];
      for (const [filter, keys] of filters) {
        expectSame(`with ${JSON.stringify(filter)}`, keysOf(await all(journal.list(filter))), keys);
      }
    },
  },
  {
    name: 'list: is whole, however many there are',
    async run(setting) {
      const journal = await setting.open();
      const intents = series(321);
      for (let from = 0; from < intents.length; from += 1)
        await made(journal, intents[from] ?? intentWith('never'));
      const [one, two] = await Promise.all([all(journal.list({})), all(journal.list({ open: true }))]);
      const keys = intents.map(({ key }) => key);
      expectSame('all of them', keysOf(one), keys);
      expectSame('all open ones', keysOf(two), keys);
    },
  },
  {
    name: 'list: can be left early, again and again',
    async run(setting) {
      const journal = await setting.open();
      for (const intent of series(120)) await made(journal, intent);
      for (let time = 0; time < 30; time += 1) {
        for await (const { intent } of journal.list({})) {
          expectThat('it has a key', intent.key.length > 0);
          break;
        }
      }
      expectSame('how many there are', (await all(journal.list({}))).length, 120);
    },
  },
  {
    name: 'list: can be worked through, each one settled as it comes, without missing any',
    async run(setting) {
      const journal = await setting.open();
      const intents = series(150);
      for (const intent of intents) await made(journal, intent, 'unknown');
      const seen: string[] = [];
      for await (const { intent } of journal.list({ open: true })) {
        seen.push(intent.key);
        await journal.append(idOf(intent), 1, changeTo('done'));
      }
      expectSame(
        'all of them',
        seen,
        intents.map(({ key }) => key),
      );
      expectSame('what is open then', await all(journal.list({ open: true })), []);
    },
  },
];

const blank = { entries: [], state: 'unknown' } as const;
