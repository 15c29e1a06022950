import { Command, CommanderError } from 'commander';
import { VERSION } from '../client/version.js';
import { addSandbox } from './commands/sandbox.js';
import { addSeedSchema } from './commands/seed-schema.js';
import { addWebhook } from './commands/webhook.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

/** Runs `vehicle-auction` with its arguments. Resolves with the exit code: 2 where it was asked for wrongly, else 1 for a failure. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await program(terminal).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // It has said so already, and help that was asked for is no failure.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    terminal.err(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** Each command adds itself. */
function program(terminal: Terminal): Command {
  const all = new Command('vehicle-auction')
    .description('Tools for the vehicle auction API.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .helpCommand('help [command]', 'print what a command does')
    .showHelpAfterError('Run it with --help for the commands and options.')
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
    .exitOverride();
  for (const add of [addSandbox, addSeedSchema, addWebhook]) add(all, terminal);
  return all;
}
