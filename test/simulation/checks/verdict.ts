import type { Ledger } from '../service/ledger.js';
import type { Observations, Told } from './record.js';

/** What a run came to, for the checks at its end. */
export interface Outcome extends Observations {
  readonly ledger: Ledger;
  /** Numbers of the requests that the service turned away, saying so. */
  readonly refused: ReadonlySet<number>;
  /** True time, Unix ms. */
  readonly now: number;
  /** For how long after its first attempt a command can be settled by sending it again, ms; 0 where clocks can't tell. */
  readonly resendableMs: number;
  /** The API client that the application is when it is set up right. */
  readonly client: string;
  /** Keys under which somebody else had recorded something, or the service gave two verdicts. */
  readonly muddled: ReadonlySet<string>;
  /** Keys that the service said somebody else had used before, with the call that heard it. */
  readonly foreign: ReadonlyMap<string, number>;
  /** Keys that the service rejected a bid under, with the call that heard it. */
  readonly rejected: ReadonlyMap<string, number>;
  /** Processes that were answered that the bid under a key was accepted. */
  readonly accepted: ReadonlyMap<string, ReadonlySet<string>>;
  /** Everything in the journal, as text. */
  readonly journalText: string;
  readonly secrets: readonly string[];
}

/** What is wrong with a run, by the service's own books: kind and detail. */
export function* faultsAtTheEnd(outcome: Outcome): Generator<readonly [string, string]> {
  yield* doubled(outcome);
  for (const told of outcome.told) yield* misreported(told, outcome);
  yield* takenBack(outcome);
  yield* shown(outcome);
}

/** At most one accepted bid, and one command carried out, for one intent. */
function* doubled({ ledger }: Outcome): Generator<readonly [string, string]> {
  const seen = new Set<string>();
  const effects = [...ledger.bids.filter(({ verdict }) => verdict === 'accepted'), ...ledger.commands];
  for (const { tag, key, client, request } of effects) {
    if (request === undefined) continue;
    // Under other credentials it is another one, which is checked as it leaves.
    if (seen.has(`${client} ${tag}`)) yield ['doubled', `${tag}, under ${key}`];
    seen.add(`${client} ${tag}`);
  }
}

/** What the application was told agrees with the books: also with what was entered later. */
function* misreported(told: Told, outcome: Outcome): Generator<readonly [string, string]> {
  const { ledger } = outcome;
  const detail = `${told.key} by ${told.by} of ${told.process}`;
  const mine = (one: { readonly key: string; readonly client: string }) =>
    one.key === told.key && one.client === told.client;
  const bids = ledger.bids.filter(mine);
  const accepted = bids.filter(({ verdict }) => verdict === 'accepted');
  switch (told.status) {
    case 'accepted':
      if (accepted.length === 0) yield ['false acceptance', detail];
      else if (outcome.foreign.get(told.key) === told.call)
        yield ['acceptance of a bid of somebody else', detail];
      if (outcome.rejected.get(told.key) === told.call && !wasAcceptedElsewhere(told, outcome))
        yield ['accepted over a rejection', detail];
      break;
    case 'rejected':
      if (!bids.some(({ verdict }) => verdict === 'rejected')) yield ['false rejection', detail];
      if (accepted.some(({ request }) => request !== undefined)) yield ['rejected, yet accepted', detail];
      if (outcome.foreign.get(told.key) === told.call) yield ['rejection of a bid of somebody else', detail];
      break;
    case 'done':
      if (!ledger.commands.some(mine)) yield ['false success of a command', detail];
      break;
    case 'refused':
    case 'not_sent': {
      const effect = [...accepted, ...ledger.commands.filter(mine)].find(
        ({ request }) => request !== undefined && !isOfALaterLease(request, told, outcome),
      );
      if (effect !== undefined)
        yield [`false report: ${told.status}`, `${detail}, request ${effect.request}`];
      break;
    }
    case 'nothing_sent': {
      const effect = [...accepted, ...ledger.commands.filter(mine)].find(({ request }) =>
        isOfThisCall(request, told, outcome),
      );
      if (effect !== undefined) yield ['false report: nothing sent', `${detail}, request ${effect.request}`];
      break;
    }
    case 'unknown':
      if (told.conclusivelyAbsent && bids.some(({ request }) => escaped(request, told, outcome))) {
        yield ['false absence', detail];
      }
      if (told.quarantined && !outcome.muddled.has(told.key)) yield ['quarantined without a reason', detail];
  }
}

