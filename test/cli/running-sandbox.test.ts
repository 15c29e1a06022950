import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPayloads, shownPayloads } from '../../src/api/webhook-events.js';
import { run } from '../../src/cli/run.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { bid, get } from '../sandbox/caller.js';
import { rows } from '../sandbox/commands.js';
import { ran } from './command.js';

let sandbox: Sandbox;
let origin: string;
/** Types of the events that the webhook receiver got. */
const received: string[] = [];
const receive = async (request: Request) => {
  const { type, data, challenge = data.challenge } = JSON.parse(await request.text());
  received.push(type);
  return Response.json({ challenge });
};
const webhookTypes = [...Object.keys(shownPayloads), ...openPayloads].filter(
  (type) => type !== 'webhook.endpoint_verification',
);

beforeAll(async () => {
  sandbox = await startSandbox({
    variants: { 'decision-values': 'rejected-too' },
    webhooks: { send: receive },
  });
  origin = new URL(sandbox.baseUrl).origin;
  for (const who of ['dealer', 'platform'] as const)
    sandbox.webhooks.subscribe({
      who: sandbox.credentials[who],
      url: 'https://receiver.test/',
      events: webhookTypes,
    });
  await sandbox.webhooks.settled();
});
afterAll(() => sandbox.close());

const listed = async (): Promise<{ type: string; arrives: string[]; sale: string | null }[]> => {
  const { stdout } = await ran('trigger', '--list', '--json', '--sandbox', origin);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
};

describe('trigger', () => {
  it('lists every type of webhook event and of inbox message', async () => {
    const all = await listed();
    expect(all.filter(({ arrives }) => arrives.includes('webhook')).map(({ type }) => type)).toEqual(
      expect.arrayContaining(webhookTypes),
    );
    const inbox = Object.values(rows).flatMap(({ news = [] }) => news);
    expect(all.map(({ type }) => type)).toEqual(expect.arrayContaining(inbox));
  });

  it('makes every listed event arrive where it says, and leaves the sale as it says', {
    timeout: 60_000,
  }, async () => {
    for (const { type, arrives, sale } of await listed()) {
      received.length = 0;
      const before = sandbox.records('notification').length;
      const { code, stdout } = await ran('trigger', type, '--json', '--sandbox', origin);
      expect([type, code]).toEqual([type, 0]);
      const lotId = expect.stringMatching(/^lot_/);
      expect(JSON.parse(stdout)).toMatchObject({ type, lotId, saleState: sale });
      await sandbox.webhooks.settled();
      const messages = sandbox.records('notification').slice(before);
      const inInbox = messages.some(({ data }) => data['type'] === type);
      expect([type, inInbox]).toEqual([type, arrives.includes('inbox')]);
      expect([type, received.includes(type)]).toEqual([type, arrives.includes('webhook')]);
    }
  });

  it('leaves a sale for the bank to decide, which the list shows', async () => {
    const { stdout } = await ran('trigger', '--list', '--sandbox', origin);
    expect(stdout).toMatch(/^award\tpending_bank_approval\t$/m);
    expect(stdout).toMatch(/^sale\.approved\tapproved\tinbox, webhook$/m);
  });

  it('lets a platform bid for a buyer, and leaves seeded auctions alone', async () => {
    const bids = sandbox.ledger().length;
    received.length = 0;
    await ran('trigger', 'sale.approved', '--as', 'platform', '--sandbox', origin);
    await sandbox.webhooks.settled();
    expect(received).toContain('sale.approved');
    expect(sandbox.ledger()[bids]).toMatchObject({ clientId: sandbox.credentials.platform.clientId });
    expect(sandbox.auctions.get('live-open').status).toBe('live');
  });

  it('names what is missing: a known type, a bid that counts, a variant', async () => {
    const none = await ran('trigger', '--sandbox', origin);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('trigger --list')]);
    const unknown = await ran('trigger', 'sale.sold', '--sandbox', origin);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('sale.approved')]);
    const plain = await startSandbox();
    const refused = await ran('trigger', 'sale.rejected', '--sandbox', new URL(plain.baseUrl).origin);
    await plain.close();
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('rejected-too')]);
  });
});

/** Runs `logs` until it has printed what `isEnough` looks for. */
async function logs(flags: readonly string[], act: () => Promise<unknown>, isEnough: RegExp) {
  let [stdout, stop] = ['', () => {}];
  const code = await run(['logs', '--sandbox', origin, ...flags], {
    out: (text) => {
      stdout += text;
      if (isEnough.test(stdout)) stop();
    },
    err: () => void act(),
    onInterrupt: (interrupt) => {
      stop = interrupt;
      return () => {};
    },
  });
  return { code, stdout };
}

describe('logs', () => {
  it('prints one line for each new request, with its verdict and client', async () => {
    const { dealer } = sandbox.credentials;
    const act = async () => {
      await get(sandbox, dealer, '/api/v1/events');
      await bid(sandbox, dealer, sandbox.auctions.get('live-open').lots[0]?.id ?? '', { amount: '1' });
      await get(sandbox, { ...dealer, signingSecret: randomUUID() }, '/api/v1/lots');
    };
    const { code, stdout } = await logs([], act, /lots .*\n/);
    expect(code).toBe(130);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => line.replace(/^#\d+ \S+ /, ''))).toEqual([
      `GET /api/v1/events events.list 200 ${dealer.clientId}`,
      expect.stringMatching(/^POST \/api\/v1\/.* bids\.submit 422 BID_\w+ client_sbx_dealer$/),
      expect.stringMatching(/^GET \/api\/v1\/lots .* 401 .*hint: /),
    ]);
  });

  it('prints JSON with --json, and only requests that have a reply', async () => {
    const { dealer } = sandbox.credentials;
    sandbox.inject({ fault: 'delay', operation: 'events.list', ms: 1 });
    const { stdout } = await logs(['--json'], () => get(sandbox, dealer, '/api/v1/events'), /\n/);
    expect(JSON.parse(stdout)).toMatchObject({ call: 'events.list', status: 200, clientId: dealer.clientId });
  });

  it('ends with 1 where no sandbox answers', async () => {
    const result = await ran('logs', '--sandbox', 'http://127.0.0.1:1');
    expect([result.code, result.stderr]).toEqual([1, expect.stringContaining('No sandbox answers')]);
  });
});
