// The request quota in real time: three processes share a store for three minutes, and one of them is killed and started
// again. Prints what arrived. After a build: node test/quota/real-time.mjs sqlite, or postgres with DATABASE_URL.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PartnerClient } from 'vehicle-auction-sdk';
import { postgresStore } from 'vehicle-auction-sdk/postgres';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';

const LASTS_MS = Number(process.env.QUOTA_MS ?? 180_000);
const LANES = ['bid', 'command', 'read', 'poll'];
const [kind, baseUrl, place] = process.argv.slice(2);
if (baseUrl === undefined) await watch();
else await work();

/** One process: ten calls of each lane wait at any time. */
async function work() {
  const store = kind === 'sqlite' ? sqliteStore(place) : postgresStore({ connectionString: place });
  const auction = new PartnerClient({
    baseUrl,
    environment: 'sandbox',
    credentials: { clientId: 'client', keyId: 'key', signingSecret: 'secret' },
    partnerType: 'platform',
    store,
    logLevel: 'off',
  });
  const keepCalling = async (lane) => {
    for (;;) await auction.events.get(lane, { lane, deadline: 600_000 }).catch(() => undefined);
  };
  for (const lane of LANES) for (let n = 0; n < 10; n += 1) void keepCalling(lane);
}

/** The service: it counts arrivals. */
async function watch() {
  const folder = mkdtempSync(join(tmpdir(), 'vehicle-auction-quota-'));
  const file = join(folder, 'auction.db');
  const url = process.env.DATABASE_URL;
  const arrivals = [];
  const byLane = {};
  const server = createServer((request, response) => {
    const lane = request.url?.split('/').at(-1) ?? '';
    arrivals.push(performance.now());
    byLane[lane] = (byLane[lane] ?? 0) + 1;
    response.setHeader('content-type', 'application/json');
    const data = { id: lane, status: 'live', bid_increment: '5000.00', revision: 1 };
    response.end(JSON.stringify({ data, server_time: new Date().toISOString() }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${server.address().port}/api/v1`;
  const start = () => fork(fileURLToPath(import.meta.url), [kind, address, kind === 'sqlite' ? file : url]);
  const processes = [start(), start(), start()];
  await new Promise((resolve) => setTimeout(resolve, LASTS_MS / 3));
  processes[0]?.kill('SIGKILL');
  processes[0] = start();
  await new Promise((resolve) => setTimeout(resolve, (LASTS_MS * 2) / 3));
  for (const each of processes) each.kill('SIGKILL');
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
  let peak = 0;
  for (let first = 0, next = 0; next < arrivals.length; next += 1) {
    while (arrivals[next] - arrivals[first] >= 60_000) first += 1;
    peak = Math.max(peak, next - first + 1);
  }
  const figures = { kind, seconds: LASTS_MS / 1_000, arrivals: arrivals.length, peak, byLane };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
