const PREFIX = 'VEHICLE_AUCTION_';

/** Names that options may be read from, behind `VEHICLE_AUCTION_`. */
export type Variable = 'BASE_URL' | 'CLIENT_ID' | 'KEY_ID' | 'SIGNING_SECRET' | 'DEALER_ID';

/** An option from the environment; an empty variable counts as unset. */
export function fromEnvironment(name: Variable): string | undefined {
  const value = globalThis.process?.env[PREFIX + name];
  return value === '' ? undefined : value;
}

/** The whole name of a variable, for messages. */
export function variable(name: Variable): string {
  return PREFIX + name;
}
