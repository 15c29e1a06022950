import { fork } from 'node:child_process';
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { resources } from '../../src/api/service.js';
import { type Sandbox, type SandboxCredentials, startSandbox } from '../../src/sandbox/index.js';

/**
 * What the sandbox withstands: its start, many connections at once, requests of any kind, and hours of them.
 * `npm run test:sandbox -- --minutes 30`; it exits with 1 where a limit is not kept.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    connections: { type: 'string', default: '10000' },
    fuzz: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
  },
});

const profile = '/api/v1/integration/profile';
/** Megabytes of heap, late over early. */
const mostGrowth = 1.15;
/** From `startSandbox()` to the first signed reply, milliseconds. */
const longestStart = 150;

type Signer = Pick<SandboxCredentials, 'clientId' | 'keyId' | 'signingSecret'>;

let failed = false;
function report(what: string, isKept: boolean, figures: string): void {
  console.log(`${isKept ? 'kept  ' : 'BROKEN'}  ${what}: ${figures}`);
  if (!isKept) failed = true;
}

await start();
await manyConnections(Number(values.connections));
await fuzz(Number(values.fuzz), Number(values.seed));
await soak(Number(values.minutes));
process.exitCode = failed ? 1 : 0;

/** In process: the median of nine, after the modules are loaded. */
async function start(): Promise<void> {
  const taken: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    const begun = performance.now();
    await using sandbox = await startSandbox({ listen: false });
    const { headers } = signed(sandbox.credentials.dealer, sandbox.clock.now(), 'GET', profile);
    const reply = await sandbox.fetch(addressOf(sandbox) + profile, { headers });
    if (reply.status !== 200) throw new Error(`answered with ${reply.status}`);
    taken.push(performance.now() - begun);
  }
  const median = taken.sort((a, b) => a - b)[4] ?? Number.NaN;
  report('start to first signed reply', median < longestStart, `${median.toFixed(1)} ms`);
}

