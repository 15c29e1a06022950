import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PartnerClient } from '../../src/client/partner-client.js';
import { fetchTransport } from '../../src/core/transport/fetch.js';
import type { Clock } from '../../src/ports/clock.js';
import { type FaultPlan, type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { KEY } from '../support/clients.js';
import { MortalClock } from '../support/mortal-clock.js';
import { KEYED } from '../support/placed-bids.js';
import { SpyStore } from '../support/spy-store.js';
import { settle } from '../support/virtual-clock.js';

/** Whole bids against the sandbox, in its time: what is reported must be what the sandbox's ledger holds. */

let sandbox: Sandbox;
let store: SpyStore;
let auction: PartnerClient<'direct_dealer'>;
let lot: { id: string; startingPrice: string };

/** A client in a process of its own, on the same store. */
function dealer(clock: Clock = sandbox.clock): PartnerClient<'direct_dealer'> {
  return new PartnerClient({
    baseUrl: sandbox.baseUrl,
    environment: 'sandbox',
    credentials: sandbox.credentials.dealer,
    partnerType: 'direct_dealer',
    dealerId: 'D-204',
    clock,
    transport: fetchTransport((input, init) => sandbox.fetch(input, init)),
    randomness: { uuid: randomUUID, nonce: randomUUID, fraction: () => 0 },
    quota: { scope: 'client', limit: Number.POSITIVE_INFINITY },
    store,
    logLevel: 'off',
  });
}

beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', rateLimit: false, listen: false });
  store = new SpyStore();
  auction = dealer();
  const [first] = sandbox.auctions.get('live-open').lots;
  if (first === undefined) throw new Error('no lot');
  lot = first;
});

afterEach(async () => {
  await auction.close();
  await sandbox.close();
});

/** Lets sandbox time pass until a promise has settled. */
async function during<T>(promise: Promise<T>, stepMs = 1_000): Promise<T> {
  let isSettled = false;
  const note = () => {
    isSettled = true;
  };
  promise.then(note, note);
  await settle();
  for (let step = 0; !isSettled && step < 200; step += 1) {
    sandbox.clock.advance(stepMs);
    await settle();
  }
  return promise;
}

const place = (options: object = {}, over: object = {}) =>
  auction.bids.place({ lot: lot.id, amount: lot.startingPrice, ...over }, { ...KEYED, ...options });

const sent = () => sandbox.attempts().map(({ operation }) => operation);

const accepted = () => sandbox.ledger().filter(({ operation }) => operation === 'bids.submit').length;

const faults: readonly (readonly [FaultPlan, string])[] = [
  [{ fault: 'drop_before_commit' }, 'accepted'],
  [{ fault: 'drop_after_commit' }, 'accepted'],
  [{ fault: 'drop_after_commit', times: 3 }, 'accepted'],
  [{ fault: 'drop_before_commit', times: 3 }, 'unknown'],
  [{ fault: 'error_before_commit' }, 'accepted'],
  [{ fault: 'error_after_commit', status: 503, shape: 'empty', times: 3 }, 'accepted'],
  [{ fault: 'delay_after_commit', ms: 20_000 }, 'accepted'],
  [{ fault: 'processing', ms: 5_000, times: 3 }, 'accepted'],
  [{ fault: 'late_copy', ms: 30_000 }, 'accepted'],
  [{ fault: 'rate_limit', retryAfter: 2 }, 'accepted'],
  [{ fault: 'rate_limit', retryAfter: 2, commit: true }, 'accepted'],
  [{ fault: 'garbage', content: 'half_json', commit: true }, 'accepted'],
  [{ fault: 'garbage', content: 'html', status: 403, commit: true }, 'accepted'],
  [{ fault: 'truncate' }, 'accepted'],
  [{ fault: 'slow', stallAfter: 30 }, 'accepted'],
  [{ fault: 'redirect', commit: true }, 'accepted'],
  [{ fault: 'refuse', code: 'SCOPE_DENIED' }, 'refused'],
  [{ fault: 'refuse', status: 403 }, 'refused'],
  [{ fault: 'refuse', status: 404, commit: true }, 'accepted'],
  [{ fault: 'refuse', fields: { amount: ['It is odd.'] } }, 'refused'],
  [{ fault: 'refuse', code: 'LOT_NOT_LIVE' }, 'rejected'],
  [{ fault: 'refuse', code: 'NONCE_REPLAYED' }, 'accepted'],
];

describe('a bid that meets a fault', () => {
  it.each(faults.map(([plan, status]) => [JSON.stringify(plan), status, plan] as const))(
    '%s is reported as %s, and that stays true',
    async (_, status, plan) => {
      sandbox.inject({ operation: 'bids.submit', ...plan });
      const outcome = await during(place());
      expect(outcome.status).toBe(status);
      // Whatever copy is still on its way arrives meanwhile.
      for (let minute = 0; minute < 12; minute += 1) {
        sandbox.clock.advance(60_000);
        await settle();
      }
      expect(accepted()).toBe(status === 'accepted' ? 1 : 0);
      const bodies = sandbox.attempts().filter(({ operation }) => operation === 'bids.submit');
      expect(new Set(bodies.map(({ bodySha256 }) => bodySha256)).size).toBe(1);
      const [row] = await store.rows('sandbox');
      expect(row?.state).toBe(status === 'unknown' ? 'sent' : status);
      const later = await during(auction.intents.reconcile(KEY));
      // Two absences after every copy has expired settle what was unknown.
      expect(later.status).toBe(status === 'unknown' ? 'refused' : status);
    },
  );
});

describe('a process that dies', () => {
  it('after the service has accepted its bid leaves a record that recover() settles by a lookup', async () => {
    sandbox.inject({ operation: 'bids.submit', fault: 'slow', stallAfter: 10 });
    const clock = new MortalClock(sandbox.clock);
    void dealer(clock).bids.place({ lot: lot.id, amount: lot.startingPrice }, KEYED);
    await settle();
    expect(accepted()).toBe(1);
    clock.die();
    const next = dealer();
    expect(await during(next.recover())).toMatchObject([{ status: 'accepted', idempotencyKey: KEY }]);
    expect(accepted()).toBe(1);
    await next.close();
  });

  it('and is restarted with an empty store finds its bid accepted when it places it again', async () => {
    await during(place());
    await auction.close();
    store = new SpyStore();
    auction = dealer();
    expect(await during(place())).toMatchObject({ status: 'accepted', replayed: true });
    expect(accepted()).toBe(1);
  });
});

describe('what the service judges', () => {
  it('as a rejection is reported with every code, and recorded', async () => {
    const outcome = await during(place({}, { amount: '1.01' }));
    expect(outcome.status).toBe('rejected');
    expect(outcome.codes).toContain('BID_OFF_OPENING_GRID');
    expect(accepted()).toBe(0);
    expect(await during(place({}, { amount: '1.01' }))).toEqual(outcome);
    expect(sent()).toEqual(['A01', 'bids.submit']);
  });

  it('accepts the amount that quote calculated', async () => {
    const auctionId = sandbox.auctions.get('live-open').id;
    const quote = await during(auction.bids.quote({ lot: lot.id, event: auctionId }));
    const outcome = await during(place({}, { amount: quote.minimum }));
    expect(outcome.status).toBe('accepted');
    const next = await during(auction.bids.quote({ lot: lot.id, event: auctionId }));
    expect(Number(next.minimum)).toBeGreaterThan(Number(quote.minimum));
  });
});
