import { expectKind, expectLeaseLost, expectSame, expectThat } from './check.js';
import {
  attempt,
  changeTo,
  expected,
  idOf,
  intentWith,
  LONG_MS,
  lasting,
  lease,
  made,
  madeFree,
} from './material.js';
import type { Case } from './setting.js';

export const leasing = (): readonly Case[] => [
  {
    name: 'claim: takes what nobody holds, shows all of it, and gives a higher fence',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1', { lot: 'lot_1' });
      const fence = await made(journal, intent, 'unknown');
      await journal.append(idOf(intent), fence, changeTo('unknown', attempt(1)));
      await journal.release(idOf(intent), fence);
      const claimed = await journal.claim(idOf(intent), lease('two'));
      const { held } = expectKind('claim of a released intent', claimed, 'claimed');
      expectThat(`fence ${held.fence} is above ${fence}`, held.fence > fence);
      expectSame('what it shows', lasting(held.stored), expected(intent, 'unknown', [attempt(1)]));
      expectSame('the body', held.stored.intent.body, intent.body);
      await journal.append(idOf(intent), held.fence, changeTo('unknown', attempt(2)));
      const stored = await journal.read(idOf(intent));
      expectSame('who holds it', stored?.lease?.owner, 'two');
      expectSame('its entries', stored?.entries, [attempt(1), attempt(2)]);
    },
  },
  {
    name: 'claim: takes a settled intent too',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1');
      await madeFree(journal, intent, 'abandoned');
      const claimed = await journal.claim(idOf(intent), lease('two'));
      const { held } = expectKind('claim of a settled intent', claimed, 'claimed');
      await journal.append(idOf(intent), held.fence, changeTo('done', attempt(1)));
      expectSame('its state', (await journal.read(idOf(intent)))?.state, 'done');
    },
  },
  {
    name: 'claim: leaves alone what somebody else holds',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1');
      const fence = await made(journal, intent, 'unknown', lease('one'));
      const claimed = await journal.claim(idOf(intent), lease('two'));
      const { stored } = expectKind('claim by another', claimed, 'held');
      expectSame('what it shows', lasting(stored), expected(intent, 'unknown'));
      expectSame('who holds it', stored.lease?.owner, 'one');
      await journal.append(idOf(intent), fence, changeTo('done'));
    },
  },
  {
    name: 'claim: gives its owner anew what it holds, with a higher fence and for as long as it asks now',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1');
      const fence = await made(journal, intent, 'unknown', lease('one', setting.leaseMs));
      const claimed = await journal.claim(idOf(intent), lease('one', LONG_MS));
      const { held } = expectKind('claim by its owner', claimed, 'claimed');
      expectThat(`fence ${held.fence} is above ${fence}`, held.fence > fence);
      await setting.outlast();
      expectKind('claim by another', await journal.claim(idOf(intent), lease('two')), 'held');
      await expectLeaseLost('append with the first fence', () =>
        journal.append(idOf(intent), fence, changeTo('done')),
      );
      await journal.append(idOf(intent), held.fence, changeTo('done'));
    },
  },
  {
    name: 'claim: says so where there is no such intent',
    async run(setting) {
      const journal = await setting.open();
      await made(journal, intentWith('key-1', { clientId: 'client-2' }));
      const claimed = await journal.claim(idOf(intentWith('key-1')), lease('one'));
      expectSame('claim of what is not there', claimed, { kind: 'missing' });
    },
  },
  {
    name: 'claim: a lease lasts as long as was asked for, and no longer',
    async run(setting) {
      const journal = await setting.open();
      const [short, long] = [intentWith('short'), intentWith('long')];
      await made(journal, short, 'unknown', lease('one', setting.leaseMs));
      await made(journal, long, 'unknown', lease('one', LONG_MS));
      await setting.outlast();
      const stored = await journal.read(idOf(short));
      expectThat('nobody holds the short one', stored !== undefined && stored.lease === undefined);
      const left = (await journal.read(idOf(long)))?.lease?.leftMs ?? -1;
      expectThat(`${left} ms are left of the long one`, left > 0 && left <= LONG_MS - setting.leaseMs);
      const claimed = await journal.claim(idOf(short), lease('two', setting.leaseMs));
      expectKind('claim of the short one', claimed, 'claimed');
      expectKind('claim of the long one', await journal.claim(idOf(long), lease('two')), 'held');
      await setting.outlast();
      const third = await journal.claim(idOf(short), lease('three'));
      const { held } = expectKind('claim of the short one once more', third, 'claimed');
      expectSame('its fence', held.fence, 3);
    },
  },
  {
    name: 'claim: every success gives a higher fence, to the same claimer too',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1');
      let last = await made(journal, intent);
      for (const owner of ['one', 'one', 'two', 'one']) {
        await journal.release(idOf(intent), last);
        const { held } = expectKind('a claim', await journal.claim(idOf(intent), lease(owner)), 'claimed');
        expectThat(`fence ${held.fence} is above ${last}`, held.fence > last);
        last = held.fence;
      }
    },
  },
  {
    name: 'claim: of many that race for a free intent, one wins',
    async run(setting) {
      const journals = await setting.openThree();
      const intent = intentWith('key-1');
      await made(journals[0], intent, 'unknown', lease('one', setting.leaseMs));
      await setting.outlast();
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, racer) =>
          (journals[racer % 3] ?? journals[0]).claim(idOf(intent), lease(`racer-${racer}`)),
        ),
      );
      const winners = answers.flatMap(({ kind }, racer) => (kind === 'claimed' ? [racer] : []));
      expectSame('how many won', winners.length, 1);
      const stored = await journals[0].read(idOf(intent));
      expectSame('who holds it', stored?.lease?.owner, `racer-${winners[0]}`);
      for (const answer of answers) {
        if (answer.kind !== 'claimed') expectKind('a later claim', answer, 'held');
      }
    },
  },
  {
    name: 'release: gives the lease back, and says nothing when asked again',
    async run(setting) {
      const journal = await setting.open();
      const intent = intentWith('key-1');
      const fence = await made(journal, intent, 'unknown');
      await journal.release(idOf(intent), fence);
      await journal.release(idOf(intent), fence);
      const stored = await journal.read(idOf(intent));
      expectThat('nobody holds it', stored !== undefined && stored.lease === undefined);
      expectSame('what is there', stored && lasting(stored), expected(intent, 'unknown'));
      expectKind('a claim', await journal.claim(idOf(intent), lease('two')), 'claimed');
    },
  },
];
