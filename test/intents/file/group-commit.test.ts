import { describe, expect, it } from 'vitest';
import { VirtualDisk } from '../../support/virtual-disk.js';
import {
  attempt,
  change,
  changeTo,
  faultOf,
  idOf,
  intentWith,
  journalOn,
  lease,
  make,
  PATH,
  standings,
} from './kit.js';

async function opened() {
  const disk = new VirtualDisk();
  const journal = journalOn(disk);
  await journal.open();
  return { disk, journal };
}

const keys = Array.from({ length: 50 }, (_, index) => `key-${index}`);

describe('what is written at once', () => {
  it('shares one write and one sync', async () => {
    const { disk, journal } = await opened();
    const before = disk.log.length;
    await Promise.all(keys.map((key) => make(journal, key)));
    const did = disk.log.slice(before).map((line) => line.split(' ')[0]);
    expect(did).toEqual(['size', 'append', 'sync', 'size']);
  });

  it('shares them with what comes while a sync is under way', async () => {
    const { disk, journal } = await opened();
    let during: Promise<unknown> | undefined;
    disk.before = (operation) => {
      if (operation === 'sync') during ??= Promise.all(keys.map((key) => make(journal, key)));
    };
    await make(journal, 'first');
    await during;
    expect(disk.count('sync') - 1).toBe(2);
    expect(await standings(journal)).toHaveLength(51);
  });

  it('shares them though each goes on only when it knows of the last', async () => {
    const { disk, journal } = await opened();
    const before = disk.count('sync');
    await Promise.all(
      keys.map(async (key) => {
        const fence = await make(journal, key);
        for (let number = 1; number <= 4; number += 1) await change(journal, key, fence, 'unknown', number);
      }),
    );
    expect(disk.count('sync') - before).toBe(5);
  });

  it('shares them though one half began later', async () => {
    const { disk, journal } = await opened();
    const before = disk.count('sync');
    const live = async (key: string) => {
      const fence = await make(journal, key);
      for (let number = 1; number <= 4; number += 1) await change(journal, key, fence, 'unknown', number);
    };
    let late: Promise<unknown> | undefined;
    disk.before = (operation) => {
      if (operation === 'sync') late ??= Promise.all(keys.slice(25).map(live));
    };
    await Promise.all(keys.slice(0, 25).map(live));
    await late;
    expect(disk.count('sync') - before).toBe(6);
  });

  it('stands in the file in the order in which it came', async () => {
    const { disk, journal } = await opened();
    await Promise.all(keys.map((key) => make(journal, key)));
    disk.kill();
    expect(await standings(journalOn(disk))).toEqual(keys.map((key) => `${key} prepared`));
  });
});

describe('nobody is told of anything', () => {
  it('before it is synced, nor shown it', async () => {
    const { disk, journal } = await opened();
    const fence = await make(journal, 'key-1');
    let seen: Promise<string[]> | undefined;
    disk.before = (operation) => {
      if (operation === 'sync') seen ??= standings(journal);
    };
    await Promise.all([change(journal, 'key-1', fence, 'unknown', 1), make(journal, 'key-2')]);
    expect(await seen).toEqual(['key-1 prepared']);
    expect(await standings(journal)).toEqual(['key-1 unknown 1', 'key-2 prepared']);
  });

  it('who takes an intent over, before he sees all that was written about it', async () => {
    const { disk, journal } = await opened();
    const id = idOf(intentWith('key-1'));
    const fence = await make(journal, 'key-1');
    await journal.release(id, fence);
    const claims: Promise<unknown>[] = [];
    disk.before = (operation) => {
      if (operation !== 'sync' || claims.length > 0) return;
      claims.push(journal.claim(id, lease('two', 0)), journal.claimOpen(id.namespace, lease('three'), 5));
    };
    await journal.append(id, fence, changeTo('unknown', attempt(1)));
    const taken = await Promise.all(claims);
    const seen = { stored: { state: 'unknown', entries: [{ attempt: 1 }] } };
    expect(taken).toMatchObject([{ kind: 'claimed', held: seen }, [seen]]);
  });

  it('that a key is taken, before it is', async () => {
    const { disk, journal } = await opened();
    disk.fail('sync', 'EIO');
    const twice = await Promise.allSettled([make(journal, 'key-1'), make(journal, 'key-1')]);
    expect(twice.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await standings(journal)).toEqual([]);
  });
});

describe('who races', () => {
  it('for a key or for a subject leaves one trace in the file', async () => {
    const { disk, journal } = await opened();
    const creating = (key: string, clientId: string) =>
      journal.create(intentWith(key, { lot: 'lot_1', clientId }), changeTo('unknown'), lease(key), {
        exclusive: true,
      });
    const made = await Promise.all([
      creating('key-1', 'client-1'),
      creating('key-1', 'client-1'),
      creating('key-2', 'client-1'),
      creating('key-2', 'client-2'),
    ]);
    expect(made.map(({ kind }) => kind)).toEqual(['created', 'exists', 'blocked', 'created']);
    disk.kill();
    expect(await standings(journalOn(disk))).toEqual(['key-1 unknown', 'key-2 unknown']);
  });

  it('with the end of his lease writes what he may, and no more', async () => {
    const { disk, journal } = await opened();
    const id = idOf(intentWith('key-1'));
    const first = await make(journal, 'key-1');
    await journal.release(id, first);
    const raced = await Promise.all([
      faultOf(change(journal, 'key-1', first, 'unknown', 1)),
      journal.claim(id, lease('two')),
      faultOf(change(journal, 'key-1', first, 'unknown', 2)),
    ]);
    expect(raced).toMatchObject([undefined, { kind: 'claimed' }, 'lease_lost']);
    disk.kill();
    expect(await standings(journalOn(disk))).toEqual(['key-1 unknown 1']);
  });
});

describe('somebody else who writes into the file', () => {
  it('is noticed before the next write, which is not made', async () => {
    const { disk, journal } = await opened();
    await make(journal, 'key-1');
    const other = await disk.process().open(PATH);
    await other.append(Uint8Array.of(1, 2, 3));
    const before = disk.count('append');
    expect(await faultOf(make(journal, 'key-2'))).toBe('foreign_write');
    expect(disk.count('append')).toBe(before);
    expect(await faultOf(make(journal, 'key-3'))).toBe('foreign_write');
  });

  it('is noticed when he wrote during a write, which nobody is told of', async () => {
    const { disk, journal } = await opened();
    await make(journal, 'key-1');
    const other = await disk.process().open(PATH);
    let isDone = false;
    disk.before = async (operation) => {
      if (operation !== 'sync' || isDone) return;
      isDone = true;
      await other.append(Uint8Array.of(1, 2, 3));
    };
    expect(await faultOf(make(journal, 'key-2'))).toBe('foreign_write');
    expect(await standings(journal)).toEqual(['key-1 prepared']);
  });

  it('is noticed when he cut something off', async () => {
    const { disk, journal } = await opened();
    await make(journal, 'key-1');
    disk.cut(PATH, 100);
    expect(await faultOf(make(journal, 'key-2'))).toBe('foreign_write');
  });
});
