import { ApiError } from '../errors/api.js';
import { ConfigurationError } from '../errors/local.js';
import { checkMethodOptions, type KnownOptions } from '../runtime/injected.js';

/** Options of `retryOnConflict`. */
export interface ConflictOptions {
  /** Maximum rounds of reading and acting; defaults to 5. */
  readonly rounds?: number | undefined;
}

/**
 * True if a refusal was caused by an outdated version. The API documents no code for that, so this reads the record again:
 * the refusal is a conflict if the record has another version now. A provisional refusal is none: the command itself may have
 * moved the version.
 */
export async function hasMoved(
  error: unknown,
  version: number,
  read: () => Promise<{ readonly resource_version: number }>,
): Promise<boolean> {
  if (!(error instanceof ApiError) || error.outcome !== 'refused' || error.provisional === true) return false;
  return (await read()).resource_version !== version;
}

/**
 * Reads a record and runs a versioned command on it. If the record changed in between, reads it again and calls `act` again to
 * decide on the new version. Each round needs a different idempotency key, so pass none.
 *
 * @throws the error of `act`, if the record has not changed or after the last round
 */
export async function retryOnConflict<R extends { readonly resource_version: number }, T>(
  read: () => Promise<R>,
  act: (record: R) => Promise<T>,
  options: ConflictOptions = {},
): Promise<T> {
  checkMethodOptions('retryOnConflict', options, { rounds: true } satisfies KnownOptions<ConflictOptions>);
  const { rounds = 5 } = options;
  if (!Number.isSafeInteger(rounds) || rounds < 1) {
    throw new ConfigurationError('rounds', 'must be a whole number from 1', { given: rounds });
  }
  let record = await read();
  for (let round = 1; ; round += 1) {
    try {
      return await act(record);
    } catch (error) {
      const { resource_version: version } = record;
      const readAgain = async () => {
        record = await read();
        return record;
      };
      if (round === rounds || !(await hasMoved(error, version, readAgain))) throw error;
    }
  }
}
