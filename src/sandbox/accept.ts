import type { RoutedRequest } from './call.js';
import { singleHeader, type WireRequest } from './wire.js';

/**
 * Whether the reply is of a kind that the request takes: JSON, unless it is a file. A request without `Accept` takes
 * anything. That one which excludes JSON is refused isn't shown (unknowns: accept-header).
 */
export function acceptsReply({ world, operation }: RoutedRequest, wire: WireRequest): boolean {
  if (operation.envelope === 'binary' || world.settings.variants['accept-header'] === 'ignored') return true;
  if (singleHeader(wire, 'accept') === 'application/json') return true;
  const ranges = wire.headers
    .filter(([name]) => name.toLowerCase() === 'accept')
    .flatMap(([, value]) => value.split(','))
    .map((range) => range.trim().toLowerCase())
    .filter((range) => range !== '');
  return ranges.length === 0 || weightOfJson(ranges) > 0;
}

/** The closest range decides: `application/json` before `application/*` before any. */
function weightOfJson(ranges: readonly string[]): number {
  for (const kind of ['application/json', 'application/*', '*/*']) {
    const range = ranges.find((each) => each.split(';')[0]?.trim() === kind);
    if (range !== undefined) return Number(/;\s*q=([\d.]+)/.exec(range)?.[1] ?? 1);
  }
  return 0;
}
