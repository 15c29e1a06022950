import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { programIn } from './programs.js';
import { inParallel, installedVersion, projectWith, type Row, root, run } from './project.js';
import { serve } from './serve.js';
import { expectOneEffect, secret } from './webhook-route.js';

type SandboxModule = typeof import('../../src/sandbox/index.js');

/** Runs the package under Vitest with fake timers, in a bundle of Vite, behind NestJS, and in a frozen process. */
export async function inFrameworks(scratch: string, tarball: string): Promise<Row[]> {
  const project = await projectWith(join(scratch, 'frameworks'), {
    'vehicle-auction-sdk': `file:${tarball}`,
    vite: '^7.0.0',
    vitest: '^4.0.0',
    '@nestjs/common': '^11.0.0',
    '@nestjs/core': '^11.0.0',
    '@nestjs/platform-express': '^11.0.0',
    'reflect-metadata': '^0.2.0',
    rxjs: '^7.0.0',
  });
  cpSync(join(root, 'tools/consumer/programs/one-bid.cjs'), join(project, 'one-bid.cjs'));
  cpSync(join(root, 'tools/consumer/frameworks'), project, { recursive: true });
  await inParallel([
    () => run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run'], project),
    () => inVite(project),
    () => inNest(project),
    () => inLambda(project),
  ]);
  return [
    [`Vitest ${installedVersion(project, 'vitest')}`, 'a bid while timers and clock are faked'],
    [
      `Vite ${installedVersion(project, 'vite')}, SSR`,
      'the first program of the README, bundled with the SDK',
    ],
    [`NestJS ${installedVersion(project, '@nestjs/core')}`, 'a webhook route: one event once'],
    ['a process that is frozen between calls', 'two bids, as on AWS Lambda; connections cut between them'],
  ];
}

async function inVite(project: string): Promise<void> {
  writeFileSync(join(project, 'first-bid.mjs'), programIn('README.md', 'run'));
  const config =
    "export default { ssr: { noExternal: ['vehicle-auction-sdk'] }, build: { ssr: 'first-bid.mjs', outDir: 'bundle' } };";
  writeFileSync(join(project, 'vite.config.mjs'), config);
  await run(process.execPath, ['node_modules/vite/bin/vite.js', 'build'], project);
  const { stdout, stderr } = await run(process.execPath, ['first-bid.js'], join(project, 'bundle'));
  if (!stdout.includes(': accepted at ') || stderr !== '')
    throw new Error(`The bundle of Vite printed:\n${stdout}\n${stderr}`);
}

async function inNest(project: string): Promise<void> {
  const served = await serve(process.execPath, ['nest.mjs'], project, { WEBHOOK_SECRET: secret });
  try {
    await expectOneEffect('NestJS', `${served.url}webhooks`, served.printed);
  } finally {
    await served.stop();
  }
}

/** Stops the process after its first bid, cuts its connections, and lets it go on with the second one. */
async function inLambda(project: string): Promise<void> {
  const url = pathToFileURL(join(project, 'node_modules/vehicle-auction-sdk/dist/sandbox.js')).href;
  const { startSandbox }: SandboxModule = await import(url);
  const sandbox = await startSandbox();
  const relay = await relayTo(sandbox.baseUrl);
  const { clientId, keyId, signingSecret, dealerId = '' } = sandbox.credentials.dealer;
  const child = spawn(process.execPath, ['lambda.mjs'], {
    cwd: project,
    env: {
      ...process.env,
      VEHICLE_AUCTION_BASE_URL: relay.baseUrl,
      VEHICLE_AUCTION_CLIENT_ID: clientId,
      VEHICLE_AUCTION_KEY_ID: keyId,
      VEHICLE_AUCTION_SIGNING_SECRET: signingSecret,
      VEHICLE_AUCTION_DEALER_ID: dealerId,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const answers: string[] = [];
  const lots = sandbox.auctions.get('live-open').lots.slice(0, 2);
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (const { id, startingPrice } of lots) {
      child.kill('SIGCONT');
      child.stdin.write(`${JSON.stringify({ lot: id, amount: startingPrice })}\n`);
      answers.push((await lines.next()).value ?? 'nothing');
      child.kill('SIGSTOP');
      relay.cut();
    }
  } finally {
    child.kill('SIGCONT');
    child.stdin.end();
    await ended;
    await relay.close();
    await sandbox.close();
  }
  const bids = sandbox.ledger().length;
  if (answers.join() !== '{"status":"accepted"},{"status":"accepted"}' || bids !== 2)
    throw new Error(`The Lambda replied ${answers.join()}, and the sandbox holds ${bids} bids`);
}

/** Passes connections on, and can cut them all. */
async function relayTo(baseUrl: string) {
  const { hostname, port } = new URL(baseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const service = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, service],
      [service, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The relay has no port');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const close = async () => {
    cut();
    server.close();
    await once(server, 'close');
  };
  return { baseUrl: baseUrl.replace(`:${port}`, `:${address.port}`), cut, close };
}
