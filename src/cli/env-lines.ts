import { readFileSync, writeFileSync } from 'node:fs';
import { messageOf, UsageError } from './usage-error.js';

/** `NAME=value` as a shell and a `.env` file take it. */
export function envLine(name: string, value: string): string {
  // A shell takes what is between single quotes as it is, but for these themselves.
  const plain = /^[A-Za-z0-9_.:/@%+,=-]+$/.test(value);
  return `${name}=${plain ? value : `'${value.replaceAll("'", "'\\''")}'`}`;
}

/**
 * Writes lines to a file that only its owner can read. A file that something else wrote is never overwritten: it may hold
 * secrets that are nowhere else. Throws a UsageError then.
 */
export function writeEnvFile(path: string, lines: readonly string[]): void {
  if (!isOurs(path)) {
    throw new UsageError(
      `${path} is there already, and not of a sandbox: give --write-env another name, or remove it`,
    );
  }
  writeFileSync(path, `${[mark, ...lines].join('\n')}\n`, { mode: 0o600 });
}

/** The first line of every file that a sandbox wrote. */
const mark = '# Written by "vehicle-auction sandbox", which overwrites it.';

function isOurs(path: string): boolean {
  try {
    const text = readFileSync(path, 'utf8');
    return text.trim() === '' || text.startsWith(mark);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return true;
    throw new UsageError(`${path} can't be written: ${messageOf(error)}`);
  }
}
