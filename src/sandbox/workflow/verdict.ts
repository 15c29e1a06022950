import type { World } from '../world.js';
import { unfit } from './commands.js';

/**
 * Whether a decision says yes, with the word that is shown for it, or no. Whether `rejected` is taken for a no is not
 * shown (unknowns: `decision-values`); every other word is refused with a 422 on `decision`.
 */
export function saysYes(world: World, decision: string, yes: 'approved' | 'verified'): boolean {
  if (decision === yes) return true;
  if (world.settings.variants['decision-values'] === 'rejected-too') {
    if (decision === 'rejected') return false;
    throw unfit('decision', `This sandbox knows the decisions ${yes} and rejected only.`);
  }
  throw unfit('decision', `This sandbox knows the decision ${yes} only.`);
}
