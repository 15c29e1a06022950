import { accessSync, constants, statSync } from 'node:fs';

/** Invalid usage. The message lists valid values. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** @throws UsageError for anything else */
export function wholeNumber(flag: string, text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new UsageError(`${flag} must be a whole number, not ${JSON.stringify(text)}.`);
  return Number(text);
}

/** @throws UsageError if a path is not a file that can be read */
export function needReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new UsageError(`${path} can't be read: ${messageOf(error)}`);
  }
  if (statSync(path).isDirectory()) throw new UsageError(`${path} is a folder, not a file.`);
}
