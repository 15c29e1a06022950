import { describe, expect, it } from 'vitest';
import { acceptance, NOW } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { BID, BRIEF, KEYED, LOST } from '../support/placed-bids.js';

describe('metrics of a client', () => {
  it('count outcomes by call and reason, also those of derived clients and hooks of the user', async () => {
    const scene = new Scene();
    const seen: string[] = [];
    const { client } = scene.dealer([acceptance()], { onOutcome: ({ outcome }) => seen.push(outcome) });
    await scene.during(client.withOptions({ timeout: 5_000 }).bids.place(BID, KEYED));
    await scene.during(client.bids.place({ ...BID, lot: 'lot_2', placeBy: NOW - 1 }));
    const { outcomes, unresolved, quota, clock, at } = await client.metrics();
    expect(outcomes).toEqual([
      { call: 'bids.place', outcome: 'accepted', count: 1, longest: expect.any(Number) },
      { call: 'bids.place', outcome: 'not_sent', reason: 'deadline', count: 1, longest: expect.any(Number) },
    ]);
    expect(seen).toEqual(['accepted', 'not_sent']);
    expect(unresolved).toEqual({ count: 0, byState: {}, oldest: undefined });
    expect([quota.limit, quota.used, clock?.ms]).toEqual([120, 2, 0]);
    expect(at).toBeGreaterThanOrEqual(NOW);
  });

  it('show how far followers are behind, and the undocumented forms that were read', async () => {
    const scene = new Scene();
    const page = { status: 200, json: { data: [{ sale_id: 's' }], next_cursor: null } };
    const { client } = scene.dealer(Array(9).fill(page));
    const end = new AbortController();
    const { signal } = end;
    const handle = () => {
      throw new TypeError('no database');
    };
    const following = client.winnerUpdates.follow({ name: 'books', signal, handle });
    await scene.clock.advance(400);
    const { followers, tolerated } = await client.metrics();
    const call = 'winnerUpdates.follow';
    expect(followers).toEqual([{ call, name: 'books', behind: 400, failures: 1, standby: false }]);
    expect(tolerated).toEqual([]);
    end.abort();
    await scene.during(following);
    expect((await client.metrics()).followers).toEqual([]);
  });

  it('show what is in doubt, and for how long', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([LOST]);
    await scene.during(client.bids.place(BID, BRIEF));
    await scene.clock.advance(300_000);
    const { unresolved } = await client.metrics();
    expect(unresolved).toMatchObject({ count: 1, byState: { sent: 1 } });
    expect(unresolved.oldest).toBeGreaterThanOrEqual(300_000);
    expect(unresolved.oldest).toBeLessThan(310_000);
  });
});
