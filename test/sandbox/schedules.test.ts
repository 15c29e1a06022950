import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.js';
import { bid, get, lotOf, onManualClock, plus } from './caller.js';
import { Receiver, subscribed } from './webhooks/receivers.js';

const minute = 60_000;
const start = Date.parse('2026-03-01T10:00:00Z');

let sandbox: Sandbox;
let receiver: Receiver;
const begin = async (options: SandboxOptions = {}) => {
  await sandbox?.close();
  receiver = new Receiver();
  sandbox = await onManualClock({ webhooks: { send: receiver.send }, ...options });
  await subscribed(sandbox, sandbox.credentials.dealer, ['auction.schedule_changed']);
};
beforeEach(() => begin());
afterEach(() => sandbox.close());

const read = async (path: string) =>
  (await get(sandbox, sandbox.credentials.dealer, `/api/v1/${path}`)).json.data;
const event = (label: string) => read(`events/${sandbox.auctions.get(label).id}`);
const status = (label: string) => read(`lots/${lotOf(sandbox, label).id}/status`);
const offer = (label: string, extra = 0, content = {}) => {
  const { id, startingPrice } = lotOf(sandbox, label);
  return bid(sandbox, sandbox.credentials.dealer, id, { amount: plus(startingPrice, extra), ...content });
};
/** A time of the day of the test, in India. */
const india = (time: string) => `2026-03-01T${time}+05:30`;
/** What was announced so far: direction, the close before and the close from then on. */
async function announced() {
  await sandbox.webhooks.settled();
  return receiver.events.map(({ event: { data } }) => {
    expect(data.scheduled_end_at).toBe(india('19:30:00'));
    return [data.direction, data.previous_effective_close_at, data.effective_close_at];
  });
}

