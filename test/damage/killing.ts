import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { PartnerClient } from 'vehicle-auction-sdk';
import { type Sandbox, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { expect } from 'vitest';

/** Where a bidding process keeps its intents. */
export type Where = { readonly file: string } | { readonly url: string; readonly schema: string };

interface Line {
  readonly type: 'ready' | 'recovered' | 'told' | 'failed' | 'halt' | 'finished';
  readonly key?: string;
  readonly status?: string;
  readonly quarantined?: { readonly reason: string };
  readonly name?: string;
  readonly fault?: string;
  readonly message?: string;
}

interface Lane {
  readonly lot: string;
  paise: bigint;
  readonly step: bigint;
}

interface Task {
  readonly bids: readonly (readonly Bid[])[];
  readonly resend: boolean;
  /** Of each call, ms. */
  readonly deadline: number;
}

interface Bid {
  readonly lot: string;
  readonly amount: string;
  readonly intentId: string;
}

const LANES = 3;

/** How a killing goes. */
export interface Terms {
  readonly journal: Where;
  readonly seed: number;
  /** Processes that bid side by side. */
  readonly beside: number;
  /** A process places again what those before it placed; else only what is new, on lots of its own. */
  readonly again: boolean;
}

const bidder = fileURLToPath(new URL('bidder.mjs', import.meta.url));

/**
 * Lets processes bid over one journal, kills each at some moment, and holds what all of them said, and what the journal
 * knows at the end, against what the service committed.
 */
export class Killing {
  readonly #sandbox: Sandbox;
  readonly #terms: Terms;
  readonly #random: () => number;
  readonly #said: Line[] = [];
  readonly #bids: Bid[][] = [];
  readonly #lanes: Lane[];
  kills = 0;

  private constructor(sandbox: Sandbox, terms: Terms) {
    this.#sandbox = sandbox;
    this.#terms = terms;
    this.#random = numbersFrom(terms.seed);
    this.#lanes = sandbox.auctions
      .list()
      .filter(({ status, bidType }) => status === 'live' && bidType === 'closed')
      .flatMap(({ lots, increment }) =>
        lots.map(({ id, startingPrice }) => ({
          lot: id,
          paise: BigInt(startingPrice.replace('.', '')),
          step: BigInt(increment.replace('.', '')),
        })),
      );
  }

  static async over(terms: Terms): Promise<Killing> {
    const seed = terms.again ? 'small' : 'busy';
    return new Killing(await startSandbox({ rateLimit: false, keepAttempts: 200_000, seed }), terms);
  }

  /** One process, from its start to its death; it has new bids to place, and those of before it that are unsettled. */
  async life(): Promise<void> {
    const rounds = this.#plan(6);
    this.#disturb();
    const bids = this.#terms.again ? this.#bids : rounds;
    await Promise.all(
      Array.from({ length: this.#terms.beside }, () => {
        const resend = this.#random() < 0.5;
        return this.#run({ bids, resend, deadline: 1_000 }, this.#random() * 350);
      }),
    );
    if (!this.#terms.again) this.#lanes.splice(0, LANES);
  }

  /** A last process that nobody kills, and then the reckoning. */
  async end(): Promise<void> {
    this.#plan(1);
    const all = { bids: this.#bids, resend: false, deadline: 20_000 };
    expect(await this.#run(all, undefined), 'the last process comes to its end').toBe(true);
    await this.#reckon();
    await this.#sandbox.close();
  }

  /** How many intents the dead left open: kills between bids prove nothing. */
  get recovered(): number {
    return this.#said.filter(({ type }) => type === 'recovered').length;
  }

  async #reckon(): Promise<void> {
    const { dealerId, ...credentials } = this.#sandbox.credentials.dealer;
    const { baseUrl } = this.#sandbox;
    const quota = { limit: Number.POSITIVE_INFINITY };
    await using judge = new PartnerClient({
      baseUrl,
      credentials,
      dealerId,
      quota,
      partnerType: 'direct_dealer',
    });

    const planned = this.#bids.flat();
    const committed = this.#sandbox.ledger().filter(({ kind }) => kind === 'bid');
    const told = this.#said.filter(({ type }) => type === 'told');
    for (const { intentId } of planned) {
      const records = committed.filter(({ idempotencyKey }) => idempotencyKey === intentId);
      const bodies = new Set(
        this.#sandbox
          .attempts()
          .filter(({ idempotencyKey, call }) => idempotencyKey === intentId && call === 'bids.submit')
          .map(({ bodySha256 }) => bodySha256),
      );
      expect(bodies.size, `bodies under ${intentId}`).toBeLessThanOrEqual(1);
      const said = told.filter(({ key }) => key === intentId).map(({ status }) => status);
      const { state } = await judge.bids.lookup(intentId);
      const recorded = state === 'absent' ? undefined : state;
      expect(records.length, `bids under ${intentId}, which is ${state}`).toBe(state === 'accepted' ? 1 : 0);
      const contradictions = said.filter(
        (status) => (status === 'accepted' || status === 'rejected') && status !== recorded,
      );
      expect(contradictions, `what was told of ${intentId}, which is ${recorded ?? 'not recorded'}`).toEqual(
        [],
      );
      // The last process placed each of them again, so nothing may have got lost.
      if (recorded !== undefined) expect(said.at(-1), `the last word on ${intentId}`).toBe(recorded);
      else expect(said.at(-1), `the last word on ${intentId}`).toMatch(/^(unknown|not_sent)$/);
    }
    const quarantined = told.filter((line) => line.quarantined !== undefined);
    expect(quarantined).toEqual([]);
    const halts = this.#said.filter(({ type }) => type === 'halt' || type === 'failed');
    expect(halts.filter(({ fault, name }) => fault !== 'owned' && name !== 'InDoubtError')).toEqual([]);
  }

  /** More bids to place: each list is placed at once, one bid a lot, and higher than the one before. */
  #plan(count: number): Bid[][] {
    const rounds: Bid[][] = [];
    for (let round = 0; round < count; round += 1) {
      rounds.push(
        this.#lanes.slice(0, LANES).map((lane) => {
          const amount = `${lane.paise / 100n}.${String(lane.paise % 100n).padStart(2, '0')}`;
          lane.paise += lane.step;
          return { lot: lane.lot, amount, intentId: uuidOf(`${lane.lot} ${amount}`) };
        }),
      );
    }
    this.#bids.push(...rounds);
    return rounds;
  }

  /** Something goes wrong on the network now and then, too. */
  #disturb(): void {
    const faults = ['drop_before_commit', 'drop_after_commit', 'error_after_commit', 'truncate'] as const;
    const fault = faults[Math.floor(this.#random() * 8)];
    if (fault !== undefined) this.#sandbox.inject({ operation: 'bids.submit', fault });
  }

  /** Resolves with whether the process came to its own end. */
  async #run(task: Task, killAfterMs: number | undefined): Promise<boolean> {
    const { baseUrl, credentials } = this.#sandbox;
    const order = { ...task, baseUrl, credentials: credentials.dealer, journal: this.#terms.journal };
    const child = spawn(process.execPath, [bidder], { stdio: ['pipe', 'pipe', 'inherit'] });
    // It may be killed before it has read all of it.
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(order));
    const lines: Line[] = [];
    const ready = listen(child, lines);
    const exit = new Promise<void>((resolve) => child.once('close', () => resolve()));
    await Promise.race([ready, exit]);
    if (killAfterMs !== undefined) {
      const timer = setTimeout(() => {
        if (child.kill('SIGKILL')) this.kills += 1;
      }, killAfterMs);
      await exit;
      clearTimeout(timer);
    }
    await exit;
    this.#said.push(...lines);
    return lines.some(({ type }) => type === 'finished');
  }
}

/** Collects what a process says; resolves when it is ready. */
function listen(child: ChildProcess, lines: Line[]): Promise<void> {
  return new Promise((resolve) => {
    let rest = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString()).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        const line = JSON.parse(part) as Line;
        lines.push(line);
        if (line.type === 'ready') resolve();
      }
    });
  });
}

/** The same for the same text, and a legal UUID. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Numbers from 0 to 1 that a seed repeats. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
