import { isOpen } from '../../../src/store/intents.js';
import { CLIENT } from '../world/deployment.js';
import type { StoreWrite } from './store-watch.js';
import { isClashless, isLost, isMissing, type Outcome } from './verdict.js';

/** What the service knows the outcome of, and the application doesn't, after the faults have ended. */
export function* unsettled(outcome: Outcome): Generator<string> {
  const { ledger, told, now, muddled, rows, refusedTwice, hidden } = outcome;
  for (const { key, content, account, state } of rows) {
    if (content.identity.clientId !== CLIENT || account !== 'sandbox') continue;
    const verdict = ledger.recall(CLIENT, key, now);
    if (verdict === undefined || muddled.has(key) || isClashless(key, outcome)) continue;
    if (refusedTwice.has(key) || hidden.has(key) || isLost(key, outcome)) continue;
    // What is stuck is for a person, and a command that was given up can't be looked up.
    if (state === 'stuck' || (state === 'abandoned' && verdict.bid === undefined)) continue;
    const expected = verdict.bid?.verdict ?? 'done';
    const known = told.findLast((report) => report.key === key);
    const isKnown =
      verdict.bid === undefined
        ? told.some((report) => report.key === key && report.status === expected)
        : known?.status === expected;
    // Only a bid can be looked up that a restored backup has as refused or not sent.
    if (!isKnown && !(verdict.bid === undefined && isSentSince(key, outcome)))
      yield `${key} is ${expected}, and was told ${known?.status ?? 'to nobody'}`;
  }
}

/** Whether a command that took effect was sent after a restored backup, which has it as settled before, was made. */
function isSentSince(key: string, outcome: Outcome): boolean {
  const done = outcome.ledger.commands.find((command) => command.client === CLIENT && command.key === key);
  const request = outcome.sent[(done?.request ?? 0) - 1];
  return request !== undefined && isMissing(request, outcome);
}

/** What neither settled nor came before a person, although recovery ran when nothing was wrong any more. */
export function* unresolved(rows: readonly StoreWrite[]): Generator<string> {
  for (const { key, state, provisional, content, account } of rows) {
    if (content.identity.clientId !== CLIENT || account !== 'sandbox') continue;
    if (isOpen(state) && state !== 'stuck') yield `${key} is still ${state}`;
    if (provisional) yield `${key} is still ${state} for now`;
  }
}
