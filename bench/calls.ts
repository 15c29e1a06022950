// Measures calls in a process of its own: `calls.ts <origin> <folder of peers or ''> <quick|long>` prints JSON.
import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileContent, signRequest } from 'vehicle-auction-sdk';
import { type Contestant, contestants, credentials, partner } from './contestants.js';
import { compare, longestHold, median, type Ratio, type Work } from './measure.js';

/** Ratios by scenario, each over the bare work; and how long an upload of 25 MB holds the event loop, ms. */
export interface CallFigures {
  readonly scenarios: Readonly<Record<string, readonly Ratio[]>>;
  readonly uploadHoldMs: number;
}

const [origin = '', folder = '', form] = process.argv.slice(2);
const quick = form === 'quick';
const rounds = quick ? 3 : 21;
const all = await contestants(origin, folder === '' ? undefined : folder);

const body = JSON.stringify({ amount: '465000.00', filler: 'x'.repeat(260) });
const bid = {
  ...credentials,
  body,
  method: 'POST',
  path: '/api/v1/lots/lot_4f1c9a/bids',
  nonce: '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f',
  timestamp: 1_772_431_200,
};

const figures: CallFigures = {
  scenarios: {
    'a read of 1 KB': await compare(
      each((one) => inParallel(1, one.read)),
      quick ? 100 : 1_000,
      rounds,
    ),
    '50 reads at once': await compare(
      each((one) => inParallel(50, one.read)),
      quick ? 200 : 2_000,
      rounds,
    ),
    'a page of 25': await compare(
      each(({ page }) => page && inParallel(1, page)),
      quick ? 50 : 500,
      rounds,
    ),
    'a webhook of 1 KB': await compare(
      // Signed at the start of each round: a delivery expires after five minutes, and a slow machine takes longer for all.
      each(({ webhook }) => webhook && ((count) => inParallel(1, webhook())(count))),
      quick ? 500 : 10_000,
      rounds,
    ),
    'signRequest, 300 bytes': await compare(
      { bare: byHand, 'vehicle-auction-sdk': byUs },
      quick ? 1_000 : 20_000,
      rounds,
    ),
  },
  uploadHoldMs: await uploadHold(quick ? 1 : 9),
};
console.log(JSON.stringify(figures));
process.exit();

/** What each contestant does, those that can do it. */
function each(workOf: (one: Contestant) => Work | undefined): Record<string, Work> {
  const works: Record<string, Work> = {};
  for (const one of all) {
    const work = workOf(one);
    if (work !== undefined) works[one.name] = work;
  }
  return works;
}

function inParallel(concurrency: number, call: () => unknown): Work {
  return async (count) => {
    let left = count;
    const lane = async () => {
      while (left > 0) {
        left -= 1;
        await call();
      }
    };
    await Promise.all(Array.from({ length: concurrency }, lane));
  };
}

function byUs(count: number): void {
  for (let done = 0; done < count; done += 1) signRequest(bid);
}

/** The same headers with node:crypto as one would write it by hand. */
function byHand(count: number): void {
  const { clientId, keyId, signingSecret } = bid;
  for (let done = 0; done < count; done += 1) {
    const digest = createHash('sha256').update(bid.body).digest('hex');
    const lines = `POST\n${bid.path}\n\n${bid.timestamp}\n${bid.nonce}\n${digest}`;
    const headers = {
      'X-Client-ID': clientId,
      'X-Key-ID': keyId,
      'X-Timestamp': String(bid.timestamp),
      'X-Nonce': bid.nonce,
      'X-Content-SHA256': digest,
      'X-Signature': createHmac('sha256', signingSecret).update(lines).digest('hex'),
    };
    if (headers['X-Signature'] === '') throw new Error('no signature');
  }
}

/** The longest time for which the event loop is held while a file of 25 MB goes up. */
async function uploadHold(times: number): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), 'upload-bench-'));
  const path = join(scratch, 'evidence.pdf');
  writeFileSync(path, Buffer.alloc(25_000_000, 'pdf'));
  const client = partner(origin);
  const holds: number[] = [];
  for (let time = 0; time <= times; time += 1) {
    const upload = () =>
      client.documents.upload({
        sale_id: 'sale_1',
        purpose: 'payment_proof',
        filename: 'evidence.pdf',
        content_base64: fileContent(path),
      });
    const held = await longestHold(upload);
    if (time > 0) holds.push(held);
  }
  rmSync(scratch, { recursive: true });
  return median(holds);
}
