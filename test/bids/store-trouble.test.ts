import { describe, expect, it } from 'vitest';
import { acceptance, LOT, lookup, recordedRejection, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection, SECRET } from '../support/clients.js';
import { ASKED, BID, KEYED, LOST, mute, placedBefore, SENT } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';
import type { Trouble } from '../support/spy-store.js';

/** Nothing of a bid leaves that is not recorded, and nothing is reported that is not recorded either. */

describe('the order of a bid', () => {
  it('is at most two commits before the first byte, and one after the reply', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([acceptance()]);
    let isOutcomeKnown = false;
    const placing = client.bids.place(BID, KEYED).then((outcome) => {
      isOutcomeKnown = true;
      expect(scene.events.at(-1)).toBe('commit result');
      return outcome;
    });
    expect((await scene.during(placing)).status).toBe('accepted');
    expect(isOutcomeKnown).toBe(true);
    expect(scene.events).toEqual(['commit placed', 'commit attempt', `send ${SENT}`, 'commit result']);
  });

  it('announces each attempt before its own first byte, after the result of the one before', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([LOST, { fail: 'no' }, acceptance()]);
    await scene.during(client.bids.place(BID, KEYED));
    const attempt = ['commit attempt', `send ${SENT}`, 'commit result'];
    expect(scene.events).toEqual(['commit placed', ...attempt, ...attempt, ...attempt]);
  });

  it('records what it sends: bytes, nonce, timestamp, key, identity', async () => {
    const scene = new Scene();
    const { client, transport } = scene.platform([LOST]);
    const bid = { lot: LOT, amount: '465000.50', bidderReference: 'buyer-9', dealerId: 'D-7' };
    await scene.during(client.bids.place(bid, { ...KEYED, maxAttempts: 1, deadline: 500 }));
    const { content, row } = await scene.only();
    const [sent] = transport.sent;
    expect(row.body).toBe(JSON.stringify({ text: sent?.body }));
    expect(content).toMatchObject({
      identity: { origin: 'https://bank.example', clientId: 'cl_7f3a' },
      target: { operation: 'bids.submit', method: 'POST', path: `/api/v1/lots/${LOT}/bids`, query: '' },
      bid: { ...bid },
    });
    expect(content.log[1]).toMatchObject({
      type: 'attempt',
      n: 1,
      timestamp: Number(sent?.headers['X-Timestamp']),
      nonce: sent?.headers['X-Nonce'],
      keyId: sent?.headers['X-Key-ID'],
    });
  });

  it('records no secret and no signature, whatever the service or an error repeats', async () => {
    const echo = acceptance({ note: SECRET });
    const { scene } = await placedBefore(
      [{ fail: 'maybe', cause: new Error(`it said ${SECRET}`) }, echo],
      KEYED,
    );
    const written = (await scene.intents()).map(({ row }) => `${row.content} ${row.body}`).join('\n');
    expect(written).not.toContain(JSON.stringify(SECRET).slice(1, -1));
    expect(written).not.toMatch(/v1=[0-9a-f]{64}/);
  });
});

/** A bid whose nth transaction meets trouble; what came of the call, and what left. */
async function troubled(
  trouble: Trouble,
  nth: number,
  steps: readonly Step[] = [acceptance()],
  options: object = {},
) {
  const scene = new Scene();
  const { client, transport } = scene.dealer(steps);
  scene.store.troubles.push(...Array<undefined>(nth - 1).fill(undefined), trouble);
  const [settled] = await scene.during(
    Promise.allSettled([client.bids.place(BID, { ...KEYED, ...options })]),
  );
  scene.store.troubles.length = 0;
  const told = settled.status === 'fulfilled' ? settled.value : settled.reason;
  return { scene, client, told, lines: transport.lines, intents: await scene.intents() };
}

const storeError = (outcome: string) => ({
  name: 'StoreError',
  reason: 'unavailable',
  outcome,
  idempotencyKey: KEY,
  operation: 'bids.submit',
});

