import type { CallContext } from '../errors/base.js';
import { type Intent, type IntentAccount, namespaceOf } from './intent.js';
import type { HeldIntent, IntentId, LeaseRequest, StoredIntent } from './journal.js';
import type { Keeper } from './keeper.js';
import { OtherAccountError, otherContent } from './refusals.js';
import { LeaseTime } from './renewal.js';

/** How often an intent that somebody else works on is asked for, ms. */
const POLL_MS = 250;

/**
 * The intent that the journal has under this key, where it has one.
 *
 * @throws IdempotencyConflictError where its bytes are others
 * @throws OtherAccountError where it belongs to another account at the same service
 */
export async function sameKey(
  keeper: Keeper,
  intent: Intent,
  context: CallContext,
): Promise<StoredIntent | undefined> {
  const { own, foreign } = await foundUnder(keeper, intent.key, intent.account);
  if (own === undefined) {
    if (foreign !== undefined) throw new OtherAccountError(foreign, context);
    return undefined;
  }
  if (!isSame(own.intent, intent)) throw otherContent(own, context, intent);
  return own;
}

/** What the journal has under a key at the service of an account: the account's own, and another account's. */
export async function foundUnder(
  { parts: { journal } }: Keeper,
  key: string,
  account: IntentAccount,
): Promise<{ readonly own: StoredIntent | undefined; readonly foreign: StoredIntent | undefined }> {
  const atService = (await journal.find(key)).filter(
    ({ intent }) => intent.account.origin === account.origin,
  );
  const isOwn = ({ intent }: StoredIntent) => namespaceOf(intent.account) === namespaceOf(account);
  return { own: atService.find(isOwn), foreign: atService.find((stored) => !isOwn(stored)) };
}

/** Leases an intent, waiting for its turn where somebody else works on it; undefined where it is gone. */
export async function claimInTurn(
  keeper: Keeper,
  id: IntentId,
  lease: LeaseRequest,
  signal: AbortSignal,
): Promise<{ readonly held: HeldIntent; readonly leased: LeaseTime } | undefined> {
  const { journal, clock } = keeper.parts;
  while (!signal.aborted) {
    const leased = new LeaseTime(clock);
    const claimed = await journal.claim(id, lease);
    if (claimed.kind === 'missing') return undefined;
    if (claimed.kind === 'claimed') {
      if (!signal.aborted) return { held: claimed.held, leased };
      // Nobody waits for it any more.
      await journal.release(id, claimed.held.fence);
      return undefined;
    }
    await new Promise<void>((resolve) => {
      clock.after(POLL_MS, resolve);
    });
  }
  return undefined;
}

/** Whether two intents under one key are of the same bytes. */
export function isSame(held: Intent, given: Intent): boolean {
  return (
    held.body.sha256 === given.body.sha256 &&
    held.method === given.method &&
    held.path === given.path &&
    held.query === given.query
  );
}
