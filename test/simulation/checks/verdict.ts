import type { IntentEvent } from '../../../src/intents/content.js';
import { isOpen } from '../../../src/store/intents.js';
import type { PlannedBid } from '../app/plan.js';
import type { Ledger } from '../service/ledger.js';
import { CLIENT, KEY_RETENTION_MS } from '../world/deployment.js';
import { nonceOf, tagOf, UNVERSIONED_MS } from './departure.js';
import { attemptOf, type StoreWatch, type StoreWrite } from './store-watch.js';
import type { SentRequest, Told, Witness } from './witness.js';

type Seen = Pick<Witness, 'sent' | 'calls' | 'told' | 'crossed' | 'hidden' | 'read'>;

/** What a run came to, for the checks at its end. */
export interface Outcome extends Seen, Pick<StoreWatch, 'writes' | 'rows' | 'restores'> {
  readonly ledger: Ledger;
  /** True time, Unix ms. */
  readonly now: number;
  /** Keys under which another program had recorded something. */
  readonly muddled: ReadonlySet<string>;
  readonly usedBefore: ReadonlyMap<string, PlannedBid['usedBefore']>;
  /** Keys of which only a bid in full tells whose they are, where lookups don't name it. */
  readonly unprovable: ReadonlySet<string>;
  /** Keys of which a copy was made, where the service checks access before it looks at the nonce. */
  readonly refusedTwice: ReadonlySet<string>;
  /** Processes whose clock was set, or that were told the time late. */
  readonly misled: ReadonlySet<string>;
  /** Everything in the store, as text. */
  readonly storeText: string;
  readonly secrets: readonly string[];
}

/** What is wrong with a run, by the service's own ledger: kind and detail. */
export function* faultsAtTheEnd(outcome: Outcome): Generator<readonly [string, string]> {
  yield* doubled(outcome);
  for (const told of outcome.told) {
    yield* misreported(told, outcome);
    yield* unrecorded(told, outcome);
    yield* unconfirmed(told, outcome);
  }
  yield* takenBack(outcome);
  yield* stuckWithoutReason(outcome);
  yield* shown(outcome);
}

/** At most one accepted bid, and one command carried out, for one intent. */
function* doubled({ ledger, hidden, refusedTwice, restores }: Outcome): Generator<readonly [string, string]> {
  const seen = new Map<string, string>();
  const effects = [...ledger.bids.filter(({ verdict }) => verdict === 'accepted'), ...ledger.commands];
  for (const { tag, key, client, request } of effects) {
    if (request === undefined) continue;
    // Under other credentials it is another one, which is checked as it leaves.
    const name = `${client} ${tag}`;
    const first = seen.get(name);
    // Stated exceptions: the generation before was refused, by gateways that hid its success or by a copy of it.
    const isHidden = first !== undefined && (hidden.has(first) || refusedTwice.has(first));
    // A restored store no longer knows what the service has forgotten.
    if (first !== undefined && !isHidden && restores.length === 0) yield ['doubled', `${tag}, under ${key}`];
    seen.set(name, key);
  }
}

