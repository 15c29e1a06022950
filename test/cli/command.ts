import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { run } from '../../src/cli/run.js';

const main = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));

/** Whether this machine can open a pseudo-terminal for a command. */
export const hasTerminal = spawnSync('script', ['--version']).status === 0;

/** Runs a command in this process. */
export async function ran(...args: readonly string[]) {
  const said = { stdout: '', stderr: '' };
  const to = (where: keyof typeof said) => (text: string) => {
    said[where] += text;
  };
  const code = await run(args, { out: to('stdout'), err: to('stderr') });
  return { code, ...said };
}

/** `vehicle-auction`, as it is built, as a process of its own, of which what it prints is waited for. */
export class Running {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<number | null>;
  #isOver = false;
  stdout = '';
  stderr = '';

  /** @param isOnTerminal runs it on a pseudo-terminal, of which everything shown is in `stdout` */
  constructor(args: readonly string[], cwd?: string, isOnTerminal = false) {
    const { NODE_OPTIONS: _, ...env } = process.env;
    const words = [process.execPath, main, ...args];
    const onTerminal = `stty cols 140 rows 40; exec ${words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')}`;
    const [file = '', ...rest] = isOnTerminal ? ['script', '-qec', onTerminal, '/dev/null'] : words;
    this.#child = spawn(file, rest, { ...(cwd !== undefined && { cwd }), env: { ...env, TERM: 'xterm' } });
    for (const where of ['stdout', 'stderr'] as const) {
      this.#child[where].on('data', (chunk: Buffer) => {
        this[where] += chunk.toString();
      });
    }
    this.#ended = once(this.#child, 'close').then(([code]) => {
      this.#isOver = true;
      return code;
    });
  }

  /** The exit code, once it has ended and all is read. */
  get ended(): Promise<number | null> {
    return this.#ended;
  }

  /** Waits until this stands in its standard output, or in its errors where told so. Rejects when it ends before. */
  async said(what: RegExp, where: 'stdout' | 'stderr' = 'stdout'): Promise<RegExpExecArray> {
    for (;;) {
      const found = what.exec(this[where]);
      if (found !== null) return found;
      if (this.#isOver) throw new Error(`it ended and never said ${what}:\n${this.stdout}\n${this.stderr}`);
      await Promise.race([once(this.#child[where], 'data'), this.#ended]);
    }
  }

  /** Presses keys, such as `\x03` for Ctrl-C. */
  press(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** Types a line. */
  type(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Ends its standard input. */
  endInput(): void {
    this.#child.stdin.end();
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
