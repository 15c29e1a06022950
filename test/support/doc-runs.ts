import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TlsOptions } from 'node:tls';
import { promisify } from 'node:util';
import ts from 'typescript';
import { type Fault, type SandboxCredentials, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { environmentOf } from '../examples/program.js';
import { alone, authority, server as identity } from './certificates.js';
import { connectProxy } from './connect-proxy.js';
import type { DocBlock } from './doc-blocks.js';
import { newDatabase } from './postgres/shared.js';
import { root } from './sources.js';

/** What a block may be marked with behind `run`. */
export const runMarks =
  /^(?:dealer|platform|aggregator|bank|tunnel|mtls|vitest|commonjs|postgres|shows|fault:(?<fault>[a-z_]+)|call:(?<call>[a-z]+))$/;

export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  /** How many requests its sandbox saw; undefined for a block that brings its own, or needs none. */
  readonly asked: number | undefined;
  /** How much it recorded. */
  readonly committed: number;
  /** How many of them went through the proxy. */
  readonly tunnels: number;
}

/**
 * Runs a block as a reader would, as a file of a project that has installed the package, in a process of its own.
 * `dealer`, `platform`, `aggregator` or `bank` deploys it first: a sandbox of its own, seed 1, stands behind the
 * environment variables. `fault:` strikes its first bids and lookups, `tunnel` leaves no way out but a proxy, `mtls` puts
 * a service in front that wants a client certificate, `call:` lets a caller of test/docs/callers.ts use what the block
 * exports or serves, `postgres` gives it an empty database, `vitest` runs a suite, and `commonjs` is not a module. A
 * block that `shows` prints what the comments after its `console.log` say.
 *
 * @throws Error if it doesn't end by itself, or ends badly; the message has what it said.
 */
export async function runBlock(block: DocBlock): Promise<Outcome> {
  const kind = kinds.find((one) => block.marks.includes(one));
  await using project = await newProject(block);
  if (kind === undefined) return { ...(await project.run({})), asked: undefined, committed: 0, tunnels: 0 };
  const sandbox = await startSandbox();
  try {
    const fault = wordOf(block, 'fault');
    if (fault !== undefined) {
      for (const [operation, times] of faulty) sandbox.inject({ ...({ fault } as Fault), operation, times });
    }
    const credentials: SandboxCredentials = sandbox.credentials[kind];
    const { clientId, keyId, signingSecret } = credentials;
    const file = join(project.folder, 'auction-key.json');
    await writeFile(file, JSON.stringify({ clientId, keyId, signingSecret }));
    const profile = { version: 1, origin: sandbox.baseUrl, settings: { statusBatchSize: 50 } };
    await writeFile(join(project.folder, 'deployment.json'), JSON.stringify(profile));
    const variables = {
      VEHICLE_AUCTION_DEALER_ID: '',
      ...environmentOf(sandbox.baseUrl, credentials),
      ...(block.marks.includes('postgres') && { DATABASE_URL: await newDatabase() }),
    };
    const seen = () => ({ asked: sandbox.attempts().length, committed: sandbox.ledger().length });
    if (block.marks.includes('mtls')) {
      await using service = await overTls(new URL(sandbox.baseUrl).port, clientCertificate);
      const baseUrl = `https://127.0.0.1:${service.port}/api/v1`;
      return {
        ...(await project.run({ ...variables, VEHICLE_AUCTION_BASE_URL: baseUrl })),
        ...seen(),
        tunnels: 0,
      };
    }
    if (!block.marks.includes('tunnel')) return { ...(await project.run(variables)), ...seen(), tunnels: 0 };
    await using service = await overTls(new URL(sandbox.baseUrl).port);
    await using proxy = await connectProxy(service.port);
    const way = {
      VEHICLE_AUCTION_BASE_URL: 'https://bank.test/api/v1',
      HTTPS_PROXY: `http://${proxy.host}`,
    };
    const said = await project.run({ ...variables, ...way });
    return { ...said, ...seen(), tunnels: proxy.tunnels.length };
  } finally {
    await sandbox.close();
  }
}

