import { describe, expect, it } from 'vitest';
import { Scene } from '../support/bidders.js';
import { BID, KEYED } from '../support/placed-bids.js';
import { SmallService } from '../support/small-service.js';

/** A service that is gone for seconds: a bid is tried until its deadline. */

const lots = (count: number) => Array.from({ length: count }, (_, index) => `lot_${index}`);

function bidder(service: (scene: Scene) => SmallService, options: object = {}) {
  const scene = new Scene();
  const transport = service(scene);
  return { scene, transport, client: scene.dealer([], { transport, ...options }).client };
}

describe('twenty-four bids at once through four seconds', () => {
  it.each([
    ['without a backend (502)', 'bad gateway'],
    ['without a proxy or a name server', 'unreachable'],
    ['in which every reply is lost', 'replies lost'],
    ['of maintenance (503)', 'maintenance'],
    ['of a throttle that asks to wait an hour', 'throttled'],
  ] as const)('%s are all settled as the service has them', async (_, trouble) => {
    const at = bidder(({ clock }) => new SmallService(clock, [{ from: 1_000, until: 5_000, trouble }]));
    await at.scene.during(at.client.verify());
    await at.scene.clock.advance(1_000);
    const outcomes = await at.scene.during(
      Promise.all(lots(24).map((lot) => at.client.bids.place({ ...BID, lot }))),
    );
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['accepted']));
    expect(at.transport.accepted).toBe(24);
    // The attempts of the outage count in the quota: some bids wait for the next minute.
    expect(at.scene.clock.monotonic()).toBeLessThan(70_000);
  });

  it.each(['unreachable', 'throttled'] as const)(
    'are all settled where server time is not known before (%s)',
    async (trouble) => {
      const at = bidder(({ clock }) => new SmallService(clock, [{ from: 0, until: 4_000, trouble }]));
      const outcomes = await at.scene.during(
        Promise.all(lots(24).map((lot) => at.client.bids.place({ ...BID, lot }))),
      );
      expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['accepted']));
    },
  );
});

describe('a service that stays unreachable', () => {
  const gone = ({ clock }: Scene) =>
    new SmallService(clock, [{ from: 1_000, until: Number.POSITIVE_INFINITY, trouble: 'unreachable' }]);

  it.each<[what: string, bid: object, options: object, ms: number]>([
    ['for the deadline of the call', {}, {}, 92_000],
    ['until placeBy', { placeBy: Date.parse('2026-03-02T06:00:21Z') }, {}, 21_000],
  ])('a bid is tried %s, and was not sent', async (_, bid, options, ms) => {
    const at = bidder(gone);
    await at.scene.during(at.client.verify());
    await at.scene.clock.advance(1_000);
    const outcome = await at.scene.during(at.client.bids.place({ ...BID, ...bid }, { ...KEYED, ...options }));
    expect(outcome).toMatchObject({ status: 'not_sent' });
    expect(outcome.attempts).toBeGreaterThan(5);
    expect(at.scene.clock.monotonic()).toBeLessThanOrEqual(ms + 1_000);
    expect(at.scene.clock.monotonic()).toBeGreaterThan(ms - 9_000);
  });

  it('an explicit maxAttempts holds, of the call and of the client', async () => {
    for (const [client, call] of [
      [{}, { maxAttempts: 2 }],
      [{ maxAttempts: 2 }, {}],
    ]) {
      const at = bidder(gone, client);
      await at.scene.during(at.client.verify());
      await at.scene.clock.advance(1_000);
      const outcome = await at.scene.during(at.client.bids.place(BID, { ...KEYED, ...call }));
      expect(outcome).toMatchObject({ status: 'not_sent', attempts: 2 });
    }
  });

  it('the reading of server time is tried for the deadline, too, and names the cause', async () => {
    const trouble = 'unreachable';
    const at = bidder(
      ({ clock }) => new SmallService(clock, [{ from: 0, until: Number.POSITIVE_INFINITY, trouble }]),
    );
    const outcome = await at.scene.during(at.client.bids.place(BID));
    expect(outcome).toMatchObject({ status: 'not_sent', reason: 'failure', attempts: 0 });
    expect(at.scene.clock.monotonic()).toBeGreaterThan(80_000);
  });
});

it('an outage of the lookups alone leaves no bid unknown', async () => {
  // The bid is taken, its reply is no JSON, and every lookup fails for 20 s.
  const at = bidder(
    ({ clock }) => new SmallService(clock, [{ from: 0, until: 20_000, trouble: 'lookups fail' }]),
  );
  const outcome = await at.scene.during(at.client.bids.place(BID));
  expect(outcome).toMatchObject({ status: 'accepted' });
  expect(at.transport.accepted).toBe(1);
});
