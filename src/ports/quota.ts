import type { Lane } from '../api/operation.js';

/** The request quota that calls share. */
export interface Quota {
  /** Takes a place if one is free and nobody waits in this lane or a higher one; else `permit()` waits for one. */
  take(lane: Lane): Permit | undefined;
  /** Resolves when a request may leave; rejects with the signal's reason as soon as the signal fires. */
  permit(lane: Lane, signal: AbortSignal, turn?: Turn): Promise<Permit>;
  /** No request leaves for this many ms, in any lane: the service asked for it. */
  pause(ms: number): void;
}

/** A place in the window, for one request. */
export interface Permit {
  /** The reply began, or the attempt was given up. A slow request is counted from here: the service counts arrivals. */
  ended(): void;
}

/** What decides among bids that wait: the earliest close goes first, then buyers in turn. */
export interface Turn {
  /** Unix ms; bids without a known close go last. */
  readonly closesAt: number | undefined;
  readonly buyer: string;
}
