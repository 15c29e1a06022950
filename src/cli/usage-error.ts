/** What was asked for can't be: the message says what can. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
