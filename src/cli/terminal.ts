/** Where a command writes to. */
export interface Terminal {
  /** What was asked for. */
  out(text: string): void;
  /** What went wrong, and what else there is to say. */
  err(text: string): void;
}
