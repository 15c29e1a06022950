/**
 * Headers of a delivery: a Fetch `Headers` (or any iterable of pairs), Node's `IncomingHttpHeaders`, or a plain
 * object. Names match in any case.
 */
export type HeaderSource =
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The headers that a delivery carries (Authentication, Webhook delivery signature; Events, Delivery model). */
export const deliveryHeaders = {
  timestamp: 'Service-Timestamp',
  signature: 'Service-Signature',
  eventId: 'Service-Event-ID',
} as const;

/** Every value that stands under a name, so that the caller sees repetitions. */
export function headerValues(headers: HeaderSource, name: string): unknown[] {
  const wanted = name.toLowerCase();
  const values: unknown[] = [];
  for (const [key, value] of entriesOf(headers)) {
    if (String(key).toLowerCase() !== wanted || value === undefined) continue;
    if (Array.isArray(value)) values.push(...value);
    else values.push(value);
  }
  return values;
}

function entriesOf(headers: HeaderSource): Iterable<readonly [string, unknown]> {
  // Untyped callers pass undefined where a framework has no headers: that is a delivery without a signature.
  if (typeof headers !== 'object' || headers === null) return [];
  return isIterable(headers) ? headers : Object.entries(headers);
}

function isIterable(headers: HeaderSource): headers is Iterable<readonly [string, string]> {
  return Symbol.iterator in headers;
}
