import type { Choices } from '../world/choices.js';

/** A bid that the application wants to place. */
export interface PlannedBid {
  /** `client_bid_time`: unique, so that the service's ledger tells whose bid it is. */
  readonly tag: string;
  /** Absent where the SDK makes it. */
  readonly key: string | undefined;
  readonly lot: string;
  readonly buyer: string;
  readonly amount: string;
  /** Ms from now on; two minutes where the SDK decides. */
  readonly placeWithinMs: number | undefined;
  readonly allowUnresolved: boolean;
  readonly confirm: boolean;
  /** `submit`: one call that throws; `once`: placed by a function of `runOnce`, which makes the key. */
  readonly by: 'place' | 'submit' | 'once';
  /** Another program has used its key before: for the same bid, or for another. */
  readonly usedBefore: 'same' | 'other' | undefined;
}

export interface PlannedCommand {
  readonly what: 'report' | 'acknowledge';
  readonly tag: string;
  /** Absent where `runOnce` makes it. */
  readonly key: string | undefined;
}

/** A row of the batch that the first process places. Its key is derived from the batch and its row id. */
export interface PlannedRow {
  readonly rowId: string;
  readonly tag: string;
  readonly lot: string;
  readonly buyer: string;
  readonly amount: string;
}

/** What may be at stake, as INR decimal strings. */
export interface PlannedLimits {
  readonly perBid?: string;
  readonly perBuyer?: string;
  readonly perLot?: string;
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
  /** Empty in most runs. */
  readonly batch: readonly PlannedRow[];
  readonly limits: { readonly timeout: number; readonly deadline: number; readonly maxAttempts?: number };
  /** Requests per minute that the client keeps to. */
  readonly quota: number;
  readonly riskLimits: PlannedLimits;
}

export const OPENING = 100_000;
/** After the end of any run, ms. */
const LONG_MS = 14_400_000;
export const INCREMENT = 5_000;

/** What a plan is drawn up for. */
export interface Occasion {
  /** Unix ms. */
  readonly start: number;
  /** The SDK may make keys, which takes a single process. */
  readonly keyless: boolean;
  readonly batch: boolean | undefined;
  readonly passing: boolean;
}

/** Draws up a plan. */
export function planned(choices: Choices, { start, keyless, batch, passing }: Occasion): Plan {
  const pick = <T>(label: string, options: readonly [T, ...T[]]): T =>
    options[choices.choose(label, options.length)] ?? options[0];
  const closes = passing ? ([LONG_MS] as const) : ([3_600_000, 600_000, 60_000, 150_000] as const);
  const closesInMs = () => pick('close', closes);
  const bids: PlannedBid[] = [];
  for (let index = 0, count = 1 + choices.choose('bids', 3); index < count; index += 1) {
    const steps = pick('amount', [index, index, index + 1, 0] as const);
    const off = choices.choose('off the grid', 12) === 11 ? 1 : 0;
    const isKeyless = keyless && choices.choose('keyless', 4) === 3;
    const by = isKeyless ? 'place' : pick('by', ways);
    const isGiven = by !== 'once' && !isKeyless;
    bids.push({
      tag: new Date(start - 60_000 * (index + 1)).toISOString(),
      key: isGiven ? keyOf(1, index) : undefined,
      lot: pick('lot', ['lot_open', 'lot_closed'] as const),
      buyer: pick('buyer', ['buyer_1', 'buyer_2'] as const),
      amount: String(OPENING + steps * INCREMENT + off),
      placeWithinMs: pick('place by', [undefined, 30_000, 600_000, undefined] as const),
      allowUnresolved: choices.choose('allow unresolved', 8) === 7,
      confirm: by !== 'submit' && choices.choose('confirm', 5) === 4,
      by,
      usedBefore: isGiven && !passing ? pick('used before', [...none, 'same', 'other'] as const) : undefined,
    });
  }
  const commands: PlannedCommand[] = [];
  for (let index = 0, count = choices.choose('commands', 3); index < count; index += 1) {
    const what = pick('command', ['report', 'acknowledge'] as const);
    const tag = what === 'report' ? `reference_${index}` : `sale_${index}`;
    const isOnce = choices.choose('once', 2) === 1;
    commands.push({ what, tag, key: isOnce ? undefined : keyOf(2, index) });
  }
  const limit = (label: string, steps: number) =>
    choices.choose(label, 6) === 5 && !passing ? String(OPENING + steps * INCREMENT) : undefined;
  const perBid = limit('limit per bid', 1);
  const perBuyer = limit('limit per buyer', 4);
  const perLot = limit('limit per lot', 2);
  const rows = (batch ?? choices.choose('batch', 6) === 5) ? 3 + choices.choose('rows', 10) : 0;
  const placed = Array.from({ length: rows }, (_, index) => ({
    rowId: `row-${index}`,
    tag: new Date(start - 60_000 * (100 + index)).toISOString(),
    lot: `lot_row_${index}`,
    buyer: `buyer_row_${index}`,
    amount: String(OPENING),
  }));
  const maxAttempts = passing ? undefined : pick('attempts', [3, 1, 5, undefined] as const);
  return {
    lots: [
      { id: 'lot_open', type: 'open', closesInMs: closesInMs() },
      { id: 'lot_closed', type: 'closed', closesInMs: closesInMs() },
      ...placed.map(({ lot }) => ({ id: lot, type: 'open', closesInMs: LONG_MS }) as const),
    ],
    bids,
    commands,
    batch: placed,
    limits: {
      timeout: passing ? 3_000 : pick('timeout', [15_000, 3_000, 40_000] as const),
      deadline: passing ? 90_000 : pick('deadline', [90_000, 20_000, 500_000] as const),
      ...(maxAttempts !== undefined && { maxAttempts }),
    },
    quota: passing ? pick('quota', [12, 6, 120] as const) : Number.POSITIVE_INFINITY,
    riskLimits: {
      ...(perBid !== undefined && { perBid }),
      ...(perBuyer !== undefined && { perBuyer }),
      ...(perLot !== undefined && { perLot }),
    },
  };
}

const ways = ['place', 'place', 'place', 'place', 'submit', 'once'] as const;

const none = new Array<undefined>(14).fill(undefined) as [undefined, ...undefined[]];

function keyOf(kind: number, index: number): string {
  return `abcdef00-0000-4000-8000-${String(kind * 1000 + index).padStart(12, '0')}`;
}
