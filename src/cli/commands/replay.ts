import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { isReproduced, recordingIn, replayRecording, shownEnd, testFileOf } from '../../replay/index.js';
import { Output } from '../output.js';
import type { Terminal } from '../terminal.js';
import { messageOf, UsageError } from '../usage-error.js';
import { written } from './support-bundle.js';

interface ReplayFlags {
  readonly only?: string;
  readonly test: string;
  readonly json?: boolean;
}

/** `replay`: plays the calls of a support bundle again, and writes a test for those that end as they were reported. */
export function addReplay(program: Command, terminal: Terminal): void {
  program
    .command('replay')
    .argument('<bundle>', 'support bundle with a recording, or the file of a flight recorder')
    .description(
      'Play recorded calls again, with the recorded replies. It uses no network and needs no credentials.',
    )
    .option(
      '--only <name>',
      'a method such as bids.place, or an idempotency key (default: what did not succeed)',
    )
    .option('--test <file>', 'test file to write; it must not exist', 'incident.test.ts')
    .option('--json', 'print one line of JSON for each item')
    .addHelpText(
      'after',
      '\nExample:\n  $ vehicle-auction-sdk replay incident.json --test test/incident.test.ts',
    )
    .action(async (bundle: string, { only, test, json }: ReplayFlags) => {
      const recording = readAs(bundle, await readFile(bundle, 'utf8'));
      const replayed = await replayRecording(recording, { only });
      const out = new Output(terminal, json === true);
      const rows = replayed.map((one) => ({
        ...one,
        recorded: shownEnd(one.recorded),
        now: one.replayed === undefined ? one.problem : shownEnd(one.replayed),
        isReproduced: isReproduced(one),
        requests: `${one.recordedRequests} then, ${one.requests ?? 'none'} now`,
      }));
      await out.list(rows, ['at', 'call', 'recorded', 'now', 'requests']);
      const text = testFileOf(recording, replayed);
      if (text === undefined) return out.say('Nothing is reproduced, so no test was written.');
      await written(test, text);
      out.say(
        `Reproduced: ${replayed.filter(isReproduced).length} of ${replayed.length}. Written: ${test}, which fails until they end otherwise.`,
      );
    });
}

function readAs(path: string, text: string) {
  try {
    return recordingIn(text);
  } catch (error) {
    throw new UsageError(`${path} can't be replayed: ${messageOf(error)}`);
  }
}
