import { createHmac } from 'node:crypto';
import { type CursorStore, follow, type Round } from '../../../src/following/follow.js';
import type { Pace } from '../../../src/following/pace.js';
import { type Store, transact } from '../../../src/store/store.js';
import { type WebhookReceiver, webhookReceiver } from '../../../src/webhooks/index.js';
import type { Stage } from '../world/faults.js';
import { never, type SimulatedProcess } from '../world/process.js';
import type { SharedStore } from '../world/store.js';

/** How many webhook events are delivered, and items are followed, in a run. */
const COUNT = 4;
/** How long a run goes on for it, ms. */
const LASTS_MS = 240_000;
/** The service delivers again until it is answered with 200. */
const AGAIN_MS = 20_000;
const SECRET = 'whsec-of-the-simulation';

/** Nobody closes a client. */
const forGood = new AbortController().signal;

/** How far a clock may be off before a receiver refuses what it signs, ms. */
const TOLERANCE_MS = 300_000;

/** What a process has that reads webhooks and follows a list. */
interface Reader {
  readonly process: SimulatedProcess;
  readonly receiver: WebhookReceiver;
}

/**
 * Webhook events that are delivered to one of the processes, and a list that one of them follows: each event that was
 * answered with 200, and each item, has to be handled in the end.
 */
export class Inbox {
  readonly #stage: Stage;
  readonly #store: SharedStore;
  readonly #readers: Reader[] = [];
  readonly #kept = new Set<string>();
  readonly #handled = new Set<string>();
  #items = 0;
  /** Everything has come, and was tried for a while. */
  isOver = false;
  #isCalm = false;

  constructor(stage: Stage, store: SharedStore) {
    this.#stage = stage;
    this.#store = store;
  }

  /** Lets events and items come. */
  start(): void {
    const { timeline, choices } = this.#stage;
    timeline.after(LASTS_MS, () => {
      this.isOver = true;
    });
    for (let n = 1; n <= COUNT; n += 1) {
      timeline.after(1_000 * (1 + choices.choose('event comes', 120)), () => this.#deliver(`evt_${n}`));
      timeline.after(1_000 * (1 + choices.choose('item comes', 120)), () => {
        this.#items += 1;
      });
    }
  }

  /** Handlers fail no more. */
  calm(): void {
    this.#isCalm = true;
  }

  /** Lets a process receive events and follow the list. */
  join(process: SimulatedProcess): void {
    const store = this.#store.connect(process);
    // A store that has stopped goes on when it is opened again.
    const reopen = () => void store.close();
    const receiver = webhookReceiver({
      secrets: SECRET,
      store,
      clock: process.clock,
      random: process.randomness.fraction,
      tolerance: TOLERANCE_MS,
      maxAttempts: 1_000,
      on: { '*': ({ id }) => (this.#hangs() ? never() : this.#handle(process, id)) },
      onReport: ({ kind }) => {
        if (kind === 'store') reopen();
      },
    });
    this.#readers.push({ process, receiver });
    // What another one left is looked for.
    void receiver.idle();
    void this.#follow(process, store, reopen);
  }

  /** What was not handled. */
  *unhandled(): Generator<string> {
    for (const id of this.#kept) if (!this.#handled.has(id)) yield `webhook event ${id}`;
    for (let n = 1; n <= this.#items; n += 1) if (!this.#handled.has(`item_${n}`)) yield `item ${n}`;
  }

  /** Delivers an event to a process that is alive, until that says that it is kept. */
  #deliver(id: string): void {
    const { timeline, choices, note } = this.#stage;
    const alive = this.#readers.filter(({ process }) => !process.isDead);
    const reader = alive[choices.choose('receiver', 3) % Math.max(1, alive.length)];
    if (this.#kept.has(id)) return;
    timeline.after(AGAIN_MS, () => this.#deliver(id));
    const body = JSON.stringify({ id, type: 'vehicle.collected', schema_version: 1, data: {} });
    const at = Math.floor(timeline.now / 1000);
    const signature = createHmac('sha256', SECRET).update(`${at}.${body}`).digest('hex');
    const headers = { 'Service-Timestamp': String(at), 'Service-Signature': `v1=${signature}` };
    reader?.process.deliver(() => {
      void reader.receiver.receive({ body: Buffer.from(body), headers }).then(({ status }) => {
        if (status !== 200 || reader.process.isDead) return;
        this.#kept.add(id);
        note(`${reader.process.name}: has kept ${id}`);
      });
    });
  }

  /** Whether a handler never comes to its end. */
  #hangs(): boolean {
    return !this.#isCalm && this.#stage.faults.strikes('handler hangs');
  }

  async #handle(process: SimulatedProcess, id: string): Promise<void> {
    const { choices, faults, note } = this.#stage;
    await process.wait(1 + choices.choose('handling', 5_000));
    if (process.crashesAt('crash in a handler')) return never();
    if (!this.#isCalm && faults.strikes('handler fails')) throw new Error('the handler fails');
    note(`${process.name}: has handled ${id}`);
    this.#handled.add(id);
  }

  async #follow(process: SimulatedProcess, store: Store, reopen: () => void): Promise<void> {
    const cursors: CursorStore = {
      within: (work) => transact(store, 'sandbox', (tx) => work(tx.cursors)),
      process: store.process,
      isVolatile: false,
    };
    const pace: Pace = {
      clock: process.clock,
      randomness: process.randomness,
      now: () => process.clock.now(),
      spare: () => 60,
      closing: forGood,
      over: forGood,
      deadline: 90_000,
      during: (_, work) => work(),
      isIdle: () => true,
      warn: reopen,
    };
    const round = async (state: number, { save }: Round<number>): Promise<boolean> => {
      for (let done = state; done < this.#items; done += 1) {
        await this.#handle(process, `item_${done + 1}`).catch(() => undefined);
        if (!this.#handled.has(`item_${done + 1}`)) return true;
        await save(done + 1);
      }
      return false;
    };
    await follow(pace, cursors, { call: 'simulation.follow', start: 0, round }, { name: 'items' });
  }
}
