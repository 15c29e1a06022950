import { describe, expect, it } from 'vitest';
import type { FileJournal } from '../../../src/intents/file/port.js';
import { settle } from '../../support/virtual-clock.js';
import { type Choose, type DiskProcess, VirtualDisk } from '../../support/virtual-disk.js';
import { change, journalOn, lots, make, PATH, START, standings } from './kit.js';

/** What callers were told, and what they wait to be told. */
class Ledger {
  /** Of each key: what it was last said to be. */
  readonly #told = new Map<string, string>();
  /** Of each key: what it may be instead, once what is under way has happened. */
  readonly #underWay = new Map<string, string>();

  async write(key: string, standing: string, writing: Promise<unknown>): Promise<void> {
    this.#underWay.set(key, standing);
    await writing;
    this.#underWay.delete(key);
    this.#told.set(key, standing);
  }

  /** What is wrong with what was found. After it, what was found is what everybody was told. */
  check(found: readonly string[]): string[] {
    const byKey = new Map(found.map((line) => [line.split(' ')[0] ?? '', line]));
    const wrong = [...new Set([...this.#told.keys(), ...byKey.keys()])].flatMap((key) => {
      const is = byKey.get(key);
      const may = [this.#told.get(key), this.#underWay.get(key)];
      return may.includes(is) ? [] : [`${key}: found ${is}, may be ${may.join(' or ')}`];
    });
    this.#underWay.clear();
    this.#told.clear();
    for (const [key, line] of byKey) this.#told.set(key, line);
    return wrong;
  }
}

/** Five lives at once, each of one intent after the other. */
async function work(journal: FileJournal, ledger: Ledger, run: number): Promise<void> {
  await Promise.all(
    Array.from({ length: 5 }, async (_, lane) => {
      for (let number = 1; number <= 3; number += 1) {
        const key = `key-${run}-${lane}-${number}`;
        let fence = 0;
        const making = make(journal, key, 'prepared', 300 * lane).then((given) => {
          fence = given;
        });
        await ledger.write(key, `${key} prepared`, making);
        await ledger.write(key, `${key} unknown 1`, change(journal, key, fence, 'unknown', 1));
        await ledger.write(key, `${key} accepted 1,2`, change(journal, key, fence, 'accepted', 2));
      }
    }),
  );
  await journal.close();
}

function opened(disk: DiskProcess): FileJournal {
  return journalOn(disk, { compactFrom: 3_000, clock: { now: () => START, monotonic: () => 0 } });
}

/** Works until the operation with that number, at which the machine or the process goes down. */
async function untilDown(
  disk: VirtualDisk,
  ledger: Ledger,
  run: number,
  at: number,
  choose: Choose,
  down: () => void,
): Promise<boolean> {
  let operations = 0;
  let goDown: () => void = () => undefined;
  const isDown = new Promise<boolean>((resolve) => {
    goDown = () => {
      down();
      resolve(true);
    };
  });
  const hook = () => {
    operations += 1;
    if (operations === at) goDown();
  };
  // Disks take their time, and so things happen while others are written.
  disk.before = () => {
    hook();
    return choose(2) === 0 ? undefined : new Promise((resolve) => setImmediate(resolve));
  };
  disk.after = hook;
  const process = disk.process();
  const working = work(opened(process), ledger, run).then(() => false);
  const wentDown = await Promise.race([isDown, working]);
  await settle();
  disk.before = undefined;
  disk.after = undefined;
  return wentDown;
}

/** @returns what was found wrong after the first and the second time down */
async function twiceDown(at: number, choose: Choose, how: 'crash' | 'kill') {
  const disk = new VirtualDisk();
  const ledger = new Ledger();
  const wrong: string[] = [];
  let reached = true;
  for (const [run, point] of [at, 1 + choose(60)].entries()) {
    reached &&= await untilDown(disk, ledger, run, point, choose, () => disk[how](choose));
    const journal = opened(disk.process());
    try {
      wrong.push(...ledger.check(await standings(journal)));
    } catch (error) {
      wrong.push(`not opened: ${String(error)}`);
    }
    // Half of the time what was found is left to the next crash.
    if (choose(2) === 0) await journal.close();
    else disk.kill(choose);
  }
  return { wrong, reached };
}

describe.each([
  ['a power cut', 'crash', 4],
  ['the end of the process', 'kill', 2],
] as const)('%s', (_, how, seeds) => {
  it('at any moment loses nothing that somebody was told of, leaves no half of anything, and stops no opening', async () => {
    let at = 0;
    let reached = true;
    const wrong: string[] = [];
    while (reached) {
      at += 1;
      reached = false;
      for (let seed = 1; seed <= seeds; seed += 1) {
        const found = await twiceDown(at, lots(at * 1_000 + seed), how);
        reached ||= found.reached;
        wrong.push(...found.wrong.map((line) => `operation ${at}, seed ${seed}: ${line}`));
      }
    }
    expect(wrong).toEqual([]);
    expect(at).toBeGreaterThan(100);
  });
});

describe('a name that was not synced', () => {
  it('is not what anybody was told of', async () => {
    const disk = new VirtualDisk();
    const journal = journalOn(disk);
    await make(journal, 'key-1');
    disk.crash(() => 0);
    expect(await standings(journalOn(disk))).toEqual(['key-1 prepared']);
    expect(disk.paths).toEqual([PATH]);
  });
});