/** Whether a request had left when it was found absent, or left later under a lease from before. */
function escaped(number: number | undefined, told: Told, { sent, journal }: Outcome): boolean {
  const request = sent[(number ?? 0) - 1];
  if (request === undefined) return false;
  if (request.order < told.order) return true;
  const leases = journal.filter(({ key, did }) => key === told.key && did === 'lease');
  const taken = (process: string, before: number) =>
    leases.findLast((lease) => lease.process === process && lease.order < before)?.order ?? 0;
  return (
    request.process !== told.process &&
    taken(request.process, request.order) < taken(told.process, told.order)
  );
}

/**
 * Whether a request left under a lease that was taken after what was reported had come to stand in the journal: then the
 * report was right when it was made, and somebody has placed the intent again.
 */
function isOfALaterLease(number: number, told: Told, { sent, journal }: Outcome): boolean {
  const request = sent[number - 1];
  if (request === undefined) return false;
  const ofKey = journal.filter(({ key }) => key === told.key);
  const leasedSince = (since: number) =>
    ofKey.some(
      ({ did, process, order }) =>
        did === 'lease' && process === request.process && order > since && order < request.order,
    );
  if (leasedSince(told.order)) return true;
  const written = ofKey.findLast(({ state, order }) => state === told.status && order < told.order);
  if (written !== undefined) return leasedSince(written.order);
  // Where nothing was written the call speaks for its own process, and for what was before it.
  return request.process !== told.process && request.order > told.call;
}

/** Whether a request left while a call was under way, and no other call for its key was. */
function isOfThisCall(
  number: number | undefined,
  told: Told,
  { sent, calls, told: reports }: Outcome,
): boolean {
  const request = sent[(number ?? 0) - 1];
  if (request === undefined || request.process !== told.process) return false;
  const others = calls.filter(
    (call) =>
      call.order !== told.call && call.process === told.process && (call.key ?? told.key) === told.key,
  );
  const endOf = (call: number) =>
    reports.findLast((report) => report.call === call)?.order ?? Number.POSITIVE_INFINITY;
  const isUnderWay = (call: number) => call < request.order && request.order < endOf(call);
  return isUnderWay(told.call) && !others.some(({ order }) => isUnderWay(order));
}

/** What was final once stays so. */
function* takenBack({ told, journal, muddled }: Outcome): Generator<readonly [string, string]> {
  const final = new Map<string, Told>();
  for (const report of told) {
    const before = final.get(report.key);
    const written = journal.findLast(
      ({ key, state, order }) => key === report.key && state === report.status && order < report.order,
    );
    // It may be told late, of what has come to stand in the journal before.
    const isLate = before !== undefined && written !== undefined && written.order < before.order;
    const isSure = before !== undefined && !isLate && !muddled.has(report.key);
    if (isSure && contradicts(before, report)) {
      yield ['taken back', `${report.key}: ${before.status}, then ${report.status}`];
    }
    if (['accepted', 'rejected', 'done'].includes(report.status)) final.set(report.key, report);
  }
}

function contradicts(before: Told, after: Told): boolean {
  if (after.status === 'nothing_sent') return false;
  // Begun before that was known, it may speak for its own process.
  if (after.status === 'not_sent' && after.call < before.order) return false;
  if (after.status === 'unknown') return after.conclusivelyAbsent && before.status !== 'rejected';
  return after.status !== before.status;
}

/** No secret and no signature in the journal. */
function* shown({ journalText, secrets, sent }: Outcome): Generator<readonly [string, string]> {
  for (const secret of secrets)
    if (journalText.includes(secret)) yield ['secret in the journal', 'a signing secret'];
  for (const { number, wire } of sent) {
    const signature = wire.headers['x-signature'];
    if (signature !== undefined && journalText.includes(signature)) {
      yield ['secret in the journal', `the signature of request ${number}`];
      return;
    }
  }
}

/** What another process was answered stands, whatever a copy comes to that left a sleeper late. */
function wasAcceptedElsewhere({ key, process }: Told, { accepted }: Outcome): boolean {
  return [...(accepted.get(key) ?? [])].some((other) => other !== process);
}
