/**
 * Who goes first where requests wait for the rate limit: bids with their retries and look-ups, then commands, then
 * reads, then polls.
 */
export type Lane = 'bid' | 'command' | 'read' | 'poll';

/** The request budget that calls share. */
export interface Quota {
  /** Takes a place if one is free and nobody waits; false where `permit()` is to be waited for. */
  take(): boolean;
  /** Resolves when a request may leave; rejects with the signal's reason as soon as the signal fires. */
  permit(lane: Lane, signal: AbortSignal, turn?: Turn): Promise<void>;
  /** Nobody leaves for this many ms: the service asked for it. */
  pause(ms: number): void;
}

/** What decides among bids that wait: the earliest close goes first, then buyers in turn. */
export interface Turn {
  /** Unix ms; bids without a known close go last. */
  readonly closesAt: number | undefined;
  readonly buyer: string;
}
