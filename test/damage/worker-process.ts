import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** One line that a process printed. */
export interface Line {
  /** What happened, such as `recovered` or `told`. */
  readonly type: string;
  /** Of a task or row. */
  readonly id?: string;
  /** Idempotency key. */
  readonly key?: string;
  readonly status?: string;
  readonly reason?: string;
  /** What an error said of the effect. */
  readonly outcome?: string;
  readonly recordId?: string;
  readonly task?: string;
  readonly name?: string;
  readonly message?: string;
  readonly open?: readonly OpenIntent[];
  /** Of an endpoint. */
  readonly port?: number;
}

export interface OpenIntent {
  readonly key: string;
  readonly state: 'ready' | 'sent' | 'stuck';
  readonly call: string;
}

/** A process that runs `worker.mjs`, or another program of this folder, seen from outside. */
export class Worker {
  readonly lines: Line[] = [];
  /** Resolves when it has ended and all that it printed is read. */
  readonly gone: Promise<void>;
  readonly #child: ChildProcess;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #isGone = false;
  wasKilled = false;

  /** Starts it, and waits until its modules are loaded. */
  static async start(order: object, program = 'worker.mjs'): Promise<Worker> {
    const path = fileURLToPath(new URL(program, import.meta.url));
    const worker = new Worker(spawn(process.execPath, [path], { stdio: ['pipe', 'pipe', 'inherit'] }));
    worker.order(order);
    await worker.until('ready');
    return worker;
  }

  private constructor(child: ChildProcess) {
    this.#child = child;
    const { stdin, stdout } = child;
    if (stdin === null || stdout === null) throw new Error('no pipes');
    // It may be killed before it has read everything.
    stdin.on('error', () => undefined);
    const output = createInterface({ input: stdout });
    output.on('line', (text) => {
      // The last line of a killed process may be incomplete.
      if (!text.endsWith('}')) return;
      this.lines.push(JSON.parse(text));
      for (const listener of this.#listeners) listener();
    });
    this.gone = Promise.all([once(child, 'close'), once(output, 'close')]).then(() => {
      clearTimeout(this.#timer);
      this.#isGone = true;
      for (const listener of this.#listeners) listener();
    });
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null && !this.wasKilled;
  }

  has(type: string): boolean {
    return this.lines.some((line) => line.type === type);
  }

  order(order: object): void {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
  }

  /** The first line of this type; undefined where the process is gone without it. */
  until(type: string): Promise<Line | undefined> {
    return this.untilFound((lines) => lines.find((line) => line.type === type));
  }

  /** What it prints next, once it has its order. */
  async ask(order: object): Promise<Line> {
    const seen = this.lines.length;
    this.order(order);
    const line = await this.untilFound((lines) => lines[seen]);
    if (line === undefined) throw new Error('it ended without an answer');
    return line;
  }

  /** What is found in the lines that it has printed, once it is; undefined where the process is gone before. */
  untilFound<T>(find: (lines: readonly Line[]) => T | undefined): Promise<T | undefined> {
    return new Promise((resolve) => {
      const look = () => {
        const found = find(this.lines);
        if (found === undefined && !this.#isGone) return;
        this.#listeners.delete(look);
        resolve(found);
      };
      this.#listeners.add(look);
      look();
    });
  }

  kill(): void {
    if (this.#child.kill('SIGKILL')) this.wasKilled = true;
  }

  /** Kills it then, unless it is to be killed sooner already. */
  killIn(ms: number): void {
    this.#timer ??= setTimeout(() => this.kill(), ms);
  }

  /** Lets it close its clients and end. */
  async end(): Promise<void> {
    this.#child.stdin?.end();
    await this.gone;
  }
}
