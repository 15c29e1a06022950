import { digests } from '../../signing/digests.js';
import type { Entry } from '../entry.js';
import { type Intent, type IntentBody, type IntentState, namespaceOf } from '../intent.js';
import type { Change, IntentId, Journal, LeaseRequest, StoredIntent } from '../journal.js';
import { expectKind } from './check.js';

/** What intents of a case differ in. */
export interface Making {
  readonly clientId?: string;
  readonly environment?: string;
  readonly origin?: string;
  readonly dealerId?: string;
  /** None makes a command, which has no subject. */
  readonly lot?: string;
  readonly buyer?: string;
  readonly text?: string;
  /** Milliseconds that it is younger than others. */
  readonly later?: number;
}

/** Unix ms. */
const START = 1_772_431_200_000;

export function intentWith(key: string, making: Making = {}): Intent {
  const { origin = 'https://auction.example', environment = 'sandbox', clientId = 'client-1' } = making;
  const {
    dealerId = 'D-204',
    lot,
    buyer,
    text = JSON.stringify({ idempotency_key: key }),
    later = 0,
  } = making;
  return {
    key,
    account: { origin, environment, clientId, dealerId },
    operation: lot === undefined ? 'A36' : 'bids.submit',
    method: 'POST',
    path: lot === undefined ? '/api/v1/payment-reports' : `/api/v1/lots/${lot}/bids`,
    query: '',
    body: bodyOf(text),
    ...(lot !== undefined && {
      bid: {
        lot,
        amount: '465000.00',
        placeBy: START + 120_000,
        ...(buyer !== undefined && { bidderReference: buyer }),
      },
    }),
    createdAt: START + later,
  };
}

/** Each younger than the one before; their keys are in no order. */
export function series(count: number, making: Making = {}): Intent[] {
  return Array.from({ length: count }, (_, later) => {
    const key = digests.sha256Hex(new TextEncoder().encode(`${later}`)).slice(0, 12);
    return intentWith(key, { ...making, later });
  });
}

export function bodyOf(text: string): IntentBody {
  const bytes = new TextEncoder().encode(text);
  return { sha256: digests.sha256Hex(bytes), length: bytes.length, text };
}

export function idOf({ key, account }: Intent): IntentId {
  return { namespace: namespaceOf(account), key };
}

export function changeTo(state: IntentState, ...entries: readonly Entry[]): Change {
  return { state, entries };
}

/** An attempt that is about to leave; its number tells it from others. */
export function attempt(number: number): Entry {
  return {
    type: 'attempt',
    attempt: number,
    at: START + number,
    timestamp: 1_772_431_200 + number,
    nonce: `nonce-${number}`,
    keyId: 'key-1',
  };
}

/** Longer than any case takes, and never passed. */
export const LONG_MS = 3_600_000;

export function lease(owner: string, ttlMs = LONG_MS): LeaseRequest {
  return { owner, ttlMs };
}

/** Creates what nothing stands against. @returns its fence. */
export async function made(
  journal: Journal,
  intent: Intent,
  state: IntentState = 'prepared',
  by: LeaseRequest = lease('maker'),
): Promise<number> {
  const created = await journal.create(intent, changeTo(state), by, { exclusive: false });
  return expectKind(`create of ${intent.key}`, created, 'created').fence;
}

/** Creates an intent that nobody holds afterwards. */
export async function madeFree(
  journal: Journal,
  intent: Intent,
  state: IntentState = 'prepared',
): Promise<void> {
  const fence = await made(journal, intent, state);
  await journal.release(idOf(intent), fence);
}

/** Without the lease, whose time runs; and without the bytes, which need not stay once nobody can send them again. */
export function lasting({ intent, entries, state }: StoredIntent): unknown {
  const { text: _, ...body } = intent.body;
  return { intent: { ...intent, body }, entries, state };
}

/** What `lasting` makes of an intent with these entries. */
export function expected(intent: Intent, state: IntentState, entries: readonly Entry[] = []): unknown {
  return lasting({ intent, entries, state });
}

export function keysOf(found: readonly StoredIntent[]): string[] {
  return found.map(({ intent }) => intent.key);
}

export async function all(listed: AsyncIterable<StoredIntent>): Promise<StoredIntent[]> {
  const found: StoredIntent[] = [];
  for await (const stored of listed) found.push(stored);
  return found;
}
