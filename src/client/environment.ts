import { ConfigurationError } from '../errors/local.js';

const PREFIX = 'VEHICLE_AUCTION_';

/** Environment variables that options may be read from, without `VEHICLE_AUCTION_`. */
export type Variable =
  | 'BASE_URL'
  | 'CLIENT_ID'
  | 'KEY_ID'
  | 'SIGNING_SECRET'
  | 'DEALER_ID'
  | 'LOG'
  /** Read by the command only. */
  | 'ENVIRONMENT'
  | 'ACTOR'
  | 'PARTNER_TYPE';

/** An option from the environment; an empty variable counts as unset. */
export function fromEnvironment(name: Variable): string | undefined {
  const value = globalThis.process?.env[PREFIX + name];
  return value === '' ? undefined : value;
}

/** The whole name of a variable, for messages. */
export function variable(name: Variable): string {
  return PREFIX + name;
}

/** The error for an option that is neither given nor in the environment. */
export function missing(option: string, ...names: readonly Variable[]): ConfigurationError {
  const variables = names.map(variable).join(' and ');
  return new ConfigurationError(option, `must be given, or ${variables} be set in the environment`);
}
