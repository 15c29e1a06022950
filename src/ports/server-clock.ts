/** What one reply tells of server time. All Unix ms. */
export interface TimeSample {
  /** Server time as the reply states it. */
  readonly serverMs: number;
  /** How coarse that statement is, ms: 1,000 for whole seconds. */
  readonly resolutionMs: number;
  /** Local wall-clock time when the request left and when its reply arrived. */
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
}

/** Server time, as far as replies have told it. */
export interface ServerClock {
  /** Unix ms to sign with: the local clock, unless it is known to be off by more than it matters. */
  now(): number;
  /** The best estimate of server time, Unix ms; undefined until a reply told it, and after the local clock was set. */
  time(): number | undefined;
  /** How far server time is ahead of the local clock, ms; 0 while it isn't known. */
  offsetMs(): number;
  /** How far the estimate can be off, ms; infinite while it isn't known. */
  uncertaintyMs(): number;
  /** Takes a reply's time over. `urgent`: the service has just refused a timestamp as expired. */
  observe(sample: TimeSample, urgent?: boolean): void;
}