/** What the application was told agrees with the ledger: also with what was entered later. */
function* misreported(told: Told, outcome: Outcome): Generator<readonly [string, string]> {
  const { ledger } = outcome;
  const detail = `${told.key} by ${told.by} of ${told.process}`;
  const settled = settledBefore(told, outcome);
  // An intent of another client is told as that client's.
  const client = settled?.content.identity.clientId ?? told.client;
  const mine = (one: { readonly key: string; readonly client: string }) =>
    one.key === told.key && one.client === client;
  const bids = ledger.bids.filter(mine);
  const accepted = bids.filter(({ verdict }) => verdict === 'accepted');
  const isUnknown = (number: number) => {
    const request = outcome.sent[number - 1];
    return request !== undefined && isForgotten(request, told, settled, outcome);
  };
  switch (told.status) {
    case 'accepted':
      if (isClashlessAt(told, settled, outcome)) return;
      if (accepted.length === 0) yield ['false acceptance', detail];
      else yield* ofAnotherProgram(told, settled, accepted, outcome);
      return;
    case 'rejected':
      if (isClashlessAt(told, settled, outcome) || outcome.muddled.has(told.key)) return;
      if (!bids.some(({ verdict }) => verdict === 'rejected')) yield ['false rejection', detail];
      if (accepted.some(({ request }) => request !== undefined && !isUnknown(request)))
        yield ['rejected, yet accepted', detail];
      return;
    case 'done':
      if (!ledger.commands.some(mine)) yield ['false success of a command', detail];
      return;
    case 'refused':
    case 'not_sent': {
      if (told.provisional || outcome.refusedTwice.has(told.key) || outcome.hidden.has(told.key)) return;
      if (isClashlessAt(told, settled, outcome)) return;
      const effect = [...accepted, ...ledger.commands.filter(mine)].find(
        ({ request }) => request !== undefined && !isOfALaterRound(request, told, settled, outcome),
      );
      if (effect !== undefined)
        yield [`false report: ${told.status}`, `${detail}, request ${effect.request}`];
      return;
    }
    case 'nothing_sent': {
      const effect = [...accepted, ...ledger.commands.filter(mine)].find(({ request }) =>
        isOfThisCall(request, told, outcome),
      );
      if (effect !== undefined) yield ['false report: nothing sent', `${detail}, request ${effect.request}`];
      return;
    }
  }
}

/** The bid of another program under the same key counts as this one only if it was read and is the same. */
function* ofAnotherProgram(
  told: Told,
  settled: StoreWrite | undefined,
  accepted: readonly { readonly id: string; readonly request: number | undefined }[],
  outcome: Outcome,
): Generator<readonly [string, string]> {
  const { usedBefore, read } = outcome;
  if (told.by === 'reconcile' && !isKnownTo(told, outcome)) return;
  const foreign = accepted.filter(({ request }) => request === undefined);
  if (foreign.length < accepted.length) return;
  // What is found under the key of a bid that was sent, or replayed after it was sent before, is that bid.
  const log = settled?.content.log ?? [];
  const found = log.findIndex((event) => event.type === 'lookup' && event.found === 'accepted');
  const conflict = log.findIndex(
    (event) => event.type === 'result' && (event.keyConflict === true || event.bare409 === true),
  );
  const isNamed = log.some((event) => event.type === 'result' && event.keyConflict === true);
  const isBefore = found >= 0 && !isNamed && (conflict < 0 || found < conflict);
  const isReplay = !isNamed && log.filter(({ type }) => type === 'attempt').length > 1;
  if (isBefore || isReplay) return;
  const detail = `${told.key} by ${told.by} of ${told.process}`;
  if (usedBefore.get(told.key) === 'other') yield ['acceptance of another bid', detail];
  else if (!foreign.some(({ id }) => read.has(id))) yield ['acceptance that was not checked', detail];
}

/** What was written last, before it was told, that says the same. */
function settledBefore({ key, account, status, order }: Told, { writes }: Outcome): StoreWrite | undefined {
  return writes.findLast(
    (write) =>
      write.key === key && write.account === account && write.state === status && write.order < order,
  );
}

/**
 * Whether a request belongs to a round that began after what was reported had been recorded: then the report was right when
 * it was made, and the intent was placed again.
 */
function isOfALaterRound(
  number: number,
  told: Told,
  settled: StoreWrite | undefined,
  outcome: Outcome,
): boolean {
  const request = outcome.sent[number - 1];
  if (request === undefined) return false;
  if (isForgotten(request, told, settled, outcome)) return true;
  // Where nothing was recorded the call speaks for itself.
  if (settled === undefined) return !isOfThisCall(number, told, outcome);
  const nonce = nonceOf(request);
  const known = settled.content.log.length;
  const later = outcome.writes.find(
    ({ key, account, content }) =>
      key === told.key && account === told.account && attemptOf(content.log, nonce) >= 0,
  );
  if (later === undefined) return false;
  const attempt = attemptOf(later.content.log, nonce);
  const renewal = later.content.log.slice(known, attempt).findIndex(({ type }) => type === 'placed');
  return attempt >= known && renewal >= 0 && isWanted(settled, known + renewal, outcome);
}

