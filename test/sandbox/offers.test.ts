import { expect, it } from 'vitest';
import { lotOf, onManualClock, plus } from './caller.js';
import { aDay, type Story, saleAfter, storyOf, told } from './story.js';

const offers = (story: Story) => story.all('offer').map(({ state }) => state);
const sale = (story: Story) => story.read(`sale-cases/${story.sold.saleId}`);

// rule: state.offer
it.each(['open', 'accepted'])('a second offer supersedes one that is %s', async (state) => {
  const story = await saleAfter('offer', ...(state === 'accepted' ? (['accept'] as const) : []));
  const first = story.newest('offer');
  const second = await story.do('offer', { amount: '320000.00' });
  expect((await sale(story)).data.active_offer).toEqual({ ...second, sale_id: story.sold.saleId });
  expect(offers(story)).toEqual(['superseded', 'open']);
  expect((await story.news()).slice(-2)).toEqual(['offer.superseded', 'offer.made']);
  const { resource_version: expected_version } = story.all('offer')[0] ?? first;
  expect(expected_version).toBe(first.resource_version + 1);
  const late = await story.sendTo(`offers/${first.id}/responses`, 'accept', { expected_version });
  expect(told(late)).toEqual([409, ['message']]);
});

// rule: state.offer
it('an offer lapses at its time, and can be answered until then', async () => {
  const [early, late] = [await saleAfter('offer'), await saleAfter('offer')];
  early.sandbox.clock.advance(aDay - 1);
  await early.do('accept');
  const before = late.newest('sale');
  late.sandbox.clock.advance(aDay + 5_000);
  const at = '2026-03-02T10:00:00.000Z';
  expect(late.newest('offer')).toMatchObject({ state: 'expired', resource_version: 2, updated_at: at });
  const version = before.resource_version + 1;
  expect(late.newest('sale')).toEqual({ ...before, resource_version: version, updated_at: at });
  expect((await sale(late)).data.active_offer).toBeNull();
  const [notice] = await late.read('notifications', late.sold.who);
  expect(notice).toMatchObject({ type: 'offer.expired', created_at: at });
});

it.each(['accept', 'decline', 'offer'] as const)('after %s an earlier offer lapses no more', async (end) => {
  const story = await saleAfter('offer');
  await story.do(end, end === 'offer' ? { valid_until: story.in(4) } : {});
  const before = await story.everything();
  story.sandbox.clock.advance(aDay);
  expect(await story.everything()).toEqual(before);
});

// rule: state.sale, state.offer
it('an approval with an accepted offer names it and its terms, and makes its amount the sale’s', async () => {
  const story = await saleAfter('offer', 'accept');
  for (const [change, field] of [
    [{ offer_id: undefined }, 'offer_id'],
    [{ offer_id: 'off_other' }, 'offer_id'],
    [{ terms_version: 'T8' }, 'terms_version'],
  ] as const) {
    expect(told(await story.send('approve', change))).toEqual([422, [field]]);
  }
  const { data } = await story.do('approve');
  expect([data.amount, data.terms_version]).toEqual(['310000.50', 'T7']);
  expect((await sale(story)).data.active_offer).toMatchObject({ state: 'accepted' });
});

// rule: state.sale
it('an approval takes the amount of the bid where the offer was declined, and takes no offer then', async () => {
  const story = await saleAfter('offer', 'decline');
  const { id } = story.newest('offer');
  expect(told(await story.send('approve', { offer_id: id }))).toEqual([422, ['offer_id']]);
  expect((await story.do('approve')).data.amount).toBe(story.sold.amount);
});

it('an accepted offer that lapsed is still shown, and makes room for another one', async () => {
  const story = await saleAfter('offer', 'accept');
  story.sandbox.clock.advance(aDay);
  expect((await sale(story)).data.active_offer).toMatchObject({ state: 'accepted' });
  await story.go('offer', 'accept', 'approve');
  expect(offers(story)).toEqual(['superseded', 'accepted']);
});

// rule: state.offer
it('an offer tells the buyer nothing of the bids of others', async () => {
  const sandbox = await onManualClock();
  const { id, startingPrice } = lotOf(sandbox, 'live-open');
  const theirs = plus(startingPrice, 5_000);
  const { bidId } = sandbox.actors.rival.bid(id, theirs);
  const story = await storyOf(sandbox, { amount: plus(startingPrice, 10_000) });
  await story.go('offer', 'accept');
  const { clientId, dealerId } = sandbox.credentials.rival;
  const seen = await Promise.all(
    [`sale-cases/${story.sold.saleId}`, `lots/${id}/status`, 'sale-cases', 'notifications'].map((path) =>
      story.read(path, story.sold.who),
    ),
  );
  const text = JSON.stringify(seen);
  expect(text).toContain(story.newest('offer').id);
  for (const secret of [theirs, bidId, clientId, dealerId ?? '?']) expect(text).not.toContain(secret);
});
