import { fdatasync, write } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openFileJournal } from '../src/intents/file/journal-in-file.js';
import { nodeDisk } from '../src/intents/file/node-disk.js';
import type { FileJournal } from '../src/intents/file/port.js';
import type { Intent } from '../src/intents/intent.js';
import type { Change, LeaseRequest } from '../src/intents/journal.js';
import { type Pair, type Ratio, ratioOf } from './measure.js';

/** What a durable intent costs over what the disk costs, and what is saved where many come at once. */
export async function journalCost(count: number, rounds: number): Promise<Ratio[]> {
  const folder = await mkdtemp(join(tmpdir(), 'journal-bench-'));
  const journal = openFileJournal(join(folder, 'bench.journal'), {
    disk: nodeDisk,
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    pid: process.pid,
    locate: async (path) => path,
    lock: async () => async () => undefined,
    // Not in the middle of a measurement.
    compactFrom: Number.POSITIVE_INFINITY,
  });
  const bare = await open(join(folder, 'bare'), 'a+', 0o600);
  try {
    const bytes = Buffer.alloc(await bytesOfOne(journal, folder), 0x61);
    const single: Pair[] = [];
    const shared: Pair[] = [];
    for (let round = 0; round < rounds; round += 1) {
      single.push(
        await inTurn(
          count,
          () => make(journal),
          () => writeAndSync(bare.fd, bytes),
        ),
      );
      shared.push({
        ours: (await millis(() => manyTimes(count, () => fifty(journal)))) / (count * 50),
        theirs: (await millis(() => manyTimes(count, () => make(journal)))) / count,
      });
    }
    return [
      ratioOf('an intent, durable ÷ bare append + fdatasync', inMicros(single), 'µs'),
      ratioOf('one of 50 at once ÷ one by one; at most 0.10', inMicros(shared), 'µs'),
    ];
  } finally {
    await bare.close();
    await journal.close();
    await rm(folder, { recursive: true });
  }
}

let made = 0;
const lease: LeaseRequest = { owner: 'bench', ttlMs: 60_000 };
const change: Change = { entries: [], state: 'prepared' };

/** About 600 bytes, as a bid has. */
function nextIntent(): Intent {
  made += 1;
  const key = `3f0e6d52-9a41-4d0c-8a0e-${made.toString(16).padStart(12, '0')}`;
  const lot = `lot_${made}`;
  return {
    key,
    account: { origin: 'https://bank.example', environment: '', clientId: 'cl_bench', dealerId: 'D-204' },
    operation: 'bids.submit',
    method: 'POST',
    path: `/api/v1/lots/${lot}/bids`,
    query: '',
    body: {
      sha256: 'a'.repeat(64),
      length: 120,
      text: JSON.stringify({ amount: '465000.00', idempotency_key: key }),
    },
    bid: { lot, amount: '465000.00', placeBy: 1_772_431_320_000 },
    createdAt: 1_772_431_200_000,
  };
}

async function make(journal: FileJournal): Promise<void> {
  await journal.create(nextIntent(), change, lease, { exclusive: false });
}

async function fifty(journal: FileJournal): Promise<void> {
  await Promise.all(Array.from({ length: 50 }, () => make(journal)));
}

/** How far one intent makes the file grow. */
async function bytesOfOne(journal: FileJournal, folder: string): Promise<number> {
  await make(journal);
  const file = await open(join(folder, 'bench.journal'));
  const before = (await file.stat()).size;
  await make(journal);
  const { size } = await file.stat();
  await file.close();
  return size - before;
}

async function writeAndSync(descriptor: number, bytes: Uint8Array): Promise<void> {
  await promisify(write)(descriptor, bytes);
  await promisify(fdatasync)(descriptor);
}

/** Ours and theirs one after the other, each time, so that whatever slows the disk slows both. */
async function inTurn(count: number, ours: () => Promise<void>, theirs: () => Promise<void>): Promise<Pair> {
  const pair = { ours: 0, theirs: 0 };
  for (let done = 0; done < count; done += 1) {
    pair.ours += await millis(ours);
    pair.theirs += await millis(theirs);
  }
  return { ours: pair.ours / count, theirs: pair.theirs / count };
}

async function manyTimes(count: number, work: () => Promise<void>): Promise<void> {
  for (let done = 0; done < count; done += 1) await work();
}

async function millis(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function inMicros(pairs: readonly Pair[]): Pair[] {
  return pairs.map(({ ours, theirs }) => ({ ours: ours * 1_000, theirs: theirs * 1_000 }));
}
