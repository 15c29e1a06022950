import { type OwnedTable, type Ownership, ownedBy, ownedTable, ownershipOf } from './owner.js';
import { type ColumnOf, numberOf, type Row, stringOf, type Unit } from './schema.js';

// The other tables of a store: the row of the account, cursors of followers, the audit, webhook events.

/** State of a whole account. */
export interface AccountRow {
  /** Reason why bids of this account are halted; undefined if they are not. */
  halt(): Promise<string | undefined>;
  /** Stops writes for `reason`, or allows them again. */
  setHalt(reason: string | undefined): Promise<void>;
  /** The latest server time that any process has seen, Unix ms. */
  serverTime(): Promise<number | undefined>;
  /** Moves server time forward, never back. */
  advanceServerTime(server: number): Promise<void>;
}

/** The row of the account, for other tables of the unit of work. */
export interface Account extends AccountRow {
  /** Makes the account visible to other accounts of the store. */
  register(): Promise<void>;
  /** The next position in the order of settlements. A reader that has seen one has seen all before it. */
  nextSettlement(): Promise<number>;
}

export function accountRow(unit: Unit): Account {
  const accounts = unit.table('accounts');
  // Read once: nothing else changes the row during a unit of work.
  let row: ReturnType<typeof accounts.select> | undefined;
  const read = async () => {
    row ??= accounts.select({});
    return (await row)[0];
  };
  const write = async (values: Parameters<typeof accounts.update>[1]) => {
    row = accounts.update({}, values);
    if ((await row).length > 0) return;
    await accounts.insert({ settled_sequence: 0, ...values });
    row = undefined;
  };
  return {
    halt: async () => stringOf((await read())?.halt),
    setHalt: (reason) => write({ halt: reason ?? null }),
    serverTime: async () => numberOf((await read())?.server_ms),
    async advanceServerTime(server) {
      const floored = Math.floor(server);
      if ((numberOf((await read())?.server_ms) ?? 0) < floored) await write({ server_ms: floored });
    },
    async register() {
      if ((await read()) !== undefined) return;
      await accounts.insert({ settled_sequence: 0 });
      row = undefined;
    },
    async nextSettlement() {
      const next = Number((await read())?.settled_sequence ?? 0) + 1;
      await write({ settled_sequence: next });
      return next;
    },
  };
}

/** Progress of a follower, to write. */
export interface CursorRow {
  /** JSON that the follower needs to continue; undefined before its first item. */
  readonly value: string | undefined;
  /** The isolate and follower that own this name. */
  readonly owner?: string | undefined;
}

export interface StoredCursor extends CursorRow, Ownership {
  /** Number of saves, from 1. */
  readonly version: number;
}

/** Progress of followers, by name. */
export interface CursorTable extends OwnedTable {
  /** A cursor by its name. */
  get(name: string): Promise<StoredCursor | undefined>;
  /** Saves a cursor if it still has this version (0: a new one). Otherwise writes nothing and returns false. */
  save(name: string, version: number, row: CursorRow): Promise<boolean>;
}

export function cursorTable(unit: Unit): CursorTable {
  const cursors = unit.table('cursors');
  return {
    async get(name) {
      const [row] = await cursors.select({ name });
      if (row === undefined) return undefined;
      return { value: stringOf(row.value), version: Number(row.version), ...ownershipOf(row) };
    },
    async save(name, version, { value = null, owner }) {
      const values = { value, ...ownedBy(owner), version: version + 1 } as const;
      if (version === 0) return (await cursors.insert({ name, ...values })) !== undefined;
      return (await cursors.update({ name, version }, values)).length === 1;
    },
    ...ownedTable(unit, 'cursors'),
  };
}

/** Identifies one unit of work. An owner has one mark at a time. */
export interface CommitMark {
  readonly owner: string;
  /** Number of the unit of work of this owner, from 1. */
  readonly token: number;
}

/** Marks of committed units of work, to read if the reply to a commit was lost. */
export interface CommitTable {
  /** Writes the mark with the first write of this unit. It replaces the previous mark of the same owner. */
  markWith(mark: CommitMark): void;
  /** True if the unit with this mark was committed. */
  has(mark: CommitMark): Promise<boolean>;
}

/** Marks of owners without a heartbeat for a day are deleted, ms. */
const KEPT_MARKS_MS = 86_400_000;

export function commitTable(unit: Pick<Unit, 'table' | 'step'>): CommitTable & { mark(): Promise<void> } {
  const commits = unit.table('commits');
  let pending: CommitMark | undefined;
  return {
    markWith(mark) {
      pending = mark;
    },
    has: async (mark) => (await commits.select({ ...mark })).length > 0,
    async mark() {
      if (pending === undefined) return;
      const { owner, token } = pending;
      pending = undefined;
      if ((await commits.update({ owner }, { ...ownedBy(owner), token })).length > 0) return;
      for (const row of await commits.select({})) {
        const { owner: other = null, ownerSilence } = ownershipOf(row);
        if (ownerSilence > KEPT_MARKS_MS) await commits.delete({ owner: other });
      }
      await commits.insert({ ...ownedBy(owner), token });
    },
  };
}

