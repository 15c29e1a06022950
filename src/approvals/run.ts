import { InvalidRequestError, shownValue } from '../errors/local.js';
import type { SaleRecord } from '../generated/sale-cases.js';
import { fromPaise, isAmount, toPaise } from '../money/paise.js';
import { Changes, onceAborted } from '../runtime/timers.js';
import { notify, type WarnAbout } from '../runtime/user-code.js';
import type { ApprovalOutcome, ApprovalRun, DecideOptions, RunOptions, RunSummary } from './types.js';

interface RunPorts {
  readonly list: () => AsyncIterable<SaleRecord>;
  readonly warn: WarnAbout;
  readonly decide: (id: string, how: DecideOptions) => Promise<ApprovalOutcome>;
  /** Delivers entries to the sink, also those of `recover()`. Returns an outcome if the sink fails. */
  readonly drain: () => Promise<ApprovalOutcome | undefined>;
}

/** Statuses of decisions that may be in force: they count against the caps. */
const SPENT: readonly string[] = ['approved', 'offered', 'decided', 'pending_approval', 'unknown', 'dry_run'];
const ATTENTION: readonly string[] = ['held', 'refused', 'conflict', 'not_sent', 'unknown'];

/** Collects the pending sales of all pages, then decides them one after the other. */
export function startRun(ports: RunPorts, options: RunOptions): ApprovalRun {
  const { maxCount = Number.POSITIVE_INFINITY, maxAmount, signal } = options;
  if (!(maxCount >= 0)) throw invalidCap('maxCount', 'must be a number from 0', maxCount);
  if (maxAmount !== undefined && !isAmount(maxAmount))
    throw invalidCap('maxAmount', 'must be an INR decimal string such as "5000000", or a Big', maxAmount);
  const most = maxAmount === undefined ? undefined : toPaise(maxAmount);
  const outcomes: ApprovalOutcome[] = [];
  const changes = new Changes();
  let unread = 0;
  let isOver = false;
  let isPaused = false;
  let stopped: RunSummary['stopped'];
  let failure: unknown;
  let count = 0;
  let paise = 0n;

  const decideAll = async () => {
    // Read all pages first, because a list that changes during reading repeats and skips sales.
    const sales = new Map<string, SaleRecord>();
    for await (const sale of ports.list()) sales.set(sale.id, sale);
    const isPending = options.isPending ?? ((sale: SaleRecord) => sale.state !== 'approved');
    const pending = [...sales.values()].filter(isPending);
    for (const { id } of pending) {
      await changes.until(() => !isPaused || stopped !== undefined || signal?.aborted === true);
      if (signal?.aborted === true) stopped ??= 'signal';
      if (stopped !== undefined) return;
      const outcome = await decideWithin(id);
      outcomes.push(outcome);
      changes.notify();
      const progress = { total: pending.length, done: outcomes.length, latest: outcome };
      notify('onProgress', () => options.onProgress?.(progress), ports.warn);
    }
    const undelivered = await ports.drain();
    if (undelivered !== undefined) throw undelivered.error;
  };

  /** Checks the caps with a dry run first, so that nothing beyond them is sent. */
  const decideWithin = async (id: string): Promise<ApprovalOutcome> => {
    if (count >= maxCount || most !== undefined) {
      const planned = await ports.decide(id, { dryRun: true });
      if (planned.status !== 'dry_run') return options.dryRun === true ? planned : ports.decide(id, {});
      const next = paise + toPaise(planned.amount ?? '0');
      if (count >= maxCount) return leftOutcome(planned, 'max_count');
      if (most !== undefined && (next > most || planned.amount === undefined))
        return leftOutcome(planned, 'max_amount');
    }
    const outcome = await ports.decide(id, {});
    if (SPENT.includes(outcome.status)) {
      count += 1;
      paise += toPaise(outcome.amount ?? '0');
    }
    return outcome;
  };

  const unfollow = onceAborted(signal, () => changes.notify());
  const summary = decideAll()
    .catch((error: unknown) => {
      stopped ??= signal?.aborted === true ? 'signal' : 'failure';
      failure = error;
    })
    .then((): RunSummary => {
      unfollow();
      isOver = true;
      changes.notify();
      const counts: Partial<Record<ApprovalOutcome['status'], number>> = {};
      for (const { status } of outcomes) counts[status] = (counts[status] ?? 0) + 1;
      return {
        sales: outcomes.length,
        counts,
        amount: fromPaise(paise),
        attention: outcomes.filter(({ status }) => ATTENTION.includes(status)),
        ...(stopped !== undefined && { stopped }),
        ...(failure !== undefined && { error: failure }),
      };
    });

  return {
    summary,
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
      changes.notify();
    },
    stop() {
      stopped ??= 'stop';
      changes.notify();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        for (let next = outcomes[unread]; next !== undefined; next = outcomes[unread]) {
          unread += 1;
          yield next;
        }
        if (isOver) break;
        await changes.until(() => isOver || unread < outcomes.length);
      }
      if (stopped === 'failure') throw failure;
    },
  };
}

function invalidCap(cap: 'maxCount' | 'maxAmount', message: string, given: unknown): InvalidRequestError {
  return new InvalidRequestError(
    [{ path: `options.${cap}`, message, ...shownValue(`options.${cap}`, given) }],
    {
      call: 'approvals.run',
    },
  );
}

function leftOutcome(planned: ApprovalOutcome, reason: 'max_count' | 'max_amount'): ApprovalOutcome {
  return {
    ...planned,
    status: 'left',
    reason,
    what: 'The decision was not sent: it exceeds a cap of this run.',
    nextStep: 'Start another run to decide it.',
  };
}
