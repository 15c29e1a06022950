import { BankClient, type ClientOptions, PartnerClient } from 'vehicle-auction-sdk';
import { type Sandbox, type SandboxSeed, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { numbersFrom } from '../support/random.js';
import type { StorePlace } from '../support/store-places.js';
import { type Line, type OpenIntent, Worker } from './worker-process.js';
import { LOTS_PER_ROUND, type Task, Workload } from './workload.js';

/** `npm run test:damage`; `npm test` only has the short form. */
export const isLong = process.env['TEST_MODE'] === 'damage';

/** The long form before a release: with the minutes and the rate limit of the service. `DAMAGE_ROUNDS` makes it shorter. */
export const isFull = isLong && process.env['DAMAGE_ROUNDS'] === undefined;

/** How many rounds to play: few in the short form; in the long one many, or as DAMAGE_ROUNDS says. */
export function rounds(few: number, many: number): number {
  return isLong ? Number(process.env['DAMAGE_ROUNDS'] ?? many) : few;
}

type SeedAuction = NonNullable<SandboxSeed['auctions']>[number];

/** A seed of one auction that runs for ten hours, unless it says otherwise. */
export function oneAuction(
  label: string,
  lots: SeedAuction['lots'],
  more: Partial<SeedAuction> = {},
): SandboxSeed {
  const common = {
    label,
    name: label,
    bid_type: 'closed',
    increment: '5000',
    opens: -10,
    closes: 600,
  } as const;
  return { auctions: [{ ...common, ...more, lots }] };
}

export interface Terms {
  readonly store: StorePlace;
  readonly seed: number;
  /** Processes that share the store. */
  readonly processes: number;
  readonly rounds: number;
}

/** What the processes of one round found unsettled after all of them had recovered. */
export interface AfterRecovery {
  readonly open: readonly OpenIntent[];
  /** Whether commands in doubt were to be sent again. */
  readonly resend: boolean;
  /** Keys of the bids that the service had accepted before the processes started. */
  readonly acceptedBefore: ReadonlySet<string>;
}

/** Everything there is to judge afterwards. */
export interface Record {
  readonly tasks: readonly Task[];
  readonly lines: readonly Line[];
  /** What the last process printed, which nobody killed. */
  readonly lastLines: readonly Line[];
  readonly afterRecoveries: readonly AfterRecovery[];
  /** Digests of the bodies that arrived under each key. */
  readonly bodies: ReadonlyMap<string, ReadonlySet<string>>;
  readonly kills: number;
}

/** Faults that strike now and then while processes work, besides their deaths. */
const FAULTS = [
  { fault: 'drop_before_commit' },
  { fault: 'drop_after_commit' },
  { fault: 'error_after_commit' },
  { fault: 'truncate' },
  { fault: 'delay', ms: 80 },
  { fault: 'late_copy', ms: 40 },
] as const;

const WRITES = ['bids.submit', 'bids.submit', 'inventory.createVehicle', 'inventory.updateVehicle'] as const;

/** What a call may take: far more than it needs on a slow machine, because a process that gives up is a fault. */
const DEADLINE_MS = 30_000;

/** For how long a process works at the most. */
const LONGEST_LIFE_MS = 500;

/** Lets processes work over one store against one sandbox, and kills each of them at some moment, round after round. */
export class Killing {
  readonly sandbox: Sandbox;
  readonly #terms: Terms;
  readonly #random: () => number;
  readonly #workload: Workload;
  readonly #lines: Line[] = [];
  readonly #afterRecoveries: AfterRecovery[] = [];
  readonly #bodies = new Map<string, Set<string>>();
  #kills = 0;
  #lastAttempt = 0;

  private constructor(sandbox: Sandbox, terms: Terms, workload: Workload, random: () => number) {
    this.sandbox = sandbox;
    this.#terms = terms;
    this.#workload = workload;
    this.#random = random;
  }

  static async of(terms: Terms): Promise<Killing> {
    const sandbox = await startSandbox({
      rateLimit: false,
      keepAttempts: 5_000,
      seed: oneAuction('killing', (terms.rounds + 1) * LOTS_PER_ROUND),
    });
    const random = numbersFrom(terms.seed);
    const schemaVersion = await schemaVersionOf(sandbox);
    const auction = sandbox.auctions.get('killing');
    return new Killing(sandbox, terms, new Workload(auction, schemaVersion, random), random);
  }

  /** All rounds, and one last process that comes to its end. */
  async run(): Promise<Record> {
    for (let round = 0; round < this.#terms.rounds; round += 1) await this.#round();
    const { tasks } = this.#workload;
    this.#workload.nextRound(1);
    const last = await Worker.start(this.#orderOf(true));
    await last.until('recovery over');
    last.order({ type: 'work', tasks });
    await last.until('finished');
    await last.end();
    this.#collect([last]);
    return {
      tasks,
      lines: this.#lines,
      lastLines: last.lines,
      afterRecoveries: this.#afterRecoveries,
      bodies: this.#bodies,
      kills: this.#kills,
    };
  }

  /** What the service itself has under a key (A06). */
  async lookUp(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    await using judge = dealerOf(this.sandbox);
    const states = new Map<string, string>();
    for (const key of keys) states.set(key, (await judge.bids.lookup(key)).state);
    return states;
  }

  /** Processes start, recover, work, and are killed; some of them before they have recovered. */
  async #round(): Promise<void> {
    const acceptedBefore = new Set(this.sandbox.ledger().map(({ idempotencyKey }) => idempotencyKey));
    const resend = this.#random() < 0.5;
    const tasks = this.#workload.nextRound(this.#terms.processes);
    const order = this.#orderOf(resend);
    const workers = await Promise.all(tasks.map(() => Worker.start(order)));
    for (const each of workers) if (this.#random() < 0.15) each.killIn(this.#random() * 60);
    await Promise.all(workers.map((each) => each.until('recovery over')));
    await this.#list(workers, { resend, acceptedBefore });
    const withdrawals = this.#disturb();
    for (const [index, each] of workers.entries()) {
      each.order({ type: 'work', tasks: tasks[index] });
      const atWrite = this.#random() < 0.5;
      if (atWrite) withdrawals.push(this.#killAtWrite(each));
      each.killIn(atWrite ? LONGEST_LIFE_MS : this.#random() ** 2 * LONGEST_LIFE_MS);
    }
    await Promise.all(workers.map((each) => each.gone));
    for (const withdraw of withdrawals) withdraw();
    this.#collect(workers);
  }

  async #list(workers: readonly Worker[], round: Omit<AfterRecovery, 'open'>): Promise<void> {
    const alive = workers.find((each) => each.isAlive);
    alive?.order({ type: 'list' });
    const open = (await alive?.until('open'))?.open;
    // Of those that were killed while they recovered, nothing is to be judged; the next round recovers from them.
    if (open !== undefined && workers.every((each) => each.has('recovery over'))) {
      this.#afterRecoveries.push({ ...round, open });
    }
  }

  #orderOf(resend: boolean): object {
    const { baseUrl, credentials } = this.sandbox;
    const { dealer, bank } = credentials;
    return { baseUrl, dealer, bank, store: this.#terms.store, resend, deadline: DEADLINE_MS };
  }

  #disturb(): (() => void)[] {
    return [0, 1].flatMap(() => {
      const fault = FAULTS[Math.floor(this.#random() * FAULTS.length * 1.5)];
      const operation = WRITES[Math.floor(this.#random() * WRITES.length)];
      if (fault === undefined || operation === undefined) return [];
      return [this.sandbox.inject({ operation, nth: 1 + Math.floor(this.#random() * 4), ...fault })];
    });
  }

  /** Kills a process when a write reaches the service, which commits it for nobody; its own, where it is alone. */
  #killAtWrite(worker: Worker): () => void {
    const operation = WRITES[Math.floor(this.#random() * WRITES.length)] ?? 'bids.submit';
    let left = 1 + Math.floor(this.#random() * (operation === 'bids.submit' ? 5 : 2));
    const where = () => {
      left -= 1;
      if (left === 0) worker.kill();
      return false;
    };
    // A fault that strikes nothing: it only sees what arrives.
    return this.sandbox.inject({ operation, fault: 'delay', ms: 1, times: Number.POSITIVE_INFINITY, where });
  }

  #collect(workers: readonly Worker[]): void {
    for (const { lines, wasKilled } of workers) {
      if (wasKilled) this.#kills += 1;
      this.#lines.push(...lines);
      for (const { type, id, key, status } of lines) {
        const finished = type === 'told' ? key : id;
        const isFinal = status === 'accepted' || status === 'rejected' || type === 'updated';
        if (finished !== undefined && isFinal) this.#workload.finish(finished);
      }
    }
    for (const { n, idempotencyKey, bodySha256 } of this.sandbox.attempts()) {
      if (n <= this.#lastAttempt || idempotencyKey === null || bodySha256 === null) continue;
      this.#bodies.set(idempotencyKey, (this.#bodies.get(idempotencyKey) ?? new Set()).add(bodySha256));
    }
    this.#lastAttempt = this.sandbox.attempts().at(-1)?.n ?? 0;
  }
}

/** The dealer's client in the process of the test. */
export function dealerOf({ baseUrl, credentials }: Sandbox, options: Partial<ClientOptions> = {}) {
  const { dealer } = credentials;
  return new PartnerClient({
    baseUrl,
    environment: 'sandbox',
    credentials: dealer,
    partnerType: 'direct_dealer',
    dealerId: dealer.dealerId ?? '',
    quota: { limit: Number.POSITIVE_INFINITY },
    ...options,
  });
}

/** Which version of its inventory schema the bank has. */
export async function schemaVersionOf({ baseUrl, credentials }: Sandbox): Promise<string | number> {
  await using bank = new BankClient({ baseUrl, environment: 'sandbox', credentials: credentials.bank });
  const [schema] = await bank.inventory.schemas();
  if (schema === undefined) throw new Error('The bank has no inventory schema');
  return schema.schema_version;
}
