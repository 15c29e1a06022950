import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { bid, get, lotOf, plus, send } from './caller.js';
import { Receiver, subscribed } from './webhooks/receivers.js';

const minute = 60_000;
const startAt = '2026-03-01T10:00:00Z';
const start = Date.parse(startAt);

let sandbox: Sandbox;
let receiver: Receiver;
beforeEach(async () => {
  receiver = new Receiver();
  sandbox = await startSandbox({
    clock: 'manual',
    startAt,
    rateLimit: false,
    webhooks: { send: receiver.send },
  });
  await subscribed(sandbox, sandbox.credentials.dealer, ['auction.schedule_changed']);
});
afterEach(() => sandbox.close());

const event = async (label: string) =>
  (await get(sandbox, sandbox.credentials.dealer, `/api/v1/events/${sandbox.auctions.get(label).id}`)).json
    .data;
const status = async (label: string) =>
  (await get(sandbox, sandbox.credentials.dealer, `/api/v1/lots/${lotOf(sandbox, label).id}/status`)).json
    .data;

/** Previous and effective close of what was announced so far. */
async function announced() {
  await sandbox.webhooks.settled();
  return receiver.events.map(({ event: { data } }) => [
    data.direction,
    data.previous_effective_close_at,
    data.effective_close_at,
    data.scheduled_end_at,
  ]);
}

