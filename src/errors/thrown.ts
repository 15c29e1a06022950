// Values that code of others throws: any value, or an error of another realm. Jest runs tests in a realm of their own,
// where errors of Node's own modules are not `instanceof Error`.

/** Whether a value is an error, of any realm. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/** The message of an error, or the text of any other value. */
export function thrownMessage(thrown: unknown): string {
  try {
    return isError(thrown) ? thrown.message : String(thrown);
  } catch {
    return 'a value without a text was thrown';
  }
}

/** The code of an error, such as `ENOENT`; undefined if it has none. */
export function thrownCode(thrown: unknown): string | undefined {
  return isError(thrown) && 'code' in thrown ? String(thrown.code) : undefined;
}

/** Most errors that are shown, one the cause of the other. */
const DEPTH = 8;

/**
 * An error as plain data for JSON: name, message, code, its causes, and the fields of errors that have a `toJSON`, as those of
 * this package do. Other errors show no fields: a request attached to one can show a signature.
 */
export function errorRecord(thrown: unknown, depth = DEPTH): Readonly<Record<string, unknown>> {
  try {
    if (!isError(thrown)) return { name: typeof thrown, message: String(thrown) };
    const { name, message, cause } = thrown;
    const code = thrownCode(thrown);
    const errors: unknown = 'errors' in thrown ? thrown.errors : undefined;
    return {
      name,
      message,
      ...('toJSON' in thrown && { ...thrown }),
      ...(code !== undefined && { code }),
      ...(depth > 1 && cause !== undefined && { cause: errorRecord(cause, depth - 1) }),
      ...(depth > 1 &&
        Array.isArray(errors) && {
          errors: errors.slice(0, DEPTH).map((error) => errorRecord(error, depth - 1)),
        }),
    };
  } catch {
    return { name: 'Error', message: 'an error that cannot be read' };
  }
}

/** An error for a log line: as in JSON, with its stack. */
export function loggedError(thrown: unknown): Readonly<Record<string, unknown>> {
  const record = errorRecord(thrown);
  try {
    return isError(thrown) && typeof thrown.stack === 'string' ? { ...record, stack: thrown.stack } : record;
  } catch {
    return record;
  }
}
