import { type Command, Option } from 'commander';
import { type Forwarded, isSuccess, postTo, signed } from '../../relay/post.js';
import { Relay } from '../../relay/relay.js';
import { readText } from '../client/settings.js';
import { withExamples } from '../help.js';
import { whos } from '../sandbox/flags.js';
import { fired, interruptible, type Terminal } from '../terminal.js';
import { UsageError } from '../usage-error.js';

import { record, recorded } from '../webhook/recording.js';

import { runningSandbox } from './running-sandbox.js';
import { addStoredEvents } from './stored-events.js';

interface CommonFlags {
  readonly forward: string;
  readonly record: string;
  readonly secretFile?: string;
  readonly json?: boolean;
}

interface ListenFlags extends CommonFlags {
  readonly sandbox: string;
  readonly as: string;
  readonly duplicateEvery?: string;
  readonly lateEvery?: string;
}

interface ReplayFlags extends CommonFlags {
  readonly all?: boolean;
}

/** Default signing secret. Invented. */
const SECRET = 'whsec_of_vehicle_auction_webhook_listen';

/** `vehicle-auction-sdk webhook` */
export function addWebhook(program: Command, terminal: Terminal): void {
  const all = program
    .command('webhook')
    .description('Stored events of a receiver, and deliveries to an endpoint in development.');
  const listen = all
    .command('listen')
    .description('Forward signed events of a running sandbox to your endpoint.')
    .option('--sandbox <url>', 'address of the sandbox', 'http://127.0.0.1:4010')
    .addOption(new Option('--as <who>', 'party whose events to forward').choices(whos).default('dealer'))
    .option('--duplicate-every <number>', 'send every nth event twice')
    .option('--late-every <number>', 'hold every nth event back, so that it arrives after others');
  common(listen, 'listen --forward http://localhost:3000/hook --as platform').action((flags: ListenFlags) =>
    interruptible(terminal, (signal) => untilInterrupted(flags, terminal, signal)),
  );
  const replay = all
    .command('replay')
    .argument('[event]', 'event id; defaults to the latest one')
    .description('Send a recorded event to your endpoint again, with a new signature.')
    .option('--all', 'send all recorded events, oldest first');
  common(replay, 'replay evt_1 --forward http://localhost:3000/hook').action(
    (event: string | undefined, flags: ReplayFlags) => sendRecorded(event, flags, terminal),
  );
  addStoredEvents(all, terminal);
}

function common(command: Command, example: string): Command {
  command
    .requiredOption('--forward <url>', 'your endpoint, such as http://localhost:3000/hook')
    .option('--record <path>', 'file of recorded deliveries', 'webhooks.jsonl')
    .option(
      '--secret-file <path>',
      'file of the signing secret (default: WEBHOOK_SECRET, or an invented one)',
    )
    .option('--json', 'print one line of JSON for each delivery');
  return withExamples(command, `webhook ${example}`, exitCodes);
}

async function untilInterrupted(flags: ListenFlags, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const relay = await listen(flags, terminal);
  const isGone = await Promise.race([relay.gone.then(() => true), fired(signal).then(() => false)]);
  await relay.stop();
  if (isGone) throw new Error('The sandbox stopped or restarted. Start "webhook listen" again.');
}

/** Starts forwarding. */
export async function listen(flags: ListenFlags, terminal: Terminal, checkEvery = 5_000): Promise<Relay> {
  const sandbox = runningSandbox(flags.sandbox);
  const forward = receiverUrl(flags.forward);
  const secret = secretOf(flags, terminal);
  const relay = await Relay.start({
    sandbox,
    who: flags.as,
    forward,
    secret,
    duplicateEvery: countOf('--duplicate-every', flags.duplicateEvery),
    lateEvery: countOf('--late-every', flags.lateEvery),
    checkEvery,
    record: (delivery) => record(flags.record, delivery),
    onForwarded: (forwarded) => print(forwarded, flags, terminal),
  });
  const said = [
    `Events of the ${flags.as} at ${sandbox.origin} go to ${forward}`,
    secret === SECRET ? `They are signed with WEBHOOK_SECRET=${SECRET}` : 'They are signed with your secret.',
    `They are recorded in ${flags.record}. Press Ctrl-C to stop.`,
  ];
  (flags.json ? terminal.err : terminal.out)(`${said.join('\n')}\n`);
  return relay;
}

async function sendRecorded(
  event: string | undefined,
  flags: ReplayFlags,
  terminal: Terminal,
): Promise<void> {
  const forward = receiverUrl(flags.forward);
  const all = recorded(flags.record);
  if (flags.all === true && event !== undefined)
    throw new UsageError('Use either an event id or --all, not both.');
  const chosen = flags.all
    ? all
    : all
        .filter(({ id }, index) => (event === undefined ? index === all.length - 1 : id === event))
        .slice(-1);
  if (chosen.length === 0)
    throw new UsageError(`${flags.record} has no event ${event ?? ''}`.trimEnd().concat('.'));
  const secret = secretOf(flags, terminal);
  let refused = 0;
  for (const { id, type, body } of chosen) {
    const bytes = new TextEncoder().encode(body);
    const headers = signed(bytes, secret, Math.floor(Date.now() / 1000), id);
    const { answer } = await postTo(forward, bytes, headers);
    print({ event: id, type, kind: 'replay', ...answer }, flags, terminal);
    if (!isSuccess(answer.status)) refused += 1;
  }
  if (refused > 0)
    throw new Error(`${refused} of ${chosen.length} deliveries were not accepted by ${forward}.`);
}

function print(forwarded: Forwarded, { json }: CommonFlags, terminal: Terminal): void {
  terminal.out(json ? `${JSON.stringify(forwarded)}\n` : `${deliveryLine(forwarded)}\n`);
}

/** Formats a result as one line of text. */
function deliveryLine({ event, type, kind, status, ms, problem }: Forwarded): string {
  const note = kind === 'first' ? '' : ` (${kind})`;
  const answer =
    kind === 'late' ? 'held back; the sandbox sends it again in 10 s' : `${status ?? problem} in ${ms} ms`;
  return `${type} ${event}${note}: ${answer}`;
}

/** Checks the URL of a receiver. @throws UsageError */
function receiverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
  throw new UsageError(
    `--forward is invalid: "${text}". Use the URL of your endpoint, such as http://localhost:3000/hook.`,
  );
}

/** No flag takes the secret: others see the arguments of a process. */
function secretOf({ secretFile }: CommonFlags, { env = process.env }: Terminal): string {
  if (secretFile !== undefined) return readText(secretFile).replace(/\r?\n$/, '');
  return env['WEBHOOK_SECRET'] || SECRET;
}

function countOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new UsageError(`${flag} must be a whole number from 1, not "${text}".`);
  return Number(text);
}

const exitCodes =
  'Exit codes: 0 done; 1 no reply from the sandbox or endpoint, or a delivery was not accepted; 2 invalid arguments.';
