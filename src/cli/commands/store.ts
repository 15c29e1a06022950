import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { StoreFile } from '../../sqlite/file.js';
import { changing, confirmed, connected, withSession } from '../client/session.js';
import { type ConnectionFlags, isPostgres, noStore, settingsOf, storeLocation } from '../client/settings.js';
import { Exit, exits } from '../exit.js';
import { Output } from '../output.js';
import type { Terminal } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { ended } from './on-duty.js';

/** `store check`, `store backup` and `store restore`, for stores in a SQLite file. */
export function addStore(program: Command, terminal: Terminal): void {
  const all = program.command('store').description('Check, back up and restore the SQLite file of a store.');

  connected(
    all.command('check').description('Check that the file is undamaged, and count its records.'),
    'store check --store auction.db\nstore check --json',
  ).action(async (flags: ConnectionFlags) => {
    const { integrity, schema, isUsable, damaged, records } = await inspected(
      storeFile(flags, terminal, 'psql'),
    );
    const out = new Output(terminal, flags.json === true);
    out.item({ integrity, schema, records, ...(damaged.length > 0 && { damaged }) });
    for (const key of damaged)
      out.say(
        `The record of ${key} is damaged. Run "call bids.lookup ${key}", then "store restore", or "intents abandon ${key}" without a backup.`,
      );
    if (!isUsable) out.say(otherVersion(schema));
    if (integrity !== 'ok' || damaged.length > 0 || !isUsable) throw new Exit(exits.configuration);
  });

  connected(
    all
      .command('backup')
      .argument('<file>', 'new file; an existing one is never overwritten')
      .description('Copy the store to a new file. Other processes can go on writing.'),
    'store backup auction-2026-11-26.db --store auction.db',
  ).action(async (target: string, flags: ConnectionFlags) => {
    const place = storeFile(flags, terminal, 'pg_dump');
    if (existsSync(target)) throw new UsageError(`${target} exists. Choose another file.`);
    await inspected(place);
    const { copyStoreFile } = await import('../../sqlite/file.js');
    copyStoreFile(place, target);
    const out = new Output(terminal, flags.json === true);
    out.item({ backup: target });
    out.say('To use it one day, run "store restore".');
  });

  changing(
    all
      .command('restore')
      .argument('<backup>', 'file of "store backup"')
      .description(
        'Replace the store by a backup and declare it: open bids and commands are never sent again.',
      ),
    'store restore auction-2026-11-26.db --store auction.db --profile first-bank',
  ).action((backup: string, flags: ConnectionFlags) => restore(backup, flags, terminal));
}

async function restore(backup: string, flags: ConnectionFlags, terminal: Terminal): Promise<void> {
  const settings = await settingsOf(flags, terminal);
  const { storePlace: place } = settings;
  if (place === undefined) throw noStore();
  if (isPostgres(place))
    throw new UsageError(
      'This command is for SQLite files. For Postgres, use pg_restore, then "recover --restored".',
    );
  if (existsSync(place) && settings.newStore !== undefined)
    throw new UsageError(`${place} is not a store. Give the path that your programs use.`);
  if (!existsSync(backup)) throw new UsageError(`There is no file ${backup}.`);
  const { integrity, schema, isUsable, records, accounts } = await inspected(backup);
  if (integrity !== 'ok') throw new UsageError(`${backup} is damaged: ${integrity}. Use another backup.`);
  if (!isUsable) throw new UsageError(`${backup}: ${otherVersion(schema)}`);
  const kept = `${place}.before-restore`;
  if (existsSync(kept)) throw new UsageError(`${kept} exists. Move it first.`);
  const counted = Object.entries(records).map(([kind, count]) => `${count} ${kind}`);
  const out = new Output(terminal, flags.json === true);
  const steps = [
    `${place} is replaced by ${backup}: ${counted.join(', ') || 'no records'}.`,
    ...(existsSync(place) ? [`The previous file is kept as ${kept}.`] : []),
    'Its open bids and commands count as possibly sent: they are looked up, and never sent again.',
    'Stop every process that uses this store first.',
  ];
  await confirmed(steps.join('\n'), out, flags, terminal);
  const { replaceStoreFile } = await import('../../sqlite/file.js');
  replaceStoreFile(backup, place, kept);
  out.say(
    'The backup is in place. If this command fails now, run "recover --restored" before any program starts.',
  );
  if (accounts.length > 1)
    out.say(
      `It has ${accounts.length} accounts: run "recover --restored" with the credentials of each of the others.`,
    );
  await withSession(
    flags,
    terminal,
    async (session) => {
      const { client, signal } = session;
      await ended(session, await client.recover({ restored: true, signal }));
    },
    settings,
  );
}

function otherVersion(schema: string): string {
  return `Its tables have version ${schema}. Use the version of this package that created them.`;
}

/** @throws UsageError for Postgres, which has its own tools */
function storeFile(flags: ConnectionFlags, { env = process.env }: Terminal, tool: string): string {
  const place = storeLocation(flags, env);
  if (isPostgres(place)) throw new UsageError(`This command is for SQLite files. For Postgres, use ${tool}.`);
  return place;
}

/** @throws UsageError for a file that is not a store */
async function inspected(path: string): Promise<StoreFile> {
  const { inspectStoreFile } = await import('../../sqlite/file.js');
  const found = inspectStoreFile(path);
  if (found === undefined) throw new UsageError(`${path} is a SQLite database, but not a store.`);
  return found;
}
