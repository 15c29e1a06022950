import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { VERSION } from '../../client/version.js';
import { changing, type Session, withSession } from '../client/session.js';
import { type ConnectionFlags, type Settings, settingsOf } from '../client/settings.js';
import type { Terminal } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { checksOf } from './doctor.js';

interface BundleFlags extends ConnectionFlags {
  readonly recording?: string;
}

/** Explanations in one bundle; further intents are only counted. */
const MOST_INTENTS = 100;

/** `support-bundle`: what a maintainer needs to know about an incident, in one file. */
export function addSupportBundle(program: Command, terminal: Terminal): void {
  changing(
    program
      .command('support-bundle')
      .argument('<file>', 'file to write; it must not exist')
      .description('Write versions, settings, the doctor and what is unresolved to a file, without secrets.')
      .option('--recording <file>', 'entries of a flight recorder, as its save() writes them'),
    'support-bundle incident.json --profile first-bank\nsupport-bundle incident.json --recording flight.jsonl',
  ).action(async (file: string, flags: BundleFlags) => {
    const recording = flags.recording === undefined ? undefined : await recordingIn(flags.recording);
    const settings = await settingsOf(flags, terminal);
    const checks = await checksOf(settings, terminal);
    const bundled = async (session: Session) => {
      const hasRecords = settings.storePlace !== undefined && settings.newStore === undefined;
      const unresolved = hasRecords ? await unresolvedOf(session) : undefined;
      const metrics = hasRecords ? await session.client.metrics() : undefined;
      const versions = {
        sdk: VERSION,
        node: process.version,
        platform: `${process.platform} ${process.arch}`,
      };
      const facts = { at: new Date(), versions, settings: shownOf(settings), checks };
      const bundle = { ...facts, metrics, unresolved, recording };
      const text = `${withoutSecrets(JSON.stringify(bundle, null, 2), settings)}\n`;
      terminal.out(text);
      await session.confirm(`This is written to ${file}. It has lots and amounts, and no secret or buyer.`);
      await written(file, text);
      session.out.say(`Written: ${file}.`);
    };
    await withSession(flags, terminal, bundled, settings);
  });
}

async function unresolvedOf({ client }: Session) {
  const explained: object[] = [];
  let more = 0;
  for await (const { idempotencyKey, bidderReference } of client.intents.list({ which: 'unresolved' })) {
    if (explained.length >= MOST_INTENTS) {
      more += 1;
      continue;
    }
    const explanation = JSON.stringify(await client.intents.explain(idempotencyKey));
    explained.push(JSON.parse(replaced(explanation, bidderReference)));
  }
  return { explained, more };
}

/** Entries of a flight recorder. @throws UsageError for another file */
async function recordingIn(path: string): Promise<unknown[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  try {
    return lines.map((line): unknown => JSON.parse(line));
  } catch {
    throw new UsageError(`--recording must be a file that a flight recorder saved; ${path} is not.`);
  }
}

/** Settings without values that can hold a secret: places of stores and proxies have passwords. */
function shownOf({ actor, partnerType, dealerId, options, storePlace }: Settings): object {
  const { baseUrl, environment, account, proxy } = options;
  const { clientId, keyId } = Object(options.credentials);
  const [hasStore, hasProxy] = [storePlace !== undefined, proxy !== undefined];
  return { actor, partnerType, dealerId, baseUrl, environment, account, clientId, keyId, hasStore, hasProxy };
}

/** A base URL or an error can repeat the signing secret. */
function withoutSecrets(text: string, { options }: Settings): string {
  const { signingSecret } = Object(options.credentials);
  return replaced(text, typeof signingSecret === 'string' ? signingSecret : undefined);
}

function replaced(json: string, secret: string | undefined): string {
  if (secret === undefined || secret === '') return json;
  return json.replaceAll(JSON.stringify(secret).slice(1, -1), '[redacted]');
}

/** Writes a new file that only its owner can read. @throws UsageError if it exists */
export async function written(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code } = Object(error);
    if (code !== 'EEXIST') throw error;
    throw new UsageError(`${file} exists. Move the file or choose another path.`);
  }
}
