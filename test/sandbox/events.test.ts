import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { get } from './caller.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

const labels = (json: { data: { id: string }[] }) =>
  json.data.map(({ id }) => sandbox.auctions.get(id).label).sort();
const live = ['live-closed', 'live-legacy', 'live-no-grid', 'live-open'];

describe('events', () => {
  // rule: page.catalogue
  test.each([
    ['', live],
    ['status=active', live],
    ['status=live', live],
    ['status=upcoming', ['upcoming']],
    ['status=scheduled', ['upcoming']],
    ['status=over', ['over', 'over-closed']],
    ['status=ended', ['over', 'over-closed']],
    ['status=all', [...live, 'over', 'over-closed', 'upcoming']],
  ])('list %s', async (query, expected) => {
    const { status, json } = await get(sandbox, sandbox.credentials.dealer, '/api/v1/events', query);
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['data', 'current_page', 'last_page', 'total']);
    expect(labels(json)).toEqual(expected);
  });

  test('one event, literally', async () => {
    const { id } = sandbox.auctions.get('live-open');
    const { json } = await get(sandbox, sandbox.credentials.dealer, `/api/v1/events/${id}`);
    expect(json).toEqual({
      data: {
        id,
        name: 'Southern Four-Wheeler Sale',
        reference: 'EVT-0001',
        distribution_mode: 'syndicated',
        bid_type: 'open',
        status: 'live',
        timezone: 'Asia/Kolkata',
        starts_at: '2026-03-01T13:30:00+05:30',
        ends_at: '2026-03-01T19:30:00+05:30',
        bid_increment: '5000.00',
        eligible_lots_count: 40,
        revision: 1,
      },
    });
    expect(id).toMatch(/^auc_/);
  });

  // rule: general.2, event-state.live, event-state.close-moved
  test('status moves with the clock, and the revision with the bank', async () => {
    const { id } = sandbox.auctions.get('live-open');
    const read = async () =>
      (await get(sandbox, sandbox.credentials.dealer, `/api/v1/events/${id}`)).json.data;
    sandbox.auctions.moveClose(id, Date.parse('2026-03-01T10:00:01Z'));
    expect(await read()).toMatchObject({ status: 'live', ends_at: '2026-03-01T15:30:01+05:30', revision: 2 });
    sandbox.clock.advance(1000);
    expect((await read()).status).toBe('over');
  });

  // rule: event-state.cancelled, catalogue.shown
  test('what isn’t the caller’s is a 404 or left out', async () => {
    const { dealer, bank } = sandbox.credentials;
    const read = async (who: typeof dealer, label: string) =>
      (await get(sandbox, who, `/api/v1/events/${sandbox.auctions.get(label).id}`)).status;
    for (const label of ['cancelled', 'unassigned', 'other-bank'])
      expect(await read(dealer, label)).toBe(404);
    expect(await read(bank, 'unassigned')).toBe(200);
    expect(await read(bank, 'other-bank')).toBe(404);
    const none = await get(sandbox, dealer, '/api/v1/events/auc_none');
    expect([none.status, Object.keys(none.json)]).toEqual([404, ['message']]);
    for (const lot of sandbox.auctions.get('live-legacy').lots) sandbox.auctions.withdraw(lot.id);
    expect(labels((await get(sandbox, dealer, '/api/v1/events')).json)).not.toContain('live-legacy');
  });
});
