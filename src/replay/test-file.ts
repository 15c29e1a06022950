import { casesIn, type Recording } from './recording.js';
import { isReproduced, type ReplayedCase, shownEnd } from './replay.js';

/**
 * A test file for vitest with one test for each way in which a method ended and ends again. Each test fails for as long as the case ends as it was
 * recorded; undefined if none is reproduced.
 */
export function testFileOf(recording: Recording, replayed: readonly ReplayedCase[]): string | undefined {
  const reproduced = oneOfEach(replayed.filter(isReproduced));
  if (reproduced.length === 0) return undefined;
  const cases = casesIn(recording);
  const { actor, partnerType } = recording;
  const tests = reproduced.map(({ call, at, idempotencyKey, recorded }) => {
    const found = cases.find(
      (one) => one.call === call && one.at === at && one.idempotencyKey === idempotencyKey,
    );
    const bid = recording.entries.filter(
      (entry) => entry.kind === 'outcome' && entry.call === call && entry.idempotencyKey === idempotencyKey,
    );
    const entries = [...(found?.calls ?? []), ...(call === 'bids.place' ? bid : [])];
    const title = `${call} of ${at} no longer ends as reported: ${shownEnd(recorded)}`;
    return `it(${JSON.stringify(title)}, async () => {
  const recording: Recording = ${JSON.stringify({ actor, partnerType, entries }, null, 2).replaceAll('\n', '\n  ')};
  const [ended] = await replayRecording(recording, { only: ${JSON.stringify(call)} });
  expect(ended?.problem).toBeUndefined();
  expect(ended?.replayed).not.toEqual(${JSON.stringify(recorded)});
}, 60_000);
`;
  });
  return `// Written by \`vehicle-auction-sdk replay\`. Each test fails for as long as its call ends as it was reported.
// Once you know how it must end, replace the last line of the test by what you expect.
${imports.map(([names, name]) => `import { ${names} } from '${name}';\n`).join('')}
${tests.join('\n')}`;
}

/** Imports of the test file. */
const imports = [
  ['expect, it', 'vitest'],
  ['type Recording, replayRecording', 'vehicle-auction-sdk/testing'],
] as const;

/** The first of all cases of a method that ended in the same way. */
function oneOfEach(replayed: readonly ReplayedCase[]): readonly ReplayedCase[] {
  const wayOf = ({ call, recorded }: ReplayedCase) => `${call}: ${shownEnd(recorded)}`;
  const first = new Map([...replayed].reverse().map((one) => [wayOf(one), one]));
  return replayed.filter((one) => first.get(wayOf(one)) === one);
}
