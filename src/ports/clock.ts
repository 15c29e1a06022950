/** Time as the SDK sees it. Inject one to run tests in virtual time. */
export interface Clock {
  /** Wall-clock time, Unix milliseconds. */
  now(): number;
  /** Milliseconds from an arbitrary origin that never run backwards: durations, timeouts, quota windows. */
  monotonic(): number;
  /** Calls `callback` once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
}
