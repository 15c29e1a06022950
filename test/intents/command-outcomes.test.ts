import { expect, it } from 'vitest';
import { invalidFields, messageOnly, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';
import { acknowledged, record, replayed, unheard } from './desk.js';

/** The golden file of what `intents.reconcile` returns for a command: every field, and what it says. */

type Client = Awaited<ReturnType<typeof acknowledged>>['client'];

/** Reconciles a command that met these replies, by the same client or by another one later. */
async function reconciled(steps: readonly Step[], before?: (client: Client) => unknown, afterMs = 0) {
  const scene = new Scene();
  const { client } = await acknowledged(scene, steps, { maxAttempts: 1 });
  await before?.(client);
  await scene.clock.advance(afterMs);
  return scene.during(scene.dealer().client.intents.reconcile(KEY));
}

const cases: Readonly<Record<string, () => Promise<unknown>>> = {
  done: () => reconciled([record()]),
  'done, as a replay': () => reconciled([replayed()]),
  'refused with a code': () => reconciled([refusal(403, 'EMD_EXPIRED')]),
  'refused with an undocumented code': () => reconciled([refusal(403, 'SOMETHING_NEW')]),
  'refused with fields': () => reconciled([invalidFields()]),
  'not sent': () => reconciled([{ fail: 'no' }]),
  'in doubt': () => reconciled([unheard]),
  'in doubt, without a documented code': () => reconciled([messageOnly(404)]),
  'in doubt, once its key may be forgotten': () => reconciled([unheard], undefined, 40 * 24 * 3_600_000),
  'stuck, because the key has other content': () => reconciled([refusal(409, 'IDEMPOTENCY_CONFLICT')]),
  abandoned: () => reconciled([unheard], (client) => client.intents.abandon(KEY, 'checked by hand')),
  'a function of runOnce that made no call': async () => {
    const scene = new Scene();
    const { client } = scene.dealer();
    let made = '';
    const work = client.runOnce(['import', 'row 7'], async (key) => {
      made = key;
      throw new Error('before its call');
    });
    await scene.during(work.catch(() => undefined));
    return scene.during(client.intents.reconcile(made));
  },
  foreign: async () => {
    const scene = new Scene();
    await acknowledged(scene, [unheard]);
    const { client } = scene.dealer([], { baseUrl: 'https://new.bank.example/api/v1' });
    return scene.during(client.intents.reconcile(KEY));
  },
};

it('a command that is reconciled has every field, and says what happened and what to do', async () => {
  const lines = [];
  for (const [name, outcome] of Object.entries(cases)) {
    lines.push(`${name}:`, JSON.stringify(await outcome(), undefined, 2), '');
  }
  await expect(lines.join('\n')).toMatchFileSnapshot('command-outcomes.golden.txt');
});
