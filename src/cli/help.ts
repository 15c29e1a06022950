import type { Command } from 'commander';

/** Adds examples, one a line without the name of the program, and exit codes to the help of a command. */
export function withExamples(command: Command, examples: string, exitCodes = ''): Command {
  const lines = examples.trim().replace(/^/gm, '  $ vehicle-auction-sdk ');
  return command.addHelpText('after', `\nExamples:\n${lines}\n${exitCodes && `\n${exitCodes}\n`}`);
}
