import type { Entry } from '../entry.js';
import { type IntentState, isOpen, needsBytes } from '../intent.js';
import { expectKind, expectRejection, expectSame } from './check.js';
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

/** Every state, whether it is open or settled. */
const states: Readonly<Record<IntentState, true>> = {
  prepared: true,
  unknown: true,
  quarantined: true,
  accepted: true,
  rejected: true,
  done: true,
  refused: true,
  not_sent: true,
  abandoned: true,
};

function isState(name: string): name is IntentState {
  return name in states;
}

const look: Entry = { type: 'look', at: 1_772_431_200_500, by: 'A06', found: 'processing' };

export const appending = (): readonly Case[] => [
  {
    name: 'append: keeps entries in the order they were added, and the last state',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1', { lot: 'lot_1' });
      const id = idOf(intent);
      const fence = await made(journal, intent);
      await journal.append(id, fence, changeTo('unknown', attempt(3), attempt(1), attempt(2)));
      await journal.append(id, fence, changeTo('quarantined', look));
      await journal.append(id, fence, changeTo('unknown', attempt(1), look, attempt(9)));
      const stored = await journal.read(id);
      const entries = [attempt(3), attempt(1), attempt(2), look, attempt(1), look, attempt(9)];
      expectSame('what is there', stored && lasting(stored), expected(intent, 'unknown', entries));
    },
  },
  {
    name: 'append: changes the state alone where it has no entries',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1');
      const fence = await made(journal, intent);
      await journal.append(idOf(intent), fence, changeTo('done'));
      const stored = await journal.read(idOf(intent));
      expectSame('what is there', stored && lasting(stored), expected(intent, 'done'));
    },
  },
  {
    name: 'append: many at once all arrive, the entries of each together',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1');
      const fence = await made(journal, intent, 'unknown');
      const numbers = Array.from({ length: 20 }, (_, index) => index);
      await Promise.all(
        numbers.map((number) =>
          journal.append(
            idOf(intent),
            fence,
            changeTo('unknown', attempt(number * 2), attempt(number * 2 + 1)),
          ),
        ),
      );
      const entries = (await journal.read(idOf(intent)))?.entries ?? [];
      const found = entries.map((entry) => (entry.type === 'attempt' ? entry.attempt : -1));
      const firsts = found.filter((_, index) => index % 2 === 0);
      expectSame(
        'entries in pairs',
        found,
        firsts.flatMap((first) => [first, first + 1]),
      );
      expectSame(
        'the first of each pair',
        [...firsts].sort((a, b) => a - b),
        numbers.map((number) => number * 2),
      );
    },
  },
  {
    name: 'append: is refused for an intent that is not there, and makes none',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1');
      await expectRejection('append to nothing', () =>
        journal.append(idOf(intent), 1, changeTo('unknown', attempt(1))),
      );
      expectSame('what is there', await journal.read(idOf(intent)), undefined);
      expectSame('what is listed', await all(journal.list({})), []);
    },
  },
  {
    name: 'append: touches the intent that is named, and no other',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1');
      const others = [intentWith('key-1', { clientId: 'client-2' }), intentWith('key-2')];
      const fence = await made(journal, intent);
      for (const other of others) await made(journal, other);
      await journal.append(idOf(intent), fence, changeTo('refused', attempt(1)));
      for (const other of others) {
        const stored = await journal.read(idOf(other));
        expectSame('another one', stored && lasting(stored), expected(other, 'prepared'));
      }
    },
  },
  {
    name: 'append: takes every state, and knows which are open',
    async run(setting) {
      const journal = await setting.open();
      const all9 = Object.keys(states).filter(isState);
      for (const state of all9) {
        const intent = intentWith(state);
        const fence = await made(journal, intent);
        await journal.append(idOf(intent), fence, changeTo(state));
        expectSame('the state', (await journal.read(idOf(intent)))?.state, state);
      }
      expectSame('the open ones', keysOf(await all(journal.list({ open: true }))), all9.filter(isOpen));
      const settled = all9.filter((state) => !isOpen(state));
      expectSame('the settled ones', keysOf(await all(journal.list({ open: false }))), settled);
    },
  },
  {
    name: 'append: the bytes of the body stay as long as it may be sent again',
    async run(setting) {
      const journal = await setting.open();
      for (const state of Object.keys(states).filter(isState).filter(needsBytes)) {
        const intent = intentWith(state);
        const fence = await made(journal, intent);
        await journal.append(idOf(intent), fence, changeTo(state));
        expectSame(`the body, ${state}`, (await journal.read(idOf(intent)))?.intent.body, intent.body);
      }
    },
  },
  {
    name: 'append: a settled intent can be open again, and then is so for everybody',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1', { lot: 'lot_1' });
      const fence = await made(journal, intent);
      await journal.append(idOf(intent), fence, changeTo('not_sent', attempt(1)));
      await journal.append(idOf(intent), fence, changeTo('prepared', attempt(2)));
      await journal.release(idOf(intent), fence);
      const stored = await journal.read(idOf(intent));
      const again = expected(intent, 'prepared', [attempt(1), attempt(2)]);
      expectSame('what is there', stored && lasting(stored), again);
      expectSame('its body', stored?.intent.body, intent.body);
      expectSame('the settled ones', await all(journal.list({ open: false })), []);
      const twin = intentWith('key-2', { lot: 'lot_1' });
      const refused = await journal.create(twin, changeTo('prepared'), lease('two'), { exclusive: true });
      expectKind('an exclusive create', refused, 'blocked');
      const held = await journal.claimOpen(idOf(intent).namespace, lease('two'), 10);
      expectSame('what is claimed', keysOf(held.map((each) => each.stored)), ['key-1']);
    },
  },
];
