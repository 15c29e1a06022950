import type { Logger, LogLevel } from '../ports/logger.js';

const order: readonly LogLevel[] = ['off', 'error', 'warn', 'info', 'debug'];

const silent = () => undefined;

/** Lets through what `level` allows; the rest costs nothing. */
export function leveled(logger: Logger, level: LogLevel): Logger {
  const allowed = order.indexOf(level);
  const gate = (name: Exclude<LogLevel, 'off'>): Logger['debug'] =>
    order.indexOf(name) <= allowed ? (message, fields) => logger[name](message, fields) : silent;
  return { error: gate('error'), warn: gate('warn'), info: gate('info'), debug: gate('debug') };
}
