import { describe, expect, it } from 'vitest';
import { PartnerClient } from '../../src/client/partner-client.js';
import { type ResponseInfo, responseOf } from '../../src/core/reply/reply.js';
import type { Transport, TransportReply, TransportRequest } from '../../src/core/transport/transport.js';
import type { Clock } from '../../src/ports/clock.js';
import { accepted, countingRandomness, credentials } from '../support/clients.js';
import { numbersFrom } from '../support/random.js';
import { once } from '../support/scripted-transport.js';
import { thoroughly } from '../support/thorough.js';
import { settle, VirtualClock } from '../support/virtual-clock.js';

const MINUTE = 60_000;

/** A request as the service saw it leave and arrive, in its own time. */
interface Seen {
  readonly leftAt: number;
  readonly isBid: boolean;
  /** How far the client may be wrong by its own account, ms. */
  readonly uncertainty: number;
  readonly refused: boolean;
}

/** A machine whose wall clock is wrong and can be set, that can freeze, and a service that is some way off. */
class World implements Clock, Transport {
  /** Time as the service has it. */
  readonly #true = new VirtualClock();
  #wrongMs: number;
  /** How long this machine slept: its monotonic clock stood still, and its wall clock did not. */
  #sleptMs = 0;
  readonly seen: Seen[] = [];
  wayMs = 40;
  /** What a proxy on the way writes into `Date`. */
  date: string | undefined;
  client: PartnerClient<'direct_dealer'>;

  /** @param aheadMs how far the service is ahead of this machine */
  constructor(aheadMs: number, quota = { limit: Number.POSITIVE_INFINITY, margin: 0 }) {
    this.#wrongMs = -aheadMs;
    this.client = new PartnerClient({
      baseUrl: 'https://bank.example/api/v1',
      environment: 'sandbox',
      credentials,
      partnerType: 'direct_dealer',
      dealerId: 'D-204',
      transport: this,
      clock: this,
      randomness: countingRandomness(),
      logLevel: 'off',
      quota,
    });
  }

  /** Time of the service, Unix ms. */
  get time(): number {
    return this.#true.now() + this.#sleptMs;
  }

  now(): number {
    return this.time + this.#wrongMs;
  }

  monotonic(): number {
    return this.#true.monotonic();
  }

  after(ms: number, fire: () => void): () => void {
    return this.#true.after(ms, fire);
  }

  setWall(byMs: number): void {
    this.#wrongMs += byMs;
  }

  freeze(ms: number): void {
    this.#sleptMs += ms;
  }

  pass(ms: number): Promise<void> {
    return this.#true.advance(ms);
  }

  /** Lets time pass until a call has ended. */
  async until<T>(call: Promise<T>): Promise<T> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    call.then(end, end);
    await settle();
    while (!isOver) await this.pass(this.#true.idleMs ?? 20);
    return call;
  }

  async send(request: TransportRequest): Promise<TransportReply> {
    const { uncertainty = Number.POSITIVE_INFINITY } = this.client.clock.offset() ?? {};
    const leftAt = this.time;
    const isBid = request.method === 'POST';
    await new Promise<void>((resolve) => this.after(this.wayMs, resolve));
    const offMs = Math.abs(Number(request.headers['X-Timestamp']) * 1_000 - this.time);
    const refused = offMs > 300_000;
    this.seen.push({ leftAt, isBid, uncertainty, refused });
    const reply = this.#answer(isBid, refused);
    await new Promise<void>((resolve) => this.after(this.wayMs, resolve));
    return reply;
  }

  async close(): Promise<void> {}

  #answer(isBid: boolean, refused: boolean): TransportReply {
    const server_time = new Date(this.time).toISOString();
    const why = { success: false, code: 'TIMESTAMP_EXPIRED', message: 'Expired.', data: null, errors: [] };
    const read = { data: { client_id: credentials.clientId, environment: 'sandbox' }, server_time };
    const bid = { ...accepted(), timestamp: server_time };
    const json = refused ? { ...why, server_time } : isBid ? bid : read;
    return {
      status: refused ? 401 : isBid ? 201 : 200,
      headers: this.date === undefined ? {} : { date: this.date },
      body: once(JSON.stringify(json)),
      discard: () => undefined,
    };
  }
}

function profiles(world: World, count: number): Promise<ResponseInfo[]> {
  const calls = Array.from({ length: count }, () => world.client.integration.profile());
  return world.until(Promise.all(calls.map(async (call) => responseOf(await call))));
}

function mostAttempts(infos: readonly ResponseInfo[]): number {
  return Math.max(...infos.map(({ attempts }) => attempts));
}

/** By how much bids left after the time until which they may be sent, beyond what was uncertain; 0 where none did. */
function lateness(world: World, placeBy: number): number {
  const late = world.seen.filter(({ isBid }) => isBid).map((one) => one.leftAt - placeBy - one.uncertainty);
  return Math.max(0, ...late);
}

