import { amountText } from '../api/formats.js';
import { zonedTimeMs } from '../clock/reply-time.js';
import { ApiError } from '../errors/api.js';
import { VehicleAuctionError } from '../errors/base.js';
import { AbortedError } from '../errors/connection.js';
import { InDoubtError, InvalidRequestError } from '../errors/local.js';
import { StoreError } from '../errors/store.js';
import { thrownMessage } from '../errors/thrown.js';
import { readOffer } from '../following/readers.js';
import type { OfferRecord } from '../generated/offers.js';
import type { BankSaleCases, SaleRecord } from '../generated/sale-cases.js';
import type { AuditFacts } from '../intents/content.js';
import type { Intent } from '../intents/ledger.js';
import type { Clock } from '../ports/clock.js';
import { checkMethodOptions, type KnownOptions } from '../runtime/injected.js';
import { Stopped } from '../runtime/timers.js';
import { type AskOptions, ask, type WarnAbout } from '../runtime/user-code.js';
import type { StoreTransaction } from '../store/store.js';
import type { StoredAuditRow } from '../store/tables.js';
import { amountOf, answerProblem, type Command, commandOf, isAnswer } from './command.js';
import { hasMoved } from './retry-on-conflict.js';
import { startRun } from './run.js';
import type {
  ApprovalOutcome,
  ApprovalReason,
  ApprovalRun,
  ApprovalStatus,
  AuditEntry,
  DecideOptions,
  OfferFacts,
  Policy,
  PolicyAnswer,
  RunOptions,
  SaleFacts,
} from './types.js';

/** Client services for approvals. */
export interface ApprovalPorts {
  readonly sales: Pick<BankSaleCases, 'get' | 'list' | 'decide' | 'offer'>;
  /** The latest call of a `runOnce` with these parts, settled if possible. */
  readonly latest: (parts: readonly string[]) => Promise<Intent | undefined>;
  /** A `runOnce` that may run again after an earlier run is done. */
  readonly once: <T>(
    parts: readonly string[],
    run: (idempotencyKey: string) => Promise<T>,
    how: { readonly mayFollow: (done: Intent) => boolean; readonly audit: AuditFacts },
  ) => Promise<T>;
  /** Runs work that `close()` waits for. Its calls continue while the client closes. */
  readonly hosting: <T>(call: string, work: () => Promise<T>) => Promise<T>;
  readonly within: <T>(work: (tx: StoreTransaction) => Promise<T>) => Promise<T>;
  /** Server time, Unix ms. */
  readonly now: () => number;
  readonly clientId: () => string;
  readonly clock: Clock;
  readonly warn: WarnAbout;
}

/** Timeout of a policy or a sink, ms. */
const CALLBACK_MS = 30_000;
const ROUNDS = 5;
const PAGE = 500;

/** Decides sales by your policy, once, on fresh facts, with an audit. */
export class Approvals {
  readonly #ports: ApprovalPorts;

  /** @internal */
  constructor(ports: ApprovalPorts) {
    this.#ports = ports;
  }

  /**
   * Decides one sale: reads it, calls the policy, records the decision with its audit entry, sends it with the version that
   * the policy saw, and audits the outcome. Safe to call again at any time: a decided sale returns its decision, a decision
   * in doubt is settled first, and a sale that changed is read and judged again.
   *
   * API: A21, A22, A24.
   *
   * @param sale Sale id, or a record, of which only the id is used.
   * @param policy Returns a decision from the facts. If it throws or hangs, nothing is sent (`policy_failed`).
   * @returns the outcome. Throws only for invalid arguments, and if the sale can't be read. If the signal fires, the wait for
   *   the policy and the sink ends at once; recorded decisions stay recorded.
   */
  async decide(
    sale: string | { readonly id: string },
    policy: Policy,
    options: DecideOptions = {},
  ): Promise<ApprovalOutcome> {
    const id = typeof sale === 'string' ? sale : sale?.id;
    if (typeof id !== 'string' || id === '') throwInvalid('sale', 'must be a sale id or a sale');
    if (typeof policy !== 'function') throwInvalid('policy', 'must be a function');
    checkMethodOptions('approvals.decide', options, decideOptions);
    checkTimeout(options);
    return this.#decide(id, policy, options);
  }

