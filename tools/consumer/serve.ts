import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { build } from 'esbuild';

/** A program that a runtime serves. */
export interface Served {
  readonly url: string;
  /** Everything that it has printed. */
  printed(): string;
  stop(): Promise<void>;
}

/** A Cloudflare Worker's settings. */
export interface WorkerSettings {
  /** Compatibility date. */
  readonly date: string;
  readonly flags: readonly string[];
  /** Text bindings. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Starts a server, and waits until it prints its URL. */
export function serve(
  command: string,
  args: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const env = { ...process.env, NO_COLOR: '1', ...variables };
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  return listening(child, [child.stdout, child.stderr], /http:\/\/[\w.]+:(\d+)/);
}

/** Bundles a program as Wrangler does, and serves it in workerd. */
export async function serveInWorkerd(
  project: string,
  program: string,
  { date, flags, env = {} }: WorkerSettings,
): Promise<Served> {
  // Workers with other settings are bundled at the same time.
  const name = [program, date, ...flags].join('-');
  const { metafile } = await build({
    entryPoints: [join(project, program)],
    outfile: join(project, `${name}.js`),
    absWorkingDir: project,
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    mainFields: ['browser', 'module', 'main'],
    external: ['node:*', 'cloudflare:*'],
    logLevel: 'silent',
    metafile: true,
  });
  const carried = Object.keys(metafile.inputs).find((path) => path.includes('node_modules/undici/'));
  if (carried !== undefined) throw new Error(`A bundle of ${program} for workerd carries ${carried}`);
  const bindings = Object.entries(env).map(
    ([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`,
  );
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .program), (name = "internet", network = (allow = ["private"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const program :Workerd.Worker = (
  modules = [(name = "program", esModule = embed "${name}.js")],
  compatibilityDate = ${JSON.stringify(date)},
  compatibilityFlags = ${JSON.stringify(flags)},
  bindings = [${bindings}],
);
`;
  writeFileSync(join(project, `${name}.capnp`), config);
  const binary = join(project, 'node_modules/workerd-binary/bin/workerd');
  const child = spawn(binary, ['serve', `${name}.capnp`, '--control-fd=3'], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const [, stdout, stderr, control] = child.stdio;
  return listening(child, [stdout, stderr, control], /"port":(\d+)/);
}

/** Waits until a server prints its port. @throws Error with its output if it ends first */
async function listening(child: ChildProcess, outputs: readonly unknown[], port: RegExp): Promise<Served> {
  let text = '';
  const ended = once(child, 'close');
  const stop = async () => {
    child.kill();
    await ended;
  };
  const url = new Promise<string>((resolve, reject) => {
    for (const output of outputs.filter(isReadable)) {
      output.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const [, found] = port.exec(text) ?? [];
        if (found !== undefined) resolve(`http://127.0.0.1:${found}/`);
      });
    }
    child.once('error', reject);
    child.once('close', () => reject(new Error(`${child.spawnfile} ended:\n${text}`)));
  });
  return { url: await url, printed: () => text, stop };
}

function isReadable(stream: unknown): stream is Readable {
  return typeof stream === 'object' && stream !== null && 'setEncoding' in stream;
}
