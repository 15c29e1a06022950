import type { AttemptReport } from '../core/call-journal.js';
import type { StoreTransaction } from '../store/store.js';
import type { Identity, ResultEvent } from './content.js';

/** What a reply proves, and about whose bid: the result as it is recorded, the ids of a verdict, the client it belongs to. */

/** The result of an attempt, as it is recorded. */
export function resultOf(report: AttemptReport, n: number, at: number): ResultEvent {
  const { effect, uncoded, keyConflict, bare409, why, stop, status, codes, requestId, replayed, record } =
    report;
  const bidId = textIn(record, 'bid_id');
  return {
    type: 'result',
    n,
    at,
    effect: uncoded ? 'uncoded' : effect,
    why,
    ...(stop !== undefined && { stop }),
    ...(status !== undefined && { status }),
    ...(codes.length > 0 && { codes }),
    ...(requestId !== undefined && { requestId: textIn(record, 'request_id') ?? requestId }),
    ...(bidId !== undefined && { bidId }),
    ...(replayed && { replayed }),
    ...(keyConflict && { keyConflict }),
    ...(bare409 && { bare409 }),
    ...(record !== undefined && { record }),
  };
}

/** A text field of an object of the service. */
export function textIn(record: unknown, field: string): string | undefined {
  const value: unknown =
    typeof record === 'object' && record !== null ? Reflect.get(record, field) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Records whose ids these are. Returns the keys that had them before, and which. */
export async function claimIds(
  tx: StoreTransaction,
  key: string,
  { bidId, requestId }: { readonly bidId?: string | undefined; readonly requestId?: string | undefined },
): Promise<{ readonly other: string; readonly ids: readonly string[] }[]> {
  const ids = new Map<string, string[]>();
  for (const [kind, value] of [
    ['bid_id', bidId],
    ['request_id', requestId],
  ] as const) {
    if (value === undefined) continue;
    const holder = await tx.evidence.claim(kind, value, key);
    if (holder !== key) ids.set(holder, [...(ids.get(holder) ?? []), value]);
  }
  return [...ids].map(([other, values]) => ({ other, ids: values }));
}

/** Whether another client recorded it: its key means nothing under these credentials. */
export function isForeign(recorded: Identity, own: Identity, formerOrigins: readonly string[]): boolean {
  const isHere = recorded.origin === own.origin || formerOrigins.includes(recorded.origin);
  // Until credentials were fetched, nobody knows whose they are.
  return !isHere || (own.clientId !== '' && recorded.clientId !== own.clientId);
}
