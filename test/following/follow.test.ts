import { describe, expect, it } from 'vitest';
import {
  type CursorStore,
  type Follower,
  type FollowHandler,
  type FollowOptions,
  follow,
} from '../../src/following/follow.js';
import { messages } from '../../src/following/inbox.js';
import { winners } from '../../src/following/news.js';
import type { Notification } from '../../src/generated/notifications.js';
import type { WinnerUpdate } from '../../src/generated/winner-updates.js';
import type { Page } from '../../src/ports/list.js';
import { memoryStore } from '../../src/store/memory.js';
import type { StoreProcess } from '../../src/store/owner.js';
import type { CursorTable } from '../../src/store/tables.js';
import { dealer, rejection } from '../support/clients.js';
import { failingWays, loggedOf, never } from '../support/failing-callbacks.js';
import { deferred } from '../support/loopback.js';
import { numbersFrom } from '../support/random.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { apiError, brokenLine, testPace } from './support.js';

/** A list of winners and an inbox, the stores of several processes over them, and what handlers were given. */
class World {
  readonly clock = new VirtualClock();
  readonly updates: WinnerUpdate[] = [];
  readonly inbox: Notification[] = [];
  readonly failures: unknown[] = [];
  readonly given: string[] = [];
  readonly asked: (string | undefined)[] = [];
  /** How the service marks the end of the list. */
  end: 'same' | 'none' = 'same';
  newestFirst = true;
  readonly #now = () => this.clock.now();
  readonly #store = memoryStore({ now: this.#now });
  readonly gone = new Set<string>();

  cursors(processId = 'host/1'): CursorStore {
    const process: StoreProcess = {
      id: processId,
      isGone: (id, silence) => this.gone.has(id) || silence > 15_000,
    };
    const within = <T>(work: (cursors: CursorTable) => Promise<T>) =>
      this.#store.transaction('production', (tx) => work(tx.cursors));
    return { within, process, isVolatile: false };
  }

  /** Replaces the list of winners. */
  winnerPage: ((after: string | undefined) => Page<WinnerUpdate>) | undefined;

  readonly readWinners = async (after: string | undefined): Promise<Page<WinnerUpdate>> => {
    this.asked.push(after);
    if (this.winnerPage !== undefined) return this.winnerPage(after);
    if (this.failures.length > 0) throw this.failures.shift();
    const start = Number(after ?? 0);
    const items = this.updates.slice(start, start + 3);
    const isEnd = start + items.length >= this.updates.length;
    const nextCursor = isEnd && this.end === 'none' ? undefined : String(start + items.length);
    return { items, ...(nextCursor !== undefined && { nextCursor }) };
  };

  pagesRead = 0;

  /** What pages of the inbox do not say of themselves. */
  readonly unsaid = new Set<string>();

  readonly readInbox = async (page: number): Promise<Page<Notification>> => {
    const all = this.newestFirst ? [...this.inbox].reverse() : this.inbox;
    const lastPage = Math.max(1, Math.ceil(all.length / 25));
    this.pagesRead += 1;
    const items = all.slice((page - 1) * 25, page * 25);
    const facts = { page, lastPage, total: all.length };
    return { items, ...Object.fromEntries(Object.entries(facts).filter(([name]) => !this.unsaid.has(name))) };
  };

  /** Number of messages that were ever written. */
  written = 0;

  async row(name: string): Promise<string> {
    const row = await this.cursors().within((cursors) => cursors.get(`notifications.follow ${name}`));
    return row?.value ?? '';
  }

  message(): void {
    const id = `ntf_${this.inbox.length + 1}`;
    const created_at = new Date(this.clock.now() + this.inbox.length).toISOString();
    this.inbox.push({ id, resource_version: 1, created_at });
  }

  follow(
    handle: FollowHandler<WinnerUpdate> = () => undefined,
    options: Partial<FollowOptions> = {},
    processId?: string,
  ) {
    const follower = winners(this.readWinners, async (update, context) => {
      await handle(update, context);
      this.given.push(String(update['id']));
    });
    return this.#start(follower, { name: 'wins', ...options }, processId);
  }

  followInbox() {
    const follower = messages(this.readInbox, ({ id }) => this.given.push(id));
    return this.#start(follower, { name: 'inbox' });
  }

  #start<State>(follower: Follower<State>, options: FollowOptions, processId?: string) {
    const world = testPace(this.clock);
    const done = follow(world.pace, this.cursors(processId), follower, options);
    done.catch(() => undefined);
    return { ...world, done };
  }
}

