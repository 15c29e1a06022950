import { createInterface } from 'node:readline';
import { type Command, Option } from 'commander';
import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { writeEnvFile } from '../env-lines.js';
import { announcement, envLinesOf, forScripts } from '../sandbox/announcement.js';
import { carryOut } from '../sandbox/console.js';
import { type Flags, optionsOf, whos } from '../sandbox/flags.js';
import type { Terminal } from '../terminal.js';
import { UsageError } from '../usage-error.js';

/** `vehicle-auction sandbox` */
export function addSandbox(program: Command, terminal: Terminal): void {
  const command = program
    .command('sandbox')
    .description('Run the whole service on this machine: in memory, with invented credentials.')
    .option('--port <number>', 'port to listen on; 0 takes any free one', '4010')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--origin <url>', 'scheme, host and port by which clients know it, where a proxy is before it')
    .option('--prefix <path>', 'a front-controller segment such as /index.php')
    .option('--seed <seed>', 'what it begins with: a whole number, small, busy, or a JSON file (default: 1)')
    .addOption(
      new Option('--clock <kind>', 'runs with the machine, or is set by hand').choices(['real', 'manual']),
    )
    .option('--start-at <time>', 'server time at the start, ISO 8601 with a zone (default: now)')
    .option('--rate-limit <number>', 'requests a minute and client, or off (default: 120)')
    .option('--environment <name>', 'the environment it serves (default: sandbox)')
    .option('--require-tls', 'deny requests without TLS, as deployed environments do')
    .option(
      '--allow-ip <address>',
      'an approved source address or CIDR block; repeatable (default: all)',
      gathered,
    )
    .option('--max-body-bytes <number>', 'largest request body (default: 33554432)')
    .option('--scan <duration>', 'how long the scan of an uploaded document takes (default: 1s)')
    .option('--keep-attempts <number>', 'how many requests the inspector shows (default: 10000)')
    .option('--private-webhooks', 'deliver webhooks to private addresses and without TLS')
    .option('--variant <row=choice>', 'how an open question is settled; repeatable', gathered)
    .addOption(
      new Option('--as <who>', 'whose credentials the env lines have').choices(whos).default('dealer'),
    )
    // Not called --env-file: Node takes an option of that name for itself, wherever it appears.
    .option('--write-env <path>', 'write the env lines to a file too')
    .option('--json', 'print one line of JSON for scripts; everything else goes to stderr')
    .option('--quiet', 'print no line for each request')
    .option('--no-inspector', 'leave the inspector page out')
    .option('--no-commands', 'read no commands from the standard input')
    .action((flags: Flags) => run(flags, terminal));
  command.addHelpText('after', examples);
}

async function run(flags: Flags, terminal: Terminal): Promise<void> {
  const say = (text: string) => (flags.json ? terminal.err(`${text}\n`) : terminal.out(`${text}\n`));
  const sandbox = await started(flags, say);
  try {
    if (flags.writeEnv !== undefined) writeEnvFile(flags.writeEnv, envLinesOf(sandbox, flags.as));
  } catch (error) {
    await sandbox.close();
    throw error;
  }
  // A script that reads this line may stop the sandbox at once.
  const stopped = untilStopped(sandbox, flags, say);
  if (flags.json) terminal.out(`${JSON.stringify(forScripts(sandbox, flags))}\n`);
  else say(announcement(sandbox, flags));
  await stopped;
  await sandbox.close();
}

async function started(flags: Flags, say: (text: string) => void): Promise<Sandbox> {
  const options = optionsOf(flags);
  try {
    return await startSandbox({ ...options, log: flags.quiet ? undefined : say });
  } catch (error) {
    // All that a sandbox refuses of its options is a RangeError.
    if (error instanceof RangeError) throw new UsageError(error.message, { cause: error });
    throw isTaken(error)
      ? new Error(`port ${flags.port} is taken: give another --port, or 0 for any free one`)
      : error;
  }
}

/** Carries out what is typed, until a signal or `stop` comes. An input that ends stops nothing: there may never be one. */
function untilStopped(sandbox: Sandbox, { commands }: Flags, say: (text: string) => void): Promise<void> {
  return new Promise((resolve) => {
    const input = commands ? createInterface({ input: process.stdin, terminal: false }) : undefined;
    const stop = () => {
      for (const signal of signals) process.off(signal, stop);
      input?.close();
      process.stdin.destroy();
      resolve();
    };
    for (const signal of signals) process.on(signal, stop);
    input?.on('line', (line) => {
      if (carryOut(sandbox, line, say) === 'stop') stop();
    });
  });
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

function gathered(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

const signals = ['SIGINT', 'SIGTERM'] as const;

const examples = `
It listens at http://127.0.0.1:4010/api/v1 by default, so a .env file stays valid between runs.
While it runs it takes commands, a line each: "help" lists them.

  vehicle-auction sandbox --write-env .env.sandbox
  vehicle-auction sandbox --seed busy --rate-limit off
  vehicle-auction sandbox --seed my-auctions.json --clock manual --start-at 2026-03-02T09:00:00+05:30
  vehicle-auction sandbox --as bank --variant decision-values=rejected-too
`;
