import { Argument, type Command } from 'commander';
import { withExamples } from '../help.js';
import type { Terminal } from '../terminal.js';

/** `completion`: a script that completes commands, options and choices in a shell. */
export function addCompletion(program: Command, terminal: Terminal): void {
  const command = program
    .command('completion')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(scripts)))
    .description('Print a script that completes commands and options in your shell.');
  withExamples(
    command,
    'completion bash >> ~/.bashrc\ncompletion zsh >> ~/.zshrc\ncompletion fish > ~/.config/fish/completions/vehicle-auction-sdk.fish',
  ).action((shell: keyof typeof scripts) => terminal.out(scripts[shell](completionRows(program, ''))));
}

/** What can follow: the words typed so far, such as `bids place` or `sandbox --as`, and the words to offer. */
type Row = readonly [typed: string, offered: string];

function completionRows(command: Command, path: string): readonly Row[] {
  const names = command.commands.map((each) => each.name());
  const choices = command.registeredArguments[0]?.argChoices ?? [];
  const flags = command.options.flatMap(({ long }) => long ?? []);
  const own: Row = [path, [...names, ...choices, ...flags, '--help'].join(' ')];
  const values = command.options.flatMap(({ long, argChoices }): Row[] =>
    argChoices === undefined ? [] : [[`${path} ${long}`, argChoices.join(' ')]],
  );
  const inside = command.commands.flatMap((each) => completionRows(each, `${path} ${each.name()}`.trim()));
  return [own, ...values, ...inside];
}

const names = 'vehicle-auction-sdk vehicle-auction';

function bash(rows: readonly Row[]): string {
  const cases = rows.map(([typed, offered]) => `    '${typed}') offered='${offered}' ;;`);
  return `# Completes vehicle-auction-sdk. Without an offer, the shell completes file names.
_vehicle_auction_offer() {
  offered=
  case "$1" in
${cases.join('\n')}
  esac
}
_vehicle_auction() {
  local offered path= word i cur="\${COMP_WORDS[COMP_CWORD]}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    _vehicle_auction_offer "$path"
    if [[ "$word" != -* && " $offered " == *" $word "* ]]; then path="\${path:+$path }$word"; fi
  done
  if [[ "\${COMP_WORDS[COMP_CWORD-1]}" == --* ]]; then
    _vehicle_auction_offer "$path \${COMP_WORDS[COMP_CWORD-1]}"
  fi
  if [[ -z "$offered" || "\${COMP_WORDS[COMP_CWORD-1]}" != --* ]]; then _vehicle_auction_offer "$path"; fi
  local kept=
  for word in $offered; do
    if [[ "$word" != -* || "$cur" == -* ]]; then kept="$kept $word"; fi
  done
  COMPREPLY=($(compgen -W "$kept" -- "$cur"))
}
complete -o default -F _vehicle_auction ${names}
`;
}

function zsh(rows: readonly Row[]): string {
  return `autoload -Uz compinit bashcompinit && compinit && bashcompinit\n${bash(rows)}`;
}

function fish(rows: readonly Row[]): string {
  const cases = rows.map(([typed, offered]) => `    case '${typed}'\n      string split ' ' -- '${offered}'`);
  const commands = names.split(' ').map((name) => `complete -c ${name} -f -a '(__vehicle_auction)'`);
  return `# Completes vehicle-auction-sdk.
function __vehicle_auction_offer
  switch "$argv[1]"
${cases.join('\n')}
  end
end
function __vehicle_auction
  set -l path
  set -l words (commandline -opc)
  for word in $words[2..-1]
    if not string match -q -- '-*' $word; and contains -- $word (__vehicle_auction_offer "$path")
      set path (string trim -- "$path $word")
    end
  end
  set -l values (__vehicle_auction_offer "$path $words[-1]")
  if string match -q -- '--*' $words[-1]; and test -n "$values"
    string join \\n -- $values
  else
    __vehicle_auction_offer "$path"
    if not __vehicle_auction_offer "$path" | string match -qrv -- '^-'
      __fish_complete_path (commandline -ct)
    end
  end
end
${commands.join('\n')}
`;
}

const scripts = { bash, zsh, fish };
