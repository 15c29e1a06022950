import { describe, expect, it } from 'vitest';
import { acceptance, iso, LOT, lotStatus, messageOnly, NOW } from '../support/bid-replies.js';
import { Scene, Wire } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import { BID, count, KEYED, LOST, placedBefore, SENT, sceneAfter } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** Nothing is recorded, signed or judged before a reply has told this process server time. */

const PROFILE = 'GET /integration/profile';
const profile = (at: number): Step => ({
  status: 200,
  json: { data: { client_id: 'cl_7f3a', environment: 'sandbox' }, server_time: iso(at) },
});
const second = acceptance({ bid_id: 'b2', request_id: 'r2' });

/** A client whose script answers A01, too. */
function untold(scene: Scene, steps: readonly Step[], options: object = {}) {
  const transport = new Wire(scene.events, steps);
  return { transport, client: scene.dealer([], { transport, ...options }).client };
}

describe('the first bid of a process', () => {
  it('reads A01 before anything is recorded, and is signed and limited in the time that it told', async () => {
    const scene = new Scene();
    const { client, transport } = untold(scene, [profile(NOW + 600_000), acceptance()]);
    expect((await scene.during(client.bids.place(BID, KEYED))).status).toBe('accepted');
    const attempt = ['commit placed', 'commit attempt', `send ${SENT}`, 'commit result'];
    expect(scene.events).toEqual([`send ${PROFILE}`, ...attempt]);
    expect(transport.sent[1]?.headers['X-Timestamp']).toBe(String((NOW + 600_000) / 1_000));
    expect(await client.intents.get(KEY)).toMatchObject({ placeBy: NOW + 720_000, createdAt: NOW + 600_000 });
  });

  it('reads A01 also where an earlier reply told the time, and no more once it was read', async () => {
    const scene = new Scene();
    const { client, transport } = untold(scene, [lotStatus(null), profile(NOW), acceptance(), second]);
    await scene.during(client.lots.status(LOT));
    await scene.during(client.bids.place(BID));
    await scene.during(client.bids.place({ ...BID, lot: 'lot_2' }));
    const other = SENT.replace(LOT, 'lot_2');
    expect(transport.lines).toEqual([`GET /lots/${LOT}/status`, PROFILE, SENT, other]);
  });

  it('reads A01 once for several bids that begin at the same time', async () => {
    const scene = new Scene();
    const { client, transport } = untold(scene, [profile(NOW), acceptance(), second]);
    await scene.during(Promise.all([client.bids.place(BID), client.bids.place({ ...BID, lot: 'lot_2' })]));
    expect(count(transport.lines, PROFILE)).toBe(1);
  });
});

describe('where A01 tells no time', () => {
  const mute = (count: number) => Array<Step>(count).fill(messageOnly(403));

  it.each<[why: string, step: Step, reason: string]>([
    ['is refused', messageOnly(403), 'failure'],
    ['hangs', { hang: true }, 'deadline'],
  ])('because it %s, the bid is not sent, and nothing is recorded', async (_, step, reason) => {
    const scene = new Scene();
    const { client, transport } = untold(scene, Array<Step>(3).fill(step));
    const outcome = await scene.during(client.bids.place(BID, { ...KEYED, deadline: 5_000 }));
    expect(outcome).toMatchObject({ status: 'not_sent', reason, attempts: 0, idempotencyKey: KEY });
    expect([new Set(transport.lines), await scene.intents()]).toEqual([new Set([PROFILE]), []]);
    expect(scene.clock.monotonic()).toBeLessThanOrEqual(5_000);
  });

  it('a bid that was accepted earlier is reported as accepted', async () => {
    const { scene, outcome } = await placedBefore([acceptance()]);
    expect(await scene.during(untold(scene, mute(3)).client.bids.place(BID, KEYED))).toEqual(outcome);
  });

  it('a bid in doubt is not reported as unsent, nor another one under its key', async () => {
    const scene = await sceneAfter(LOST);
    const { client } = untold(scene, mute(6));
    const doubted = { status: 'unknown', reason: 'in_doubt' };
    expect(await scene.during(client.bids.place(BID, KEYED))).toMatchObject(doubted);
    const other = await scene.during(client.bids.place({ ...BID, amount: '470000' }, KEYED));
    expect(other).toMatchObject({ ...doubted, amount: '470000', attempts: 0 });
    expect((await scene.only()).state).toBe('sent');
  });

  it('bids.submit, reconcile and recover throw a NotSentError', async () => {
    const scene = await sceneAfter(LOST);
    const { client, transport } = untold(scene, mute(9));
    const error = { name: 'NotSentError', reason: 'no_server_time', outcome: 'not_sent' };
    for (const call of [
      () => client.bids.submit(LOT, { amount: '1', dealer_id: 'D-204' }),
      () => client.intents.reconcile(KEY),
      () => client.recover(),
    ]) {
      expect(await rejection(scene.during<unknown>(call()))).toMatchObject(error);
    }
    expect(new Set(transport.lines)).toEqual(new Set([PROFILE]));
  });
});
