import type { PlaceOptions } from '../../../src/bids/types.js';
import { lotOf } from '../../sandbox/caller.js';
import { SpyStore } from '../../support/spy-store.js';
import { type Duty, Program } from './duty.js';

/** Programs that bid, and what they leave behind. */

export const MINUTE = 60_000;

/** One attempt, and no time to look it up. */
const BRIEF = { maxAttempts: 1, deadline: 900 } as const;

type Placing = PlaceOptions & {
  readonly amount?: string;
  readonly lot?: number;
};

/** A program places a bid as a direct dealer, and ends. */
export async function place(
  duty: Duty,
  { amount, lot = 0, ...options }: Placing = {},
  client = duty.dealer(),
) {
  const { id, startingPrice } = lotOf(duty.sandbox, 'live-open', lot);
  const placing = client.bids.place({ lot: id, amount: amount ?? startingPrice }, { ...BRIEF, ...options });
  const outcome = await duty.during(placing.catch((error: unknown) => error));
  await duty.look();
  await duty.during(client.close());
  return outcome;
}

/** A fault of every request to bid, until it is withdrawn. */
export const cut = (
  duty: Duty,
  fault: 'drop_before_commit' | 'drop_after_commit',
  operation = 'bids.submit',
) => duty.sandbox.inject({ fault, operation, times: Infinity });

export const mute = (duty: Duty, operation = 'bids.lookup') =>
  duty.sandbox.inject({ fault: 'error_before_commit', operation, status: 503, times: Infinity });

/** A bid in doubt that the service has, or has not. */
export async function inDoubt(
  duty: Duty,
  fault: 'drop_before_commit' | 'drop_after_commit',
  how: Placing = {},
) {
  const withdraw = cut(duty, fault);
  await place(duty, how);
  withdraw();
}

/** A bid that a program has recorded and not sent, and that it holds as long as it runs. */
export async function leftReady(duty: Duty): Promise<Program> {
  const program = new Program();
  const store = new SpyStore([], duty.store(program.process));
  const client = duty.dealer({ store });
  await duty.during(client.integration.profile());
  store.troubles.push('commits unheard', ...Array<'fails'>(9).fill('fails'));
  await place(duty, {}, client);
  return program;
}
