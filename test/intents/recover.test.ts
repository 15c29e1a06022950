import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileContent } from '../../src/core/request/file-body.js';
import type { RecoverOptions } from '../../src/intents/intents.js';
import { LOT, lookup, messageOnly, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import { MortalClock } from '../support/mortal-clock.js';
import { processes } from '../support/processes.js';
import type { Step } from '../support/scripted-transport.js';
import { inRealTime, settle } from '../support/virtual-clock.js';
import { acknowledged, record, replayed, stored, unheard } from './desk.js';
import * as logs from './logs.js';

/** After a crash: bids are looked up, and commands are sent again only where somebody says so. */

const once = { maxAttempts: 1 };
const bid = { lot: LOT, amount: '465000' };
const acknowledgment = { status: 'read', external_reference: 'x' } as const;

function keyOf(number: number): string {
  return `99999999-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** A process that dies at one of its commits: 0 leaves nothing, 1 leaves a ready row, 2 one whose attempt was announced. */
async function died(commits: number, kind: 'bid' | 'command') {
  const scene = new Scene();
  const world = processes(scene.store);
  const clock = new MortalClock(scene.clock);
  const { client, transport } = scene.dealer([{ hang: true }], { store: world.as('dead'), clock });
  if (commits < 2) scene.store.pauseAt(commits + 1);
  const options = { ...once, idempotencyKey: KEY };
  const calls = {
    bid: () => client.bids.place(bid, options),
    command: () => client.notifications.acknowledge('n_1', acknowledgment, options),
  };
  void calls[kind]().catch(() => undefined);
  await settle();
  clock.die();
  world.end('dead');
  expect(transport.sent).toHaveLength(commits === 2 ? 1 : 0);
  return { scene, next: (steps: readonly Step[] = []) => scene.dealer(steps, { store: world.as('next') }) };
}

/** What `recover()` makes of it in the next process, and what that sends. */
async function recovered(
  { scene, next }: Awaited<ReturnType<typeof died>>,
  steps: readonly Step[] = [],
  options: RecoverOptions = {},
) {
  const { client, transport } = next(steps);
  const outcomes = await scene.during(client.recover(options));
  return { client, outcomes, lines: transport.lines, state: (await client.intents.get(KEY))?.state };
}

describe('options that are wrong', () => {
  it.each([
    ['recover', { restored: true, timeout: -1 }],
    ['recover', { restored: 'no' }],
    ['recover', { resend: 1 }],
    ['reconcile', { deadline: 0 }],
  ])('keep %s from recording anything: %j', async (call, options) => {
    const { scene, next } = await died(2, 'bid');
    const { client, transport } = next();
    const before = await client.intents.explain(KEY);
    const given = options as RecoverOptions;
    const calls = {
      recover: () => client.recover(given),
      reconcile: () => client.intents.reconcile(KEY, given),
    };
    const failed = await scene.during(rejection(call === 'recover' ? calls.recover() : calls.reconcile()));
    expect(failed).toMatchObject({ name: 'InvalidRequestError' });
    expect((await client.intents.explain(KEY)).timeline).toEqual(before.timeline);
    expect(transport.lines).toEqual([]);
  });
});

describe('what a dead process left', () => {
  const asked = `GET /bid-requests/${KEY}`;
  const found = lookup('accepted', { receipt: { bid_id: 'bid_77', status: 'accepted' } });
  const unsent = { status: 'not_sent', idempotencyKey: KEY, attempts: 0 };

  const doubted = { reason: 'in_doubt', attempts: 1 };
  const absent = lookup('absent');

  it.each<
    [what: string, commits: number, kind: 'bid' | 'command', steps: Step[], found: object[], lines: string[]]
  >([
    ['a bid that was not recorded is nothing', 0, 'bid', [], [], []],
    ['a command that was not recorded is nothing', 0, 'command', [], [], []],
    [
      'a ready command is not sent, without a request',
      1,
      'command',
      [],
      [{ ...unsent, operation: 'A75' }],
      [],
    ],
    ['a ready bid is not sent, after one lookup', 1, 'bid', [absent], [{ ...unsent, lot: LOT }], [asked]],
    ['an announced command is in doubt', 2, 'command', [], [doubted], []],
    ['an announced bid is looked up, and never sent', 2, 'bid', [found], [{ status: 'accepted' }], [asked]],
  ])('%s', async (_, commits, kind, steps, expected, lines) => {
    const after = await recovered(await died(commits, kind), steps, {
      resend: kind === 'bid' || commits < 2,
    });
    expect(after).toMatchObject({ outcomes: expected, lines });
    expect(after.outcomes).toHaveLength(expected.length);
  });

  it('a ready bid that another call takes over during the lookup is left to that call', async () => {
    const { scene, next } = await died(1, 'bid');
    // After it was listed and read: before the lookup is recorded.
    const pause = scene.store.pauseAt(4);
    const outcomes = next([lookup('absent')]).client.recover();
    await pause.reached;
    await scene.store.transaction('sandbox', async ({ intents }) => {
      const row = await intents.get(KEY);
      if (row !== undefined)
        await intents.update({ ...row, owner: 'host/other#1' }, row.version, { server: 1, local: 1 });
    });
    pause.goOn();
    expect(await scene.during(outcomes)).toMatchObject([{ status: 'unknown' }]);
    expect(await scene.only()).toMatchObject({ state: 'ready', log: ['placed', 'lookup'] });
  });
});

describe('a command in doubt', () => {
  // rule: bid.9
  it('is sent again with the identical bytes, under the same key, with a nonce and a signature of its own', async () => {
    const scene = new Scene();
    const first = await acknowledged(scene, [unheard]);
    const { client, transport } = scene.dealer([replayed()]);
    expect(await scene.during(client.recover({ resend: true }))).toMatchObject([
      { status: 'done', record: { id: 'rec_1', resource_version: 2 }, replayed: true, attempts: 2 },
    ]);
    expect(transport.bodies).toEqual(first.transport.bodies);
    expect(transport.sent[0]?.headers['idempotency-key']).toBe(KEY);
    expect(transport.sent[0]?.headers['X-Nonce']).not.toBe(first.transport.sent[0]?.headers['X-Nonce']);
    expect(scene.events.slice(-3)).toEqual([
      'commit attempt',
      'send POST /notifications/n_1/acknowledgments',
      'commit result',
    ]);
  });

  it('that was raw is sent again with the same path, query and bytes', async () => {
    const scene = new Scene();
    const one = scene.dealer([unheard]);
    const query = { b: 'x y', a: 1 };
    const request = { method: 'POST', path: '/new things/ä', query, body: { n: 1 } } as const;
    await rejection(scene.during(one.client.request(request, { ...once, idempotencyKey: KEY })));
    const { client, transport } = scene.dealer([{ status: 200, json: { data: { token: 't' } } }]);
    expect(await scene.during(client.recover({ resend: true }))).toMatchObject([{ status: 'done' }]);
    expect(transport.sent[0]?.path).toBe('/api/v1/new%20things/%C3%A4?a=1&b=x%20y');
    expect(transport.bodies).toEqual(one.transport.bodies);
  });

  it('behind a front controller is sent again to the path that it was sent to', async () => {
    const scene = new Scene();
    const client = { baseUrl: 'https://bank.example/index.php/api/v1' };
    await acknowledged(scene, [unheard], {}, { client });
    const next = scene.dealer([record()], client);
    expect(await scene.during(next.client.recover({ resend: true }))).toMatchObject([{ status: 'done' }]);
    expect(next.transport.sent[0]?.path).toBe('/index.php/api/v1/notifications/n_1/acknowledgments');
  });

  it('sent again where the service holds other content is stuck, and is not sent a third time', async () => {
    const scene = new Scene();
    await acknowledged(scene, [unheard]);
    const { client, transport } = scene.dealer([refusal(409, 'IDEMPOTENCY_CONFLICT')]);
    for (const _ of [1, 2]) {
      expect(await scene.during(client.recover({ resend: true }))).toMatchObject([
        { status: 'unknown', reason: 'stuck' },
      ]);
    }
    expect(transport.sent).toHaveLength(1);
  });
});

describe('an upload in doubt', () => {
  let folder = '';
  beforeAll(() => {
    folder = fs.mkdtempSync(join(tmpdir(), 'recover-'));
  });
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  const document = { sale_id: 's_1', purpose: 'payment_evidence', filename: 'slip.pdf' } as const;
  const content = Buffer.from('%PDF-1.7 of no great length');

  async function uploadInDoubt(name: string) {
    const path = join(folder, name);
    fs.writeFileSync(path, content);
    const scene = new Scene();
    const { client, transport } = scene.dealer([unheard]);
    const body = { ...document, content_base64: fileContent(path) };
    await rejection(inRealTime(client.documents.upload(body, { ...once, idempotencyKey: KEY })));
    return { path, scene, sent: transport.sent[0]?.body ?? '' };
  }

  it('is on record by its file and its digest, without its content', async () => {
    const { path, scene, sent } = await uploadInDoubt('a.pdf');
    const base64 = content.toString('base64');
    const row = await stored(scene.store);
    const [before, after] = sent.split(base64);
    expect(JSON.parse(row?.body ?? '')).toEqual({ file: { path, before, after } });
    const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(row?.parsed.target).toMatchObject({ length: sent.length, sha256 });
  });

  it('is sent again from its file, byte by byte the same', async () => {
    const { scene, sent } = await uploadInDoubt('b.pdf');
    const { client, transport } = scene.dealer([record({ kind: 'document', state: 'awaiting_scan' })]);
    const outcomes = await inRealTime(client.recover({ resend: true }));
    expect(outcomes).toMatchObject([{ status: 'done', operation: 'A72' }]);
    expect(transport.sent[0]?.body).toBe(sent);
  });

  it.each([
    ['was changed', (path: string) => fs.appendFileSync(path, 'x')],
    ['holds others', (path: string) => fs.writeFileSync(path, Buffer.alloc(content.length, 'x'))],
    ['is gone', (path: string) => fs.rmSync(path)],
  ])('is stuck, and not sent, where its file %s', async (name, change) => {
    const { path, scene } = await uploadInDoubt(`${name}.pdf`);
    change(path);
    const { client, transport } = scene.dealer([record()]);
    expect(await inRealTime(client.recover())).toMatchObject([{ status: 'unknown', reason: 'in_doubt' }]);
    const resent = await inRealTime(client.recover({ resend: true }));
    expect(resent).toMatchObject([{ status: 'unknown', reason: 'stuck' }]);
    expect(transport.sent).toEqual([]);
  });
});

it.each([
  ['settles', [logs.attempt(2), logs.result(2, 'done')], 'done', 'done'],
  ['sends again', [logs.attempt(2)], 'unknown', 'attempt'],
] as const)(
  'a command that another process %s while it is given up stays as that left it',
  async (_, events, status, last) => {
    const scene = new Scene();
    await acknowledged(scene, [unheard]);
    const { client } = scene.dealer();
    await client.verify();
    await scene.clock.advance(601_000);
    // Listed and read; the pause is before it is given up.
    const pause = scene.store.pauseAt(4);
    const outcomes = client.recover();
    await pause.reached;
    await scene.append(KEY, ...events);
    pause.goOn();
    expect(await scene.during(outcomes)).toMatchObject([{ status }]);
    expect((await scene.only()).log.at(-1)).toBe(last);
  },
);

describe('a store that was restored from a backup', () => {
  it('holds nothing that is sent again, whatever is asked for', async () => {
    const scene = new Scene();
    await acknowledged(scene, [unheard]);
    const { client, transport } = scene.dealer([record()]);
    expect(await scene.during(client.recover({ restored: true, resend: true }))).toMatchObject([
      { status: 'unknown' },
    ]);
    expect(await scene.during(client.recover({ resend: true }))).toMatchObject([{ status: 'unknown' }]);
    const call = client.notifications.acknowledge('n_1', acknowledgment, { idempotencyKey: KEY });
    expect(await rejection(scene.during(call))).toMatchObject({ name: 'InDoubtError' });
    expect(transport.sent).toEqual([]);
  });

  it('declared twice counts once, and what settled before is left as it was', async () => {
    const scene = new Scene();
    await acknowledged(scene, [record()]);
    await acknowledged(scene, [unheard], { idempotencyKey: keyOf(1) });
    const { client } = scene.dealer();
    await scene.during(client.recover({ restored: true }));
    await scene.during(client.recover({ restored: true }));
    const logs = (await scene.intents()).map(({ log }) => log.filter((type) => type === 'restored').length);
    expect(logs).toEqual([0, 1]);
  });
});

describe('recovering', () => {
  it('an empty store asks the service nothing, not even the time', async () => {
    const scene = new Scene();
    let requests = 0;
    const send = () => {
      requests += 1;
      return Promise.reject(new Error('none'));
    };
    const { client } = scene.dealer([], { transport: { send, close: () => Promise.resolve() } });
    expect(await scene.during(client.recover())).toEqual([]);
    expect(requests).toBe(0);
  });

  it('goes through all that is unresolved, the oldest first, with one outcome each', async () => {
    const scene = new Scene();
    const count = 105;
    const quota = { limit: 1_000, scope: 'client' } as const;
    for (let n = 0; n < count; n += 1) {
      const options = { ...once, idempotencyKey: keyOf(n) };
      const { client } = scene.dealer([unheard], { quota });
      await rejection(scene.during(client.notifications.acknowledge(`n_${n}`, acknowledgment, options)));
    }
    const { client, transport } = scene.dealer(Array<Step>(count).fill(record()), { quota });
    const outcomes = await scene.during(client.recover({ resend: true }));
    expect(outcomes.map(({ idempotencyKey, status }) => [idempotencyKey, status])).toEqual(
      Array.from({ length: count }, (_, n) => [keyOf(n), 'done']),
    );
    expect(transport.lines[104]).toBe('POST /notifications/n_104/acknowledgments');
  });

  it('goes on with the next where the store fails for one of them', async () => {
    const scene = new Scene();
    for (const n of [1, 2]) await acknowledged(scene, [unheard], { idempotencyKey: keyOf(n) });
    const { client, transport } = scene.dealer([record()]);
    // Listed, read, and then the first one's attempt can't be announced.
    scene.store.troubles.push(undefined, undefined, undefined, undefined, 'fails');
    expect(await scene.during(client.recover({ resend: true }))).toMatchObject([
      { status: 'unknown', idempotencyKey: keyOf(1) },
      { status: 'done', idempotencyKey: keyOf(2) },
    ]);
    expect(transport.sent).toHaveLength(1);
  });

  it('stops with its signal, and leaves what it did not reach as it was', async () => {
    const scene = new Scene();
    for (const n of [1, 2]) await acknowledged(scene, [unheard], { idempotencyKey: keyOf(n) });
    const { client, transport } = scene.dealer([messageOnly(404), record(), record()]);
    const aborted = { resend: true, signal: AbortSignal.abort() };
    const untimed = await rejection(client.recover(aborted));
    expect(untimed).toMatchObject({ name: 'AbortedError', outcome: 'not_sent' });
    // Server time is known from now on.
    await client.verify();
    expect(await client.recover(aborted)).toMatchObject([{ status: 'unknown' }, { status: 'unknown' }]);
    expect(transport.sent).toEqual([]);
    expect((await scene.intents()).map(({ state }) => state)).toEqual(['sent', 'sent']);
  });
});
