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
