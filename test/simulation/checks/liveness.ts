import type { BegunCall, Told, Witness } from './witness.js';

/** How long a call may take beyond its requests and the times in which the service could not be reached, ms. */
const SPARE_MS = 200_000;

/** The longest pause between two tries, ms: a bid is not tried once more where it would last past the deadline. */
const LONGEST_PAUSE_MS = 10_000;

/** What a call that has ended was told of one bid. */
export interface Tried extends Pick<Told, 'key' | 'status'> {
  /** For how long the bid was tried, and for how long it may be, ms. */
  readonly triedMs: number;
  readonly worthMs: number;
}

/**
 * Bids that a healthy service would have judged, and that were reported without a verdict although there was time to send them
 * again; and calls that took longer than their requests do.
 */
export function* faultsOfEffort(
  bids: readonly Tried[],
  call: BegunCall,
  { outages, sent, now }: Pick<Witness, 'outages' | 'sent' | 'now'>,
  perMinute: number,
): Generator<string> {
  for (const { key, status, triedMs, worthMs } of bids) {
    const isVerdict = status === 'accepted' || status === 'rejected';
    if (!isVerdict && triedMs < worthMs - LONGEST_PAUSE_MS) yield `${key} is ${status} after ${triedMs} ms`;
  }
  const requests = sent.filter(({ process, at }) => process === call.process && at >= call.at).length;
  const outage = outages
    .map(({ from, to }) => Math.max(0, Math.min(to, now) - Math.max(from, call.at)))
    .reduce((sum, ms) => sum + ms, 0);
  const enough = outage + SPARE_MS + (requests * 60_000) / perMinute;
  const took = now - call.at;
  if (took > enough) yield `${call.what} of ${call.process} took ${took} ms, and ${enough} were enough`;
}
