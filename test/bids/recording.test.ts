import { describe, expect, it } from 'vitest';
import { acceptance, lookup, recordedRejection, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, SECRET } from '../support/clients.js';
import {
  BID,
  count,
  KEYED,
  LOST,
  mute,
  placed,
  reconciled,
  SENT,
  UNCONNECTED,
} from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';
import type { Trouble } from '../support/spy-store.js';
import { settle } from '../support/virtual-clock.js';

/** Nothing of a bid leaves that is not recorded, and nothing is reported that is not recorded either. */

describe('the order of a bid', () => {
  // rule: bid.9
  it('is two commits before the first byte, and for each attempt one before and one after it', async () => {
    const { scene } = await placed([LOST, UNCONNECTED, acceptance()]);
    const attempt = ['commit attempt', `send ${SENT}`, 'commit result'];
    expect(scene.events).toEqual(['commit placed', ...attempt, ...attempt, ...attempt]);
  });

  it('records no secret and no signature, whatever the service or an error repeats', async () => {
    const echo = acceptance({ note: SECRET });
    const { intents } = await placed([{ fail: 'maybe', cause: new Error(`it said ${SECRET}`) }, echo]);
    const written = intents.map(({ row }) => `${row.content} ${row.body}`).join('\n');
    expect(written).not.toContain(JSON.stringify(SECRET).slice(1, -1));
    expect(written).not.toMatch(/v1=[0-9a-f]{64}/);
  });
});

/** A bid whose nth transaction meets trouble. */
async function troubled(
  trouble: Trouble,
  nth: number,
  steps: readonly Step[] = [acceptance()],
  options: object = {},
) {
  const scene = new Scene();
  scene.store.troubles.push(...Array<undefined>(nth - 1).fill(undefined), trouble);
  const found = await placed(steps, { scene, options: { ...KEYED, ...options } });
  scene.store.troubles.length = 0;
  const [{ state, log } = { state: undefined, log: undefined }] = await scene.intents();
  return { ...found, state, log };
}

const storeError = (outcome: string) => ({
  name: 'StoreError',
  reason: 'unavailable',
  outcome,
  idempotencyKey: KEY,
  operation: 'bids.submit',
});

describe('where the bid can not be recorded', () => {
  it.each(['fails', 'lost'] as const)(
    'because the store %s, nothing is sent, and it can be placed later',
    async (trouble) => {
      const { outcome, lines, intents, scene } = await troubled(trouble, 1);
      expect(outcome).toMatchObject(storeError('not_sent'));
      expect([lines, intents]).toEqual([[], []]);
      expect((await placed([acceptance()], { scene })).outcome).toMatchObject({
        status: 'accepted',
        attempts: 1,
      });
    },
  );

  it('because the store hangs, nothing is sent, and the call ends soon after its deadline', async () => {
    const { outcome, lines, scene } = await troubled('hangs', 1, [], { deadline: 2_000 });
    // Under a key that was given, an earlier call may have sent something.
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'in_doubt', attempts: 0 });
    expect([lines, scene.clock.monotonic() <= 8_000]).toEqual([[], true]);
    const own = new Scene();
    own.store.troubles.push('hangs');
    const { outcome: unkeyed } = await placed([], { scene: own, options: { deadline: 2_000 } });
    expect(unkeyed).toMatchObject({ status: 'not_sent', reason: 'deadline', attempts: 0 });
  });

  it('an insert whose commit was not heard is read again, and the bid goes on', async () => {
    const { outcome, lines } = await troubled('commits unheard', 1);
    expect([outcome, lines]).toMatchObject([{ status: 'accepted', attempts: 1 }, [SENT]]);
  });
});

