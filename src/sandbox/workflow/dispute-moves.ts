import type { World } from '../world.js';
import { fresh } from './changes.js';
import type { Sale } from './entities.js';
import { announce } from './notices.js';
import type { Dispute } from './reversal-entities.js';

/** Opens a dispute about a sale, and tells of it. */
export function openDispute(
  world: World,
  sale: Sale,
  about: Pick<Dispute, 'reasonCode' | 'explanation' | 'evidenceId'>,
): Dispute {
  const dispute: Dispute = { ...fresh(world, 'dsp', 'dispute', 'open', sale.owner), sale, ...about };
  world.cases.disputes.set(dispute.id, dispute);
  announce(world, 'dispute.opened', dispute, `Dispute ${dispute.id} is raised about sale ${sale.id}`);
  return dispute;
}
