import { describe, expect, it } from 'vitest';
import { signatureOf } from './service/access.js';
import { Service } from './service/service.js';
import { Timeline } from './world/timeline.js';

const START = Date.parse('2026-03-02T06:00:00Z');
const SECRET = 'a signing secret';

interface Given {
  readonly amount?: string;
  readonly key?: string;
  readonly buyer?: string;
  readonly stamp?: number;
  readonly nonce?: string;
}

interface Told {
  readonly status: number;
  readonly code?: string;
  readonly errors?: readonly string[];
  readonly data: Readonly<Record<string, unknown>> | null;
}

/** The model by itself, asked as the API text describes it: it is the truth of every run, so it must be right. */
describe('the service of the simulation', () => {
  it('accepts a bid with 201, replays it with 200, and enters it once', async () => {
    const { service, bid } = stocked();
    expect(await bid()).toMatchObject({ status: 201, data: { bid_id: 'bid_1', replayed: false } });
    expect(await bid()).toMatchObject({ status: 200, data: { bid_id: 'bid_1', replayed: true } });
    expect(service.ledger.bids).toHaveLength(1);
  });

  it('records a rejection with every code, and replays it as 422', async () => {
    const { bid } = stocked();
    await bid({ amount: '105000' });
    const errors = ['BID_OFF_OPENING_GRID', 'BID_BELOW_MINIMUM'];
    for (const replayed of [false, true]) {
      const rejected = await bid({ amount: '102000', key: 'k2' });
      expect(rejected).toMatchObject({ status: 422, errors, data: { status: 'rejected', replayed } });
    }
  });

  it('in a closed auction holds a bid to the own one before, not to the leader', async () => {
    const { bid } = stocked('closed');
    await bid({ amount: '150000' });
    expect((await bid({ key: 'k2', buyer: 'other' })).status).toBe(201);
    expect((await bid({ amount: '150000', key: 'k3' })).errors).toEqual(['BID_BELOW_MINIMUM']);
  });

  it.each<[string, Given, Given, string]>([
    ['the same UUID with other content', {}, { amount: '105000' }, 'IDEMPOTENCY_CONFLICT'],
    ['a nonce again', { nonce: 'a-nonce-of-mine-01' }, { nonce: 'a-nonce-of-mine-01' }, 'NONCE_REPLAYED'],
  ])('answers %s by 409', async (_, first, second, code) => {
    const { bid } = stocked();
    await bid(first);
    expect(await bid(second)).toMatchObject({ status: 409, code });
  });

  it.each([
    [300, 201],
    [301, 401],
    [-300, 201],
    [-301, 401],
  ])('a time stamp %i s old is answered by %i', async (ageSeconds, status) => {
    expect((await stocked().bid({ stamp: START / 1000 - ageSeconds })).status).toBe(status);
  });

  it('turns a bid away from the close on, by its own time', async () => {
    const { timeline, bid } = stocked('open', START + 1_000);
    timeline.now += 1_000;
    expect((await bid({ stamp: START / 1000 })).errors).toEqual(['LOT_NOT_LIVE']);
  });

  it('knows under a UUID what it recorded, and nothing once it has forgotten', async () => {
    const { service, bid, stateOf } = stocked();
    expect(await stateOf('k1')).toBe('absent');
    await bid();
    expect(await stateOf('k1')).toBe('accepted');
    service.ledger.forget();
    expect(await stateOf('k1')).toBe('absent');
    expect((await bid({ amount: '105000' })).status).toBe(201);
  });
});

function stocked(type: 'open' | 'closed' = 'open', closeAt = START + 3_600_000) {
  const timeline = new Timeline(START);
  const nothing = () => undefined;
  const service = new Service({
    timeline,
    choices: { choose: () => 0 },
    manners: {
      remembersMs: Number.POSITIVE_INFINITY,
      receiptNamesBid: true,
      wholeSeconds: false,
      conflictAsMessage: false,
      checksAccessFirst: false,
    },
    strikes: () => false,
    answeredBare: nothing,
    throttles: nothing,
    answeredUnnamed: nothing,
    note: nothing,
  });
  service.access.issue('key_1', 'client_1', SECRET);
  const money = { opening: 10_000_000n, increment: 500_000n, highest: undefined };
  service.lots.set('lot_1', { id: 'lot_1', type, closeAt, version: 1, own: new Map(), ...money });
  let nonces = 0;
  const ask = async (method: string, path: string, body: string, { stamp, nonce, key }: Given) => {
    const headers = {
      'x-client-id': 'client_1',
      'x-key-id': 'key_1',
      'x-timestamp': String(stamp ?? Math.floor(timeline.now / 1000)),
      'x-nonce': nonce ?? `nonce-${String(++nonces).padStart(12, '0')}`,
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    const unsigned = { method, path, headers, body };
    const request = { ...unsigned, headers: { ...headers, 'x-signature': signatureOf(unsigned, SECRET) } };
    let told: Told | undefined;
    service.receive({ request, number: 1 }, (reply) => {
      told = { ...JSON.parse(reply.body), status: reply.status };
    });
    await timeline.play(() => told !== undefined, 10);
    return told ?? expect.fail('no reply');
  };
  return {
    service,
    timeline,
    stateOf: async (key: string) => (await ask('GET', `/api/v1/bid-requests/${key}`, '', {})).data?.['state'],
    bid: ({ amount = '100000', key = 'k1', buyer = 'buyer', ...given }: Given = {}) => {
      const body = { dealer_id: 'D-1', amount, bidder_reference: buyer, idempotency_key: key };
      return ask('POST', '/api/v1/lots/lot_1/bids', JSON.stringify(body), { ...given, key });
    },
  };
}
