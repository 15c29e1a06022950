/** Fields without those that are undefined. */
export type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Drops the fields that are undefined: an option that is not given is left out. */
export function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}

/** Reads an option that may be left out. */
export function ifGiven<Value, T>(value: Value | undefined, read: (value: Value) => T): T | undefined {
  return value === undefined ? undefined : read(value);
}
