import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openResultsCsv, writeResultsCsv } from '../../../src/bidding/bulk/results-file.js';
import { ConfigurationError } from '../../../src/errors/local.js';
import { desk, row } from './desk.js';

const folder = mkdtempSync(join(tmpdir(), 'bulk-refused-'));
afterAll(() => rmSync(folder, { recursive: true }));
const there = join(folder, 'there.csv');
writeFileSync(there, 'precious');
const subfolder = join(folder, 'sub');
mkdirSync(subfolder);

function thrownBy(work: () => unknown): ConfigurationError {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('a result file that cannot be made', () => {
  it.each<[why: string, path: string, code: string, what: string, nextStep: string]>([
    [
      'because it is there',
      there,
      'EEXIST',
      'is there already',
      `Give replace: true (what is there is moved to ${there}.old, in place of an older one), or another path.`,
    ],
    [
      'in a folder that is not there',
      join(folder, 'none', 'r.csv'),
      'ENOENT',
      "is in a folder that isn't there",
      'Make the folder, or give another path.',
    ],
    ['because it is a folder', subfolder, 'EEXIST', 'is a folder', 'Give the path of a file.'],
    ['below a file', join(there, 'r.csv'), 'ENOTDIR', "can't be made (ENOTDIR)", 'Give another path.'],
  ])('%s is told by its path, with what to do', (_, path, code, what, nextStep) => {
    const error = thrownBy(() => openResultsCsv(path));
    expect(error).toMatchObject({
      option: 'path',
      outcome: 'not_sent',
      call: 'openResultsCsv',
      message: `path ${path} ${what}. ${nextStep}`,
      nextStep,
      cause: { code },
    });
    expect(readFileSync(there, 'utf8')).toBe('precious');
  });

  it('stops its batch, and says so', async () => {
    const at = desk();
    const run = at.placeAll([row('r1', 'lot_1', '1')]);
    const error = await writeResultsCsv(run, there).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ call: 'writeResultsCsv', outcome: 'not_sent' });
    expect(error).toHaveProperty('message', expect.stringContaining('replace: true'));
    expect(error).toHaveProperty(
      'nextStep',
      expect.stringMatching(
        /another path\. The batch was stopped before it sent anything; place it again\.$/,
      ),
    );
    expect((await at.end(run)).summary.stopped?.by).toBe('signal');
    expect(at.placings).toEqual([]);
  });

  it('says that its batch has sent something, where it has', async () => {
    const at = desk();
    const run = at.placeAll([row('r1', 'lot_1', '1'), row('r2', 'lot_1', '2')]);
    await at.clock.advance(150);
    const writing = writeResultsCsv(run, there).catch((thrown: unknown) => thrown);
    await at.end(run);
    expect(at.placings.map(({ rowId }) => rowId)).toEqual(['r1', 'r2']);
    expect(await writing).toMatchObject({
      outcome: 'unknown',
      nextStep: expect.stringMatching(
        /another path\. The batch was stopped; placed again, it goes on from there\.$/,
      ),
    });
  });

  it('in place of a folder moves no folder', () => {
    expect(() => openResultsCsv(subfolder, { replace: true })).toThrow('is a folder');
    expect(statSync(subfolder).isDirectory()).toBe(true);
  });

  it('is told as well where what is there cannot be moved aside', () => {
    mkdirSync(`${there}.old/full`, { recursive: true });
    const error = thrownBy(() => openResultsCsv(there, { replace: true }));
    expect(error.message).toMatch(`path ${there} can't be moved to ${there}.old`);
    expect(error.nextStep).toBe('Move it yourself, or give another path.');
    expect(readFileSync(there, 'utf8')).toBe('precious');
    rmSync(`${there}.old`, { recursive: true });
  });
});

it('a result that comes behind the close of its file is named', async () => {
  const path = join(folder, 'closed.csv');
  const at = desk();
  const { results } = await at.end(at.placeAll([row('r1', 'lot_1', '1')]));
  const [result] = results;
  if (result === undefined) throw new Error('no result');
  const file = openResultsCsv(path);
  await file.close();
  const error = await file.write(result).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error).toMatchObject({
    outcome: 'unknown',
    message: `path ${path} was closed before the result of row r1 came, which is not in it. Close it behind the last result; the same batch again gives this one once more.`,
  });
});
