import type { BidOutcome } from '../bidding/outcome.js';
import type { BiddingParts } from '../bidding/parts.js';
import { bidAtWork, bidOnRecord, recordedOutcome, settleBid } from '../bidding/reconcile.js';
import type { CommandOutcome } from '../intents/command-outcome.js';
import { Intents, type RecoverOptions } from '../intents/intents.js';
import type { StoredIntent } from '../intents/journal.js';
import { recoverAll } from '../intents/recover.js';
import {
  type CommandRecovery,
  commandAsItStands,
  commandAtWork,
  recordedCommand,
  recoverCommand,
} from '../intents/recover-command.js';
import type { Gate } from './gate.js';

/** What became of an intent that was found open: of a bid, or of a command. */
export type RecoveredOutcome = BidOutcome | CommandOutcome;

/** The intents of a bank, which has no bids. */
export function commandIntents(parts: CommandRecovery, during: Gate['during']): Intents<CommandOutcome> {
  const recorded = (stored: StoredIntent) => recordedCommand(stored);
  return new Intents({
    keeper: parts.keeper,
    during,
    recorded,
    asItStands: (stored) => commandAsItStands(parts, stored),
    recover: ({ resend = false, ...options }: RecoverOptions) =>
      recoverAll(parts.keeper, {
        settle: (held) => recoverCommand(parts, held, options, { resend }),
        atWork: commandAtWork,
        recorded,
        deadlineMs: options.deadline ?? parts.deadlineMs,
        signal: options.signal,
      }),
  });
}

/** The intents of a partner: its bids, and its commands. */
export function partnerIntents(
  parts: CommandRecovery,
  bidding: BiddingParts,
  during: Gate['during'],
): Intents<RecoveredOutcome> {
  const recorded = (stored: StoredIntent) =>
    isBid(stored) ? recordedOutcome(bidding, stored) : recordedCommand(stored);
  return new Intents<RecoveredOutcome>({
    keeper: parts.keeper,
    during,
    recorded,
    asItStands: async (stored) =>
      isBid(stored) ? bidOnRecord(bidding, stored) : commandAsItStands(parts, stored),
    recover: ({ resend = false, ...options }: RecoverOptions) =>
      recoverAll<RecoveredOutcome>(parts.keeper, {
        settle: (held) =>
          isBid(held.stored)
            ? settleBid(bidding, held, options, { resend })
            : recoverCommand(parts, held, options, { resend }),
        atWork: (stored) => (isBid(stored) ? bidAtWork(bidding, stored) : commandAtWork(stored)),
        recorded,
        deadlineMs: options.deadline ?? parts.deadlineMs,
        signal: options.signal,
      }),
  });
}

function isBid({ intent }: StoredIntent): boolean {
  return intent.bid !== undefined;
}
