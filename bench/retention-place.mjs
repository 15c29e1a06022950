// Opens a file of intents with a client, places a first bid, and goes on to bid: while retention deletes what is old, and in
// turn with a client that keeps all of its copy of the file. Prints what that took. In a process of its own, with what users
// import and no network.
import { PartnerClient } from 'vehicle-auction-sdk';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';

const [path, copy, bids] = process.argv.slice(2);
let replies = 0;

globalThis.gc();
const before = process.memoryUsage().heapUsed;
const begun = performance.now();
const options = {
  baseUrl: 'https://bank.example/api/v1',
  environment: 'sandbox',
  credentials: {
    clientId: 'cl_bench',
    keyId: 'key_bench',
    signingSecret: 'bench-only-secret-0123456789abcdef',
  },
  partnerType: 'direct_dealer',
  dealerId: 'D-204',
  quota: { limit: Number.POSITIVE_INFINITY },
  transport: { send: async () => reply(), close: async () => undefined },
};
const auction = new PartnerClient({ ...options, store: sqliteStore(path) });
await auction.recover();
await place(auction);
const firstMs = performance.now() - begun;
globalThis.gc();
const heap = (process.memoryUsage().heapUsed - before) / 1e6;

const keeper = new PartnerClient({
  ...options,
  retention: Number.POSITIVE_INFINITY,
  store: sqliteStore(copy),
});
await place(keeper);
const [pruning, keeping] = [[], []];
// In turn, so that whatever slows the machine slows both.
while (pruning.length * 10 < Number(bids)) {
  pruning.push(await placed(auction));
  keeping.push(await placed(keeper));
}
const oldest = (await auction.intents.list({ which: 'all', limit: 1 }).toArray()).at(0)?.position;
await Promise.all([auction.close(), keeper.close()]);
console.log(JSON.stringify({ firstMs, heap, pruning, keeping, oldest }));

/** How long ten bids take, one right after the other, ms. */
async function placed(client) {
  const took = [];
  for (let done = 0; done < 10; done += 1) {
    const from = performance.now();
    await place(client);
    took.push(performance.now() - from);
  }
  // Behind what retention deletes after the last of them.
  await client.intents.list({ which: 'unresolved' }).toArray();
  return took;
}

async function place(client) {
  const { status, what } = await client.bids.place({ lot: `lot_${replies}`, amount: '465000.00' });
  if (status !== 'accepted') throw new Error(`A bid is ${status}: ${what}`);
}

/** An acceptance. Ids are the service's evidence for one bid: no two have the same. */
function reply() {
  replies += 1;
  const data = {
    request_id: `req_${replies}`,
    bid_id: `bid_${replies}`,
    status: 'accepted',
    lot_version: 7,
    replayed: false,
  };
  const body = { success: true, code: 'BID_ACCEPTED', message: 'Bid accepted.', data, errors: [] };
  return {
    status: 201,
    headers: { 'content-type': 'application/json', date: new Date().toUTCString() },
    body: once(Buffer.from(JSON.stringify(body))),
    discard: () => undefined,
  };
}

async function* once(bytes) {
  yield bytes;
}
