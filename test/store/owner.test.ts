import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { memoryStore } from '../../src/store/memory.js';
import { thisProcess } from '../../src/store/owner.js';
import { VirtualClock } from '../support/virtual-clock.js';

const SILENT = 15_001;

/** The id that another process of this machine has, and how to end it. */
async function child(): Promise<{ id: string; kill(): Promise<void> }> {
  const script = `
    import('./src/store/owner.ts').then(({ thisProcess }) => {
      console.log(thisProcess().id);
      setInterval(() => {}, 60_000);
    });`;
  const process_ = spawn(process.execPath, ['--import', 'tsx', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    process_.kill('SIGKILL');
  });
  const [id] = await once(process_.stdout, 'data');
  return {
    id: String(id).trim(),
    async kill() {
      const exit = once(process_, 'exit');
      process_.kill('SIGKILL');
      await exit;
    },
  };
}

/** This process's own id, with other parts. */
function idWith(changes: { host?: string; pid?: string; started?: string; thread?: string; began?: string }) {
  const [host, pid, started, thread, began, random] = thisProcess().id.split('/');
  const parts = { host, pid, started, thread, began, ...changes };
  return [parts.host, parts.pid, parts.started, parts.thread, parts.began, `not-${random}`].join('/');
}

describe('an owner', () => {
  it('is the same for every copy of this module in an isolate', async () => {
    const { Owner, isFree } = await import('../../src/store/owner.js');
    const { process } = memoryStore();
    const owner = new Owner({ process, clock: new VirtualClock(), heartbeat: () => Promise.resolve() });
    vi.resetModules();
    const copy = await import('../../src/store/owner.js');
    expect(copy.isFree).not.toBe(isFree);
    const row = { owner: owner.id, ownerSilence: 1e9 };
    expect([isFree(row, { process }), copy.isFree(row, { process })]).toEqual([false, false]);
    owner.release();
    expect([isFree(row, { process }), copy.isFree(row, { process })]).toEqual([true, true]);
  });

  it('that gave its sign of life by a clock that was ahead counts as silent until it gives the next', async () => {
    let now = 86_400_000;
    const store = memoryStore({ now: () => now });
    const silence = async () => (await store.transaction('a', (tx) => tx.cursors.get('wins')))?.ownerSilence;
    const row = { value: undefined, owner: 'host/1#1' };
    await store.transaction('a', (tx) => tx.cursors.save('wins', 0, row));
    now -= 60_000;
    expect(await silence()).toBe(0);
    now -= 1;
    expect(await silence()).toBe(Number.POSITIVE_INFINITY);
    await store.transaction('a', (tx) => tx.cursors.touchOwner('host/1#1'));
    expect(await silence()).toBe(0);
  });
});

describe('the process that a store runs in', () => {
  it('has one id, which names the host and the pid', () => {
    const { id } = thisProcess();
    expect(id).toContain(hostname());
    expect(id.split('/')[1]).toBe(String(process.pid));
    expect(thisProcess()).toBe(thisProcess());
    const shared: unknown = Reflect.get(globalThis, Symbol.for('vehicle-auction-sdk.ownership'));
    expect(shared).toMatchObject({ process: thisProcess() });
  });

  it('knows at once whether another process of this machine lives, however silent it is', async () => {
    const other = await child();
    expect(other.id).not.toBe(thisProcess().id);
    expect(thisProcess().isGone(other.id, 1e9)).toBe(false);
    await other.kill();
    expect(thisProcess().isGone(other.id, 0)).toBe(true);
  });

  it('is never gone to itself', () => {
    expect(thisProcess().isGone(thisProcess().id, 1e9)).toBe(false);
  });

  it.runIf(existsSync('/proc/self/stat'))('is not taken for a dead one whose pid it has got', () => {
    expect(thisProcess().isGone(idWith({ started: '1' }), 0)).toBe(true);
  });

  it.runIf(existsSync('/proc/self/stat'))(
    'knows at once that a thread of it has ended, or was followed by another',
    () => {
      expect(thisProcess().isGone(idWith({ thread: '4194305', began: '1' }), 0)).toBe(true);
      expect(thisProcess().isGone(idWith({ began: '1' }), 0)).toBe(true);
    },
  );

  it('believes in another global scope of its thread for 15 s of silence', () => {
    expect(thisProcess().isGone(idWith({}), 15_000)).toBe(false);
    expect(thisProcess().isGone(idWith({}), SILENT)).toBe(true);
  });

  it('believes in another thread for 15 s of silence, where threads are not shown', () => {
    expect(thisProcess().isGone(idWith({ thread: '', began: '' }), 15_000)).toBe(false);
    expect(thisProcess().isGone(idWith({ thread: '', began: '' }), SILENT)).toBe(true);
  });

  it('takes a pid that is in use for a living process for as long as it gives a sign, where starts are not known', () => {
    expect(thisProcess().isGone(idWith({ started: '' }), 15_000)).toBe(false);
    expect(thisProcess().isGone(idWith({ started: '' }), SILENT)).toBe(true);
  });

  it.each(['another-host', 'a host / with a blank', ''])(
    'believes in a process of the host "%s" for 15 s of silence',
    (host) => {
      const id = idWith({ host, pid: '999999999' });
      expect(thisProcess().isGone(id, 15_000)).toBe(false);
      expect(thisProcess().isGone(id, SILENT)).toBe(true);
    },
  );

  it('believes in an id that it cannot read for 15 s of silence', () => {
    for (const id of ['', '/', 'someone', idWith({ pid: '-1' }), idWith({ pid: 'x' })]) {
      expect(thisProcess().isGone(id, 15_000)).toBe(false);
      expect(thisProcess().isGone(id, SILENT)).toBe(true);
    }
  });
});
