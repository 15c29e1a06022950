import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.js';
import { get, onManualClock } from './caller.js';
import { authorize, cancel, collect, paidLot } from './reversals.js';
import { approvedLot, command, done, inventoryOf, type SoldLot, saleOf, wonLot } from './workflow.js';

let sandbox: Sandbox;
let sold: SoldLot;
const start = async (variants: SandboxOptions['variants'] = {}) => {
  sandbox = await onManualClock({ variants });
};
beforeEach(() => start());
afterEach(() => sandbox.close());
const restart = async (variants: SandboxOptions['variants']) => {
  await sandbox.close();
  await start(variants);
};

const vehicle = () => {
  const { status, inventoryVersion } = inventoryOf(sandbox).ofLot(sold.lotId);
  return [status, inventoryVersion];
};
/** What inboxes tell of vehicles, oldest first: the headline from the word `is` on, and the version of the sale. */
async function told(who = sold.who): Promise<[string, number][]> {
  const { data } = (await get(sandbox, who, '/api/v1/notifications')).json;
  return data
    .filter(({ type }: { type: string }) => type === 'vehicle.status_changed')
    .map((notice: { subject: string; resource_version: number }) => [
      notice.subject.replace(/^.* is /, ''),
      notice.resource_version,
    ])
    .reverse();
}

const soldAndPaid = async () => {
  sold = await paidLot(sandbox);
};
const release = async () => (await done(authorize(sandbox, sold))).id;
const collected = async (id: string) => done(collect(sandbox, sold, id));
const revoke = (id: string) =>
  done(
    command(sandbox, sandbox.credentials.bank, `/api/v1/release-authorizations/${id}/revocations`, {
      reason: 'Another day',
      expected_version: 1,
    }),
  );

it('is published until the bank approves a sale, and sold from then on', async () => {
  sold = await wonLot(sandbox);
  expect(vehicle()).toEqual(['published', 1]);
  expect(await told()).toEqual([]);
  await restart({});
  sold = await approvedLot(sandbox);
  expect(vehicle()).toEqual(['sold', 2]);
  for (const who of [sold.who, sandbox.credentials.bank]) {
    expect(await told(who)).toEqual([['sold, and was published before', 2]]);
  }
  const { rival, platform, otherBank } = sandbox.credentials;
  for (const who of [rival, platform, otherBank]) expect(await told(who)).toEqual([]);
});

it('is told before the approval is: both of the same version of the sale', async () => {
  sold = await approvedLot(sandbox);
  const { data } = (await get(sandbox, sold.who, '/api/v1/notifications')).json;
  expect(
    data.map((each: { type: string; resource_version: number }) => [each.type, each.resource_version]),
  ).toEqual([
    ['sale.approved', 2],
    ['vehicle.status_changed', 2],
  ]);
  expect(data[1].subject).toMatch(
    new RegExp(`^Sale ${sold.saleId} has the vehicle .+, which is sold, and was published before$`),
  );
});

it('is collected with the release used; a release by itself is no status', async () => {
  await soldAndPaid();
  const first = await release();
  expect(vehicle()).toEqual(['sold', 2]);
  await revoke(first);
  await collected(await release());
  expect(vehicle()).toEqual(['collected', 3]);
  expect((await told()).map(([words]) => words)).toEqual([
    'sold, and was published before',
    'collected, and was sold before',
  ]);
  expect(() => sandbox.actors.set(inventoryOf(sandbox).ofLot(sold.lotId).vehicleId, 'draft')).toThrow(
    /is collected/,
  );
});

it('is published again once the sale is cancelled', async () => {
  sold = await approvedLot(sandbox);
  await cancel(sandbox, sold);
  expect(vehicle()).toEqual(['published', 3]);
  expect((await told()).map(([words]) => words)).toEqual([
    'sold, and was published before',
    'published, and was sold before',
  ]);
});

it('is told to the bank alone where no sale is concerned', async () => {
  const lot = sandbox.auctions.get('live-closed').lots[0]?.id ?? '';
  const { vehicleId } = inventoryOf(sandbox).ofLot(lot);
  sandbox.actors.set(vehicleId, 'draft');
  sandbox.actors.set(vehicleId, 'draft');
  const { bank, dealer, otherBank } = sandbox.credentials;
  expect(await told(bank)).toEqual([['draft, and was published before', 2]]);
  expect([await told(dealer), await told(otherBank)]).toEqual([[], []]);
});

describe('the event', () => {
  const events: { type: string; data: Record<string, unknown> }[] = [];
  const subscribe = async (variants: SandboxOptions['variants'] = {}) => {
    await sandbox.close();
    events.length = 0;
    sandbox = await onManualClock({
      variants,
      webhooks: {
        send: async (request) => {
          const event = JSON.parse(await request.text());
          if (event.type !== 'webhook.endpoint_verification') events.push(event);
          return Response.json({ challenge: event.challenge });
        },
      },
    });
    const who = sandbox.credentials.dealer;
    sandbox.webhooks.subscribe({ who, url: 'https://receiver.example/', events: ['vehicle.status_changed'] });
    await sandbox.webhooks.settled();
  };

  // rule: event.shown
  it('says what the text lists: sale, lot, private vehicle, both statuses, both versions', async () => {
    await subscribe();
    await soldAndPaid();
    await collected(await release());
    await sandbox.webhooks.settled();
    const { vehicleId } = inventoryOf(sandbox).ofLot(sold.lotId);
    const about = { sale_id: sold.saleId, lot_id: sold.lotId, vehicle_id: vehicleId };
    const { resource_version } = await saleOf(sandbox, sold.saleId);
    expect(events.map(({ data }) => data)).toEqual([
      {
        ...about,
        previous_vehicle_status: 'published',
        vehicle_status: 'sold',
        inventory_version: 2,
        resource_version: 2,
      },
      {
        ...about,
        previous_vehicle_status: 'sold',
        vehicle_status: 'collected',
        inventory_version: 3,
        resource_version,
      },
    ]);
    expect(vehicleId).not.toBe(sold.lotId);
  });
});
