import { expect, it } from 'vitest';
import { onManualClock } from './caller.js';
import { paidFor } from './commands.js';
import { type Story, saleAfter, storyOf } from './story.js';
import { Receiver, subscribed } from './webhooks/receivers.js';

const vehicle = ({ sandbox, sold }: Story) => sandbox.vehicleOf(sold.lotId);
/** Messages about vehicles, oldest first. */
const told = async (story: Story, who = story.sold.who): Promise<{ resource_version: number }[]> =>
  (await story.read('notifications', who))
    .filter(({ type }: { type: string }) => type === 'vehicle.status_changed')
    .reverse();

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
  const receiver = new Receiver();
  const sandbox = await onManualClock({ webhooks: { send: receiver.send } });
  await subscribed(sandbox, sandbox.credentials.dealer, ['vehicle.status_changed']);
  const story = await storyOf(sandbox, {}, ...paidFor, 'release', 'collect');
  await sandbox.webhooks.settled();
  const { saleId, lotId } = story.sold;
  const about = { sale_id: saleId, lot_id: lotId, vehicle_id: vehicle(story).id };
  const { resource_version } = story.newest('sale');
  const sold = { previous_vehicle_status: 'published', vehicle_status: 'sold', inventory_version: 2 };
  const gone = { previous_vehicle_status: 'sold', vehicle_status: 'collected', inventory_version: 3 };
  expect(receiver.events.map(({ event }) => event.data)).toEqual([
    { ...about, ...sold, resource_version: 2 },
    { ...about, ...gone, resource_version },
  ]);
  expect(about.vehicle_id).not.toBe(lotId);
});
