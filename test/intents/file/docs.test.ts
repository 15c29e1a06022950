import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { fileJournal } from '../../../src/intents/file/file-journal.js';
import { unsafeNames } from '../../../src/intents/file/file-systems.js';
import { textOf } from '../../support/sources.js';
import { change, make } from './kit.js';

const page = textOf('docs/journal-format.md');

it('the line of the docs prints every record of a journal', async () => {
  const [line = ''] = /^node -e .*$/m.exec(page) ?? [];
  const folder = await mkdtemp(join(tmpdir(), 'journal-'));
  const journal = fileJournal(join(folder, 'bids.journal'));
  const fence = await make(journal, 'key-1');
  await Promise.all([change(journal, 'key-1', fence, 'unknown', 1), make(journal, 'key ₹', 'done')]);
  await journal.close();
  const { stdout } = await promisify(execFile)('sh', ['-c', line], { cwd: folder });
  const records = stdout
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(records).toMatchObject([
    { type: 'opened', opening: 1, pid: process.pid },
    { type: 'made', intent: { key: 'key-1' }, state: 'prepared' },
    { type: 'changed', key: 'key-1', entries: [{ attempt: 1 }], state: 'unknown' },
    { type: 'made', intent: { key: 'key ₹' }, state: 'done' },
    { type: 'closed' },
  ]);
  await rm(folder, { recursive: true });
});

it('the docs name every file system that is refused, and no other', () => {
  const [, listed = ''] = /those that a program serves: ([^(]*)/.exec(page) ?? [];
  expect([...listed.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()).toEqual([...unsafeNames].sort());
});
