import type { BidOutcome, PlaceOptions } from '../../src/bids/types.js';
import { LOT, refusal } from './bid-replies.js';
import { Scene } from './bidders.js';
import { KEY } from './clients.js';
import type { Step } from './scripted-transport.js';

/** A bid as a direct dealer places it, under a key that is known. */
export const BID = { lot: LOT, amount: '465000' } as const;
export const KEYED = { idempotencyKey: KEY } as const;
/** One attempt, and no time to look it up. */
export const BRIEF = { ...KEYED, maxAttempts: 1, deadline: 500 } as const;

export const SENT = `POST /lots/${LOT}/bids`;
export const ASKED = `GET /bid-requests/${KEY}`;
export const LOT_READ = `GET /lots/${LOT}/status`;

/** The connection breaks after the request has left. */
export const LOST: Step = { fail: 'maybe' };
/** No connection is made. */
export const UNCONNECTED: Step = { fail: 'no' };

/** Lookups that bring no answer. */
export function mute(count: number): Step[] {
  return Array<Step>(count).fill(refusal(403, 'SCOPE_DENIED'));
}

/** A bid that was placed in a process that has gone since, and what became of it. */
export async function placedBefore(
  steps: readonly Step[],
  options: PlaceOptions = BRIEF,
): Promise<{ readonly scene: Scene; readonly outcome: BidOutcome; readonly lines: readonly string[] }> {
  const scene = new Scene();
  const { client, transport } = scene.dealer(steps);
  const outcome = await scene.during(client.bids.place(BID, options));
  scene.events.length = 0;
  return { scene, outcome, lines: transport.lines };
}
