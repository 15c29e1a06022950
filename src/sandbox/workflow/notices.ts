import { subscribable } from '../webhooks/webhooks.js';
import type { World } from '../world.js';
import { mayHave } from './cases.js';
import type { Entity, Owner } from './entities.js';
import { eventData } from './event-data.js';

/**
 * Tells the bank and the partner of something that was committed: a message in each inbox, and a webhook event where
 * its type can be subscribed to. `subject` is a headline that names the record; `data` is what the event says, where
 * the record alone can't tell.
 */
export function announce(
  world: World,
  type: string,
  about: Entity,
  subject: string,
  data?: Readonly<Record<string, unknown>>,
): void {
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
      about: { kind: about.kind, id: about.id },
      resourceVersion: about.version,
      createdAt: world.clock.now(),
      acknowledgment: undefined,
    });
  }
  if (!subscribable.has(type)) return;
  world.webhooks.tell(type, data ?? eventData(world, type, about), (party) => mayHave(party, about.owner));
}
