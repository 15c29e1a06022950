import type { RequestBody } from '../core/body.js';
import type { Pipeline } from '../core/call.js';
import type { BaseOptions } from '../core/caller.js';
import type { CallDefaults } from '../core/prepare.js';
import { VehicleAuctionError } from '../errors/base.js';
import type { Digests } from '../signing/digest-port.js';
import { type CommandOutcome, commandOutcome } from './command-outcome.js';
import { isPastHorizon } from './horizon.js';
import type { HeldIntent, StoredIntent } from './journal.js';
import type { Keeper } from './keeper.js';
import { standingOf } from './standing.js';
import { storedBody } from './stored-body.js';
import { storedCall } from './stored-call.js';
import { neverSent } from './unsent.js';
import { IntentWork } from './work.js';

/** What commands are recovered with, injected. */
export interface CommandRecovery {
  readonly pipeline: Pipeline;
  readonly keeper: Keeper;
  readonly digests: Digests;
  readonly address: Pick<CallDefaults, 'origin' | 'prefix'>;
  /** For how long after its first attempt a command may be sent again, ms. */
  readonly horizonMs: number;
  readonly deadlineMs: number;
}

/** Settles a leased command as far as that can be done: nothing looks for it but the identical resend. */
export async function recoverCommand(
  parts: CommandRecovery,
  held: HeldIntent,
  options: BaseOptions,
  { resend }: { readonly resend: boolean },
): Promise<CommandOutcome> {
  const { keeper, pipeline, address } = parts;
  const { intent, entries } = held.stored;
  const { state } = standingOf(intent, entries);
  if (state !== 'prepared' && state !== 'unknown') return recordedCommand(held.stored);
  const isUnsent = state === 'prepared';
  const body = isUnsent ? nothing : await bytesAgain(parts, held.stored);
  if (typeof body === 'string') return recordedCommand(held.stored, body);
  if (!isUnsent && !resend) return recordedCommand(held.stored);

  const call = storedCall(intent, body, address);
  const work = IntentWork.on(keeper, call, held, { exclusive: false, keyGiven: true });
  let returned: unknown;
  if (isUnsent) await work.decide(neverSent(keeper.parts.clock.now()));
  else {
    try {
      returned = await pipeline.run(call, options, work);
    } catch (error) {
      // What it came to stands in the journal.
      if (!(error instanceof VehicleAuctionError)) throw error;
    } finally {
      await work.settle();
    }
  }
  const outcome = commandOutcome(intent, standingOf(intent, work.entries), work.entries);
  // It may hold what is not written down, and comes this once.
  return outcome.status === 'done' && isRecord(returned) ? { ...outcome, record: returned } : outcome;
}

/** What is known of a command, and whether it may still be sent again. */
export async function commandAsItStands(
  parts: Pick<CommandRecovery, 'keeper' | 'digests' | 'horizonMs'>,
  stored: StoredIntent,
): Promise<CommandOutcome> {
  if (stored.lease !== undefined) return commandAtWork(stored);
  if (stored.state !== 'unknown') return recordedCommand(stored);
  const body = await bytesAgain(parts, stored);
  return recordedCommand(stored, typeof body === 'string' ? body : undefined);
}

/** What a journal says of a command. */
export function recordedCommand({ intent, entries }: StoredIntent, reason?: string): CommandOutcome {
  return commandOutcome(intent, standingOf(intent, entries), entries, reason);
}

/** What is known of a command that somebody else works on: it may be on its way. */
export function commandAtWork(stored: StoredIntent): CommandOutcome {
  const recorded = recordedCommand(stored);
  if (recorded.status === 'done') return recorded;
  return {
    ...recorded,
    status: 'unknown',
    what: 'This command may be sent at any moment, or has been already.',
    nextStep: 'Another call or process is at work on it: ask again when it has finished.',
  };
}

/** The bytes to send again; or why there are none. */
async function bytesAgain(
  { keeper, digests, horizonMs }: Pick<CommandRecovery, 'keeper' | 'digests' | 'horizonMs'>,
  stored: StoredIntent,
): Promise<RequestBody | string> {
  if (isPastHorizon(stored, keeper.parts.serverClock.now(), horizonMs)) return LATE;
  const body = await storedBody(stored.intent, digests, new AbortController().signal);
  return body === 'changed' ? CHANGED : body;
}

const LATE = 'it was sent so long ago that the service may no longer know its key';
const CHANGED = 'the file in its body is gone, or no longer the same';
const nothing: RequestBody = { length: 0, sha256: '', open: () => new Uint8Array() };

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
