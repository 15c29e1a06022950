import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { UnsentReason } from '../../../src/bids/types.js';
import type { ClientOptions, PartnerClientOptions } from '../../../src/client/options.js';
import { TransportFailure } from '../../../src/core/transport/transport.js';
import type { Store } from '../../../src/store/store.js';
import { lotOf } from '../../sandbox/caller.js';
import { SpyStore } from '../../support/spy-store.js';
import { Duty } from './duty.js';
import { MINUTE } from './place.js';

/** Why the row of a batch was not sent, and how the same command sends it. */

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

const QUOTA_OF_TWO: Partial<ClientOptions> = { quota: { limit: 2, reserve: 0 } } as Partial<ClientOptions>;

function failing(store: Store): SpyStore {
  return new SpyStore([], store);
}

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
      const store = failing(duty.store());
      return {
        options: { store },
        before: async (client) => {
          await client.integration.profile();
          store.troubles.push(undefined, undefined, 'fails');
        },
      };
    },
  },
};

async function used(client: ReturnType<Duty['dealer']>): Promise<void> {
  await client.integration.profile();
  await client.integration.profile();
}

/** A program places a batch of one row, of which nothing leaves; the one on duty runs it again. @returns what the store has shown */
export async function placedAgain({ program, remedy, advice }: Unsent): Promise<ReadonlySet<string>> {
  await using duty = await Duty.begin();
  const { id, startingPrice } = lotOf(duty.sandbox, 'live-open');
  const { options, before, place = {} } = program(duty);
  const client = duty.dealer(options);
  await duty.during(Promise.resolve(before?.(client)));
  const { placeBy, ...stops } = place;
  const row = { rowId: 'row-1', lot: id, amount: startingPrice, ...(placeBy !== undefined && { placeBy }) };
  const run = client.bids.placeAll([row], { batchId: 'evening', ...stops });
  const placing = (async () => {
    for await (const _ of run);
    return run.summary;
  })();
  await duty.during(placing.catch(() => undefined));
  await duty.look();
  expect(duty.sandbox.ledger()).toEqual([]);
  await duty.during(client.close());

  const file = join(duty.folder, 'bids.csv');
  writeFileSync(file, `row_id,lot_id,amount\nrow-1,${id},${startingPrice}\n`);
  const again = ['bids', 'place', file, '--batch-id', 'evening'];
  duty.sandbox.clock.advance(MINUTE);
  if (remedy !== undefined) {
    expect(await duty.types('dealer', ...again, '--plan')).toMatchObject({
      code: 0,
      json: [{ heldBack: [expect.objectContaining({ rowId: 'row-1' })] }],
    });
    const refused = await duty.types('dealer', ...again, '--yes');
    expect([refused.code, JSON.stringify(refused.json)]).toEqual([1, expect.stringContaining(advice ?? '')]);
    expect(duty.sandbox.ledger()).toEqual([]);
    expect((await duty.types('dealer', ...remedy)).code).toBe(0);
  }
  const placed = await duty.types('dealer', ...again, '--yes');
  expect([placed.code, placed.json[0]]).toEqual([0, expect.objectContaining({ status: 'accepted' })]);
  expect((await duty.types('dealer', ...again, '--yes')).code).toBe(0);
  expect(duty.sandbox.ledger()).toHaveLength(1);
  return duty.seen;
}
