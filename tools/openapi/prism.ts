import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { Narrator } from '../../examples/demo/narrator.js';
import { tellStory } from '../../examples/demo/story.js';
import { listen } from '../../test/support/loopback.js';
import { installedVersion, type Row } from '../consumer/project.js';
import { document, tool } from './lint.js';

/** The demo sends 28. With far fewer, it no longer plays both sides of a sale. */
const FEWEST_REQUESTS = 25;

/** Operations whose replies are bytes: Prism reads every reply as text, which damages them. */
const binary = /\/(media|documents)\/[^/]+$/;

/**
 * Plays the demo, a dealer's and a bank's side of a sale, with Prism as a validating proxy between the clients and
 * the sandbox.
 *
 * @throws Error with every request and reply that does not fit the document
 */
export async function throughPrism(project: string): Promise<Row[]> {
  const port = await freePort();
  const sandboxOrigin = `http://127.0.0.1:${port}`;
  await using prism = await startPrism(project, sandboxOrigin);
  const violations: string[] = [];
  let validated = 0;
  const relay = createServer(async (request, response) => {
    const isValidated = !binary.test(request.url ?? '');
    if (isValidated) validated += 1;
    try {
      const reply = await forward(request, isValidated ? prism.origin : sandboxOrigin);
      const bytes = Buffer.from(await reply.arrayBuffer());
      if (isValidated && bytes.includes('prism/errors#'))
        violations.push(`${request.method} ${request.url}: ${bytes}`);
      response.writeHead(reply.status, headersOf(reply.headers)).end(bytes);
    } catch {
      response.destroy();
    }
  });
  await using front = await listen(relay);
  await using sandbox = await startSandbox({ port, origin: `http://127.0.0.1:${front.port}` });
  const lines: string[] = [];
  const failure = await tellStory(sandbox, new Narrator((line) => lines.push(line), false)).then(
    () => undefined,
    (error: unknown) => ({ cause: error }),
  );
  if (violations.length > 0) throw new Error(`Prism found violations.\n${violations.join('\n')}`, failure);
  if (failure) throw new Error(`The demo failed behind Prism.\n${lines.join('\n')}`, failure);
  if (validated < FEWEST_REQUESTS) throw new Error(`Only ${validated} requests went through Prism`);
  const name = '@stoplight/prism-cli';
  return [[`${name} ${installedVersion(project, name)}`, `${validated} requests of the demo, no violation`]];
}

async function startPrism(project: string, upstream: string) {
  const port = String(await freePort());
  const args = ['proxy', document, upstream, '--errors', '--port', port];
  const [command, words, cwd] = tool(project, 'prism', args);
  const child = spawn(command, words, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Prism is listening')) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`Prism ended:\n${output}`)));
  });
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  };
  return { origin: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: stop };
}

async function forward(request: IncomingMessage, origin: string): Promise<Response> {
  const body = await buffer(request);
  return fetch(new URL(request.url ?? '/', origin), {
    method: request.method ?? 'GET',
    headers: headersOf(new Headers(Object.entries(request.headersDistinct).flatMap(pairsOf))),
    ...(body.length > 0 && { body: new Uint8Array(body) }),
    redirect: 'manual',
  });
}

function pairsOf([name, values = []]: [name: string, values: string[] | undefined]): [string, string][] {
  return values.map((value) => [name, value]);
}

/** Headers to pass on: those of a connection belong to it, and fetch has decoded the body. */
function headersOf(headers: Headers): Record<string, string> {
  const own =
    /^(host|connection|keep-alive|transfer-encoding|content-length|content-encoding|accept-encoding)$/;
  return Object.fromEntries([...headers].filter(([name]) => !own.test(name)));
}

async function freePort(): Promise<number> {
  await using listener = await listen(createSocketServer());
  return listener.port;
}
