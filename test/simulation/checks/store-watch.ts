import type { IntentContent, IntentEvent } from '../../../src/intents/content.js';
import { fold } from '../../../src/intents/fold.js';
import { type IntentState, isOpen } from '../../../src/store/intents.js';
import { KEY_RETENTION_MS } from '../world/deployment.js';
import type { SimulatedProcess } from '../world/process.js';
import type { Witness } from './witness.js';

/** An intent as a commit left it. */
export interface StoreWrite {
  readonly order: number;
  /** True time, Unix ms. */
  readonly at: number;
  readonly process: string;
  /** The bank that it is for, as an account of the store. */
  readonly account: string;
  /** The account that it was put into. */
  readonly namespace: string;
  readonly key: string;
  readonly version: number;
  readonly state: IntentState;
  readonly provisional: boolean;
  readonly guarded: boolean;
  readonly lot: string | undefined;
  readonly buyer: string | undefined;
  readonly paise: bigint | undefined;
  /** When its lot closes, as far as it knows: Unix ms in server time. */
  readonly closesAt: number | undefined;
  readonly settledSequence: number | undefined;
  readonly content: IntentContent;
  /** The bytes to send are still there. */
  readonly hasBody: boolean;
}

type Row = Readonly<Record<string, unknown>>;
type Query = (sql: string, values?: readonly (string | number | null)[]) => readonly Row[];

/** What may be at stake, in paise. */
export interface Limits {
  readonly perBid?: bigint | undefined;
  readonly perBuyer?: bigint | undefined;
  readonly perLot?: bigint | undefined;
}

/** How far the SDK's server time may be ahead or behind, ms. */
const BEHIND_MS = 1_500;

/**
 * Sees every commit, and checks what is written against the rules of the store: the log only grows, versions count up, the
 * state is what the log says, settlements are numbered in their order, one guarded bid for each buyer and lot, and no attempt
 * is recorded during a halt or beyond a limit.
 */
export class StoreWatch {
  /** Every write, in the order of commits. */
  readonly writes: StoreWrite[] = [];
  /** After which writes an earlier state was put back. */
  readonly restores: number[] = [];
  readonly #witness: Witness;
  readonly #limits: Limits;
  /** Lots that the service still takes bids on. */
  readonly #isOpenLot: (lot: string) => boolean;
  /** By account and key: as it is now. */
  readonly #rows = new Map<string, StoreWrite>();
  readonly #sequences = new Map<string, number>();

  constructor(witness: Witness, limits: Limits, isOpenLot: (lot: string) => boolean) {
    this.#witness = witness;
    this.#limits = limits;
    this.#isOpenLot = isOpenLot;
  }