// live-open closes four hours after the start: 14:00 UTC, 19:30 in India.
describe('the close of a live auction', () => {
  // rule: event-state.close-moved
  it.each<[string, () => unknown, string, string]>([
    ['extended', () => sandbox.auctions.extend('live-open', 15 * minute), '19:45:00', 'live'],
    ['shortened', () => sandbox.auctions.shorten('live-open', 30 * minute), '19:00:00', 'live'],
    ['extended', () => sandbox.auctions.moveClose('live-open', india('20:00:00')), '20:00:00', 'live'],
    ['shortened', () => sandbox.auctions.moveClose('live-open', start + minute), '15:31:00', 'live'],
    ['shortened', () => sandbox.auctions.shorten('live-open', 1_000 * minute), '15:30:01', 'over'],
    ['shortened', () => sandbox.auctions.close('live-open'), '15:30:01', 'over'],
  ])('is %s by %s to %s: shown, counted and announced once', async (direction, move, closes, state) => {
    const before = { event: await event('live-open'), status: await status('live-open') };
    sandbox.clock.advance(1_000);
    move();
    const at = india(closes);
    const closesAt = Date.parse(at);
    const { revision } = before.event;
    expect(await event('live-open')).toEqual({
      ...before.event,
      status: state,
      ends_at: at,
      revision: revision + 1,
    });
    expect(await status('live-open')).toMatchObject({
      ...{ auction_state: state, effective_close_at: at, updated_at: '2026-03-01T10:00:01.000Z' },
      resource_version: before.status.resource_version + (state === 'live' ? 1 : 2),
    });
    expect(await announced()).toEqual([[direction, india('19:30:00'), at]]);
    const scheduledClosesAt = Date.parse('2026-03-01T14:00:00Z');
    expect(sandbox.auctions.get('live-open')).toMatchObject({ status: state, closesAt, scheduledClosesAt });
    if (state === 'over') sandbox.auctions.close('live-open');
    expect(await announced()).toHaveLength(1);
  });

  it('is announced with the close that it had before, and the one first scheduled', async () => {
    sandbox.auctions.extend('live-open', 15 * minute);
    sandbox.auctions.shorten('live-open', 45 * minute);
    expect(await announced()).toEqual([
      ['extended', india('19:30:00'), india('19:45:00')],
      ['shortened', india('19:45:00'), india('19:00:00')],
    ]);
  });

  // rule: general.2, event-state.live, event-state.close-moved
  it('decides the bids: those before it, moved as it is, and none after', async () => {
    sandbox.auctions.extend('live-open', minute);
    sandbox.clock.advanceTo('2026-03-01T14:00:59.999Z');
    expect([(await offer('live-open')).status, (await event('live-open')).status]).toEqual([201, 'live']);
    sandbox.clock.advance(1);
    expect([(await offer('live-open', 5_000)).status, (await event('live-open')).status]).toEqual([
      422,
      'over',
    ]);
  });

  it('is no news when time alone brings it, when it stays, nor of a cancelled auction', async () => {
    const before = [await event('live-open'), await status('live-open')];
    sandbox.auctions.moveClose('live-open', '2026-03-01T14:00:00Z');
    expect([await event('live-open'), await status('live-open')]).toEqual(before);
    sandbox.clock.advanceTo('2026-03-01T14:00:00Z');
    sandbox.auctions.cancel('live-no-grid');
    sandbox.auctions.extend('live-no-grid', minute);
    const closesAt = start + 301 * minute;
    expect(sandbox.auctions.get('live-no-grid')).toMatchObject({ cancelled: true, closesAt });
    expect(await announced()).toEqual([]);
  });

  it('can be moved again once it has passed, while nothing is awarded', async () => {
    sandbox.auctions.close('live-open');
    sandbox.auctions.moveClose('live-open', start + 5 * minute);
    expect([(await event('live-open')).status, (await offer('live-open')).status]).toEqual(['live', 201]);
    sandbox.clock.advance(5 * minute);
    expect(() => sandbox.auctions.moveClose('live-open', start + 9 * minute)).toThrow();
    expect(sandbox.auctions.get('live-open').closesAt).toBe(start + 5 * minute);
  });

  it('may be the last moment that four digits of a year can tell', async () => {
    sandbox.auctions.moveClose('live-open', '9999-12-31T18:29:59Z');
    expect((await event('live-open')).ends_at).toBe('9999-12-31T23:59:59+05:30');
  });

  it.each<[string, () => void]>([
    ['by nothing', () => sandbox.auctions.extend('live-open', 0)],
    ['by less than nothing', () => sandbox.auctions.shorten('live-open', -1)],
    ['by no number', () => sandbox.auctions.extend('live-open', Number.NaN)],
    ['for ever', () => sandbox.auctions.extend('live-open', Number.POSITIVE_INFINITY)],
    ['beyond four digits of a year', () => sandbox.auctions.extend('live-open', 8.64e15)],
    ['to beyond them', () => sandbox.auctions.moveClose('live-open', Date.parse('9999-12-31T18:30:00Z'))],
    ['to no number', () => sandbox.auctions.moveClose('live-open', Number.NaN)],
    ['to a moment without a zone', () => sandbox.auctions.moveClose('live-open', '2026-03-01T10:00:00')],
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

  it('comes now, by hand, and counts once', async () => {
    const before = { event: await event('upcoming'), status: await status('upcoming') };
    expect((await offer('upcoming')).json.errors).toEqual(['LOT_NOT_LIVE']);
    sandbox.clock.advance(1_000);
    sandbox.auctions.open('upcoming');
    const { revision } = before.event;
    const live = { status: 'live', starts_at: india('15:30:01'), revision: revision + 1 };
    expect(await event('upcoming')).toEqual({ ...before.event, ...live });
    expect(await status('upcoming')).toEqual({
      ...{ ...before.status, auction_state: 'live', allowed_actions: ['bid'] },
      resource_version: before.status.resource_version + 1,
      updated_at: '2026-03-01T10:00:01.000Z',
    });
    expect((await offer('upcoming')).status).toBe(201);
    sandbox.clock.advance(1_440 * minute);
    expect((await status('upcoming')).resource_version).toBe(before.status.resource_version + 2);
    expect(await announced()).toEqual([]);
  });

  // rule: event-state.live
  it.each([
    ['postponed', [60]],
    ['brought forward', [-60]],
    ['moved there and back', [1, 0, 0]],
  ])('is %s: each move counts, and it comes once, at its new time', async (_, moves) => {
    const first = (await status('upcoming')).resource_version;
    for (const by of moves) sandbox.auctions.moveOpen('upcoming', opensAt + by * minute);
    const moved = first + new Set(moves).size;
    const at = opensAt + (moves.at(-1) ?? 0) * minute;
    sandbox.clock.advanceTo(at - 1);
    expect(await status('upcoming')).toMatchObject({ auction_state: 'upcoming', resource_version: moved });
    sandbox.clock.advance(1);
    const updated_at = new Date(at).toISOString();
    expect(await status('upcoming')).toMatchObject({
      auction_state: 'live',
      resource_version: moved + 1,
      updated_at,
    });
    sandbox.clock.advance(61 * minute);
    expect((await status('upcoming')).resource_version).toBe(moved + 1);
  });

  it.each<[string, () => void]>([
    ['of a live auction', () => sandbox.auctions.open('live-open')],
    ['of one that is over', () => sandbox.auctions.open('over')],
    ['of a cancelled one', () => sandbox.auctions.open('cancelled')],
    ['to after its close', () => sandbox.auctions.moveOpen('upcoming', start + 100_000 * minute)],
    ['to no moment', () => sandbox.auctions.moveOpen('upcoming', '2026-03-02T10:00:00')],
  ])('is not moved %s', (_, move) => {
    const before = sandbox.auctions.list();
    expect(move).toThrow(RangeError);
    expect(sandbox.auctions.list()).toEqual(before);
  });
});

describe('a late bid', () => {
  const late = Date.parse('2026-03-01T13:59:00Z');
  const extending: SandboxOptions = { variants: { 'late-bid-extension': 'late-bids-extend' } };

  it.each<[string, SandboxOptions, number, string]>([
    ['leaves the close where it is', {}, late, '19:30:00'],
    ['with the variant moves the close to two minutes after it', extending, late, '19:31:00'],
    ['with the variant moves nothing before that', extending, late - minute - 1_000, '19:30:00'],
  ])('%s, in its receipt and in the news', async (_, options, at, closes) => {
    await begin(options);
    sandbox.clock.advanceTo(at);
    const content = { idempotency_key: randomUUID() };
    const { json } = await offer('live-open', 0, content);
    expect(json.data.effective_close_at).toBe(india(closes));
    const news = closes === '19:30:00' ? [] : [['extended', india('19:30:00'), india(closes)]];
    expect([await announced(), (await event('live-open')).ends_at]).toEqual([news, india(closes)]);
    sandbox.clock.advance(30_000);
    expect((await offer('live-open', 0, content)).json.data.replayed).toBe(true);
    expect(await announced()).toEqual(news);
  });

  it('moves nothing when it is rejected, and counts when a rival makes it', async () => {
    await begin(extending);
    sandbox.clock.advanceTo(late);
    expect((await offer('live-open', -5_000)).status).toBe(422);
    expect(await announced()).toEqual([]);
    sandbox.actors.rival.bidNext(lotOf(sandbox, 'live-open').id);
    expect(await announced()).toHaveLength(1);
  });

  it('opens nothing again when it is judged after the close', async () => {
    await begin(extending);
    sandbox.clock.advanceTo(late);
    sandbox.inject({ operation: 'bids.submit', fault: 'delay', ms: 2 * minute });
    const reply = offer('live-open');
    while (sandbox.attempts().at(-1)?.status !== 'pending') await new Promise(setImmediate);
    sandbox.clock.advance(2 * minute);
    expect([(await reply).status, sandbox.auctions.get('live-open').status]).toEqual([201, 'over']);
    expect(await announced()).toEqual([]);
  });
});
