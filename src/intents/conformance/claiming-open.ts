import { namespaceOf } from '../intent.js';
import type { HeldIntent } from '../journal.js';
import { expectSame, expectThat } from './check.js';
import {
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
  series,
} from './material.js';
import type { Case } from './setting.js';

function keysHeld(held: readonly HeldIntent[]): string[] {
  return keysOf(held.map(({ stored }) => stored));
}

export function claimingOpen(): readonly Case[] {
  const { namespace } = idOf(intentWith('any'));
  return [
    {
      name: 'claimOpen: takes the oldest, up to the limit, and the next ones when asked again',
      async run(setting) {
        const journal = await setting.open();
        const intents = series(7);
        for (const intent of intents) await madeFree(journal, intent, 'unknown');
        const keys = intents.map(({ key }) => key);
        const first = await journal.claimOpen(namespace, lease('one'), 3);
        expectSame('the first three', keysHeld(first), keys.slice(0, 3));
        const second = await journal.claimOpen(namespace, lease('two'), 3);
        expectSame('the next three', keysHeld(second), keys.slice(3, 6));
        expectSame('the last', keysHeld(await journal.claimOpen(namespace, lease('one'), 3)), keys.slice(6));
        expectSame('what is left then', await journal.claimOpen(namespace, lease('one'), 3), []);
      },
    },
    {
      name: 'claimOpen: gives leases that count, and shows what it took',
      async run(setting) {
        const journal = await setting.open();
        const [intent = intentWith('never'), ...others] = series(3, { lot: 'lot_1' });
        for (const each of [intent, ...others]) {
          const fence = await made(journal, each, 'unknown');
          await journal.append(idOf(each), fence, changeTo('unknown', attempt(1)));
          await journal.release(idOf(each), fence);
        }
        const taken = await journal.claimOpen(namespace, lease('two'), 10);
        expectSame('how many', taken.length, 3);
        for (const { stored, fence } of taken) {
          expectSame('what it shows', lasting(stored), expected(stored.intent, 'unknown', [attempt(1)]));
          expectThat(`fence ${fence} is above 1`, fence > 1);
          await journal.append(idOf(stored.intent), fence, changeTo('unknown', attempt(2)));
          const { lease: taking, entries } = (await journal.read(idOf(stored.intent))) ?? {};
          expectSame('who holds it', taking?.owner, 'two');
          expectThat(
            'for an hour',
            (taking?.leftMs ?? 0) > setting.leaseMs && Number(taking?.leftMs) <= LONG_MS,
          );
          expectSame('its entries', entries, [attempt(1), attempt(2)]);
        }
        expectSame('the body', taken[0]?.stored.intent, intent);
      },
    },
    {
      name: 'claimOpen: leaves out what is held, what is settled, and other namespaces',
      async run(setting) {
        const journal = await setting.open();
        await made(journal, intentWith('held'), 'unknown');
        await madeFree(journal, intentWith('settled'), 'rejected');
        const fence = await made(journal, intentWith('settling'), 'unknown');
        await journal.append(idOf(intentWith('settling')), fence, changeTo('done'));
        await journal.release(idOf(intentWith('settling')), fence);
        await madeFree(journal, intentWith('elsewhere', { clientId: 'client-2' }), 'unknown');
        await madeFree(journal, intentWith('free'), 'quarantined');
        expectSame('what is taken', keysHeld(await journal.claimOpen(namespace, lease('two'), 10)), ['free']);
        const other = namespaceOf(intentWith('any', { clientId: 'client-2' }).account);
        const elsewhere = await journal.claimOpen(other, lease('two'), 10);
        expectSame('what is taken there', keysHeld(elsewhere), ['elsewhere']);
        expectSame('what its own holder takes', await journal.claimOpen(namespace, lease('maker'), 10), []);
      },
    },
    {
      name: 'claimOpen: takes what was held once its lease has run out, in its turn',
      async run(setting) {
        const journal = await setting.open();
        const [first, second, third] = series(3);
        if (first === undefined || second === undefined || third === undefined) return;
        await made(journal, first, 'prepared', lease('one', setting.leaseMs));
        await made(journal, second, 'unknown', lease('one', LONG_MS));
        await madeFree(journal, third, 'quarantined');
        await setting.outlast();
        const taken = keysHeld(await journal.claimOpen(namespace, lease('two'), 10));
        expectSame('what is taken', taken, [first.key, third.key]);
      },
    },
    {
      name: 'claimOpen: takes nothing where there is nothing, or none is asked for',
      async run(setting) {
        const journal = await setting.open();
        expectSame('of none', await journal.claimOpen(namespace, lease('one'), 5), []);
        await madeFree(journal, intentWith('key-1'), 'unknown');
        expectSame('with a limit of 0', await journal.claimOpen(namespace, lease('one'), 0), []);
        const stored = await journal.read(idOf(intentWith('key-1')));
        expectThat('nobody holds it', stored !== undefined && stored.lease === undefined);
      },
    },
    {
      name: 'claimOpen: many claimers at once take every intent, and none of them twice',
      async run(setting) {
        const journals = await setting.openThree();
        const intents = series(60);
        await Promise.all(intents.map((intent) => madeFree(journals[0], intent, 'unknown')));
        const taken = await Promise.all(
          Array.from({ length: 12 }, async (_, claimer) => {
            const journal = journals[claimer % 3] ?? journals[0];
            const mine: string[] = [];
            for (;;) {
              const held = await journal.claimOpen(namespace, lease(`claimer-${claimer}`), 4);
              expectThat(`${held.length} are no more than 4`, held.length <= 4);
              mine.push(...keysHeld(held));
              // One that goes on giving would never end.
              if (held.length === 0 || mine.length > intents.length) return mine;
            }
          }),
        );
        expectSame('all that was taken', taken.flat().sort(), intents.map(({ key }) => key).sort());
      },
    },
  ];
}
