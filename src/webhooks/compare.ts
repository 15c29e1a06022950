/**
 * Whether two hex digests of one length are equal, in time that does not depend on where they differ: every
 * character is looked at, and nothing branches on one.
 */
export function equalDigests(expected: string, received: string): boolean {
  let difference = expected.length ^ received.length;
  for (let index = 0; index < expected.length; index += 1) {
    difference |= expected.charCodeAt(index) ^ received.charCodeAt(index);
  }
  return difference === 0;
}