/** Whether a round was begun by the process that had settled the one before, or by a call that had not begun one itself. */
function isWanted(settled: StoreWrite, renewal: number, { calls, writes }: Outcome): boolean {
  const ofKey = writes.filter(({ key, account }) => key === settled.key && account === settled.account);
  const renewed = ofKey.find(({ order, content }) => order > settled.order && content.log.length > renewal);
  if (renewed === undefined) return false;
  const before = ofKey.findLast(({ order }) => order < renewed.order);
  if (before?.process === renewed.process) return true;
  const [only, another] = calls.filter(
    ({ process, order, what, key, tag }) =>
      process === renewed.process &&
      order < renewed.order &&
      (what === 'place' || what === 'batch' || what === 'command') &&
      (key === settled.key || (key === undefined && (tag !== undefined || what === 'batch'))),
  );
  // Which of several calls has begun it can't be told from outside.
  if (another !== undefined) return true;
  // To look up what others have sent begins nothing.
  const hadBegun = ofKey.some(
    ({ process, order, content }, index) =>
      process === renewed.process &&
      order > (only?.order ?? 0) &&
      order < renewed.order &&
      content.log
        .slice(ofKey[index - 1]?.content.log.length ?? 0)
        .some(({ type }) => type === 'placed' || type === 'attempt'),
  );
  return only !== undefined && !hadBegun;
}

/** Whether the store had an intent under the key when it was told. */
function isKnownTo({ key, account, order }: Told, { writes, restores }: Outcome): boolean {
  const since = restores.findLast((restore) => restore < order) ?? 0;
  return writes.some(
    (write) => write.key === key && write.account === account && write.order > since && write.order < order,
  );
}

/** Keys of which the service has recorded something before a backup without them was restored. */
function isLost(key: string, { restores, writes, sent }: Outcome): boolean {
  return restores.some(
    (restore) =>
      sent.some((request) => request.key === key && request.order < restore) &&
      !writes.some((write) => write.key === key && write.process === 'backup' && write.order > restore),
  );
}

/** Whether a backup was restored between a request and what was told, in which the one is not known to the other. */
function isForgotten(
  request: SentRequest,
  told: Told,
  settled: StoreWrite | undefined,
  outcome: Outcome,
): boolean {
  const toldAt = settled?.order ?? told.order;
  if (outcome.restores.some((order) => toldAt < order && order < request.order)) return true;
  return isMissing(request, outcome, toldAt);
}

/**
 * Whether a backup was restored after a request in which it is missing, and nothing says so: its intent isn't there at all,
 * or as it was refused or not sent before it was placed again (docs/recovery.md). What it has as open is in doubt.
 */
function isMissing(
  request: SentRequest,
  { restores, writes }: Outcome,
  before = Number.POSITIVE_INFINITY,
): boolean {
  const { key, order } = request;
  const restore = restores.find((at) => order < at && at < before);
  if (restore === undefined) return false;
  const kept = writes.find(
    (write) => write.key === key && write.process === 'backup' && write.order > restore,
  );
  if (kept === undefined) return true;
  return attemptOf(kept.content.log, nonceOf(request)) < 0 && !isOpen(kept.state);
}

/** Whether a request left while a call was under way, and no other call for its intent was. */
function isOfThisCall(
  number: number | undefined,
  told: Told,
  { sent, calls, told: reports }: Outcome,
): boolean {
  const request = sent[(number ?? 0) - 1];
  if (request === undefined || request.process !== told.process) return false;
  const tag = tagOf(request.wire);
  const others = calls.filter(
    (call) =>
      call.order !== told.call &&
      call.process === told.process &&
      (call.key === told.key ||
        call.tag === tag ||
        call.tags?.includes(tag ?? '') === true ||
        call.resends === true),
  );
  const endOf = (call: number) =>
    reports.findLast((report) => report.call === call)?.order ?? Number.POSITIVE_INFINITY;
  const isUnderWay = (call: number) => call < request.order && request.order < endOf(call);
  return isUnderWay(told.call) && !others.some(({ order }) => isUnderWay(order));
}