/** One entry of the audit, to write. Entries never change. */
export interface AuditRow {
  /** Subject, such as a sale id. */
  readonly about: string;
  /** Idempotency key of the command; absent if none was recorded. */
  readonly key?: string | undefined;
  /** `before` a command is sent, `after` its outcome is known, or another phase of the use case. */
  readonly phase: string;
  /** Unix ms in server time. */
  readonly at: number;
  /** JSON. */
  readonly content: string;
}

export interface StoredAuditRow extends AuditRow {
  /** Position in the order of the entries. */
  readonly sequence: number;
}

/** The audit of one account, inside a transaction. */
export interface AuditTable {
  /** Adds an entry that has not been delivered. */
  append(row: AuditRow): Promise<void>;
  /** Entries after a sequence, in order; of one subject if given. */
  list(query: {
    readonly about?: string | undefined;
    readonly after?: number | undefined;
    readonly limit: number;
  }): Promise<readonly StoredAuditRow[]>;
  /** Entries that were not delivered to the sink yet, in order. */
  undelivered(limit: number): Promise<readonly StoredAuditRow[]>;
  /** Marks all entries up to this sequence as delivered to the sink. */
  setDelivered(sequence: number): Promise<void>;
  /** Deletes up to `limit` entries that were delivered to the sink and are older than a time. @returns their number */
  prune(before: number, limit: number): Promise<number>;
}

export function auditTable(unit: Unit): AuditTable {
  const audit = unit.table('audit');
  const select = async (where: Parameters<typeof audit.select>[0], limit: number) => {
    const rows = await audit.select(where, { order: ['id'], limit });
    return rows.map((row) => ({
      sequence: Number(row.id),
      about: String(row.about),
      key: stringOf(row.key),
      phase: String(row.phase),
      at: Number(row.at_ms),
      content: String(row.content),
    }));
  };
  return {
    async append({ about, key = null, phase, at, content }) {
      await audit.insert({ about, key, phase, at_ms: at, content, delivered: false });
    },
    list: ({ about, after = 0, limit }) =>
      select({ id: { is: '>', than: after }, ...(about !== undefined && { about }) }, limit),
    undelivered: (limit) => select({ delivered: false }, limit),
    async setDelivered(sequence) {
      await audit.update({ delivered: false, id: { is: '<=', than: sequence } }, { delivered: true });
    },
    async prune(before, limit) {
      const ids = (await select({ delivered: true, at_ms: { is: '<', than: before } }, limit)).map(
        ({ sequence }) => sequence,
      );
      if (ids.length > 0) await audit.delete({ id: { is: 'IN', than: ids } });
      return ids.length;
    },
  };
}

/**
 * State of a received event: `pending` until its handler has finished, then `handled`; `failed_permanently` after the last
 * attempt; `malformed` if it is authentic, but its shape can't be handled.
 */
export type WebhookState = 'pending' | 'handled' | 'failed_permanently' | 'malformed';

/** One received event as it is first written. */
export interface WebhookEventRow {
  /** Event id; unique within the account. */
  readonly id: string;
  /** Key of the reported fact, so that a fact under two event ids is stored once. */
  readonly fact?: string | undefined;
  readonly type: string;
  readonly state: 'pending' | 'malformed';
  /** The resource of the event, and its version. */
  readonly resource?: string | undefined;
  readonly resourceVersion?: number | undefined;
  /** `webhook` or `winner_update`. */
  readonly source: string;
  /** The body as received. Retention drops it once the event is handled. */
  readonly body: string;
  /** Unix ms by the receiver's clock. */
  readonly receivedAt: number;
  /** Reason if it is malformed. */
  readonly error?: string | undefined;
}

/** The fields that handling changes. */
export interface WebhookProgress {
  readonly state: WebhookState;
  /** Number of attempts that were started. */
  readonly attempts: number;
  /** Time of the next attempt, Unix ms by the receiver's clock. */
  readonly dueAt: number;
  /** The isolate and receiver that own it. */
  readonly owner?: string | undefined;
  /** Error of the last attempt. */
  readonly error?: string | undefined;
}

/** One received event as it is read. */
export interface StoredWebhookEvent extends Omit<WebhookEventRow, 'state'>, WebhookProgress, Ownership {
  /** Position in the order of arrival. */
  readonly position: number;
  /** Number of saves of this row, from 1. */
  readonly version: number;
}