/** A handshake ends badly without the certificate `alone`. */
const clientCertificate = { requestCert: true, rejectUnauthorized: true, ca: alone.cert };

/** Which requests a fault strikes, and how many: what a call retries by default, and one lookup that needs a third try. */
const faulty = [
  ['bids.submit', 3],
  ['A06', 2],
] as const;

/** Who may be deployed, by the names of `sandbox.credentials`. */
const kinds = ['dealer', 'platform', 'aggregator', 'bank'] as const;

/** What a block says that it prints: the comments after each `console.log`, in order. */
export function shownBy({ code }: DocBlock): string[] {
  return [...code.matchAll(/^ *console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text = '']) => text);
}

/** The word behind `fault:` or `call:`. */
function wordOf(block: DocBlock, of: 'fault' | 'call'): string | undefined {
  return block.marks.map((mark) => runMarks.exec(mark)?.groups?.[of]).find((word) => word !== undefined);
}

/** A folder with the block in it, the packages that it may import, and the files that it may read. */
async function newProject(block: DocBlock) {
  const folder = await mkdtemp(join(tmpdir(), 'doc-block-'));
  const packages = join(folder, 'node_modules');
  await mkdir(packages);
  await symlink(root, join(packages, 'vehicle-auction-sdk'), 'junction');
  for (const name of [
    '@dbos-inc',
    'express',
    'fastify',
    'msw',
    'pg',
    'pg-boss',
    'pino',
    'undici',
    'vitest',
  ]) {
    await symlink(join(root, 'node_modules', name), join(packages, name), 'junction');
  }
  await writeFile(join(folder, 'company-root.pem'), authority);
  await writeFile(join(folder, 'client.pem'), alone.cert);
  await writeFile(join(folder, 'client.key.pem'), alone.key);

  const suite = block.marks.includes('vitest');
  const file = suite ? 'block.test.ts' : block.marks.includes('commonjs') ? 'block.cjs' : 'block.mjs';
  await writeFile(join(folder, file), suite ? block.code : plain(block.code));
  const call = wordOf(block, 'call');
  if (call !== undefined) {
    const callers = await readFile(join(root, 'test/docs/callers.ts'), 'utf8');
    await writeFile(join(folder, 'callers.mjs'), plain(callers));
    const start = `import { call } from './callers.mjs';\nawait call('${call}', () => import('./${file}'));\n`;
    await writeFile(join(folder, 'start.mjs'), start);
  }
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder];
  const program = suite ? vitest : [call === undefined ? file : 'start.mjs'];
  return {
    folder,
    run: (variables: Record<string, string>) =>
      promisify(execFile)(process.execPath, program, {
        cwd: folder,
        env: { ...bareEnvironment(), ...variables, WEBHOOK_SECRET: 'whsec_test', NO_COLOR: '1' },
        timeout: 300_000,
      }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

function plain(code: string): string {
  const target = ts.ScriptTarget.ES2022;
  return ts.transpileModule(code, { compilerOptions: { target, module: ts.ModuleKind.ESNext } }).outputText;
}

/** This process's own, but for what speaks to the client, to Node or to a vitest inside vitest. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const meant =
    /^(?:VEHICLE_AUCTION_.*|(?:https?|all|no)_proxy|NODE_.*|VITEST.*|(?:FORCE|NO)_COLOR|TEST|DEV|PROD|MODE)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !meant.test(name)));
}

/** The sandbox with TLS in front of it, as it is deployed. */
async function overTls(port: string, options: TlsOptions = {}) {
  const server = createServer({ ...identity, ...options }, (socket) => {
    const service = connect(Number(port), '127.0.0.1');
    service.on('error', () => socket.destroy());
    socket.on('error', () => service.destroy());
    socket.pipe(service).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}
