import { table } from './schema.js';
import { numberOf, type SqlRow, type SqlUnit, textOf } from './sql-driver.js';
import type { Undo } from './undo.js';

/**
 * Where a received event is: `pending` until its handler has finished, then `handled`; `parked` once its tries are used
 * up; `misshapen` if it is authentic, but not of a shape that can be handled.
 */
export type WebhookState = 'pending' | 'handled' | 'parked' | 'misshapen';

/** One received event as it is first written. */
export interface WebhookEventRow {
  /** Event id; unique within the account. */
  readonly id: string;
  /** Names what it tells of, so that the same fact is kept once although it comes under two ids. */
  readonly fact?: string | undefined;
  readonly type: string;
  readonly state: 'pending' | 'misshapen';
  /** The resource that it is about, and its version. */
  readonly resource?: string | undefined;
  readonly resourceVersion?: number | undefined;
  /** `webhook` or `winner_update`. */
  readonly source: string;
  /** The body as it was received. Dropped by retention once it is handled. */
  readonly body: string;
  /** Unix ms by the receiver's clock. */
  readonly receivedMs: number;
  /** Why it is misshapen. */
  readonly error?: string | undefined;
}

/** What handling changes of it. */
export interface WebhookProgress {
  readonly state: WebhookState;
  /** Tries that were begun. */
  readonly attempts: number;
  /** Before this it is not tried, Unix ms by the receiver's clock. */
  readonly dueMs: number;
  /** The process and receiver that handle it. */
  readonly owner?: string | undefined;
  /** Why the last try failed. */
  readonly error?: string | undefined;
}

/** One received event as it is read. */
export interface StoredWebhookEvent extends Omit<WebhookEventRow, 'state'>, WebhookProgress {
  /** Position in the order of arrival. */
  readonly position: number;
  /** Counts the saves of this row, from 1. */
  readonly version: number;
  /** Milliseconds since `touchOwner` or a save last named the owner, by the store's clock. */
  readonly ownerSilentMs: number;
}

/** The received events of one account, inside a transaction. */
export interface WebhookEventTable {
  /** False, and nothing is written, where an event with this id or this fact is there. */
  insert(row: WebhookEventRow): Promise<boolean>;
  get(id: string): Promise<StoredWebhookEvent | undefined>;
  /** Saves progress on a row whose version is still this one; false where it no longer is. */
  update(id: string, version: number, progress: WebhookProgress): Promise<boolean>;
  /** In the order of arrival, above a position. */
  list(query: {
    readonly state?: WebhookState | undefined;
    readonly after?: number | undefined;
    readonly limit: number;
  }): Promise<readonly StoredWebhookEvent[]>;
  /** Pending and due, in the order of arrival. */
  due(nowMs: number, limit: number): Promise<readonly StoredWebhookEvent[]>;
  /** When the next pending one falls due, Unix ms. */
  nextDue(): Promise<number | undefined>;
  /** What is being handled on a resource: pending, with an owner. */
  inHand(resource: string): Promise<readonly StoredWebhookEvent[]>;
  /** The highest version of a resource that was received. */
  newestVersion(resource: string): Promise<number | undefined>;
  /** Says that this owner is alive. */
  touchOwner(owner: string): Promise<void>;
  /** Drops the bodies of up to `limit` events that were received before and are handled. @returns how many */
  shrink(receivedBeforeMs: number, limit: number): Promise<number>;
}

const COLUMNS = `id, event_id, fact, type, state, resource, resource_version, source, body, received_ms, due_ms, attempts,
  owner, error, version`;

export function sqlWebhookEvents({ account, query, now }: SqlUnit): WebhookEventTable {
  const events = table.webhookEvents;
  const select = async (where: string, values: readonly (string | number)[]) => {
    const rows = await query(
      `SELECT ${COLUMNS}, ${now} - owner_seen AS silent_ms FROM ${events} WHERE account = $1 AND ${where}`,
      [account, ...values],
    );
    return rows.map(storedOf);
  };
  return {
    async insert(row) {
      const inserted = await query(
        `INSERT INTO ${events} (account, event_id, fact, type, state, resource, resource_version, source, body,
          received_ms, due_ms, error, owner_seen)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, ${now}) ON CONFLICT DO NOTHING RETURNING id`,
        [
          account,
          row.id,
          row.fact ?? null,
          row.type,
          row.state,
          row.resource ?? null,
          row.resourceVersion ?? null,
          row.source,
          row.body,
          row.receivedMs,
          row.error ?? null,
        ],
      );
      return inserted.length === 1;
    },
    get: async (id) => (await select('event_id = $2', [id]))[0],
    async update(id, version, { state, attempts, dueMs, owner, error }) {
      const saved = await query(
        `UPDATE ${events} SET state = $4, attempts = $5, due_ms = $6, owner = $7, error = $8, owner_seen = ${now},
          version = version + 1 WHERE account = $1 AND event_id = $2 AND version = $3 RETURNING id`,
        [account, id, version, state, attempts, dueMs, owner ?? null, error ?? null],
      );
      return saved.length === 1;
    },
    list: ({ state, after = 0, limit }) =>
      state === undefined
        ? select('id > $2 ORDER BY id LIMIT $3', [after, limit])
        : select('state = $2 AND id > $3 ORDER BY id LIMIT $4', [state, after, limit]),
    due: (nowMs, limit) => select(`state = 'pending' AND due_ms <= $2 ORDER BY id LIMIT $3`, [nowMs, limit]),
    async nextDue() {
      const [row] = await query(
        `SELECT MIN(due_ms) AS due FROM ${events} WHERE account = $1 AND state = 'pending'`,
        [account],
      );
      return numberOf(row?.['due']);
    },
    inHand: (resource) => select(`resource = $2 AND state = 'pending' AND owner IS NOT NULL`, [resource]),
    async newestVersion(resource) {
      const [row] = await query(
        `SELECT MAX(resource_version) AS newest FROM ${events} WHERE account = $1 AND resource = $2`,
        [account, resource],
      );
      return numberOf(row?.['newest']);
    },
    async touchOwner(owner) {
      await query(
        `UPDATE ${events} SET owner_seen = ${now} WHERE account = $1 AND owner = $2 AND state = 'pending'`,
        [account, owner],
      );
    },
    async shrink(receivedBeforeMs, limit) {
      const shrunk = await query(
        `UPDATE ${events} SET body = '' WHERE id IN (SELECT id FROM ${events}
           WHERE account = $1 AND state = 'handled' AND body <> '' AND received_ms < $2 ORDER BY id LIMIT $3) RETURNING id`,
        [account, receivedBeforeMs, limit],
      );
      return shrunk.length;
    },
  };
}

