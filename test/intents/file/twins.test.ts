import { describe, expect, it } from 'vitest';
import { VirtualDisk } from '../../support/virtual-disk.js';
import { all, attempt, changeTo, idOf, intentWith, journalOn, lease, made } from './kit.js';

const settled = intentWith('settled', { lot: 'lot_1' });
const twin = intentWith('twin', { lot: 'lot_1' });
const id = idOf(settled);
const opened = changeTo('prepared', attempt(2));

/** A journal with one intent in this state; from now on each sync waits until it is let through. */
async function waiting(state: 'not_sent' | 'unknown') {
  const disk = new VirtualDisk();
  const journal = journalOn(disk);
  const fence = await made(journal, settled, state);
  const held: (() => void)[] = [];
  const hold = () => new Promise<void>((resolve) => void held.push(resolve));
  disk.before = (operation) => (operation === 'sync' ? hold() : undefined);
  /** Lets one sync through, and everything go on as far as it can. */
  const letThrough = async () => {
    held.shift()?.();
    await turns();
  };
  /** Opens the intent again, and looks for its twins at once. */
  const renew = async () => {
    await journal.append(id, fence, opened);
    const open = await all(journal.list({ namespace: id.namespace, open: true }));
    return open.map(({ intent }) => intent.key);
  };
  const create = () => journal.create(twin, changeTo('unknown'), lease('two'), { exclusive: true });
  return { disk, journal, fence, letThrough, renew, create };
}

/** Lets everything go as far as it can. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('an intent that is opened again', () => {
  it('stands against an exclusive create that begins while it is written', async () => {
    const { letThrough, renew, create } = await waiting('not_sent');
    const renewing = renew();
    await turns();
    const creating = create();
    await letThrough();
    await letThrough();
    expect(await renewing).toEqual(['settled']);
    expect(await creating).toMatchObject({ kind: 'blocked', by: [{ intent: { key: 'settled' } }] });
  });

  it('waits for an exclusive create that began before it, and sees it', async () => {
    const { letThrough, renew, create } = await waiting('not_sent');
    const creating = create();
    await turns();
    const renewing = renew();
    await letThrough();
    await letThrough();
    expect(await creating).toMatchObject({ kind: 'created' });
    expect(await renewing).toEqual(['settled', 'twin']);
  });

  it('does so too where it was asked for before it had settled', async () => {
    const { journal, fence, letThrough, renew, create } = await waiting('unknown');
    const settling = journal.append(id, fence, changeTo('not_sent', attempt(1)));
    const renewing = renew();
    await turns();
    await letThrough();
    await settling;
    const creating = create();
    await letThrough();
    await letThrough();
    expect(await renewing).toEqual(['settled']);
    expect(await creating).toMatchObject({ kind: 'blocked' });
  });

  it('is the only one that waits: changes of those that are open on one lot share a sync', async () => {
    const { disk, journal, fence } = await waiting('unknown');
    disk.before = undefined;
    const others = ['other-1', 'other-2'].map((key) => intentWith(key, { lot: 'lot_1' }));
    for (const other of others) await made(journal, other, 'unknown');
    const before = disk.count('sync');
    await Promise.all(
      [settled, ...others].map((intent) => journal.append(idOf(intent), fence, changeTo('unknown'))),
    );
    expect(disk.count('sync') - before).toBe(1);
  });
});
