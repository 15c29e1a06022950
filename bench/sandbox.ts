import { type ChildProcess, fork } from 'node:child_process';
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type SandboxCredentials, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { type Pair, type Ratio, ratioOf } from './measure.js';

/**
 * CPU of the sandbox for a signed request over CPU of a bare `node:http` server that reads it and answers the same bytes,
 * each in a process of its own, in turn.
 */
export async function sandboxCost(count: number, rounds: number): Promise<Ratio[]> {
  const sandbox = await start('sandbox');
  const bare = await start('bare');
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  try {
    const ratios: Ratio[] = [];
    for (const [name, next] of await exchanges(sandbox)) {
      const sample = await exchanged(agent, (await ask(sandbox)).port, next());
      await ask(bare, { reply: sample });
      const pairs: Pair[] = [];
      for (let round = -1; round < rounds; round += 1) {
        const requests = Array.from({ length: count }, next);
        const ours = await cpuOf(sandbox, agent, requests, sample.status);
        const theirs = await cpuOf(bare, agent, requests, sample.status);
        // The first round is for warming up.
        if (round >= 0) pairs.push({ ours, theirs });
      }
      ratios.push(ratioOf(name, pairs, 'µs'));
    }
    return ratios;
  } finally {
    agent.destroy();
    sandbox.disconnect();
    bare.disconnect();
  }
}

/** Heap of a sandbox after `many` signed requests over that after `few`, with its rate limit and its clock moving. */
export async function sandboxMemory(few: number, many: number): Promise<Ratio> {
  const sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z' });
  try {
    const { dealer } = sandbox.credentials;
    let sent = 0;
    const heapAfter = async (count: number) => {
      for (; sent < count; sent += 1) {
        sandbox.clock.advance(500);
        const { headers } = signed(dealer, sandbox.clock.now(), 'GET', '/api/v1/sale-cases');
        const reply = await sandbox.fetch(`${sandbox.baseUrl}/sale-cases`, { headers });
        if (reply.status !== 200) throw new Error(`answered with ${reply.status}`);
        await reply.arrayBuffer();
      }
      return settledHeap();
    };
    const theirs = await heapAfter(few);
    const ours = await heapAfter(many);
    return ratioOf(`heap after ${many} requests ÷ after ${few}`, [{ ours, theirs }], 'MB');
  } finally {
    await sandbox.close();
  }
}

/** Requests under way at once, so that the server is kept busy. */
const lanes = 16;

type Sendable = ReturnType<typeof signed>;

interface Told {
  readonly port: number;
  readonly cpu: NodeJS.CpuUsage;
  readonly dealer: SandboxCredentials;
  readonly now: number;
  readonly lots: readonly { readonly id: string; readonly startingPrice: string }[];
}

async function start(kind: 'sandbox' | 'bare'): Promise<ChildProcess> {
  // Without the loader of this process: what is measured is what users run.
  const child = fork(fileURLToPath(new URL('sandbox-servers.mjs', import.meta.url)), [kind], {
    execArgv: [],
  });
  await once(child, 'message');
  return child;
}

async function ask(child: ChildProcess, message: object = {}): Promise<Told> {
  child.send(message);
  const [told] = await once(child, 'message');
  return told as Told;
}

async function exchanges(sandbox: ChildProcess): Promise<[name: string, next: () => Sendable][]> {
  const { dealer, now, lots } = await ask(sandbox);
  const [read] = lots;
  if (read === undefined) throw new Error('no lots');
  let bids = 0;
  const nextBid = () => {
    // Each lot in its turn, an increment higher each time.
    const lot = lots[bids % lots.length] ?? read;
    const amount = Number(lot.startingPrice) + Math.floor(bids / lots.length) * 5_000;
    bids += 1;
    const key = randomUUID();
    const body = { dealer_id: dealer.dealerId, amount: amount.toFixed(2), idempotency_key: key };
    const path = `/api/v1/lots/${lot.id}/bids`;
    return signed(dealer, now, 'POST', path, JSON.stringify(body), { 'Idempotency-Key': key });
  };
  return [
    [
      'the sandbox, a read ÷ bare node:http',
      () => signed(dealer, now, 'GET', `/api/v1/lots/${read.id}/status`),
    ],
    ['the sandbox, a bid ÷ bare node:http', nextBid],
  ];
}

/** Microseconds of CPU that a process spends on each of these requests. */
async function cpuOf(
  child: ChildProcess,
  agent: Agent,
  requests: readonly Sendable[],
  status: number,
): Promise<number> {
  const { port, cpu } = await ask(child);
  const left = [...requests];
  const lane = async () => {
    for (let each = left.shift(); each !== undefined; each = left.shift()) {
      const reply = await exchanged(agent, port, each);
      if (reply.status !== status) throw new Error(`answered with ${reply.status}: ${reply.body}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const { cpu: after } = await ask(child);
  return (after.user + after.system - cpu.user - cpu.system) / requests.length;
}

function signed(
  { clientId, keyId, signingSecret }: SandboxCredentials,
  now: number,
  method: string,
  path: string,
  body = '',
  more: Record<string, string> = {},
) {
  const timestamp = String(Math.floor(now / 1_000));
  const nonce = randomUUID();
  const digest = createHash('sha256').update(body).digest('hex');
  const canonical = [method, path, '', timestamp, nonce, digest].join('\n');
  const headers: Record<string, string> = {
    Accept: 'application/json',
    'X-Client-ID': clientId,
    'X-Key-ID': keyId,
    'X-Timestamp': timestamp,
    'X-Nonce': nonce,
    'X-Content-SHA256': digest,
    'X-Signature': createHmac('sha256', signingSecret).update(canonical).digest('hex'),
    ...(body !== '' && {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
    }),
    ...more,
  };
  return { method, path, headers, body };
}

function exchanged(
  agent: Agent,
  port: number,
  { body, ...head }: Sendable,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ agent, host: '127.0.0.1', port, ...head }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
      );
      reply.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Megabytes of heap in use once nothing more can be freed. */
function settledHeap(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') for (let pass = 0; pass < 3; pass += 1) collect();
  return process.memoryUsage().heapUsed / 1e6;
}
