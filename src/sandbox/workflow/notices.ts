import type { World } from '../world.js';
import type { Entity, Owner } from './entities.js';

/**
 * Tells the bank and the partner of something that was committed: a message in each inbox. `subject` is a headline
 * that names the record.
 */
export function announce(world: World, type: string, about: Entity, subject: string): void {
  const { bankId, partnerId } = about.owner;
  const readers: Owner[] = [{ bankId, partnerId: null }];
  if (partnerId !== null) readers.push({ bankId, partnerId });
  for (const to of readers) {
    const id = world.ids.next('ntf');
    world.cases.notices.set(id, {
      id,
      to,
      type,
      subject,
      resourceVersion: about.version,
      createdAt: world.clock.now(),
      acknowledgment: undefined,
    });
  }
}
