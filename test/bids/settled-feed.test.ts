import { describe, expect, it } from 'vitest';
import { acceptance, lookup, recordedRejection, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY } from '../support/clients.js';
import { MortalClock } from '../support/mortal-clock.js';
import { BID, KEYED, LOST, mute, placedBefore } from '../support/placed-bids.js';
import { settle } from '../support/virtual-clock.js';

/** `intents.list({ settledAfter })`: every settlement of every process, in its order, for whoever reads on. */

describe('the feed of settled bids', () => {
  it('shows what any client on the store settled, in the order of settlement', async () => {
    const scene = new Scene();
    const one = scene.dealer([LOST, ...mute(1), recordedRejection()]);
    const brief = { maxAttempts: 1, deadline: 500 };
    await scene.during(one.client.bids.place(BID, { ...KEYED, ...brief }));
    await scene.during(one.client.bids.place({ ...BID, lot: 'lot_2' }));
    const two = scene.dealer([acceptance(), lookup('accepted')]);
    await scene.during(two.client.bids.place({ ...BID, lot: 'lot_3' }));
    await scene.during(two.client.intents.reconcile(KEY));

    const reader = scene.dealer().client;
    const all = await reader.intents.list({ settledAfter: 0 });
    expect(all.map(({ lot, state }) => [lot, state])).toEqual([
      ['lot_2', 'rejected'],
      ['lot_3', 'accepted'],
      [BID.lot, 'accepted'],
    ]);
    const sequences = all.map(({ settledSequence }) => settledSequence ?? Number.NaN);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    expect(await reader.intents.list({ settledAfter: sequences[1] })).toMatchObject([
      { idempotencyKey: KEY },
    ]);
    expect(await reader.intents.list({ settledAfter: 0, limit: 1 })).toHaveLength(1);
    expect(await reader.intents.list({ settledAfter: sequences[2] })).toEqual([]);
  });

  it('shows what a process settled that was killed before it could report it', async () => {
    const scene = new Scene();
    const clock = new MortalClock(scene.clock);
    const gone = scene.dealer([acceptance()], { clock });
    void gone.client.bids.place(BID, KEYED);
    await settle();
    clock.die();
    const { client } = scene.dealer();
    expect(await client.intents.list({ settledAfter: 0 })).toMatchObject([
      { idempotencyKey: KEY, state: 'accepted' },
    ]);
  });

  it('shows a bid again, with a new sequence, when it settles in another way', async () => {
    const { scene } = await placedBefore([refusal(403, 'SCOPE_DENIED')]);
    const { client } = scene.dealer([lookup('accepted')]);
    const [refused] = await client.intents.list({ settledAfter: 0 });
    const after = refused?.settledSequence ?? Number.NaN;
    expect(refused?.state).toBe('refused');
    await scene.during(client.intents.reconcile(KEY));
    expect(await client.intents.list({ settledAfter: after })).toMatchObject([{ state: 'accepted' }]);
  });

  it('shows nothing that is open', async () => {
    const { scene } = await placedBefore([LOST]);
    const { client } = scene.dealer();
    expect(await client.intents.list({ settledAfter: 0 })).toEqual([]);
    expect(await client.intents.list()).toMatchObject([{ state: 'sent' }]);
  });
});
