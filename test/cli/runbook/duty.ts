import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../../src/cli/run.js';
import { envLinesOf } from '../../../src/cli/sandbox/announcement.js';
import type { Who } from '../../../src/cli/sandbox/flags.js';
import type { ClientOptions } from '../../../src/client/options.js';
import { fetchTransport } from '../../../src/core/transport/fetch.js';
import type { Transport, TransportReply, TransportRequest } from '../../../src/core/transport/transport.js';
import { PartnerClient } from '../../../src/index.js';
import type { IntentContent, IntentEvent } from '../../../src/intents/content.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { Sandbox, SandboxOptions } from '../../../src/sandbox/index.js';
import { sqliteStore } from '../../../src/sqlite/index.js';
import { type StoreProcess, thisProcess } from '../../../src/store/owner.js';
import type { Store } from '../../../src/store/store.js';
import { onManualClock } from '../../sandbox/caller.js';
import { settle } from '../../support/virtual-clock.js';

/** A store in a file, a sandbox, and the one on duty, who has commands alone. Time is that of the sandbox. */
export class Duty {
  readonly sandbox: Sandbox;
  readonly folder = mkdtempSync(join(tmpdir(), 'auction-duty-'));
  readonly path = join(this.folder, 'auction.db');
  readonly clock: WaitedClock;
  readonly transport: CountingTransport;
  /** States, events and results that the store has shown after each command, such as `bid sent`. */
  readonly seen = new Set<string>();
  /** Commands as they were typed, and their exit codes. */
  readonly typed: (readonly [command: string, code: number])[] = [];
  /** Ctrl-C. */
  interrupt: () => void = () => undefined;
  readonly #stores: Store[] = [];
  #watching: Store | undefined;

  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
    this.clock = new WaitedClock(sandbox);
    this.transport = new CountingTransport(fetchTransport(sandbox.fetch));
  }

  static async begin(options: SandboxOptions = {}): Promise<Duty> {
    return new Duty(await onManualClock({ startAt: Date.now(), scan: 0, ...options }));
  }

  /** Lets time pass, as far as anybody waits for it, until a promise has settled. */
  async during<T>(work: Promise<T>): Promise<T> {
    let isSettled = false;
    const note = () => {
      isSettled = true;
    };
    work.then(note, note);
    while (!isSettled) {
      await settle();
      const isBusy = this.transport.inFlight > 0 || isReadingFiles();
      if (!isSettled && !isBusy) this.clock.advanceToNext();
    }
    return work;
  }

  /** The store as a process sees it. */
  store(process: StoreProcess = thisProcess()): Store {
    const store = { ...sqliteStore(this.path), process };
    this.#stores.push(store);
    return store;
  }

  /** A program that bids as a direct dealer. */
  dealer(options: Partial<ClientOptions> = {}): PartnerClient<'direct_dealer'> {
    const { clientId, keyId, signingSecret, dealerId = '' } = this.sandbox.credentials.dealer;
    return new PartnerClient({
      partnerType: 'direct_dealer',
      dealerId,
      baseUrl: this.sandbox.baseUrl,
      environment: 'sandbox',
      credentials: { clientId, keyId, signingSecret },
      clock: this.clock,
      transport: this.transport,
      store: this.store(),
      quota: { limit: Number.POSITIVE_INFINITY },
      logLevel: 'off',
      ...options,
    });
  }

  /** Types one command, and reads what it prints. */
  async types(who: Who, ...args: readonly string[]) {
    const env = join(this.folder, `${who}.env`);
    if (!existsSync(env)) {
      const lines = [...envLinesOf(this.sandbox, who), 'VEHICLE_AUCTION_QUOTA_LIMIT=100000'];
      writeFileSync(env, `${lines.join('\n')}\n`);
    }
    const said = { out: '', err: '' };
    const code = await this.during(
      run([...args, '--json', '--env', env, '--store', this.path], {
        out: (text) => {
          said.out += text;
        },
        err: (text) => {
          said.err += text;
        },
        env: {},
        onInterrupt: (stop) => {
          this.interrupt = stop;
          return () => undefined;
        },
        client: { clock: this.clock, transport: this.transport },
      }),
    );
    this.typed.push([args.join(' '), code]);
    await this.look();
    const lines = said.out.split('\n').filter((line) => line !== '');
    return { code, err: said.err, json: lines.map((line): Record<string, unknown> => JSON.parse(line)) };
  }

  /** Notes what is in the store. */
  async look(): Promise<void> {
    if (!existsSync(this.path)) return;
    this.#watching ??= this.store();
    const store = this.#watching;
    for (const account of ['sandbox', 'sandbox/bank-2', 'webhooks default']) {
      await store
        .transaction(account, async ({ intents, webhookEvents }) => {
          const rows = await intents.list({ which: 'all', limit: 1_000 });
          for (const { state, provisional, content } of rows) this.#note(state, provisional, content);
          for (const { state } of await webhookEvents.list({ limit: 100 })) this.seen.add(`webhook ${state}`);
        })
        // Commands look at a store that is damaged.
        .catch(() => undefined);
    }
  }

  #note(state: string, provisional: boolean, content: string): void {
    const { bid, log }: IntentContent = JSON.parse(content);
    this.seen.add(`${bid === undefined ? 'command' : 'bid'} ${state}${provisional ? ' provisional' : ''}`);
    for (const event of log) for (const what of facets(event)) this.seen.add(what);
  }

  /** Ends what all programs have open of the store. */
  async closeStores(): Promise<void> {
    this.#watching = undefined;
    await Promise.all(this.#stores.splice(0).map((store) => store.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.closeStores();
    await this.sandbox.close();
    rmSync(this.folder, { recursive: true });
  }
}

