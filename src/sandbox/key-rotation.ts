import type { Party } from './parties.js';
import type { World } from './world.js';

/** Gives a client a new key. When the old one ends isn't shown (unknowns: key-rotation). */
export function rotateKey({ clock, ids, settings }: World, party: Party): void {
  const { keyId, signingSecret, formerKeys = [] } = party;
  const overlapMs = settings.variants['key-rotation'] === 'overlap' ? dayMs : 0;
  party.formerKeys = [...formerKeys, { keyId, signingSecret, endsAt: clock.now() + overlapMs }];
  party.keyId = ids.next('key');
  party.signingSecret = `sandbox-only-${ids.next('secret')}`;
}

const dayMs = 86_400_000;
