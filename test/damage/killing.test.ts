import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newDatabase } from '../support/postgres/shared.js';
import { Killing } from './killing.js';

// `npm run test:damage` is the long form.
const long = process.env['TEST_MODE'] === 'damage';

describe('bidding processes that are killed, over and over', () => {
  it('lose and double nothing over a file', { timeout: 900_000 }, async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'damage-')), 'bids.journal');
    const killing = await Killing.over({ journal: { file }, seed: 20_261_121, beside: 1, again: true });
    const kills = long ? 300 : 8;
    while (killing.kills < kills) await killing.life();
    await killing.end();
    // Of a few kills, all may have struck between two bids.
    if (long) expect(killing.recovered).toBeGreaterThan(0);
  });

  it('lose and double nothing over Postgres, two at a time', { timeout: 900_000 }, async () => {
    const journal = { url: await newDatabase(), schema: 'bids' };
    const killing = await Killing.over({ journal, seed: 20_261_122, beside: 2, again: false });
    const kills = long ? 100 : 4;
    while (killing.kills < kills) await killing.life();
    await killing.end();
    // Of a few kills, all may have struck between two bids.
    if (long) expect(killing.recovered).toBeGreaterThan(0);
  });
});
