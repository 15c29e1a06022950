import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BankClient, fetchTransport, PartnerClient, readWinnerUpdate } from '../../src/index.js';
import { startSandbox } from '../../src/sandbox/index.js';
import { deployment } from './stage.js';

/** A dealer and a bank against the sandbox, in process and in its time, which passes only while nothing is on its way. */
async function world() {
  const sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', deployment });
  let onTheWay = 0;
  const requests: string[] = [];
  const transport = fetchTransport(async (input, init) => {
    onTheWay += 1;
    requests.push(String(input));
    try {
      return await sandbox.fetch(input, init);
    } finally {
      onTheWay -= 1;
    }
  });
  const { dealer, bank } = sandbox.credentials;
  const common = {
    baseUrl: sandbox.baseUrl,
    environment: 'sandbox' as const,
    clock: sandbox.clock,
    transport,
    logLevel: 'off' as const,
    randomness: { uuid: randomUUID, nonce: randomUUID, fraction: () => 0 },
  };
  const { dealerId, ...credentials } = dealer;
  const auction = new PartnerClient({ ...common, credentials, partnerType: 'direct_dealer', dealerId });
  const seller = new BankClient({ ...common, credentials: bank });
  return {
    sandbox,
    auction,
    seller,
    requests,
    /** Lets time pass until this holds. */
    async until(holds: () => boolean): Promise<void> {
      while (!holds()) {
        if (onTheWay === 0) sandbox.clock.advance(250);
        for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([auction.close(), seller.close()]);
      await sandbox.close();
    },
  };
}

describe('following the sandbox', () => {
  it('hands a win to its follower once the bank has approved it, and both sides can wait for the sale', async () => {
    await using stage = await world();
    const { sandbox, auction, seller } = stage;
    const open = sandbox.auctions.get('live-open');
    const [lot] = open.lots;
    const won: unknown[] = [];
    const inbox: unknown[] = [];
    const following = Promise.all([
      auction.winnerUpdates.follow({ name: 'wins', handle: (update) => won.push(readWinnerUpdate(update)) }),
      auction.notifications.follow({ name: 'inbox', handle: ({ type }) => inbox.push(type) }),
    ]);
    await withTime(stage, auction.bids.submit(lot?.id ?? '', { amount: lot?.startingPrice ?? '' }));
    sandbox.auctions.close(open.id);
    const [sale] = await withTime(stage, auction.saleCases.list().toArray());
    if (sale === undefined) throw new Error('no sale');
    const approved = auction.saleCases.waitUntilApproved(sale);
    await withTime(
      stage,
      seller.saleCases.decide(sale, {
        decision: 'approved',
        bid_id: sale.data?.bid_id,
        reason: 'Highest bid',
        terms_version: 'T3',
        due_at: '2026-04-01T10:00:00Z',
        payee_instructions: 'NEFT to 000111222333',
      }),
    );
    expect(await withTime(stage, approved)).toMatchObject({ id: sale.id, state: 'approved' });
    await stage.until(() => won.length > 0 && inbox.length > 0);
    expect(won).toMatchObject([{ complete: true, data: { saleId: sale.id, lotId: lot?.id } }]);
    expect(inbox).toContain('sale.approved');
    await auction.close();
    await following;
  });
});

async function withTime<T>(stage: Awaited<ReturnType<typeof world>>, call: Promise<T>): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  call.then(over, over);
  await stage.until(() => isOver);
  return call;
}
