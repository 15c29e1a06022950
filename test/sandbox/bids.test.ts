import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { bid, get, lotOf, plus } from './caller.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

describe('bids', () => {
  // rule: page.bids, limit.fixed-pages
  test('the list has the framework’s envelope', async () => {
    const { platform } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-open');
    const url = (page: number) => `${sandbox.baseUrl}/bids?page=${page}`;
    const empty = (await get(sandbox, platform, '/api/v1/bids')).json;
    expect(empty).toEqual({
      current_page: 1,
      data: [],
      first_page_url: url(1),
      from: null,
      last_page: 1,
      last_page_url: url(1),
      links: [
        { url: null, label: '&laquo; Previous', active: false },
        { url: url(1), label: '1', active: true },
        { url: null, label: 'Next &raquo;', active: false },
      ],
      next_page_url: null,
      path: `${sandbox.baseUrl}/bids`,
      per_page: 25,
      prev_page_url: null,
      to: null,
      total: 0,
    });
    for (let step = 0; step < 26; step += 1) {
      await bid(sandbox, platform, lot.id, {
        amount: plus(lot.startingPrice, step * 5000),
        bidder_reference: step % 2 === 0 ? 'even' : 'odd',
      });
    }
    const rejected = await bid(sandbox, platform, lot.id, { amount: '1.50', bidder_reference: 'odd' });
    const first = (await get(sandbox, platform, '/api/v1/bids')).json;
    expect(first).toMatchObject({ from: 1, to: 25, total: 27, last_page: 2, next_page_url: url(2) });
    expect(first.data[0]).toEqual({
      public_id: rejected.json.data.bid_id,
      bidder_reference: 'odd',
      amount: '1.50',
      status: 'rejected',
      created_at: '2026-03-01 10:00:00',
    });
    const second = (await get(sandbox, platform, '/api/v1/bids', 'page=2')).json;
    expect(second).toMatchObject({
      from: 26,
      to: 27,
      prev_page_url: url(1),
      next_page_url: null,
      current_page: 2,
    });
    expect(second.links.map((link: { active: boolean }) => link.active)).toEqual([false, false, true, false]);
    expect((await get(sandbox, platform, '/api/v1/bids', 'bidder_reference=even')).json.total).toBe(13);
    expect((await get(sandbox, sandbox.credentials.dealer, '/api/v1/bids')).json.total).toBe(0);
    expect((await get(sandbox, sandbox.credentials.bank, '/api/v1/bids')).json.total).toBe(27);
  });

  // rule: code.not-found
  test('A05: one’s own, and for the bank its lots’', async () => {
    const { dealer, platform, bank } = sandbox.credentials;
    const lot = lotOf(sandbox, 'over');
    const made = await bid(sandbox, platform, lot.id, { amount: '1000', bidder_reference: 'A' });
    const path = `/api/v1/bids/${made.json.data.bid_id}`;
    const mine = await get(sandbox, platform, path);
    expect(mine.json).toEqual({
      data: {
        id: made.json.data.bid_id,
        lot_id: lot.id,
        bidder_reference: 'A',
        amount: '1000.00',
        status: 'rejected',
        request_id: made.json.data.request_id,
        server_received_at: '2026-03-01T10:00:00.000Z',
        lot_version: 1,
        errors: ['LOT_NOT_LIVE', 'BID_OFF_OPENING_GRID'],
      },
      server_time: '2026-03-01T10:00:00.000Z',
    });
    expect((await get(sandbox, bank, path)).json.data).toEqual(mine.json.data);
    const hidden = await get(sandbox, dealer, path);
    expect([hidden.status, Object.keys(hidden.json)]).toEqual([404, ['message']]);
  });
});