const STATES: readonly WebhookState[] = ['pending', 'handled', 'parked', 'misshapen'];

function storedOf(row: SqlRow): StoredWebhookEvent {
  return {
    position: Number(row['id']),
    id: String(row['event_id']),
    fact: textOf(row['fact']),
    type: String(row['type']),
    // A word that this version doesn't know is never handled.
    state: STATES.find((state) => state === row['state']) ?? 'misshapen',
    resource: textOf(row['resource']),
    resourceVersion: numberOf(row['resource_version']),
    source: String(row['source']),
    body: String(row['body']),
    receivedMs: Number(row['received_ms']),
    dueMs: Number(row['due_ms']),
    attempts: Number(row['attempts']),
    owner: textOf(row['owner']),
    error: textOf(row['error']),
    version: Number(row['version']),
    ownerSilentMs: Math.max(0, Number(row['silent_ms'])),
  };
}

/** A row as it is kept. */
export type KeptWebhookEvent = Omit<StoredWebhookEvent, 'ownerSilentMs'> & { readonly ownerSeen: number };

/** @param kept rows by event id, in the order of arrival */
export function memoryWebhookEvents(
  kept: Map<string, KeptWebhookEvent>,
  undo: Undo,
  now: () => number,
): WebhookEventTable {
  const stored = ({ ownerSeen, ...row }: KeptWebhookEvent): StoredWebhookEvent => ({
    ...row,
    ownerSilentMs: Math.max(0, now() - ownerSeen),
  });
  const find = (matches: (row: KeptWebhookEvent) => boolean) =>
    // A deletion that was undone leaves the row at the end of the map.
    [...kept.values()]
      .filter(matches)
      .sort((a, b) => a.position - b.position)
      .map(stored);
  return {
    async insert(row) {
      const isKnown = find(({ id, fact }) => id === row.id || (fact !== undefined && fact === row.fact));
      if (isKnown.length > 0) return false;
      const progress = { attempts: 0, dueMs: row.receivedMs, version: 1, ownerSeen: now() };
      undo.set(kept, row.id, { ...row, ...progress, position: kept.size + 1 });
      return true;
    },
    async get(id) {
      const row = kept.get(id);
      return row === undefined ? undefined : stored(row);
    },
    async update(id, version, progress) {
      const row = kept.get(id);
      if (row?.version !== version) return false;
      const cleared = { ...row, owner: undefined, error: undefined };
      undo.set(kept, id, { ...cleared, ...progress, version: version + 1, ownerSeen: now() });
      return true;
    },
    list: async ({ state, after = 0, limit }) =>
      find((row) => row.position > after && (state === undefined || row.state === state)).slice(0, limit),
    due: async (nowMs, limit) =>
      find(({ state, dueMs }) => state === 'pending' && dueMs <= nowMs).slice(0, limit),
    async nextDue() {
      const pending = find(({ state }) => state === 'pending').map(({ dueMs }) => dueMs);
      return pending.length === 0 ? undefined : Math.min(...pending);
    },
    inHand: async (about) =>
      find(({ resource, state, owner }) => resource === about && state === 'pending' && owner !== undefined),
    async newestVersion(about) {
      const versions = find(({ resource }) => resource === about).flatMap((row) => row.resourceVersion ?? []);
      return versions.length === 0 ? undefined : Math.max(...versions);
    },
    async touchOwner(owner) {
      for (const row of kept.values()) {
        if (row.owner === owner && row.state === 'pending')
          undo.set(kept, row.id, { ...row, ownerSeen: now() });
      }
    },
    async shrink(receivedBeforeMs, limit) {
      const old = find(
        ({ state, body, receivedMs }) => state === 'handled' && body !== '' && receivedMs < receivedBeforeMs,
      ).slice(0, limit);
      for (const { id } of old) {
        const row = kept.get(id);
        if (row !== undefined) undo.set(kept, id, { ...row, body: '' });
      }
      return old.length;
    },
  };
}
