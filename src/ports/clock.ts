/** Source of time. Inject one to run tests in virtual time. */
export interface Clock {
  /** Wall-clock time, Unix milliseconds. */
  now(): number;
  /** Monotonic milliseconds from an arbitrary origin, for durations, timeouts and quota windows. */
  monotonic(): number;
  /** Calls `callback` once after `ms` milliseconds. The returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/** Server time as one reply states it. */
export interface StatedTime {
  /** Unix ms. */
  readonly serverMs: number;
  /** How coarse it is, ms: 1,000 for whole seconds. */
  readonly resolutionMs: number;
  /** Its source: the JSON, or only the `Date` header, which a proxy may have written. */
  readonly source: 'body' | 'header';
  /** By how many ms the time in the JSON is behind the `Date` header of the same reply; absent unless both are there. */
  readonly behindDateMs?: number;
}

/** Both clocks of this machine at one moment, ms. */
export interface ClockReading {
  /** Unix ms. */
  readonly wall: number;
  readonly monotonic: number;
}

/** Server time, measured from replies. */
export interface ServerClock {
  /** Unix ms to sign with: the local clock, or server time if the local clock is off by more than 2 s. */
  now(): number;
  /** The best estimate of server time, Unix ms; undefined before the first reply, and after the local clock was set. */
  time(): number | undefined;
  /** Whether the service itself wrote the time that `time()` rests on; false if only a `Date` header did. */
  isStated(): boolean;
  /** How far server time is ahead of the local clock, ms; 0 while it is unknown. */
  offsetMs(): number;
  /** How far the estimate can be off, ms; infinite while server time is unknown. */
  uncertaintyMs(): number;
  /** Both clocks now: read when a request leaves, passed to `observe` with its reply. */
  reading(): ClockReading;
  /**
   * Measures server time with a reply that has just arrived. Returns by how many ms its time is behind, if it is behind by
   * more than the round trip allows and a cache may have answered; 0 otherwise.
   */
  observe(stated: StatedTime, sent: ClockReading, how?: Observation): number;
}

/** What is known of a reply that states server time. */
export interface Observation {
  /** The service has refused a timestamp as expired. */
  readonly urgent?: boolean;
  /** It answers a GET, which caches answer, too. */
  readonly cacheable?: boolean;
}
