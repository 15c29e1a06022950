import type fs from 'node:fs';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { openResultsCsv, writeResultsCsv } from '../../../src/bidding/bulk/results-file.js';
import { ConfigurationError } from '../../../src/errors/local.js';
import { desk, row } from './desk.js';

/** The disk is full after so many writes, may be read-only, and may tell only at the end what it has lost. */
const disk = vi.hoisted(() => ({
  room: Number.POSITIVE_INFINITY,
  isReadOnly: false,
  open: 0,
  losesAtClose: false,
}));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const failure = (code: string) => Object.assign(new Error('in the words of the system'), { code });
  const openSync = (path: string, flags: string, mode: number) => {
    if (disk.isReadOnly) throw failure('EROFS');
    disk.open += 1;
    return real.openSync(path, flags, mode);
  };
  const close = (file: number, done: (error: Error | null) => void) =>
    real.close(file, (error) => done(disk.losesAtClose ? failure('EIO') : error));
  const closeSync = (file: number) => {
    disk.open -= 1;
    real.closeSync(file);
  };
  const writeFile = (file: number, text: string, done: (error: Error | null) => void) => {
    disk.room -= 1;
    if (disk.room >= 0) real.writeFile(file, text, done);
    else done(failure('ENOSPC'));
  };
  const writeFileSync = (file: number, text: string) => {
    disk.room -= 1;
    if (disk.room < 0) throw failure('ENOSPC');
    real.writeFileSync(file, text);
  };
  return { ...real, openSync, close, closeSync, writeFile, writeFileSync };
});

const folder = mkdtempSync(join(tmpdir(), 'bulk-disk-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('a result file that cannot be written leaves bidding alone, and says so at the end', async () => {
  const path = join(folder, 'full.csv');
  const at = desk({ takes: 1_000 });
  const rows = Array.from({ length: 5 }, (_, index) => row(`r${index}`, `lot_${index}`, '1'));
  const run = at.placeAll(rows, { concurrency: 1 });
  disk.room = 2;
  const writing = writeResultsCsv(run, path).catch((error: unknown) => error);
  for (const _ of rows) await at.clock.advance(1_000);
  const error = await writing;
  expect(error).toBeInstanceOf(ConfigurationError);
  // Bids were placed: nobody may read this as nothing sent.
  expect(error).toMatchObject({ outcome: 'unknown', option: 'path', cause: { code: 'ENOSPC' } });
  expect(error).toHaveProperty(
    'message',
    `path ${path} can't be written on, because the disk is full (ENOSPC). Bids are not held up by that, and the journal knows them; make room, then place the same batch again with another result file: it gets every result.`,
  );
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
  const full = { name: 'ConfigurationError', cause: { code: 'ENOSPC' } };
  await expect(file.write(first)).rejects.toMatchObject(full);
  disk.room = Number.POSITIVE_INFINITY;
  await expect(file.write(second)).rejects.toMatchObject(full);
  await expect(file.close()).rejects.toMatchObject(full);
  expect(readFileSync(path, 'utf8').split('\r\n')).toHaveLength(2);
});

it('a disk without room for a header leaves nothing behind', () => {
  const path = join(folder, 'header.csv');
  const before = disk.open;
  disk.room = 0;
  expect(() => openResultsCsv(path)).toThrow('the disk is full (ENOSPC). Make room, or give another path.');
  disk.room = Number.POSITIVE_INFINITY;
  expect(disk.open).toBe(before);
  expect(existsSync(path)).toBe(false);
});

it('a disk that is read-only is named as what it is', () => {
  const path = join(folder, 'read-only.csv');
  disk.isReadOnly = true;
  expect(() => openResultsCsv(path)).toThrow(
    `path ${path} is where this process may not write (EROFS). Give it a path where it may.`,
  );
  disk.isReadOnly = false;
});

it('a disk that tells at the close what it has lost is heard', async () => {
  const path = join(folder, 'lost.csv');
  const file = openResultsCsv(path);
  disk.losesAtClose = true;
  await expect(file.close()).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringContaining(`path ${path} can't be written on (EIO). Bids are not held up by that`),
  });
  disk.losesAtClose = false;
});
