import { expect, it } from 'vitest';
import { Peers } from '../../src/quota/peers.js';

const entry = { number: 1, lane: 'read', ageMs: 0 } as const;
const mine = { limit: 20, reserve: 4, windowMs: 60_000, marginMs: 200 };

it('the lowest limit of all processes holds, and no reserve exceeds what it allows', () => {
  const peers = new Peers('mine');
  const entries = [
    { ...entry, process: 'lax', limit: 120, reserve: 24 },
    { ...entry, process: 'strict', limit: 10, reserve: 0 },
  ];
  peers.read({ last: 2, now: 0, entries }, 0);
  const { limit, reserve } = peers.strictest(mine);
  expect(limit).toBe(10);
  expect(reserve).toBeLessThan(limit);
  expect(peers.agree(20)).toBe(false);
});
