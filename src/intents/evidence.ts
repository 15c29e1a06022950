import type { AttemptReport } from '../core/call-journal.js';
import type { StoreTransaction } from '../store/store.js';
import type { Identity, LookupEvent, ResultEvent } from './content.js';
import type { Ledger } from './ledger.js';

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

/** A key whose verdict had the same ids, which one of the two must be wrong about. */
export interface Clash {
  readonly other: string;
  readonly ids: readonly string[];
}

/** Records whose ids these are, and voids the verdicts under other keys that rest on them. */
export async function claimIds(
  ledger: Ledger,
  tx: StoreTransaction,
  key: string,
  { at, bidId, requestId }: ResultEvent | LookupEvent,
): Promise<readonly Clash[]> {
  const ids = new Map<string, string[]>();
  for (const [kind, value] of [
    ['bid_id', bidId],
    ['request_id', requestId],
  ] as const) {
    if (value === undefined) continue;
    const holder = await tx.evidence.claim(kind, value, key);
    if (holder !== key) ids.set(holder, [...(ids.get(holder) ?? []), value]);
  }
  const clashes = [...ids].map(([other, values]) => ({ other, ids: values }));
  for (const clash of clashes) {
    const holder = ledger.intentOf(await tx.intents.get(clash.other));
    if (holder === undefined) continue;
    await ledger.save(tx, holder, { events: [{ type: 'voided', at, ids: clash.ids, otherKey: key }] });
  }
  return clashes;
}

/** Whether another client recorded it: its key means nothing under these credentials. */
export function isForeign(recorded: Identity, own: Identity, formerOrigins: readonly string[]): boolean {
  const isHere = recorded.origin === own.origin || formerOrigins.includes(recorded.origin);
  // Until credentials were fetched, nobody knows whose they are.
  return !isHere || (own.clientId !== '' && recorded.clientId !== own.clientId);
}
