import type { AttemptEffect } from '../../src/core/reply/classify.js';
import type { IntentContent, IntentEvent, LookupEvent, ResultEvent } from '../../src/intents/content.js';
import { fold, type IntentStatus } from '../../src/intents/fold.js';
import type { Intent } from '../../src/intents/ledger.js';
import type { StoredIntent } from '../../src/store/intents.js';
import { NOW } from '../support/bid-replies.js';
import { KEY } from '../support/clients.js';

/** Logs of intents in few words. Times are seconds after the insert. */

export const KEY_RETENTION_MS = 3_600_000;

export const at = (seconds: number) => NOW + seconds * 1_000;

const target = {
  operation: 'A75',
  method: 'POST',
  path: '/api/v1/notifications/n_1/acknowledgments',
  query: '',
  sha256: '',
  length: 0,
} as const;

/** A bid, until when it may be sent: two minutes unless said otherwise. */
export function bid(...log: readonly IntentEvent[]): IntentContent {
  return {
    identity: { origin: 'https://bank.example', clientId: 'cl_7f3a' },
    target: { ...target, operation: 'bids.submit', versioned: false },
    bid: { lot: 'lot_1', amount: '465000', dealerId: 'D-204' },
    log: [placed(0, 120), ...log],
  };
}

export function command(versioned: boolean, ...log: readonly IntentEvent[]): IntentContent {
  return {
    identity: { origin: 'https://bank.example', clientId: 'cl_7f3a' },
    target: { ...target, versioned },
    log: [placed(0), ...log],
  };
}

/** A decision of a bank on a sale (A22), which its version can settle. */
export function decision(...log: readonly IntentEvent[]): IntentContent {
  const path = '/api/v1/sale-cases/sal_1/decisions';
  return {
    identity: { origin: 'https://bank.example', clientId: 'cl_7f3a' },
    target: { ...target, operation: 'A22', path, versioned: true },
    log: [placed(0), ...log],
  };
}

export function status(content: IntentContent): IntentStatus {
  return fold(content, KEY_RETENTION_MS);
}

/** An intent with this content, as a ledger reads it. */
export function intentOf(content: IntentContent, body?: string): Intent {
  const known = status(content);
  const { state, provisional } = known;
  const facts = { key: KEY, state, provisional, guarded: false, content: JSON.stringify(content), body };
  const row: StoredIntent = { ...facts, id: 1, version: 1, ownerSilence: 0 };
  return { key: KEY, row, content, status: known };
}

/** The state, with a question mark where a later lookup may still find something else. */
export function word(content: IntentContent): string {
  const { state, provisional } = status(content);
  return provisional ? `${state}?` : state;
}

export function placed(seconds: number, placeBy?: number): IntentEvent {
  return { type: 'placed', at: at(seconds), ...(placeBy !== undefined && { placeBy: at(placeBy) }) };
}

export function attempt(n: number, seconds = 0): IntentEvent {
  const timestamp = Math.floor(at(seconds) / 1_000);
  return { type: 'attempt', n, at: at(seconds), timestamp, nonce: `nonce-${n}`, keyId: 'key_1' };
}

export function result(n: number, effect: AttemptEffect, more: Partial<ResultEvent> = {}): IntentEvent {
  return { type: 'result', n, at: at(1), effect, why: effect, ...more };
}

/** Both: attempt number n, and what came of it. */
export function tried(n: number, effect: AttemptEffect, more: Partial<ResultEvent> = {}): IntentEvent[] {
  return [attempt(n), result(n, effect, more)];
}

export function looked(
  found: LookupEvent['found'],
  seconds = 2,
  more: Partial<LookupEvent> = {},
): IntentEvent {
  return { type: 'lookup', at: at(seconds), observedAt: at(seconds), found, refusalsSeen: 0, ...more };
}

export const unsent: IntentEvent = { type: 'unsent', at: at(1), reason: 'interrupted', why: 'it ended' };
export const stuck: IntentEvent = { type: 'stuck', at: at(3_601), why: 'too late' };
export const abandoned: IntentEvent = { type: 'abandoned', at: at(2), why: 'by hand' };
export const expired: IntentEvent = { type: 'expired', at: at(3_601) };
export const confirm: IntentEvent = { type: 'confirm', at: at(0) };

export function restored(seconds: number): IntentEvent {
  return { type: 'restored', at: at(seconds) };
}

export function voided(...ids: readonly string[]): IntentEvent {
  return { type: 'voided', at: at(2), ids, otherKey: 'another' };
}

export function bidRead(found: 'accepted' | 'rejected' | 'differs' | 'failed'): IntentEvent {
  return { type: 'bid_read', at: at(3), found };
}
