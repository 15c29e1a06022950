import { expect, test } from 'vitest';
import { SandboxClock } from '../../../src/sandbox/clock.js';
import { Ids } from '../../../src/sandbox/ids.js';
import { seedParties } from '../../../src/sandbox/seed/parties.js';
import type { Delivery, Subscription } from '../../../src/sandbox/webhooks/delivery.js';
import { Outbox } from '../../../src/sandbox/webhooks/outbox.js';

test('the log keeps what is pending, and of the rest the latest 10,000', () => {
  const dispatched: Delivery[] = [];
  const outbox = new Outbox(
    new SandboxClock('manual', 0),
    new Ids(1),
    { dispatch: (delivery) => dispatched.push(delivery) },
    8,
  );
  const { dealer } = seedParties('sandbox', null, () => [], 0);
  const subscription: Subscription = {
    id: 'whs_1',
    party: dealer,
    name: 'Ours',
    url: 'https://dealer.example/',
    events: ['sale.approved'],
    secret: 'whsec_1',
    createdAt: 0,
    state: 'active',
  };
  const event = outbox.freeze('sale.approved', { n: 1 });
  const made = Array.from({ length: 10_000 }, () => outbox.deliver(subscription, event));
  for (const delivery of made.slice(1)) delivery.state = 'delivered';
  const more = [1, 2].map(() => outbox.deliver(subscription, event));
  const kept = outbox.all();
  expect(kept).toHaveLength(10_000);
  expect(kept[0]).toBe(made[0]);
  expect(kept[1]).toBe(made[3]);
  expect(kept.slice(-2)).toEqual(more);
  expect(() => outbox.find(made[1]?.id ?? '')).toThrow(RangeError);
  expect(dispatched).toHaveLength(10_002);
});
