import type { Choices } from '../world/choices.js';

/** A bid that the application means to place. */
export interface PlannedBid {
  /** `client_bid_time`: unique, so that the books tell whose bid it is. */
  readonly tag: string;
  /** Absent where the SDK makes it. */
  readonly key: string | undefined;
  readonly lot: string;
  readonly buyer: string;
  readonly amount: string;
  /** Ms from now on; two minutes where the SDK decides. */
  readonly placeWithinMs: number | undefined;
  readonly overInDoubt: boolean;
  /** Somebody else has used its key before: for the same bid, or for another. */
  readonly usedBefore: 'same' | 'other' | undefined;
}

export interface PlannedCommand {
  readonly what: 'report' | 'acknowledge';
  readonly tag: string;
  readonly key: string;
}

/** What the application of a run sets out to do. */
export interface Plan {
  readonly lots: readonly {
    readonly id: string;
    readonly type: 'open' | 'closed';
    readonly closesInMs: number;
  }[];
  readonly bids: readonly PlannedBid[];
  readonly commands: readonly PlannedCommand[];
  readonly limits: { readonly timeout: number; readonly deadline: number; readonly maxAttempts: number };
}

export const OPENING = 100_000;
export const INCREMENT = 5_000;

/** Draws up a plan. `keyless`: the SDK may make keys, which takes a single process. */
export function planned(choices: Choices, start: number, keyless: boolean): Plan {
  const pick = <T>(label: string, options: readonly [T, ...T[]]): T =>
    options[choices.choose(label, options.length)] ?? options[0];
  const closesInMs = () => pick('close', [3_600_000, 600_000, 60_000, 150_000] as const);
  const bids: PlannedBid[] = [];
  for (let index = 0, count = 1 + choices.choose('bids', 3); index < count; index += 1) {
    const steps = pick('amount', [index, index, index + 1, 0] as const);
    const off = choices.choose('off the grid', 12) === 11 ? 1 : 0;
    const isKeyless = keyless && choices.choose('keyless', 4) === 3;
    bids.push({
      tag: new Date(start - 60_000 * (index + 1)).toISOString(),
      key: isKeyless ? undefined : keyOf(1, index),
      lot: pick('lot', ['lot_open', 'lot_closed'] as const),
      buyer: pick('buyer', ['buyer_1', 'buyer_2'] as const),
      amount: String(OPENING + steps * INCREMENT + off),
      placeWithinMs: pick('place by', [undefined, 30_000, 600_000, undefined] as const),
      overInDoubt: choices.choose('over doubt', 8) === 7,
      usedBefore: isKeyless ? undefined : pick('used before', [...none, 'same', 'other'] as const),
    });
  }
  const commands: PlannedCommand[] = [];
  for (let index = 0, count = choices.choose('commands', 3); index < count; index += 1) {
    const what = pick('command', ['report', 'acknowledge'] as const);
    const tag = what === 'report' ? `reference_${index}` : `sale_${index}`;
    commands.push({ what, tag, key: keyOf(2, index) });
  }
  return {
    lots: [
      { id: 'lot_open', type: 'open', closesInMs: closesInMs() },
      { id: 'lot_closed', type: 'closed', closesInMs: closesInMs() },
    ],
    bids,
    commands,
    limits: {
      timeout: pick('timeout', [15_000, 3_000, 40_000] as const),
      deadline: pick('deadline', [90_000, 20_000, 500_000] as const),
      maxAttempts: pick('attempts', [3, 1, 5] as const),
    },
  };
}

const none = new Array<undefined>(14).fill(undefined) as [undefined, ...undefined[]];

function keyOf(kind: number, index: number): string {
  return `00000000-0000-4000-8000-${String(kind * 1000 + index).padStart(12, '0')}`;
}
