import type { Lane } from '../api/operation.js';

/** The request quota shared by calls. */
export interface Quota {
  /** Takes a permit without waiting; undefined if none is free or a request waits in this lane or a higher one. */
  take(lane: Lane): Permit | undefined;
  /** Waits for a permit. Rejects with the signal's reason when the signal aborts. */
  permit(lane: Lane, signal: AbortSignal, turn?: Turn): Promise<Permit>;
  /** Pauses all lanes for this many ms, as the service requested. */
  pause(ms: number): void;
}

/** Permission to send one request in the current window. */
export interface Permit {
  /**
   * Reports that the reply began or the attempt was abandoned. The window counts a slow request from this time,
   * because the service counts arrivals.
   */
  ended(): void;
  /**
   * Gives the permit to the next queued request of its lane, because nothing was sent on it. No effect after `ended`. If no request
   * is queued, it counts as used.
   */
  passOn(): void;
}

/** Order of queued bids: earliest close first, then bids that were sent before, then buyers in rotation. */
export interface Turn {
  /** Close of the auction, Unix ms. Bids without a known close go last. */
  readonly closesAt: number | undefined;
  readonly buyer: string;
  /** Sent before, with an unknown outcome. It must settle within its deadline; a new bid can wait. */
  readonly isResend?: boolean | undefined;
  /** A permit that was waited for before the call began. Its first attempt leaves on it. */
  readonly permit?: Permit | undefined;
}
