import type { Sandbox } from 'vehicle-auction-sdk/sandbox';
import { bid } from './bidding.js';
import { castOf, type Role } from './cast.js';
import { discover } from './discovery.js';
import { handOver } from './handover.js';
import type { Narrator } from './narrator.js';
import { pay } from './payment.js';
import { sell } from './sale.js';

/** A vehicle's way from discovery to collection, over real HTTP, lived by both sides. @throws where anything is off. */
export async function tellStory(
  sandbox: Sandbox,
  narrator: Narrator,
  role: Role = 'direct_dealer',
): Promise<void> {
  await using cast = castOf(sandbox, narrator, role);
  const found = await discover(cast);
  const won = await bid(cast, found);
  const sale = await sell(cast, found, won);
  await pay(cast, sale);
  await handOver(cast, found.lot, sale);
}
