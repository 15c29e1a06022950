import { subjectOf } from '../intent.js';
import type { Created } from '../journal.js';
import { expectKind, expectSame, expectThat } from './check.js';
import { all, attempt, changeTo, idOf, intentWith, keysOf, lease, made } from './material.js';
import type { Case } from './setting.js';

export const racing = (): readonly Case[] => [
  {
    name: 'create: of many that race for a key, one wins and the others see it',
    async run(setting) {
      const journals = await setting.openThree();
      const answers = await Promise.all(
        counted(48).map((racer) => {
          const intent = intentWith('key-1', { text: `{"racer":${racer}}` });
          const journal = journals[racer % 3] ?? journals[0];
          return journal.create(intent, changeTo('prepared'), lease(`racer-${racer}`), { exclusive: false });
        }),
      );
      const winner = theOne(answers);
      const body = `{"racer":${winner}}`;
      const [stored, ...others] = await all(journals[0].list({}));
      expectThat('there is one, and no more', stored !== undefined && others.length === 0);
      expectSame('its body', stored?.intent.body.text, body);
      expectSame('who holds it', stored?.lease?.owner, `racer-${winner}`);
      for (const answer of answers.filter((_, racer) => racer !== winner)) {
        const { stored: seen } = expectKind('a later create', answer, 'exists');
        expectSame('what a later one sees', seen.intent.body.text, body);
      }
    },
  },
  {
    name: 'create: of many exclusive ones that race for a subject, one wins and stands against the others',
    async run(setting) {
      const journals = await setting.openThree();
      const answers = await Promise.all(
        counted(24).map((racer) => {
          const intent = intentWith(`key-${racer}`, { lot: 'lot_1', buyer: 'b-1' });
          const journal = journals[racer % 3] ?? journals[0];
          return journal.create(intent, changeTo('prepared'), lease(`racer-${racer}`), { exclusive: true });
        }),
      );
      const winner = theOne(answers);
      expectSame('all there is', keysOf(await all(journals[0].list({}))), [`key-${winner}`]);
      for (const answer of answers.filter((_, racer) => racer !== winner)) {
        const { by } = expectKind('a later create', answer, 'blocked');
        expectSame('what stands against it', keysOf(by), [`key-${winner}`]);
      }
    },
  },
  {
    name: 'append: of what opens an intent again and an exclusive create for its lot, one sees the other',
    async run(setting) {
      const [one, two] = await setting.openThree();
      await Promise.all(
        counted(24).map(async (racer) => {
          const settled = intentWith(`settled-${racer}`, { lot: `lot_${racer}` });
          const { namespace, key } = idOf(settled);
          const fence = await made(one, settled, 'not_sent');
          const opening = async () => {
            await one.append({ namespace, key }, fence, changeTo('prepared', attempt(1)));
            return keysOf(await all(one.list({ namespace, open: true, subject: subjectOf(settled) })));
          };
          const twin = intentWith(`new-${racer}`, { lot: `lot_${racer}` });
          const creating = () => two.create(twin, changeTo('unknown'), lease('two'), { exclusive: true });
          // The one or the other begins first, and by more and more.
          const lead = Math.floor(racer / 2);
          const [seen, created] = await Promise.all(
            racer % 2 === 0 ? [later(lead, opening), creating()] : [opening(), later(lead, creating)],
          );
          if (created.kind !== 'blocked')
            expectThat('who opens one again sees the new one', seen.includes(twin.key));
          else expectSame('what stands against the new one', keysOf(created.by), [key]);
        }),
      );
    },
  },
  {
    name: 'create: many that have nothing to do with each other succeed at once',
    async run(setting) {
      const journals = await setting.openThree();
      const intents = counted(45).map((racer) =>
        intentWith(`key-${racer}`, { lot: `lot_${Math.floor(racer / 3)}`, buyer: `b-${racer % 3}` }),
      );
      const answers = await Promise.all(
        intents.map((intent, racer) => {
          const journal = journals[racer % 3] ?? journals[0];
          return journal.create(intent, changeTo('prepared'), lease('maker'), { exclusive: true });
        }),
      );
      for (const answer of answers) expectSame('an answer', answer, { kind: 'created', fence: 1 });
      for (const intent of intents) {
        expectSame('what was written', (await journals[1].read(idOf(intent)))?.intent, intent);
      }
      expectSame('how many there are', (await all(journals[2].list({}))).length, intents.length);
    },
  },
];

async function later<Result>(turns: number, work: () => Promise<Result>): Promise<Result> {
  for (let passed = 0; passed < turns; passed += 1) {
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
  return work();
}

function counted(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** Which answer is that of the winner. */
function theOne(answers: readonly Created[]): number {
  const winners = answers.flatMap(({ kind }, index) => (kind === 'created' ? [index] : []));
  expectSame('how many won', winners.length, 1);
  return winners[0] ?? -1;
}