describe('where the bid can not be recorded', () => {
  it.each(['fails', 'lost'] as const)('because the store %s, nothing is sent', async (trouble) => {
    const { told, lines, intents } = await troubled(trouble, 1);
    expect(told).toMatchObject(storeError('not_sent'));
    expect([lines, intents]).toEqual([[], []]);
  });

  it('because the store hangs, nothing is sent, and the call ends soon after its deadline', async () => {
    const { told, lines, scene } = await troubled('hangs', 1, [acceptance()], { deadline: 2_000 });
    // Under a key that was given, an earlier call may have sent something.
    expect(told).toMatchObject({ status: 'unknown', reason: 'in_doubt', attempts: 0 });
    expect(lines).toEqual([]);
    expect(scene.clock.monotonic()).toBeLessThanOrEqual(8_000);
  });

  it('because the store hangs, a bid without a key is not sent', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance()]);
    scene.store.troubles.push('hangs');
    const outcome = await scene.during(client.bids.place(BID, { deadline: 2_000 }));
    expect(outcome).toMatchObject({ status: 'not_sent', reason: 'deadline', attempts: 0 });
    expect(transport.lines).toEqual([]);
  });

  it('and the store recovers, the same bid is placed as if nothing had happened', async () => {
    const { client, scene } = await troubled('fails', 1);
    expect(await scene.during(client.bids.place(BID, KEYED))).toMatchObject({
      status: 'accepted',
      attempts: 1,
    });
  });

  it('an insert whose commit was not heard is read again, and the bid goes on', async () => {
    const { told, lines } = await troubled('commits unheard', 1);
    expect(told).toMatchObject({ status: 'accepted', attempts: 1 });
    expect(lines).toEqual([SENT]);
  });

  it('an insert that lands only after the call has ended is held by no call, and never sent', async () => {
    const { scene } = await troubled('lost', 1);
    const late = (await placedBefore([refusal(403, 'SCOPE_DENIED')])).scene;
    await late.append(KEY, { type: 'placed', at: 0, placeBy: Number.MAX_SAFE_INTEGER });
    expect((await late.only()).state).toBe('ready');
    const { client, transport } = late.dealer([lookup('absent')]);
    expect(await late.during(client.recover())).toMatchObject([
      { status: 'not_sent', reason: 'interrupted' },
    ]);
    expect(transport.lines).toEqual([ASKED]);
    expect(await scene.intents()).toEqual([]);
  });
});

describe('where an attempt can not be recorded', () => {
  it('the first one is not sent, and that is on record', async () => {
    const { told, lines, intents } = await troubled('fails', 2);
    expect(told).toMatchObject(storeError('not_sent'));
    expect(lines).toEqual([]);
    expect(intents).toMatchObject([{ state: 'not_sent', log: ['placed', 'unsent'] }]);
  });

  it('a later one is not sent, and the earlier one stays in doubt', async () => {
    const { told, lines, intents } = await troubled('fails', 4, [LOST, acceptance()]);
    expect(told).toMatchObject(storeError('unknown'));
    expect(lines).toEqual([SENT]);
    expect(intents).toMatchObject([{ state: 'sent', log: ['placed', 'attempt', 'unknown'] }]);
  });

  it('because its commit was not heard, it is read again and sent, and its result is its own', async () => {
    const first = await troubled('commits unheard', 2);
    expect(first.told).toMatchObject({ status: 'accepted', attempts: 1 });
    expect(first.intents).toMatchObject([{ state: 'accepted', log: ['placed', 'attempt', 'done'] }]);
    const second = await troubled('commits unheard', 4, [LOST, { fail: 'no' }, ...mute(9)], {
      maxAttempts: 2,
    });
    expect(second.told).toMatchObject({ status: 'unknown', attempts: 2 });
    expect(second.intents[0]?.log.slice(0, 5)).toEqual([
      'placed',
      'attempt',
      'unknown',
      'attempt',
      'not_sent',
    ]);
  });

  it.each([1, 2])('because the store hangs at attempt %i, it is not sent', async (attempt) => {
    const nth = attempt === 1 ? 2 : 4;
    const { told, lines, scene } = await troubled('hangs', nth, [LOST, ...mute(9)], { deadline: 4_000 });
    const [status] = attempt === 1 ? ['not_sent'] : ['unknown'];
    expect(lines.filter((line) => line === SENT)).toHaveLength(attempt - 1);
    expect(scene.clock.monotonic()).toBeLessThanOrEqual(20_000);
    // What is recorded later can only be an attempt in doubt.
    expect(['unknown', status]).toContain((told as { status: string }).status);
  });

  it('a signature that grew old meanwhile is discarded, and the bid signed again', async () => {
    const scene = new Scene();
    const { store } = scene;
    let isSlowed = false;
    const slow = {
      name: store.name,
      durable: true,
      process: store.process,
      close: () => store.close(),
      transaction: async <T>(...args: Parameters<typeof store.transaction<T>>): Promise<T> => {
        const value = await store.transaction<T>(...args);
        if (scene.events.filter((event) => event === 'commit attempt').length === 1 && !isSlowed) {
          isSlowed = true;
          await new Promise<void>((resolve) => void scene.clock.after(61_000, resolve));
        }
        return value;
      },
    };
    const slowed = scene.dealer([acceptance()], { store: slow });
    expect(await scene.during(slowed.client.bids.place(BID, KEYED))).toMatchObject({
      status: 'accepted',
      attempts: 2,
    });
    expect((await scene.only()).log).toEqual(['placed', 'attempt', 'not_sent', 'placed', 'attempt', 'done']);
    expect(slowed.transport.lines).toEqual([SENT]);
  });
});

