import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../src/intents/entry.js';
import type { FileJournalOptions } from '../../../src/intents/file/options.js';
import { isExpired } from '../../../src/intents/file/retention.js';
import type { IntentState } from '../../../src/intents/intent.js';
import { settle } from '../../support/virtual-clock.js';
import { VirtualDisk } from '../../support/virtual-disk.js';
import { change, faultOf, idOf, intentWith, journalOn, lease, make, PATH, START, standings } from './kit.js';

const DAY = 86_400_000;

function opened(
  disk: VirtualDisk,
  options: FileJournalOptions = {},
  { now = START, compactFrom = 4_000 } = {},
) {
  return journalOn(disk, { clock: { now: () => now, monotonic: () => 0 }, compactFrom }, options);
}

/** Settles intents with large bodies, which nobody needs afterwards. */
async function settleMany(journal: ReturnType<typeof journalOn>, from: number, to: number) {
  for (let number = from; number <= to; number += 1) {
    const fence = await make(journal, `key-${number}`, 'prepared', 1_000);
    await change(journal, `key-${number}`, fence, 'done', 1);
    await journal.release(idOf(intentWith(`key-${number}`)), fence);
  }
}

function sizeOf(disk: VirtualDisk): number {
  return disk.bytes(PATH)?.length ?? 0;
}

function warnings() {
  const lines: string[] = [];
  const line = (message: string, fields?: object) => void lines.push(`${message}: ${JSON.stringify(fields)}`);
  return { lines, logger: { error: line, warn: line, info: line, debug: line } };
}

