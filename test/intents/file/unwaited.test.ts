import { describe, expect, it } from 'vitest';
import { LeaseLostError } from '../../../src/errors/journal.js';
import { VirtualDisk } from '../../support/virtual-disk.js';
import { attempt, change, changeTo, idOf, intentWith, journalOn, lease, make, standings } from './kit.js';

const id = idOf(intentWith('key-1'));
const settled = changeTo('accepted', attempt(2));

/** A journal whose syncs wait from now on, with one intent under way. */
async function opened() {
  const disk = new VirtualDisk();
  const journal = journalOn(disk, { compactFrom: 4_000 });
  const fence = await make(journal, 'key-1', 'unknown');
  let go: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  disk.before = (operation) => (operation === 'sync' ? gate : undefined);
  const lost: unknown[] = [];
  const leave = () => journal.append(id, fence, settled, { onLost: (error) => void lost.push(error) });
  return { disk, journal, fence, go, lost, leave };
}

/** Tells what has resolved by now. */
async function states(asked: Readonly<Record<string, Promise<unknown>>>): Promise<string[]> {
  const done: string[] = [];
  for (const [name, promise] of Object.entries(asked)) {
    promise.then(
      () => done.push(name),
      () => done.push(name),
    );
  }
  for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  return done;
}

describe('a change that nobody waits for', () => {
  it('leaves its caller alone before it is synced, while others wait for it', async () => {
    const { journal, fence, go, leave } = await opened();
    await leave();
    await journal.release(id, fence);
    const twin = intentWith('key-2', { lot: 'lot of key-1' });
    const asked = {
      read: journal.read(id),
      find: journal.find('key-1'),
      claim: journal.claim(id, lease('two')),
      list: standings(journal),
      create: journal.create(twin, changeTo('unknown'), lease('two'), { exclusive: true }),
    };
    expect(await states(asked)).toEqual([]);
    go();
    expect(await asked.read).toMatchObject({ state: 'accepted' });
    expect(await asked.find).toMatchObject([{ state: 'accepted' }]);
    expect(await asked.claim).toMatchObject({ kind: 'claimed', held: { stored: { state: 'accepted' } } });
    expect(await asked.list).toEqual(['key-1 accepted 2']);
    expect(await asked.create).toMatchObject({ kind: 'created' });
  });

  it('keeps nobody from what has nothing to do with it', async () => {
    const { journal, go, leave } = await opened();
    await leave();
    expect(await states({ read: journal.read(idOf(intentWith('key-3'))) })).toEqual(['read']);
    go();
  });

  it('that opens an intent again shows it to who asks for the open ones', async () => {
    const { journal, fence, go, lost, leave } = await opened();
    go();
    await leave();
    await journal.release(id, fence);
    await journal.append(id, fence, changeTo('unknown', attempt(3)), {
      onLost: (error) => void lost.push(error),
    });
    const claimed = await journal.claimOpen(id.namespace, lease('two'), 9);
    expect(claimed.map(({ stored }) => stored.intent.key)).toEqual(['key-1']);
    expect(lost).toEqual([]);
  });

  it('is written before the journal is closed', async () => {
    const { disk, journal, go, lost, leave } = await opened();
    await leave();
    const closed = journal.close();
    expect(await states({ closed })).toEqual([]);
    go();
    await closed;
    disk.kill();
    expect(await standings(journalOn(disk))).toEqual(['key-1 accepted 2']);
    expect(lost).toEqual([]);
  });

  it('is gone where the process is killed before it is written, and nothing else is', async () => {
    const { disk, leave } = await opened();
    disk.before = (operation) => (operation === 'append' ? new Promise(() => undefined) : undefined);
    await leave();
    disk.kill();
    disk.before = undefined;
    expect(await standings(journalOn(disk))).toEqual(['key-1 unknown']);
  });

  it('is told to be lost where it could not be written, and nothing is written any more', async () => {
    const { disk, journal, fence, go, lost, leave } = await opened();
    disk.fail('sync', 'EIO');
    await leave();
    expect(lost).toEqual([]);
    go();
    await expect(change(journal, 'key-1', fence, 'unknown', 3)).rejects.toMatchObject({
      fault: 'sync_failed',
    });
    expect(lost).toMatchObject([{ name: 'JournalError', fault: 'sync_failed' }]);
    await expect(leave()).rejects.toMatchObject({ fault: 'sync_failed' });
    expect(lost).toHaveLength(1);
    expect(await standings(journal)).toEqual(['key-1 unknown']);
  });

  it('is refused at once where somebody took over', async () => {
    const { journal, fence, go, lost, leave } = await opened();
    go();
    await journal.release(id, fence);
    await journal.claim(id, lease('two'));
    await expect(leave()).rejects.toBeInstanceOf(LeaseLostError);
    expect(lost).toEqual([]);
  });

  it('stands once in a file that is written anew meanwhile', async () => {
    const { disk, journal, go, leave } = await opened();
    go();
    const renames = disk.count('rename');
    const left = new Promise<void>((resolve) => {
      disk.after = async (operation) => {
        if (operation === 'create') resolve(leave());
      };
    });
    await make(journal, 'large', 'unknown', 6_000);
    await left;
    await journal.close();
    expect(disk.count('rename')).toBe(renames + 1);
    expect(await standings(journalOn(disk))).toEqual(['key-1 accepted 2', 'large unknown']);
  });
});
