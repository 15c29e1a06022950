import { isFields } from '../api/check.js';
import { withoutInvisible } from '../errors/text.js';
import type { Logger, LogLevel } from '../ports/logger.js';
import { notify } from '../runtime/user-code.js';

/** Makes the fields of a line. Called only if the line is logged. */
export type Fields = () => Readonly<Record<string, unknown>>;

export interface Log {
  error(message: string, fields: Fields): void;
  warn(message: string, fields: Fields): void;
  info(message: string, fields: Fields): void;
  /** Absent below its level: an attempt then costs nothing here. */
  debug?: ((message: string, fields: Fields) => void) | undefined;
}

/** Lines on the console, each with its fields. */
export const consoleLogger: Logger = {
  error: (message, fields) => console.error(`[vehicle-auction] ${message}`, fields ?? ''),
  warn: (message, fields) => console.warn(`[vehicle-auction] ${message}`, fields ?? ''),
  info: (message, fields) => console.info(`[vehicle-auction] ${message}`, fields ?? ''),
  debug: (message, fields) => console.debug(`[vehicle-auction] ${message}`, fields ?? ''),
};

/** From the fewest lines to the most. */
export const logLevels: readonly LogLevel[] = ['off', 'error', 'warn', 'info', 'debug'];

const silent = () => undefined;

/** Limits a logger to `level`; lines below it cost nothing. A logger that throws does not affect a call. */
export function leveled(logger: Logger, level: LogLevel): Log {
  const allowed = logLevels.indexOf(level);
  const isFieldsFirst = takesFieldsFirst(logger);
  const gate = (name: keyof Log): Log['warn'] => {
    if (logLevels.indexOf(name) > allowed) return silent;
    const write = (message: string, fields: Readonly<Record<string, unknown>>): unknown =>
      isFieldsFirst ? Reflect.apply(logger[name], logger, [fields, message]) : logger[name](message, fields);
    // An accepted bid must not be reported failed because a log line could not be written.
    return (message, fields) => notify(`logger.${name}`, () => write(message, plain(fields())), silent);
  };
  return {
    error: gate('error'),
    warn: gate('warn'),
    info: gate('info'),
    debug: level === 'debug' ? gate('debug') : undefined,
  };
}

/** Fields without invisible characters, which can make a line of a log show something else. */
function plain(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (typeof value === 'string') return withoutInvisible(value);
  if (Array.isArray(value)) return value.map(plainValue);
  const isPlain = isFields(value) && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? plain({ ...value }) : value;
}

/** pino and bunyan take the fields before the message, and drop fields that come after it. */
function takesFieldsFirst(logger: Logger): boolean {
  const has = (method: string) => typeof Reflect.get(logger, method) === 'function';
  return has('child') && (has('bindings') || has('addSerializers'));
}
