import { Command, CommanderError } from 'commander';
import { VERSION } from '../client/version.js';
import { seedJsonSchema } from '../sandbox/seed/seed.js';
import { addSandbox } from './commands/sandbox.js';
import { addWebhook } from './commands/webhook.js';
import type { Terminal } from './terminal.js';
import { messageOf, UsageError } from './usage-error.js';

/**
 * Runs `vehicle-auction` with its arguments. Resolves with the exit code: 2 for invalid usage, 1 for other
 * failures.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await program(terminal).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already printed the message. Requested help is not a failure.
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
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .showHelpAfterError('Use --help for commands and options.')
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
    .exitOverride();
  addSandbox(all, terminal);
  all
    .command('seed-schema')
    .description('Print the JSON Schema of seed files for "sandbox --seed", for editors.')
    .action(() => terminal.out(`${JSON.stringify(seedJsonSchema(), null, 2)}\n`));
  addWebhook(all, terminal);
  return all;
}
