import { describe, expect, it } from 'vitest';
import type { Transport, TransportReply, TransportRequest } from '../../src/core/transport/transport.js';
import { acceptance, iso, LOT, lookup, recordedRejection } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { withOneChanged } from '../support/one-field.js';
import { once, type Step } from '../support/scripted-transport.js';
import { sampled } from '../support/thorough.js';
import { ToldTime } from '../support/told-time.js';
import { deliveryOf, receiverWith, saleApproved } from '../webhooks/delivery.js';

// What goes on for long meets one reply with a field that is null, left out, or of another plausible type: it goes on.

/** Every field gets 15 other values: a step of 7 takes two or three of them, and each value on some field. */
const SAMPLE = 7;

/** Answers with what a function makes of each request. */
class Answering implements Transport {
  readonly #answer: (line: string, request: TransportRequest) => Step;

  constructor(answer: (line: string, request: TransportRequest) => Step) {
    this.#answer = answer;
  }

  async send(request: TransportRequest): Promise<TransportReply> {
    const step = this.#answer(`${request.method} ${request.path.replace('/api/v1', '')}`, request);
    if (!('status' in step)) throw new Error('a step that is no reply');
    const body = once(step.text ?? JSON.stringify(step.json));
    return { status: step.status, headers: step.headers ?? {}, body, discard: () => undefined };
  }

  async close(): Promise<void> {}
}

/** A platform's client whose requests a function answers, but for A01. */
function clientOf(scene: Scene, answer: (line: string, request: TransportRequest) => Step) {
  const transport = new ToldTime(new Answering(answer), scene.clock);
  return scene.platform([], { transport, quota: { limit: Number.POSITIVE_INFINITY, scope: 'client' } })
    .client;
}

/** The reply as it should be, once the first one was another. */
function firstOf(changed: unknown, sound: () => unknown): () => Step {
  let isFirst = true;
  return () => {
    const json = isFirst ? changed : sound();
    isFirst = false;
    return { status: 200, json };
  };
}

describe('a watch', () => {
  const statuses = (at: number) => ({
    data: ['lot_0', 'lot_1'].map((lot_id) => ({
      lot_id,
      status: 200,
      data: {
        lot_id,
        auction_state: 'live',
        resource_version: 1,
        effective_close_at: iso(at + 3_600_000),
        highest_amount: '465000.00',
        allowed_actions: ['bid'],
      },
    })),
    server_time: iso(at),
  });
  const whole = statuses(new Scene().clock.now());

  it('has every lot within a minute, whatever one field of a reply is', async () => {
    const cases = [...withOneChanged(whole)];
    expect(cases.length).toBeGreaterThan(250);
    for (const [at, changed] of sampled(cases, SAMPLE)) {
      const scene = new Scene();
      const reply = firstOf(changed, () => statuses(scene.clock.now()));
      const client = clientOf(scene, reply);
      const stop = new AbortController();
      const seen = new Set<string>();
      const watching = (async () => {
        for await (const change of client.lots.watch(['lot_0', 'lot_1'], { signal: stop.signal })) {
          if (change.type === 'snapshot') seen.add(change.lot);
        }
      })();
      await scene.clock.advance(60_000);
      expect([...seen].sort(), at).toEqual(['lot_0', 'lot_1']);
      stop.abort();
      await scene.during(watching);
    }
  });
});

