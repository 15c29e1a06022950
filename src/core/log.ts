import type { Logger, LogLevel } from '../ports/logger.js';

/** What a line says beside its message; made only where the line is wanted. */
export type Fields = () => Readonly<Record<string, unknown>>;

export interface Log {
  error(message: string, fields: Fields): void;
  warn(message: string, fields: Fields): void;
  info(message: string, fields: Fields): void;
  debug(message: string, fields: Fields): void;
}

const order: readonly LogLevel[] = ['off', 'error', 'warn', 'info', 'debug'];

const silent = () => undefined;

/** Lets through what `level` allows; the rest costs nothing. A logger that throws changes no call. */
export function leveled(logger: Logger, level: LogLevel): Log {
  const allowed = order.indexOf(level);
  const gate = (name: keyof Log): Log['debug'] => {
    if (order.indexOf(name) > allowed) return silent;
    return (message, fields) => {
      try {
        const done: unknown = logger[name](message, fields());
        // An async logger that fails would else end the process.
        if (done instanceof Promise) done.catch(() => undefined);
      } catch {
        // An accepted bid must not be reported failed because a log line could not be written.
      }
    };
  };
  return { error: gate('error'), warn: gate('warn'), info: gate('info'), debug: gate('debug') };
}