function worldWith(count: number): World {
  const world = new World();
  for (let index = 1; index <= count; index += 1) world.updates.push({ id: `u${index}` });
  return world;
}

const ids = (count: number, prefix = 'u') =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);

describe('following winner updates', () => {
  it.each(['same', 'none'] as const)(
    'hands out every update once, in order (end of the list: %s)',
    async (end) => {
      const world = worldWith(7);
      world.end = end;
      const { close, done } = world.follow();
      await world.clock.advance(300_000);
      expect(world.given).toEqual(ids(7));
      world.updates.push({ id: 'u8' });
      await world.clock.advance(61_000);
      expect(world.given).toEqual(ids(8));
      close();
      await done;
      expect(world.clock.pending).toEqual([]);
    },
  );

  it('hands out two updates that read the same twice', async () => {
    const world = new World();
    world.end = 'none';
    world.updates.push({ id: 'same' }, { id: 'same' });
    let calls = 0;
    world.follow(() => {
      calls += 1;
      if (calls === 2) throw new Error('The list is read again after this');
    });
    await world.clock.advance(200_000);
    expect(world.given).toEqual(['same', 'same']);
  });

  it('calls a handler that throws again with the same update, and skips nothing', async () => {
    const world = worldWith(3);
    const down = new Error('the database is down');
    const errors: [error: unknown, at: number][] = [];
    const failing = ({ id }: WinnerUpdate) => {
      if (id === 'u2' && errors.length < 3) throw down;
    };
    world.follow(failing, { onError: (error) => errors.push([error, world.clock.monotonic()]) });
    await world.clock.advance(60_000);
    expect(world.given).toEqual(ids(3));
    // Each time it waits twice as long.
    expect(errors).toEqual([0, 500, 1_500].map((at) => [down, at]));
  });

  it('goes on after an outage and after a 429', async () => {
    const world = worldWith(2);
    world.failures.push(brokenLine(), apiError(429, { retryAfter: 30_000 }));
    const { warnings } = world.follow();
    await world.clock.advance(20_000);
    expect(world.given).toEqual([]);
    await world.clock.advance(20_000);
    expect([world.given, warnings.length]).toEqual([ids(2), 2]);
  });

  it('ends with an error that trying again does not cure', async () => {
    const world = worldWith(2);
    world.failures.push(apiError(403));
    const { done } = world.follow();
    await world.clock.advance(1_000);
    expect(await rejection(done)).toMatchObject({ status: 403 });
  });

  it('lets the handler at work finish and keeps what it did when the signal fires', async () => {
    const world = worldWith(2);
    const controller = new AbortController();
    const slow = () => new Promise<void>((resolve) => void world.clock.after(10_000, resolve));
    const { done } = world.follow(slow, { signal: controller.signal });
    await world.clock.advance(5_000);
    controller.abort();
    await world.clock.advance(5_000);
    await done;
    expect(world.given).toEqual(['u1']);
    world.follow();
    await world.clock.advance(1_000);
    expect(world.given).toEqual(['u1', 'u2']);
  });

  it.each(failingWays)(
    'goes on although onError %s, which is logged with its stack',
    async (way, onError) => {
      const world = worldWith(2);
      world.failures.push(brokenLine());
      const { warned } = world.follow(undefined, { onError });
      await world.clock.advance(5_000);
      expect(world.given).toEqual(['u1', 'u2']);
      expect(warned).toEqual(loggedOf(way, 'onError', 1));
    },
  );

  it('reports a handler that hangs, fires its signal, and calls it again with the same item', async () => {
    const world = worldWith(1);
    const errors: unknown[] = [];
    const signals: AbortSignal[] = [];
    const hangsOnce: FollowHandler<WinnerUpdate> = (_, { signal }) => {
      signals.push(signal);
      return signals.length === 1 ? never : undefined;
    };
    world.follow(hangsOnce, { onError: (error) => errors.push(error) });
    await world.clock.advance(29_999);
    expect([errors.length, signals[0]?.aborted]).toEqual([0, false]);
    await world.clock.advance(2_000);
    const error = { name: 'CallbackTimeoutError', callback: 'handle of winnerUpdates.follow', limit: 30_000 };
    expect(errors).toMatchObject([error]);
    expect([signals[0]?.aborted, world.given]).toEqual([true, ['u1']]);
  });

  it('tells the handler at work when following ends, and ends within handlerTimeout', async () => {
    const world = worldWith(1);
    const controller = new AbortController();
    let seen: AbortSignal | undefined;
    const hangs: FollowHandler<WinnerUpdate> = (_, { signal }) => {
      seen = signal;
      return never;
    };
    const { done } = world.follow(hangs, { signal: controller.signal, handlerTimeout: 1_000 });
    await world.clock.advance(500);
    controller.abort();
    expect(seen?.aborted).toBe(true);
    await world.clock.advance(500);
    await done;
    expect(() => world.follow(hangs, { handlerTimeout: 0 })).toThrow(/handlerTimeout must be a positive/);
  });

  it.each([
    ['production', undefined, 1],
    ['production', memoryStore(), 2],
    ['production', { ...memoryStore(), durable: true }, 0],
    ['sandbox', undefined, 0],
  ] as const)('warns of a forgetful store in %s only (case %#)', async (environment, store, warnings) => {
    const warned: string[] = [];
    const quiet = { error: () => 0, info: () => 0, debug: () => 0 };
    const logger = { ...quiet, warn: (text: string) => warned.push(text) };
    const { client } = dealer([], { environment, store, logger, logLevel: 'warn' });
    const options = { name: 'wins', handle: () => 0, signal: AbortSignal.abort() };
    await client.winnerUpdates.follow(options);
    // A memory store that was given for production is warned of by itself, too.
    expect(warned).toHaveLength(warnings);
  });

  it.each<[name: string, page: (after: string | undefined) => Page<WinnerUpdate>, given: number]>([
    [
      'a circle of cursors',
      (after = '0') => ({ items: [{ id: after }], nextCursor: `${(Number(after) + 1) % 3}` }),
      4,
    ],
    ['empty pages without end', (after = '0') => ({ items: [], nextCursor: `${Number(after) + 1}` }), 0],
  ])('reports %s and reads slowly', async (_, page, given) => {
    const world = new World();
    world.winnerPage = page;
    const { warned } = world.follow();
    await world.clock.advance(600_000);
    expect(world.given).toHaveLength(given);
    expect(world.asked.length).toBeLessThan(30);
    expect(JSON.stringify(warned)).toMatch(/cursor for the second time|pages in a row without updates/);
    // Mended, it goes on from where it was.
    world.winnerPage = (after) =>
      after === 'end' ? { items: [] } : { items: [{ id: 'new' }], nextCursor: 'end' };
    await world.clock.advance(120_000);
    expect(world.given).toHaveLength(given + 1);
  });

  it('refuses a name that can not be one', () => {
    const world = new World();
    expect(() => world.follow(undefined, { name: '' })).toThrow(/name must be 1 to 60/);
  });
});

