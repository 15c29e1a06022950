import { type BankClient, responseOf, VehicleAuctionError, VersionConflictError } from 'vehicle-auction-sdk';
import type { After, Audit, Before, Outcome } from './audit.js';
import { type Action, type Answer, doneState, send } from './command.js';

/** What a reading says of a command that may have arrived. */
export type Settled = Required<Pick<After, 'outcome' | 'state' | 'version' | 'note'>>;

/** Whom to send through, and where to write it down. */
export interface Desk {
  readonly bank: BankClient;
  readonly audit: Audit;
}

/** Reads whether a command that may have arrived has taken effect; undefined where the reading doesn't tell. */
export type Look = () => Promise<Settled | undefined>;

/**
 * Writes a command down, sends it, and writes down what came of it.
 *
 * @throws AuditError where it can't be written down. Before the request, nothing is sent; after it, the next run
 * settles what came of it.
 */
export async function carryOut(desk: Desk, before: Before, look?: Look): Promise<After> {
  await desk.audit.write(before);
  return sendAgain(desk, before, look);
}

/** Sends a command that is in the audit already: the very same, under the same key. @throws AuditError */
export async function sendAgain({ bank, audit }: Desk, before: Before, look?: Look): Promise<After> {
  const about = { event: 'after', about: before.about, key: before.body.idempotency_key } as const;
  const result = await send(bank, before).then((answer) => doneAs(before.action, answer), failedAs);
  let after: After = { ...about, ...result };
  if (after.outcome === 'unknown') after = { ...after, ...(await look?.()) };
  await audit.write(after);
  return after;
}

/** What came of a command, as the audit has it. */
export type Result = Omit<After, 'event' | 'about' | 'key'>;

/** A success says that the service took the command; only the state says what came of it. */
export function doneAs(action: Action, answer: Answer): Result {
  const { id: record, state, resource_version: version } = answer;
  const outcome = state === doneState[action] ? 'done' : 'waiting';
  return { outcome, record, state, version, request: responseOf(answer).requestId };
}

/** @throws what is no error of the client */
export function failedAs(error: unknown): Result {
  if (!(error instanceof VehicleAuctionError)) throw error;
  return { outcome: outcomeOf(error), request: error.requestId, note: error.message };
}

function outcomeOf(error: VehicleAuctionError): Outcome {
  // Of a command that was in doubt before, too: the sale is read and judged again, and shows what the first one did.
  if (error instanceof VersionConflictError) return 'conflict';
  return error.outcome === 'unknown' || error.outcome === 'not_sent' ? error.outcome : 'refused';
}
