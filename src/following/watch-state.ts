/** How up to date a watch is. */
export interface WatchState {
  /** Lots that are watched, and those of them that are live as far as is known. */
  readonly lots: number;
  readonly live: number;
  /** Age of the oldest status of a live lot, ms; undefined before every live lot was read. */
  readonly staleness: number | undefined;
  /** How old a status of a live lot may get, ms. */
  readonly every: number;
  /** Requests of the last minute, of all watches of the client over these lots. */
  readonly requestsPerMinute: number;
  /**
   * - `kept`: no live lot is older than `every`;
   * - `quota`: others use the request quota, or it is too small for so many lots;
   * - `outage`: the service does not answer;
   * - `starting`: not every live lot has been read yet.
   */
  readonly status: 'kept' | 'quota' | 'outage' | 'starting';
}
