import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Service } from './service/service.js';
import type { WireReply, WireRequest } from './service/wire.js';
import { Timeline } from './world/timeline.js';

const START = Date.parse('2026-03-02T06:00:00Z');
const KEY = '00000000-0000-4000-8000-000000000001';
const SECRET = 'a signing secret';

/** The model by itself, asked as the API text describes it: it is the truth of every run, so it must be right. */
describe('the service of the simulation', () => {
  it('accepts a bid with 201, replays it with 200, and enters it once', async () => {
    const { service, bid } = stocked();
    const first = await bid({ amount: '100000' });
    const second = await bid({ amount: '100000' });
    expect([first.status, second.status]).toEqual([201, 200]);
    expect([first.body.data.replayed, second.body.data.replayed]).toEqual([false, true]);
    expect(second.body.data.bid_id).toBe(first.body.data.bid_id);
    expect(service.ledger.bids).toHaveLength(1);
  });

  it('records a rejection with every code, and replays it as 422', async () => {
    const { bid } = stocked();
    await bid({ amount: '105000' });
    const rejected = await bid({ amount: '102000', key: KEY.replace('01', '02') });
    expect([rejected.status, rejected.body.data.status, rejected.body.errors]).toEqual([
      422,
      'rejected',
      ['BID_OFF_OPENING_GRID', 'BID_BELOW_MINIMUM'],
    ]);
    const again = await bid({ amount: '102000', key: KEY.replace('01', '02') });
    expect([again.status, again.body.data.replayed]).toEqual([422, true]);
  });

  it('in a closed auction holds a bid to the own one before, not to the leader', async () => {
    const { bid } = stocked('closed');
    await bid({ amount: '150000' });
    expect((await bid({ amount: '100000', key: KEY.replace('01', '02'), buyer: 'other' })).status).toBe(201);
    expect((await bid({ amount: '150000', key: KEY.replace('01', '03') })).body.errors).toEqual([
      'BID_BELOW_MINIMUM',
    ]);
  });

  it('answers the same UUID with other content by 409', async () => {
    const { bid } = stocked();
    await bid({ amount: '100000' });
    const other = await bid({ amount: '105000' });
    expect([other.status, other.body.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
  });

  it('lets a nonce in once', async () => {
    const { bid } = stocked();
    await bid({ amount: '100000', nonce: 'a-nonce-of-mine-01' });
    const copy = await bid({ amount: '100000', nonce: 'a-nonce-of-mine-01' });
    expect([copy.status, copy.body.code]).toEqual([409, 'NONCE_REPLAYED']);
  });

  it.each([
    [300, 201],
    [301, 401],
    [-300, 201],
    [-301, 401],
  ])('a time stamp %i s old is answered by %i', async (ageSeconds, status) => {
    const { bid } = stocked();
    expect((await bid({ amount: '100000', stamp: START / 1000 - ageSeconds })).status).toBe(status);
  });

  it('turns a bid away from the close on, by its own time', async () => {
    const { service, timeline, bid } = stocked();
    const lot = service.lots.get('lot_1');
    if (lot !== undefined) lot.closeAt = START + 1_000;
    await pass(timeline, 1_000);
    expect((await bid({ amount: '100000', stamp: START / 1000 })).body.errors).toEqual(['LOT_NOT_LIVE']);
  });

  it('knows under a UUID what it recorded, and nothing once it has forgotten', async () => {
    const { service, bid, get } = stocked();
    expect((await get(`/bid-requests/${KEY}`)).body.data.state).toBe('absent');
    await bid({ amount: '100000' });
    expect((await get(`/bid-requests/${KEY}`)).body.data.state).toBe('accepted');
    service.ledger.forget();
    expect((await get(`/bid-requests/${KEY}`)).body.data.state).toBe('absent');
    expect((await bid({ amount: '105000' })).status).toBe(201);
  });
});

interface Spoken {
  readonly status: number;
  readonly body: SpokenBody;
}

interface SpokenBody {
  readonly code?: string;
  readonly errors?: readonly string[];
  readonly data: {
    readonly status?: string;
    readonly state?: string;
    readonly bid_id?: string;
    readonly replayed?: boolean;
  };
}

function stocked(type: 'open' | 'closed' = 'open') {
  const timeline = new Timeline(START);
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
    answeredBare: () => undefined,
    answeredUnnamed: () => undefined,
    note: () => undefined,
  });
  service.access.issue('key_1', 'client_1', SECRET);
  service.lots.set('lot_1', {
    id: 'lot_1',
    type,
    opening: 10_000_000n,
    increment: 500_000n,
    closeAt: START + 3_600_000,
    version: 1,
    highest: undefined,
    own: new Map(),
  });
  let nonces = 0;
  const ask = async (request: WireRequest): Promise<Spoken> => {
    let reply: WireReply | undefined;
    service.receive({ request, number: 1 }, (given) => {
      reply = given;
    });
    await timeline.play(() => reply !== undefined, 10);
    if (reply === undefined) throw new Error('No reply');
    const body: SpokenBody = JSON.parse(reply.body);
    return { status: reply.status, body };
  };
  const signed = (
    method: string,
    path: string,
    body: string,
    given: { stamp?: number; nonce?: string; key?: string },
  ) => {
    const stamp = String(given.stamp ?? Math.floor(timeline.now / 1000));
    nonces += 1;
    const nonce = given.nonce ?? `nonce-${String(nonces).padStart(12, '0')}`;
    const digest = createHash('sha256').update(body).digest('hex');
    const text = [method, path, '', stamp, nonce, digest].join('\n');
    const headers = {
      'x-client-id': 'client_1',
      'x-key-id': 'key_1',
      'x-timestamp': stamp,
      'x-nonce': nonce,
      'x-signature': createHmac('sha256', SECRET).update(text).digest('hex'),
      ...(given.key !== undefined && { 'idempotency-key': given.key }),
    };
    return ask({ method, path, headers, body });
  };
  return {
    service,
    timeline,
    get: (path: string) => signed('GET', `/api/v1${path}`, '', {}),
    bid: ({ amount, key = KEY, buyer = 'buyer', ...given }: BidOf) => {
      const body = { dealer_id: 'D-1', amount, bidder_reference: buyer, idempotency_key: key };
      return signed('POST', '/api/v1/lots/lot_1/bids', JSON.stringify(body), { ...given, key });
    },
  };
}

interface BidOf {
  readonly amount: string;
  readonly key?: string;
  readonly buyer?: string;
  readonly stamp?: number;
  readonly nonce?: string;
}

async function pass(timeline: Timeline, ms: number): Promise<void> {
  let isOver = false;
  timeline.after(ms, () => {
    isOver = true;
  });
  await timeline.play(() => isOver, 10);
}
