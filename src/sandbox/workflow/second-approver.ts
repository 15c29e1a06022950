import { isDeepStrictEqual } from 'node:util';
import type { Call } from '../call.js';
import { conflict } from './commands.js';
import type { Entity } from './entities.js';

/**
 * Whether a decision may commit: always, unless the bank's policy wants a second approver (unknowns:
 * `second-approver-reply`). Then the first decision is only noted, and the second, by another credential of the bank,
 * commits if it says the same in all but key, version and reason. The first may be said anew, in other words. To be
 * called when nothing else can refuse any more.
 */
export function mayCommit(call: Call, entity: Entity, body: Readonly<Record<string, unknown>>): boolean {
  const { settings, cases } = call.world;
  if (settings.variants['second-approver-reply'] === 'one-approver') return true;
  const { idempotency_key: _, expected_version: __, reason: ___, ...content } = body;
  const first = cases.firstDecisions.get(entity.id);
  const isSame = first !== undefined && isDeepStrictEqual(first.content, content);
  if (first === undefined || first.clientId === call.party.clientId) {
    if (isSame)
      throw conflict('The decision is noted already; another credential of the bank has to confirm it.');
    cases.firstDecisions.set(entity.id, { clientId: call.party.clientId, content });
    return false;
  }
  if (!isSame) throw conflict('The first approver decided otherwise: both have to say the same.');
  cases.firstDecisions.delete(entity.id);
  return true;
}

/** What a decision rested on has changed: the first of two counts no longer. */
export function forgetFirst({ world }: Call, entity: Entity): void {
  world.cases.firstDecisions.delete(entity.id);
}
