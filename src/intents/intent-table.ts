import { LeaseLostError } from '../errors/journal.js';
import { type Intent, isOpen, namespaceOf, needsBytes, subjectOf } from './intent.js';
import type {
  Change,
  Claimed,
  Created,
  HeldIntent,
  IntentFilter,
  IntentId,
  LeaseRequest,
  StoredIntent,
} from './journal.js';

interface Row {
  readonly intent: Intent;
  readonly namespace: string;
  readonly subject: string | undefined;
  stored: Omit<StoredIntent, 'lease'>;
  fence: number;
  /** `until` on the table's clock, in ms. */
  lease: { readonly owner: string; readonly until: number } | undefined;
}

/** Intents in memory, with their leases: what a journal of one process knows. Nothing here is durable by itself. */
export class IntentTable {
  /** In the order they were made. */
  readonly #rows = new Set<Row>();
  readonly #byKey = new Map<string, Set<Row>>();
  readonly #openBySubject = new Map<string, Set<Row>>();
  readonly #now: () => number;

  /** @param now milliseconds that never run backwards; leases run by it. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Puts an intent back as a journal holds it, unleased; `fence` is the last that was given out. */
  load(stored: Omit<StoredIntent, 'lease'>, fence: number): void {
    this.#put(stored, fence, undefined);
  }

  /** Takes fences and leases from an earlier table of the same clock, for the intents that are in both. */
  goOnFrom(earlier: IntentTable): void {
    for (const row of this.#rows) {
      const before = earlier.#row({ namespace: row.namespace, key: row.intent.key });
      if (before === undefined) continue;
      row.fence = before.fence;
      row.lease = before.lease;
    }
  }

  /** What stands against a new intent; undefined where nothing does. */
  obstacleTo(intent: Intent, rules: { exclusive: boolean }): Created | undefined {
    const namespace = namespaceOf(intent.account);
    const existing = this.#row({ namespace, key: intent.key });
    if (existing !== undefined) return { kind: 'exists', stored: this.#shown(existing) };
    const subject = subjectOf(intent);
    if (!rules.exclusive || subject === undefined) return undefined;
    const others = this.#openBySubject.get(subjectKey({ namespace, subject }));
    if (others === undefined || others.size === 0) return undefined;
    return { kind: 'blocked', by: [...others].map((row) => this.#shown(row)) };
  }

  create(intent: Intent, change: Change, lease: LeaseRequest, rules: { exclusive: boolean }): Created {
    return this.obstacleTo(intent, rules) ?? this.make(intent, change, lease);
  }

  /** Creates an intent against which nothing stands. */
  make(intent: Intent, { entries, state }: Change, lease: LeaseRequest): Created {
    this.#put({ intent, entries: [...entries], state }, 1, this.#leaseFor(lease));
    return { kind: 'created', fence: 1 };
  }

  /** @throws LeaseLostError */
  append(id: IntentId, fence: number, { entries, state }: Change): void {
    const row = this.#row(id);
    if (row === undefined || row.fence !== fence) throw new LeaseLostError(id.key);
    row.stored = {
      intent: needsBytes(state) ? row.intent : withoutBytes(row.intent),
      entries: [...row.stored.entries, ...entries],
      state,
    };
    this.#index(row);
  }

  claim(id: IntentId, lease: LeaseRequest): Claimed {
    const row = this.#row(id);
    if (row === undefined) return { kind: 'missing' };
    if (this.#isLeased(row) && row.lease?.owner !== lease.owner)
      return { kind: 'held', stored: this.#shown(row) };
    return { kind: 'claimed', held: this.#take(row, lease) };
  }

  claimOpen(namespace: string, lease: LeaseRequest, limit: number): HeldIntent[] {
    const free: Row[] = [];
    for (const row of this.#matching({ namespace, open: true })) {
      if (free.length >= limit) break;
      if (!this.#isLeased(row)) free.push(row);
    }
    return free.map((row) => this.#take(row, lease));
  }

  release(id: IntentId, fence: number): void {
    const row = this.#row(id);
    if (row?.fence === fence) row.lease = undefined;
  }

  read(id: IntentId): StoredIntent | undefined {
    const row = this.#row(id);
    return row === undefined ? undefined : this.#shown(row);
  }

  find(key: string): StoredIntent[] {
    return [...(this.#byKey.get(key) ?? [])].map((row) => this.#shown(row));
  }

  /** In the order they were made. */
  *list(filter: IntentFilter): Generator<StoredIntent> {
    for (const row of this.#matching(filter)) yield this.#shown(row);
  }

  /** The fence that was last given out for an intent; 0 for one that isn't there. */
  fenceOf(id: IntentId): number {
    return this.#row(id)?.fence ?? 0;
  }

  remove(id: IntentId): void {
    const row = this.#row(id);
    if (row === undefined) return;
    this.#rows.delete(row);
    drop(this.#byKey, row.intent.key, row);
    if (row.subject !== undefined) drop(this.#openBySubject, subjectKey(row), row);
  }

  #row({ namespace, key }: IntentId): Row | undefined {
    for (const row of this.#byKey.get(key) ?? []) if (row.namespace === namespace) return row;
    return undefined;
  }

  #put(stored: Row['stored'], fence: number, lease: Row['lease']): void {
    const { intent } = stored;
    const namespace = namespaceOf(intent.account);
    const row: Row = { intent, namespace, subject: subjectOf(intent), stored, fence, lease };
    this.#rows.add(row);
    add(this.#byKey, intent.key, row);
    this.#index(row);
  }

  #index(row: Row): void {
    if (row.subject === undefined) return;
    const key = subjectKey(row);
    if (isOpen(row.stored.state)) add(this.#openBySubject, key, row);
    else drop(this.#openBySubject, key, row);
  }

  *#matching({ namespace, open, subject }: IntentFilter): Generator<Row> {
    for (const row of this.#rows) {
      if (namespace !== undefined && row.namespace !== namespace) continue;
      if (open !== undefined && isOpen(row.stored.state) !== open) continue;
      if (subject === undefined || row.subject === subject) yield row;
    }
  }

  #take(row: Row, lease: LeaseRequest): HeldIntent {
    row.fence += 1;
    row.lease = this.#leaseFor(lease);
    return { stored: this.#shown(row), fence: row.fence };
  }

  #leaseFor({ owner, ttlMs }: LeaseRequest) {
    return { owner, until: this.#now() + ttlMs };
  }

  #isLeased({ lease }: Row): boolean {
    return lease !== undefined && lease.until > this.#now();
  }

  #shown(row: Row): StoredIntent {
    if (row.lease === undefined || !this.#isLeased(row)) return row.stored;
    const { owner, until } = row.lease;
    return { ...row.stored, lease: { owner, leftMs: until - this.#now() } };
  }
}

/** Nobody resends what the service has judged, and bodies can be large. */
export function withoutBytes(intent: Intent): Intent {
  const { text: _, ...body } = intent.body;
  return { ...intent, body };
}

function subjectKey({ namespace, subject }: Pick<Row, 'namespace' | 'subject'>): string {
  return `${namespace} ${subject}`;
}

function add(sets: Map<string, Set<Row>>, key: string, row: Row): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([row]));
  else set.add(row);
}

function drop(sets: Map<string, Set<Row>>, key: string, row: Row): void {
  const set = sets.get(key);
  set?.delete(row);
  if (set?.size === 0) sets.delete(key);
}
