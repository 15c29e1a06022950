import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startSandbox } from '../../../src/sandbox/index.js';
import { thoroughly } from '../../support/thorough.js';
import { checkMoment, checkMove, checkUnchanged } from './invariants.js';
import { commands, type Move, met, moves } from './moves.js';
import { observe } from './observation.js';
import { Play } from './play.js';

const RUNS = Number(process.env['SANDBOX_PROPERTY_RUNS'] ?? thoroughly(5, 16));

const names = Object.keys(moves).filter((name) => name !== 'progress');

/** Any number is as likely as any other: small ones would mean the same parties again and again. */
const number = fc.noBias(fc.nat(999));
const moveOf = (name: fc.Arbitrary<Move['name']>): fc.Arbitrary<Move> =>
  fc.record({ name, by: number, on: number, how: number });

const aBid = moveOf(fc.constant('bid'));

/** One move in four brings a sale on; the others are anything. */
const anyMove = moveOf(
  fc.oneof(
    { weight: 1, arbitrary: fc.constant('progress') },
    { weight: 3, arbitrary: fc.constantFrom(...names) },
  ),
);

/** Long on the whole, and short where a failure is boiled down. */
const history = (move: fc.Arbitrary<Move>, maxLength: number) =>
  fc.noBias(fc.array(move, { maxLength, size: 'max' }));

async function playThrough(all: readonly Move[]): Promise<void> {
  await using sandbox = await startSandbox({
    clock: 'manual',
    startAt: '2026-03-01T10:00:00Z',
    rateLimit: false,
  });
  const play: Play = new Play(sandbox);
  await play.begin();
  let before = await observe(play);
  for (const move of all) {
    const reply = await moves[move.name]?.(play, move);
    if (reply === undefined) continue;
    const after = await observe(play);
    if (reply !== 'time') {
      play.must(reply.status < 500, `${move.name} was answered ${reply.status}`);
      if (reply.status >= 300) {
        // A rejected bid is recorded: it is in the list of bids, and changes nothing else.
        if (move.name !== 'bid') checkUnchanged(play, before, after, `${move.name}, refused`);
        else play.expect(after.ledger, before.ledger, 'the ledger after a rejected bid');
      }
    }
    checkMove(play, before, after);
    checkMoment(play, after);
    before = after;
  }
}

describe('random commands by two dealers, a platform and a bank', () => {
  // rule: general.3, version.3
  test('break no invariant', { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(history(aBid, 16), history(anyMove, 160), async (bids, rest) => {
        const closes = [0, 1, 2].map((on): Move => ({ name: 'closeAuction', by: 0, on, how: 0 }));
        await playThrough([...bids, ...closes, ...rest]);
      }),
      {
        numRuns: RUNS,
        seed: Number(process.env['SANDBOX_PROPERTY_SEED'] ?? 5),
        endOnFailure: false,
      },
    );
  });

  test.runIf(RUNS >= 16)('carry out and refuse every command on the way', () => {
    const both = commands.flatMap((name) => [`${name} done`, `${name} refused`]);
    expect([...met].sort()).toEqual(both.sort());
  });
});
