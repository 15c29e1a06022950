import { Command, type Option } from 'commander';
import { connected } from '../../src/cli/client/session.js';
import { program } from '../../src/cli/run.js';
import { page, table } from './text.js';

/** `docs/reference/commands.md`: every command of the command line, from the program itself. */
export function renderCommands(): string {
  let printed = '';
  const print = (text: string) => {
    printed += text;
  };
  const all = program({ out: print, err: print });
  const commands = leavesOf(all, []);
  const shared = connected(new Command(), '').options;
  const flags = new Set(shared.map((option) => option.flags));
  const blocks = commands.map(({ command, words }) => {
    printed = '';
    command.configureOutput({ writeOut: print }).outputHelp();
    const examples = printed.split('\n').filter((line) => line.startsWith('  $ '));
    return blockOf(command, words, { shared: flags, examples: examples.map((line) => line.slice(4)) });
  });
  const text = page([
    '# Commands',
    'Every command of `npx vehicle-auction-sdk`. [The command line](../cli.md) explains settings, output and exit codes.',
    '`npx vehicle-auction-sdk call RESOURCE.METHOD` makes the call of every [operation](README.md); its `--help` has the arguments. Commands that use a service or a store also take these options:',
    table(['Option', 'Meaning'], shared.map(rowOf)),
    ...blocks,
  ]);
  return text.replace('from src/api by', 'from src/cli by');
}

interface Leaf {
  readonly command: Command;
  readonly words: readonly string[];
}

/** The commands that do something; groups such as `intents` are left out, and `call` with a command for each operation. */
function leavesOf(parent: Command, words: readonly string[]): readonly Leaf[] {
  return parent.commands.flatMap((command) => {
    if (command.name() === 'call') return [];
    const named = [...words, command.name()];
    return command.commands.length > 0 ? leavesOf(command, named) : [{ command, words: named }];
  });
}

function blockOf(
  command: Command,
  words: readonly string[],
  { shared, examples }: { readonly shared: ReadonlySet<string>; readonly examples: readonly string[] },
): string {
  const parameters = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}…` : argument.name();
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  const usage = ['npx', 'vehicle-auction-sdk', ...words, ...parameters].join(' ');
  const rows = [
    ...command.registeredArguments.flatMap((argument, n) =>
      argument.description === '' ? [] : [[code(parameters[n] ?? ''), argument.description]],
    ),
    ...command.options.filter(({ flags }) => !shared.has(flags)).map(rowOf),
  ];
  return [
    `## ${words.join(' ')}`,
    command.description(),
    ['```sh', ...(examples.length > 0 ? examples.map((line) => `npx ${line}`) : [usage]), '```'].join('\n'),
    ...(rows.length > 0 ? [table(['Argument or option', 'Meaning'], rows)] : []),
  ].join('\n\n');
}

function rowOf({ flags, description, defaultValue }: Option): readonly string[] {
  return [
    code(flags),
    defaultValue === undefined ? description : `${description} (default: ${defaultValue})`,
  ];
}

function code(text: string): string {
  return `\`${text}\``;
}