describe('a follower', () => {
  const update = (n: number) => ({
    id: `upd_${n}`,
    type: 'sale.approved',
    created_at: iso(0),
    data: { resource_id: `sale_${n}`, resource_version: 2, lot_id: LOT, sale: saleApproved.data.sale },
  });
  const message = (n: number) => ({
    id: `msg_${n}`,
    type: 'payment.due',
    subject: 'A payment is due',
    resource_version: 1,
    created_at: iso(n * 1_000),
    acknowledgment: null,
  });

  it.each([
    ['winnerUpdates', () => ({ data: [update(1), update(2)], next_cursor: 'c2' })],
    ['notifications', () => ({ data: [message(2), message(1)], current_page: 1, last_page: 1, total: 2 })],
  ] as const)(
    'of %s gets what is sound, and what comes later, whatever one field of a page is',
    async (list, page) => {
      const cases = [...withOneChanged(page())];
      expect(cases.length).toBeGreaterThan(100);
      for (const [at, changed] of sampled(cases, SAMPLE)) {
        const scene = new Scene();
        const rest =
          list === 'winnerUpdates'
            ? { data: [update(3)], next_cursor: 'c3' }
            : { data: [message(3), message(2), message(1)], current_page: 1, last_page: 1, total: 3 };
        const answer = firstOf(changed, () => rest);
        let asked = 0;
        const client = clientOf(scene, () => {
          asked += 1;
          return answer();
        });
        const stop = new AbortController();
        const handled = new Set<string>();
        const handle = (item: { readonly id?: unknown }) => {
          handled.add(String(item.id));
        };
        const options = { name: 'all', signal: stop.signal, handle };
        const following = client[list].follow(options);
        const last = list === 'winnerUpdates' ? 'upd_3' : 'msg_3';
        for (let ms = 0; ms < 300_000 && !handled.has(last); ms += 10_000) await scene.clock.advance(10_000);
        expect([...handled], at).toContain(last);
        // A page that lies about how many there are costs a few requests, and not the quota.
        expect(asked, at).toBeLessThan(50);
        stop.abort();
        await scene.during(following);
      }
    },
  );
});

describe('a batch', () => {
  const rows = [1, 2].map((n) => ({
    rowId: `row-${n}`,
    lot: `lot_${n}`,
    amount: '465000',
    bidderReference: `buyer-${n}`,
  }));

  it.each([
    ['accepted', acceptance()],
    ['rejected', recordedRejection()],
  ] as const)(
    'of bids that are %s is told that or less, and ends, whatever one field of a reply is',
    async (verdict, step) => {
      if (!('status' in step)) throw new Error('a step that is no reply');
      const cases = [...withOneChanged(step.json)];
      expect(cases.length).toBeGreaterThan(60);
      for (const [at, changed] of sampled(cases, SAMPLE)) {
        const scene = new Scene();
        let isFirst = true;
        const client = clientOf(scene, (line, { headers }) => {
          const [, asked] = /^GET \/bid-requests\/(.+)$/.exec(line) ?? [];
          if (asked !== undefined) return lookup(verdict, { key: asked, at: scene.clock.now() });
          if (!line.startsWith('POST /lots/')) return { status: 404, json: { message: 'Not found.' } };
          const ids = {
            bid_id: `bid_${headers['Idempotency-Key']}`,
            request_id: `req_${headers['Idempotency-Key']}`,
          };
          if (!line.includes('lot_1') || !isFirst) {
            return verdict === 'accepted' ? acceptance(ids) : recordedRejection(['BID_BELOW_MINIMUM'], ids);
          }
          isFirst = false;
          return { ...step, json: changed };
        });
        const results = await scene.during(client.bids.placeAll(rows, { batchId: 'b' }).toArray());
        const [first, second] = results.sort((a, b) => a.position - b.position);
        expect(second?.status, at).toBe(verdict);
        expect([verdict, 'unknown'], at).toContain(first?.status);
      }
    },
  );
});

describe('a receiver', () => {
  it('handles an event, keeps it as malformed, or has it sent again, whatever one field of it is', async () => {
    const cases = [...withOneChanged(saleApproved)];
    expect(cases.length).toBeGreaterThan(100);
    for (const [at, changed] of sampled(cases, SAMPLE)) {
      const { receiver, seen } = receiverWith();
      const delivery = deliveryOf(Object(changed));
      const answer = await receiver.receive(delivery);
      await receiver.idle();
      const kept = await receiver.list();
      const isKept = kept.some(({ state }) => state === 'malformed' || state === 'handled');
      expect(answer.status !== 200 || seen.length === 1 || isKept, at).toBe(true);
      await receiver.close();
    }
  });
});
