import { createInterface } from 'node:readline';
import { type Command, Option } from 'commander';
import type { Sandbox } from '../../sandbox/index.js';
import { writeEnvFile } from '../env-lines.js';
import { announcement, envLinesOf, forScripts } from '../sandbox/announcement.js';
import { carryOut } from '../sandbox/console.js';
import { type Flags, optionsOf, whos } from '../sandbox/flags.js';
import { fired, interruptible, type Terminal } from '../terminal.js';
import { UsageError } from '../usage-error.js';

/** `vehicle-auction-sdk sandbox` */
export function addSandbox(program: Command, terminal: Terminal): void {
  const command = program
    .command('sandbox')
    .description('Run the service in memory on this machine, with invented credentials.')
    .option('--port <number>', 'port to listen on; 0 selects a free one', '4010')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--origin <url>', 'public scheme, host and port, if clients connect through a proxy')
    .option('--prefix <path>', 'a front-controller segment such as /index.php')
    .option('--seed <seed>', 'initial data: a whole number, small, busy, or a JSON file (default: 1)')
    .addOption(
      new Option('--clock <kind>', 'follow the machine clock, or move only by command').choices([
        'real',
        'manual',
      ]),
    )
    .option('--start-at <time>', 'server time at the start, ISO 8601 with a zone (default: now)')
    .option('--rate-limit <number>', 'requests per client and minute, or off (default: 120)')
    .option('--environment <name>', 'environment of the sandbox (default: sandbox)')
    .option('--require-tls', 'refuse requests without TLS, as deployed environments do')
    .option(
      '--allow-ip <address>',
      'an approved source address or CIDR block; repeatable (default: all)',
      gathered,
    )
    .option('--max-body-bytes <number>', 'largest request body (default: 33554432)')
    .option('--scan <duration>', 'duration of a document scan (default: 1s)')
    .option('--keep-attempts <number>', 'number of requests to keep (default: 10000)')
    .option('--private-webhooks', 'deliver webhooks to private addresses and without TLS')
    .option('--variant <row=choice>', 'behaviour where the API text leaves a choice; repeatable', gathered)
    .option(
      '--deployment <laravel|habit=choice>',
      'forms of a real deployment, such as money as numbers; repeatable',
      gathered,
    )
    .addOption(new Option('--as <who>', 'party of the env lines').choices(whos).default('dealer'))
    // Not --env-file, because Node consumes that option itself.
    .option('--write-env <path>', 'also write the env lines to a file')
    .option('--json', 'print one line of JSON for scripts; everything else goes to stderr')
    .option('--quiet', 'do not log requests')
    .option('--no-inspector', 'do not serve the inspector page')
    .option('--no-commands', 'do not read commands from standard input')
    .action((flags: Flags) => interruptible(terminal, (signal) => runSandbox(flags, terminal, signal)));
  command.addHelpText('after', examples);
}

async function runSandbox(flags: Flags, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const say = (text: string) => (flags.json ? terminal.err(`${text}\n`) : terminal.out(`${text}\n`));
  const sandbox = await started(flags, say);
  try {
    if (flags.writeEnv !== undefined) writeEnvFile(flags.writeEnv, envLinesOf(sandbox, flags.as));
  } catch (error) {
    await sandbox.close();
    throw error;
  }
  const stopped = untilStopped(sandbox, flags, say, signal);
  if (flags.json) terminal.out(`${JSON.stringify(forScripts(sandbox, flags))}\n`);
  else say(announcement(sandbox, flags));
  await stopped;
  await sandbox.close();
}

async function started(flags: Flags, say: (text: string) => void): Promise<Sandbox> {
  const options = optionsOf(flags);
  const { startSandbox } = await import('../../sandbox/index.js');
  try {
    return await startSandbox({ ...options, log: flags.quiet ? undefined : say });
  } catch (error) {
    // The sandbox refuses invalid options with a RangeError.
    if (error instanceof RangeError) throw new UsageError(error.message, { cause: error });
    throw isPortTaken(error)
      ? new Error(`Port ${flags.port} is already in use. Choose another --port, or 0 for a free one.`)
      : error;
  }
}

/** Runs typed commands until a signal or `stop`. The end of the input does not stop the sandbox. */
function untilStopped(
  sandbox: Sandbox,
  { commands }: Flags,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const input = commands ? createInterface({ input: process.stdin, terminal: false }) : undefined;
    const stop = () => {
      input?.close();
      process.stdin.destroy();
      resolve();
    };
    void fired(signal).then(stop);
    input?.on('line', (line) => {
      if (carryOut(sandbox, line, say) === 'stop') stop();
    });
  });
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

function gathered(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

const examples = `
The default base URL is http://127.0.0.1:4010/api/v1, so a .env file stays valid between runs.
Type a command per line while the sandbox runs; "help" lists them.

  vehicle-auction-sdk sandbox --write-env .env.sandbox
  vehicle-auction-sdk sandbox --seed busy --rate-limit off
  vehicle-auction-sdk sandbox --seed my-auctions.json --clock manual --start-at 2026-03-02T09:00:00+05:30
  vehicle-auction-sdk sandbox --as bank --variant decision-values=rejected-too
  vehicle-auction-sdk sandbox --deployment laravel --deployment ids=text
`;
