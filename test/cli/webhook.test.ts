import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { listen } from '../../src/cli/commands/webhook.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.js';
import { memoryStore } from '../../src/store/memory.js';
import { type WebhookReceiver, webhookReceiver } from '../../src/webhooks/index.js';
import { Running, ran } from './command.js';

const SECRET = 'whsec_of_a_test';
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** An endpoint as a developer has it, and what its handlers saw. */
async function endpoint(isDown: () => boolean = () => false) {
  const seen: string[] = [];
  const outcomes: string[] = [];
  const receiver: WebhookReceiver = webhookReceiver({
    secrets: SECRET,
    store: memoryStore(),
    on: { '*': ({ type }, { stale }) => void seen.push(stale ? `${type} stale` : type) },
    onReport: ({ kind }) => outcomes.push(kind),
  });
  const server = createServer(async (request, response) => {
    if (isDown()) return void response.writeHead(503).end();
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = await receiver.receive({ body: Buffer.concat(chunks), headers: request.headers });
    outcomes.push(answer.outcome);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () => server.close(),
    () => receiver.close(),
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return { url, seen, outcomes, receiver };
}

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-listen-'));
  closing.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A file as an editor writes it, with a newline at the end. */
function secretFile(secret: string): string {
  const path = join(scratch(), 'secret');
  writeFileSync(path, `${secret}\n`);
  return path;
}

interface Line {
  readonly event: string;
  readonly type: string;
  readonly kind: string;
  readonly status?: number;
}

/** `webhook listen` on a sandbox in manual time, whose lines are collected. */
async function listening(forward: string, flags: object = {}, options: SandboxOptions = {}) {
  const sandbox = await startSandbox({ clock: 'manual', ...options });
  closing.push(() => sandbox.close());
  const path = join(scratch(), 'webhooks.jsonl');
  const lines: Line[] = [];
  const terminal = { out: (text: string) => lines.push(JSON.parse(text)), err: () => undefined };
  const own = {
    sandbox: new URL(sandbox.baseUrl).origin,
    as: 'dealer',
    secretFile: secretFile(SECRET),
    json: true,
  };
  const relay = await listen({ ...own, forward, record: path, ...flags }, terminal, 50);
  closing.push(() => relay.stop());
  await sandbox.webhooks.settled();
  return { sandbox, path, lines, relay };
}

async function extend(sandbox: Sandbox, times = 1): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    sandbox.auctions.extend('live-open', 60_000);
    await sandbox.webhooks.settled();
  }
}

