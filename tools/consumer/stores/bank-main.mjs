import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';

/** Runs the endpoint and the bank's day as programs of their own, against a sandbox. */
const limits = { 'endpoint.mjs': 5, 'bank-day.mjs': 50 };
for (const [file, most] of Object.entries(limits)) {
  const lines = readFileSync(new URL(file, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.includes('./handlers.mjs'));
  if (lines.length > most) throw new Error(`${file} has ${lines.length} lines`);
}
const folder = mkdtempSync(join(tmpdir(), 'consumer-bank-'));
const sandbox = await startSandbox({ webhooks: { allowPrivate: true } });
const { bank } = sandbox.credentials;
const env = {
  ...process.env,
  VEHICLE_AUCTION_BASE_URL: sandbox.baseUrl,
  VEHICLE_AUCTION_CLIENT_ID: bank.clientId,
  VEHICLE_AUCTION_KEY_ID: bank.keyId,
  VEHICLE_AUCTION_SIGNING_SECRET: bank.signingSecret,
  AUCTION_STORE: join(folder, 'auction.db'),
  AUDIT_LOG: join(folder, 'audit.jsonl'),
  BANK_DAY: join(folder, 'day.json'),
};
const endpoint = await startEndpoint();
try {
  await day();
  console.log(`a bank’s day, and an endpoint that heard of ${endpoint.heard().length} events`);
} finally {
  await endpoint.stop();
  await sandbox.close();
  rmSync(folder, { recursive: true });
}

async function day() {
  const { rival, buyer, bank: teller } = sandbox.actors;
  const lots = sandbox.auctions.get('live-open').lots.slice(0, 3);
  for (const { id, startingPrice } of lots) rival.bid(id, startingPrice);
  const [good, low] = lots;
  // At the reserve, below it, and without one.
  const reserves = { [good.id]: good.startingPrice, [low.id]: `${Number(low.startingPrice) + 5_000}.00` };
  sandbox.auctions.extend('live-open', 60_000);
  sandbox.auctions.close('live-open');
  const saleOf = (lot) => sandbox.records('sale').find(({ data }) => data.lot_id === lot.id);
  const isOver = (pattern, wanted, { stdout, stderr, code }) => {
    const found = [...stdout.matchAll(pattern)]
      .map(([, word]) => word)
      .sort()
      .join(' ');
    if (found !== wanted || stderr !== '')
      throw new Error(`${found} in place of ${wanted} (${code})\n${stdout}\n${stderr}`);
  };
  const statuses = /^(approved|offered|held|waiting|verified|not_pending|not_sent|unknown)\b/gm;
  const run = (statement = []) => {
    writeFileSync(env.BANK_DAY, JSON.stringify({ reserves, statement, payeeInstructions: 'NEFT to 0042' }));
    return program('bank-day.mjs');
  };
  isOver(statuses, 'approved held offered', await run());
  isOver(statuses, 'held waiting', await run());
  buyer.respond(low.id, 'accepted');
  isOver(statuses, 'approved held', await run());
  if (sandbox.ledger().filter(({ operation }) => operation === 'A22').length !== 2)
    throw new Error('doubled');

  const sale = saleOf(good);
  buyer.acknowledge(sale.id);
  const report = buyer.report(sale.id);
  const { utr, amount } = report.data;
  const { receiptId } = teller.receive(sale.id, { utr, amount });
  const entry = { reportId: report.id, bankReceiptId: receiptId, utr, amount, saleId: sale.id };
  isOver(statuses, 'held verified', await run([entry]));
  const audit = readFileSync(env.AUDIT_LOG, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const phases = audit.map(({ phase }) => phase);
  if (
    phases.filter((phase) => phase === 'before').length !== 3 ||
    phases.filter((phase) => phase === 'after').length !== 3
  )
    throw new Error(`the audit has ${phases}`);

  await sandbox.webhooks.settled();
  await endpoint.until(3);
}

/** The endpoint, subscribed as the rival, who wins. */
async function startEndpoint() {
  const port = await freePort();
  let secret = '';
  const url = `http://127.0.0.1:${port}/`;
  const subscription = sandbox.webhooks.subscribe({
    who: sandbox.credentials.rival,
    url,
    events: ['sale.approved', 'auction.schedule_changed'],
  });
  secret = subscription.secret;
  const child = spawn(process.execPath, [new URL('endpoint.mjs', import.meta.url).pathname], {
    env: { ...env, PORT: String(port), WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let said = '';
  const heard = () => said.match(/^(sold at|closes) /gm) ?? [];
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  while (
    !(await fetch(url).then(
      () => true,
      () => false,
    ))
  );
  await sandbox.webhooks.settled();
  if (sandbox.webhooks.subscriptions()[0].state !== 'active') sandbox.webhooks.verify(subscription.id);
  await sandbox.webhooks.settled();
  return {
    heard,
    until: async (count) => {
      while (heard().length < count) await once(child.stdout, 'data');
    },
    stop: () => {
      child.kill();
      return ended;
    },
  };
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function program(file) {
  return new Promise((resolve) => {
    const args = [new URL(file, import.meta.url).pathname];
    execFile(process.execPath, args, { env }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stdout, stderr });
    });
  });
}
