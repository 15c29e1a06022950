// What was thrown by code that is not ours: it can be any value, and an error of another realm. Jest runs tests in a realm of
// their own, where errors of Node's own modules are not `instanceof Error`.

/** Whether a value is an error, of any realm. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/** The message of an error, or the text of any other value. */
export function thrownMessage(thrown: unknown): string {
  return isError(thrown) ? thrown.message : String(thrown);
}

/** The code of an error, such as `ENOENT`; undefined if it has none. */
export function thrownCode(thrown: unknown): string | undefined {
  return isError(thrown) && 'code' in thrown ? String(thrown.code) : undefined;
}
