/** `.ci/run` sets it: tests that take long repeat what shorter ones cover. */
export const isThorough = process.env['THOROUGH'] === '1';

/** How many of a kind a test tries: few for those who wait for it, many in `.ci/run`. */
export function thoroughly(few: number, many: number): number {
  return isThorough ? many : few;
}

/**
 * One in so many of a series of similar cases, and all of them with THOROUGH=1.
 *
 * @param from the first case: with the index of a subject, each subject meets other cases
 */
export function sampled<T>(cases: readonly T[], oneIn: number, from = 0): readonly T[] {
  return isThorough ? cases : cases.filter((_, index) => index % oneIn === from % oneIn);
}