/** Whatever is told of an outcome was on record before. */
function* unrecorded(told: Told, outcome: Outcome): Generator<readonly [string, string]> {
  const { status, key, by, process, attempts } = told;
  const isVerdict = ['accepted', 'rejected', 'refused', 'done'].includes(status);
  const isSettled = isVerdict || (status === 'not_sent' && (attempts ?? 0) > 0);
  if (!isSettled || settledBefore(told, outcome) !== undefined) return;
  // A key that the store does not know is looked up and not recorded.
  if (by === 'reconcile' && !isKnownTo(told, outcome)) return;
  yield ['told before it was recorded', `${key} is ${status} by ${by} of ${process}`];
}

/** With `confirm`, every verdict and refusal rests on a lookup. */
function* unconfirmed(told: Told, outcome: Outcome): Generator<readonly [string, string]> {
  const call = outcome.calls.find(({ order }) => order === told.call);
  if (call?.what !== 'place' || call.confirm !== true || told.attempts === undefined) return;
  if (!['accepted', 'rejected', 'refused'].includes(told.status)) return;
  const log = settledBefore(told, outcome)?.content.log ?? [];
  const found = told.status === 'refused' ? 'absent' : told.status;
  const isSeen = log.some(
    (event) =>
      (event.type === 'lookup' && event.found === found) ||
      (event.type === 'bid_read' && event.found === found),
  );
  if (!isSeen) yield ['told without confirmation', `${told.key} is ${told.status}`];
}

/** What was final once stays so. */
function* takenBack(outcome: Outcome): Generator<readonly [string, string]> {
  const { told, muddled, restores } = outcome;
  const final = new Map<string, Told>();
  for (const report of told) {
    const name = `${report.account} ${report.key}`;
    const before = final.get(name);
    const isRestored =
      before !== undefined && restores.some((order) => before.order < order && order < report.order);
    const written = settledBefore(report, outcome);
    // It may be told late, of what was recorded before.
    const isLate = before !== undefined && written !== undefined && written.order < before.order;
    const isExcused = isRestored || muddled.has(report.key) || isClashless(report.key, outcome);
    if (before !== undefined && !isLate && !isExcused && contradicts(before, report)) {
      yield ['taken back', `${report.key}: ${before.status}, then ${report.status}`];
    }
    if (isFinal(report.status)) final.set(name, report);
  }
}

function contradicts(before: Told, after: Told): boolean {
  if (after.status === 'nothing_sent' || after.status === 'unknown') return false;
  // Begun before that was known, it may speak for its own process.
  if (after.status === 'not_sent' && after.call < before.order) return false;
  return after.status !== before.status;
}

export function isFinal(status: Told['status']): boolean {
  return status === 'accepted' || status === 'rejected' || status === 'done';
}

/** A person is asked only where nothing else can tell. */
function* stuckWithoutReason(outcome: Outcome): Generator<readonly [string, string]> {
  const { writes, muddled, crossed, misled } = outcome;
  const latest = new Map<string, string>();
  for (const write of writes) {
    const { key, state, process, account } = write;
    const before = latest.get(`${account} ${key}`);
    latest.set(`${account} ${key}`, state);
    // It is judged where it becomes stuck: who saves it later only keeps it so.
    if (state !== 'stuck' || before === 'stuck') continue;
    if (muddled.has(key) || crossed.has(key) || misled.has(process)) continue;
    if (outcome.refusedTwice.has(key) || outcome.unprovable.has(key)) continue;
    // Other bytes were sent under it before a backup without them was restored.
    if (isLost(key, outcome)) continue;
    if (write.at <= giveUpAt(write)) yield ['stuck without a reason', key];
  }
}