describe('where a result can not be recorded', () => {
  const replies: readonly (readonly [string, Step])[] = [
    ['an acceptance', acceptance()],
    ['a rejection', recordedRejection()],
    ['a refusal', refusal(403, 'SCOPE_DENIED')],
    ['no connection', { fail: 'no' }],
  ];

  it.each(replies)(
    '%s is not reported: the outcome is unknown, and a later look settles it',
    async (_, step) => {
      const { told, intents, scene } = await troubled('fails', 3, [step], { maxAttempts: 1 });
      expect(told).toMatchObject(storeError('unknown'));
      expect(intents).toMatchObject([{ state: 'sent', log: ['placed', 'attempt'] }]);
      const { client } = scene.dealer([lookup('accepted')]);
      expect((await scene.during(client.bids.place(BID, KEYED))).status).toBe('accepted');
    },
  );

  it.each(replies)(
    '%s is not reported where the store hangs: unknown, within five seconds',
    async (_, step) => {
      const { told, scene } = await troubled('hangs', 3, [step, ...mute(9)], {
        maxAttempts: 1,
        deadline: 500,
      });
      expect(told).not.toMatchObject({ status: 'accepted' });
      expect(['unknown', undefined]).toContain((told as { status?: string }).status);
      expect(scene.clock.monotonic()).toBeLessThanOrEqual(20_000);
    },
  );

  it('whose commit was not heard, it is read again and reported', async () => {
    const { told, lines } = await troubled('commits unheard', 3);
    expect(told).toMatchObject({ status: 'accepted', bidId: 'bid_77' });
    expect(lines).toEqual([SENT]);
  });

  it('what a lookup found is not reported either', async () => {
    const { told, intents } = await troubled('fails', 4, [LOST, lookup('accepted')], { maxAttempts: 1 });
    expect(told).toMatchObject({ name: 'StoreError' });
    expect(intents[0]?.state).toBe('sent');
  });
});

describe('an attempt that fails to be signed', () => {
  it('does not touch the result of the attempt before it, which may have been let in', async () => {
    const scene = new Scene();
    let nonces = 0;
    const nonce = () => {
      nonces += 1;
      // The first is that of A01.
      return nonces <= 2 ? `nonce-of-16-chars-${nonces}` : 'short';
    };
    const { client } = scene.dealer([LOST], { randomness: { nonce, fraction: () => 0 } });
    const error = await rejection(scene.during(client.bids.place(BID, KEYED)));
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      option: 'randomness.nonce',
      outcome: 'unknown',
    });
    expect(await scene.only()).toMatchObject({ state: 'sent', log: ['placed', 'attempt', 'unknown'] });
  });

  it('is not sent where it is the first', async () => {
    const scene = new Scene();
    let nonces = 0;
    const nonce = () => {
      nonces += 1;
      return nonces === 1 ? 'nonce-of-16-chars-1' : 'short';
    };
    const { client, transport } = scene.dealer([], { randomness: { nonce } });
    const error = await rejection(scene.during(client.bids.place(BID, KEYED)));
    expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'not_sent' });
    expect((await scene.only()).state).toBe('not_sent');
    expect(transport.lines).toEqual([]);
  });
});
