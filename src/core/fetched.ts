import { ConfigurationError } from '../errors/local.js';
import type { Signer } from '../signing/signer.js';
import type { Account } from './account.js';
import type { RequestBody } from './body.js';
import { injectedFailure, unreadableFile } from './failure.js';
import type { FrozenBody } from './freeze.js';
import type { Keys } from './keys.js';
import { type StopSources, Stretch, within } from './stop.js';
import type { Waits } from './waits.js';

/** The call that something is fetched for. */
export interface UnderWay {
  readonly sources: StopSources;
  readonly waits: Waits;
  readonly account: Account;
}

/** A body with a file in it, which is read once to digest it. @throws InvalidRequestError where it can't be read. */
export async function digestedBody(
  { pending, field }: Exclude<FrozenBody, RequestBody>,
  { sources, waits, account }: UnderWay,
): Promise<RequestBody> {
  const stretch = new Stretch(sources);
  try {
    return await waits.until('file', stretch.race(pending(stretch.signal)));
  } catch (error) {
    if (waits.made(error)) throw error;
    throw account.report(unreadableFile(account.context(), field, account.safe(error)));
  } finally {
    stretch.end();
  }
}

/** A key that has to be asked for. @throws ConfigurationError where none comes, with what is known of the call. */
export async function fetchedKey(
  key: Promise<Signer>,
  keys: Keys,
  { sources, waits, account }: UnderWay,
): Promise<Signer> {
  try {
    return await waits.until('credentials', within(sources, key));
  } catch (error) {
    keys.abandon();
    if (waits.made(error)) throw error;
    const problem = noCredentials(error);
    throw account.report(injectedFailure(account.context(), 'credentials', problem, account.safe(error)));
  }
}

/** Why there are no credentials. */
export function noCredentials(error: unknown): string {
  const reason = error instanceof ConfigurationError ? `: ${error.option} ${error.problem}` : '';
  return `could not be had from the function that gives them${reason}`;
}