/** Files are read in real time. */
function isReadingFiles(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
}

function facets(event: IntentEvent): readonly string[] {
  const type = `event ${event.type}`;
  switch (event.type) {
    case 'result':
      return [
        type,
        `effect ${event.effect}`,
        ...(event.effect === 'not_sent' ? [`unsent ${event.stop ?? 'network'}`] : []),
      ];
    case 'lookup':
    case 'bid_read':
      return [type, `${event.type} ${event.found}`];
    case 'unsent':
      return [type, `unsent ${event.reason}`];
    case 'stuck':
      return [type, `stuck ${event.why}`];
    default:
      return [type];
  }
}

/** Time of the sandbox, of which is known when somebody waits for it. */
class WaitedClock implements Clock {
  readonly #sandbox: Sandbox;
  readonly #due = new Set<{ readonly at: number }>();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  now(): number {
    return this.#sandbox.clock.now();
  }

  monotonic(): number {
    return this.#sandbox.clock.monotonic();
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.monotonic() + Math.max(0, ms) };
    this.#due.add(timer);
    const cancel = this.#sandbox.clock.after(ms, () => {
      this.#due.delete(timer);
      callback();
    });
    return () => {
      this.#due.delete(timer);
      cancel();
    };
  }

  /** Moves time to the next timer; does nothing without one. */
  advanceToNext(): void {
    const next = Math.min(...[...this.#due].map(({ at }) => at));
    if (Number.isFinite(next)) this.#sandbox.clock.advance(Math.max(0, next - this.monotonic()));
  }
}

/** A transport that knows whether a request is under way. */
class CountingTransport implements Transport {
  readonly #inner: Transport;
  inFlight = 0;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  async send(request: TransportRequest): Promise<TransportReply> {
    this.inFlight += 1;
    try {
      return await this.#inner.send(request);
    } finally {
      this.inFlight -= 1;
    }
  }

  async close(): Promise<void> {}
}

/** A process of this host that runs until it is ended. */
export class Program {
  readonly #child: ChildProcess = spawn('sleep', ['600'], { stdio: 'ignore' });

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** How a store names it. */
  get process(): StoreProcess {
    const [host] = thisProcess().id.split('/');
    const { pid } = this;
    const stat = `/proc/${pid}/stat`;
    const text = existsSync(stat) ? readFileSync(stat, 'utf8') : '';
    const started = text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
    return { id: `${host}/${pid}/${started}///program`, isGone: () => false };
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }
}
