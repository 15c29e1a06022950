import type { AuctionControls } from '../controls.js';
import type { ArmedFault, FaultPlan } from '../faults.js';
import type { BankHand } from '../hands/bank.js';
import type { BuyerHand } from '../hands/buyer.js';
import type { AccessFacts, Party } from '../parties.js';
import type { Rival } from '../rivals/rival.js';
import type { World } from '../world.js';

/** What the inspector shows and moves. */
export interface Inspected {
  readonly world: World;
  /** The sandbox's parties, by the names that its credentials have. */
  readonly parties: Readonly<Record<string, Party>>;
  readonly auctions: AuctionControls;
  readonly rival: Rival;
  readonly bank: BankHand;
  readonly buyer: BuyerHand;
  readonly partners: {
    get(clientId: string): AccessFacts;
    update(clientId: string, change: Partial<AccessFacts>): void;
  };
  readonly faults: {
    inject(plan: FaultPlan): () => void;
    armed(): readonly ArmedFault[];
    readonly faultMoves: number;
  };
}
