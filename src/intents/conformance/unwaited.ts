import type { Intent } from '../intent.js';
import type { Journal } from '../journal.js';
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
} from './material.js';
import type { Case } from './setting.js';

const change = changeTo('accepted', attempt(1));
const unheeded = { onLost: () => undefined };

/** Changes that nobody waits for: whether or not a journal makes use of that, nobody may notice. */
export const unwaited = (): readonly Case[] => [
  {
    name: 'unwaited: whoever asks for the intent next sees the change',
    async run(setting) {
      const journal = await setting.open();
      const read = await changed(journal, intentWith('read'));
      const stored = await journal.read(idOf(read));
      expectSame('read', stored && lasting(stored), after(read));
      const found = await changed(journal, intentWith('find'));
      expectSame('find', (await journal.find('find')).map(lasting), [after(found)]);
      const claimed = await changed(journal, intentWith('claim'));
      const { held } = expectKind('claim', await journal.claim(idOf(claimed), lease('maker')), 'claimed');
      expectSame('what is claimed', lasting(held.stored), after(claimed));
    },
  },
  {
    name: 'unwaited: an intent that it settles is open to nobody from then on',
    async run(setting) {
      const journal = await setting.open();
      const { namespace } = idOf(await changed(journal, intentWith('first', { lot: 'lot_1' })));
      const twin = intentWith('second', { lot: 'lot_1' });
      const rules = { exclusive: true };
      const created = await journal.create(twin, changeTo('unknown'), lease('maker'), rules);
      expectKind('an exclusive create for the same lot', created, 'created');
      await journal.append(idOf(twin), 1, change, unheeded);
      expectSame('the open ones', await all(journal.list({ namespace, open: true })), []);
      expectSame('the settled ones', keysOf(await all(journal.list({ open: false }))), ['first', 'second']);
      const third = await changed(journal, intentWith('third', { lot: 'lot_2' }));
      await journal.release(idOf(third), 1);
      expectSame('what is claimed', await journal.claimOpen(namespace, lease('two'), 9), []);
    },
  },
  {
    name: 'unwaited: it is refused at once where somebody took over',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1');
      const fence = await made(journal, intent, 'unknown');
      await journal.release(idOf(intent), fence);
      await journal.claim(idOf(intent), lease('two'));
      await expectLeaseLost('append with the first fence', () =>
        journal.append(idOf(intent), fence, change, unheeded),
      );
      expectSame('the state', (await journal.read(idOf(intent)))?.state, 'unknown');
    },
  },
  {
    name: 'unwaited: what comes after it comes after it, and closing writes both',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1');
      const fence = await made(journal, intent, 'unknown');
      await journal.append(idOf(intent), fence, change, unheeded);
      await journal.append(idOf(intent), fence, changeTo('unknown', attempt(2)));
      await journal.append(idOf(intent), fence, changeTo('accepted', attempt(3)), unheeded);
      await journal.close();
      const next = journal.durable ? await setting.restart(journal, 'closed') : journal;
      const stored = await next.read(idOf(intent));
      const entries = [attempt(1), attempt(2), attempt(3)];
      expectSame('what is there', stored && lasting(stored), expected(intent, 'accepted', entries));
    },
  },
];

/** Makes an intent, and a change to it. */
async function changed(journal: Journal, intent: Intent): Promise<Intent> {
  const fence = await made(journal, intent, 'unknown');
  await journal.append(idOf(intent), fence, change, unheeded);
  return intent;
}

function after(intent: Intent): unknown {
  return expected(intent, 'accepted', [attempt(1)]);
}
