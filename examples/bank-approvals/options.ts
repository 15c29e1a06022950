import { parseArgs } from 'node:util';
import { isAmount } from 'vehicle-auction-sdk';
import { SetupError } from './settings.js';

/** What the command line asks for. */
export interface Options {
  readonly command: 'approvals' | 'payments';
  readonly sandbox: boolean;
  /** The bank's production service; else its own sandbox environment. */
  readonly production: boolean;
  readonly dryRun: boolean;
  readonly maxCount: number | undefined;
  /** INR decimal string. */
  readonly maxRupees: string | undefined;
  /** Paths; `--sandbox` has files of its own. */
  readonly reserves: string;
  readonly statement: string;
  readonly audit: string;
}

const usage = `
Usage:
  main.ts approvals --reserves FILE --audit FILE [--max-count N] [--max-rupees AMOUNT] [--dry-run] [--production]
  main.ts payments --statement FILE --audit FILE [--production]
  main.ts approvals --sandbox [--max-count N] [--max-rupees AMOUNT] [--dry-run]
  main.ts payments --sandbox`;

/** Reads the command line; approvals are what is meant where it names no command. @throws SetupError */
export function optionsOf(args: readonly string[]): Options {
  const { values, positionals } = parsed(args);
  const [command = 'approvals', ...more] = positionals;
  if ((command !== 'approvals' && command !== 'payments') || more.length > 0) {
    throw refused(`There is no command ${JSON.stringify(positionals.join(' '))}.`);
  }
  const { sandbox = false, production = false, reserves = '', statement = '', audit = '' } = values;
  const dryRun = values['dry-run'] ?? false;
  const maxCount = values['max-count'];
  const maxRupees = values['max-rupees'];
  if (command === 'payments' && (dryRun || maxCount !== undefined || maxRupees !== undefined)) {
    throw refused('Caps and --dry-run are for approvals.');
  }
  const table = command === 'approvals' ? reserves : statement;
  if (sandbox !== (table === '' && audit === '') || (!sandbox && (table === '' || audit === ''))) {
    throw refused('Either --sandbox, which has files of its own, or the paths of both files.');
  }
  if (maxCount !== undefined && !/^\d{1,9}$/.test(maxCount)) throw refused('--max-count is like 20.');
  if (maxRupees !== undefined && !isAmount(maxRupees)) throw refused('--max-rupees is like 2500000.');
  const caps = { maxCount: maxCount === undefined ? undefined : Number(maxCount), maxRupees };
  return { command, sandbox, production, dryRun, ...caps, reserves, statement, audit };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        sandbox: { type: 'boolean' },
        production: { type: 'boolean' },
        reserves: { type: 'string' },
        statement: { type: 'string' },
        audit: { type: 'string' },
        'max-count': { type: 'string' },
        'max-rupees': { type: 'string' },
        'dry-run': { type: 'boolean' },
      },
    });
  } catch (error) {
    throw refused(error instanceof Error ? error.message : 'That is no command line.');
  }
}

function refused(message: string): SetupError {
  return new SetupError(`${message}\n${usage}`);
}
