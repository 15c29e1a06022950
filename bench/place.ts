import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore, PartnerClient } from 'vehicle-auction-sdk';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';
import { roomyQuota } from './contestants.js';
import { longestHold, type Pair, type Ratio, ratioOf, serverApart } from './measure.js';

/** Bids that are placed at once. */
const MANY = 50;

/** What a bid costs: over a bare `bids.submit`, over a commit of its store, and where many are placed at once. */
export async function placeCost(count: number, rounds: number): Promise<Ratio[]> {
  const folder = await mkdtemp(join(tmpdir(), 'place-bench-'));
  const server = await serverApart();
  const inMemory = bidder(server.origin, memoryStore());
  const onDisk = bidder(server.origin, sqliteStore(join(folder, 'bench.db')));
  const other = sqliteStore(join(folder, 'other.db'));
  let commits = 0;
  const commit = () => {
    commits += 1;
    // SQLite writes nothing where nothing changes.
    return other.transaction('bench', (tx) => tx.account.advanceServerTime(commits));
  };
  const memory: Pair[] = [];
  const disk: Pair[] = [];
  const added: Pair[] = [];
  const together: Pair[] = [];
  const held: Pair[] = [];
  try {
    for (let round = -1; round < rounds; round += 1) {
      const took = { memoryPlace: 0, memorySubmit: 0, place: 0, submit: 0, commit: 0 };
      // In turn, so that whatever slows the machine slows all of them.
      for (let done = 0; done < count; done += 1) {
        took.memoryPlace += (await timed(inMemory.place)) / count;
        took.memorySubmit += (await timed(inMemory.submit)) / count;
        took.place += (await timed(onDisk.place)) / count;
        took.submit += (await timed(onDisk.submit)) / count;
        took.commit += (await timed(commit)) / count;
      }
      const many = () => Promise.all(Array.from({ length: MANY }, onDisk.place));
      const manyMs = await timed(many);
      const holds = { ours: await longestHold(many), theirs: await longestHold(onDisk.place) };
      // The first round is for warming up.
      if (round < 0) continue;
      memory.push({ ours: took.memoryPlace, theirs: took.memorySubmit });
      disk.push({ ours: took.place, theirs: took.submit });
      added.push({ ours: took.place - took.memoryPlace, theirs: took.commit });
      together.push({ ours: manyMs / MANY, theirs: took.place });
      held.push(holds);
    }
    return [
      ratioOf('place ÷ submit, in memory', memory, 'ms'),
      ratioOf('place ÷ submit, on SQLite', disk, 'ms'),
      ratioOf('what SQLite adds to place ÷ one commit', added, 'ms'),
      ratioOf(`one of ${MANY} placed at once ÷ one by one`, together, 'ms'),
      ratioOf(`the event loop is held: ${MANY} at once ÷ one`, held, 'ms'),
    ];
  } finally {
    await Promise.all([inMemory.close(), onDisk.close(), other.close()]);
    server.close();
    await rm(folder, { recursive: true });
  }
}

interface Bidder {
  /** Each bid is on a lot of its own. */
  place(): Promise<unknown>;
  submit(): Promise<unknown>;
  close(): Promise<void>;
}

function bidder(origin: string, store: ReturnType<typeof memoryStore>): Bidder {
  const auction = new PartnerClient({
    baseUrl: `${origin}/api/v1`,
    environment: 'sandbox',
    credentials: {
      clientId: 'cl_bench',
      keyId: 'key_bench',
      signingSecret: 'bench-only-secret-0123456789abcdef',
    },
    partnerType: 'direct_dealer',
    dealerId: 'D-204',
    quota: roomyQuota,
    store,
  });
  const amount = '465000.00';
  let lots = 0;
  const lot = () => {
    lots += 1;
    return `lot_${lots}`;
  };
  return {
    place: async () => {
      const { status, what } = await auction.bids.place({ lot: lot(), amount });
      if (status !== 'accepted') throw new Error(`A bid is ${status}: ${what}`);
    },
    submit: () => auction.bids.submit(lot(), { amount }),
    close: () => auction.close(),
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
