import { codeFacts } from '../api/codes.js';
import type { Pipeline } from '../core/call.js';
import { type ClientLimits, contextOf } from '../core/caller.js';
import type { CallDefaults } from '../core/request/prepare.js';
import { mayBeSentAgain } from '../core/resend.js';
import { VehicleAuctionError } from '../errors/base.js';
import type { BaseOptions } from '../ports/caller.js';
import { Stopped } from '../runtime/timers.js';
import { isFree } from '../store/owner.js';
import { foreignOutcome } from './answers.js';
import { bodyOf, callNames, isForeign, recordedBody, recordedCall } from './content.js';
import { type Intent, type Ledger, settleUnsent } from './ledger.js';
import { RecordedCall } from './recorded-call.js';
import type { Recording } from './recording.js';
import { lookUpVersion } from './version-lookup.js';

/** The outcome of a command. */
export interface CommandOutcome {
  /**
   * `done`: the service carried it out; `refused`: it recorded nothing; `not_sent`: it never left; `unknown`: it may or may
   * not have taken effect.
   */
  readonly status: 'done' | 'refused' | 'not_sent' | 'unknown';
  /**
   * Reason of an unknown outcome: `in_doubt`, `stuck` (needs manual resolution), `abandoned`, or recorded by another
   * client.
   */
  readonly reason?: 'in_doubt' | 'stuck' | 'abandoned' | 'foreign';
  readonly idempotencyKey: string;
  /** Operation id, such as `A36`. */
  readonly operation: string;
  /** The method, such as `paymentReports.create`. */
  readonly call: string;
  /** Request path, such as `/api/v1/sale-cases/sal_1/acknowledgments`. */
  readonly path: string;
  /** The record that the service returned; present with `done`, if it could be kept. */
  readonly record?: Readonly<Record<string, unknown>>;
  /** Every code of a refusal; empty otherwise. */
  readonly codes: readonly string[];
  /** True if the service answered from its record of the key. */
  readonly replayed: boolean;
  /** Attempts that were begun. */
  readonly attempts: number;
  /**
   * Environment and `account` label that recorded it, such as `production/bank-2`; absent if they are this client's.
   */
  readonly account?: string;
  /** What happened, as a sentence. */
  readonly what: string;
  /** What to do next, as a sentence. */
  readonly nextStep: string;
}

/** Injected dependencies of settling commands. */
export interface CommandParts {
  readonly pipeline: Pipeline;
  readonly recording: Recording;
  readonly limits: ClientLimits;
  readonly address: Pick<CallDefaults, 'origin' | 'prefix'>;
}

/** The outcome of a command that only another client can settle. */
export function foreignCommand(intent: Intent): CommandOutcome {
  return { ...commandOutcome(intent), ...foreignOutcome(intent, 'command') };
}

/** The outcome of a command, from its record. */
export function commandOutcome(intent: Intent): CommandOutcome {
  const { status, content, key } = intent;
  const { record, replayed = false } = status.verdict?.event ?? {};
  return {
    idempotencyKey: key,
    ...callNames(content),
    codes: status.state === 'refused' ? (status.refusal?.codes ?? []) : [],
    replayed,
    attempts: status.attempts,
    ...(record !== undefined && { record: { ...record } }),
    ...conclusionOf(status),
  };
}

type Conclusion = Pick<CommandOutcome, 'status' | 'reason' | 'what' | 'nextStep'>;

/** The part of an outcome that the state decides. */
function conclusionOf({
  state,
  refusal,
  unsent,
  why,
  restored,
  sendableUntil,
  provisional,
  copiesExpireAt = 0,
  turnedAway,
  targetRead,
}: Intent['status']): Conclusion {
  const unknown = { status: 'unknown', reason: 'in_doubt' } as const;
  switch (state) {
    case 'done': {
      const nextStep = 'Continue with the current record.';
      return { status: state, what: 'The service carried this command out.', nextStep };
    }
    case 'refused': {
      const advice = refusal?.codes?.map(codeFacts).find((known) => known !== undefined)?.nextStep;
      const why = refusal?.why ?? (targetRead === undefined ? 'no reason given' : 'no reply arrived');
      const { noun, version } = targetRead ?? {};
      const read = version === undefined ? '' : `; its ${noun} was read at version ${version}`;
      const what = `The service refused this command and recorded nothing (${why}${read}).`;
      const nextStep = advice ?? 'Fix what the service reports, then call again under a new key.';
      if (!provisional) return { status: state, what, nextStep };
      const until = new Date(copiesExpireAt).toISOString();
      const final = `A copy of it could still arrive until ${until}; recover() after that makes the refusal final.`;
      return { status: state, what, nextStep: `${nextStep} ${final}` };
    }
    case 'not_sent': {
      const what = `This command was not sent: ${unsent?.why ?? 'no attempt was made'}.`;
      return { status: state, what, nextStep: 'Call again if you still want it.' };
    }
    case 'ready': {
      const what = 'This command is recorded and may be sent at any moment by the call that holds it.';
      const nextStep = 'Call recover() or read it again with intents.get once that call has ended.';
      return { ...unknown, what, nextStep };
    }
    case 'stuck': {
      const what = `This command needs manual resolution: ${why ?? 'no reason is recorded'}.`;
      const nextStep =
        'Read the record that it changes; if it had no effect, abandon it and call again under a new key.';
      return { ...unknown, reason: state, what, nextStep };
    }
    case 'abandoned': {
      const what = `This command was abandoned while its outcome was unknown (${why ?? 'no reason given'}).`;
      return { ...unknown, reason: state, what, nextStep: 'Use a new key if you still want it.' };
    }
    default: {
      const nextStep = restored
        ? 'Read the record that it changes; it is never sent again, because the store was restored from a backup.'
        : `Resend it until ${new Date(sendableUntil).toISOString()}: call again under its key, or recover({ resend: true }).`;
      return { ...unknown, what: doubtOf(turnedAway, refusal, targetRead), nextStep };
    }
  }
}

