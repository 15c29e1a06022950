import Table from 'cli-table3';
import { variable } from '../../client/environment.js';
import type { Sandbox } from '../../sandbox/index.js';
import { envLine } from '../env-lines.js';
import { type Flags, type Who, whos } from './flags.js';

type Telling = Pick<Flags, 'as' | 'deployment' | 'inspector' | 'commands' | 'host' | 'port' | 'origin'>;

/** Text that the start of a sandbox prints. */
export function announcement(sandbox: Sandbox, telling: Telling): string {
  const inspector = inspectorOf(sandbox, telling);
  const told = [
    `The sandbox listens at ${sandbox.baseUrl}`,
    ...(inspector === null ? [] : [`The inspector is at ${inspector}`]),
    ...(telling.deployment === undefined ? [] : [`Replies are written as ${habitsOf(sandbox)}`]),
    '',
    credentialsTable(sandbox),
    'The secrets are invented and work only in this sandbox.',
    '',
    ...envLinesOf(sandbox, telling.as),
    '',
    telling.commands
      ? 'Type a command per line; "help" lists them. Press Ctrl-C to stop.'
      : 'Press Ctrl-C to stop.',
    '',
  ];
  return told.join('\n');
}

/** Every habit and its choice, such as `money=mixed`. */
function habitsOf({ deployment }: Sandbox): string {
  return Object.entries(deployment)
    .map((pair) => pair.join('='))
    .join(', ');
}

/** JSON that the start of a sandbox prints for scripts. */
export function forScripts(sandbox: Sandbox, telling: Telling) {
  return {
    baseUrl: sandbox.baseUrl,
    inspector: inspectorOf(sandbox, telling),
    credentials: sandbox.credentials,
    env: Object.fromEntries(variablesOf(sandbox, telling.as)),
  };
}

/** Environment lines of one party for a client. */
export function envLinesOf(sandbox: Sandbox, who: Who): string[] {
  return [
    `# The ${who} of the sandbox. The secret is invented.`,
    ...variablesOf(sandbox, who).map(([name, value]) => envLine(name, value)),
  ];
}

function variablesOf(
  { baseUrl, credentials }: Sandbox,
  who: Who,
): (readonly [name: string, value: string])[] {
  const { clientId, keyId, signingSecret, dealerId } = credentials[who];
  return [
    [variable('BASE_URL'), baseUrl],
    [variable('CLIENT_ID'), clientId],
    [variable('KEY_ID'), keyId],
    [variable('SIGNING_SECRET'), signingSecret],
    ...(dealerId === undefined ? [] : [[variable('DEALER_ID'), dealerId] as const]),
    [variable('ENVIRONMENT'), 'sandbox'],
    [variable('ACTOR'), isPartner(who) ? 'partner' : 'bank'],
    ...(isPartner(who) ? [[variable('PARTNER_TYPE'), partnerTypes[who]] as const] : []),
  ];
}

const partnerTypes = {
  dealer: 'direct_dealer',
  rival: 'direct_dealer',
  platform: 'platform',
  aggregator: 'aggregator',
} as const;

function isPartner(who: Who): who is keyof typeof partnerTypes {
  return Object.hasOwn(partnerTypes, who);
}

function credentialsTable({ credentials }: Sandbox): string {
  const table = new Table({
    head: ['who', 'client id', 'key id', 'signing secret', 'dealer'],
    // Plain text without colours, for files and terminals.
    style: { head: [], border: [], compact: true },
  });
  for (const who of whos) {
    const { clientId, keyId, signingSecret, dealerId } = credentials[who];
    table.push([who, clientId, keyId, signingSecret, dealerId ?? '']);
  }
  return table.toString();
}

/** URL of the inspector at the server's own address, not a proxy's. */
function inspectorOf(
  { baseUrl, controlToken }: Sandbox,
  { inspector, origin, host, port }: Telling,
): string | null {
  if (!inspector) return null;
  const token = controlToken === undefined ? '' : `#token=${controlToken}`;
  if (origin === undefined) return `${new URL(baseUrl).origin}/${token}`;
  const named = (host ?? '127.0.0.1').replace(/^(.*:.*)$/, '[$1]');
  return port === '0' ? null : `http://${named}:${port}/${token}`;
}
