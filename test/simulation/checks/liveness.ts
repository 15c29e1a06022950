import type { Outcome } from './verdict.js';

/** What the service knows the outcome of, and the application doesn't, after the faults have ended. */
export function* unsettled(outcome: Outcome): Generator<string> {
  const { ledger, told, calls, sent, client, now, muddled } = outcome;
  const keys = new Set(sent.filter(({ kind }) => kind !== 'read').map(({ key }) => key));
  for (const key of keys) {
    const verdict = ledger.recall(client, key, now);
    const isOurs = sent.every((request) => request.key !== key || request.client === client);
    if (verdict === undefined || !isOurs || muddled.has(key)) continue;
    const isBid = verdict.bid !== undefined;
    // A command is sent again only for so long after its first attempt.
    const firstAt = calls.find((call) => call.key === key)?.at ?? now;
    if (!isBid && firstAt < now - outcome.resendableMs) continue;
    const expected = verdict.bid?.verdict ?? 'done';
    const known = told.findLast((report) => report.key === key);
    const isKnown = isBid
      ? known?.status === expected
      : told.some((report) => report.key === key && report.status === expected);
    if (!isKnown) yield `${key} is ${expected}, and was told ${known?.status ?? 'of by nobody'}`;
  }
}