/** The received events of one account, inside a transaction. */
export interface WebhookEventTable extends OwnedTable {
  /** Returns false and writes nothing if an event with this id or this fact exists. */
  insert(row: WebhookEventRow): Promise<boolean>;
  /** An event by its id. */
  get(id: string): Promise<StoredWebhookEvent | undefined>;
  /** The first event that reported a fact. */
  withFact(fact: string): Promise<StoredWebhookEvent | undefined>;
  /** Saves progress if the row still has this version. Otherwise writes nothing and returns false. */
  update(id: string, version: number, progress: WebhookProgress): Promise<boolean>;
  /** Events after a position, in the order of arrival. */
  list(query: {
    readonly state?: WebhookState | undefined;
    readonly after?: number | undefined;
    readonly limit: number;
  }): Promise<readonly StoredWebhookEvent[]>;
  /** Pending events that are due, after a position, in the order of arrival. */
  due(now: number, limit: number, after: number): Promise<readonly StoredWebhookEvent[]>;
  /** Moves due times after `dueAfter` to `dueAt`: they were set while the clock was ahead. */
  hasten(dueAfter: number, dueAt: number): Promise<void>;
  /** Earliest due time of a pending event, Unix ms. */
  nextDue(): Promise<number | undefined>;
  /** Pending events of a resource that have an owner. */
  owned(resource: string): Promise<readonly StoredWebhookEvent[]>;
  /** The highest received version of a resource. */
  newestVersion(resource: string): Promise<number | undefined>;
  /** Drops the bodies of up to `limit` handled events received before a time. @returns their number */
  shrink(receivedBefore: number, limit: number): Promise<number>;
  /** Deletes up to `limit` handled events received before a time. @returns their number */
  prune(receivedBefore: number, limit: number): Promise<number>;
}

export function webhookEventTable(unit: Unit): WebhookEventTable {
  const events = unit.table('webhook_events');
  type Find = typeof events.select;
  const find = async (...[where, page]: Parameters<Find>) =>
    (await events.select(where, { order: ['id'], ...page })).map(webhookEventOf);
  const first = async (
    where: Parameters<Find>[0],
    column: ColumnOf<'webhook_events'>,
    descending: boolean,
  ) => {
    const [row] = await events.select(where, { order: [column], descending, limit: 1 });
    return numberOf(row?.[column]);
  };
  return {
    async insert({ id, fact = null, resource = null, resourceVersion = null, error = null, ...row }) {
      const inserted = await events.insert({
        event_id: id,
        fact,
        type: row.type,
        state: row.state,
        resource,
        resource_version: resourceVersion,
        source: row.source,
        body: row.body,
        shrunk: false,
        received_ms: row.receivedAt,
        due_ms: row.receivedAt,
        attempts: 0,
        ...ownedBy(undefined),
        error,
        version: 1,
      });
      return inserted !== undefined;
    },
    get: async (id) => (await find({ event_id: id }))[0],
    withFact: async (fact) => (await find({ fact }))[0],
    async update(id, version, { state, attempts, dueAt, owner, error = null }) {
      const saved = await events.update(
        { event_id: id, version },
        { state, attempts, due_ms: dueAt, ...ownedBy(owner), error, version: version + 1 },
      );
      return saved.length === 1;
    },
    list: ({ state, after = 0, limit }) =>
      find({ id: { is: '>', than: after }, ...(state !== undefined && { state }) }, { limit }),
    due: (now, limit, after) =>
      find({ state: 'pending', due_ms: { is: '<=', than: now }, id: { is: '>', than: after } }, { limit }),
    async hasten(dueAfter, dueAt) {
      await events.update({ state: 'pending', due_ms: { is: '>', than: dueAfter } }, { due_ms: dueAt });
    },
    nextDue: () => first({ state: 'pending' }, 'due_ms', false),
    owned: (resource) => find({ resource, state: 'pending', owner: { is: 'IS NOT', than: null } }),
    newestVersion: (resource) =>
      first({ resource, resource_version: { is: 'IS NOT', than: null } }, 'resource_version', true),
    ...ownedTable(unit, 'webhook_events', 'pending'),
    async shrink(receivedBefore, limit) {
      const old = {
        state: 'handled',
        shrunk: false,
        received_ms: { is: '<', than: receivedBefore },
      } as const;
      const ids = (await find(old, { limit })).map(({ position }) => position);
      if (ids.length > 0) await events.update({ id: { is: 'IN', than: ids } }, { body: '', shrunk: true });
      return ids.length;
    },
    async prune(receivedBefore, limit) {
      const old = { state: 'handled', received_ms: { is: '<', than: receivedBefore } } as const;
      const ids = (await find(old, { limit })).map(({ position }) => position);
      if (ids.length > 0) await events.delete({ id: { is: 'IN', than: ids } });
      return ids.length;
    },
  };
}

const STATES: readonly WebhookState[] = ['pending', 'handled', 'failed_permanently', 'malformed'];

function webhookEventOf(row: Row<ColumnOf<'webhook_events'>>): StoredWebhookEvent {
  return {
    position: Number(row.id),
    id: String(row.event_id),
    fact: stringOf(row.fact),
    type: String(row.type),
    // An event with a state that this version doesn't know is never handled.
    state: STATES.find((state) => state === row.state) ?? 'malformed',
    resource: stringOf(row.resource),
    resourceVersion: numberOf(row.resource_version),
    source: String(row.source),
    body: String(row.body),
    receivedAt: Number(row.received_ms),
    dueAt: Number(row.due_ms),
    attempts: Number(row.attempts),
    ...ownershipOf(row),
    error: stringOf(row.error),
    version: Number(row.version),
  };
}
