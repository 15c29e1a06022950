import { expectKind, expectSame } from './check.js';
import {
  all,
  attempt,
  changeTo,
  expected,
  idOf,
  intentWith,
  lasting,
  lease,
  made,
  madeFree,
} from './material.js';
import type { Case } from './setting.js';

export const reading = (): readonly Case[] => [
  {
    name: 'read: knows an intent by its namespace and key together',
    async run(setting) {
      const journal = await setting.open();
      const [mine, theirs] = [intentWith('key-1'), intentWith('key-1', { clientId: 'client-2' })];
      expectSame('of none', await journal.read(idOf(mine)), undefined);
      await made(journal, theirs, 'unknown');
      expectSame('in another namespace', await journal.read(idOf(mine)), undefined);
      expectSame('under another key', await journal.read(idOf(intentWith('key-2'))), undefined);
      await made(journal, mine, 'prepared');
      const stored = await journal.read(idOf(mine));
      expectSame('mine', stored && lasting(stored), expected(mine, 'prepared'));
    },
  },
  {
    name: 'find: gives every intent with a key, in whichever namespace',
    async run(setting) {
      const journal = await setting.open();
      const intents = ['client-1', 'client-2', 'client-3'].map((clientId) =>
        intentWith('key-1', { clientId }),
      );
      expectSame('of none', await journal.find('key-1'), []);
      for (const intent of intents) {
        const fence = await made(journal, intent, 'unknown');
        await journal.append(idOf(intent), fence, changeTo('done', attempt(1)));
      }
      await made(journal, intentWith('key-2'));
      const found = (await journal.find('key-1')).map(lasting);
      const byClient = (stored: unknown) => JSON.stringify(stored);
      expectSame(
        'what is found',
        found.map(byClient).sort(),
        intents.map((intent) => byClient(expected(intent, 'done', [attempt(1)]))).sort(),
      );
      expectSame('under part of a key', await journal.find('key'), []);
    },
  },
  {
    name: 'read: what was read before stays as it was',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1', { lot: 'lot_1' });
      const fence = await made(journal, intent, 'unknown');
      const created = await journal.create(intent, changeTo('prepared'), lease('two'), { exclusive: false });
      const seen = [
        await journal.read(idOf(intent)),
        expectKind('a second create', created, 'exists').stored,
        ...(await journal.find('key-1')),
        ...(await all(journal.list({}))),
      ];
      await journal.append(idOf(intent), fence, changeTo('accepted', attempt(1)));
      for (const stored of seen) {
        expectSame('what was read', stored && lasting(stored), expected(intent, 'unknown'));
      }
    },
  },
  {
    name: 'read: what was handed over can be used for something else afterwards',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1');
      const entries = [attempt(1)];
      const first = { entries, state: 'unknown' } as const;
      await journal.create(intent, first, lease('one'), { exclusive: false });
      entries.push(attempt(8));
      const later = [attempt(2)];
      await journal.append(idOf(intent), 1, { entries: later, state: 'unknown' });
      later.push(attempt(9));
      const stored = await journal.read(idOf(intent));
      expectSame('its entries', stored?.entries, [attempt(1), attempt(2)]);
    },
  },
  {
    name: 'read: reading changes nothing',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1');
      await madeFree(journal, intent, 'unknown');
      await journal.read(idOf(intent));
      await journal.find('key-1');
      await all(journal.list({}));
      const claimed = await journal.claim(idOf(intent), lease('two'));
      expectSame('the fence', expectKind('a claim', claimed, 'claimed').held.fence, 2);
    },
  },
];
