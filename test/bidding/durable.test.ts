import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { TransportRequest } from '../../src/core/transport.js';
import { JournalError, LeaseLostError } from '../../src/errors/journal.js';
import { namespaceOf } from '../../src/intents/intent.js';
import type { Logger } from '../../src/ports/logger.js';
import { acceptance, LOT, lookup, NOW, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { accepted, KEY, rejection, SECRET } from '../support/clients.js';
import { ScriptedTransport, type Step } from '../support/scripted-transport.js';

/** Nothing of a bid leaves that isn't written down, and what is written down is what leaves. */

const BODY = `{"amount":"465000","dealer_id":"D-204","idempotency_key":"${KEY}"}`;
const bid = { lot: LOT, amount: '465000', intentId: KEY };
const sent = `send POST /lots/${LOT}/bids`;
const full = new JournalError({ fault: 'full', what: 'The disk is full.', nextStep: 'Make room.' });

describe('a bid is on record before it leaves', () => {
  it('intent and attempt in one write, before the first byte; the end behind it', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([acceptance()]);
    await scene.during(client.bidding.place(bid));
    expect(scene.events).toEqual(['create unknown [attempt]', sent, 'append accepted [end] unwaited']);
  });

  it('each attempt before its own first byte, with what the one before came to', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([{ fail: 'maybe' }, { fail: 'no' }, acceptance()]);
    await scene.during(client.bidding.place(bid));
    expect(scene.events).toEqual([
      'create unknown [attempt]',
      sent,
      'append unknown [end attempt]',
      sent,
      'append unknown [end attempt]',
      sent,
      'append accepted [end] unwaited',
    ]);
  });

  it('prepared where it has to wait for its turn, and withdrawn where that is too long', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([acceptance()], { quota: { limit: 1, scope: 'client' } });
    await scene.during(client.bidding.place({ lot: 'lot_0', amount: '1', intentId: undefined }));
    scene.events.length = 0;
    const outcome = await scene.during(client.bidding.place(bid, { deadline: 5_000 }));
    expect(outcome).toMatchObject({ status: 'not_sent', attempts: 0 });
    expect(scene.events).toEqual(['create prepared []', 'append not_sent [withdrawn]']);
  });

  it('holds everything that is needed to send it again, and the account', async () => {
    const scene = new Scene();
    const { client, transport } = scene.platform([{ fail: 'maybe' }]);
    const platformBid = {
      lot: LOT,
      amount: '465000.50',
      bidderReference: 'buyer-9',
      clientBidTime: '2026-03-02T11:29:59+05:30',
      dealerId: 'D-7',
      intentId: KEY,
      placeBy: NOW + 30_000,
    };
    await scene.during(client.bidding.place(platformBid, { maxAttempts: 1, deadline: 500 }));
    const { intent, entries, state } = await scene.journal.only();
    const text = `{"amount":"465000.50","bidder_reference":"buyer-9","client_bid_time":"2026-03-02T11:29:59+05:30","dealer_id":"D-7","idempotency_key":"${KEY}"}`;
    expect(transport.sent[0]?.body).toBe(text);
    expect(intent).toEqual({
      key: KEY,
      account: {
        origin: 'https://bank.example',
        environment: 'sandbox',
        clientId: 'cl_7f3a',
        dealerId: 'D-7',
      },
      operation: 'bids.submit',
      method: 'POST',
      path: `/api/v1/lots/${LOT}/bids`,
      query: '',
      body: { sha256: createHash('sha256').update(text).digest('hex'), length: text.length, text },
      bid: { lot: LOT, amount: '465000.50', bidderReference: 'buyer-9', placeBy: NOW + 30_000 },
      createdAt: NOW,
    });
    expect(entries[0]).toEqual({
      type: 'attempt',
      attempt: 1,
      at: NOW,
      timestamp: NOW / 1000,
      nonce: 'nonce-000000000001',
      keyId: 'key_19c2',
    });
    expect(entries[0]).toMatchObject({
      nonce: transport.sent[0]?.headers['X-Nonce'],
      timestamp: Number(transport.sent[0]?.headers['X-Timestamp']),
      keyId: transport.sent[0]?.headers['X-Key-ID'],
    });
    expect(state).toBe('unknown');
  });

  it('sends the same bytes and key each time, and they are those of the journal', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([
      { fail: 'maybe' },
      { hang: true },
      { status: 500, text: '' },
    ]);
    await scene.during(client.bidding.place(bid, { deadline: 40_000 }));
    const bids = transport.sent.filter(({ method }) => method === 'POST');
    expect(bids.map(({ body }) => body)).toEqual([BODY, BODY, BODY]);
    expect(bids.map(({ headers }) => headers['idempotency-key'])).toEqual([KEY, KEY, KEY]);
    expect(new Set(bids.map(({ headers }) => headers['X-Nonce'])).size).toBe(3);
    expect((await scene.journal.only()).intent.body.text).toBe(BODY);
  });

  it('numbers attempts across calls and processes', async () => {
    const scene = new Scene();
    const strange: Step = { status: 403, text: '<html>' };
    const one = scene.dealer([strange, ...Array<Step>(4).fill(refusal(403, 'SCOPE_DENIED'))]);
    await scene.during(one.client.bidding.place(bid, { maxAttempts: 1 }));
    const two = scene.dealer([lookup('absent'), refusal(404, 'NOT_FOUND'), strange]);
    const outcome = await scene.during(two.client.bidding.place(bid, { maxAttempts: 1, deadline: 1_500 }));
    expect(outcome).toMatchObject({ status: 'unknown', attempts: 2 });
    const attempts = (await scene.journal.only()).entries.filter(({ type }) => type === 'attempt');
    expect(attempts).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
    expect(two.transport.bodies).toEqual([BODY]);
  });

  it('forgets the bytes once it is judged, and keeps them while it may be sent again', async () => {
    const text = async (step: Step) => {
      const scene = new Scene();
      const { client } = scene.dealer([step]);
      await scene.during(client.bidding.place(bid, { maxAttempts: 1, deadline: 500 }));
      return (await scene.journal.only()).intent.body.text;
    };
    expect(await text(acceptance())).toBeUndefined();
    expect(await text(refusal(403, 'SCOPE_DENIED'))).toBe(BODY);
    expect(await text({ fail: 'no' })).toBe(BODY);
    expect(await text({ fail: 'maybe' })).toBe(BODY);
  });

  it('keeps nothing of a reply that repeats a secret or a signature', async () => {
    const scene = new Scene();
    const service = scene.dealer();
    const echoing = {
      send: (request: TransportRequest) => {
        void service.transport.send(request).catch(() => undefined);
        const signature = request.headers['X-Signature'];
        const json =
          request.method === 'POST'
            ? accepted({ note: `you sent ${signature}` })
            : {
                data: {
                  idempotency_key: request.path.split('/').at(-1),
                  state: 'accepted',
                  receipt: { note: SECRET },
                },
              };
        const status = request.method === 'POST' ? 201 : 200;
        return new ScriptedTransport({ status, json }).send(request);
      },
      close: async () => undefined,
    };
    const { client } = scene.dealer([], { transport: echoing });
    const outcome = await scene.during(client.bidding.place(bid));
    expect(outcome.status).toBe('accepted');
    const stranger = '11111111-1111-4111-8111-111111111111';
    await scene.during(
      scene
        .dealer([{ fail: 'maybe' }])
        .client.bidding.place(
          { ...bid, lot: 'lot_2', intentId: stranger },
          { maxAttempts: 1, deadline: 500 },
        ),
    );
    expect((await scene.during(client.bidding.reconcile(stranger))).status).toBe('accepted');
    const written = JSON.stringify(await scene.journal.all());
    expect(written).not.toContain(service.transport.sent[0]?.headers['X-Signature']);
    expect(written).not.toContain(JSON.stringify(SECRET).slice(1, -1));
  });

  it('shows no secret and no signature', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([
      { fail: 'maybe', cause: new Error(`it said ${SECRET}`) },
      {
        status: 422,
        json: { success: false, code: 'LOT_NOT_LIVE', message: 'x', data: { status: 'rejected' } },
      },
      lookup('rejected', { receipt: { note: 'x' } }),
    ]);
    await scene.during(client.bidding.place(bid));
    const written = JSON.stringify(await scene.journal.all());
    const signatures = transport.sent.map(({ headers }) => headers['X-Signature']);
    expect(signatures.filter((signature) => signature !== undefined)).toHaveLength(3);
    for (const hidden of [SECRET, JSON.stringify(SECRET).slice(1, -1), ...signatures]) {
      expect(written).not.toContain(hidden);
    }
  });
});

