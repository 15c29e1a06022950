import { type Sandbox, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { describe, expect, it } from 'vitest';
import { numbersFrom } from '../support/random.js';
import { type StorePlace, storePlaces } from '../support/store-places.js';
import { dealerOf, oneAuction, rounds } from './killing.js';
import { type Line, Worker } from './worker-process.js';

const WINS_PER_ROUND = 5;

describe('followers that are killed over and over', { timeout: 3_600_000 }, () => {
  it.each(storePlaces())('handle every win at least once, in order, on %s', async (name, place) => {
    await judge(await place(), 5 + name.length);
  });
});

async function judge(store: StorePlace, seed: number): Promise<void> {
  const kills = rounds(2, 100);
  const random = numbersFrom(seed);
  const sandbox = await sandboxWithSales(kills * WINS_PER_ROUND);
  const sales = sandbox.records('sale').map(({ id }) => id);
  const approve = () => {
    for (const id of sales.splice(0, WINS_PER_ROUND)) sandbox.actors.bank.approve(id);
  };
  const order = { baseUrl: sandbox.baseUrl, dealer: sandbox.credentials.dealer, store, longestHandlerMs: 12 };
  const workers: Worker[] = [];
  const turns: Worker[][] = [];
  for (let kill = 0; kill < kills; ) {
    approve();
    // Two under one name every other round: one works, the other waits or takes over.
    const count = Math.min(1 + (kill % 2), kills - kill);
    const starting = Array.from({ length: count }, () => Worker.start(order, 'follower.mjs'));
    const together = await Promise.all(starting);
    workers.push(...together);
    turns.push(together);
    for (const each of together) each.killIn(random() * 300);
    await Promise.all(together.map(({ gone }) => gone));
    kill += count;
  }
  while (sales.length > 0) approve();
  const { wins, messages } = await everything(sandbox);
  const last = await Worker.start(order, 'follower.mjs');
  const handledBy = (lines: readonly Line[], task: string) =>
    lines.flatMap((line) => (line.task === task && line.id !== undefined ? [line.id] : []));
  await last.untilFound((lines) => {
    const all = [...workers, last].flatMap((each) => each.lines);
    const done = new Set([...handledBy(all, 'win'), ...handledBy(all, 'message')]);
    const isOver = done.size >= wins.length + messages.length || lines.some(({ type }) => type === 'ended');
    return isOver ? lines : undefined;
  });
  await last.end();
  workers.push(last);
  turns.push([last]);
  await sandbox.close();

  expect(workers.filter(({ wasKilled }) => wasKilled)).toHaveLength(kills);
  expect(workers.flatMap(({ lines }) => lines.filter(({ type }) => type === 'ended'))).toEqual([]);
  const placesIn = (lines: readonly Line[]) => handledBy(lines, 'win').map((id) => wins.indexOf(id));
  // Each turn goes on where the one before it was.
  const handled = new Set<number>();
  for (const turn of turns) {
    const places = turn.flatMap(({ lines }) => placesIn(lines));
    const fresh = new Set(places.filter((place) => !handled.has(place)));
    expect([...fresh].sort((a, b) => a - b)).toEqual(Array.from(fresh, (_, index) => handled.size + index));
    for (const place of fresh) handled.add(place);
  }
  expect(handled.size).toBe(wins.length);
  for (const { lines } of workers) {
    // No process skips one: what it handles is a stretch of the list.
    const places = placesIn(lines);
    expect(places).toEqual(places.map((_, index) => (places[0] ?? 0) + index));
  }
  // A kill repeats at most the item that was being handled.
  const times = workers.flatMap(({ lines }) => placesIn(lines)).length;
  expect(times - wins.length).toBeLessThanOrEqual(kills);
  const inbox = new Set(workers.flatMap(({ lines }) => handledBy(lines, 'message')));
  expect(inbox).toEqual(new Set(messages));
}

/** A sandbox whose bank has so many sales of the dealer to approve. */
function sandboxWithSales(count: number): Promise<Sandbox> {
  const bids = [{ by: 'dealer', amount: '100000' } as const];
  const lots = Array.from({ length: count }, () => ({ starting_price: '100000', bids }));
  const seed = oneAuction('sold', lots, { bid_type: 'open', opens: -60, closes: -10 });
  return startSandbox({ rateLimit: false, seed });
}

/** Everything that there is to handle, in the order of the service. */
async function everything(sandbox: Sandbox) {
  await using judge = dealerOf(sandbox);
  const wins = await judge.winnerUpdates.list().toArray({ limit: 10_000 });
  const messages = await judge.notifications.list().toArray({ limit: 10_000 });
  return { wins: wins.map((win) => JSON.stringify(win)), messages: messages.map(({ id }) => id) };
}
