import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Binaries, binariesFor } from './binaries.js';

/** `fast` ends connections and tidies up; `immediate` is as good as a crash, and the next start recovers. */
export type Shutdown = 'fast' | 'immediate';

const SUPERUSER = 'postgres';

/** A Postgres of one's own, in a folder that goes with it. */
export class PostgresServer {
  readonly #scratch: string;
  readonly #binaries: Binaries;
  readonly #password: string;
  #port = 0;
  #process: ChildProcess | undefined;

  static async start(): Promise<PostgresServer> {
    const scratch = mkdtempSync(join(tmpdir(), 'vehicle-auction-postgres-'));
    const server = new PostgresServer(scratch, binariesFor(scratch), randomBytes(12).toString('hex'));
    try {
      await server.#initialise();
      await server.#startOnSomePort();
      return server;
    } catch (error) {
      rmSync(scratch, { recursive: true, force: true });
      throw error;
    }
  }

  private constructor(scratch: string, binaries: Binaries, password: string) {
    this.#scratch = scratch;
    this.#binaries = binaries;
    this.#password = password;
  }

  /** How to reach a database as its superuser. */
  urlOf(database = 'postgres'): string {
    return `postgres://${SUPERUSER}:${this.#password}@127.0.0.1:${this.#port}/${database}`;
  }

  async stop(how: Shutdown): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
  }

  /** Starts again where it was, after `stop`. */
  async restart(): Promise<void> {
    await this.#startOn(this.#port);
  }

  async remove(): Promise<void> {
    await this.stop('immediate');
    rmSync(this.#scratch, { recursive: true, force: true });
  }

  async #initialise(): Promise<void> {
    const { initdb, user } = this.#binaries;
    const home = join(this.#scratch, 'home');
    mkdirSync(home, { mode: 0o700 });
    const passwordFile = join(home, 'password');
    writeFileSync(passwordFile, this.#password);
    if (user !== undefined) {
      for (const path of [this.#scratch, home, passwordFile]) chownSync(path, user.uid, user.gid);
    }
    const options = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync'];
    const child = this.#spawn(initdb, [
      `--pgdata=${join(home, 'data')}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      ...options,
    ]);
    const said = outputOf(child);
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`initdb ended with ${code}:\n${said()}`);
  }

  async #startOnSomePort(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#startOn(await freePort());
        return;
      } catch (error) {
        // Somebody else may have taken the port meanwhile.
        if (attempt === 5) throw error;
      }
    }
  }

  async #startOn(port: number): Promise<void> {
    const settings = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=150',
      'shared_buffers=16MB',
      // No test cuts the power: what a crash of the server leaves is the same, only slower.
      'fsync=off',
    ];
    const child = this.#spawn(this.#binaries.postgres, [
      '-D',
      join(this.#scratch, 'home', 'data'),
      '-p',
      String(port),
      ...settings.flatMap((setting) => ['-c', setting]),
    ]);
    const said = outputOf(child);
    await new Promise<void>((resolve, reject) => {
      child.stderr?.on('data', () => {
        if (said().includes('ready to accept connections')) resolve();
      });
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`Postgres ended:\n${said()}`)));
    });
    this.#port = port;
    this.#process = child;
  }

  #spawn(program: string, args: readonly string[]): ChildProcess {
    const { user } = this.#binaries;
    const env = { LC_ALL: 'C', PATH: process.env['PATH'] ?? '', TZ: 'UTC' };
    const child = spawn(program, args, {
      cwd: join(this.#scratch, 'home'),
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...user,
    });
    const kill = () => child.kill('SIGQUIT');
    process.once('exit', kill);
    child.once('exit', () => process.removeListener('exit', kill));
    return child;
  }
}

/** The end of what a program says. */
function outputOf(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-20_000);
    });
  }
  return () => text;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
