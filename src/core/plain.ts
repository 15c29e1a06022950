/**
 * Whether a value can be taken for the fields that it holds: a plain object, or an instance of a class of the
 * caller's with fields of its own. Maps, forms, search parameters, signals and the like keep what they hold to
 * themselves, and would silently be sent as nothing.
 */
export function isFields(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.prototype.toString.call(value) !== '[object Object]') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(Object(prototype)) === null;
  return isPlain || Object.keys(value).length > 0;
}
