import { expect, it } from 'vitest';
import { paidFor } from './commands.js';
import { saleAfter } from './story.js';

// rule: state.dispute
it('a dispute freezes what it affects until every dispute of the sale is resolved', async () => {
  const story = await saleAfter(...paidFor, 'release', 'dispute', 'dispute');
  const [first, second] = story.all('dispute').map(({ id }) => id);
  for (const id of [first ?? '', second ?? '']) {
    expect((await story.send('collect')).status).toBe(409);
    story.sandbox.clock.advance(5_000);
    const resolved = story.sandbox.actors.set(id, 'resolved');
    expect(await story.read(`disputes/${id}`)).toEqual(resolved);
    expect(resolved).toMatchObject({ state: 'resolved', resource_version: 2 });
    expect((await story.news(story.sold.who)).at(-1)).toBe('dispute.resolved');
  }
  await story.do('collect');
});

// rule: state.dispute
it('a dispute leaves other sales alone', async () => {
  const story = await saleAfter(...paidFor, 'dispute');
  await story.another({ label: 'live-closed' }, ...paidFor, 'release', 'collect');
});

it('a dispute freezes the refund of money that is credited to its sale, wherever it came in', async () => {
  const story = await saleAfter('approve');
  const other = await story.another({ label: 'live-closed' }, 'approve', 'import');
  await other.do('allocate', { sale_id: story.sold.saleId, amount: '50.00' });
  await other.do('askBack', { amount: other.sold.amount });
  await story.do('dispute');
  expect((await other.send('approveRefund')).status).toBe(409);
  story.sandbox.actors.set(story.newest('dispute').id, 'resolved');
  await other.do('approveRefund');
});

// rule: state.dispute
it('a dispute is resolved once, and by its id', async () => {
  const story = await saleAfter('dispute');
  const { id } = story.newest('dispute');
  const resolved = story.sandbox.actors.set(id, 'resolved');
  for (const which of [id, 'dsp_none']) {
    expect(() => story.sandbox.actors.set(which, 'resolved')).toThrow(RangeError);
  }
  expect(story.newest('dispute')).toEqual(resolved);
});
