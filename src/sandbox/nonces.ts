import { limits } from '../api/common.js';
import type { SandboxClock } from './clock.js';

/** Remembers which nonces a client has used. */
export class NonceMemory {
  readonly #clock: SandboxClock;
  readonly #byClient = new Map<string, Map<string, number>>();

  constructor(clock: SandboxClock) {
    this.#clock = clock;
  }

  /** Takes a nonce; false when this client used it within the time that nonces are remembered. */
  take(clientId: string, nonce: string): boolean {
    const now = this.#clock.monotonic();
    const used = this.#byClient.get(clientId) ?? new Map<string, number>();
    this.#byClient.set(clientId, used);
    // Oldest first, so forgetting can stop at the first that is still remembered.
    for (const [old, until] of used) {
      if (until >= now) break;
      used.delete(old);
    }
    if (used.has(nonce)) return false;
    used.set(nonce, now + rememberedMs);
    return true;
  }
}

/** Retention isn't shown (unknowns: nonce-retention): as long as a copy of a request could pass the clock check. */
const rememberedMs = 2 * limits.clockDifferenceSeconds * 1_000;