/** No secret and no signature in the store. */
function* shown({ storeText, secrets, sent }: Outcome): Generator<readonly [string, string]> {
  for (const secret of secrets)
    if (storeText.includes(secret)) yield ['secret in the store', 'a signing secret'];
  for (const { number, wire } of sent) {
    const signature = wire.headers['x-signature'];
    if (signature !== undefined && storeText.includes(signature)) {
      yield ['secret in the store', `the signature of request ${number}`];
      return;
    }
  }
}

/**
 * The stated exception of a crossed reply: this key was given the reply of another bid, and no id in it was known under
 * another key. `confirm` closes it.
 */
function isClashless(key: string, outcome: Outcome): boolean {
  return outcome.crossed.has(key) && !isConfirmed(key, outcome);
}

/** The same for what was told: before that was recorded, no other key had the same ids. */
function isClashlessAt(told: Told, settled: StoreWrite | undefined, outcome: Outcome): boolean {
  if (!isClashless(told.key, outcome)) return false;
  if (settled === undefined) return true;
  const ids = idsIn(settled.content.log);
  const others = outcome.writes.filter(
    (write) => write.key !== told.key && write.account === told.account && write.order <= settled.order,
  );
  return !others.some(({ content }) => idsIn(content.log).some((id) => ids.includes(id)));
}

/** Whether every call for a key asked for confirmation. */
function isConfirmed(key: string, { calls, writes }: Outcome): boolean {
  const ofKey = calls.filter((call) => call.what === 'place' && call.key === key);
  const isWritten = writes.some(
    (write) => write.key === key && write.content.log.some(({ type }) => type === 'confirm'),
  );
  return isWritten && ofKey.length > 0 && ofKey.every(({ confirm }) => confirm === true);
}

function idsIn(log: readonly IntentEvent[]): string[] {
  return log.flatMap((event) =>
    (event.type === 'result' || event.type === 'lookup') && event.bidId !== undefined ? [event.bidId] : [],
  );
}

/** When an intent whose effect is unknown is given up, at the earliest. */
function giveUpAt({ content }: StoreWrite): number {
  const { log, target, bid } = content;
  // It is not sent again, and a command cannot be looked up.
  if (log.some(({ type }) => type === 'restored')) return Number.NEGATIVE_INFINITY;
  const inserted = log[0]?.at ?? 0;
  if (bid !== undefined) return inserted + KEY_RETENTION_MS;
  const first = log.find(({ type }) => type === 'attempt')?.at ?? inserted;
  const rememberedUntil = inserted + KEY_RETENTION_MS - 300_000;
  // An attempt is recorded a moment after it was stamped.
  return target?.versioned === true
    ? rememberedUntil
    : Math.min(rememberedUntil, first + UNVERSIONED_MS - 62_000);
}

/** What the service knows the outcome of, and the application doesn't, after the faults have ended. */
export function* unsettled(outcome: Outcome): Generator<string> {
  const { ledger, told, now, muddled, rows, refusedTwice, hidden } = outcome;
  for (const { key, state } of rows.filter(isOurs)) {
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

/** Bids that are open on record although the service has judged them, after recovery under whatever label. */
export function* stillOpen(outcome: Outcome): Generator<string> {
  const { ledger, now, muddled, rows, refusedTwice } = outcome;
  for (const { key, state } of rows.filter(isOurs)) {
    const verdict = ledger.recall(CLIENT, key, now)?.bid?.verdict;
    const isExcused = muddled.has(key) || refusedTwice.has(key) || isClashless(key, outcome);
    if (state === 'sent' && verdict !== undefined && !isExcused)
      yield `${key} is ${verdict}, and on record as sent`;
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
  for (const { key, state, provisional } of rows.filter(isOurs)) {
    if (isOpen(state) && state !== 'stuck') yield `${key} is still ${state}`;
    if (provisional) yield `${key} is still ${state} for now`;
  }
}

/** Whether an intent is of the client and the account that the application is set up for. */
export function isOurs({ content, account }: StoreWrite): boolean {
  return content.identity.clientId === CLIENT && account === 'sandbox';
}
