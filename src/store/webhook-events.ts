import type { ColumnOf } from './schema.js';
import { NOW, numberOf, type Row, silenceOf, textOf, type Unit } from './table.js';

/**
 * Where a received event is: `pending` until its handler has finished, then `handled`; `parked` once its tries are used
 * up; `misshapen` if it is authentic, but not of a shape that can be handled.
 */
export type WebhookState = 'pending' | 'handled' | 'parked' | 'misshapen';

/** One received event as it is first written. */
export interface WebhookEventRow {
  /** Event id; unique within the account. */
  readonly id: string;
  /** Names the fact that it reports, so that a fact sent under two ids is kept once. */
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

/** The fields that handling changes. */
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

export function webhookEventTable({ tables: { webhook_events: events } }: Unit): WebhookEventTable {
  type Find = typeof events.select;
  const find = async (...[where, page]: Parameters<Find>) =>
    (await events.select(where, { order: ['id'], ...page })).map(storedOf);
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
        received_ms: row.receivedMs,
        due_ms: row.receivedMs,
        attempts: 0,
        owner_seen: NOW,
        error,
        version: 1,
      });
      return inserted !== undefined;
    },
    get: async (id) => (await find({ event_id: id }))[0],
    async update(id, version, { state, attempts, dueMs, owner = null, error = null }) {
      const saved = await events.update(
        { event_id: id, version },
        { state, attempts, due_ms: dueMs, owner, error, owner_seen: NOW, version: version + 1 },
      );
      return saved.length === 1;
    },
    list: ({ state, after = 0, limit }) =>
      find({ id: { is: '>', than: after }, ...(state !== undefined && { state }) }, { limit }),
    due: (nowMs, limit) => find({ state: 'pending', due_ms: { is: '<=', than: nowMs } }, { limit }),
    nextDue: () => first({ state: 'pending' }, 'due_ms', false),
    inHand: (resource) => find({ resource, state: 'pending', owner: { is: 'IS NOT', than: null } }),
    newestVersion: (resource) =>
      first({ resource, resource_version: { is: 'IS NOT', than: null } }, 'resource_version', true),
    async touchOwner(owner) {
      await events.update({ owner, state: 'pending' }, { owner_seen: NOW });
    },
    async shrink(receivedBeforeMs, limit) {
      const old = {
        state: 'handled',
        shrunk: false,
        received_ms: { is: '<', than: receivedBeforeMs },
      } as const;
      const ids = (await find(old, { limit })).map(({ position }) => position);
      if (ids.length > 0) await events.update({ id: { is: 'IN', than: ids } }, { body: '', shrunk: true });
      return ids.length;
    },
  };
}

const STATES: readonly WebhookState[] = ['pending', 'handled', 'parked', 'misshapen'];

function storedOf(row: Row<ColumnOf<'webhook_events'>>): StoredWebhookEvent {
  return {
    position: Number(row.id),
    id: String(row.event_id),
    fact: textOf(row.fact),
    type: String(row.type),
    // A word that this version doesn't know is never handled.
    state: STATES.find((state) => state === row.state) ?? 'misshapen',
    resource: textOf(row.resource),
    resourceVersion: numberOf(row.resource_version),
    source: String(row.source),
    body: String(row.body),
    receivedMs: Number(row.received_ms),
    dueMs: Number(row.due_ms),
    attempts: Number(row.attempts),
    owner: textOf(row.owner),
    error: textOf(row.error),
    version: Number(row.version),
    ownerSilentMs: silenceOf(row),
  };
}