describe('where the journal can not be written', () => {
  it.each([
    ['its own error', full, { name: 'JournalError', fault: 'full' }],
    [
      'any other',
      new Error('boom'),
      { name: 'JournalError', fault: 'unavailable', cause: new Error('boom') },
    ],
  ])('before the first attempt, nothing is sent and the caller is told (%s)', async (_, error, expected) => {
    const scene = new Scene();
    scene.journal.trouble({ method: 'create', error });
    const { client, transport } = scene.dealer([acceptance()]);
    expect(await rejection(scene.during(client.bidding.place(bid)))).toMatchObject({
      ...expected,
      outcome: 'not_sent',
      idempotencyKey: KEY,
      operation: 'bids.submit',
    });
    expect(transport.sent).toEqual([]);
    expect(await scene.journal.all()).toEqual([]);
  });

  it('not even found out whether the key is known, nothing is sent', async () => {
    const scene = new Scene();
    scene.journal.trouble({ method: 'find' });
    const { client, transport } = scene.dealer([acceptance()]);
    expect(await rejection(scene.during(client.bidding.place(bid)))).toMatchObject({
      name: 'JournalError',
      outcome: 'not_sent',
    });
    expect(transport.sent).toEqual([]);
  });

  it('before a second attempt, that one is not sent, and the first stays in doubt', async () => {
    const scene = new Scene();
    scene.journal.trouble({ method: 'append', error: full });
    const mute = Array<Step>(4).fill(refusal(403, 'SCOPE_DENIED'));
    const { client, transport } = scene.dealer([{ fail: 'maybe' }, ...mute]);
    const outcome = await scene.during(client.bidding.place(bid));
    expect(outcome).toMatchObject({ status: 'unknown' });
    expect(outcome.what).toContain('JournalError');
    expect(transport.lines.filter((line) => line.startsWith('POST'))).toHaveLength(1);
    expect((await scene.journal.only()).state).toBe('unknown');
  });

  it('before a bid is placed again, nothing is sent and the caller is told', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([refusal(403, 'SCOPE_DENIED'), acceptance()]);
    await scene.during(client.bidding.place(bid));
    // The word that it is placed again is written; the attempt isn't.
    scene.journal.trouble({ method: 'append', nth: 2, error: full });
    expect(await rejection(scene.during(client.bidding.place(bid)))).toMatchObject({
      name: 'JournalError',
      fault: 'full',
    });
    expect(transport.sent).toHaveLength(1);
    expect(await scene.journal.only()).toMatchObject({ state: 'not_sent' });
  });

  it('an attempt that may be on record all the same is on record as never sent', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([refusal(403, 'SCOPE_DENIED'), acceptance()]);
    await scene.during(client.bidding.place(bid));
    scene.journal.trouble({ method: 'append', nth: 2, error: full, unheard: true });
    await rejection(scene.during(client.bidding.place(bid)));
    const { state, entries } = await scene.journal.only();
    expect(state).toBe('not_sent');
    expect(entries.at(-1)).toMatchObject({ type: 'end', attempt: 2, effect: 'not_sent' });
    expect(await scene.during(client.bidding.reconcile(KEY))).toMatchObject({ status: 'not_sent' });
    expect(transport.sent).toHaveLength(1);
    expect(await scene.during(client.bidding.place(bid))).toMatchObject({ status: 'accepted', attempts: 3 });
  });

  it('behind the reply, the caller is told what the service said all the same', async () => {
    const scene = new Scene();
    scene.journal.trouble({ method: 'append', error: full });
    const lines: string[] = [];
    const { client } = scene.dealer([acceptance()], { logger: loggerTo(lines), logLevel: 'error' });
    expect(await scene.during(client.bidding.place(bid))).toMatchObject({ status: 'accepted' });
    // A second try, at the end of the call, writes it after all.
    expect((await scene.journal.only()).state).toBe('accepted');
    expect(lines).toEqual([expect.stringContaining('stays in doubt')]);
  });

  it('behind an outcome that nobody waits to see written, it is said so, and the next call looks', async () => {
    const scene = new Scene();
    scene.journal.loses = full;
    const lines: string[] = [];
    const { client, transport } = scene.dealer([acceptance(), lookup('accepted')], {
      logger: loggerTo(lines),
      logLevel: 'error',
    });
    expect(await scene.during(client.bidding.place(bid))).toMatchObject({ status: 'accepted' });
    expect(await scene.journal.only()).toMatchObject({ state: 'unknown', entries: [{ type: 'attempt' }] });
    expect(lines).toEqual([expect.stringMatching(`stays in doubt.*${KEY}.*The disk is full`)]);
    expect(await scene.during(client.bidding.place(bid))).toMatchObject({ status: 'accepted', attempts: 1 });
    expect(transport.lines.map((line) => line.split(' ')[0])).toEqual(['POST', 'GET']);
  });

  it('behind a look, the caller is told what it found all the same; and it is written at the end of the call', async () => {
    const receipt = { bid_id: 'bid_7', status: 'accepted' };
    for (const [troubles, state] of [
      [1, 'accepted'],
      [2, 'unknown'],
    ] as const) {
      const scene = new Scene();
      const { client } = scene.dealer([{ fail: 'maybe' }, lookup('accepted', { receipt })]);
      // The first append is the end of the attempt.
      scene.journal.trouble({ method: 'append', nth: 2, error: full });
      if (troubles === 2) scene.journal.trouble({ method: 'append', error: full });
      const outcome = await scene.during(client.bidding.place(bid, { maxAttempts: 1 }));
      expect(outcome).toMatchObject({ status: 'accepted', bidId: 'bid_7' });
      expect((await scene.journal.only()).state).toBe(state);
    }
  });

  it('where somebody took the intent over, nothing is sent under the old lease', async () => {
    const scene = new Scene();
    scene.journal.trouble({ method: 'append', error: new LeaseLostError(KEY) });
    const mute = Array<Step>(4).fill(refusal(403, 'SCOPE_DENIED'));
    const { client, transport } = scene.dealer([{ fail: 'maybe' }, ...mute]);
    const outcome = await scene.during(client.bidding.place(bid));
    expect(outcome.status).toBe('unknown');
    expect(transport.lines.filter((line) => line.startsWith('POST'))).toHaveLength(1);
  });

  it('that is taken over for real while this process sleeps: it wakes up, and sends nothing', async () => {
    const scene = new Scene();
    const slow = scene.dealer([{ status: 503, json: { message: 'x' }, headers: { 'retry-after': '30' } }], {
      deadline: 60_000,
    });
    const placing = slow.client.bidding.place(bid, { deadline: 60_000 });
    await scene.clock.advance(10);
    const { intent } = await scene.journal.only();
    const id = { namespace: namespaceOf(intent.account), key: KEY };
    // Its lease runs out only for others that have waited longer than it can take: here one is forced on the journal.
    const before = scene.journal.claim(id, { owner: 'b', ttlMs: 1 });
    expect((await before).kind).toBe('held');
    await scene.journal.release(id, 1);
    expect((await scene.journal.claim(id, { owner: 'b', ttlMs: 60_000 })).kind).toBe('claimed');
    const outcome = await scene.during(placing);
    expect(outcome.status).toBe('unknown');
    expect(slow.transport.lines.filter((line) => line.startsWith('POST'))).toHaveLength(1);
  });

  it('that hangs ends with the deadline, and nothing is sent', async () => {
    const scene = new Scene();
    scene.journal.trouble({ method: 'create', until: new Promise(() => undefined) });
    const { client, transport } = scene.dealer([acceptance()]);
    const outcome = await scene.during(client.bidding.place({ lot: LOT, amount: '1' }, { deadline: 2_000 }));
    expect(outcome).toMatchObject({ status: 'not_sent' });
    expect(transport.sent).toEqual([]);
  });
});

/** Tells of errors alone. */
function loggerTo(lines: string[]): Logger {
  const nothing = () => undefined;
  const error: Logger['error'] = (message, fields) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  return { error, warn: nothing, info: nothing, debug: nothing };
}
