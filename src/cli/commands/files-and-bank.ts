import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import type { Policy, RunOptions } from '../../approvals/types.js';
import type { BankClient } from '../../client/bank-client.js';
import type { UnreadableVehicle, VehicleFile, VehicleFileRow } from '../../index.js';
import { changing, connected, type Session, withSession } from '../client/session.js';
import type { ConnectionFlags } from '../client/settings.js';
import { Exit, endWith, exits } from '../exit.js';
import { given, ifGiven } from '../given.js';
import { countsText } from '../output.js';
import type { Terminal } from '../terminal.js';
import { messageOf, needReadable, UsageError, wholeNumber } from '../usage-error.js';

interface ApproveFlags extends ConnectionFlags {
  readonly dryRun?: boolean;
  readonly maxCount?: string;
  readonly maxAmount?: string;
}

/** Photos and documents. */
export function addFiles(program: Command, terminal: Terminal): void {
  const media = program.command('media').description('Photos and documents of lots.');
  connected(
    media
      .command('save')
      .argument('<folder>')
      .argument('<urls...>', 'URLs of replies')
      .description('Save files into a folder, each completely or not at all.'),
    'media save photos https://auction.example/api/v1/events/auc_1/lots/lot_1/media/7',
  ).action((folder: string, urls: readonly string[], flags: ConnectionFlags) =>
    withSession(flags, terminal, async ({ client, out, signal }) => {
      const saved = await client.media.saveAll(urls, folder, { signal });
      await out.list(saved, ['status', 'url']);
      if (saved.some(({ status }) => status === 'failed')) throw new Exit(exits.refused);
    }),
  );

  const documents = program.command('documents').description('Evidence documents.');
  changing(
    documents
      .command('upload')
      .argument('<file>')
      .requiredOption('--sale <id>', 'sale of the document')
      .requiredOption('--purpose <purpose>', 'such as payment_evidence')
      .description('Upload a document, and wait for its scan.'),
    'documents upload slip.pdf --sale sal_1 --purpose payment_evidence',
  ).action((file: string, flags: ConnectionFlags & { readonly sale: string; readonly purpose: string }) =>
    withSession(flags, terminal, async (session) => {
      needReadable(file);
      await session.confirm(`Upload ${file} for sale ${flags.sale}.`);
      const { fileContent } = await import('../../core/request/file-body.js');
      const filename = file.split(/[\\/]/).at(-1) ?? file;
      const about = { sale_id: flags.sale, purpose: flags.purpose };
      const body = { ...about, filename, content: fileContent(file) };
      const document = await session.client.documents.upload(body, {
        waitUntilReady: true,
        signal: session.signal,
      });
      session.out.item(document);
    }),
  );
  connected(
    documents.command('save').argument('<document>').argument('<file>').description('Save a document.'),
    'documents save doc_1 slip.pdf',
  ).action((document: string, file: string, flags: ConnectionFlags) =>
    withSession(flags, terminal, async ({ client, out, signal }) => {
      out.item(await client.documents.save(document, file, { signal }));
    }),
  );
}

