import { expectKind, expectLeaseLost, expectSame, expectThat } from './check.js';
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
  series,
} from './material.js';
import type { Case, Setting } from './setting.js';

const restarts = ['closed', 'killed'] as const;

export const reopening = (): readonly Case[] =>
  restarts.flatMap((how) =>
    [
      {
        name: 'everything that was written is there',
        async run(setting: Setting) {
          let journal = await setting.open();
          if (!journal.durable) return;
          const intents = series(12, { lot: 'lot_1' });
          for (const [index, intent] of intents.entries()) {
            const fence = await made(journal, intent, 'prepared');
            const state = index % 3 === 0 ? 'accepted' : 'unknown';
            await journal.append(idOf(intent), fence, changeTo(state, attempt(2), attempt(1)));
            // Restarts in the middle: nothing may be there twice either.
            if (index === 3 || index === 7) journal = await setting.restart(journal, how);
          }
          journal = await setting.restart(journal, how);
          const listed = await all(journal.list({}));
          expectSame(
            'all there is',
            listed.map(lasting),
            intents.map((intent, index) =>
              expected(intent, index % 3 === 0 ? 'accepted' : 'unknown', [attempt(2), attempt(1)]),
            ),
          );
          for (const { intent, state } of listed) {
            if (state === 'unknown')
              expectSame('its body', intent.body, intents.find(({ key }) => key === intent.key)?.body);
          }
        },
      },
      {
        name: 'a key stays taken, and an open subject stays so',
        async run(setting: Setting) {
          const journal = await setting.open();
          if (!journal.durable) return;
          const intent = intentWith('key-1', { lot: 'lot_1' });
          await made(journal, intent, 'unknown');
          await made(journal, intentWith('key-2', { lot: 'lot_2' }), 'rejected');
          const next = await setting.restart(journal, how);
          const rules = { exclusive: true };
          for (const [key, lot, kind] of [
            ['key-1', 'lot_1', 'exists'],
            ['key-2', 'lot_2', 'exists'],
            ['key-3', 'lot_1', 'blocked'],
            ['key-4', 'lot_2', 'created'],
          ] as const) {
            const answer = await next.create(
              intentWith(key, { lot }),
              changeTo('prepared'),
              lease('one'),
              rules,
            );
            expectKind(`create of ${key}`, answer, kind);
          }
          const settled = keysOf(await all(next.list({ open: false })));
          expectSame('the settled ones', settled, ['key-2']);
        },
      },
      {
        name: 'fences go on growing, and old ones stay lost',
        async run(setting: Setting) {
          let journal = await setting.open();
          if (!journal.durable) return;
          const intent = intentWith('key-1', { lot: 'lot_1' });
          const fences = [await made(journal, intent, 'unknown', lease('one', setting.leaseMs))];
          for (const owner of ['two', 'three']) {
            journal = await setting.restart(journal, how);
            await setting.outlast();
            const claimed = await journal.claim(idOf(intent), lease(owner, setting.leaseMs));
            const { fence } = expectKind('a claim', claimed, 'claimed').held;
            for (const late of fences) {
              expectThat(`fence ${fence} is above ${late}`, fence > late);
              await expectLeaseLost(`append with fence ${late}`, () =>
                journal.append(idOf(intent), late, changeTo('done')),
              );
            }
            await journal.append(idOf(intent), fence, changeTo('unknown', attempt(fence)));
            fences.push(fence);
          }
          const entries = fences.slice(1).map(attempt);
          journal = await setting.restart(journal, how);
          const stored = await journal.read(idOf(intent));
          expectSame('what is there', stored && lasting(stored), expected(intent, 'unknown', entries));
        },
      },
      {
        name: 'what is open is found by claimOpen, the oldest first',
        async run(setting: Setting) {
          const journal = await setting.open();
          if (!journal.durable) return;
          const intents = series(6);
          for (const [index, intent] of intents.entries()) {
            await madeFree(journal, intent, index % 2 === 0 ? 'unknown' : 'done');
          }
          const next = await setting.restart(journal, how);
          const taken = await next.claimOpen(idOf(intentWith('any')).namespace, lease('two'), 10);
          const open = intents.filter((_, index) => index % 2 === 0);
          expectSame(
            'what is taken',
            taken.map(({ stored }) => stored.intent),
            open,
          );
        },
      },
    ].map(({ name, run }): Case => ({ name: `restart, ${how}: ${name}`, run })),
  );
