import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { ConfigurationError } from '../../errors/local.js';
import { connected } from '../client/session.js';
import { type ConnectionFlags, settingsOf } from '../client/settings.js';
import { Exit, exits } from '../exit.js';
import { Output } from '../output.js';
import type { Terminal } from '../terminal.js';
import { UsageError } from '../usage-error.js';

interface SignFlags extends ConnectionFlags {
  readonly body?: string;
  readonly curl?: boolean;
}

/** `sign`: the headers of one request that another program sends. */
export function addSign(program: Command, terminal: Terminal): void {
  connected(
    program
      .command('sign')
      .argument('<method>')
      .argument('<path>', 'after /api/v1, such as /events?status=live')
      .option('--body <file>', 'file of the exact bytes to send, or - for standard input')
      .option('--curl', 'print a whole curl command')
      .description('Print the signed headers of one request, valid for five minutes and once.'),
    'sign GET /events?status=live --curl\nsign POST /lots/lot_1/bids --body bid.json --json',
  ).action(async (given: string, target: string, flags: SignFlags) => {
    const { credentials, options } = await settingsOf(flags, terminal);
    const method = given.toUpperCase();
    const [bare = '', search = ''] = target.split('?');
    if (!bare.startsWith('/'))
      throw new UsageError(`The path must begin with "/", not ${JSON.stringify(target)}.`);
    const path = `/api/v1${bare}`;
    const { signRequest } = await import('../../index.js');
    const { headers, canonicalQuery } = signRequest({
      ...credentials,
      method,
      path,
      query: new URLSearchParams(search),
      timestamp: Math.floor(Date.now() / 1_000),
      nonce: crypto.randomUUID(),
      ...(flags.body !== undefined && { body: readFileSync(flags.body === '-' ? 0 : flags.body) }),
    });
    const all = {
      ...headers,
      Accept: 'application/json',
      ...(flags.body !== undefined && { 'Content-Type': 'application/json' }),
    };
    if (flags.curl !== true) return new Output(terminal, flags.json === true).item(all);
    if (options.baseUrl === undefined) throw new ConfigurationError('baseUrl', 'must be given for --curl');
    const root = options.baseUrl.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
    const url = `${root}${path}${canonicalQuery === '' ? '' : `?${canonicalQuery}`}`;
    const args = [
      `curl --path-as-is --globoff -X ${method}`,
      ...Object.entries(all).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
      ...(flags.body === undefined ? [] : [`--data-binary ${shellQuoted(`@${flags.body}`)}`]),
      shellQuoted(url),
    ];
    terminal.out(`${args.join(' \\\n  ')}\n`);
  });
}

/** `explain`: why the service refused a signature. */
export function addExplain(program: Command, terminal: Terminal): void {
  connected(
    program
      .command('explain')
      .argument('<file>', 'JSON of the refused request: method, url, headers, body; or - for standard input')
      .description('Find the mistake in a signature that was refused; sends nothing.'),
    'explain refused.json\necho \'{"method":"GET","url":"/api/v1/events","headers":{}}\' | vehicle-auction-sdk explain -',
  ).action(async (file: string, flags: ConnectionFlags) => {
    const { credentials } = await settingsOf(flags, terminal);
    const { explainLoggedSignature, loggedRequestIn } = await import('../../sandbox/explain-signature.js');
    const logged = loggedRequestIn(readFileSync(file === '-' ? 0 : file, 'utf8'));
    if (logged === undefined) {
      throw new UsageError(
        'The request must be JSON with method, url, headers and body, the text as it was sent.',
      );
    }
    const explained = explainLoggedSignature(logged, credentials.signingSecret);
    new Output(terminal, flags.json === true).item(explained);
    if (explained.signature === 'invalid') throw new Exit(exits.refused);
  });
}

/** Quotes an argument for a POSIX shell. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
