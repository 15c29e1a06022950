import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { VERSION } from '../../client/version.js';
import { changing, type Session, withSession } from '../client/session.js';
import { type ConnectionFlags, type Settings, settingsOf } from '../client/settings.js';
import { Output } from '../output.js';
import type { Terminal } from '../terminal.js';
import { messageOf, UsageError } from '../usage-error.js';
import { checksOf } from './doctor.js';

/** `support-bundle`: what a maintainer needs to know about an incident, in one file. `replay` plays it. */
export function addSupportBundle(program: Command, terminal: Terminal): void {
  changing(
    program
      .command('support-bundle')
      .argument('<file>', 'file to write; it must not exist')
      .description('Write versions, settings, the doctor and unresolved intents to a file, without secrets.')
      .option('--recording <file>', 'entries of a flight recorder, as its save() writes them'),
    'support-bundle incident.json --profile first-bank\nsupport-bundle incident.json --recording flight.jsonl',
  ).action(async (file: string, flags: ConnectionFlags & { recording?: string }) => {
    const { savedEntries, unresolvedOf, withoutText } = await import('../../replay/index.js');
    const path = flags.recording;
    const recording = path && (await readRecording(path, () => savedEntries(path)));
    const settings = await settingsOf(flags, terminal);
    const checks = await checksOf(settings, terminal);
    const bundled = async ({ client, confirm, out }: Session) => {
      const hasRecords = settings.storePlace !== undefined && settings.newStore === undefined;
      const [unresolved, metrics] = hasRecords ? [await unresolvedOf(client), await client.metrics()] : [];
      const platform = `${process.platform} ${process.arch}`;
      const versions = { sdk: VERSION, node: process.version, platform };
      const facts = { at: new Date(), versions, settings: shownOf(settings), checks };
      const json = JSON.stringify({ ...facts, metrics, unresolved, recording }, null, 2);
      const text = `${withoutText(json, Object(settings.options.credentials).signingSecret)}\n`;
      terminal.out(text);
      await confirm(`This is written to ${file}. It contains lots and amounts, but no secret or buyer.`);
      await written(file, text);
      out.say(`Written: ${file}.`);
    };
    await withSession(flags, terminal, bundled, settings);
  });
  program
    .command('replay')
    .argument('<bundle>', 'support bundle with a recording, or the file of a flight recorder')
    .description(
      'Play recorded calls again, without network, and write a failing test for each that ends in the same way.',
    )
    .option('--only <name>', 'a method or an idempotency key (default: all that did not succeed)')
    .option('--test <file>', 'test file to write; it must not exist', 'incident.test.ts')
    .option('--json', 'print one line of JSON for each item')
    .addHelpText('after', '\nExample:\n  $ vehicle-auction-sdk replay incident.json --only bids.place')
    .action(async (path: string, flags: { only?: string; test: string; json?: boolean }) => {
      const { replayFile } = await import('../../replay/index.js');
      const out = new Output(terminal, flags.json === true);
      const { rows, test, summary } = await readRecording(path, () => replayFile(path, flags.only));
      await out.list(rows, ['at', 'call', 'recorded', 'now', 'requests']);
      if (test !== undefined) await written(flags.test, test);
      out.say(`${summary} ${test === undefined ? 'No test was written.' : `Written: ${flags.test}.`}`);
    });
}

/** Settings without values that can hold a secret: URLs of stores and proxies have passwords. */
function shownOf({ actor, partnerType, dealerId, options, storePlace }: Settings): object {
  const { baseUrl, environment, account, proxy } = options;
  const { clientId, keyId } = Object(options.credentials);
  const [hasStore, hasProxy] = [storePlace !== undefined, proxy !== undefined];
  return { actor, partnerType, dealerId, baseUrl, environment, account, clientId, keyId, hasStore, hasProxy };
}

/** Reads a file. @throws UsageError for one that has no recording */
async function readRecording<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new UsageError(`${path} has no recording: ${messageOf(error)}`);
  }
}

async function written(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (Object(error).code !== 'EEXIST') throw error;
    throw new UsageError(`${file} exists. Move the file or choose another path.`);
  }
}
