import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { resources } from '../src/api/service.js';
import { type Sandbox, type SandboxCredentials, startSandbox } from '../src/sandbox/index.js';
import { canonicalQuery } from '../src/signing/query.js';
import { type Sent, signed } from '../test/sandbox/caller.js';

/**
 * Stress test of the sandbox: many connections, arbitrary requests, and long runs. `npm run test:sandbox --
 * --minutes 30` exits with 1 if a limit is exceeded.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    connections: { type: 'string', default: '10000' },
    fuzz: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
  },
});

const PROFILE = '/api/v1/integration/profile';
/** Growth of the heap between the early and the late phase, megabytes. */
const MOST_GROWTH = 1.15;

await manyConnections(Number(values.connections));
await fuzz(Number(values.fuzz), Number(values.seed));
await soak(Number(values.minutes));

function report(what: string, isKept: boolean, figures: string): void {
  console.log(`${isKept ? 'kept  ' : 'BROKEN'}  ${what}: ${figures}`);
  if (!isKept) process.exitCode = 1;
}

/** Keeps all connections open and sends a signed request on each. Needs two open files per connection. */
async function manyConnections(count: number): Promise<void> {
  await using sandbox = await startSandbox({ rateLimit: false });
  const { hostname, port } = new URL(sandbox.baseUrl);
  const open: Socket[] = [];
  let answered = 0;
  const lanes = Array.from({ length: 50 }, async () => {
    while (open.length < count) {
      const socket = connect(Number(port), hostname).on('error', () => {});
      open.push(socket);
      const { headers } = signed(sandbox, sandbox.credentials.dealer, { path: PROFILE });
      const lines = [['Host', 'sandbox'], ...headers].map((pair) => pair.join(': '));
      socket.write(`GET ${PROFILE} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      const [first] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      if (String(first).startsWith('HTTP/1.1 200')) answered += 1;
    }
  });
  await Promise.all(lanes);
  const alive = open.filter(({ destroyed }) => !destroyed).length;
  for (const socket of open) socket.destroy();
  report('connections at once', answered >= count && alive >= count, `${alive} open, ${answered} answered`);
}

/** Sends arbitrary signed and unsigned requests. None may get a 5xx. */
async function fuzz(count: number, seed: number): Promise<void> {
  await using sandbox = await startSandbox({ clock: 'manual', rateLimit: false });
  const lots = sandbox.auctions.get('live-open').lots.slice(0, 5);
  for (const { id } of lots) sandbox.actors.rival.bidNext(id);
  sandbox.auctions.close('live-open');
  for (const { id } of lots.slice(0, 3)) sandbox.actors.bank.approve(id);
  const ids = sandbox.auctions.list().flatMap(({ id, lots: [lot] }) => [id, lot?.id ?? id]);
  const records = ['sale', 'offer', 'release', 'payment'].flatMap((kind) => sandbox.records(kind));
  const known = fc.constantFrom(...ids, ...records.map(({ id }) => id));
  const id = fc.oneof({ weight: 3, arbitrary: known }, fc.string());
  const words = fc.constantFrom('465000', '0.00', '1e5', 'INR', 'approved', 'rejected', 'bank_transfer');
  const instant = fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  const value = fc.oneof(known, words, instant, fc.uuid(), fc.jsonValue());
  const operation = fc.constantFrom(...resources.flatMap(({ operations }) => Object.values(operations)));
  const request = fc.tuple(operation, fc.uuid()).chain(([{ method, path, body, query }, key]) => {
    const fields = [...Object.keys(body?.shape ?? {}), '_method', '__proto__', 'x'];
    const asked = [...Object.keys(query?.shape ?? {}), 'x'];
    const object = recordOf(fields, value).map((own) => JSON.stringify({ ...own, idempotency_key: key }));
    return fc.record({
      method: mostly(method, fc.constantFrom('GET', 'POST', 'DELETE', 'PATCH', 'OPTIONS')),
      path: id.map((given) => path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(given))),
      body: fc.oneof(object, object, object, fc.constantFrom('{', '[]', '\u0000', 'null', '"')),
      query: recordOf(asked, fc.oneof(known, words, instant)),
      key: mostly(key, fc.constantFrom('x', '')),
      who: fc.constantFrom(...Object.values(sandbox.credentials)),
      lost: mostly('none', fc.constantFrom('X-Nonce', 'X-Signature', 'X-Timestamp', 'Content-Type')),
      passes: mostly(0, fc.nat(1e6)),
    });
  });
  const statuses = new Map<number, number>();
  const ask = async ({ who, lost, passes, key, query, body, ...given }: Value<typeof request>) => {
    const headers = { 'Idempotency-Key': key, [lost]: undefined };
    const content = given.method === 'GET' ? { query: canonicalQuery(query) } : { body };
    const sent = { ...content, method: given.method, path: `/api/v1${given.path}`, headers };
    const status = await statusOf(sandbox, who, sent);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    sandbox.clock.advance(passes);
    return status < 500;
  };
  const asked = fc.asyncProperty(request, ask);
  const { failed, counterexample } = await fc.check(asked, { seed, numRuns: count });
  if (failed) console.log(`  5xx: ${JSON.stringify(counterexample)}`);
  const told = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${times} × ${status}`);
  report(`${count} requests of any kind, seed ${seed}`, !failed, told.join(', '));
}

type Value<A> = A extends fc.Arbitrary<infer T> ? T : never;

/** One value nine times of ten. */
function mostly<T>(usual: T, others: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, others);
}

/** Some of the fields, each with a value. */
function recordOf<T>(names: readonly string[], value: fc.Arbitrary<T>) {
  return fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] });
}