  #decide(id: string, policy: Policy, options: DecideOptions): Promise<ApprovalOutcome> {
    return this.#ports.hosting('approvals.decide', async () => {
      for (let round = 1; round <= ROUNDS; round += 1) {
        const outcome = await this.#round(id, policy, options);
        if (outcome !== 'moved') return outcome;
      }
      return approvalOutcome(id, 'conflict', {
        what: `The sale was not decided: it changed during each of ${ROUNDS} attempts.`,
        nextStep: 'Find out which other program changes it, then call again.',
      });
    });
  }

  /**
   * Decides all pending sales in this process, one after the other.
   *
   * @returns the run: read its outcomes with `for await`, or await its `summary`
   */
  run(policy: Policy, options: RunOptions = {}): ApprovalRun {
    if (typeof policy !== 'function') throwInvalid('policy', 'must be a function');
    checkMethodOptions('approvals.run', options, runOptions);
    checkTimeout(options);
    const list = () => this.#ports.sales.list({}, { signal: options.signal });
    const decide = (id: string, how: DecideOptions) => this.#decide(id, policy, { ...options, ...how });
    const { warn } = this.#ports;
    return startRun({ list, decide, warn, drain: () => this.#drain('', options) }, options);
  }

  /** Reads the audit in order, of one sale or after a sequence. */
  async *audit(
    query: { readonly sale?: string | undefined; readonly after?: number | undefined } = {},
  ): AsyncGenerator<AuditEntry, void, undefined> {
    for (let after = query.after ?? 0; ; ) {
      const from = after;
      const rows = await this.#ports.within((tx) =>
        tx.audit.list({ about: query.sale, after: from, limit: PAGE }),
      );
      yield* rows.map(auditEntry);
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return;
      after = last.sequence;
    }
  }

  /** The audit as JSON lines, for a file or an auditor. */
  async *export(
    query: { readonly sale?: string | undefined; readonly after?: number | undefined } = {},
  ): AsyncGenerator<string, void, undefined> {
    for await (const entry of this.audit(query)) yield `${JSON.stringify(entry)}\n`;
  }

  async #round(id: string, policy: Policy, options: DecideOptions): Promise<ApprovalOutcome | 'moved'> {
    const { sales, now, clientId } = this.#ports;
    const read = () => sales.get(id, { signal: options.signal });
    const undelivered = await this.#drain(id, options);
    if (undelivered !== undefined) return undelivered;
    // Decisions are per client, because a second approver of the bank has different credentials.
    let sale = await read();
    const parts = ['approval', clientId(), id];
    let earlier: Intent | undefined;
    try {
      earlier = options.dryRun === true ? undefined : await this.#ports.latest(parts);
    } catch (error) {
      return failedOutcome(id, error, {});
    }
    if (earlier !== undefined && earlier.status.attempts > 0) sale = await read();
    const past = earlier === undefined ? undefined : pastOf(earlier);
    const known = past && earlierOutcome(id, sale, past);
    if (known !== undefined) return known;

    const { isPending = () => true } = options;
    if (sale.state === 'approved' || !isPending(sale)) return notPending(sale, past);

    const facts: SaleFacts = {
      sale,
      offer: activeOfferOf(sale),
      now: now(),
      offered: past?.offered ?? false,
    };
    const version = sale.resource_version;
    let answer: PolicyAnswer;
    try {
      answer = await ask(() => policy(structuredClone(facts)), this.#asking('policy', options));
    } catch (error) {
      if (error instanceof Stopped) return abortedOutcome(id, 'policy', error, { version });
      return checkFailed(id, 'policy_failed', `The policy failed: ${thrownMessage(error)}`, {
        version,
        error,
      });
    }
    const problem = answerProblem(answer);
    if (problem !== undefined) return checkFailed(id, 'policy_answer_invalid', problem, { version });
    // Amounts are stored and audited as text.
    if (answer.action === 'offer') answer = { ...answer, amount: amountText(answer.amount) };
    const about = { version, answer, amount: amountOf(answer, facts) };
    if (answer.action === 'wait') {
      return approvalOutcome(id, 'waiting', { ...about, what: answer.reason, nextStep: 'Call again later.' });
    }
    if (answer.action === 'hold') {
      if (options.dryRun !== true) await this.#hold(id, facts, answer);
      await this.#drain(id, options);
      return approvalOutcome(id, 'held', {
        ...about,
        what: answer.reason,
        nextStep: 'Have a person decide it.',
      });
    }
    const command = commandOf(answer, facts);
    if ('reason' in command) return checkFailed(id, command.reason, command.what, about);
    if (options.dryRun === true) {
      const what = `It would send ${answer.action}: ${answer.reason}.`;
      return approvalOutcome(id, 'dry_run', { ...about, what, nextStep: 'Run it again without dryRun.' });
    }
    const outcome = await this.#send(parts, facts, command, about, options);
    await this.#drain(id, options);
    return outcome;
  }

  async #send(
    parts: readonly string[],
    facts: SaleFacts,
    command: Command,
    decided: About & { readonly version: number; readonly answer: PolicyAnswer },
    { signal }: DecideOptions,
  ): Promise<ApprovalOutcome | 'moved'> {
    const { sales, once, clientId } = this.#ports;
    const { id } = facts.sale;
    const { version, answer } = decided;
    let about: About = decided;
    try {
      const record = await once<SaleRecord | OfferRecord>(
        parts,
        (idempotencyKey) => {
          about = { ...decided, idempotencyKey };
          const sending = { signal, idempotencyKey };
          return command.kind === 'offer'
            ? sales.offer(id, command.body, sending)
            : sales.decide(id, command.body, sending);
        },
        {
          // An abandoned decision may still arrive. Then the version lets only one of the two take effect.
          mayFollow: (over) => over.status.state === 'abandoned' || pastOf(over).until < version,
          audit: { about: id, facts: { ...facts, version, answer, clientId: clientId() } },
        },
      );
      return carriedOut(id, { ...record }, answer, about);
    } catch (error) {
      const moved = await hasMoved(error, version, () => sales.get(id, { signal })).catch(() => false);
      return moved ? 'moved' : failedOutcome(id, error, about);
    }
  }

  /** Audits a held sale, once for each version and reason. */
  #hold(id: string, facts: SaleFacts, answer: PolicyAnswer): Promise<void> {
    const { within, now, clientId } = this.#ports;
    const version = facts.sale.resource_version;
    const content = JSON.stringify({ ...facts, now: undefined, version, answer, clientId: clientId() });
    return within(async (tx) => {
      const rows = await tx.audit.list({ about: id, limit: PAGE });
      if (rows.some((row) => row.phase === 'held' && row.content === content)) return;
      await tx.audit.append({ about: id, phase: 'held', at: now(), content });
    });
  }

  /** Delivers entries to the sink. @returns an outcome if the sink fails: then nothing new is sent */
  async #drain(id: string, options: DecideOptions): Promise<ApprovalOutcome | undefined> {
    const { sink, dryRun } = options;
    if (sink === undefined || dryRun === true) return undefined;
    const asking = this.#asking('sink', options);
    try {
      for (;;) {
        const rows = await this.#ports.within((tx) => tx.audit.undelivered(PAGE));
        for (const row of rows) {
          await ask(() => sink(auditEntry(row)), asking);
          await this.#ports.within((tx) => tx.audit.setDelivered(row.sequence));
        }
        if (rows.length < PAGE) return undefined;
      }
    } catch (error) {
      if (error instanceof Stopped) return abortedOutcome(id, 'sink', error, {});
      return checkFailed(id, 'audit_failed', `The audit sink failed: ${thrownMessage(error)}`, { error });
    }
  }

  #asking(name: string, { signal, callbackTimeout = CALLBACK_MS }: DecideOptions): AskOptions {
    return { name, clock: this.#ports.clock, limit: callbackTimeout, signal };
  }
}

