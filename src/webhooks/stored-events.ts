import type { Store } from '../store/store.js';
import { transact } from '../store/store.js';
import type { StoredWebhookEvent, WebhookState } from '../store/tables.js';

/** A stored event, for lists. */
export interface KeptWebhookEvent {
  /** Position in the order of arrival; continue a list with it. */
  readonly position: number;
  readonly id: string;
  readonly type: string;
  readonly state: WebhookState;
  readonly source: string;
  /** The body as received; `base64:…` if it is not text; empty once retention has dropped it. */
  readonly body: string;
  /** Unix ms. */
  readonly receivedAt: number;
  readonly attempts: number;
  /** The error of the last attempt, or the reason why the event is malformed. */
  readonly error?: string;
}

/** The account of the store that holds the events of an endpoint. */
export function endpointAccount(endpoint = 'default'): string {
  return `webhooks ${endpoint}`;
}

/** Lists stored events in the order of arrival. */
export async function listEvents(
  store: Store,
  account: string,
  query: {
    readonly state?: WebhookState | undefined;
    readonly after?: number | undefined;
    readonly limit: number;
  },
): Promise<readonly KeptWebhookEvent[]> {
  const rows = await transact(store, account, (tx) => tx.webhookEvents.list(query));
  return rows.map(keptEventOf);
}

/** Reads one stored event. */
export async function eventById(
  store: Store,
  account: string,
  id: string,
): Promise<KeptWebhookEvent | undefined> {
  const row = await transact(store, account, (tx) => tx.webhookEvents.get(id));
  return row && keptEventOf(row);
}

/**
 * Makes an event that failed permanently due again, from attempt 1.
 *
 * @param now Unix ms
 * @returns false if it did not fail permanently
 */
export function retryEvent(store: Store, account: string, id: string, now: number): Promise<boolean> {
  return transact(store, account, async ({ webhookEvents }) => {
    const row = await webhookEvents.get(id);
    if (row?.state !== 'failed_permanently') return false;
    return webhookEvents.update(id, row.version, { state: 'pending', attempts: 0, dueAt: now });
  });
}

/**
 * Marks an event as handled by a person, without its handler; the reason stays on record.
 *
 * @returns false unless it failed permanently or is malformed
 */
export function dismissEvent(store: Store, account: string, id: string, reason: string): Promise<boolean> {
  return transact(store, account, async ({ webhookEvents }) => {
    const row = await webhookEvents.get(id);
    if (row?.state !== 'failed_permanently' && row?.state !== 'malformed') return false;
    const { attempts, dueAt } = row;
    return webhookEvents.update(id, row.version, {
      state: 'handled',
      attempts,
      dueAt,
      error: `dismissed: ${reason}`,
    });
  });
}

function keptEventOf(row: StoredWebhookEvent): KeptWebhookEvent {
  const { position, id, type, state, source, body, receivedAt, attempts, error } = row;
  const kept = { position, id, type, state, source, body, receivedAt, attempts };
  return error === undefined ? kept : { ...kept, error };
}
