import { Command, CommanderError } from 'commander';
import { VERSION } from '../client/version.js';
import { VehicleAuctionError } from '../errors/base.js';
import { addBids } from './commands/bids.js';
import { addBoard } from './commands/board.js';
import { addCalls } from './commands/calls.js';
import { addCompletion } from './commands/completion.js';
import { addDocs } from './commands/docs.js';
import { addDoctor } from './commands/doctor.js';
import { addBank, addFiles } from './commands/files-and-bank.js';
import { addLearn } from './commands/learn.js';
import { inCommands, inFlags } from './commands/next-commands.js';
import { addOnDuty } from './commands/on-duty.js';
import { addReads } from './commands/reads.js';
import { addRunningSandbox } from './commands/running-sandbox.js';
import { addSales } from './commands/sales.js';
import { addSandbox } from './commands/sandbox.js';
import { addExplain, addSign } from './commands/sign.js';
import { addStore } from './commands/store.js';
import { addSupportBundle } from './commands/support-bundle.js';
import { addWebhook } from './commands/webhook.js';
import { Exit, exitCodeOf } from './exit.js';
import type { Terminal } from './terminal.js';
import { messageOf } from './usage-error.js';

/**
 * Runs `vehicle-auction-sdk` with its arguments. Resolves with the exit code: see `exit.ts`.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await program(terminal).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already printed the message. Requested help is not a failure.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof Exit)) terminal.err(`error: ${shownError(error)}\n`);
    return exitCodeOf(error);
  }
}

/** The message of an error; its next step names commands, and its options are flags. */
function shownError(error: unknown): string {
  const message = messageOf(error);
  if (!(error instanceof VehicleAuctionError)) return message;
  return inFlags(message.replace(error.nextStep, () => inCommands(error.nextStep)));
}

/** Each command adds itself. */
export function program(terminal: Terminal): Command {
  const all = new Command('vehicle-auction-sdk')
    .description('Tools for the vehicle auction API.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .showHelpAfterError('Use --help for commands and options.')
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
    .exitOverride();
  addSandbox(all, terminal);
  all
    .command('seed-schema')
    .description('Print the JSON Schema of seed files for "sandbox --seed", for editors.')
    .addHelpText('after', '\nExample:\n  $ vehicle-auction-sdk seed-schema > seed.schema.json')
    .action(async () => {
      const { seedJsonSchema } = await import('../sandbox/seed/seed.js');
      terminal.out(`${JSON.stringify(seedJsonSchema(), null, 2)}\n`);
    });
  addWebhook(all, terminal);
  addRunningSandbox(all, terminal);
  addReads(all, terminal);
  addSales(all, terminal);
  addBoard(all, terminal);
  addBids(all, terminal);
  addOnDuty(all, terminal);
  addStore(all, terminal);
  addDoctor(all, terminal);
  addLearn(all, terminal);
  addSupportBundle(all, terminal);
  addFiles(all, terminal);
  addBank(all, terminal);
  addCalls(all, terminal);
  addSign(all, terminal);
  addExplain(all, terminal);
  addDocs(all, terminal);
  addCompletion(all, terminal);
  return all;
}
