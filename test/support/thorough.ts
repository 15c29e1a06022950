/** `.ci/run` sets it: tests that take long repeat what shorter ones cover. */
export const isThorough = process.env['THOROUGH'] === '1';

/** How many of a kind a test tries: few for those who wait for it, many in `.ci/run`. */
export function thoroughly(few: number, many: number): number {
  return isThorough ? many : few;
}
