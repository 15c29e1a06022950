/** Log levels, least to most verbose. Each includes those before it. */
export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug';

/** Receiver of log lines. Fields never hold a secret, a signature or a body. */
export interface Logger {
  /** Logs a failure that needs attention. */
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Logs a problem that needs no action at once. */
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Logs an event of normal work, such as the outcome of a bid. */
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Logs a detail, such as a single request. */
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
