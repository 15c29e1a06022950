// Opens a file of intents with a client, places a first bid, and goes on to bid: while retention deletes what is old, and
// as often with a client that keeps it. Prints what that took. In a process of its own, with what users import and no network.
import { PartnerClient } from 'vehicle-auction-sdk';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';

const [path, bids] = process.argv.slice(2);
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
let auction = new PartnerClient({ ...options, store: sqliteStore(path) });
await auction.recover();
await place();
const firstMs = performance.now() - begun;
globalThis.gc();
const heap = (process.memoryUsage().heapUsed - before) / 1e6;

const pruning = await placed(Number(bids));
const oldest = (await auction.intents.list({ which: 'all', limit: 1 })).at(0)?.position;
await auction.close();
auction = new PartnerClient({ ...options, retention: Number.POSITIVE_INFINITY, store: sqliteStore(path) });
const keeping = await placed(Number(bids));
await auction.close();
console.log(JSON.stringify({ firstMs, heap, pruning, keeping, oldest }));

/** How long so many bids take, one after the other: the longest and the median, ms. */
async function placed(count) {
  const took = [];
  for (let done = 0; done < count; done += 1) {
    const from = performance.now();
    await place();
    took.push(performance.now() - from);
  }
  took.sort((a, b) => a - b);
  return { longest: took.at(-1), median: took[Math.floor(count / 2)] };
}

async function place() {
  const { status, what } = await auction.bids.place({ lot: `lot_${replies}`, amount: '465000.00' });
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
