import { ApiError } from '../errors/api.js';
import { ConfigurationError } from '../errors/local.js';

/** Reads a record, acts on it, and begins again where it moved in between. */
export interface ConflictOptions {
  /** Most rounds of reading and acting; defaults to 5. */
  readonly rounds?: number | undefined;
}

/**
 * Whether a refusal came of a version that had moved. The API text shows no code for it, so the record is read again: a
 * refusal is a conflict if the record has another version now.
 */
export async function hasMoved(
  error: unknown,
  version: number,
  read: () => Promise<{ readonly resource_version: number }>,
): Promise<boolean> {
  if (!(error instanceof ApiError) || error.outcome !== 'refused') return false;
  return (await read()).resource_version !== version;
}

/**
 * Reads a record and runs a versioned command on it; where the record moved in between, reads it again and runs `act` again,
 * which decides afresh. Each round needs its own idempotency key, so pass none.
 *
 * @throws what `act` throws, where the record has not moved or the rounds are used up
 */
export async function retryOnConflict<R extends { readonly resource_version: number }, T>(
  read: () => Promise<R>,
  act: (record: R) => Promise<T>,
  { rounds = 5 }: ConflictOptions = {},
): Promise<T> {
  if (!Number.isSafeInteger(rounds) || rounds < 1) {
    throw new ConfigurationError('rounds', 'must be a whole number from 1');
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