describe('webhook listen', () => {
  it('forwards the events of a sandbox, signed with the receiver’s secret, and records them', async () => {
    const { url, seen, outcomes, receiver } = await endpoint();
    const { sandbox, path, lines } = await listening(url);
    expect(outcomes).toEqual(['challenge']);
    expect(sandbox.webhooks.subscriptions()).toMatchObject([{ state: 'active' }]);
    // Days ahead of this machine: the receiver judges the age of a delivery, not the sandbox's date.
    sandbox.clock.advance(5 * 60_000);
    await extend(sandbox);
    await receiver.idle();
    expect(seen).toEqual(['auction.schedule_changed']);
    expect(lines.at(-1)).toMatchObject({ type: 'auction.schedule_changed', kind: 'first', status: 200 });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ id: lines.at(-1)?.event, type: seen[0] });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('passes the receiver’s refusal back, so that the sandbox tries again at its own pace', async () => {
    let isDown = true;
    const { url, seen, receiver } = await endpoint(() => isDown);
    const { sandbox, lines, path } = await listening(url);
    expect(sandbox.webhooks.subscriptions()).toMatchObject([{ state: 'active' }]);
    await extend(sandbox);
    isDown = false;
    sandbox.clock.advance(9_999);
    await sandbox.webhooks.settled();
    expect(lines.slice(1).map(({ kind, status }) => [kind, status])).toEqual([['first', 503]]);
    sandbox.clock.advance(1);
    await sandbox.webhooks.settled();
    expect(lines.at(-1)).toMatchObject({ kind: 'retry', status: 200 });
    await receiver.idle();
    expect(seen).toHaveLength(1);
    expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(1);
  });

  it('sends one in so many events twice, and holds one in so many back until others have come', async () => {
    const { url, seen, outcomes, receiver } = await endpoint();
    const { sandbox, lines } = await listening(url, { duplicateEvery: '2', lateEvery: '3' });
    await extend(sandbox, 4);
    sandbox.clock.advance(10_000);
    await sandbox.webhooks.settled();
    const kinds = 'first first duplicate late first duplicate retry'.split(' ');
    expect(lines.slice(1).map(({ kind }) => kind)).toEqual(kinds);
    await receiver.idle();
    expect(outcomes.filter((outcome) => outcome === 'duplicate')).toHaveLength(2);
    expect(seen.filter((type) => type.endsWith('stale'))).toHaveLength(1);
  });

  it('leaves a forged delivery forged', async () => {
    const { url, seen, outcomes } = await endpoint();
    const { sandbox, lines } = await listening(url);
    for (const tamper of ['signature', 'body', 'timestamp', 'event-id'] as const) {
      sandbox.webhooks.send({ type: 'vehicle.collected', data: {}, tamper });
      await sandbox.webhooks.settled();
    }
    expect(lines.slice(1).map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect(outcomes.filter((outcome) => outcome === 'kept')).toEqual([]);
    expect(seen).toEqual([]);
  });

  it('ends its subscription when it is stopped', async () => {
    const { url } = await endpoint();
    const { sandbox, relay } = await listening(url);
    await relay.stop();
    expect(sandbox.webhooks.subscriptions()).toEqual([]);
  });

  it('ends when its sandbox has ended, or another one has taken its place', async () => {
    const { url } = await endpoint();
    const { sandbox, relay } = await listening(url);
    const [subscription] = sandbox.webhooks.subscriptions();
    sandbox.webhooks.unsubscribe(subscription?.id ?? '');
    await relay.gone;
    const other = await listening(url);
    await other.sandbox.close();
    await other.relay.gone;
  });

  it('runs as a command until it is interrupted, and tells a person what it does', async () => {
    const { url } = await endpoint();
    const sandbox = await startSandbox();
    closing.push(() => sandbox.close());
    await using running = new Running([
      ...['webhook', 'listen', '--forward', url, '--sandbox', new URL(sandbox.baseUrl).origin],
      ...['--record', join(scratch(), 'all.jsonl'), '--secret-file', secretFile(SECRET)],
    ]);
    await running.said(/Ctrl-C to stop/);
    await running.said(/endpoint_verification \S+: 200/);
    await sandbox.webhooks.settled();
    expect(running.stdout).not.toContain(SECRET);
    sandbox.auctions.extend('live-open', 60_000);
    await running.said(/auction\.schedule_changed evt_\S+: 200 in \d+ ms/);
    running.signal('SIGINT');
    expect(await running.ended).toBe(0);
  });
});

describe('webhook replay', () => {
  it('sends the latest, a named or every recorded event again, signed afresh', async () => {
    const { url, outcomes } = await endpoint();
    const { sandbox, path, lines } = await listening(url);
    await extend(sandbox, 2);
    outcomes.length = 0;
    const common = ['--forward', url, '--record', path, '--secret-file', secretFile(SECRET)];
    const [, first, last] = lines;
    expect((await ran('webhook', 'replay', ...common)).stdout).toContain(`${last?.event} (replay): 200`);
    expect((await ran('webhook', 'replay', first?.event ?? '', ...common)).stdout).toContain(first?.event);
    const every = await ran('webhook', 'replay', '--all', '--json', ...common);
    const events = every.stdout.trim().split('\n');
    expect(events.map((line) => JSON.parse(line).event)).toEqual([first?.event, last?.event]);
    expect(outcomes).toEqual(['duplicate', 'duplicate', 'duplicate', 'duplicate']);
  });

  it('ends with 1 where the endpoint does not take a delivery or does not answer', async () => {
    const { url } = await endpoint();
    const { sandbox, path } = await listening(url);
    await extend(sandbox);
    const flags = ['--forward', url, '--record', path, '--secret-file', secretFile('whsec_other')];
    const refused = await ran('webhook', 'replay', ...flags);
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('400')]);
    const gone = await ran('webhook', 'replay', '--forward', 'http://127.0.0.1:1/', '--record', path);
    expect(gone.code).toBe(1);
  });

  it.each([
    [['listen'], 'required option'],
    [['listen', '--forward', 'localhost:3000'], '--forward is invalid'],
    [['listen', '--forward', 'http://localhost:3000', '--sandbox', 'here'], '--sandbox is invalid'],
    [
      ['listen', '--forward', 'http://localhost:3000', '--late-every', '0'],
      '--late-every must be a whole number',
    ],
    [['listen', '--forward', 'http://localhost:3000', '--secret', 'whsec_a'], "unknown option '--secret'"],
    [['listen', '--forward', 'http://localhost:3000', '--secret-file', 'none.txt'], "none.txt can't be read"],
    [['replay', '--forward', 'http://a.test', '--record', 'package.json'], 'has an invalid line 1'],
    [['replay', '--forward', 'http://localhost:3000', '--record', 'none.jsonl'], "can't be read"],
  ])('%j ends with 2 and says what is allowed', async (args, said) => {
    const result = await ran('webhook', ...args);
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining(said)]);
  });

  it('ends with 1 where no sandbox answers', async () => {
    const nowhere = 'http://127.0.0.1:1/';
    const result = await ran('webhook', 'listen', '--forward', nowhere, '--sandbox', nowhere);
    expect([result.code, result.stderr]).toEqual([1, expect.stringContaining('No sandbox answers')]);
  });
});