describe('the close of a live auction', () => {
  it('stays where four digits tell the year', async () => {
    const before = await event('live-open');
    for (const far of [8.64e15, Date.parse('9999-12-31T18:30:00Z')]) {
      expect(() => sandbox.auctions.moveClose('live-open', far)).toThrow(RangeError);
      expect(() => sandbox.auctions.extend('live-open', far)).toThrow(RangeError);
    }
    expect(await event('live-open')).toEqual(before);
    sandbox.auctions.moveClose('live-open', '9999-12-31T18:29:59Z');
    expect((await event('live-open')).ends_at).toBe('9999-12-31T23:59:59+05:30');
  });

  // live-open closes four hours after the start: 14:00 UTC, 19:30 in India.
  // rule: event-state.close-moved
  it.each([
    ['is extended', () => sandbox.auctions.extend('live-open', 15 * minute), '19:45:00', 'extended'],
    ['is shortened', () => sandbox.auctions.shorten('live-open', 30 * minute), '19:00:00', 'shortened'],
    [
      'is moved to later',
      () => sandbox.auctions.moveClose('live-open', '2026-03-01T20:00:00+05:30'),
      '20:00:00',
      'extended',
    ],
    [
      'is moved to earlier',
      () => sandbox.auctions.moveClose('live-open', start + minute),
      '15:31:00',
      'shortened',
    ],
  ] as const)('%s: shown, counted and announced', async (_, move, closes, direction) => {
    const before = { event: await event('live-open'), status: await status('live-open') };
    sandbox.clock.advance(1_000);
    move();
    const at = `2026-03-01T${closes}+05:30`;
    expect(await event('live-open')).toEqual({
      ...before.event,
      ends_at: at,
      revision: before.event.revision + 1,
    });
    expect(await status('live-open')).toEqual({
      ...before.status,
      effective_close_at: at,
      resource_version: before.status.resource_version + 1,
      updated_at: '2026-03-01T10:00:01.000Z',
    });
    expect(await announced()).toEqual([
      [direction, '2026-03-01T19:30:00+05:30', at, '2026-03-01T19:30:00+05:30'],
    ]);
    expect(sandbox.auctions.get('live-open')).toMatchObject({
      status: 'live',
      closesAt: Date.parse(at),
      scheduledClosesAt: Date.parse('2026-03-01T14:00:00Z'),
    });
  });

  it('is announced with the close that it had before, and the one first scheduled', async () => {
    sandbox.auctions.extend('live-open', 15 * minute);
    sandbox.auctions.shorten('live-open', 45 * minute);
    expect(await announced()).toEqual([
      ['extended', ...india('19:30:00', '19:45:00', '19:30:00')],
      ['shortened', ...india('19:45:00', '19:00:00', '19:30:00')],
    ]);
  });

  // rule: event-state.close-moved
  it('decides the bids: those before it, moved as it is, and none after', async () => {
    const { dealer } = sandbox.credentials;
    const { id, startingPrice } = lotOf(sandbox, 'live-open');
    const offered = (extra: number) =>
      bid(sandbox, dealer, id, { amount: plus(startingPrice, extra) }).then(({ status: code }) => code);
    sandbox.auctions.extend('live-open', minute);
    sandbox.clock.advanceTo('2026-03-01T14:00:59.999Z');
    expect(await offered(0)).toBe(201);
    sandbox.clock.advance(1);
    expect(await offered(5_000)).toBe(422);
    expect((await event('live-open')).status).toBe('over');
  });

  it('can be shortened to the past, which is now', async () => {
    sandbox.clock.advance(10 * minute);
    sandbox.auctions.shorten('live-open', 1_000 * minute);
    expect(sandbox.auctions.get('live-open')).toMatchObject({
      status: 'over',
      closesAt: start + 10 * minute,
    });
    expect(await announced()).toEqual([['shortened', ...india('19:30:00', '15:40:00', '19:30:00')]]);
  });

  it('stays where it is when it is moved to where it is', async () => {
    const before = [await event('live-open'), await status('live-open')];
    sandbox.auctions.moveClose('live-open', '2026-03-01T14:00:00Z');
    expect([await event('live-open'), await status('live-open')]).toEqual(before);
    expect(await announced()).toEqual([]);
  });

  it('is announced by a close by hand, once', async () => {
    sandbox.auctions.close('live-open');
    sandbox.clock.advance(minute);
    sandbox.auctions.close('live-open');
    expect(await announced()).toEqual([['shortened', ...india('19:30:00', '15:30:00', '19:30:00')]]);
    expect(sandbox.auctions.get('live-open').closesAt).toBe(start);
  });

  it('is no news when time alone brings it, nor that of a cancelled auction', async () => {
    sandbox.clock.advanceTo('2026-03-01T14:00:00Z');
    sandbox.auctions.cancel('live-no-grid');
    sandbox.auctions.extend('live-no-grid', minute);
    expect(await announced()).toEqual([]);
    expect(sandbox.auctions.get('live-no-grid')).toMatchObject({
      cancelled: true,
      closesAt: start + 301 * minute,
    });
  });

  it('can be moved again once it has passed, while nothing is awarded', async () => {
    sandbox.auctions.close('live-open');
    sandbox.auctions.moveClose('live-open', start + 5 * minute);
    expect((await event('live-open')).status).toBe('live');
    const { id, startingPrice } = lotOf(sandbox, 'live-open');
    expect((await bid(sandbox, sandbox.credentials.dealer, id, { amount: startingPrice })).status).toBe(201);
    sandbox.clock.advance(5 * minute);
    expect(() => sandbox.auctions.moveClose('live-open', start + 9 * minute)).toThrow(/awarded/);
    expect(sandbox.auctions.get('live-open').closesAt).toBe(start + 5 * minute);
  });

  it.each<[string, () => void]>([
    ['by nothing', () => sandbox.auctions.extend('live-open', 0)],
    ['by less than nothing', () => sandbox.auctions.shorten('live-open', -1)],
    ['by no number', () => sandbox.auctions.extend('live-open', Number.NaN)],
    ['for ever', () => sandbox.auctions.extend('live-open', Number.POSITIVE_INFINITY)],
    ['beyond all dates', () => sandbox.auctions.extend('live-open', 1e16)],
    ['of an auction that is over', () => sandbox.auctions.extend('over', minute)],
    ['of an auction that is over, to earlier', () => sandbox.auctions.shorten('over', minute)],
    ['of an auction that there is none', () => sandbox.auctions.extend('nowhere', minute)],
    ['before its opening', () => sandbox.auctions.shorten('upcoming', 10_000 * minute)],
    ['by hand before its opening', () => sandbox.auctions.close('upcoming')],
  ])('is not moved %s', async (_, move) => {
    const before = sandbox.auctions.list();
    expect(move).toThrow(RangeError);
    expect(sandbox.auctions.list()).toEqual(before);
    expect(await announced()).toEqual([]);
  });
});