/** Commands of a bank. */
export function addBank(program: Command, terminal: Terminal): void {
  changing(
    program
      .command('approve')
      .argument('<policy>', 'module whose default export is the policy; it may also export isPending')
      .option('--dry-run', 'ask the policy, and send nothing')
      .option('--max-count <count>', 'maximum number of decisions')
      .option('--max-amount <inr>', 'maximum total amount of approvals')
      .description('Decide all pending sales by a policy.'),
    'approve policy.mjs --dry-run\napprove policy.mjs --max-count 50 --max-amount 50000000',
  ).action((path: string, flags: ApproveFlags) =>
    withSession(flags, terminal, async (session) => {
      session.needStore(true);
      const { policy, isPending } = await policyOf(path);
      const bank = await verifiedBank(session);
      const { dryRun = false, maxAmount, maxCount } = flags;
      const caps = [
        ...(maxCount === undefined ? [] : [`at most ${maxCount} decisions`]),
        ...(maxAmount === undefined ? [] : [`at most INR ${maxAmount}`]),
      ];
      if (!dryRun)
        await session.confirm(
          `Decide the pending sales by ${path}${caps.map((cap) => `, ${cap}`).join('')}.`,
        );
      const run = bank.approvals.run(policy, {
        dryRun,
        signal: session.signal,
        ...given({
          isPending,
          maxAmount,
          maxCount: ifGiven(maxCount, (text) => wholeNumber('--max-count', text)),
        }),
      });
      await session.out.list(run, ['sale', 'status', 'what']);
      const { counts, amount, stopped } = await run.summary;
      session.out.say(`${countsText(Object(counts)) || 'No sale is pending'}; INR ${amount}`);
      const failed = ['refused', 'conflict', 'not_sent', 'policy_failed', 'audit_failed'];
      endWith({
        stopped: stopped === 'signal',
        inDoubt: (counts.unknown ?? 0) > 0,
        refused: failed.some((status) => (Object(counts)[status] ?? 0) > 0),
      });
    }),
  );

  const inventory = program.command('inventory').description('Vehicles of a bank.');
  changing(
    inventory
      .command('import')
      .argument('<file>', 'CSV or JSON lines')
      .option('--schema <version>', 'schema_version of the schema')
      .option('--map <column=field...>', 'field of a column with another name; COLUMN= ignores it')
      .option('--dry-run', 'check every row, and send nothing')
      .option('--results <file>', 'write a result file')
      .description('Create every vehicle of a file, each once. Run it again after an interruption.'),
    'inventory import vehicles.csv --schema vehicles-4 --dry-run\ninventory import stock.csv --schema vehicles-4 --map "Ref No=external_id" Remarks= --results results.csv',
  ).action(
    (
      file: string,
      flags: ConnectionFlags & {
        readonly schema?: string;
        readonly map?: readonly string[];
        readonly dryRun?: boolean;
        readonly results?: string;
      },
    ) =>
      withSession(flags, terminal, async (session) => {
        session.needStore(true);
        const { readVehicles, writeImport } = await import('../../csv/index.js');
        const map = ifGiven(flags.map, mapOf);
        needReadable(file);
        const bank = await verifiedBank(session);
        const vehicles = await readOnce(readVehicles(file));
        const importing = (dryRun: boolean) =>
          bank.inventory.import(vehicles, {
            signal: session.signal,
            dryRun,
            ...given({ schema: flags.schema, map }),
          });
        // The question is about rows that fit the schema.
        const check = importing(true);
        const { rows, counts: found, stopped: problem } = await check.summary;
        if (session.signal.aborted) throw new Exit(exits.stopped);
        if (problem !== undefined) throw problem.error;
        const isDry = flags.dryRun === true || found.invalid > 0;
        if (!isDry) await session.confirm(`Create the ${rows} vehicles of ${file}, each once.`);
        const run = isDry ? check : importing(false);
        if (flags.results === undefined) await session.out.list(run, ['externalId', 'status', 'what']);
        else await writeImport(run, flags.results);
        const { counts, stopped } = await run.summary;
        session.out.say(countsText(counts));
        if (stopped !== undefined) session.out.say(`Stopped: ${stopped.what}`);
        else if (isDry && flags.dryRun !== true)
          session.out.say('Nothing was sent. Correct the invalid rows.');
        endWith({
          stopped: session.signal.aborted,
          inDoubt: counts.unknown > 0,
          refused: counts.refused + counts.not_sent + counts.invalid > 0,
        });
      }),
  );

  const audit = program.command('audit').description('The audit of approvals.');
  connected(
    audit
      .command('export')
      .option('--output <file>', 'write to a file')
      .option('--sale <id>', 'entries of one sale only')
      .description('Print the audit as JSON lines.'),
    'audit export --output audit.jsonl',
  ).action((flags: ConnectionFlags & { readonly output?: string; readonly sale?: string }) =>
    withSession(flags, terminal, async (session) => {
      session.needStore();
      const entries = session.bank().approvals.audit(flags.sale === undefined ? {} : { sale: flags.sale });
      if (flags.output === undefined) {
        for await (const entry of entries) session.out.json(entry);
        return;
      }
      await pipeline(entries, jsonLines, createWriteStream(flags.output, { flags: 'wx' }));
    }),
  );
}

/**
 * The client of a bank, if the service confirms its actor and environment.
 *
 * @throws Exit after it has printed what contradicts the settings
 */
async function verifiedBank(session: Session): Promise<BankClient> {
  const bank = session.bank();
  const problems = (await bank.verify()).filter(({ level }) => level === 'problem');
  for (const { what, expected, found, nextStep } of problems) {
    session.out.say(`error: ${what}: expected ${expected}, found ${found}. ${nextStep}`);
  }
  if (problems.length > 0) throw new Exit(exits.configuration);
  return bank;
}

/** The rows of a file, to be read several times: a pipe can be read once. */
async function readOnce(file: VehicleFile): Promise<VehicleFile> {
  const rows: (VehicleFileRow | UnreadableVehicle)[] = [];
  for await (const row of file) rows.push(row);
  return {
    isVehicleFile: true,
    async *[Symbol.asyncIterator]() {
      yield* rows;
    },
  };
}

/** `COLUMN=FIELD`, or `COLUMN=` for a column to ignore. @throws UsageError */
function mapOf(pairs: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.lastIndexOf('=');
      if (at < 1) throw new UsageError(`--map must be COLUMN=FIELD or COLUMN=, not ${JSON.stringify(pair)}.`);
      return [pair.slice(0, at), pair.slice(at + 1) || null];
    }),
  );
}

/** The policy of a module, and its `isPending` if it exports one. @throws UsageError */
async function policyOf(path: string): Promise<Pick<RunOptions, 'isPending'> & { readonly policy: Policy }> {
  const url = pathToFileURL(resolve(path)).href;
  const module: { readonly default?: unknown; readonly isPending?: unknown } = await import(url).catch(
    (error: unknown) => {
      throw new UsageError(`${path} can't be loaded: ${loadFailure(error, path)}`);
    },
  );
  const { default: policy, isPending } = module;
  if (typeof policy !== 'function')
    throw new UsageError(`${path} must export a function as its default: (facts) => decision.`);
  if (isPending !== undefined && typeof isPending !== 'function')
    throw new UsageError(`${path} exports isPending, which must be a function: (sale) => boolean.`);
  return { policy: policy as Policy, isPending: isPending as RunOptions['isPending'] };
}

/** Why a module can't be loaded, and how to find out more. */
function loadFailure(error: unknown, path: string): string {
  if (Object(error).code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return `${messageOf(error)}. Node runs TypeScript from 22.18 on; for older ones, compile the file.`;
  const place = error instanceof SyntaxError ? `. "node --check ${path}" shows the line.` : '';
  return `${messageOf(error)}${place}`;
}

async function* jsonLines(items: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`;
}
