import { expect, it } from 'vitest';
import { paidFor } from './commands.js';
import { aDay, plusPaise, type Story, saleAfter, told } from './story.js';

const released = [...paidFor, 'release'] as const;

// rule: state.release
it('a release waits for the last paisa', async () => {
  const story = await saleAfter('approve', 'acknowledge', 'import');
  await story.do('allocate', { amount: plusPaise(story.sold.amount, -1) });
  expect(told(await story.send('release'))).toEqual([409, ['message']]);
  await story.do('allocate', { amount: '0.01' });
  await story.do('release');
});

// rule: state.release
it('a release lapses at its time, and can be collected until then', async () => {
  const [early, story] = [await saleAfter(...released), await saleAfter(...released)];
  early.sandbox.clock.advance(3 * aDay - 1);
  await early.do('collect');
  const [{ id }, sale] = [story.newest('release'), story.newest('sale')];
  story.sandbox.clock.advance(3 * aDay + 60_000);
  expect(await story.read(`release-authorizations/${id}`)).toMatchObject({
    state: 'expired',
    resource_version: 2,
    updated_at: '2026-03-04T10:00:00.000Z',
  });
  for (const who of [story.sandbox.credentials.bank, story.sold.who]) {
    expect((await story.news(who)).at(-1)).toBe('release.expired');
  }
  expect(story.newest('sale')).toEqual(sale);
});

it.each(['revoke', 'collect'] as const)('after %s a release lapses no more', async (end) => {
  const story = await saleAfter(...released, end);
  const before = await story.everything();
  // The reminder of what is due comes later.
  story.sandbox.clock.advance(4 * aDay);
  expect(await story.everything()).toEqual(before);
});

// rule: state.release
it.each([['revoke', 'collect'] as const, ['collect', 'revoke'] as const])(
  'of %s and %s at once, the first holds',
  async (...both) => {
    const story = await saleAfter(...released);
    const replies = await Promise.all(both.map((name) => story.send(name)));
    expect(replies.map(({ status }) => status)).toEqual([200, 409]);
    expect(story.newest('release')).toEqual(replies[0]?.json.data);
    const committed = story.sandbox.ledger().filter(({ operation }) => /A5[46]/.test(operation));
    expect(committed).toHaveLength(1);
  },
);

/** The number in the bank's own field. */
async function chassisOf(story: Story): Promise<string> {
  const event = story.sandbox.auctions.get('live-open').id;
  const lot = await story.read(`events/${event}/lots/${story.sold.lotId}`, story.sold.who);
  return lot.vehicle_details['Chassis Number'];
}
const spaced = (text: string) => [...text.toLowerCase()].join(' ');

it.each<[string, (plate: string, chassis: string) => unknown]>([
  ['the plate, spaced and in small letters', (plate) => ` ${spaced(plate)}`],
  ['the chassis number', (_, chassis) => chassis],
  ['an object with the plate in it', (plate) => ({ seen_by: 'A. Rao', plate })],
  ['an object with the chassis number in it', (_, chassis) => ({ vin: spaced(chassis) })],
])('the vehicle is known by %s', async (_, identity) => {
  const story = await saleAfter(...released);
  const vehicle_identity = identity(story.plate, await chassisOf(story));
  expect((await story.do('collect', { vehicle_identity })).data).toMatchObject({ vehicle_identity });
});

// rule: state.release
it('nothing else is taken for the vehicle', async () => {
  const story = await saleAfter(...released);
  const { plate } = story;
  const others = ['MH01AA0001', `${plate}1`, plate.slice(0, -1), '   ', { make: 'Tata' }, { of: { plate } }];
  for (const vehicle_identity of others) {
    expect(told(await story.send('collect', { vehicle_identity }))).toEqual([422, ['vehicle_identity']]);
  }
  expect(story.newest('release').state).toBe('valid');
});
