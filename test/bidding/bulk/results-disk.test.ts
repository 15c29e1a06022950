import type fs from 'node:fs';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { openResultsCsv, writeResultsCsv } from '../../../src/bidding/bulk/results-file.js';
import { desk, row } from './desk.js';

/** The disk is full after so many writes. */
const disk = vi.hoisted(() => ({ room: Number.POSITIVE_INFINITY }));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const writeFile = (file: number, text: string, done: (error: Error | null) => void) => {
    disk.room -= 1;
    if (disk.room >= 0) real.writeFile(file, text, done);
    else done(Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
  };
  return { ...real, writeFile };
});

const folder = mkdtempSync(join(tmpdir(), 'bulk-disk-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('a result file that cannot be written leaves bidding alone, and says so at the end', async () => {
  const path = join(folder, 'full.csv');
  const at = desk({ takes: 1_000 });
  const rows = Array.from({ length: 5 }, (_, index) => row(`r${index}`, `lot_${index}`, '1'));
  const run = at.placeAll(rows, { concurrency: 1 });
  disk.room = 1;
  const writing = writeResultsCsv(run, path).catch((error: unknown) => error);
  for (const _ of rows) await at.clock.advance(1_000);
  expect(await writing).toMatchObject({ code: 'ENOSPC' });
  expect((await run.summary).counts.accepted).toBe(5);
  expect(readFileSync(path, 'utf8').split('\r\n')).toEqual([
    expect.stringMatching(/^row_id,/),
    expect.stringMatching(/^r0,/),
    '',
  ]);
});

it('nothing is written behind half a line', async () => {
  const path = join(folder, 'half.csv');
  disk.room = Number.POSITIVE_INFINITY;
  const at = desk();
  const { results } = await at.end(at.placeAll([row('r1', 'lot_1', '1'), row('r2', 'lot_2', '1')]));
  const [first, second] = results;
  if (first === undefined || second === undefined) throw new Error('no results');
  const file = openResultsCsv(path);
  disk.room = 0;
  await expect(file.write(first)).rejects.toMatchObject({ code: 'ENOSPC' });
  disk.room = Number.POSITIVE_INFINITY;
  await expect(file.write(second)).rejects.toMatchObject({ code: 'ENOSPC' });
  await expect(file.close()).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(readFileSync(path, 'utf8').split('\r\n')).toHaveLength(2);
});