describe('the opening of an auction', () => {
  const opensAt = start + 1_440 * minute;

  it('comes now, by hand', async () => {
    const before = { event: await event('upcoming'), status: await status('upcoming') };
    const { id, startingPrice } = lotOf(sandbox, 'upcoming');
    const offer = () => bid(sandbox, sandbox.credentials.dealer, id, { amount: startingPrice });
    expect((await offer()).json.errors).toEqual(['LOT_NOT_LIVE']);
    sandbox.clock.advance(1_000);
    sandbox.auctions.open('upcoming');
    expect(await event('upcoming')).toEqual({
      ...before.event,
      status: 'live',
      starts_at: '2026-03-01T15:30:01+05:30',
      revision: before.event.revision + 1,
    });
    expect(await status('upcoming')).toEqual({
      ...before.status,
      auction_state: 'live',
      allowed_actions: ['bid'],
      resource_version: before.status.resource_version + 1,
      updated_at: '2026-03-01T10:00:01.000Z',
    });
    expect((await offer()).status).toBe(201);
    const { resource_version } = await status('upcoming');
    sandbox.clock.advance(1_440 * minute);
    expect((await status('upcoming')).resource_version).toBe(resource_version);
    expect(await announced()).toEqual([]);
  });

  // rule: event-state.live
  it.each([
    ['postponed', 60 * minute],
    ['brought forward', -60 * minute],
  ])('is %s: it counts once, at its new time', async (_, by) => {
    const first = await status('upcoming');
    sandbox.auctions.moveOpen('upcoming', opensAt + by);
    expect((await status('upcoming')).resource_version).toBe(first.resource_version + 1);
    sandbox.clock.advanceTo(opensAt + by - 1);
    expect(await status('upcoming')).toMatchObject({
      auction_state: 'upcoming',
      resource_version: first.resource_version + 1,
    });
    sandbox.clock.advance(1);
    expect(await status('upcoming')).toMatchObject({
      auction_state: 'live',
      resource_version: first.resource_version + 2,
      updated_at: new Date(opensAt + by).toISOString(),
    });
    sandbox.clock.advance(61 * minute);
    expect((await status('upcoming')).resource_version).toBe(first.resource_version + 2);
  });

  it('moves there and back, and counts once', async () => {
    const first = await status('upcoming');
    sandbox.auctions.moveOpen('upcoming', opensAt + minute);
    sandbox.auctions.moveOpen('upcoming', opensAt);
    sandbox.auctions.moveOpen('upcoming', opensAt);
    sandbox.clock.advanceTo(opensAt + 2 * minute);
    expect((await status('upcoming')).resource_version).toBe(first.resource_version + 3);
  });

  it.each<[string, () => void]>([
    ['of a live auction', () => sandbox.auctions.open('live-open')],
    ['of one that is over', () => sandbox.auctions.open('over')],
    ['to after its close', () => sandbox.auctions.moveOpen('upcoming', start + 100_000 * minute)],
    ['to no moment', () => sandbox.auctions.moveOpen('upcoming', '2026-03-02T10:00:00')],
    [
      'of a cancelled auction',
      () => {
        sandbox.auctions.cancel('upcoming');
        sandbox.auctions.open('upcoming');
      },
    ],
  ])('is not moved %s', (_, move) => {
    const before = sandbox.auctions.list().map(({ opensAt: at }) => at);
    expect(move).toThrow(RangeError);
    expect(sandbox.auctions.list().map(({ opensAt: at }) => at)).toEqual(before);
  });
});

