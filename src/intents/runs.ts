import type { CallContext } from '../errors/base.js';
import { InvalidRequestError, NotSentError } from '../errors/local.js';
import { asyncContext } from '../runtime/async-context.js';

/** A function of `runOnce` while it runs. */
export interface Run {
  /** The key that the function was given. */
  readonly key: string;
  /** The parts of the run, as JSON. */
  readonly once: string;
  /** Shared by the clients that the function may call under its key. */
  readonly client: object;
  readonly outer: Run | undefined;
  isOver: boolean;
}

const runs = asyncContext<Run>();

/** The innermost run whose function makes this call. Work that outlives its function is no part of it. */
export function currentRun(): Run | undefined {
  let run = runs.get();
  while (run?.isOver === true) run = run.outer;
  return run;
}

/** Runs a function of `runOnce`, so that its writes are recognised. */
export async function asRun<T>(
  facts: Pick<Run, 'key' | 'once' | 'client'>,
  work: () => Promise<T>,
): Promise<T> {
  const run: Run = { ...facts, outer: currentRun(), isOver: false };
  try {
    return await runs.run(run, work);
  } finally {
    run.isOver = true;
  }
}

/** A run would wait for the one that makes it. @throws InvalidRequestError */
export function refuseNested(
  client: object,
  once: string,
  context: CallContext & { readonly call: string },
): void {
  for (let run = currentRun(); run !== undefined; run = run.outer) {
    if (run.isOver || run.client !== client || run.once !== once) continue;
    const message = `must differ from those of the runOnce whose function makes this call (${once}), which would wait for itself`;
    throw new InvalidRequestError([{ path: 'parts', message }], { operation: context.call, ...context });
  }
}

/** Within a function of `runOnce` only its own key is sent: a write under another would have an effect every time. @throws NotSentError */
export function refuseOtherKey(
  client: object,
  context: CallContext & { readonly call: string; readonly idempotencyKey: string },
): void {
  const run = currentRun();
  if (run === undefined || (run.key === context.idempotencyKey && run.client === client)) return;
  const isOtherClient = run.key === context.idempotencyKey;
  throw new NotSentError('other_key', {
    ...context,
    what: isOtherClient
      ? `The function of runOnce(${run.once}) made this call on another client than the one that runs it, so it was not sent.`
      : `The function of runOnce(${run.once}) made this call without the key that it was given, so it was not sent.`,
    nextStep: isOtherClient
      ? 'Call runOnce on the client that makes the call.'
      : `Pass the key: runOnce(parts, (key) => client.${context.call}(…, { idempotencyKey: key })). Make any other write outside the function, or in a runOnce of its own.`,
  });
}
