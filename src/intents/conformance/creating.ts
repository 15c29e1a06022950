import type { IntentState } from '../intent.js';
import { expectKind, expectSame, expectThat } from './check.js';
import {
  all,
  attempt,
  changeTo,
  expected,
  idOf,
  intentWith,
  keysOf,
  LONG_MS,
  lasting,
  lease,
  made,
  madeFree,
} from './material.js';
import type { Case } from './setting.js';

const openStates: readonly IntentState[] = ['prepared', 'unknown', 'quarantined'];
const exclusive = { exclusive: true };

export const creating = (): readonly Case[] => [
  {
    name: 'create: writes the intent, its entries and its state, and leases it to its maker',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1', { lot: 'lot_1' });
      const change = changeTo('unknown', attempt(1), attempt(2));
      const created = await journal.create(intent, change, lease('maker'), exclusive);
      expectSame('the answer', created, { kind: 'created', fence: 1 });
      const stored = await journal.read(idOf(intent));
      expectThat('it is there', stored !== undefined);
      if (stored === undefined) return;
      expectSame('the intent', stored.intent, intent);
      expectSame('its entries', stored.entries, change.entries);
      expectSame('its state', stored.state, 'unknown');
      expectSame('who holds it', stored.lease?.owner, 'maker');
      const left = stored.lease?.leftMs ?? -1;
      expectThat(`${left} ms are left of a lease of ${LONG_MS} ms`, left > 0 && left <= LONG_MS);
    },
  },
  {
    name: 'create: answers with what is there where the key is taken, and writes nothing',
    async run(setting) {
      const journal = await setting.open();
      const first = intentWith('key-1', { lot: 'lot_1' });
      const second = intentWith('key-1', { lot: 'lot_2', text: '{"amount":"470000"}', dealerId: 'D-205' });
      await journal.create(first, changeTo('unknown', attempt(1)), lease('one'), exclusive);
      const again = await journal.create(second, changeTo('prepared', attempt(7)), lease('two'), exclusive);
      const { stored } = expectKind('the second create', again, 'exists');
      expectSame('what it shows', lasting(stored), expected(first, 'unknown', [attempt(1)]));
      expectSame('who holds it', stored.lease?.owner, 'one');
      const listed = await all(journal.list({}));
      expectSame('all there is', listed.map(lasting), [expected(first, 'unknown', [attempt(1)])]);
      await journal.append(idOf(first), 1, changeTo('unknown'));
    },
  },
  {
    name: 'create: the key of a settled intent stays taken',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1', { lot: 'lot_1' });
      const fence = await made(journal, intent);
      await journal.append(idOf(intent), fence, changeTo('accepted', attempt(1)));
      await journal.release(idOf(intent), fence);
      const again = await journal.create(intent, changeTo('prepared'), lease('two'), exclusive);
      const { stored } = expectKind('the second create', again, 'exists');
      expectSame('what it shows', lasting(stored), expected(intent, 'accepted', [attempt(1)]));
      expectThat('nobody holds it', stored.lease === undefined);
    },
  },
  {
    name: 'create: one key is another intent in another namespace, and the same one for another dealer',
    async run(setting) {
      const journal = await setting.open();
      const first = intentWith('key-1');
      const others = [
        intentWith('key-1', { clientId: 'client-2' }),
        intentWith('key-1', { environment: 'production' }),
        intentWith('key-1', { origin: 'https://auction.example:8443' }),
      ];
      await made(journal, first);
      for (const other of others) await made(journal, other, 'unknown');
      const same = intentWith('key-1', { dealerId: 'D-205' });
      const again = await journal.create(same, changeTo('prepared'), lease('two'), { exclusive: false });
      expectKind('create for another dealer', again, 'exists');
      const fence = 1;
      await journal.append(idOf(first), fence, changeTo('done', attempt(1)));
      for (const other of others) {
        const stored = await journal.read(idOf(other));
        expectSame('the one beside it', stored && lasting(stored), expected(other, 'unknown'));
      }
    },
  },
  ...openStates.map(
    (state): Case => ({
      name: `create: refuses an exclusive one while one of its subject is ${state}, and writes nothing`,
      async run(setting) {
        const journal = await setting.open();
        const first = intentWith('key-1', { lot: 'lot_1', buyer: 'b-1' });
        const second = intentWith('key-2', { lot: 'lot_1', buyer: 'b-1' });
        // Whether somebody works on it doesn't matter.
        if (state === 'unknown') await made(journal, first, state);
        else await madeFree(journal, first, state);
        const refused = await journal.create(second, changeTo('prepared'), lease('two'), exclusive);
        const { by } = expectKind('the second create', refused, 'blocked');
        expectSame('what stands against it', by.map(lasting), [expected(first, state)]);
        expectSame('the refused one', await journal.read(idOf(second)), undefined);
        expectSame('all there is', keysOf(await all(journal.list({}))), ['key-1']);
      },
    }),
  ),
  {
    name: 'create: names every open intent that stands against an exclusive one',
    async run(setting) {
      const journal = await setting.open();
      for (const key of ['key-1', 'key-2', 'key-3']) {
        await made(journal, intentWith(key, { lot: 'lot_1' }), key === 'key-2' ? 'rejected' : 'unknown');
      }
      const last = intentWith('key-4', { lot: 'lot_1' });
      const refused = await journal.create(last, changeTo('prepared'), lease('two'), exclusive);
      const { by } = expectKind('the last create', refused, 'blocked');
      expectSame('what stands against it', keysOf(by).sort(), ['key-1', 'key-3']);
    },
  },
  {
    name: 'create: an exclusive one stands beside settled ones, other subjects and other namespaces',
    async run(setting) {
      const journal = await setting.open();
      const subject = { lot: 'lot_1', buyer: 'b-1' };
      await made(journal, intentWith('settled', subject), 'accepted');
      const fence = await made(journal, intentWith('settling', subject), 'unknown');
      await journal.append(idOf(intentWith('settling', subject)), fence, changeTo('abandoned'));
      await made(journal, intentWith('other-lot', { ...subject, lot: 'lot_2' }));
      await made(journal, intentWith('other-buyer', { ...subject, buyer: 'b-2' }));
      await made(journal, intentWith('no-buyer', { lot: 'lot_1' }));
      await made(journal, intentWith('other-dealer', { ...subject, dealerId: 'D-205' }));
      await made(journal, intentWith('other-client', { ...subject, clientId: 'client-2' }));
      const intent = intentWith('key-1', subject);
      const created = await journal.create(intent, changeTo('prepared'), lease('maker'), exclusive);
      expectKind('the create', created, 'created');
    },
  },
  {
    name: 'create: commands have no subject, so none stands against another',
    async run(setting) {
      const journal = await setting.open();
      for (const key of ['key-1', 'key-2']) {
        const created = await journal.create(intentWith(key), changeTo('unknown'), lease('maker'), exclusive);
        expectKind(`create of ${key}`, created, 'created');
      }
    },
  },
  {
    name: 'create: one that is not exclusive stands beside open ones of its subject',
    async run(setting) {
      const journal = await setting.open();
      await made(journal, intentWith('key-1', { lot: 'lot_1' }), 'unknown');
      await made(journal, intentWith('key-2', { lot: 'lot_1' }), 'unknown');
      expectSame('all there is', keysOf(await all(journal.list({}))), ['key-1', 'key-2']);
    },
  },
  {
    name: 'create: an exclusive one that is tried again exists; it does not stand against itself',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1', { lot: 'lot_1' });
      const first = await journal.create(intent, changeTo('prepared'), lease('maker'), exclusive);
      expectKind('the first create', first, 'created');
      const again = await journal.create(intent, changeTo('prepared'), lease('maker'), exclusive);
      const { stored } = expectKind('the second create', again, 'exists');
      expectSame('who holds it', stored.lease?.owner, 'maker');
    },
  },
];
