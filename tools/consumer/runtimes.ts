import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { signDelivery } from '../../src/webhooks/index.js';
import requests from '../../test/vectors/signing.json' with { type: 'json' };
import deliveries from '../../test/vectors/webhooks.json' with { type: 'json' };
import { programIn } from './programs.js';
import { inParallel, installedVersion, projectWith, type Row, root, run } from './project.js';
import { type Served, serve, serveInWorkerd } from './serve.js';

/** Programs that each export a fetch handler, which Bun, Deno and Cloudflare Workers all serve. */
type Program = 'worker.ts' | 'webhook.ts' | 'vectors.mjs' | 'connections.mjs';

type SandboxModule = typeof import('../../src/sandbox/index.js');

/** A runtime and the way to serve a program on it. */
interface Server {
  readonly name: string;
  /** Whether its fetch makes the connections, and not undici. */
  readonly refusesConnections: boolean;
  /** Whether it has the modules of Node. Without them, @noble/hashes signs. */
  readonly hasNode: boolean;
  serve(program: Program, env?: Readonly<Record<string, string>>): Promise<Served>;
}

/**
 * Installs the tarball in an empty project and runs it on Bun, Deno and Cloudflare Workers: the first program of the
 * README, a first bid, a webhook, all signing vectors, and the stores on the SQLite of Bun and of Deno.
 */
export async function onOtherRuntimes(scratch: string, tarball: string): Promise<Row[]> {
  const project = await projectWith(join(scratch, 'runtimes'), {
    'vehicle-auction-sdk': `file:${tarball}`,
    pg: '^8.0.0',
    ...binaries,
  });
  cpSync(join(root, 'tools/consumer/programs'), project, { recursive: true });
  cpSync(join(root, 'tools/consumer/runtimes'), project, { recursive: true });
  writeFileSync(join(project, 'first-bid.mjs'), programIn('README.md', 'run'));
  writeFileSync(join(project, 'worker.ts'), programIn('docs/runtimes.md', 'run dealer call:worker'));
  writeFileSync(join(project, 'webhook.ts'), programIn('docs/runtimes.md', 'run call:handler'));
  const bun = join(project, 'node_modules/bun-binary/bin/bun');
  const deno = join(project, 'node_modules/deno-binary/deno');
  const bunName = `Bun ${installedVersion(project, 'bun-binary')}`;
  const denoName = `Deno ${installedVersion(project, 'deno-binary')}`;

  const script = ['run', '--allow-all'];
  const onBun: Server = {
    name: bunName,
    refusesConnections: true,
    hasNode: true,
    serve: (program) => serve(bun, ['run', program], project, { PORT: '0' }),
  };
  const onDeno: Server = {
    name: denoName,
    refusesConnections: false,
    hasNode: true,
    serve: (program) => serve(deno, ['serve', '--allow-all', '--port', '0', program], project),
  };
  const version = installedVersion(project, 'workerd-binary');
  const onWorkers = workerSettings(version).map(
    (settings): Server => ({
      name: `workerd ${version}, ${settings.date}${settings.flags.map((flag) => `, ${flag}`).join('')}`,
      refusesConnections: true,
      hasNode: settings.flags.length > 0 || settings.date >= NODE_BY_DEFAULT,
      serve: (program, env) => serveInWorkerd(project, program, { ...settings, env }),
    }),
  );
  const url = pathToFileURL(join(project, 'node_modules/vehicle-auction-sdk/dist/sandbox.js')).href;
  const sandboxModule: SandboxModule = await import(url);
  await inParallel([
    () => expectOutput(bunName, bun, ['main.mjs', 'stores'], project, 'accepted once'),
    () => expectOutput(denoName, deno, [...script, 'main.mjs', 'stores'], project, 'accepted once'),
    () => expectOutput(bunName, bun, ['first-bid.mjs'], project, ': accepted at '),
    () => expectOutput(denoName, deno, [...script, 'first-bid.mjs'], project, ': accepted at '),
    () => expectOutput(bunName, bun, ['deliveries.mjs'], project, 'approved at '),
    () => expectOutput(denoName, deno, [...script, 'deliveries.mjs'], project, 'approved at '),
    ...[onBun, onDeno, ...onWorkers].map((server) => () => checkServer(server)),
    ...onWorkers.map((server) => () => checkWorker(server, sandboxModule)),
  ]);
  const what = 'a webhook, all signing vectors';
  return [
    [`README on ${bunName}`, `its first program; ${what}; the receiver; SQLite of Bun`],
    [`README on ${denoName}`, `its first program; ${what}; the receiver; SQLite of Deno`],
    ...onWorkers.map(({ name }): Row => [name, `a first bid, ${what}`]),
  ];
}

const { platform, arch } = process;

/** The runtimes from npm, for this machine. */
const binaries = {
  'bun-binary': `npm:@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}@1`,
  'deno-binary': `npm:@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}@2`,
  'workerd-binary': `npm:@cloudflare/workerd-${platform}-${arch === 'x64' ? '64' : arch}@1`,
};