describe('a late bid', () => {
  const late = Date.parse('2026-03-01T13:59:00Z');
  const inTime = Date.parse('2026-03-01T13:57:59Z');

  /** Bids on live-open at a moment, and gives what the receipt says of the close, and the request's bytes. */
  async function bidAt(moment: number) {
    sandbox.clock.advanceTo(moment);
    const { id, startingPrice } = lotOf(sandbox, 'live-open');
    const key = randomUUID();
    const body = JSON.stringify({ dealer_id: 'D-204', amount: startingPrice, idempotency_key: key });
    const again = () =>
      send(sandbox, sandbox.credentials.dealer, {
        path: `/api/v1/lots/${id}/bids`,
        body,
        headers: { 'Idempotency-Key': key },
      });
    const reply = await again();
    return { status: reply.status, closes: reply.json.data.effective_close_at, again };
  }

  it('leaves the close where it is, unless told otherwise', async () => {
    expect(await bidAt(late)).toMatchObject({ status: 201, closes: '2026-03-01T19:30:00+05:30' });
    expect(await announced()).toEqual([]);
  });

  describe('with late-bid-extension: late-bids-extend', () => {
    beforeEach(async () => {
      await sandbox.close();
      sandbox = await startSandbox({
        clock: 'manual',
        startAt,
        rateLimit: false,
        variants: { 'late-bid-extension': 'late-bids-extend' },
        webhooks: { send: receiver.send },
      });
      await subscribed(sandbox, sandbox.credentials.dealer, ['auction.schedule_changed']);
    });

    it('moves the close to two minutes after it, in its receipt and in the news', async () => {
      expect(await bidAt(late)).toMatchObject({ status: 201, closes: '2026-03-01T19:31:00+05:30' });
      expect(await announced()).toEqual([['extended', ...india('19:30:00', '19:31:00', '19:30:00')]]);
      expect((await event('live-open')).ends_at).toBe('2026-03-01T19:31:00+05:30');
    });

    it('moves nothing more than two minutes before', async () => {
      expect(await bidAt(inTime)).toMatchObject({ status: 201, closes: '2026-03-01T19:30:00+05:30' });
      expect(await announced()).toEqual([]);
    });

    it('moves nothing again as a replay', async () => {
      const { again } = await bidAt(late);
      sandbox.clock.advance(30_000);
      expect((await again()).json.data).toMatchObject({ replayed: true });
      expect(await announced()).toHaveLength(1);
    });

    it('moves nothing when it is rejected', async () => {
      sandbox.clock.advanceTo(late);
      const { id } = lotOf(sandbox, 'live-open');
      expect((await bid(sandbox, sandbox.credentials.dealer, id, { amount: '1.00' })).status).toBe(422);
      expect(await announced()).toEqual([]);
    });

    it('counts when a rival makes it', async () => {
      sandbox.clock.advanceTo(late);
      sandbox.actors.rival.bidNext(lotOf(sandbox, 'live-open').id);
      expect(await announced()).toHaveLength(1);
    });

    it('opens nothing again when it is judged after the close', async () => {
      sandbox.clock.advanceTo(late);
      sandbox.inject({ operation: 'bids.submit', fault: 'delay', ms: 2 * minute });
      const { id, startingPrice } = lotOf(sandbox, 'live-open');
      const reply = bid(sandbox, sandbox.credentials.dealer, id, { amount: startingPrice });
      while (sandbox.attempts().at(-1)?.status !== 'pending') await new Promise(setImmediate);
      sandbox.clock.advance(2 * minute);
      expect((await reply).status).toBe(201);
      expect(sandbox.auctions.get('live-open').status).toBe('over');
      expect(await announced()).toEqual([]);
    });
  });
});

/** Times of the day of the test, in India. */
function india(...times: string[]): string[] {
  return times.map((time) => `2026-03-01T${time}+05:30`);
}