/** Runs reads, replays, refusals and faults for some minutes. Memory use must stay flat. */
async function soak(minutes: number): Promise<void> {
  await using sandbox = await startSandbox({ clock: 'manual' });
  const { dealer, bank } = sandbox.credentials;
  const [lot] = sandbox.auctions.get('live-no-grid').lots;
  if (lot === undefined) throw new Error('no lots');
  const key = randomUUID();
  const bid = { dealer_id: dealer.dealerId, amount: lot.startingPrice, idempotency_key: key };
  const lot_ids = Array.from({ length: 100 }, () => randomUUID());
  let sent = 0;
  const ask = async (who: SandboxCredentials, path: string, body?: object) => {
    sandbox.clock.advance(600);
    sent += 1;
    const request = { path: `/api/v1${path}`, body, headers: { 'Idempotency-Key': key } };
    // Ignore connections cut by a fault.
    const status = await statusOf(sandbox, who, request).catch(() => 0);
    if (status >= 500) report('soak', false, `${path} is answered with ${status}`);
  };
  const round = async () => {
    await ask(dealer, '/events');
    await ask(dealer, `/lots/${lot.id}/status`);
    await ask(bank, '/sale-cases');
    await ask(dealer, `/lots/${lot.id}/bids`, bid);
    await ask(dealer, '/lots/status-batch', { lot_ids, note: 'x'.repeat(20_000) });
    await ask({ ...dealer, signingSecret: 'another secret' }, '/integration/profile');
    await ask(dealer, '/nowhere');
    sandbox.inject({ fault: 'drop_after_commit' });
    await ask(dealer, '/integration/profile');
  };
  // Fill the bounded log of 10,000 requests first.
  while (sent < 24_000) await round();
  const before = settledHeap();
  const until = performance.now() + minutes * 60_000;
  while (performance.now() < until) await round();
  const after = settledHeap();
  const figures = `${before.toFixed(1)} MB, ${minutes} min and ${sent} requests later ${after.toFixed(1)} MB`;
  report('soak without growth', after / before <= MOST_GROWTH, figures);
}

/** Sends a request in process, without a `Request` object, which Node 20 frees too slowly. */
async function statusOf(sandbox: Sandbox, who: SandboxCredentials, sent: Sent): Promise<number> {
  const { method, target, headers, body } = signed(sandbox, who, sent);
  const { origin } = new URL(sandbox.baseUrl);
  const content = body.length === 0 ? {} : { body: new Uint8Array(body) };
  const reply = await sandbox.fetch(origin + target, { method, headers, ...content });
  await reply.arrayBuffer();
  return reply.status;
}

/** Megabytes of heap in use after garbage collection. */
function settledHeap(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') for (let pass = 0; pass < 3; pass += 1) collect();
  return process.memoryUsage().heapUsed / 1e6;
}
