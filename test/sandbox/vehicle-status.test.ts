import { expect, it } from 'vitest';
import { onManualClock } from './caller.js';
import { paidFor, type Story, saleAfter, storyOf } from './story.js';

const vehicle = ({ sandbox, sold }: Story) => sandbox.vehicleOf(sold.lotId);
/** Messages about vehicles, oldest first. */
const told = async (story: Story, who = story.sold.who): Promise<{ resource_version: number }[]> =>
  (await story.read('notifications', who))
    .filter(({ type }: { type: string }) => type === 'vehicle.status_changed')
    .reverse();

it('a vehicle is sold with the approval, and told so before the approval, of the same version', async () => {
  const story = await saleAfter();
  expect(vehicle(story)).toMatchObject({ state: 'published', resource_version: 1 });
  await story.do('approve');
  expect(vehicle(story)).toMatchObject({ state: 'sold', resource_version: 2 });
  const [approved, moved] = await story.read('notifications', story.sold.who);
  expect([approved.type, moved.type]).toEqual(['sale.approved', 'vehicle.status_changed']);
  expect([approved.resource_version, moved.resource_version]).toEqual([2, 2]);
});

it('a vehicle is collected with the release used; a release by itself is no status', async () => {
  const story = await saleAfter(...paidFor, 'release');
  expect(vehicle(story)).toMatchObject({ state: 'sold', resource_version: 2 });
  await story.go('revoke', 'release', 'collect');
  expect(vehicle(story)).toMatchObject({ state: 'collected', resource_version: 3 });
  expect(await told(story)).toHaveLength(2);
});

it('a change of a vehicle that is in no sale is told to the bank alone, once', async () => {
  const story = await saleAfter();
  const { bank, dealer, otherBank } = story.sandbox.credentials;
  const { id } = story.sandbox.vehicleOf(story.sandbox.auctions.get('live-closed').lots[0]?.id ?? '');
  story.sandbox.actors.set(id, 'draft');
  story.sandbox.actors.set(id, 'draft');
  expect(await told(story, bank)).toMatchObject([{ resource_version: 2 }]);
  expect([await told(story, dealer), await told(story, otherBank)]).toEqual([[], []]);
});

it.each(['sold', 'collected'])('a vehicle that is %s is moved by nobody else', async (state) => {
  const story = await saleAfter(...paidFor, 'release', ...(state === 'sold' ? [] : (['collect'] as const)));
  for (const to of ['draft', 'published', 'sold']) {
    expect(() => story.sandbox.actors.set(vehicle(story).id, to)).toThrow(RangeError);
  }
  expect(vehicle(story).state).toBe(state);
});

// rule: event.shown
it('the event says what the text lists: sale, lot, private vehicle, both statuses, both versions', async () => {
  const events: { type: string; data: Record<string, unknown> }[] = [];
  const sandbox = await onManualClock({
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
  const story = await storyOf(sandbox, {}, ...paidFor, 'release', 'collect');
  await sandbox.webhooks.settled();
  const { saleId, lotId } = story.sold;
  const about = { sale_id: saleId, lot_id: lotId, vehicle_id: vehicle(story).id };
  const { resource_version } = story.newest('sale');
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
  expect(about.vehicle_id).not.toBe(lotId);
});