describe('two processes under one name', () => {
  it('work one at a time; the other takes over when the first has gone', async () => {
    const world = worldWith(3);
    const first = world.follow(undefined, {}, 'host/1');
    await world.clock.advance(100);
    const before = world.asked.length;
    world.follow(undefined, {}, 'host/2');
    await world.clock.advance(4_000);
    expect([world.given, world.asked.length]).toEqual([ids(3), before]);
    first.close();
    await first.done;
    world.updates.push({ id: 'u4' });
    await world.clock.advance(10_000);
    expect(world.given).toEqual(ids(4));
  });

  it('leave an item to the one that works on it for long, as long as that lives', async () => {
    const world = worldWith(2);
    const slow = () => new Promise<void>((resolve) => void world.clock.after(60_000, resolve));
    world.follow(slow, { handlerTimeout: Number.POSITIVE_INFINITY }, 'host/1');
    await world.clock.advance(100);
    world.follow(undefined, {}, 'host/2');
    await world.clock.advance(110_000);
    expect(world.given).toEqual(['u1']);
    await world.clock.advance(10_000);
    expect(world.given).toEqual(['u1', 'u2']);
  });

  it('let a process that was only slow save nothing over what the other did', async () => {
    const world = worldWith(2);
    const { promise, resolve: finish } = deferred();
    world.follow(({ id }) => (id === 'u1' ? promise : undefined), {}, 'host/1');
    await world.clock.advance(1_000);
    world.gone.add('host/1');
    world.follow(undefined, {}, 'host/2');
    await world.clock.advance(1_000);
    expect(world.given).toEqual(ids(2));
    finish();
    await world.clock.advance(60_000);
    // The slow one finished its own copy of the first update, which counts as a repetition.
    expect(world.given).toEqual(['u1', 'u2', 'u1']);
  });
});

