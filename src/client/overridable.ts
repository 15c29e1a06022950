import { type ClientLimits, deadlineFor, defaultLimits, limitIssues } from '../core/caller.js';
import { consoleLogger, type Log, leveled, logLevels } from '../core/log.js';
import type { Hooks } from '../core/telemetry.js';
import { ConfigurationError } from '../errors/local.js';
import type { Logger, LogLevel } from '../ports/logger.js';
import { checkMethods } from '../runtime/injected.js';
import { fromEnvironment, variable } from './environment.js';
import { type OverridableOptions, overridable } from './options.js';

/** The settings in which derived clients differ. */
export interface OwnSettings {
  readonly limits: ClientLimits;
  readonly maxReplyBytes: number;
  readonly log: Log;
  readonly hooks: Hooks;
}

/** @throws ConfigurationError */
export function settingsOf(options: OverridableOptions): OwnSettings {
  const { logger = consoleLogger, maxReplyBytes = 16 * 1024 * 1024 } = options;
  checkMethods('logger', logger, ['error', 'warn', 'info', 'debug'], 'all');
  if (!(Number.isInteger(maxReplyBytes) && maxReplyBytes > 0)) {
    throw new ConfigurationError('maxReplyBytes', 'must be a whole number of bytes above zero', {
      given: maxReplyBytes,
    });
  }
  return {
    limits: limitsOf(options),
    maxReplyBytes,
    log: logOf(logger, levelOf(options.logLevel)),
    hooks: hooksOf(options),
  };
}

function levelOf(given: unknown): LogLevel {
  const named = given === undefined ? fromEnvironment('LOG') : given;
  const level = named === undefined ? 'warn' : logLevels.find((known) => known === named);
  if (level !== undefined) return level;
  const source = given === undefined ? `${variable('LOG')} ` : '';
  throw new ConfigurationError('logLevel', `${source}must be one of ${logLevels.join(', ')}, not "${named}"`);
}

function hooksOf({ onRequest, onResponse, onOutcome }: OverridableOptions): Hooks {
  const hooks = { onRequest, onResponse, onOutcome };
  for (const [name, hook] of Object.entries(hooks)) {
    if (hook !== undefined && typeof hook !== 'function')
      throw new ConfigurationError(name, 'must be a function');
  }
  return hooks;
}

/** One log for each logger and level, so that the quota does not repeat a warning to it. */
const logs = new WeakMap<Logger, Map<LogLevel, Log>>();

function logOf(logger: Logger, level: LogLevel): Log {
  const known = logs.get(logger) ?? new Map<LogLevel, Log>();
  logs.set(logger, known);
  const log = known.get(level) ?? leveled(logger, level);
  known.set(level, log);
  return log;
}

function limitsOf(options: OverridableOptions): ClientLimits {
  const limits = {
    timeout: options.timeout ?? defaultLimits.timeout,
    deadline: options.deadline ?? deadlineFor(defaultLimits.deadline, options.timeout),
    maxAttempts: options.maxAttempts ?? defaultLimits.maxAttempts,
  };
  for (const { path, message, given } of limitIssues(limits)) {
    throw new ConfigurationError(path, given === undefined ? message : `${message}, not ${given}`);
  }
  return limits;
}

/** The options of a client, changed by `overrides`. @throws ConfigurationError */
export function overridden<Options extends OverridableOptions>(
  options: Options,
  overrides: OverridableOptions,
): Options {
  if (typeof overrides !== 'object' || overrides === null) {
    throw new ConfigurationError('options', 'must be an object');
  }
  for (const key of Object.keys(overrides)) {
    if (overridable.some((name) => name === key)) continue;
    const problem = `can't be changed by withOptions(), only ${overridable.join(', ')}; make a new client`;
    throw new ConfigurationError(key, problem);
  }
  const given = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));
  return { ...options, ...given };
}
