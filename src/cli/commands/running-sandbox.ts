import { setInterval } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { logLines } from '../../sandbox/http/attempts.js';
import { RunningSandbox } from '../../sandbox/inspector/control-client.js';
import { Exit, exits } from '../exit.js';
import { withExamples } from '../help.js';
import { Output } from '../output.js';
import { interruptible, type Terminal } from '../terminal.js';
import { UsageError } from '../usage-error.js';

interface CommonFlags {
  readonly sandbox: string;
  readonly json?: boolean;
}

interface TriggerFlags extends CommonFlags {
  readonly as: string;
  readonly list?: boolean;
}

/** Commands for a sandbox that runs in another terminal. */
export function addRunningSandbox(program: Command, terminal: Terminal): void {
  common(
    program
      .command('trigger')
      .argument('[type]', 'event type, such as sale.approved; "award" leaves a sale for the bank to decide')
      .description('Make a running sandbox emit an event.')
      .option('--list', 'list the types, the state of the sale afterwards, and where the event arrives')
      .addOption(new Option('--as <who>', 'party that bids').choices(buyers).default('dealer')),
    'trigger --list\ntrigger award\ntrigger sale.approved\ntrigger payment.verified --as platform --json',
  ).action((type: string | undefined, flags: TriggerFlags) => trigger(type, flags, terminal));
  common(
    program.command('logs').description('Follow the requests of a running sandbox.'),
    'logs\nlogs --json | jq .code',
  ).action((flags: CommonFlags) =>
    interruptible(terminal, (signal) => printRequests(flags, terminal, signal)),
  );
}

function common(command: Command, examples: string): Command {
  command
    .option('--sandbox <url>', 'address of the sandbox', 'http://127.0.0.1:4010')
    .option('--json', 'print one line of JSON for each item');
  return withExamples(command, examples, exitCodes);
}

/** @throws UsageError for an address that is no URL */
export function runningSandbox(address: string): RunningSandbox {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return new RunningSandbox(url);
  throw new UsageError(`--sandbox is invalid: "${address}". Use an address such as http://127.0.0.1:4010.`);
}

async function trigger(type: string | undefined, flags: TriggerFlags, terminal: Terminal): Promise<void> {
  const sandbox = runningSandbox(flags.sandbox);
  const out = new Output(terminal, flags.json === true);
  if (flags.list) {
    await out.list(await sandbox.emittedTypes(), ['type', 'sale', 'arrives']);
    return;
  }
  if (type === undefined) throw new UsageError('Name an event type. "trigger --list" lists them.');
  out.item(await sandbox.trigger(type, flags.as));
}

/** Prints each request once it has its reply, until the person stops it. */
async function printRequests(flags: CommonFlags, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const sandbox = runningSandbox(flags.sandbox);
  const out = new Output(terminal, flags.json === true);
  let { total: last } = await sandbox.requests(0);
  out.say(`Following the requests at ${sandbox.origin}. Press Ctrl-C to stop.`);
  // Requests that are printed, or that had a reply before the start.
  const done = new Set<number>();
  let since = last;
  try {
    for await (const _ of setInterval(pollMs, undefined, { signal })) {
      const { rows, total } = await sandbox.requests(since);
      if (total < last) {
        out.say('The sandbox was restarted.');
        since = 0;
        done.clear();
      }
      last = total;
      const next = rows[0]?.n ?? since + 1;
      if (next > since + 1) {
        out.say('Some requests are not shown: more arrived than the log holds.');
        since = next - 1;
      }
      for (const row of rows.filter(({ n, status }) => status !== 'pending' && !done.has(n))) {
        done.add(row.n);
        if (flags.json) out.json(row);
        else terminal.out(`${requestLine(row)}\n`);
      }
      while (done.delete(since + 1)) since += 1;
    }
  } catch (error) {
    throw signal.aborted ? new Exit(exits.stopped) : error;
  }
}

/** The log line of the sandbox, with the signature hint in the same line. */
function requestLine(row: Parameters<typeof logLines>[0]): string {
  const [line = '', ...hints] = logLines({ ...row, canonical: null });
  return [line, ...hints.map((hint) => hint.trim())].join(' ');
}

const buyers = ['dealer', 'platform', 'aggregator', 'rival'];
const pollMs = 500;

const exitCodes =
  'Exit codes: 0 done; 1 no sandbox answers, or it refused; 2 invalid arguments; 130 stopped.';
