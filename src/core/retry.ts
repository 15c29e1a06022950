import type { Effect, Route } from '../api/operation.js';
import { ConfigurationError } from '../errors/local.js';
import type { Quota } from '../ports/quota.js';
import type { Signer } from '../signing/signer.js';
import type { Account } from './account.js';
import { backoffMs } from './backoff.js';
import type { CallJournal } from './call-journal.js';
import type { Remedy } from './classify.js';
import type { Interpretation } from './interpret.js';
import type { CallLimits } from './limits.js';
import type { CallParts } from './parts.js';
import { type StopSources, within } from './stop.js';
import type { Waits } from './waits.js';

/** A wait that the service asks for is honoured up to here; past it the error surfaces, with the wait on it. */
const RETRY_AFTER_CEILING_MS = 60_000;

/** How long everyone pauses after a 429 that doesn't say for how long. */
const PAUSE_MS = 1_000;

/** What limits the retries of a call. */
export interface RetrySettings {
  readonly limits: CallLimits;
  readonly journal?: Pick<CallJournal, 'msToDepart'> | undefined;
}

/** Decides whether a failed attempt is followed by another. */
export class Retries {
  readonly #parts: CallParts;
  readonly #route: Route;
  readonly #settings: RetrySettings;
  readonly #sources: StopSources;
  readonly #account: Account;
  readonly #waits: Waits;
  readonly #remedies = new Set<Remedy>();
  /** Attempts that don't count against `maxAttempts`. */
  #uncounted = 0;
  #uncoded = 0;

  constructor(
    parts: CallParts,
    route: Route,
    settings: RetrySettings,
    sources: StopSources,
    account: Account,
    waits: Waits,
  ) {
    this.#parts = parts;
    this.#route = route;
    this.#settings = settings;
    this.#sources = sources;
    this.#account = account;
    this.#waits = waits;
  }

  /**
   * How long to wait before the next attempt, in ms; undefined where there must be none.
   *
   * @param signer the one that signed the failed attempt
   */
  async waitAfter(found: Interpretation, signer: Signer | undefined): Promise<number | undefined> {
    const { verdict, status, retryAfterMs = 0 } = found;
    const { clock, quota, randomness, retryBudget, log } = this.#parts;
    pauseOthers(quota, found);
    // Mended also where this call may not try again: the next one must not fail of the same.
    const mended = verdict.remedy !== undefined && (await this.#mend(verdict.remedy, signer));
    // A bid that meets the rate limit is sent again as long as its deadline allows, however often.
    const isBid429 = status === 429 && this.#route.effect === 'bid';
    if (isBid429) this.#uncounted += 1;
    if (!verdict.retry || this.#account.attempts - this.#uncounted >= this.#settings.limits.maxAttempts)
      return undefined;
    if (verdict.uncoded === true) {
      // Believed when it is repeated.
      this.#uncoded += 1;
      if (this.#uncoded > 1) return undefined;
    }
    if (verdict.remedy !== undefined) return mended ? 0 : undefined;
    if (retryAfterMs > RETRY_AFTER_CEILING_MS && !isBid429) return undefined;
    const wait = Math.max(backoffMs(this.#account.attempts, randomness.fraction()), retryAfterMs);
    if (wait >= this.#sources.deadlineAt - clock.monotonic()) return undefined;
    if (wait >= (this.#settings.journal?.msToDepart() ?? Number.POSITIVE_INFINITY)) return undefined;
    if (drawsOnBudget(this.#route.effect, status) && !retryBudget.take()) {
      log.warn('The retry budget is spent; this failure is final', () => this.#account.facts());
      return undefined;
    }
    return wait;
  }

  /** Mends what made the service refuse an attempt; false where it can't be, or was mended in vain before. */
  async #mend(remedy: Remedy, signer: Signer | undefined): Promise<boolean> {
    if (this.#remedies.has(remedy)) return false;
    this.#remedies.add(remedy);
    const { keys, serverClock, log } = this.#parts;
    if (remedy === 'clock') {
      if (serverClock.time() === undefined) return false;
      const offsetMs = Math.round(serverClock.offsetMs());
      log.warn('The clock of this machine is off; calls are stamped in server time from now on', () => ({
        ...this.#account.facts(),
        offsetMs,
      }));
      return true;
    }
    try {
      if (signer === undefined) return false;
      return await this.#waits.until('credentials', within(this.#sources, keys.renew(signer)));
    } catch (error) {
      if (this.#waits.made(error)) throw error;
      const reason =
        error instanceof ConfigurationError ? error.message : 'the function that gives them failed';
      log.warn('No other credentials could be had', () => ({ ...this.#account.facts(), reason }));
      return false;
    }
  }
}

/** Holds everyone back after a 429: a single call that waits would leave the others to run into it. */
function pauseOthers(quota: Quota, { status, retryAfterMs }: Interpretation): void {
  if (status === 429) quota.pause(Math.min(retryAfterMs ?? PAUSE_MS, RETRY_AFTER_CEILING_MS));
}

/**
 * Whether a retry draws on the budget that stops storms: after failures of network and service. A 429 paces by
 * itself, a replayed nonce happens to one call alone, and bids may always be settled.
 */
function drawsOnBudget(effect: Effect, status: number | undefined): boolean {
  return effect !== 'bid' && (status === undefined || status >= 500);
}
