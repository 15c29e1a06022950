const CAPACITY = 30;
const REFUND = 0.1;

/**
 * Stops retry storms: when the service is down for everyone, the calls of a client together may retry this often,
 * and then once for every ten that succeed. Bids don't ask it: a bid that could be settled is worth its attempts.
 */
export class RetryBudget {
  #tokens = CAPACITY;

  /** Takes a retry; false where the budget is spent. */
  take(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** A call succeeded. */
  refund(): void {
    this.#tokens = Math.min(CAPACITY, this.#tokens + REFUND);
  }
}
