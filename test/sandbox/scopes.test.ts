import { expect, it, onTestFinished } from 'vitest';
import type { Operation } from '../../src/api/operation.js';
import { resources } from '../../src/api/service.js';
import { onManualClock, send } from './caller.js';
import { told } from './story.js';

const operations = resources.flatMap((each) => Object.values<Operation>(each.operations));

// rule: general.5, access.scope
it('every operation is refused to the other actor and without its scope, before anything else is looked at', async () => {
  const sandbox = await onManualClock({ variants: { 'webhook-operative': 'on' } });
  onTestFinished(() => sandbox.close());
  const { dealer, bank } = sandbox.credentials;
  const every = [...new Set(operations.map(({ scope }) => scope))];
  for (const { id, method, path, scope, actors = ['bank', 'partner'] } of operations) {
    const sent = { path: `/api/v1${path.replace(/\{.*?\}/g, 'x')}`, ...(method !== 'GET' && { body: {} }) };
    const request = method === 'PATCH' ? { ...sent, body: { _method: method }, sign: { method } } : sent;
    for (const [actor, who] of [
      ['bank', bank],
      ['partner', dealer],
    ] as const) {
      const answerWith = async (scopes: readonly string[]) => {
        sandbox.partners.update(who.clientId, { scopes } as never);
        return told(await send(sandbox, who, request));
      };
      const refused = [403, 'SCOPE_DENIED'];
      expect([id, actor, await answerWith(every.filter((each) => each !== scope))]).toEqual([
        id,
        actor,
        refused,
      ]);
      const answered = await answerWith([scope]);
      if (actors.includes(actor)) expect([id, actor, answered]).not.toEqual([id, actor, refused]);
      else expect([id, actor, answered]).toEqual([id, actor, refused]);
    }
  }
});
