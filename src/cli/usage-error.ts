/** What was asked for can't be: the message says what can. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
