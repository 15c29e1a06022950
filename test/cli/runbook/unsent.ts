import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { UnsentReason } from '../../../src/bids/types.js';
import type { PartnerClientOptions } from '../../../src/client/options.js';
import { TransportFailure } from '../../../src/core/transport/transport.js';
import { lotOf } from '../../sandbox/caller.js';
import { SpyStore } from '../../support/spy-store.js';
import { Duty } from './duty.js';
import { MINUTE } from './place.js';

/** Why a bid was not sent, and how the same bid is sent. */

interface Unsent {
  /** Options of the program, and what it does before the batch. */
  readonly program: (duty: Duty) => {
    readonly options?: Partial<PartnerClientOptions<'direct_dealer'>>;
    readonly before?: (client: ReturnType<Duty['dealer']>) => Promise<unknown>;
    readonly place?: { readonly signal?: AbortSignal; readonly placeBy?: number };
  };
  /** What the one on duty types before the same command again. */
  readonly remedy?: readonly string[];
  /** The same command is refused before that, and names it. */
  readonly advice?: string;
}

const QUOTA_OF_TWO = { quota: { limit: 2, reserve: 0 } } as const;

/** Absent where no store can show it: the reason is derived when the outcome is read. */
export const unsent: Readonly<Record<UnsentReason, Unsent | undefined>> = {
  network: {
    program: (duty) => ({
      options: {
        transport: {
          send: (request) =>
            request.method === 'POST'
              ? Promise.reject(new TransportFailure('no', new Error('connect ECONNREFUSED')))
              : duty.transport.send(request),
          close: async () => undefined,
        },
      },
    }),
  },
  deadline: {
    program: (duty) => ({
      options: QUOTA_OF_TWO,
      before: (client) => used(client),
      place: { placeBy: duty.clock.now() + 10_000 },
    }),
  },
  closed: undefined,
  aborted: {
    program: (duty) => {
      const stop = new AbortController();
      return {
        options: QUOTA_OF_TWO,
        before: async (client) => {
          await used(client);
          duty.clock.after(5_000, () => stop.abort());
        },
        place: { signal: stop.signal },
      };
    },
  },
  halted: {
    program: () => ({ before: (client) => client.bids.halt('prices look wrong') }),
    remedy: ['resume', '--yes'],
    advice: '`resume`',
  },
  risk_limit: { program: () => ({ options: { riskLimits: { perBid: '1000' } } }) },
  // As a bid that its process has left `ready`.
  interrupted: undefined,
  failure: {
    program: (duty) => {
      const store = new SpyStore([], duty.store());
      return {
        options: { store },
        before: async (client) => {
          await client.integration.profile();
          store.troubles.push(undefined, 'fails');
        },
      };
    },
  },
};

async function used(client: ReturnType<Duty['dealer']>): Promise<void> {
  await client.integration.profile();
  await client.integration.profile();
}

/** A program places a bid that does not leave; the one on duty types it again, under its key. @returns what the store has shown */
export async function placedAgain({ program, remedy, advice }: Unsent): Promise<ReadonlySet<string>> {
  await using duty = await Duty.begin();
  const { id, startingPrice } = lotOf(duty.sandbox, 'live-open');
  const idempotencyKey = randomUUID();
  const { options, before, place = {} } = program(duty);
  const client = duty.dealer(options);
  await duty.during(Promise.resolve(before?.(client)));
  const { placeBy, ...stops } = place;
  const bid = { lot: id, amount: startingPrice, placeBy };
  const placing = client.bids.place(bid, { idempotencyKey, ...stops });
  await duty.during(placing.catch(() => undefined));
  await duty.look();
  await duty.during(client.close());
  expect(duty.sandbox.ledger()).toEqual([]);

  const again = ['bid', id, startingPrice, '--key', idempotencyKey, '--yes'];
  duty.sandbox.clock.advance(MINUTE);
  if (remedy !== undefined) {
    const { code, json } = await duty.types('dealer', ...again);
    expect([code, json]).toEqual([
      1,
      [expect.objectContaining({ nextStep: expect.stringContaining(advice ?? '') })],
    ]);
    expect(duty.sandbox.ledger()).toEqual([]);
    expect((await duty.types('dealer', ...remedy)).code).toBe(0);
  }
  for (const _ of ['sent', 'sent before']) {
    const { code, json } = await duty.types('dealer', ...again);
    expect([code, json]).toEqual([0, [expect.objectContaining({ status: 'accepted', idempotencyKey })]]);
  }
  expect(duty.sandbox.ledger()).toHaveLength(1);
  return duty.seen;
}