describe('following the inbox', () => {
  it.each([true, false])(
    'hands out the backlog and what is new, the oldest first (newest first: %s)',
    async (order) => {
      const world = new World();
      world.newestFirst = order;
      for (let count = 0; count < 60; count += 1) world.message();
      world.followInbox();
      await world.clock.advance(1_000);
      expect(world.given).toEqual(ids(60, 'ntf_'));
      for (let count = 0; count < 30; count += 1) world.message();
      await world.clock.advance(61_000);
      expect(world.given).toEqual(ids(90, 'ntf_'));
    },
  );

  it.each([['lastPage'], ['lastPage', 'total'], ['lastPage', 'total', 'page']])(
    'misses no message where its pages do not say %s %s %s',
    async (...unsaid) => {
      const world = new World();
      for (const name of unsaid) world.unsaid.add(name);
      for (let count = 0; count < 60; count += 1) world.message();
      world.followInbox();
      await world.clock.advance(1_000);
      for (let count = 0; count < 30; count += 1) world.message();
      await world.clock.advance(61_000);
      expect(world.given).toEqual(ids(90, 'ntf_'));
    },
  );

  it.each([true, false])('hands out no message again, however many (newest first: %s)', async (order) => {
    const world = new World();
    world.newestFirst = order;
    for (let count = 0; count < 700; count += 1) world.message();
    const first = world.followInbox();
    await world.clock.advance(1_000);
    first.close();
    await first.done;
    world.followInbox();
    world.message();
    await world.clock.advance(300_000);
    expect(world.given).toEqual(ids(701, 'ntf_'));
  });
});

describe('following an inbox in any order', () => {
  const messageAt = (world: World, place: number, created_at?: string) => {
    const id = `ntf_${world.written}`;
    world.written += 1;
    world.inbox.splice(place, 0, {
      id,
      resource_version: 1,
      ...(created_at !== undefined && { created_at }),
    });
  };

  it.each([1, 2, 3, 4, 5])(
    'hands out each message once, wherever it arrives or leaves (seed %i)',
    async (seed) => {
      const world = new World();
      const random = numbersFrom(seed);
      const below = (end: number) => Math.floor(random() * end);
      for (let count = 0; count < 300; count += 1)
        messageAt(world, below(count + 1), `2026-01-0${1 + below(9)}`);
      world.followInbox();
      await world.clock.advance(1_000);
      for (let change = 0; change < 40; change += 1) {
        // The number of messages is the same after each of these, and the first page often is.
        const leaving = below(world.inbox.length);
        const [gone] = world.inbox.splice(leaving, 1);
        messageAt(world, below(world.inbox.length + 1), '2026-01-01');
        expect(world.given).toContain(gone?.id);
        await world.clock.advance(700_000);
      }
      expect([...world.given].sort()).toEqual(
        Array.from({ length: world.written }, (_, index) => `ntf_${index}`).sort(),
      );
    },
  );

  it.each([undefined, '2026-01-01T00:00:00Z'])(
    'hands out no message again after a restart, although all have one date (%s), and saves little with each',
    async (date) => {
      const world = new World();
      for (let count = 0; count < 1_500; count += 1) messageAt(world, count, date);
      const first = world.followInbox();
      await world.clock.advance(1_000);
      first.close();
      await first.done;
      expect((await world.row('inbox')).length).toBeLessThan(256 * 20);
      world.followInbox();
      messageAt(world, 700, date);
      await world.clock.advance(60_000);
      expect([world.given.length, new Set(world.given).size]).toEqual([1_501, 1_501]);
    },
  );

  it('reads at most six pages per poll of an inbox in which nothing happens', async () => {
    const world = new World();
    for (let count = 0; count < 2_500; count += 1) messageAt(world, count);
    world.followInbox();
    await world.clock.advance(100_000);
    const before = world.pagesRead;
    await world.clock.advance(600_000);
    expect(world.pagesRead - before).toBeLessThanOrEqual(11 * 6);
  });
});

describe('a follower that is killed at random', () => {
  it('handles every update at least once, in order, over 100 kills', async () => {
    const world = worldWith(200);
    const random = numbersFrom(7);
    const stuck = () => new Promise<void>(() => undefined);
    for (let kill = 1; kill <= 100; kill += 1) {
      let left = Math.floor(random() * 4);
      const dies = () => {
        left -= 1;
        return left < 0 ? stuck() : undefined;
      };
      world.follow(dies, {}, `host/${kill}`);
      await world.clock.advance(6_000);
      world.gone.add(`host/${kill}`);
    }
    world.follow(undefined, {}, 'host/last');
    await world.clock.advance(60_000);
    const firsts = [...new Set(world.given)];
    expect(firsts).toEqual(ids(200));
  });
});
