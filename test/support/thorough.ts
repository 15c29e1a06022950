/** `.ci/run` sets it: tests that take long repeat what shorter ones cover. */
export const isThorough = process.env['THOROUGH'] === '1';