/** The known facts of a command whose effect is unknown. */
function doubtOf(
  turnedAway: boolean,
  refusal: Intent['status']['refusal'],
  targetRead: Intent['status']['targetRead'],
): string {
  if (targetRead?.version !== undefined) {
    const { noun, expected, version } = targetRead;
    return `This command may or may not have taken effect: the ${noun} has moved from version ${expected} to ${version}.`;
  }
  return turnedAway
    ? `This command was almost certainly refused (${refusal?.why ?? 'no reason given'}), but no record proves it.`
    : 'This command may or may not have taken effect.';
}

/**
 * Settles a command as far as possible: by the version of its record if that shows the effect. Otherwise no lookup
 * exists: with `resend`, the recorded bytes are sent again while that is safe.
 */
export async function settleCommand(
  parts: CommandParts,
  intent: Intent,
  options: BaseOptions,
  resend: boolean,
): Promise<Intent> {
  const { recording } = parts;
  const { ledger } = recording;
  const { status, content, row } = intent;
  if (status.state === 'ready' && isFree(row, ledger.store)) return settleUnsent(ledger, intent);
  if (isForeign(content, recording)) return intent;
  const { versionProvesFrom = Number.POSITIVE_INFINITY } = status;
  const isDue = ledger.now() >= versionProvesFrom;
  const looked = isDue ? await lookUpVersion({ pipeline: parts.pipeline, ledger }, intent, options) : intent;
  return settleLooked(parts, looked, options, resend);
}

/** Settles a command after its record was read, if it could be. */
async function settleLooked(
  parts: CommandParts,
  intent: Intent,
  options: BaseOptions,
  resend: boolean,
): Promise<Intent> {
  const { recording } = parts;
  const { ledger, locks, clock } = recording;
  const { key, status, content } = intent;
  if (status.state === 'refused' && status.provisional && ledger.now() > status.keyExpiresAt)
    return (await ledger.add(key, { type: 'expired', at: ledger.now() })) ?? intent;
  if (status.state !== 'sent') return intent;
  if (!mayBeSentAgain('by_caller', status.sent, status.sendableUntil - ledger.now())) {
    const tooLate = status.restored ? 'the store was restored from a backup' : 'it is too late to resend it';
    const changed = content.target?.path ?? 'what its runOnce changes';
    return giveUp(ledger, intent, `its effect is unknown, and ${tooLate}; compare ${changed}`);
  }
  if (!resend) return intent;
  const { deadline = parts.limits.deadline, signal } = options;
  const deadlineAt = clock.monotonic() + deadline;
  const sources = { clock, signal, deadlineAt, closing: recording.closing() };
  try {
    return await locks.alone(key, sources, () => sendAgain(parts, intent, options));
  } catch (error) {
    // Another call under its key takes longer.
    if (error instanceof Stopped) return intent;
    throw error;
  }
}

/** Marks a command for manual resolution, unless it was settled or sent again meanwhile. */
async function giveUp(ledger: Ledger, intent: Intent, why: string): Promise<Intent> {
  const after = await ledger.change(intent.key, ({ row }) =>
    row.version === intent.row.version ? { events: [{ type: 'stuck', at: ledger.now(), why }] } : undefined,
  );
  return after ?? intent;
}

async function sendAgain(parts: CommandParts, intent: Intent, options: BaseOptions): Promise<Intent> {
  const { key, content, row } = intent;
  const { recording, pipeline, address } = parts;
  const { ledger } = recording;
  const { target } = content;
  const body =
    target === undefined ? undefined : await recordedBody(bodyOf(row), target, new AbortController().signal);
  if (target === undefined || body === undefined) {
    const why = 'the file that it uploads is gone or changed, so its bytes cannot be sent again';
    return giveUp(ledger, intent, why);
  }
  const call = recordedCall(key, target, body, address);
  const context = { ...contextOf(call.route), idempotencyKey: key };
  const work = new RecordedCall(recording, { call, key, context, resend: 'by_caller' });
  const ended = await work.run(pipeline, options);
  // The result is on record.
  if ('failure' in ended && !(ended.failure instanceof VehicleAuctionError)) throw ended.failure;
  return (await ledger.read(key)) ?? intent;
}
