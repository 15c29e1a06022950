import { Command, CommanderError } from 'commander';
import { VERSION } from '../client/version.js';
import { seedJsonSchema } from '../sandbox/seed/seed.js';
import { addSandbox } from './commands/sandbox.js';
import { addWebhook } from './commands/webhook.js';
import type { Terminal } from './terminal.js';
import { messageOf, UsageError } from './usage-error.js';

/** Runs `vehicle-auction` with its arguments. Resolves with the exit code: 2 where it was asked for wrongly, else 1 for a failure. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await program(terminal).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // It has said so already, and help that was asked for is no failure.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    terminal.err(`error: ${messageOf(error)}\n`);
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
  addSandbox(all, terminal);
  all
    .command('seed-schema')
    .description('Print the JSON Schema of the files that "sandbox --seed" takes, for editors.')
    .action(() => terminal.out(`${JSON.stringify(seedJsonSchema(), null, 2)}\n`));
  addWebhook(all, terminal);
  return all;
}
