/** Output of a command. */
export interface Terminal {
  /** Writes results. */
  out(text: string): void;
  /** Writes errors and other messages. */
  err(text: string): void;
}
