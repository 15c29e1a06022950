import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileContent } from '../../src/core/file-content.js';
import type { Entry } from '../../src/intents/entry.js';
import type { Intent, IntentState } from '../../src/intents/intent.js';
import { namespaceOf } from '../../src/intents/intent.js';
import { acceptance, html, LOT, lookup, lotStatus, NOW, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';
import { settle } from '../support/virtual-clock.js';

/** After a crash: what was left unresolved is looked at, and sent again only where somebody says so. */

const unheard: Step = { fail: 'maybe' };
const once = { maxAttempts: 1 };
const acknowledgment = { status: 'read', external_reference: 'x' } as const;
const HOUR = 3_600_000;

function record(over: object = {}): Step {
  const data = { id: 'rec_1', kind: 'k', state: 's', resource_version: 2, ...over };
  return { status: 200, json: { data, request_id: 'req_1', server_time: '2026-03-02T06:00:00+00:00' } };
}

function keyOf(number: number): string {
  return `99999999-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** The same journal in the next process: what it held is there, and nobody holds it. */
async function afterCrash(
  scene: Scene,
  edit: (entries: readonly Entry[]) => readonly Entry[] = (same) => same,
) {
  const next = new Scene();
  for (const { intent, entries, state } of await scene.journal.all()) {
    const kept = edit(entries);
    const left: IntentState = kept === entries ? state : kept.length === 0 ? 'prepared' : 'unknown';
    await next.journal.create(
      intent,
      { entries: kept, state: left },
      { owner: 'gone', ttlMs: 1 },
      { exclusive: false },
    );
  }
  await next.clock.advance(1_000);
  next.events.length = 0;
  return next;
}

/** A command that was sent, and of which nothing was heard. */
async function commandInDoubt(call: (scene: Scene) => Promise<unknown> = acknowledgedOnce) {
  const scene = new Scene();
  await rejection(call(scene));
  const [stored] = await scene.journal.all();
  return { scene: await afterCrash(scene), text: stored?.intent.body.text };
}

function acknowledgedOnce(scene: Scene): Promise<unknown> {
  const { client } = scene.dealer([unheard]);
  return scene.during(
    client.notifications.acknowledge('n_1', acknowledgment, { ...once, idempotencyKey: KEY }),
  );
}

describe('recovering a command', () => {
  it('by looking: nothing looks for commands, so it is told what to do', async () => {
    const { scene } = await commandInDoubt();
    const { client, transport } = scene.dealer();
    expect(await scene.during(client.recover())).toEqual([
      {
        status: 'unknown',
        idempotencyKey: KEY,
        operation: 'A75',
        call: 'notifications.acknowledge',
        path: '/api/v1/notifications/n_1/acknowledgments',
        codes: [],
        replayed: false,
        attempts: 1,
        what: 'This command may or may not have taken effect (connection: scripted failure).',
        nextStep:
          'Recover it with recover({ resend: true }), which sends the same bytes under the same key; or read the record that it was to change.',
      },
    ]);
    expect(transport.sent).toEqual([]);
    expect(await scene.journal.only()).toMatchObject({ state: 'unknown' });
  });

  it('by sending: the identical bytes, under the same key, with a nonce and a signature of their own', async () => {
    const { scene, text } = await commandInDoubt();
    const { client, transport } = scene.dealer([{ ...record(), headers: { 'idempotent-replayed': 'true' } }]);
    expect(await scene.during(client.recover({ resend: true }))).toMatchObject([
      {
        status: 'done',
        idempotencyKey: KEY,
        operation: 'A75',
        record: { id: 'rec_1', resource_version: 2 },
        replayed: true,
        attempts: 2,
        what: 'The service carried this command out.',
        nextStep: 'Nothing is left to do.',
      },
    ]);
    const [sent] = transport.sent;
    expect(sent?.body).toBe(text);
    expect(sent).toMatchObject({ method: 'POST', path: '/api/v1/notifications/n_1/acknowledgments' });
    expect(sent?.headers['idempotency-key']).toBe(KEY);
    const { entries, state } = await scene.journal.only();
    expect(state).toBe('done');
    expect(entries[2]).toMatchObject({ type: 'attempt', attempt: 2, nonce: sent?.headers['X-Nonce'] });
    expect(scene.events).toEqual([
      'append unknown [attempt]',
      'send POST /notifications/n_1/acknowledgments',
      'append done [end]',
    ]);
  });

  it('found in the middle of an attempt: in doubt', async () => {
    const scene = new Scene();
    await rejection(acknowledgedOnce(scene));
    const crashed = await afterCrash(scene, (entries) => entries.slice(0, 1));
    const { client } = crashed.dealer();
    expect(await crashed.during(client.recover())).toMatchObject([
      {
        status: 'unknown',
        attempts: 1,
        what: 'This command may or may not have taken effect (its process ended before a reply came).',
      },
    ]);
  });

  it('found prepared: not sent, and that is not asked twice; resending changes nothing about it', async () => {
    for (const resend of [false, true]) {
      const scene = new Scene();
      await rejection(acknowledgedOnce(scene));
      const crashed = await afterCrash(scene, () => []);
      const { client, transport } = crashed.dealer();
      expect(await crashed.during(client.recover({ resend }))).toEqual([
        {
          status: 'not_sent',
          idempotencyKey: KEY,
          operation: 'A75',
          call: 'notifications.acknowledge',
          path: '/api/v1/notifications/n_1/acknowledgments',
          codes: [],
          replayed: false,
          attempts: 0,
          what: 'Nothing of this command was sent.',
          nextStep: 'Call again if it is still wanted.',
        },
      ]);
      expect(transport.sent).toEqual([]);
      expect((await crashed.journal.only()).state).toBe('not_sent');
      expect(await crashed.during(client.recover())).toEqual([]);
    }
  });

  it.each([
    ['refused', refusal(403, 'SCOPE_DENIED')],
    ['not sent', { fail: 'no' } as Step],
    ['in doubt again', html(500)],
  ])('sent again, and %s: still unknown, for the first attempt is', async (_, step) => {
    const { scene } = await commandInDoubt();
    const { client } = scene.dealer([step]);
    expect(await scene.during(client.recover({ resend: true, ...once }))).toMatchObject([
      { status: 'unknown', attempts: 2 },
    ]);
    expect((await scene.journal.only()).state).toBe('unknown');
  });

  it('sent again, and other content is there: quarantined', async () => {
    const { scene } = await commandInDoubt();
    const { client } = scene.dealer([refusal(409, 'IDEMPOTENCY_CONFLICT')]);
    expect(await scene.during(client.recover({ resend: true }))).toMatchObject([
      {
        status: 'unknown',
        quarantined: { reason: expect.stringContaining('other content') },
        nextStep: expect.stringContaining('intents.abandon'),
      },
    ]);
    const again = scene.dealer();
    expect(await scene.during(again.client.recover({ resend: true }))).toMatchObject([{ quarantined: {} }]);
    expect(again.transport.sent).toEqual([]);
  });

  it('past the horizon: not sent, and a person is asked', async () => {
    const { scene } = await commandInDoubt();
    await scene.clock.advance(HOUR);
    const { client, transport } = scene.dealer([record()]);
    for (const resend of [true, false]) {
      expect(await scene.during(client.recover({ resend }))).toMatchObject([
        {
          status: 'unknown',
          what: 'This command may or may not have taken effect (it was sent so long ago that the service may no longer know its key).',
          nextStep:
            'Read the record that it was to change; then abandon this intent (intents.abandon), and call under a new key if it had no effect.',
        },
      ]);
    }
    const { intent } = await scene.journal.only();
    const told = await scene.during(client.intents.explain(intent.key));
    expect(told).toContain('it was sent so long ago');
    expect(told).not.toContain('resend');
    expect(transport.sent).toEqual([]);
  });

  it('whose clock was set back meanwhile, by nobody knows how much: not sent', async () => {
    const { scene } = await commandInDoubt();
    const { clock } = scene;
    const setBack = {
      now: () => clock.now() - 302_000,
      monotonic: () => clock.monotonic(),
      after: (ms: number, callback: () => void) => clock.after(ms, callback),
    };
    const { client, transport } = scene.dealer([record()], { clock: setBack });
    expect(await scene.during(client.recover({ resend: true }))).toMatchObject([
      { status: 'unknown', what: expect.stringContaining('so long ago') },
    ]);
    const again = client.notifications.acknowledge('n_1', acknowledgment, { idempotencyKey: KEY });
    expect(await rejection(scene.during(again))).toMatchObject({ name: 'InDoubtError' });
    expect(transport.sent).toEqual([]);
  });

  it('at the end of the horizon: sent', async () => {
    const { scene } = await commandInDoubt();
    await scene.clock.advance(HOUR - 1_000);
    const { client, transport } = scene.dealer([record()]);
    expect(await scene.during(client.recover({ resend: true }))).toMatchObject([{ status: 'done' }]);
    expect(transport.sent).toHaveLength(1);
  });

  it('of a bank, that is tunnelled: the same bytes, signed as PATCH', async () => {
    const { scene, text } = await commandInDoubt((before) => {
      const { client } = before.bank([unheard]);
      const input = { title: 'Swift', values: { f_9: null }, expected_version: 3 };
      return before.during(client.inventory.updateVehicle('veh_1', input, { ...once, idempotencyKey: KEY }));
    });
    const { client, transport } = scene.bank([
      record({ data: { vehicle_id: 'veh_1', inventory_version: 4 } }),
    ]);
    expect(await scene.during(client.intents.recover({ resend: true }))).toMatchObject([
      { status: 'done', operation: 'A60', call: 'inventory.updateVehicle' },
    ]);
    expect(transport.sent[0]).toMatchObject({
      method: 'POST',
      path: '/api/v1/bank/inventory/vehicles/veh_1',
      body: text,
    });
    expect(text).toContain('"_method":"PATCH"');
    expect((await scene.journal.only()).intent.method).toBe('PATCH');
  });

  it('that was raw: the same path, query and bytes', async () => {
    const { scene, text } = await commandInDoubt((before) => {
      const { client } = before.dealer([unheard]);
      const request = {
        method: 'POST',
        path: '/new things/ä',
        query: { b: 'x y', a: 1 },
        body: { n: 1 },
      } as const;
      return before.during(client.request(request, { ...once, idempotencyKey: KEY }));
    });
    const { client, transport } = scene.dealer([{ status: 200, json: { data: { token: 't' } } }]);
    expect(await scene.during(client.recover({ resend: true }))).toMatchObject([
      { status: 'done', operation: 'request', call: 'request', record: { token: 't' } },
    ]);
    expect(transport.sent[0]).toMatchObject({
      path: '/api/v1/new%20things/%C3%A4?a=1&b=x%20y',
      body: text,
    });
    // What came back is for the caller alone.
    expect(JSON.stringify(await scene.journal.all())).not.toContain('token');
  });

  it('behind a front controller: the path that was signed, with the segment before it', async () => {
    const base = { baseUrl: 'https://bank.example/index.php/api/v1' };
    const { scene } = await commandInDoubt((before) => {
      const { client } = before.dealer([unheard], base);
      return before.during(
        client.notifications.acknowledge('n_1', acknowledgment, { ...once, idempotencyKey: KEY }),
      );
    });
    const { client, transport } = scene.dealer([record()], base);
    expect(await scene.during(client.recover({ resend: true }))).toMatchObject([{ status: 'done' }]);
    expect(transport.sent[0]?.path).toBe('/index.php/api/v1/notifications/n_1/acknowledgments');
    expect((await scene.journal.only()).intent.account.origin).toBe('https://bank.example/index.php');
  });

  it('that another process has settled is not found any more', async () => {
    const { scene } = await commandInDoubt();
    const one = scene.dealer([record()]);
    await scene.during(one.client.recover({ resend: true }));
    const two = scene.dealer();
    expect(await scene.during(two.client.recover({ resend: true }))).toEqual([]);
  });

  it('whose journal fails tells that', async () => {
    const { scene } = await commandInDoubt();
    scene.journal.trouble({ method: 'claimOpen', error: new Error('boom') });
    const { client } = scene.dealer();
    expect(await rejection(scene.during(client.recover()))).toMatchObject({ name: 'JournalError' });
  });
});

describe('recovering an upload', () => {
  let folder = '';
  beforeAll(() => {
    folder = fs.mkdtempSync(join(tmpdir(), 'recover-'));
  });
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  const document = { sale_id: 's_1', purpose: 'payment_evidence', filename: 'slip.pdf' } as const;
  const content = Buffer.from('%PDF-1.7 of no great length');

  /** Files are read in real time, whatever the clock says. */
  async function inRealTime<T>(promise: Promise<T>): Promise<T> {
    const settled = Promise.allSettled([promise]);
    let isSettled = false;
    void settled.then(() => {
      isSettled = true;
    });
    while (!isSettled) await settle();
    return promise;
  }

  async function uploadInDoubt(name: string) {
    const path = join(folder, name);
    fs.writeFileSync(path, content);
    const scene = new Scene();
    const { client, transport } = scene.dealer([unheard]);
    const body = { ...document, content_base64: fileContent(path) };
    await rejection(inRealTime(client.documents.upload(body, { ...once, idempotencyKey: KEY })));
    const { intent } = await scene.journal.only();
    return { path, scene: await afterCrash(scene), intent, sent: transport.sent[0]?.body };
  }

  it('is on record by its file and digest, without its content', async () => {
    const { path, intent, sent } = await uploadInDoubt('a.pdf');
    const base64 = content.toString('base64');
    expect(sent).toContain(base64);
    expect(JSON.stringify(intent)).not.toContain(base64.slice(0, 12));
    const [before, after] = (sent ?? '').split(base64);
    expect(intent.body).toEqual({
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      length: sent?.length,
      file: { path, before, after },
    });
  });

  it('is sent again from its file, byte by byte the same', async () => {
    const { scene, sent } = await uploadInDoubt('b.pdf');
    const { client, transport } = scene.dealer([record({ kind: 'document', state: 'awaiting_scan' })]);
    expect(await inRealTime(client.recover({ resend: true }))).toMatchObject([
      { status: 'done', operation: 'A72' },
    ]);
    expect(transport.sent[0]?.body).toBe(sent);
  });

  it.each([
    ['was changed', (path: string) => fs.appendFileSync(path, 'x')],
    [
      'holds something else of the same length',
      (path: string) => fs.writeFileSync(path, Buffer.alloc(content.length, 'x')),
    ],
    ['is gone', (path: string) => fs.rmSync(path)],
    [
      'is a folder by now',
      (path: string) => {
        fs.rmSync(path);
        fs.mkdirSync(path);
      },
    ],
  ])('is not sent where its file %s', async (name, change) => {
    const { path, scene } = await uploadInDoubt(`${name}.pdf`);
    change(path);
    const { client, transport } = scene.dealer([record()]);
    for (const resend of [true, false]) {
      expect(await inRealTime(client.recover({ resend }))).toMatchObject([
        {
          status: 'unknown',
          what: 'This command may or may not have taken effect (the file in its body is gone, or no longer the same).',
          nextStep: expect.stringContaining('Read the record that it was to change'),
        },
      ]);
    }
    const told = await inRealTime(client.intents.explain(KEY));
    expect(told).toContain('=> This command may or may not have taken effect (the file in its body is gone');
    expect(told).not.toContain('resend');
    expect(transport.sent).toEqual([]);
    expect((await scene.journal.only()).state).toBe('unknown');
  });

  it('as base64 text is on record with it, and sent again from there', async () => {
    const scene = new Scene();
    const one = scene.dealer([unheard]);
    const body = { ...document, content_base64: content.toString('base64') };
    await rejection(scene.during(one.client.documents.upload(body, { ...once, idempotencyKey: KEY })));
    const crashed = await afterCrash(scene);
    const { client, transport } = crashed.dealer([record()]);
    expect(await crashed.during(client.recover({ resend: true }))).toMatchObject([{ status: 'done' }]);
    expect(transport.bodies).toEqual(one.transport.bodies);
  });
});

describe('recovering a bid', () => {
  const bid = { lot: LOT, amount: '465000', intentId: KEY };

  async function bidInDoubt() {
    const scene = new Scene();
    const { client } = scene.dealer([unheard]);
    await scene.during(client.bidding.place(bid, { maxAttempts: 1, deadline: 500 }));
    return afterCrash(scene);
  }

  it('looks, and never bids', async () => {
    const scene = await bidInDoubt();
    const { client, transport } = scene.dealer(Array<Step>(4).fill(lookup('absent')));
    expect(await scene.during(client.recover())).toMatchObject([
      { status: 'unknown', evidence: { kind: 'absent' } },
    ]);
    expect(transport.lines).toEqual(Array(2).fill(`GET /bid-requests/${KEY}`));
    expect(await scene.journal.only()).not.toHaveProperty('lease');
  });

  it('settles what it finds', async () => {
    const scene = await bidInDoubt();
    const { client } = scene.dealer([
      lookup('accepted', { receipt: { bid_id: 'bid_7', status: 'accepted' } }),
    ]);
    expect(await scene.during(client.recover())).toMatchObject([{ status: 'accepted', bidId: 'bid_7' }]);
    expect((await scene.journal.only()).state).toBe('accepted');
  });

  it('with resend: looks first, and sends the same bytes where nothing is found and the lot is open', async () => {
    const scene = await bidInDoubt();
    const { client, transport } = scene.dealer([lookup('absent'), lotStatus(NOW + 90_000), acceptance()]);
    expect(await scene.during(client.recover({ resend: true }))).toMatchObject([
      { status: 'accepted', attempts: 2 },
    ]);
    expect(transport.bodies).toEqual([`{"amount":"465000","dealer_id":"D-204","idempotency_key":"${KEY}"}`]);
  });

  it('with resend: no more attempts than it is told', async () => {
    const scene = await bidInDoubt();
    const { client, transport } = scene.dealer([
      lookup('absent'),
      lotStatus(NOW + 90_000),
      html(500),
      ...Array<Step>(9).fill(lookup('absent')),
    ]);
    expect(await scene.during(client.recover({ resend: true, maxAttempts: 1 }))).toMatchObject([
      { status: 'unknown', attempts: 2 },
    ]);
    expect(transport.bodies).toHaveLength(1);
  });

  it('with resend: only looks past its deadline', async () => {
    const scene = await bidInDoubt();
    await scene.clock.advance(120_000);
    const { client, transport } = scene.dealer(Array<Step>(4).fill(lookup('absent')));
    expect(await scene.during(client.recover({ resend: true }))).toMatchObject([{ status: 'unknown' }]);
    expect(transport.bodies).toEqual([]);
  });

  it('found prepared: not sent, also with resend', async () => {
    const scene = new Scene();
    const one = scene.dealer([unheard]);
    await scene.during(one.client.bidding.place(bid, { maxAttempts: 1, deadline: 500 }));
    const crashed = await afterCrash(scene, () => []);
    const { client, transport } = crashed.dealer([acceptance()]);
    expect(await crashed.during(client.recover({ resend: true }))).toMatchObject([
      { status: 'not_sent', attempts: 0 },
    ]);
    expect(transport.sent).toEqual([]);
    expect((await crashed.journal.only()).state).toBe('not_sent');
  });
});

describe('recovering many', () => {
  /** A journal with so many bids in doubt, whose makers are gone. */
  async function many(count: number): Promise<Scene> {
    const scene = new Scene();
    const { client } = scene.dealer([unheard]);
    await scene.during(client.bidding.place({ lot: LOT, amount: '1' }, { maxAttempts: 1, deadline: 500 }));
    const { intent, entries } = await scene.journal.only();
    const next = new Scene();
    for (let number = 0; number < count; number += 1) {
      const one: Intent = { ...intent, key: keyOf(number) };
      await next.journal.create(
        one,
        { entries, state: 'unknown' },
        { owner: 'gone', ttlMs: 1 },
        { exclusive: false },
      );
    }
    await next.clock.advance(10);
    next.events.length = 0;
    return next;
  }

  const keys = (count: number) => Array.from({ length: count }, (_, number) => keyOf(number));
  const found = (number: number) => lookup('accepted', { key: keyOf(number) });

  it('gives one outcome for each, the oldest first', async () => {
    const scene = await many(20);
    const steps = Array.from({ length: 20 }, (_, number) => found(number));
    const { client, transport } = scene.dealer(steps);
    const outcomes = await scene.during(client.recover());
    expect(outcomes.map(({ idempotencyKey }) => idempotencyKey)).toEqual(keys(20));
    expect(outcomes.map(({ status }) => status)).toEqual(Array(20).fill('accepted'));
    expect(transport.sent).toHaveLength(20);
  });

  it('gives the oldest first also where it is settled last', async () => {
    const scene = await many(3);
    // The first one's look fails at once; it is looked for again, later than the others.
    const { client } = scene.dealer([refusal(403, 'x'), found(1), found(2), found(0)]);
    const outcomes = await scene.during(client.recover());
    expect(outcomes.map(({ idempotencyKey }) => idempotencyKey)).toEqual(keys(3));
  });

  it('by two processes at once: each intent is settled by one of them, and told by both', async () => {
    const scene = await many(12);
    const steps = Array.from({ length: 12 }, (_, number) => found(number));
    const one = scene.dealer(steps);
    const two = scene.dealer(steps.slice(8));
    const both = await scene.during(Promise.all([one.client.recover(), two.client.recover()]));
    const settled = both.flatMap((outcomes) => outcomes.filter(({ status }) => status === 'accepted'));
    expect(settled.map(({ idempotencyKey }) => idempotencyKey).sort()).toEqual(keys(12));
    expect(one.transport.sent.length + two.transport.sent.length).toBe(12);
    for (const outcomes of both) {
      const told = outcomes.map(({ idempotencyKey }) => idempotencyKey);
      expect(new Set(told).size).toBe(told.length);
    }
  });

  it('tells of those that another process is at work on, and leaves them alone', async () => {
    const scene = await many(2);
    const [stored] = await scene.journal.all();
    if (stored === undefined) throw new Error('none');
    const id = { namespace: namespaceOf(stored.intent.account), key: keyOf(0) };
    await scene.journal.claim(id, { owner: 'another', ttlMs: 600_000 });
    const { client, transport } = scene.dealer([found(1)]);
    const outcomes = await scene.during(client.recover());
    expect(outcomes).toMatchObject([
      { idempotencyKey: keyOf(1), status: 'accepted' },
      {
        idempotencyKey: keyOf(0),
        status: 'unknown',
        nextStep: 'Another call or process is at work on it: ask again when it has finished.',
      },
    ]);
    expect(transport.lines).toEqual([`GET /bid-requests/${keyOf(1)}`]);
  });

  it('tells so of a command as well', async () => {
    const { scene } = await commandInDoubt();
    const { intent } = await scene.journal.only();
    await scene.journal.claim(
      { namespace: namespaceOf(intent.account), key: KEY },
      { owner: 'b', ttlMs: 60_000 },
    );
    const { client, transport } = scene.dealer([record()]);
    expect(await scene.during(client.recover({ resend: true }))).toMatchObject([
      {
        status: 'unknown',
        what: 'This command may be sent at any moment, or has been already.',
        nextStep: 'Another call or process is at work on it: ask again when it has finished.',
      },
    ]);
    expect(transport.sent).toEqual([]);
  });

  it('of one that another process has prepared and not sent yet: unknown, for it may leave at any moment', async () => {
    const scene = new Scene();
    await rejection(acknowledgedOnce(scene));
    const crashed = await afterCrash(scene, () => []);
    const { intent } = await crashed.journal.only();
    await crashed.journal.claim(
      { namespace: namespaceOf(intent.account), key: KEY },
      { owner: 'b', ttlMs: 60_000 },
    );
    const { client } = crashed.dealer();
    expect(await crashed.during(client.recover())).toMatchObject([{ status: 'unknown' }]);
    expect((await crashed.journal.only()).state).toBe('prepared');
  });

  it('goes on though the service hangs longer than leases last', async () => {
    const scene = await many(40);
    const { client, transport } = scene.dealer(Array<Step>(400).fill({ hang: true }));
    const outcomes = await scene.during(client.recover({ deadline: 20_000, timeout: 20_000 }));
    expect(outcomes.map(({ idempotencyKey }) => idempotencyKey)).toEqual(keys(40));
    // Each was looked for, and none was passed over as somebody else's.
    expect(new Set(transport.lines).size).toBe(40);
    expect(outcomes.every(({ nextStep }) => !nextStep.includes('at work'))).toBe(true);
  });

  it('is over at once where it is aborted, and gives everything back', async () => {
    const scene = await many(9);
    const { client } = scene.dealer(Array<Step>(30).fill({ hang: true }));
    const abort = new AbortController();
    const recovering = client.recover({ signal: abort.signal });
    await scene.clock.advance(100);
    abort.abort();
    const outcomes = await scene.during(recovering);
    expect(outcomes).toHaveLength(9);
    expect(scene.clock.monotonic()).toBeLessThan(2_000);
    for (const stored of await scene.journal.all()) expect(stored).not.toHaveProperty('lease');
  });

  it('that fails at one gives back the others only when they are at rest', async () => {
    const scene = new Scene();
    const left = scene.dealer([unheard]);
    await rejection(
      scene.during(
        left.client.notifications.acknowledge('n_1', acknowledgment, { ...once, idempotencyKey: keyOf(0) }),
      ),
    );
    await rejection(
      scene.during(
        left.client.notifications.acknowledge('n_1', acknowledgment, { ...once, idempotencyKey: keyOf(1) }),
      ),
    );
    const crashed = await afterCrash(scene, (entries) =>
      entries.length > 2 ? entries : entries.slice(0, 0),
    );
    // Both are prepared; the first can not be settled, the second slowly.
    crashed.journal.trouble({ method: 'append' });
    let open: () => void = () => undefined;
    crashed.journal.trouble({ method: 'append', until: new Promise<void>((resolve) => (open = resolve)) });
    const { client } = crashed.dealer();
    let isOver = false;
    const recovering = client.recover().finally(() => {
      isOver = true;
    });
    await crashed.clock.advance(10);
    expect(isOver).toBe(false);
    open();
    expect(await crashed.during(recovering)).toMatchObject([
      { idempotencyKey: keyOf(1), status: 'not_sent' },
    ]);
    expect((await crashed.journal.all()).map(({ state }) => state)).toEqual(['prepared', 'not_sent']);
    for (const stored of await crashed.journal.all()) expect(stored).not.toHaveProperty('lease');
  });

  it('whose journal fails behind the last of them still tells of those that it has settled', async () => {
    const scene = await many(2);
    const errors: string[] = [];
    const nothing = () => undefined;
    const error = (message: string, fields?: object) =>
      void errors.push(`${message} ${JSON.stringify(fields)}`);
    const logger = { error, warn: nothing, info: nothing, debug: nothing };
    const { client } = scene.dealer([found(0), found(1)], { logger, logLevel: 'error' });
    scene.journal.trouble({ method: 'list' });
    const outcomes = await scene.during(client.recover());
    expect(outcomes.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
    expect(errors).toEqual([
      expect.stringMatching(/recover again.*"settled":2.*The journal of intents failed/),
    ]);
    scene.journal.trouble({ method: 'list' });
    expect(await rejection(scene.during(client.recover()))).toMatchObject({ name: 'JournalError' });
  });

  it.each([
    ['in doubt by now', 'unknown', { status: 'unknown', nextStep: expect.stringContaining('at work on it') }],
    ['settled by now', 'not_sent', { status: 'not_sent' }],
  ] as const)(
    'of which another process takes one over meanwhile (%s): it is told, and the others are settled',
    async (_, state, told) => {
      const scene = await many(2);
      const [first] = await scene.journal.all();
      if (first === undefined) throw new Error('none');
      const left = new Scene();
      const gone = { owner: 'gone', ttlMs: 1 };
      await left.journal.create(first.intent, { entries: [], state: 'prepared' }, gone, { exclusive: false });
      const doubted = { ...first.intent, key: keyOf(1) };
      await left.journal.create(doubted, { entries: first.entries, state: 'unknown' }, gone, {
        exclusive: false,
      });
      await left.clock.advance(10);
      const id = { namespace: namespaceOf(first.intent.account), key: keyOf(0) };
      const entry =
        state === 'unknown'
          ? first.entries[0]
          : ({ type: 'word', word: 'never_sent', at: 0, reason: 'x' } as const);
      left.journal.trouble({
        method: 'append',
        before: async (journal) => {
          await journal.release(id, 2);
          const claimed = await journal.claim(id, { owner: 'another', ttlMs: 60_000 });
          if (claimed.kind !== 'claimed' || entry === undefined) throw new Error('held');
          await journal.append(id, claimed.held.fence, { entries: [entry], state });
        },
      });
      const { client } = left.dealer([found(1)]);
      expect(await left.during(client.recover())).toMatchObject([told, { status: 'accepted' }]);
    },
  );

  it('beside a call of the same client under the same key: one after the other', async () => {
    const scene = await many(1);
    const { client, transport } = scene.dealer([{ hang: true }, found(0)]);
    const bid = { lot: LOT, amount: '1', intentId: keyOf(0) };
    const other = rejection(client.bidding.place({ ...bid, amount: '2' }));
    const recovering = client.recover({ timeout: 3_000, maxAttempts: 1 });
    expect(await other).toMatchObject({ name: 'IdempotencyConflictError' });
    expect(await scene.during(recovering)).toMatchObject([{ status: 'accepted' }]);
    expect(transport.lines).toEqual(Array(2).fill(`GET /bid-requests/${keyOf(0)}`));
  });

  it('beside a call of the same client that took it over: it waits, and sees what that has left', async () => {
    const scene = new Scene();
    await rejection(acknowledgedOnce(scene));
    const crashed = await afterCrash(scene);
    let open: () => void = () => undefined;
    crashed.journal.trouble({ method: 'claim', until: new Promise<void>((resolve) => (open = resolve)) });
    const { client, transport } = crashed.dealer([record(), record()]);
    const calling = client.notifications.acknowledge('n_1', acknowledgment, { ...once, idempotencyKey: KEY });
    await crashed.clock.advance(1);
    const recovering = client.recover({ resend: true });
    await crashed.clock.advance(1);
    open();
    expect(await crashed.during(calling)).toMatchObject({ id: 'rec_1' });
    expect(await crashed.during(recovering)).toMatchObject([{ status: 'done', attempts: 2 }]);
    expect(transport.sent).toHaveLength(1);
  });

  it('sees only its own account', async () => {
    const scene = await many(2);
    const { client, transport } = scene.dealer([], { environment: 'production' });
    expect(await scene.during(client.recover())).toEqual([]);
    expect(transport.sent).toEqual([]);
  });

  it('says so where another client of the same service has left some, and nobody works on them', async () => {
    const scene = await many(2);
    const lines: string[] = [];
    const logger = {
      ...console,
      warn: (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields)}`),
    };
    const other = {
      clientId: 'cl_new',
      keyId: 'key_new',
      signingSecret: 'a-secret-of-another-client-0123456789',
    };
    const { client } = scene.dealer([], { credentials: other, logger, logLevel: 'warn' });
    expect(await scene.during(client.recover())).toEqual([]);
    expect(lines).toEqual([
      expect.stringMatching(/another client id.*"clientIds":\["cl_7f3a"\].*"intents":2/),
    ]);
    const elsewhere = scene.dealer([], {
      credentials: other,
      environment: 'production',
      logger,
      logLevel: 'warn',
    });
    await scene.during(elsewhere.client.recover());
    expect(lines).toHaveLength(1);
  });

  it('finds nothing to do', async () => {
    const scene = new Scene();
    expect(await scene.during(scene.dealer().client.recover())).toEqual([]);
    expect(await scene.during(scene.bank().client.recover())).toEqual([]);
  });
});
