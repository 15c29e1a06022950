import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../src/errors/local.js';
import { openFileJournal } from '../../../src/intents/file/journal-in-file.js';
import type { Surroundings } from '../../../src/intents/file/surroundings.js';
import { VirtualDisk } from '../../support/virtual-disk.js';
import {
  all,
  change,
  faultOf,
  idOf,
  intentWith,
  journalOn,
  lease,
  make,
  PATH,
  START,
  standings,
} from './kit.js';

/** Surroundings with a lock, and a count of who holds it. */
function locked(): { surroundings: Partial<Surroundings>; held: () => number; taken: () => number } {
  let [held, taken] = [0, 0];
  const lock = async () => {
    held += 1;
    taken += 1;
    return async () => {
      held -= 1;
    };
  };
  return { surroundings: { lock }, held: () => held, taken: () => taken };
}

describe('a journal', () => {
  it('touches nothing before its first use', async () => {
    const disk = new VirtualDisk();
    const { surroundings, taken } = locked();
    const journal = journalOn(disk, surroundings);
    expect([journal.name, journal.durable]).toEqual([`file ${PATH}`, true]);
    await journal.close();
    expect([disk.log, taken()]).toEqual([[], 0]);
  });

  it('is opened once, however many begin at once', async () => {
    const { surroundings, taken } = locked();
    const journal = journalOn(new VirtualDisk(), surroundings);
    await Promise.all([make(journal, 'key-1'), journal.open(), all(journal.list({})), journal.find('key-1')]);
    expect(taken()).toBe(1);
  });

  it('tells what it found', async () => {
    const disk = new VirtualDisk();
    const journal = journalOn(disk);
    expect(await journal.open()).toEqual({ path: PATH, intents: 0, droppedBytes: 0, formatVersion: 0 });
    await make(journal, 'key-1');
    const whole = disk.bytes(PATH)?.length ?? 0;
    await make(journal, 'key-2');
    disk.kill();
    disk.put(PATH, disk.bytes(PATH)?.slice(0, whole + 50) ?? new Uint8Array());
    const lines: unknown[] = [];
    const line = (...said: unknown[]) => void lines.push(said);
    const warn = (...said: unknown[]) => {
      line(...said);
      throw new Error('nobody listens');
    };
    const logger = { error: line, warn, info: line, debug: line };
    const found = { path: PATH, intents: 1, droppedBytes: 50, formatVersion: 2 };
    expect(await journalOn(disk, {}, { logger }).open()).toEqual(found);
    expect(lines).toEqual([['The last write to the journal was cut off by a crash, and is dropped', found]]);
  });

  it('that could not be opened says why, gives the lock back, and is tried again by its next use', async () => {
    const disk = new VirtualDisk();
    const { surroundings, held, taken } = locked();
    disk.put(PATH, Uint8Array.of(1));
    const journal = journalOn(disk, surroundings);
    expect(await Promise.all([faultOf(journal.open()), faultOf(journal.find('key-1'))])).toEqual([
      'damaged',
      'damaged',
    ]);
    expect([held(), taken()]).toEqual([0, 1]);
    expect(await faultOf(make(journal, 'key-1'))).toBe('damaged');
    expect([held(), taken()]).toEqual([0, 2]);
    await disk.remove(PATH);
    await make(journal, 'key-1');
    expect([held(), taken()]).toEqual([1, 3]);
    await journal.close();
    expect(held()).toBe(0);
  });

  it('whose lock fails once is open at the next use', async () => {
    let tries = 0;
    const lock = async () => {
      tries += 1;
      if (tries === 1) throw Object.assign(new Error('too many'), { code: 'EMFILE' });
      return async () => undefined;
    };
    const journal = journalOn(new VirtualDisk(), { lock });
    await expect(make(journal, 'key-1')).rejects.toThrow('too many');
    await make(journal, 'key-1');
    expect(await standings(journal)).toEqual(['key-1 prepared']);
  });

  it('outlives a logger that rejects', async () => {
    const disk = new VirtualDisk();
    await make(journalOn(disk), 'key-1');
    disk.kill();
    disk.put(PATH, Uint8Array.of(...(disk.bytes(PATH) ?? []), 1, 2, 3));
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const fails = async () => {
      throw new Error('nobody listens');
    };
    const logger = { error: fails, warn: fails, info: fails, debug: fails };
    expect(await journalOn(disk, {}, { logger }).open()).toMatchObject({ droppedBytes: 3 });
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('is refused without a path, or with a time that is none', () => {
    const surroundings = { disk: new VirtualDisk() } as unknown as Surroundings;
    for (const path of ['', 'a\0b']) {
      expect(() => openFileJournal(path, surroundings)).toThrow(ConfigurationError);
    }
    for (const retentionMs of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => openFileJournal(PATH, surroundings, { retentionMs })).toThrow(/retentionMs must be/);
    }
  });
});

describe('closing', () => {
  it('writes what is under way, says so in the file, and lets go, once', async () => {
    const disk = new VirtualDisk();
    const { surroundings, held } = locked();
    const journal = journalOn(disk, surroundings);
    const making = Promise.all(['key-1', 'key-2'].map((key) => make(journal, key)));
    await Promise.all([journal.close(), journal.close()]);
    await making;
    expect(held()).toBe(0);
    expect(disk.log.at(-1)).toBe(`close ${PATH}`);
    // Nothing is left to the mercy of the system.
    disk.crash(() => 0);
    const next = journalOn(disk);
    expect(await standings(next)).toEqual(['key-1 prepared', 'key-2 prepared']);
    expect(disk.count('rename')).toBe(1);
  });

  it('lets go until the next use, which finds everything as it was', async () => {
    const disk = new VirtualDisk();
    const { surroundings, held, taken } = locked();
    const journal = journalOn(disk, surroundings);
    const fence = await make(journal, 'key-1');
    await journal.close();
    const bytes = disk.bytes(PATH);
    expect(await standings(journal)).toEqual(['key-1 prepared']);
    expect([held(), taken()]).toEqual([1, 2]);
    await journal.close();
    // Who only looked leaves the file as it was.
    expect(disk.bytes(PATH)).toEqual(bytes);
    await change(journal, 'key-1', fence, 'unknown', 1);
    await journal.close();
    expect([held(), taken()]).toEqual([0, 3]);
    expect(await standings(journalOn(disk))).toEqual(['key-1 unknown 1']);
  });

  it('takes no lease from who holds one: who shares the journal may close it', async () => {
    const journal = journalOn(new VirtualDisk());
    const fence = await make(journal, 'key-1', 'unknown');
    const id = idOf(intentWith('key-1'));
    for (let times = 0; times < 3; times += 1) {
      await journal.close();
      const claimed = await journal.claim(id, lease('other'));
      expect(claimed).toMatchObject({ kind: 'held', stored: { lease: { owner: 'maker' } } });
      expect(await journal.claimOpen(id.namespace, lease('other'), 9)).toEqual([]);
    }
    await change(journal, 'key-1', fence, 'unknown', 1);
    expect(await standings(journal)).toEqual(['key-1 unknown 1']);
  });

  it('lets leases run on, and fences grow from where they were', async () => {
    let time = 0;
    const journal = journalOn(new VirtualDisk(), { clock: { now: () => START, monotonic: () => time } });
    const id = idOf(intentWith('key-1'));
    await make(journal, 'key-1', 'unknown');
    const mine = await journal.claim(id, lease('maker', 1_000));
    await journal.close();
    time = 400;
    expect((await journal.read(id))?.lease).toEqual({ owner: 'maker', leftMs: 600 });
    await journal.close();
    time = 1_000;
    const taken = await journal.claim(id, lease('other'));
    expect([mine, taken]).toMatchObject([
      { kind: 'claimed', held: { fence: 2 } },
      { kind: 'claimed', held: { fence: 3 } },
    ]);
    expect(await faultOf(change(journal, 'key-1', 2, 'unknown', 1))).toBe('lease_lost');
  });

  it('knows no lease of before where somebody else has written since', async () => {
    const disk = new VirtualDisk();
    const journal = journalOn(disk);
    await make(journal, 'key-1', 'unknown');
    await journal.close();
    const other = journalOn(disk);
    await make(other, 'key-2');
    await other.close();
    const claimed = await journal.claim(idOf(intentWith('key-1')), lease('other'));
    expect(claimed).toMatchObject({ kind: 'claimed' });
  });

  it('is not undone by a lease that is given back: nothing is opened for one', async () => {
    const { surroundings, held, taken } = locked();
    const journal = journalOn(new VirtualDisk(), surroundings);
    const id = idOf(intentWith('key-1'));
    await journal.release(id, 1);
    expect(taken()).toBe(0);
    const fence = await make(journal, 'key-1', 'unknown');
    const closing = journal.close();
    await Promise.all([closing, journal.release(id, fence)]);
    await journal.close();
    await journal.release(id, fence);
    expect([held(), taken()]).toEqual([0, 1]);
    // It counts all the same.
    expect(await journal.claim(id, lease('other'))).toMatchObject({ kind: 'claimed' });
  });

  it('is not undone by what began before it', async () => {
    const { surroundings, held, taken } = locked();
    const journal = journalOn(new VirtualDisk(), surroundings);
    const fence = await make(journal, 'key-1', 'unknown');
    const listed = standings(journal);
    const released = journal.release(idOf(intentWith('key-1')), fence);
    await Promise.all([journal.close(), released]);
    expect(await listed).toEqual(['key-1 unknown']);
    expect([held(), taken()]).toEqual([0, 1]);
  });

  it('keeps no fence that somebody else may have outbid in between', async () => {
    const disk = new VirtualDisk();
    const journal = journalOn(disk);
    const fence = await make(journal, 'key-1');
    await journal.close();
    const other = journalOn(disk);
    await other.claim(idOf(intentWith('key-1')), lease('other'));
    await other.close();
    expect(await faultOf(change(journal, 'key-1', fence, 'unknown', 1))).toBe('lease_lost');
  });

  it('lets a journal start anew that has stopped, or that could not be opened', async () => {
    const disk = new VirtualDisk();
    const journal = journalOn(disk);
    disk.fail('create', 'EROFS');
    expect(await faultOf(journal.open())).toBe('full');
    await journal.close();
    const fence = await make(journal, 'key-1');
    disk.fail('append', 'ENOSPC');
    expect(await faultOf(make(journal, 'key-2'))).toBe('full');
    await journal.close();
    await make(journal, 'key-2');
    await change(journal, 'key-1', fence, 'unknown', 1);
    disk.crash(() => 0);
    expect(await standings(journalOn(disk))).toEqual(['key-1 unknown 1', 'key-2 prepared']);
  });

  it('lets go also where the last word can not be written', async () => {
    const disk = new VirtualDisk();
    const { surroundings, held } = locked();
    const journal = journalOn(disk, surroundings);
    await make(journal, 'key-1');
    disk.fail('sync', 'EIO');
    await journal.close();
    expect(held()).toBe(0);
    expect(await standings(journalOn(disk))).toEqual(['key-1 prepared']);
  });
});

describe('fences', () => {
  it('are higher in each opening than in all before, also where one wrote nothing else', async () => {
    const disk = new VirtualDisk();
    const id = idOf(intentWith('key-1'));
    let journal = journalOn(disk);
    const fences = [await make(journal, 'key-1', 'unknown')];
    for (let opening = 0; opening < 6; opening += 1) {
      if (opening % 2 === 0) await journal.close();
      else disk.crash(() => 0);
      journal = journalOn(disk);
      const claimed = await journal.claim(id, lease(`owner ${opening}`));
      fences.push(claimed.kind === 'claimed' ? claimed.held.fence : 0);
    }
    expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
    for (const fence of fences.slice(0, -1)) {
      expect(await faultOf(change(journal, 'key-1', fence, 'done', 1))).toBe('lease_lost');
    }
  });

  it('cost a write only once in an opening', async () => {
    const disk = new VirtualDisk();
    const first = journalOn(disk);
    for (const key of ['key-1', 'key-2', 'key-3']) await make(first, key);
    await first.close();
    const before = disk.count('sync');
    const journal = journalOn(disk);
    for (const key of ['key-1', 'key-2', 'key-3']) {
      await journal.claim(idOf(intentWith(key)), lease('two'));
    }
    expect(disk.count('sync') - before).toBe(1);
  });

  it('of an intent that is not there let nobody write', async () => {
    const disk = new VirtualDisk();
    const journal = journalOn(disk);
    expect(await faultOf(change(journal, 'none', 0, 'done', 1))).toBe('lease_lost');
    await make(journal, 'key-1');
    disk.kill();
    expect(await standings(journalOn(disk))).toEqual(['key-1 prepared']);
  });
});
