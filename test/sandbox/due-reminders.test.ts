import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.js';
import { get, onManualClock } from './caller.js';
import { paid } from './funds.js';
import { allocate, cancel, news, paidLot, refund } from './reversals.js';
import { approval, approvedLot, command, done, type SoldLot, saleOf, wonLot } from './workflow.js';

let sandbox: Sandbox;
const start = async (variants: SandboxOptions['variants'] = {}) => {
  await sandbox?.close();
  sandbox = await onManualClock({ variants });
};
beforeEach(() => start());
afterEach(() => sandbox.close());

const day = 86_400_000;
/** A week is given to pay: the reminder comes on the sixth day. */
const sixDays = 6 * day;
const reminders = async (who = sandbox.credentials.bank) =>
  (await news(sandbox, who)).filter((type) => type === 'sale.payment_due').length;

describe('a reminder of what is due', () => {
  // rule: notification.inbox
  it('comes once to each inbox, a day before, and not a moment earlier', async () => {
    const sold = await approvedLot(sandbox);
    const sale = await saleOf(sandbox, sold.saleId);
    sandbox.clock.advance(sixDays - 1);
    expect(await reminders()).toBe(0);
    sandbox.clock.advance(1);
    for (const who of [sandbox.credentials.bank, sold.who]) {
      expect(await reminders(who)).toBe(1);
      const [notice] = (await get(sandbox, who, '/api/v1/notifications')).json.data;
      expect(notice).toMatchObject({
        type: 'sale.payment_due',
        subject: `Sale ${sold.saleId} is paid but for INR ${sold.amount}, due by 2026-03-08T10:00:00.000Z`,
        resource_version: sale.resource_version,
        created_at: '2026-03-07T10:00:00.000Z',
      });
    }
    expect(await reminders(sandbox.credentials.rival)).toBe(0);
    sandbox.clock.advance(10 * day);
    expect(await reminders()).toBe(1);
    expect(await saleOf(sandbox, sold.saleId)).toEqual(sale);
  });

  it('names what remains', async () => {
    const sold = await approvedLot(sandbox);
    const payment = await paid(sandbox, sold);
    const most = (Number(sold.amount) - 0.01).toFixed(2);
    await done(allocate(sandbox, payment.id, sold.saleId, most));
    sandbox.clock.advance(sixDays);
    const [notice] = (await get(sandbox, sold.who, '/api/v1/notifications')).json.data;
    expect(notice.subject).toMatch(/ but for INR 0\.01, /);
  });

  // rule: notification.inbox
  it.each<[string, (sold: SoldLot) => Promise<unknown>]>([
    ['is paid', async () => undefined],
    ['is cancelled', (sold) => cancel(sandbox, sold)],
  ])('does not come for a sale that %s', async (_, then) => {
    await then(await paidLot(sandbox));
    sandbox.clock.advance(sixDays);
    expect(await reminders()).toBe(0);
  });

  it('does not come for an unpaid sale that is cancelled', async () => {
    await cancel(sandbox, await approvedLot(sandbox));
    sandbox.clock.advance(sixDays);
    expect(await reminders()).toBe(0);
  });

  it('comes for a sale that was paid, and whose money went back', async () => {
    const sold = await paidLot(sandbox);
    await refund(sandbox, sold.paymentId, '10.00');
    sandbox.clock.advance(sixDays);
    expect(await reminders()).toBe(1);
  });

  it('does not come where the approval left no more than a day', async () => {
    const sold = await wonLot(sandbox);
    const due_at = new Date(sandbox.clock.now() + day).toISOString();
    const body = { ...(await approval(sandbox, sold)), due_at };
    const path = `/api/v1/sale-cases/${sold.saleId}/decisions`;
    await done(command(sandbox, sandbox.credentials.bank, path, body));
    sandbox.clock.advance(2 * day);
    expect(await reminders()).toBe(0);
  });
});
