import { expect, it } from 'vitest';
import { type ActName, paidFor } from './commands.js';
import { aDay, plusPaise, type Story, saleAfter } from './story.js';

/** A week is given to pay: the reminder comes on the sixth day. */
const sixDays = 6 * aDay;
const reminders = async (story: Story, who = story.sandbox.credentials.bank) =>
  (await story.read('notifications', who)).filter(
    ({ type }: { type: string }) => type === 'sale.payment_due',
  );

// rule: notification.inbox
it('a reminder of what is due comes once to each inbox, a day before, and not a moment earlier', async () => {
  const story = await saleAfter('approve');
  const { bank, rival } = story.sandbox.credentials;
  const sale = story.newest('sale');
  story.sandbox.clock.advance(sixDays - 1);
  expect(await reminders(story)).toEqual([]);
  story.sandbox.clock.advance(1);
  for (const who of [bank, story.sold.who]) {
    expect(await reminders(story, who)).toMatchObject([
      { resource_version: sale.resource_version, created_at: '2026-03-07T10:00:00.000Z' },
    ]);
  }
  expect(await reminders(story, rival)).toEqual([]);
  story.sandbox.clock.advance(10 * aDay);
  expect(await reminders(story)).toHaveLength(1);
  expect(story.newest('sale')).toEqual(sale);
});

// rule: notification.inbox
it.each<[string, readonly ActName[], number]>([
  ['is paid', paidFor, 0],
  ['is cancelled', ['approve', 'cancelSale', 'approveCancellation'], 0],
  ['was paid, and whose money went back', [...paidFor, 'askBack', 'approveRefund'], 1],
])('for a sale that %s, %3$d reminders come', async (_, names, count) => {
  const story = await saleAfter(...names);
  story.sandbox.clock.advance(sixDays);
  expect(await reminders(story)).toHaveLength(count);
});

it('a reminder names what remains', async () => {
  const story = await saleAfter('approve', 'import');
  await story.do('allocate', { amount: plusPaise(story.sold.amount, -1) });
  story.sandbox.clock.advance(sixDays);
  const [{ subject }] = await reminders(story);
  expect(subject).toContain('INR 0.01,');
});

it('no reminder comes where the approval left no more than a day', async () => {
  const story = await saleAfter();
  await story.do('approve', { due_at: story.in(1) });
  story.sandbox.clock.advance(2 * aDay);
  expect(await reminders(story)).toEqual([]);
});
