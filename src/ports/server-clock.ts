/** What a reply says of server time. */
export interface TimeSample {
  /** Server time, Unix ms. */
  readonly serverMs: number;
  /** Local wall-clock time when the reply arrived, Unix ms. */
  readonly receivedAtMs: number;
}

/** Server time, as far as it is known. */
export interface ServerClock {
  /** Unix ms to stamp a request with: never ahead of server time, as far as is known. */
  now(): number;
  /** How far server time is ahead of the local clock, ms; 0 until a correction. */
  offsetMs(): number;
  /** Takes a sample over after the service found a timestamp expired; false where the sample can't be believed. */
  correct(sample: TimeSample): boolean;
}
