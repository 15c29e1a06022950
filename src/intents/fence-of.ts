import { limits } from '../api/common.js';

/** After which moment no copy of a request stamped like this (Unix seconds) is let in any more, Unix ms. */
export function fenceOf(timestamp: number): number {
  return (timestamp + limits.clockDifferenceSeconds) * 1000;
}