describe('fifty calls at once, of a machine whose clock is wrong', () => {
  it.each([
    ['ten minutes behind', 10 * MINUTE],
    ['ten minutes ahead', -10 * MINUTE],
    ['five minutes and a second behind', 301_000],
    ['two hundred seconds behind', 200_000],
  ])('fail for time once at most where it is %s, and never again after that', async (_, aheadMs) => {
    const world = new World(aheadMs);
    expect(mostAttempts(await profiles(world, 50))).toBe(Math.abs(aheadMs) > 300_000 ? 2 : 1);
    expect(mostAttempts(await profiles(world, 50))).toBe(1);
    const { ms = 0, uncertainty = 0 } = world.client.clock.offset() ?? {};
    expect(Math.abs(ms - aheadMs)).toBeLessThanOrEqual(uncertainty);
  });

  it.each<[string, aheadMs: number, (world: World) => void]>([
    ['its clock is set ahead', 0, (world) => world.setWall(10 * MINUTE)],
    ['its clock is set back', 0, (world) => world.setWall(-10 * MINUTE)],
    ['the process was frozen for an hour', 10 * MINUTE, (world) => world.freeze(60 * MINUTE)],
  ])('fail for time once at most where %s while they are on the way', async (_, aheadMs, trouble) => {
    const world = new World(aheadMs);
    await profiles(world, 1);
    const flight = profiles(world, 50);
    await world.pass(world.wayMs / 2);
    trouble(world);
    expect(mostAttempts(await flight)).toBeLessThanOrEqual(2);
    expect(mostAttempts(await profiles(world, 50))).toBeLessThanOrEqual(2);
    expect(mostAttempts(await profiles(world, 50))).toBe(1);
  });

  it('are not misled by a `Date` header that is an hour off, which a proxy wrote', async () => {
    const world = new World(10 * MINUTE);
    world.date = new Date(world.time - 60 * MINUTE).toUTCString();
    expect(mostAttempts(await profiles(world, 50))).toBe(2);
    expect(mostAttempts(await profiles(world, 50))).toBe(1);
  });
});

describe('a bid that waits for the quota', () => {
  const oneAMinute = { limit: 1, margin: 0 };

  it.each([200_000, -200_000, 10 * MINUTE, -10 * MINUTE])(
    'does not leave after its placeBy as the service has it, where the service is %i ms ahead',
    async (aheadMs) => {
      const world = new World(aheadMs, oneAMinute);
      await profiles(world, 1);
      const placeBy = world.time + 20_000;
      const outcome = await world.until(
        world.client.bids.place({ lot: 'lot_1', amount: '465000', placeBy }, { deadline: 10 * MINUTE }),
      );
      expect(outcome).toMatchObject({ status: 'not_sent' });
      expect(world.seen.filter(({ isBid }) => isBid)).toEqual([]);
    },
  );

  it('leaves before its placeBy as the service has it, where the clock of the machine says that it is over', async () => {
    const world = new World(-10 * MINUTE);
    await profiles(world, 1);
    const placeBy = world.time + 20_000;
    const outcome = await world.until(world.client.bids.place({ lot: 'lot_1', amount: '465000', placeBy }));
    expect(outcome).toMatchObject({ status: 'accepted' });
    expect(lateness(world, placeBy)).toBe(0);
  });
});

it('no call fails for time twice and no bid leaves late, wherever in a call the clock is set or the process freezes', async () => {
  for (let seed = 1; seed <= thoroughly(8, 40); seed += 1) {
    const next = numbersFrom(seed);
    const random = (below: number) => Math.floor(next() * below);
    const world = new World(random(20 * MINUTE) - 10 * MINUTE);
    world.wayMs = 5 + random(400);
    for (let round = 0; round < 6; round += 1) {
      // One step of the clocks at a time: a call that meets two of them can fail for time twice.
      await profiles(world, 1);
      const placeBy = world.time + random(2_000);
      const lot = `lot_${seed}_${round}`;
      const before = world.seen.length;
      const work = Promise.all([
        profiles(world, 1 + random(5)),
        world.client.bids.place({ lot, amount: '465000', placeBy }, { deadline: 5 * MINUTE }),
      ]);
      await world.pass(random(800));
      if (random(3) === 0) world.setWall(random(20 * MINUTE) - 10 * MINUTE);
      if (random(4) === 0) world.freeze(random(20 * MINUTE));
      const [infos] = await world.until(work);
      expect({ seed, round, attempts: mostAttempts(infos) <= 2 }).toEqual({ seed, round, attempts: true });
      const sent = world.seen.slice(before).filter(({ isBid }) => isBid);
      expect(sent.filter(({ refused }) => refused).length).toBeLessThanOrEqual(1);
      for (const one of sent) expect(one.leftAt - placeBy).toBeLessThanOrEqual(one.uncertainty);
    }
  }
});
