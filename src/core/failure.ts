import { AbortedError, ConnectionError, TimeoutError } from '../errors/connection.js';
import { ConfigurationError, InvalidRequestError } from '../errors/local.js';
import type { Wait } from './attempt.js';
import type { FailureContext } from './context.js';
import type { StopKind } from './stop.js';
import { afterUnknown, describeCause, effectOf } from './wording.js';

/** The network failed. */
export function connectionFailure(
  context: FailureContext,
  sent: 'no' | 'maybe',
  cause: unknown,
): ConnectionError {
  const reason = cause instanceof Error ? describeCause(cause) : 'no reason given';
  return new ConnectionError({
    ...context,
    what: whatFailed(context, sent, reason),
    nextStep: afterUnknown(context, 'Check the network and the base URL, then call again.'),
    cause,
  });
}

function whatFailed(context: FailureContext, sent: 'no' | 'maybe', reason: string): string {
  if (context.outcome === 'not_sent') return `No connection could be made (${reason}).${effectOf(context)}`;
  if (sent === 'no' && context.mutates) {
    return `The last of ${context.attempts} attempts could not connect (${reason}), but an earlier one left and may have taken effect.`;
  }
  return `The connection failed before a whole reply came (${reason}).${effectOf(context)}`;
}

/** The body could not be read to its end: its file changed, or went away. */
export function unreadBody(context: FailureContext, cause: unknown): ConnectionError {
  const reason = cause instanceof Error ? describeCause(cause) : 'no reason given';
  const whole =
    context.outcome === 'not_sent' ? ' No whole request left, so nothing was recorded.' : effectOf(context);
  return new ConnectionError({
    ...context,
    what: `The request broke off because its body could not be read (${reason}).${whole}`,
    nextStep: afterUnknown(context, 'Call again once the file is complete and no longer changes.'),
    cause,
  });
}

/** A file that was to be sent can't be read. */
export function unreadableFile(context: FailureContext, field: string, cause: unknown): InvalidRequestError {
  const { outcome: _, mutates: __, ...call } = context;
  const reason = cause instanceof Error ? describeCause(cause) : 'no reason given';
  return new InvalidRequestError(
    [{ path: field, message: `must be the content of a readable file (${reason})` }],
    call,
  );
}

/** Something that the caller injected failed while the call was under way. */
export function injectedFailure(
  context: FailureContext,
  option: string,
  problem: string,
  cause?: unknown,
): ConfigurationError {
  const { mutates: _, ...call } = context;
  return new ConfigurationError(option, `${problem}.${effectOf(context)}`.replace(/\.$/, ''), {
    ...call,
    nextStep: afterUnknown(context, `Correct ${option}, then call again.`),
    ...(cause !== undefined && { cause }),
  });
}

interface Stop {
  readonly kind: StopKind;
  readonly reason: unknown;
  readonly during: Wait | undefined;
}

/** What a call was waiting for when it was stopped. */
const waits: Readonly<Record<Wait, string>> = {
  quota: ' while it waited for its turn in the request quota',
  credentials: ' while it waited for credentials',
  file: ' while a file was being read',
  journal: ' while an attempt was being written down',
  key: ' while another call was at work under its key',
  retry: ' while it waited to try again',
};

/** Time ran out, or the caller aborted. */
export function stopFailure(
  context: FailureContext,
  { kind, reason, during }: Stop,
  limitMs: number,
): TimeoutError | AbortedError {
  switch (kind) {
    case 'aborted':
      return new AbortedError({
        ...context,
        what: `The caller's signal aborted the call${during === undefined ? '' : waits[during]}.${effectOf(context)}`,
        nextStep: afterUnknown(context, 'Call again when you want it after all.'),
        cause: reason,
      });
    case 'too_late':
      return new TimeoutError({
        ...context,
        what: `The time until which it may be sent passed${during === undefined ? '' : waits[during]}.${effectOf(context)}`,
        nextStep: afterUnknown(context, 'Call again with a later time if you want it after all.'),
      });
    case 'attempt_timeout':
    case 'deadline':
      return new TimeoutError({
        ...context,
        what: `${kind === 'deadline' ? 'The call' : 'The attempt'} took longer than ${limitMs} ms${during === undefined ? '' : `, and ended${waits[during]}`}.${effectOf(context)}`,
        nextStep: afterUnknown(
          context,
          `Call again, with a longer ${kind === 'deadline' ? 'deadline' : 'timeout'} where ${during === 'quota' ? 'many calls share one quota' : 'the network is slow'}.`,
        ),
      });
  }
}
