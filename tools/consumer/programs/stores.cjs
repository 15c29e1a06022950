const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const KEY = '5b1f4b0e-6c1d-4f1a-9d3e-2a7c1e9f0b64';

/** Bids over a file, in two clients one after the other, and runs the suite for stores, on the SQLite that there is. */
module.exports = async ({ sdk, sandbox, sqlite, postgres, testing }) => {
  const folder = mkdtempSync(join(tmpdir(), 'consumer-stores-'));
  const open = (name) => sqlite.sqliteStore(join(folder, name));
  try {
    await placeTwice(sdk, sandbox, () => open('auction.db'));
    const cases = await runSuite(testing, open);
    await checkPostgres(sdk, postgres);
    console.log(`accepted once, and ${cases} cases of the suite passed`);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

async function placeTwice({ PartnerClient }, { startSandbox }, openStore) {
  const sandbox = await startSandbox();
  const { dealer } = sandbox.credentials;
  const [lot] = sandbox.auctions.get('live-open').lots;
  const outcomes = [];
  for (let client = 0; client < 2; client += 1) {
    const auction = new PartnerClient({
      baseUrl: sandbox.baseUrl,
      environment: 'sandbox',
      credentials: dealer,
      partnerType: 'direct_dealer',
      dealerId: dealer.dealerId,
      store: openStore(),
    });
    const recovered = await auction.recover();
    if (recovered.length > 0) throw new Error('something was left unsettled');
    const bid = { lot: lot.id, amount: lot.startingPrice };
    outcomes.push(await auction.bids.place(bid, { idempotencyKey: KEY }));
    await auction.close();
  }
  const [first, second] = outcomes;
  if (first.status !== 'accepted' || second.bidId !== first.bidId || sandbox.ledger().length !== 1)
    throw new Error(`the bid was not found again, or doubled: ${JSON.stringify(outcomes)}`);
  await sandbox.close();
}

async function runSuite({ storeConformance }, openStore) {
  let files = 0;
  const newStorage = () => {
    files += 1;
    const name = `case-${files}.db`;
    return { open: () => openStore(name), pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) };
  };
  // What passes meanwhile by itself, on a slow machine, must be far less.
  const cases = storeConformance(newStorage, { shared: true, silence: 3_000 });
  for (const { name, run } of cases) {
    await run().catch((error) => {
      throw new Error(`${name}: ${error.message}`, { cause: error });
    });
  }
  return cases.length;
}

/** pg is installed, and nothing listens: the driver is found, and says what is wrong. */
async function checkPostgres({ StoreError }, { postgresStore }) {
  const store = postgresStore({ connectionString: 'postgres://127.0.0.1:1/bids' });
  const failure = await store.transaction('sandbox', (tx) => tx.account.halt()).catch((error) => error);
  if (!(failure instanceof StoreError && failure.reason === 'unavailable'))
    throw new Error(`a database that is not there was reported as ${failure}`);
  await store.close();
}