describe('a journal that grows', () => {
  it('is written anew without what is not needed, and keeps all that is', async () => {
    const disk = new VirtualDisk();
    const journal = opened(disk);
    await make(journal, 'open-1', 'unknown', 500);
    await settleMany(journal, 1, 30);
    await journal.close();
    const written = disk.log.reduce((sum, line) => sum + Number(/^append \S+ (\d+)/.exec(line)?.[1] ?? 0), 0);
    expect(disk.count('rename')).toBeGreaterThan(1);
    expect(sizeOf(disk)).toBeLessThan(written / 2);
    const next = opened(disk);
    expect(await standings(next)).toEqual([
      'open-1 unknown',
      ...Array.from({ length: 30 }, (_, index) => `key-${index + 1} done 1`),
    ]);
    const [unsettled] = await next.find('open-1');
    expect(unsettled?.intent.body.text).toHaveLength(500);
  });

  it('drops what settled longer ago than it is to be kept, and nothing that is open, or in use', async () => {
    const disk = new VirtualDisk();
    let now = START;
    const clock = { now: () => now, monotonic: () => 0 };
    const journal = journalOn(disk, { clock, compactFrom: 4_000 }, { retentionMs: 2 * DAY });
    const states: IntentState[] = ['unknown', 'prepared', 'quarantined', 'done', 'rejected', 'abandoned'];
    for (const state of states) {
      const fence = await make(journal, state, state);
      if (state !== 'rejected') await journal.release(idOf(intentWith(state)), fence);
    }
    const before = disk.count('rename');
    now += 2 * DAY - 1;
    await settleMany(journal, 1, 6);
    await settle();
    expect(disk.count('rename')).toBeGreaterThan(before);
    expect(await standings(journal)).toHaveLength(12);
    now += 2;
    await settleMany(journal, 7, 20);
    await journal.close();
    const left = (await standings(opened(disk))).filter((line) => !line.startsWith('key-'));
    expect(left).toEqual([
      'unknown unknown',
      'prepared prepared',
      'quarantined quarantined',
      'rejected rejected',
    ]);
  });

  it('does not drop what is being changed at that moment', async () => {
    const disk = new VirtualDisk();
    const journal = opened(disk, { retentionMs: 0 }, { now: START + DAY });
    const fences: Record<string, number> = {};
    for (const key of ['old', 'older']) {
      fences[key] = await make(journal, key, 'rejected');
      await journal.release(idOf(intentWith(key)), fences[key]);
    }
    let changing: Promise<void> | undefined;
    disk.before = (operation) => {
      if (operation === 'sync') changing ??= change(journal, 'old', fences['old'] ?? 0, 'unknown', 1);
    };
    // Large enough that a compaction begins as soon as it is there, while the change waits for its turn.
    await make(journal, 'large', 'unknown', 6_000);
    await changing;
    await journal.close();
    expect(disk.count('rename')).toBe(2);
    expect(await standings(opened(disk))).toEqual(['old unknown 1', 'large unknown']);
  });

  it('is finished before the journal is closed', async () => {
    const disk = new VirtualDisk();
    const journal = opened(disk);
    await journal.open();
    disk.after = async (_, path) => (path === `${PATH}.new` ? settle() : undefined);
    await make(journal, 'large', 'unknown', 6_000);
    await journal.close();
    const did = disk.log.length;
    expect(disk.count('rename')).toBe(2);
    expect(disk.paths).toEqual([PATH]);
    expect(disk.count('close')).toBe(disk.count('create'));
    await settle();
    expect(disk.log).toHaveLength(did);
  });

  it('loses nothing that is written meanwhile, and lets nobody wait for the most of it', async () => {
    const disk = new VirtualDisk();
    const journal = opened(disk);
    await journal.open();
    const meanwhile: Promise<unknown>[] = [];
    let finished = 0;
    let finishedInTime = 0;
    disk.before = (operation, path) => {
      if (operation === 'append' && path === `${PATH}.new` && meanwhile.length < 40) {
        for (let lane = 0; lane < 20; lane += 1) {
          const key = `late-${meanwhile.length}`;
          meanwhile.push(
            make(journal, key, 'unknown', 4_000).then(() => {
              finished += 1;
            }),
          );
        }
        return;
      }
      if (operation === 'rename' && meanwhile.length > 0) finishedInTime ||= finished;
    };
    // The writing of the new file takes long: a turn of everything for each step.
    disk.after = async (_, path) => (path === `${PATH}.new` ? settle() : undefined);
    await settleMany(journal, 1, 12);
    for (let turns = 0; turns < 50 && disk.count('rename') < 2; turns += 1) await settle();
    await Promise.all(meanwhile);
    expect(meanwhile).toHaveLength(40);
    expect(finishedInTime).toBeGreaterThan(0);
    // Of the first file, of the second, of what came meanwhile, and of the rest that all others wait for.
    expect(disk.log.filter((line) => line === `sync ${PATH}.new`).length).toBeGreaterThanOrEqual(4);
    const expected = await standings(journal);
    expect(expected).toHaveLength(52);
    disk.kill();
    expect(await standings(opened(disk))).toEqual(expected);
  });

  it('goes on as it is where it can not be written anew, and says so', async () => {
    const disk = new VirtualDisk();
    const { lines, logger } = warnings();
    const journal = opened(disk, { logger });
    await journal.open();
    disk.fail('create', 'ENOSPC');
    await settleMany(journal, 1, 12);
    await settle();
    expect(lines[0]).toBe(
      `The journal could not be compacted, and goes on as it is: {"path":"${PATH}","reason":"ENOSPC"}`,
    );
    expect(disk.paths).toEqual([PATH]);
    await settleMany(journal, 13, 40);
    await settle();
    expect(lines).toHaveLength(1);
    expect(disk.count('rename')).toBeGreaterThan(1);
    expect(await standings(journal)).toHaveLength(40);
    disk.kill();
    expect(await standings(opened(disk))).toHaveLength(40);
  });

  it.each([
    ['append', 'EIO'],
    ['sync', 'EIO'],
    ['rename', 'EBUSY'],
  ] as const)('goes on where the new file fails at %s with %s', async (operation, code) => {
    const disk = new VirtualDisk();
    const journal = opened(disk);
    await journal.open();
    disk.before = (done, path) => {
      if (done === operation && path === `${PATH}.new`) throw Object.assign(new Error('no'), { code });
    };
    await settleMany(journal, 1, 12);
    await settle();
    expect(disk.paths).toEqual([PATH]);
    expect(await standings(journal)).toHaveLength(12);
    disk.kill();
    disk.before = undefined;
    expect(await standings(opened(disk))).toHaveLength(12);
  });

  it.each(['rename', 'syncDirectory'] as const)(
    'stops where %s leaves open which file will last',
    async (operation) => {
      const disk = new VirtualDisk();
      const journal = opened(disk);
      await journal.open();
      disk.fail(operation, 'EIO');
      const found = await faultOf(settleMany(journal, 1, 12));
      expect(found).toBe('sync_failed');
      const told = await standings(journal);
      await journal.close();
      expect(await standings(opened(disk))).toEqual(told);
    },
  );

  it('may use a key again that it dropped, also where the file was not written anew', async () => {
    const disk = new VirtualDisk();
    const journal = opened(disk, { retentionMs: 0 }, { now: START + DAY, compactFrom: 10_000 });
    await journal.open();
    disk.fail('create', 'ENOSPC');
    await settleMany(journal, 1, 8);
    await settle();
    expect(disk.count('rename')).toBe(1);
    const gone = ['key-1', 'key-2'];
    for (const key of gone) await make(journal, key, 'unknown');
    const found = await standings(journal);
    expect(found.slice(-2)).toEqual(['key-1 unknown', 'key-2 unknown']);
    disk.kill();
    expect((await standings(opened(disk))).slice(-2)).toEqual(['key-1 unknown', 'key-2 unknown']);
  });
});