const decideOptions: KnownOptions<DecideOptions> = {
  dryRun: true,
  signal: true,
  callbackTimeout: true,
  isPending: true,
  sink: true,
};

const runOptions: KnownOptions<RunOptions> = {
  ...decideOptions,
  maxCount: true,
  maxAmount: true,
  onProgress: true,
};

function checkTimeout({ callbackTimeout = CALLBACK_MS }: DecideOptions): void {
  if (typeof callbackTimeout === 'number' && callbackTimeout > 0) return;
  throwInvalid('options.callbackTimeout', 'must be a positive number of milliseconds, or Infinity');
}

/** The outcome if the signal fired during a policy or a sink, before anything was sent. */
function abortedOutcome(id: string, during: string, { reason }: Stopped, about: About): ApprovalOutcome {
  const error = new AbortedError({
    call: 'approvals.decide',
    operation: 'approvals.decide',
    outcome: 'not_sent',
    reason: 'aborted',
    what: `The call was aborted by your signal while it waited for the ${during}.`,
    nextStep: 'Call again if you still want it.',
    cause: reason,
  });
  return failedOutcome(id, error, about);
}

function throwInvalid(path: string, message: string): never {
  throw new InvalidRequestError([{ path, message }], { call: 'approvals' });
}

/** A decision of an earlier call. */
interface Past {
  readonly intent: Intent;
  /** The version of the sale that was decided. */
  readonly version: number;
  /** Up to this version, only the decision itself has changed the sale. */
  readonly until: number;
  readonly answer: PolicyAnswer | undefined;
  readonly offered: boolean;
}

