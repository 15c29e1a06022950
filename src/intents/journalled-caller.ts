import { CallSuperseded } from '../core/attempt-journal.js';
import { callerOf, type Pipeline } from '../core/call.js';
import type { Caller, MutationOptions } from '../core/caller.js';
import { contextOf } from '../core/context.js';
import { stopFailure } from '../core/failure.js';
import type { PreparedCall } from '../core/prepare.js';
import { attachInfo } from '../core/response-info.js';
import { Stopped, within } from '../core/stop.js';
import type { EndEntry } from './entry.js';
import { isPastHorizon } from './horizon.js';
import type { Keeper } from './keeper.js';
import { takenOver, tooLateToResend } from './refusals.js';
import type { Standing } from './standing.js';
import { IntentWork } from './work.js';

/**
 * Makes calls, and writes every command down first; reads pass, and so does the bare `bids.submit`: bids are placed by
 * `bidding.place`, which keeps intents of its own.
 *
 * @param horizonMs for how long after its first attempt a command may be sent again under its key
 * @param deadlineMs how long a call may take where its options say nothing
 */
export function journalledCaller(
  pipeline: Pipeline,
  keeper: Keeper,
  { horizonMs, deadlineMs }: { readonly horizonMs: number; readonly deadlineMs: number },
): Caller {
  const plain = callerOf(pipeline);

  const command = async (
    call: PreparedCall,
    key: string,
    keyGiven: boolean,
    options?: MutationOptions,
  ): Promise<unknown> => {
    const { route } = call;
    const work = new IntentWork(keeper, call, key, {
      exclusive: false,
      keyGiven,
      adopted: (held, standing) => {
        if (!isPastHorizon(held.stored, keeper.parts.serverClock.now(), horizonMs)) return;
        if (standing.state === 'refused' || standing.state === 'not_sent') return;
        const recorded = recordOf(standing);
        if (recorded !== undefined) throw new Recorded(recorded, key, standing.attempts);
        throw tooLateToResend(held.stored, horizonMs, contextOf(route));
      },
    });
    try {
      return await pipeline.run(call, options, work);
    } catch (error) {
      if (error instanceof Recorded) return error.value;
      if (!(error instanceof CallSuperseded)) {
        await work.settle();
        throw work.mayBeElsewhere ? takenOver(key, contextOf(route), error) : error;
      }
    } finally {
      await work.settle();
      await work.release();
    }
    // Another process was first with this key: now it is one that is known.
    return command(call, key, true, options);
  };

  return async <T>(...[route, input, options]: Parameters<Caller>): Promise<T> => {
    if (route.effect !== 'command') return plain<T>(route, input, options);
    const call = pipeline.prepare(route, input, options);
    const key = call.idempotencyKey;
    if (key === undefined) return (await pipeline.run(call, options)) as T;
    const keyGiven =
      options?.idempotencyKey !== undefined || Reflect.get(input.body ?? {}, 'idempotency_key') !== undefined;
    return (await inTurn(keeper, call, key, deadlineMs, options, (rest) =>
      command(call, key, keyGiven, rest),
    )) as T;
  };
}

/** Waits for other calls of this client under the same key, as long as the options of this one allow. */
async function inTurn(
  keeper: Keeper,
  { route }: PreparedCall,
  key: string,
  deadlineMs: number,
  options: MutationOptions | undefined,
  work: (rest: MutationOptions | undefined) => Promise<unknown>,
): Promise<unknown> {
  const { clock } = keeper.parts;
  const limitMs = options?.deadline ?? deadlineMs;
  const deadlineAt = clock.monotonic() + limitMs;
  const sources = { clock, signal: options?.signal, deadlineAt };
  try {
    return await keeper.alone(
      key,
      () => {
        const deadline = deadlineAt - clock.monotonic();
        return work(deadline < limitMs ? { ...options, deadline: Math.max(1, deadline) } : options);
      },
      (turn) => within(sources, turn),
    );
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    const { kind, reason } = error;
    const context = {
      ...contextOf(route),
      attempts: 0,
      outcome: 'unknown',
      mutates: true,
      idempotencyKey: key,
    } as const;
    throw stopFailure(context, { kind, reason, during: 'key' }, limitMs);
  }
}

/** A command that was carried out so long ago that the journal answers in place of the service. */
class Recorded extends CallSuperseded {
  readonly value: object;

  constructor(end: EndEntry, key: string, attempts: number) {
    super('answered from the journal');
    this.value = { ...end.record };
    attachInfo(this.value, {
      status: end.status ?? 200,
      headers: {},
      body: undefined,
      requestId: end.requestId,
      serverTime: undefined,
      replayed: true,
      attempts,
      idempotencyKey: key,
      timings: { totalMs: 0, queuedMs: 0 },
    });
  }
}

function recordOf({ state, word }: Standing): EndEntry | undefined {
  return state === 'done' && word?.type === 'end' && word.record !== undefined ? word : undefined;
}
