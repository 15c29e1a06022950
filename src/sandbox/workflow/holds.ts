import type { World } from '../world.js';
import { conflict } from './commands.js';
import type { Sale } from './entities.js';
import { isDelivered } from './release-moves.js';

/** What a hold may keep from happening. */
export type Held =
  | 'release'
  | 'collection'
  | 'allocation'
  | 'payment_report'
  | 'refund'
  | 'cancellation'
  | 'transfer';

/** A sale that is disputed, or whose cancellation waits for the bank, stands still in part: 409 for what is frozen. */
export function mustNotBeHeld(world: World, sale: Sale, action: Held): void {
  const why = holdOf(world, sale, action);
  if (why !== undefined) throw conflict(`${words[action]} is frozen: ${why}.`);
}

export function isHeld(world: World, sale: Sale, action: Held): boolean {
  return holdOf(world, sale, action) !== undefined;
}

/** The request to cancel a sale that waits for the bank. */
export function pendingCancellation({ cases }: World, sale: Sale) {
  return [...cases.saleCancellations.values()].find((each) => each.sale === sale && each.state === 'pending');
}

/** What keeps an action from happening, in words. A delivered sale can't be cancelled: asking for that holds nothing. */
function holdOf(world: World, sale: Sale, action: Held): string | undefined {
  const { variants } = world.settings;
  if (disputeFreezes[variants['dispute-freezes']].includes(action)) {
    const dispute = openDispute(world, sale);
    if (dispute !== undefined) return `dispute ${dispute.id} is open`;
  }
  if (cancellationFreezes[variants['sale-cancellation-holds']].includes(action)) {
    const cancellation = pendingCancellation(world, sale);
    if (cancellation !== undefined && !isDelivered(world.cases, sale))
      return `cancellation request ${cancellation.id} waits for its decision`;
  }
  return undefined;
}

function openDispute({ cases }: World, sale: Sale) {
  return [...cases.disputes.values()].find((each) => each.sale === sale && each.state === 'open');
}

const all: readonly Held[] = [
  'release',
  'collection',
  'allocation',
  'payment_report',
  'refund',
  'cancellation',
  'transfer',
];

/** By the choices of `dispute-freezes`. */
const disputeFreezes: {
  readonly [Choice in 'release-and-refund' | 'everything' | 'nothing']: readonly Held[];
} = {
  'release-and-refund': ['release', 'collection', 'refund'],
  everything: all,
  nothing: [],
};

/** By the choices of `sale-cancellation-holds`. What is asked back while it is pending has its own decision. */
const cancellationFreezes: {
  readonly [Choice in 'release-and-money' | 'release' | 'nothing']: readonly Held[];
} = {
  'release-and-money': ['release', 'collection', 'allocation', 'payment_report', 'transfer'],
  release: ['release', 'collection'],
  nothing: [],
};

const words: Readonly<Record<Held, string>> = {
  release: 'The release',
  collection: 'The collection',
  allocation: 'The allocation',
  payment_report: 'Reporting a payment',
  refund: 'The refund',
  cancellation: 'The cancellation',
  transfer: 'The transfer',
};
