import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { expect, it } from 'vitest';
import { numbersFrom } from '../support/random.js';
import { dealerOf, oneAuction, rounds } from './killing.js';
import { Worker } from './worker-process.js';

it('processes that are killed while they save photos leave whole files only, and the last one finishes', {
  timeout: 3_600_000,
}, async () => {
  const kills = rounds(2, 50);
  const random = numbersFrom(13);
  const lots = Array.from({ length: 25 }, () => ({ photos: 40 }));
  const seed = oneAuction('pictured', lots, { bid_type: 'open' });
  const sandbox = await startSandbox({ rateLimit: false, keepAttempts: 10, seed });
  const folder = mkdtempSync(join(tmpdir(), 'vehicle-auction-saving-'));
  try {
    await using auction = dealerOf(sandbox);
    const shown = await auction.lots.list().toArray();
    const urls = shown.flatMap(({ images = [] }) => images);
    // The sandbox has three photos, so every whole file is one of them.
    const whole = new Set<string>();
    for (const url of urls.slice(0, 6)) {
      const { stream } = await auction.media.download(url);
      whole.add(Buffer.from(await new Response(stream).arrayBuffer()).toString('base64'));
    }
    const order = { baseUrl: sandbox.baseUrl, credentials: sandbox.credentials.dealer, urls, folder };
    const isWhole = (name: string) => whole.has(readFileSync(join(folder, name)).toString('base64'));
    for (let kill = 0; kill < kills; kill += 1) {
      const worker = await Worker.start(order, 'saver.mjs');
      worker.killIn(random() * 150);
      await worker.gone;
      const named = readdirSync(folder).filter((name) => !name.startsWith('.'));
      expect(named.filter((name) => !isWhole(name))).toEqual([]);
    }
    const last = await Worker.start(order, 'saver.mjs');
    expect(await last.until('finished')).toBeDefined();
    await last.end();
    const files = readdirSync(folder);
    expect(files).toHaveLength(1_000);
    expect(files.filter((name) => name.startsWith('.') || !isWhole(name))).toEqual([]);
  } finally {
    await sandbox.close();
    rmSync(folder, { recursive: true });
  }
});
