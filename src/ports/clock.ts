/** Time as the SDK sees it. Inject one to run tests in virtual time. */
export interface Clock {
  /** Wall-clock time, Unix milliseconds. */
  now(): number;
  /** Milliseconds from an arbitrary origin that never run backwards: durations, timeouts, quota windows. */
  monotonic(): number;
  /** Calls `callback` once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/** A time that a reply states. */
export interface StatedTime {
  /** Unix ms. */
  readonly serverMs: number;
  /** How coarse it is, ms: 1,000 for whole seconds. */
  readonly resolutionMs: number;
  /** Where it was found: in the JSON, or only in the `Date` header, which a proxy may have written. */
  readonly source: 'body' | 'header';
}

/** Both clocks of this machine at one moment, ms. */
export interface ClockReading {
  /** Unix ms. */
  readonly wall: number;
  readonly monotonic: number;
}

/** Server time, measured from replies. */
export interface ServerClock {
  /** Unix ms to sign with: the local clock, unless it is known to be off by more than it matters. */
  now(): number;
  /** The best estimate of server time, Unix ms; undefined until a reply told it, and after the local clock was set. */
  time(): number | undefined;
  /** Whether `time()` rests on what the service itself wrote, and not on a `Date` header alone. */
  isStated(): boolean;
  /** How far server time is ahead of the local clock, ms; 0 while it isn't known. */
  offsetMs(): number;
  /** How far the estimate can be off, ms; infinite while it isn't known. */
  uncertaintyMs(): number;
  /** To be taken as a request leaves, and given back with its reply. */
  reading(): ClockReading;
  /** Measures with a reply that has just arrived. `urgent`: the service has refused a timestamp as expired. */
  observe(stated: StatedTime, sent: ClockReading, urgent?: boolean): void;
}