describe('where an attempt can not be recorded', () => {
  it.each<[which: string, nth: number, steps: Step[], outcome: string, found: object]>([
    ['the first one', 2, [], 'not_sent', { lines: [], state: 'not_sent', log: ['placed', 'unsent'] }],
    [
      'a later one',
      4,
      [LOST],
      'unknown',
      { lines: [SENT], state: 'sent', log: ['placed', 'attempt', 'unknown'] },
    ],
  ])('%s is not sent, and that is on record', async (_, nth, steps, outcome, found) => {
    const after = await troubled('fails', nth, steps);
    expect(after).toMatchObject({ ...found, outcome: storeError(outcome) });
  });

  it('because its commit was not heard, it is read again and sent, and its result is its own', async () => {
    const first = await troubled('commits unheard', 2);
    expect(first).toMatchObject({ state: 'accepted', log: ['placed', 'attempt', 'done'] });
    const options = { maxAttempts: 2 };
    const second = await troubled('commits unheard', 4, [LOST, UNCONNECTED, ...mute(9)], options);
    expect(second.outcome).toMatchObject({ status: 'unknown', attempts: 2 });
    expect(second.log?.slice(0, 5)).toEqual(['placed', 'attempt', 'unknown', 'attempt', 'not_sent']);
  });

  it.each([
    ['first', 2, 0],
    ['second', 4, 1],
  ])('because the store hangs, the %s is not sent', async (_, nth, sent) => {
    const { status, lines, scene } = await troubled('hangs', nth, [LOST, ...mute(9)], { deadline: 4_000 });
    expect(count(lines, SENT)).toBe(sent);
    expect(scene.clock.monotonic()).toBeLessThanOrEqual(20_000);
    // What is recorded later can only be an attempt in doubt.
    expect(sent === 0 ? ['unknown', 'not_sent'] : ['unknown']).toContain(status);
  });
});

describe('where a result can not be recorded', () => {
  it.each<[what: string, step: Step]>([
    ['an acceptance', acceptance()],
    ['a rejection', recordedRejection()],
    ['a refusal', refusal(403, 'SCOPE_DENIED')],
    ['no connection', UNCONNECTED],
  ])('%s is not reported: the outcome is unknown, and a later look settles it', async (_, step) => {
    for (const trouble of ['fails', 'lost'] as const) {
      const { outcome, state, log, scene } = await troubled(trouble, 3, [step], { maxAttempts: 1 });
      expect([outcome, state, log]).toMatchObject([storeError('unknown'), 'sent', ['placed', 'attempt']]);
      expect((await reconciled(scene, [lookup('accepted')])).status).toBe('accepted');
    }
    const hung = await troubled('hangs', 3, [step, ...mute(9)], { maxAttempts: 1, deadline: 500 });
    expect(['unknown', undefined]).toContain(hung.status);
    expect(hung.scene.clock.monotonic()).toBeLessThanOrEqual(20_000);
  });

  it('whose commit was not heard, it is read again and reported', async () => {
    const { outcome, lines } = await troubled('commits unheard', 3);
    expect([outcome, lines]).toMatchObject([{ status: 'accepted', bidId: 'bid_77' }, [SENT]]);
  });
});

describe('an attempt that fails to be signed', () => {
  it.each<[which: string, good: number, outcome: string, state: string]>([
    // The first nonce is that of A01.
    ['the second: the first may have been let in', 2, 'unknown', 'sent'],
    ['the first: nothing was sent', 1, 'not_sent', 'not_sent'],
  ])('is a ConfigurationError (%s)', async (_, good, outcome, state) => {
    let nonces = 0;
    const nonce = () => {
      nonces += 1;
      return nonces <= good ? `nonce-of-16-chars-${nonces}` : 'short';
    };
    const found = await placed([LOST], { client: { randomness: { nonce, fraction: () => 0 } } });
    expect(found.outcome).toMatchObject({ name: 'ConfigurationError', option: 'randomness.nonce', outcome });
    expect(found.state).toBe(state);
  });
});

it('no bid waits for retention, and the store is closed only after it', async () => {
  const scene = new Scene();
  const deletion = scene.store.pauseAt(4);
  const { client } = scene.dealer([acceptance()]);
  expect((await scene.during(client.bids.place(BID))).status).toBe('accepted');
  await deletion.reached;
  const closing = client.close();
  await settle();
  expect(scene.store.closed).toBe(0);
  deletion.goOn();
  await closing;
  expect(scene.store.closed).toBe(1);
});
