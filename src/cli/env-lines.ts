import { readFileSync, writeFileSync } from 'node:fs';
import { messageOf, UsageError } from './usage-error.js';

/** Formats `NAME=value` for a shell or `.env` file. */
export function envLine(name: string, value: string): string {
  // Within single quotes, a shell only treats the quote itself specially.
  const plain = /^[A-Za-z0-9_.:/@%+,=-]+$/.test(value);
  return `${name}=${plain ? value : `'${value.replaceAll("'", "'\\''")}'`}`;
}

/**
 * Writes lines to a file that only its owner can read. Throws a UsageError for a file that another program wrote,
 * because it may hold the only copy of a secret.
 */
export function writeEnvFile(path: string, lines: readonly string[]): void {
  if (!isOurs(path)) {
    throw new UsageError(
      `${path} exists and was not written by a sandbox. Choose another path for --write-env or remove the file.`,
    );
  }
  writeFileSync(path, `${[mark, ...lines].join('\n')}\n`, { mode: 0o600 });
}

/** First line of every file written here. */
const mark = '# Written by "vehicle-auction-sdk sandbox", which overwrites it.';

function isOurs(path: string): boolean {
  try {
    const text = readFileSync(path, 'utf8');
    return text.trim() === '' || text.startsWith(mark);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return true;
    throw new UsageError(`${path} can't be written: ${messageOf(error)}`);
  }
}