describe('what settled', () => {
  it('is old by the last that happened to it, and what is open never is', () => {
    const entry = (at: number): Entry => ({ type: 'look', at, by: 'A06', found: 'accepted' });
    const stored = (state: IntentState, ...times: number[]) => ({
      intent: { ...intentWith('key-1'), createdAt: 1_000 },
      entries: times.map(entry),
      state,
    });
    expect(isExpired(stored('accepted'), 1_500, 500)).toBe(false);
    expect(isExpired(stored('accepted'), 1_501, 500)).toBe(true);
    expect(isExpired(stored('accepted', 1_400, 1_200), 1_900, 500)).toBe(false);
    expect(isExpired(stored('accepted', 1_400, 1_200), 1_901, 500)).toBe(true);
    for (const state of ['prepared', 'unknown', 'quarantined'] as const) {
      expect(isExpired(stored(state), 1e12, 0)).toBe(false);
    }
  });
});

describe('a journal that is opened', () => {
  it.each([
    ['bodies of what has settled', 'done', 2_000, START, 20],
    ['what settled long ago', 'done', 40, START + 31 * DAY, 0],
  ] as const)('is written anew where most of it is %s', async (_, state, bytes, now, left) => {
    const disk = new VirtualDisk();
    const journal = opened(disk, {}, { compactFrom: 1e9 });
    for (let number = 1; number <= 20; number += 1) await make(journal, `key-${number}`, state, bytes);
    await make(journal, 'open-1', 'unknown');
    await journal.close();
    const before = sizeOf(disk);
    const next = opened(disk, {}, { now });
    const found = await standings(next);
    expect(found).toHaveLength(left + 1);
    expect(found.at(-1)).toBe('open-1 unknown');
    expect(sizeOf(disk)).toBeLessThan(before / 2);
    await next.close();
    expect(await standings(opened(disk, {}, { now }))).toEqual(found);
  });

  it('is not written anew where all of it is needed, or it is small', async () => {
    for (const [state, bytes, compactFrom] of [
      ['unknown', 2_000, 4_000],
      ['done', 2_000, 1e6],
    ] as const) {
      const disk = new VirtualDisk();
      const journal = opened(disk, {}, { compactFrom: 1e9 });
      for (let number = 1; number <= 20; number += 1) await make(journal, `key-${number}`, state, bytes);
      await journal.close();
      const before = disk.count('rename');
      await opened(disk, {}, { compactFrom }).open();
      expect(disk.count('rename')).toBe(before);
    }
  });

  it('that was not closed drops what settled long ago, too', async () => {
    const disk = new VirtualDisk();
    const journal = opened(disk);
    for (const state of ['done', 'unknown', 'rejected'] as const) await make(journal, state, state);
    disk.kill();
    expect(await standings(opened(disk, {}, { now: START + 29 * DAY }))).toHaveLength(3);
    disk.kill();
    expect(await standings(opened(disk, {}, { now: START + 31 * DAY }))).toEqual(['unknown unknown']);
  });

  it('is left as it is after an orderly end, to the byte', async () => {
    const disk = new VirtualDisk();
    const journal = opened(disk);
    await make(journal, 'key-1');
    await journal.close();
    const before = disk.bytes(PATH);
    const next = opened(disk);
    await standings(next);
    await next.close();
    expect(disk.bytes(PATH)).toEqual(before);
  });

  it('keeps nobody waiting for a lease of the process before', async () => {
    const disk = new VirtualDisk();
    await make(opened(disk), 'key-1');
    disk.kill();
    const claimed = await opened(disk).claim(idOf(intentWith('key-1')), lease('two'));
    expect(claimed.kind).toBe('claimed');
  });
});
