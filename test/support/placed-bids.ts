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

/** What a process that has gone since leaves behind: one bid, placed once and hardly looked up. */
export async function sceneAfter(...steps: readonly Step[]): Promise<Scene> {
  return (await placedBefore(steps)).scene;
}

/** How a bid is placed: in a scene of its own, by a direct dealer, unless said otherwise. */
export interface Placing {
  readonly scene?: Scene | undefined;
  readonly bid?: object;
  readonly options?: PlaceOptions;
  readonly client?: Parameters<Scene['dealer']>[1];
}

/** Places a bid in a client of its own: what it came to or threw, what left, and what is on record of the latest intent. */
export async function placed(steps: readonly Step[], how: Placing = {}) {
  const { scene = new Scene(), bid, options = KEYED } = how;
  const { client, transport } = scene.dealer(steps, how.client);
  const placing = client.bids.place({ ...BID, ...bid }, options);
  return { ...(await ended(scene, placing)), client, transport, lines: transport.lines };
}

/** Reconciles the bid under the known key, in a client of its own. */
export async function reconciled(scene: Scene, steps: readonly Step[], deadline = 90_000) {
  const { client, transport } = scene.dealer(steps);
  const found = await ended(scene, client.intents.reconcile(KEY, { deadline }));
  return { ...found, client, transport, lines: transport.lines };
}

async function ended(scene: Scene, work: Promise<unknown>) {
  const [settled] = await scene.during(Promise.allSettled([work]));
  const outcome: unknown = settled.status === 'fulfilled' ? settled.value : settled.reason;
  const intents = await scene.intents();
  const { state, log, provisional } = intents.at(-1) ?? {};
  return { scene, outcome, status: statusOf(outcome), state, log, provisional, intents };
}

function statusOf(outcome: unknown): unknown {
  return typeof outcome === 'object' && outcome !== null ? Reflect.get(outcome, 'status') : undefined;
}

/** How often a request of this line left. */
export function count(lines: readonly string[], line: string): number {
  return lines.filter((one) => one === line).length;
}
