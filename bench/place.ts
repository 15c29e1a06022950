import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileJournal, PartnerClient } from 'vehicle-auction-sdk';
import { type Pair, type Ratio, ratioOf } from './measure.js';
import { serverApart } from './server.js';

/**
 * What a journalled bid takes longer than a bare one, over what the disk takes for one sync: each of the three in turn,
 * so that whatever slows the machine slows all of them.
 */
export async function placeLatency(count: number, rounds: number): Promise<Ratio> {
  const folder = await mkdtemp(join(tmpdir(), 'place-bench-'));
  const server = await serverApart();
  const auction = new PartnerClient({
    baseUrl: `${server.origin}/api/v1`,
    credentials: {
      clientId: 'cl_bench',
      keyId: 'key_bench',
      signingSecret: 'bench-only-secret-0123456789abcdef',
    },
    partnerType: 'direct_dealer',
    dealerId: 'D-204',
    quota: { limit: Number.POSITIVE_INFINITY },
    journal: fileJournal(join(folder, 'bench.journal')),
  });
  const bare = await open(join(folder, 'bare'), 'a', 0o600);
  const body = { amount: '465000.00' };
  try {
    const pairs: Pair[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const took = { placed: 0, submitted: 0, synced: 0 };
      for (let done = 0; done < count; done += 1) {
        took.placed += await millis(() => auction.bidding.place({ lot: 'lot_bench', ...body }));
        // What the journal writes after the caller has its outcome is not to be timed with what comes next.
        await appendAndSync(bare);
        took.submitted += await millis(() => auction.bids.submit('lot_bench', body));
        took.synced += await millis(() => appendAndSync(bare));
      }
      pairs.push({ ours: (took.placed - took.submitted) / count, theirs: took.synced / count });
    }
    return ratioOf('what place takes longer than submit ÷ one fdatasync', pairs, 'ms');
  } finally {
    await bare.close();
    await auction.close();
    server.close();
    await rm(folder, { recursive: true });
  }
}

const bytes = Buffer.alloc(900, 0x61);

async function appendAndSync(file: FileHandle): Promise<void> {
  await file.write(bytes);
  await file.datasync();
}

async function millis(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