  /** The intent under a key as it is now, in whichever account. */
  get rows(): readonly StoreWrite[] {
    return [...this.#rows.values()];
  }

  find(account: string, key: string): StoreWrite | undefined {
    return this.rows.findLast((row) => row.account === account && row.key === key);
  }

  committed(process: SimulatedProcess, query: Query): void {
    const seen = new Set<string>();
    const changes: [StoreWrite | undefined, StoreWrite][] = [];
    for (const row of query('SELECT account, key, version FROM vehicle_auction_intents')) {
      const name = `${row['account']} ${row['key']}`;
      seen.add(name);
      const known = this.#rows.get(name);
      if (known?.version === Number(row['version'])) continue;
      changes.push([known, this.#read(process, query, String(row['account']), String(row['key']))]);
    }
    // Together, because one commit may change several; settled ones in the order of their numbers.
    changes.sort(([, one], [, other]) => (one.settledSequence ?? 0) - (other.settledSequence ?? 0));
    for (const [, write] of changes) {
      this.#rows.set(`${write.namespace} ${write.key}`, write);
      this.writes.push(write);
      const last = write.content.log.at(-1)?.type;
      this.#witness.note(
        `store: ${process.name} saves ${write.key} v${write.version} ${write.state}${write.provisional ? '?' : ''} (${last})`,
      );
    }
    for (const [known, write] of changes) this.#check(known, write, query, process);
    for (const [name, { key }] of this.#rows) {
      if (seen.has(name)) continue;
      this.#rows.delete(name);
      this.#wrong(`${key} is gone`);
    }
  }

  /** An earlier state was put back: what came after it never happened, as far as the store knows. */
  restored(query: Query): void {
    this.restores.push(this.#witness.next());
    this.#rows.clear();
    this.#sequences.clear();
    for (const row of query('SELECT account, key FROM vehicle_auction_intents')) {
      const write = this.#read({ name: 'backup' }, query, String(row['account']), String(row['key']));
      this.#rows.set(`${write.namespace} ${write.key}`, write);
      this.writes.push(write);
    }
    for (const row of query('SELECT account, settled_sequence FROM vehicle_auction_accounts')) {
      this.#sequences.set(String(row['account']), Number(row['settled_sequence']));
    }
  }

  #check(known: StoreWrite | undefined, write: StoreWrite, query: Query, process: SimulatedProcess): void {
    const { key, version, content, state } = write;
    const log = content.log.map((event) => JSON.stringify(event));
    const before = (known?.content.log ?? []).map((event) => JSON.stringify(event));
    if (version <= (known?.version ?? 0)) this.#wrong(`${key} went back to version ${version}`);
    if (before.some((event, index) => log[index] !== event)) this.#wrong(`the log of ${key} was rewritten`);
    if (known !== undefined) this.#checkFacts(known, write);
    const status = fold(content, KEY_RETENTION_MS);
    if (status.state !== state || (status.provisional && !status.expired) !== write.provisional) {
      this.#wrong(`${key} is ${state}, and its log says ${status.state}`);
    }
    if (content.target !== undefined && isOpen(state) && !write.hasBody) {
      this.#wrong(`${key} is open and its bytes are gone`);
    }
    this.#checkSequence(known, write);
    if (write.guarded && !isOpen(state)) this.#wrong(`${key} is settled and guards its lot`);
    const twin = this.rows.find(
      (other) =>
        other.key !== key &&
        write.guarded &&
        other.guarded &&
        other.namespace === write.namespace &&
        other.lot === write.lot &&
        other.buyer === write.buyer,
    );
    if (twin !== undefined) this.#wrong(`${key} and ${twin.key} guard the same lot`);
    const added = content.log.slice(before.length);
    if (!added.some(({ type }) => type === 'attempt')) return;
    const isRenewed = added.some(({ type }) => type === 'placed');
    // Without the service's reply on record, the same bytes may be sent once more to get it.
    if (known !== undefined && !isOpen(known.state) && !isRenewed && !lacksReply(known)) {
      this.#wrong(`${key} was ${known.state}, and an attempt follows`);
    }
    if (write.lot !== undefined) this.#checkAdmission(write, query, process);
  }

  #checkFacts({ content: before }: StoreWrite, { key, content }: StoreWrite): void {
    for (const fact of ['identity', 'target', 'bid', 'once'] as const) {
      if (before[fact] === undefined) continue;
      if (JSON.stringify(before[fact]) !== JSON.stringify(content[fact])) {
        this.#wrong(`the ${fact} of ${key} was changed`);
      }
    }
  }

  #checkSequence(known: StoreWrite | undefined, write: StoreWrite): void {
    const { settledSequence, key, namespace, state } = write;
    if (isOpen(state) !== (settledSequence === undefined)) {
      this.#wrong(`${key} is ${state} and has ${settledSequence ?? 'no'} place among the settled`);
    }
    if (settledSequence === undefined) return;
    const isNews = known === undefined || known.state !== state || known.provisional !== write.provisional;
    if (!isNews) return;
    if (settledSequence <= (this.#sequences.get(namespace) ?? 0)) {
      this.#wrong(`${key} settled as number ${settledSequence}, behind one before it`);
    }
    this.#sequences.set(namespace, settledSequence);
  }

  /** An attempt of a bid was recorded, so it is about to leave. */
  #checkAdmission(write: StoreWrite, query: Query, process: SimulatedProcess): void {
    const { account, namespace, key, lot, buyer, paise = 0n } = write;
    const [halted] = query(
      'SELECT halt FROM vehicle_auction_accounts WHERE account = $1 AND halt IS NOT NULL',
      [namespace],
    );
    if (halted !== undefined) this.#witness.violated('sent during a halt', key);
    const { perBid, perBuyer, perLot } = this.#limits;
    const over = (limit: bigint | undefined, sum: bigint) => limit !== undefined && sum > limit;
    if (over(perBid, paise)) this.#witness.violated('sent beyond a limit', `${key}: the bid`);
    // By a wrong clock, a lot can seem closed that is not.
    if (process.clockIsMisled) return;
    const atStake = new Map<string, StoreWrite>();
    for (const row of this.rows) {
      const counts = row.account === account && (isOpen(row.state) || row.state === 'accepted');
      if (!counts || row.lot === undefined || !this.#isOpenLot(row.lot)) continue;
      if (this.#seemsClosed(row.lot, account)) continue;
      const name = `${row.lot} ${row.buyer}`;
      if ((row.paise ?? 0n) > (atStake.get(name)?.paise ?? -1n)) atStake.set(name, row);
    }
    const sum = (rows: readonly StoreWrite[]) => rows.reduce((total, row) => total + (row.paise ?? 0n), 0n);
    const all = [...atStake.values()];
    if (over(perBuyer, sum(all.filter((row) => row.buyer === buyer)))) {
      this.#witness.violated('sent beyond a limit', `${key}: the buyer`);
    }
    if (over(perLot, sum(all.filter((row) => row.lot === lot)))) {
      this.#witness.violated('sent beyond a limit', `${key}: the lot`);
    }
  }

  /** The stated exception of a crossed reply: the close that it stated, and no other reply did, is that of another lot. */
  #seemsClosed(lot: string, account: string): boolean {
    const known = this.rows.filter(
      (row) => row.lot === lot && row.account === account && row.closesAt !== undefined,
    );
    const isMisled = known.some(({ key, state }) => this.#witness.crossed.has(key) && !isOpen(state));
    return isMisled && known.every(({ closesAt = 0 }) => closesAt <= this.#witness.now + BEHIND_MS);
  }

  #read({ name }: { readonly name: string }, query: Query, account: string, key: string): StoreWrite {
    const [row] = query(
      `SELECT version, state, provisional, guarded, lot, buyer, CAST(paise AS TEXT) AS paise, closes_at,
        settled_sequence,
        content, body IS NOT NULL AS has_body FROM vehicle_auction_intents WHERE account = $1 AND key = $2`,
      [account, key],
    );
    if (row === undefined) throw new Error('A row disappeared while it was looked at');
    const content: IntentContent = JSON.parse(String(row['content']));
    const sequence = row['settled_sequence'];
    const state = STATES.find((one) => one === row['state']);
    if (state === undefined) throw new Error(`A row has the state ${String(row['state'])}`);
    return {
      order: this.#witness.next(),
      at: this.#witness.now,
      process: name,
      account: bankOf(account),
      namespace: account,
      key,
      version: Number(row['version']),
      state,
      provisional: Number(row['provisional']) === 1,
      guarded: Number(row['guarded']) === 1,
      lot: textOf(row['lot']),
      buyer: textOf(row['buyer']),
      paise: row['paise'] === null ? undefined : BigInt(String(row['paise'])),
      closesAt: row['closes_at'] === null ? undefined : Number(row['closes_at']),
      settledSequence: sequence === null ? undefined : Number(sequence),
      content,
      hasBody: Number(row['has_body']) === 1,
    };
  }

  #wrong(detail: string): void {
    this.#witness.violated('store rule broken', detail);
  }
}

const STATES: readonly IntentState[] = [
  'ready',
  'sent',
  'stuck',
  'accepted',
  'rejected',
  'done',
  'refused',
  'not_sent',
  'abandoned',
];

/** Whether it took effect, and the reply that says so could not be kept. */
export function lacksReply({ state, content }: StoreWrite): boolean {
  const { verdict } = fold(content, KEY_RETENTION_MS);
  return (state === 'accepted' || state === 'done') && verdict?.event.record === undefined;
}

/** The attempt that a request is, by its nonce: where it is in a log; -1 where it is not. */
export function attemptOf(log: readonly IntentEvent[], nonce: string): number {
  return log.findIndex((event) => event.type === 'attempt' && event.nonce === nonce);
}

const banks = ['sandbox/other', 'sandbox/moved', 'production'] as const;

/** Which bank an account is for: a planted bug may have made several for one. */
function bankOf(account: string): string {
  return banks.find((bank) => account.startsWith(bank)) ?? 'sandbox';
}

function textOf(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}
