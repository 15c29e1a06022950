import { ApiError, AuthenticationError } from '../errors/api.js';
import { VehicleAuctionError } from '../errors/base.js';
import { AbortedError, ConnectionError, TimeoutError } from '../errors/connection.js';
import { ConfigurationError, InDoubtError, InvalidRequestError, NotSentError } from '../errors/local.js';
import { StoreError } from '../errors/store.js';
import { UsageError } from './usage-error.js';

/** Exit codes of the commands that use the service. */
export const exits = {
  done: 0,
  refused: 1,
  usage: 2,
  inDoubt: 3,
  configuration: 4,
  network: 5,
  stopped: 130,
} as const;

/** Ends a command with a code, after it has printed what happened. */
export class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** The exit code for an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Exit) return error.code;
  if (error instanceof UsageError || error instanceof InvalidRequestError) return exits.usage;
  if (error instanceof AbortedError) return exits.stopped;
  if (!(error instanceof VehicleAuctionError)) return exits.refused;
  if (error.outcome === 'unknown' && !isRead(error)) return exits.inDoubt;
  if (error instanceof InDoubtError) return exits.inDoubt;
  if (error instanceof ConfigurationError || error instanceof StoreError) return exits.configuration;
  if (error instanceof AuthenticationError) return exits.configuration;
  if (error instanceof NotSentError && error.cause !== undefined) return exitCodeOf(error.cause);
  const isNetwork = error instanceof ConnectionError || error instanceof TimeoutError;
  return isNetwork || (error instanceof ApiError && error.status >= 500) ? exits.network : exits.refused;
}

/** Only writes have a key: a read that got no answer leaves nothing in doubt. */
function isRead(error: VehicleAuctionError): boolean {
  return error.idempotencyKey === undefined;
}

/** Ends a command that handled many records with the code of the worst; returns if all went well. */
export function endWith(found: {
  readonly stopped: boolean;
  readonly inDoubt: boolean;
  readonly refused: boolean;
}): void {
  if (found.stopped) throw new Exit(exits.stopped);
  if (found.inDoubt) throw new Exit(exits.inDoubt);
  if (found.refused) throw new Exit(exits.refused);
}

export const exitCodes =
  'Exit codes: 0 done, 1 refused, 2 invalid usage, 3 in doubt (see "intents list"), 4 configuration, 5 network, 130 stopped.';
