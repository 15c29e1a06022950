import { LeaseLostError } from '../../errors/journal.js';
import type { Intent } from '../intent.js';
import type { HeldIntent, Journal } from '../journal.js';
import { expectKind, expectLeaseLost, expectSame } from './check.js';
import { attempt, changeTo, expected, idOf, intentWith, lasting, lease, made } from './material.js';
import type { Case, Setting } from './setting.js';

/** An intent whose first holder was too slow: the fence that it still has, and who holds it now. */
async function takenOver(
  setting: Setting,
  journal: Journal,
  intent: Intent,
): Promise<{ late: number; held: HeldIntent }> {
  const late = await made(journal, intent, 'unknown', lease('one', setting.leaseMs));
  await setting.outlast();
  const claimed = await journal.claim(idOf(intent), lease('two'));
  return { late, held: expectKind('claim of a run-out lease', claimed, 'claimed').held };
}

export const fencing = (): readonly Case[] => [
  {
    name: 'fence: whoever was taken over is refused, and nothing is written',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1', { lot: 'lot_1' });
      const { late, held } = await takenOver(setting, journal, intent);
      const change = changeTo('accepted', attempt(1));
      await expectLeaseLost('append by the first holder', () => journal.append(idOf(intent), late, change));
      await expectLeaseLost('append with a change of state alone', () =>
        journal.append(idOf(intent), late, changeTo('rejected')),
      );
      const stored = await journal.read(idOf(intent));
      expectSame('what is there', stored && lasting(stored), expected(intent, 'unknown'));
      expectSame('who holds it', stored?.lease?.owner, 'two');
      await journal.append(idOf(intent), held.fence, changeTo('unknown', attempt(2)));
      expectSame('its entries', (await journal.read(idOf(intent)))?.entries, [attempt(2)]);
    },
  },
  {
    name: 'fence: it stays lost after the next holder has let go',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1');
      const { late, held } = await takenOver(setting, journal, intent);
      await journal.release(idOf(intent), held.fence);
      await expectLeaseLost('append by the first holder', () =>
        journal.append(idOf(intent), late, changeTo('done', attempt(1))),
      );
      expectSame('its entries', (await journal.read(idOf(intent)))?.entries, []);
    },
  },
  {
    name: 'fence: claimOpen takes over too',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1');
      const late = await made(journal, intent, 'unknown', lease('one', setting.leaseMs));
      await setting.outlast();
      const [held] = await journal.claimOpen(idOf(intent).namespace, lease('two'), 10);
      expectSame('which is claimed', held?.stored.intent.key, 'key-1');
      await expectLeaseLost('append by the first holder', () =>
        journal.append(idOf(intent), late, changeTo('done', attempt(1))),
      );
      await journal.append(idOf(intent), held?.fence ?? 0, changeTo('done', attempt(2)));
      expectSame('its entries', (await journal.read(idOf(intent)))?.entries, [attempt(2)]);
    },
  },
  {
    name: 'fence: a lease that has run out counts as long as nobody took over',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1', { lot: 'lot_1' });
      const fence = await made(journal, intent, 'unknown', lease('one', setting.leaseMs));
      await setting.outlast();
      await journal.append(idOf(intent), fence, changeTo('accepted', attempt(1)));
      const stored = await journal.read(idOf(intent));
      expectSame('what is there', stored && lasting(stored), expected(intent, 'accepted', [attempt(1)]));
    },
  },
  {
    name: 'fence: a late release leaves the next holder alone, and says nothing',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1');
      const { late, held } = await takenOver(setting, journal, intent);
      await journal.release(idOf(intent), late);
      expectSame('who holds it', (await journal.read(idOf(intent)))?.lease?.owner, 'two');
      expectKind('a third claim', await journal.claim(idOf(intent), lease('three')), 'held');
      await journal.append(idOf(intent), held.fence, changeTo('done'));
    },
  },
  {
    name: 'fence: an append that races with a take-over is written whole before it, or refused',
    async run(setting) {
      const [one, two] = await setting.openThree();
      const intents = Array.from({ length: 12 }, (_, index) => intentWith(`key-${index}`));
      for (const intent of intents) await made(one, intent, 'unknown', lease('one', setting.leaseMs));
      await setting.outlast();
      await Promise.all(
        intents.map(async (intent, index) => {
          const append = () => one.append(idOf(intent), 1, changeTo('done', attempt(1), attempt(2)));
          const claim = () => two.claim(idOf(intent), lease('two'));
          // Each is the first to ask half of the time.
          const [appended, claimed] = await (index % 2 === 0
            ? Promise.allSettled([append(), claim()])
            : Promise.allSettled([claim(), append()]).then(([second, first]) => [first, second] as const));
          if (claimed.status === 'rejected') throw claimed.reason;
          const { held } = expectKind('the claim', claimed.value, 'claimed');
          const wasRefused = appended.status === 'rejected' && appended.reason instanceof LeaseLostError;
          if (appended.status === 'rejected' && !wasRefused) throw appended.reason;
          const isWritten = expected(intent, 'done', [attempt(1), attempt(2)]);
          const outcome = wasRefused ? expected(intent, 'unknown') : isWritten;
          expectSame('what the next holder sees', lasting(held.stored), outcome);
          const stored = await two.read(idOf(intent));
          expectSame('what is there', stored && lasting(stored), outcome);
        }),
      );
    },
  },
];
