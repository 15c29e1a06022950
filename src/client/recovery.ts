import type { BidPorts } from '../bids/ports.js';
import { bidOutcome, lookUpOnly, settleFound } from '../bids/settle.js';
import type { BidOutcome } from '../bids/types.js';
import { observing } from '../core/observe.js';
import { reportOutcome } from '../core/telemetry.js';
import { InvalidRequestError } from '../errors/local.js';
import { removeUploadFile } from '../files/upload.js';
import {
  type CommandOutcome,
  type CommandParts,
  commandOutcome,
  foreignCommand,
  settleCommand,
} from '../intents/commands.js';
import { bodyOf, callNames, isForeign } from '../intents/content.js';
import { Intents, type IntentsParts } from '../intents/intents.js';
import type { Intent } from '../intents/ledger.js';
import type { Recording } from '../intents/recording.js';
import type { BaseOptions } from '../ports/caller.js';
import type { Slots } from '../runtime/slots.js';
import { isOpen } from '../store/intents.js';

/** The outcome of an intent: of a bid, or of a command. */
export type IntentOutcome = BidOutcome | CommandOutcome;

/** The ports that recovery needs. */
interface RecoveryPorts {
  readonly commands: CommandParts;
  readonly bidding: BidPorts;
  readonly deadlineMs: number;
}

/** The intents of a bank, which has no bids. */
export function bankIntents(ports: RecoveryPorts): Intents<CommandOutcome> {
  return new Intents(bankParts(ports));
}

function bankParts(ports: RecoveryPorts): IntentsParts<CommandOutcome> {
  const { commands, bidding, deadlineMs } = ports;
  return {
    inAccount: (account) => bankParts(inAccount(ports, account)),
    ...commands,
    deadlineMs,
    during: bidding.during,
    outcomeOf: commandOutcome,
    settle: async (intent, options, { resend, slots }) =>
      reported(
        commands.recording,
        intent,
        await settling(commands.recording, intent, () =>
          inSlot(slots, () => settledCommand(commands, intent, options, resend)),
        ),
      ),
    lookUpOnly: () => {
      const message = 'must be in the store: no lookup exists for commands';
      throw new InvalidRequestError([{ path: 'key', message }], {
        call: 'intents.reconcile',
        operation: 'intents.reconcile',
      });
    },
  };
}

/** The intents of a partner: its bids, and its commands. */
export function partnerIntents(ports: RecoveryPorts): Intents<IntentOutcome> {
  return new Intents(partnerParts(ports));
}

function partnerParts(ports: RecoveryPorts): IntentsParts<IntentOutcome> {
  const { commands, bidding, deadlineMs } = ports;
  return {
    inAccount: (account) => partnerParts(inAccount(ports, account)),
    ...commands,
    deadlineMs,
    during: bidding.during,
    outcomeOf: (intent) => (isBid(intent) ? bidOutcome(bidding, intent) : commandOutcome(intent)),
    settle: async (intent, options, { resend, force, slots }) =>
      reported(
        commands.recording,
        intent,
        await settling(commands.recording, intent, () =>
          isBid(intent)
            ? settleFound(bidding, intent, options, { force, slots })
            : inSlot<IntentOutcome>(slots, () => settledCommand(commands, intent, options, resend)),
        ),
      ),
    lookUpOnly: (key, options) => lookUpOnly(bidding, key, options),
  };
}

/** The same ports over the records of another account. */
function inAccount({ commands, bidding, deadlineMs }: RecoveryPorts, account: string): RecoveryPorts {
  const recording = { ...commands.recording, ledger: commands.recording.ledger.inAccount(account) };
  return { commands: { ...commands, recording }, bidding: { ...bidding, recording }, deadlineMs };
}

/** Runs a settlement under the observer, with the traces that sent the intent. */
function settling<T>(
  { ledger }: Recording,
  { key: idempotencyKey, content }: Intent,
  work: () => Promise<T>,
): Promise<T> {
  const traceparents = content.log.flatMap((event) =>
    event.type === 'attempt' && event.traceparent !== undefined ? [event.traceparent] : [],
  );
  const facts = { idempotencyKey, traceparents };
  return observing(ledger.parts.observation, { kind: 'settlement', name: 'intents.settle', facts }, work);
}

/** Reports an intent that was unresolved and is settled now. */
function reported<Outcome extends IntentOutcome>(
  recording: Recording,
  { content, key, status }: Intent,
  outcome: Outcome,
): Outcome {
  if (!isOpen(status.state) || outcome.status === 'unknown') return outcome;
  const reason = 'reason' in outcome ? outcome.reason : outcome.codes[0];
  reportOutcome(recording, {
    call: 'recover',
    operation: callNames(content).operation,
    idempotencyKey: key,
    outcome: outcome.status,
    ...(reason !== undefined && { reason }),
    duration: Math.max(0, recording.ledger.now() - (content.log[0]?.at ?? 0)),
  });
  return outcome;
}

function inSlot<T>(slots: Slots | undefined, work: () => Promise<T>): Promise<T> {
  return slots === undefined ? work() : slots.run(work);
}

/** Settles a command as far as possible. Removes the temporary file of an upload that is never sent again. */
export async function settleRecorded(
  parts: CommandParts,
  intent: Intent,
  options: BaseOptions,
  resend: boolean,
): Promise<Intent> {
  const after = await settleCommand(parts, intent, options, resend);
  const { state } = after.status;
  if (state !== 'ready' && state !== 'sent') await removeUploadFile(bodyOf(after.row)?.file?.path);
  return after;
}

async function settledCommand(
  parts: CommandParts,
  intent: Intent,
  options: BaseOptions,
  resend: boolean,
): Promise<CommandOutcome> {
  const after = await settleRecorded(parts, intent, options, resend);
  const isOthers = isForeign(after.content, parts.recording);
  return isOthers && isOpen(after.status.state) ? foreignCommand(after) : commandOutcome(after);
}

function isBid({ content }: Intent): boolean {
  return content.bid !== undefined;
}