function pastOf(intent: Intent): Past {
  const facts = intent.content.audit?.facts ?? {};
  const version = typeof facts['version'] === 'number' ? facts['version'] : 0;
  const answer = isAnswer(facts['answer']) ? facts['answer'] : undefined;
  const record = recordIn(intent);
  const returned = record?.['kind'] === 'sale' ? record['resource_version'] : undefined;
  const isDone = intent.status.state === 'done';
  return {
    intent,
    version,
    until: typeof returned === 'number' ? Math.max(version, returned) : version,
    answer,
    offered: facts['offered'] === true || (isDone && answer?.action === 'offer'),
  };
}

function recordIn({ status }: Intent): Readonly<Record<string, unknown>> | undefined {
  const record = status.verdict?.event.record;
  return typeof record === 'object' && record !== null ? { ...record } : undefined;
}

/** The outcome of an earlier decision if the sale has not changed since; undefined if it must be judged again. */
function earlierOutcome(id: string, sale: SaleRecord, past: Past): ApprovalOutcome | undefined {
  const { intent, version, until, answer } = past;
  const about = { version, idempotencyKey: intent.key, ...(answer !== undefined && { answer }) };
  switch (intent.status.state) {
    case 'ready':
    case 'sent':
      return approvalOutcome(id, 'unknown', {
        ...about,
        reason: intent.status.state === 'ready' ? 'in_progress' : 'in_doubt',
        what: 'An earlier decision may have taken effect.',
        nextStep: 'Call again later: the same bytes are sent under the same key.',
      });
    case 'stuck':
      return approvalOutcome(id, 'unknown', {
        ...about,
        reason: 'stuck',
        what: 'An earlier decision needs manual resolution.',
        nextStep: `Compare the sale with it, then call intents.abandon('${intent.key}').`,
      });
    case 'done': {
      if (sale.resource_version > until || answer === undefined) return undefined;
      return carriedOut(id, recordIn(intent) ?? {}, answer, about);
    }
    default:
      return undefined;
  }
}