/** Places a bid from the Worker of the docs, in a sandbox of this process. */
async function checkWorker(server: Server, { startSandbox }: SandboxModule): Promise<void> {
  const sandbox = await startSandbox();
  try {
    const { clientId, keyId, signingSecret, dealerId = '' } = sandbox.credentials.dealer;
    const env = {
      BASE_URL: sandbox.baseUrl,
      CLIENT_ID: clientId,
      KEY_ID: keyId,
      SIGNING_SECRET: signingSecret,
      DEALER_ID: dealerId,
    };
    const [bid] = await answersOf(server, 'worker.ts', [{}], env);
    expectAnswer(server, 'worker.ts', [bid?.['status'], sandbox.ledger().length], ['accepted', 1]);
  } finally {
    await sandbox.close();
  }
}

/** Serves the programs that need no service, and compares their answers. */
async function checkServer(server: Server): Promise<void> {
  const event = {
    id: 'evt_1',
    type: 'schedule.changed',
    schema_version: 1,
    created_at: '2026-01-01T00:00:00+00:00',
    data: {},
  };
  const { headers, body } = signDelivery({ secret: 'whsec_test', body: event });
  const forged = body.map((byte, index) => (index === 8 ? byte + 1 : byte));
  const received = await answersOf(server, 'webhook.ts', [
    { headers, body },
    { headers, body: forged },
  ]);
  const expected = [{ type: event.type, id: event.id }, { refused: 'signature_mismatch' }];
  expectAnswer(server, 'webhook.ts', received, expected);

  const vectors = await answersOf(server, 'vectors.mjs', [
    { body: JSON.stringify({ requests: requests.map(requestOf), deliveries: deliveries.map(deliveryOf) }) },
  ]);
  const signed = requests.map(({ signature }) => signature);
  expectAnswer(server, 'vectors.mjs', vectors, [{ signed, valid: deliveries.map(({ valid }) => valid) }]);

  const names = server.refusesConnections
    ? ['proxy', 'tls', 'localAddress']
    : ['accepted', 'accepted', 'accepted'];
  expectAnswer(server, 'connections.mjs', await answersOf(server, 'connections.mjs', [{}]), [
    { refused: names, hasNode: server.hasNode },
  ]);
}

/** The JSON that a program replies with to each request. @throws Error with all that it printed if it fails */
async function answersOf(
  server: Server,
  program: Program,
  inits: readonly RequestInit[],
  env: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>[]> {
  const served = await server.serve(program, env);
  const answers: Record<string, unknown>[] = [];
  try {
    for (const init of inits) {
      const response = await fetch(served.url, { method: 'POST', ...init });
      const text = await response.text();
      if (!text.startsWith('{'))
        throw new Error(
          `${program} on ${server.name} replied ${response.status} ${text}\n${served.printed()}`,
        );
      answers.push(JSON.parse(text));
    }
  } finally {
    await served.stop();
  }
  return answers;
}

function expectAnswer(server: Server, program: Program, answer: unknown, expected: unknown): void {
  if (isDeepStrictEqual(answer, expected)) return;
  throw new Error(
    `${program} on ${server.name} replied ${JSON.stringify(answer)}, not ${JSON.stringify(expected)}`,
  );
}

async function expectOutput(
  name: string,
  binary: string,
  args: readonly string[],
  cwd: string,
  expected: string,
) {
  const { stdout } = await run(binary, args, cwd);
  if (!stdout.includes(expected)) throw new Error(`${args.join(' ')} on ${name} printed:\n${stdout}`);
}

function requestOf(vector: (typeof requests)[number]) {
  const { method, path, params, timestamp, nonce, secret, body_base64 } = vector;
  return { method, path, query: params, timestamp, nonce, signingSecret: secret, body: body_base64 };
}

function deliveryOf(vector: (typeof deliveries)[number]) {
  const { timestamp, now, secret, tolerance_seconds, signature_header, raw_body_base64 } = vector;
  const headers = { 'Service-Timestamp': timestamp, 'Service-Signature': signature_header };
  const options = { secrets: secret, tolerance: tolerance_seconds * 1000, now: Number(now) * 1000 };
  return { body: raw_body_base64, headers, options };
}

/** From this compatibility date on, `nodejs_compat` is the default. */
const NODE_BY_DEFAULT = '2026-08-04';

/** The earliest date that is supported, the day before the modules of Node became a default, and the latest date. */
function workerSettings(version: string) {
  const [, year, month, day] = /^1\.(\d{4})(\d\d)(\d\d)\./.exec(version) ?? [];
  return [
    { date: '2024-09-23', flags: [] },
    { date: '2024-09-23', flags: ['nodejs_compat'] },
    { date: '2026-08-03', flags: [] },
    { date: `${year}-${month}-${day}`, flags: [] },
  ];
}
