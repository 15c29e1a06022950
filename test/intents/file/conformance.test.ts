import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { journalConformance } from '../../../src/intents/conformance/conformance.js';
import { openFileJournal } from '../../../src/intents/file/journal-in-file.js';
import { nodeDisk } from '../../../src/intents/file/node-disk.js';
import { lockFor } from '../../../src/intents/file/owner-lock.js';
import { locate } from '../../../src/intents/file/place.js';
import { VirtualDisk } from '../../support/virtual-disk.js';
import { journalOn, START } from './kit.js';

/** Time that is moved. */
function virtualTime() {
  let time = 0;
  return {
    clock: { now: () => START + time, monotonic: () => time },
    pass: (ms: number) => {
      time += ms;
    },
  };
}

describe('the file journal', () => {
  const onVirtualDisk = journalConformance(() => {
    const disk = new VirtualDisk();
    const { clock, pass } = virtualTime();
    return { open: () => journalOn(disk, { clock }), pass, kill: () => disk.kill() };
  });

  it.each(onVirtualDisk)('$name', ({ run }) => run());
});

describe('the file journal that is compacted all the time', () => {
  const compacted = journalConformance(() => {
    const disk = new VirtualDisk();
    const { clock, pass } = virtualTime();
    return {
      open: () => journalOn(disk, { clock, compactFrom: 600 }),
      pass,
      kill: () => disk.crash(() => 0),
    };
  });

  it.each(compacted)('$name', ({ run }) => run());
});

describe('the file journal on a disk', () => {
  const onDisk = journalConformance(() => {
    const folder = mkdtempSync(join(tmpdir(), 'journal-'));
    const { clock, pass } = virtualTime();
    return {
      open: () =>
        openFileJournal(join(folder, 'bids.journal'), {
          disk: nodeDisk,
          clock,
          pid: process.pid,
          locate: (path) => locate(path, []),
          lock: lockFor,
        }),
      pass,
      remove: () => rmSync(folder, { recursive: true }),
    };
  });

  it.each(onDisk)('$name', ({ run }) => run());
});