function notPending(sale: SaleRecord, past: Past | undefined): ApprovalOutcome {
  const { id, state, resource_version: version } = sale;
  const isOurs = past?.intent.status.state === 'done' && past.answer?.action === 'approve';
  const status = isOurs && state === 'approved' ? 'approved' : 'not_pending';
  return approvalOutcome(id, status, {
    version,
    ...(isOurs && { idempotencyKey: past.intent.key }),
    record: { ...sale },
    what: `The sale is ${state}.`,
    nextStep: 'There is nothing to decide.',
  });
}

type About = Partial<Omit<ApprovalOutcome, 'sale' | 'status' | 'amount'>> & {
  readonly amount?: string | undefined;
};

function approvalOutcome(
  sale: string,
  status: ApprovalStatus,
  { amount, ...about }: About & { readonly what: string; readonly nextStep: string },
): ApprovalOutcome {
  return { status, sale, codes: [], ...about, ...(amount !== undefined && { amount }) };
}

function checkFailed(sale: string, reason: ApprovalReason, what: string, about: About): ApprovalOutcome {
  const nextStep = 'Nothing was sent. Correct it, then call again.';
  return approvalOutcome(sale, 'not_sent', {
    ...about,
    reason,
    what: `${what.replace(/\.$/, '')}.`,
    nextStep,
  });
}

function carriedOut(
  id: string,
  record: Readonly<Record<string, unknown>>,
  answer: PolicyAnswer,
  about: About,
): ApprovalOutcome {
  const { kind, state } = record;
  const outcome = (status: ApprovalStatus, what: string, nextStep: string) =>
    approvalOutcome(id, status, { ...about, record, what, nextStep });
  if (kind === 'offer' || answer.action === 'offer') {
    return outcome('offered', 'The offer is made.', 'Call again when the buyer has answered.');
  }
  if (state === 'approved') return outcome('approved', 'The sale is approved.', 'Follow its payment.');
  if (answer.action === 'decide') return outcome('decided', `The sale is ${state}.`, 'Nothing more to do.');
  const what = `The approval is recorded, and the sale is ${state}.`;
  return outcome('pending_approval', what, 'A second approver may have to confirm it.');
}

function failedOutcome(id: string, error: unknown, about: About): ApprovalOutcome {
  const isOurs = error instanceof VehicleAuctionError;
  const what = isOurs ? error.message : String(error);
  const nextStep = isOurs ? error.nextStep : 'Find the cause, then call again.';
  const key = isOurs ? error.idempotencyKey : undefined;
  const codes = error instanceof ApiError && error.outcome === 'refused' ? error.codes : [];
  const failed = (status: ApprovalStatus, reason: ApprovalReason) => {
    const failure = { ...about, ...(key !== undefined && { idempotencyKey: key }), error };
    return approvalOutcome(id, status, { ...failure, reason, codes, what, nextStep });
  };
  if (error instanceof InDoubtError) {
    return failed('unknown', error.reason === 'in_progress' ? 'in_progress' : 'in_doubt');
  }
  if (isOurs && error.outcome === 'refused') return failed('refused', 'failed');
  if (isOurs && error.outcome === 'not_sent') {
    return failed('not_sent', error instanceof StoreError ? 'audit_failed' : 'not_sent');
  }
  return failed('unknown', 'in_doubt');
}

function auditEntry({ sequence, about, key, phase, at, content }: StoredAuditRow): AuditEntry {
  return {
    sequence,
    about,
    ...(key !== undefined && { idempotencyKey: key }),
    phase,
    at: new Date(at).toISOString(),
    content: JSON.parse(content),
  };
}

/** The active offer of a sale: undefined if there is none, `unreadable` if a field is missing; never a guess. */
function activeOfferOf(sale: SaleRecord): OfferFacts | 'unreadable' | undefined {
  const found = readOffer(sale);
  if (found === undefined) return undefined;
  const { id, state, amount, termsVersion, validUntil } = found.data;
  if (id === undefined || state === undefined || amount === undefined) return 'unreadable';
  if (termsVersion === undefined || validUntil === undefined) return 'unreadable';
  return zonedTimeMs(validUntil) === undefined
    ? 'unreadable'
    : { id, state, amount, termsVersion, validUntil };
}
