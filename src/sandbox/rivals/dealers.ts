import type { Party } from '../parties.js';

/** One more dealer like the first: `place` counts those that were made so. All of it is invented. */
export function secondDealer(first: Party, name: string, place: number): Party {
  if (!/^[A-Za-z0-9_]{1,30}$/.test(name)) {
    throw new RangeError('a rival is named with letters, digits and _, 30 at most');
  }
  return {
    ...first,
    clientId: `client_sbx_rival_${name}`,
    keyId: `key_sbx_rival_${name}_1`,
    signingSecret: `sandbox-only-secret-of-the-rival-${name}-0123456789`,
    partnerId: `ptn_rival_${name}`,
    facts: { ...first.facts, dealerId: `D-${912 + place}` },
  };
}