/** Every connection stays open; each gets a signed reply, one after the other. The server has its own process. */
async function manyConnections(count: number): Promise<void> {
  const path = fileURLToPath(new URL('../../bench/sandbox-servers.mjs', import.meta.url));
  const server = fork(path, ['sandbox'], { execArgv: [] });
  await once(server, 'message');
  server.send({});
  const [told] = (await once(server, 'message')) as [{ port: number; dealer: Signer; now: number }];
  const open: Socket[] = [];
  let answered = 0;
  const lane = async (share: number) => {
    for (let n = 0; n < share; n += 1) {
      const socket = connect(told.port, '127.0.0.1');
      socket.on('error', () => {});
      open.push(socket);
      const { headers } = signed(told.dealer, told.now, 'GET', profile);
      const lines = Object.entries({ Host: 'sandbox', ...headers }).map((pair) => pair.join(': '));
      socket.write(`GET ${profile} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      const [first] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      if (String(first).startsWith('HTTP/1.1 200')) answered += 1;
    }
  };
  const lanes = 50;
  await Promise.all(Array.from({ length: lanes }, () => lane(Math.ceil(count / lanes))));
  const alive = open.filter(({ destroyed }) => !destroyed).length;
  for (const socket of open) socket.destroy();
  server.disconnect();
  report('connections at once', answered >= count && alive >= count, `${alive} open, ${answered} answered`);
}

/** Requests of any kind, signed and not: none is answered with a 5xx, and none ends the service. */
async function fuzz(count: number, seed: number): Promise<void> {
  const random = randomFrom(seed);
  await using sandbox = await startSandbox({ clock: 'manual', rateLimit: false });
  const operations = resources.flatMap((resource) => Object.values(resource.operations));
  const ids = ['x', '', '%', '%00', '..', 'é', '__proto__', 'a'.repeat(300)];
  const lots = sandbox.auctions.get('live-open').lots.slice(0, 5);
  for (const { id } of lots) sandbox.actors.rival.bidNext(id);
  sandbox.auctions.close('live-open');
  for (const { id } of lots.slice(0, 3)) sandbox.actors.bank.approve(id);
  const known = () => [
    ...sandbox.auctions.list().flatMap(({ id, lots: [lot] }) => [id, lot?.id ?? id]),
    ...['sale', 'offer', 'release', 'payment', 'document'].flatMap((kind) =>
      sandbox.records(kind).map((record) => record.id),
    ),
  ];
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const someValue = (depth = 0): unknown =>
    pick<() => unknown>([
      () => null,
      () => random() * 1e6,
      () => -1,
      () => 1e308,
      () => true,
      () => '',
      () => randomUUID(),
      () => pick(['465000', '0.00', '00465000.50', '1e5', 'INR', 'approved', 'rejected', 'bank_transfer']),
      () => new Date(sandbox.clock.now() + (random() - 0.5) * 1e9).toISOString(),
      () => pick(known()),
      () => pick(ids),
      () => (depth > 3 ? [] : Array.from({ length: Math.floor(random() * 4) }, () => someValue(depth + 1))),
      () => (depth > 3 ? {} : { [pick(ids)]: someValue(depth + 1), value: someValue(depth + 1) }),
    ])();
  const statuses = new Map<number, number>();
  const wrong: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const operation = pick(operations);
    const who = pick(Object.values(sandbox.credentials));
    const path = `/api/v1${operation.path.replace(/\{\w+\}/g, () => encodeURIComponent(pick(random() < 0.7 ? known() : ids)))}`;
    const names = [...Object.keys(operation.body?.shape ?? {}), '_method', '__proto__', 'x'];
    const key = randomUUID();
    const fields = names.filter(() => random() < 0.8).map((name) => [name, someValue()] as const);
    const object = { ...Object.fromEntries(fields), ...(random() < 0.9 && { idempotency_key: key }) };
    const method = random() < 0.9 ? operation.method : pick(['GET', 'POST', 'DELETE', 'PATCH', 'OPTIONS']);
    const isRead = method === 'GET';
    const sent = isRead
      ? ''
      : random() < 0.9
        ? JSON.stringify(object)
        : pick(['{', '[]', '\u0000', 'null', '"']);
    const asked = [...Object.keys(operation.query?.shape ?? {}), 'x'].filter(() => random() < 0.5).sort();
    const query = isRead
      ? asked
          .map((name) => `${name}=${encodeURIComponent(String(someValue())).replace(/[!'()*]/g, '')}`)
          .join('&')
      : '';
    const { headers } = signed(who, sandbox.clock.now(), method, path, query, sent);
    const all = { ...headers, ...(random() < 0.9 && { 'Idempotency-Key': key }) };
    if (random() < 0.1) Reflect.deleteProperty(all, pick(Object.keys(all)));
    const init = { method, headers: all, ...(sent !== '' && { body: sent }) };
    const url = `${addressOf(sandbox)}${path}${query === '' ? '' : `?${query}`}`;
    const reply = await sandbox.fetch(url, init);
    await reply.arrayBuffer();
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    if (reply.status >= 500) wrong.push(`${method} ${path}?${query} ${sent.slice(0, 500)}`);
    if (random() < 0.05) sandbox.clock.advance(random() * 1e6);
  }
  const { hostname, port } = new URL(sandbox.baseUrl);
  for (let n = 0; n < count / 20; n += 1) {
    const bytes = Buffer.from(Array.from({ length: 1 + Math.floor(random() * 200) }, () => random() * 256));
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.end(
      random() < 0.5 ? bytes : Buffer.concat([Buffer.from('GET /api/v1/events HTTP/1.1\r\n'), bytes]),
    );
    if (!socket.destroyed) await once(socket, 'close');
    if (/^HTTP\/1\.1 5/.test(Buffer.concat(chunks).toString('latin1'))) wrong.push(bytes.toString('hex'));
  }
  for (const each of wrong.slice(0, 10)) console.log(`  5xx: ${each}`);
  const told = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${times} × ${status}`);
  report(`${count} requests of any kind, seed ${seed}`, wrong.length === 0, told.join(', '));
}

/** Reads, replays, refusals and faults for so many minutes; what is kept of them has to stay flat. */
async function soak(minutes: number): Promise<void> {
  await using sandbox = await startSandbox({ clock: 'manual' });
  const { dealer, bank } = sandbox.credentials;
  const [lot] = sandbox.auctions.get('live-no-grid').lots;
  if (lot === undefined) throw new Error('no lots');
  const key = randomUUID();
  const bid = { dealer_id: dealer.dealerId, amount: lot.startingPrice, idempotency_key: key };
  const send = async (who: Signer, method: string, path: string, body = '', secret = who.signingSecret) => {
    const { clientId, keyId } = who;
    const signer = { clientId, keyId, signingSecret: secret };
    const { headers } = signed(signer, sandbox.clock.now(), method, path, '', body);
    const init = { method, headers: { ...headers, 'Idempotency-Key': key }, ...(body !== '' && { body }) };
    try {
      const reply = await sandbox.fetch(addressOf(sandbox) + path, init);
      await reply.arrayBuffer();
      if (reply.status >= 500) failed = true;
    } catch {
      // A connection that a fault has cut.
    }
  };
  const large = JSON.stringify({
    lot_ids: Array.from({ length: 100 }, () => randomUUID()),
    note: 'x'.repeat(20_000),
  });
  const steps = [
    () => send(dealer, 'GET', '/api/v1/events'),
    () => send(dealer, 'GET', `/api/v1/lots/${lot.id}/status`),
    () => send(bank, 'GET', '/api/v1/sale-cases'),
    () => send(dealer, 'POST', `/api/v1/lots/${lot.id}/bids`, JSON.stringify(bid)),
    () => send(dealer, 'POST', '/api/v1/lots/status-batch', large),
    () => send(dealer, 'GET', profile, '', 'another secret'),
    () => send(dealer, 'GET', '/api/v1/nowhere'),
    () => {
      sandbox.inject({ fault: 'drop_after_commit' });
      return send(dealer, 'GET', profile);
    },
  ];
  let sent = 0;
  const round = async () => {
    for (const step of steps) {
      sandbox.clock.advance(600);
      await step();
      sent += 1;
    }
  };
  // All that is bounded has to be full first: the latest 10,000 requests.
  while (sent < 24_000) await round();
  const before = settledHeap();
  const until = performance.now() + minutes * 60_000;
  while (performance.now() < until) await round();
  const after = settledHeap();
  const figures = `${before.toFixed(1)} MB, ${minutes} min and ${sent} requests later ${after.toFixed(1)} MB`;
  report('soak without growth', after / before <= mostGrowth, figures);
}

function addressOf({ baseUrl }: Sandbox): string {
  return baseUrl.replace(/\/api\/v1$/, '');
}

function signed(who: Signer, now: number, method: string, path: string, query = '', body = '') {
  const timestamp = String(Math.floor(now / 1_000));
  const nonce = randomUUID();
  const digest = createHash('sha256').update(body).digest('hex');
  const text = [method, path, query, timestamp, nonce, digest].join('\n');
  const headers: Record<string, string> = {
    'X-Client-ID': who.clientId,
    'X-Key-ID': who.keyId,
    'X-Timestamp': timestamp,
    'X-Nonce': nonce,
    'X-Content-SHA256': digest,
    'X-Signature': createHmac('sha256', who.signingSecret).update(text).digest('hex'),
    ...(body !== '' && { 'Content-Type': 'application/json' }),
  };
  return { headers };
}

/** Numbers from 0 to 1 (mulberry32): the same seed gives the same requests, but for keys and nonces. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Megabytes of heap in use once nothing more can be freed. */
function settledHeap(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') for (let pass = 0; pass < 3; pass += 1) collect();
  return process.memoryUsage().heapUsed / 1e6;
}
