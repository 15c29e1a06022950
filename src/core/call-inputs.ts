import { CallbackTimeoutError, ConfigurationError, InvalidRequestError } from '../errors/local.js';
import { Stopped, type StopSources, within } from '../runtime/timers.js';
import type { Signer } from '../signing/signer.js';
import { type Redact, safeCause } from './redact.js';
import { describeCause } from './reply/classify.js';
import { type FailureContext, injectedFailure } from './reply/failure.js';
import type { PendingBody, RequestBody } from './request/file-body.js';

// Inputs that a call waits for before its first attempt: the digest of a file in its body, and the signing key.

/** The signing keys of a client. */
export interface Keys {
  /** The current signing key; undefined if it must be fetched first. */
  readonly signer: Signer | undefined;
  /** Signing secrets in use so far; none with a remote signer. */
  readonly secrets: readonly string[];
  /** Fetches the key. */
  fetch(): Promise<Signer>;
  /** The service reports that `revoked` is no longer valid: true if there is another key now. */
  renew(revoked: Signer): Promise<boolean>;
  /** Gives up the key that is being fetched, so that the next call asks again. */
  abandon(): void;
}

/** A call before its first attempt. */
interface WaitingCall {
  readonly sources: StopSources;
  readonly context: FailureContext;
  readonly redact: Redact;
}

/** Fetches the signing key. @throws ConfigurationError if the credentials provider fails */
export async function fetchSigner(
  state: WaitingCall & { readonly parts: { readonly keys: Keys } },
): Promise<Signer> {
  const { keys } = state.parts;
  try {
    return await within(state.sources, 'credentials', keys.fetch());
  } catch (error) {
    keys.abandon();
    if (error instanceof Stopped) throw error;
    const { redact } = state;
    const cause = safeCause(error, redact);
    const why =
      error instanceof ConfigurationError
        ? `: ${error.option} ${error.problem}`
        : error instanceof CallbackTimeoutError
          ? `: it did not answer within ${error.limit} ms`
          : `: ${describeCause(cause)}`;
    const problem = `are missing: the credentials provider failed${redact(why)}`;
    throw injectedFailure(state.context, 'credentials', problem, cause);
  }
}

/** Reads the file in a body once, to digest it. @throws InvalidRequestError if it cannot be read */
export async function digestFile(state: WaitingCall, body: PendingBody): Promise<RequestBody> {
  try {
    return await within(state.sources, 'file', body.pending);
  } catch (error) {
    if (error instanceof Stopped) throw error;
    const { outcome: _, ...context } = state.context;
    const why = describeCause(safeCause(error, state.redact));
    const message = `must be the content of a readable file (${why})`;
    throw new InvalidRequestError([{ path: body.field, message }], context);
  }
}
