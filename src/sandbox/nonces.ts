import type { World } from './world.js';

/** Remembers which nonces a client has used. */
export class NonceMemory {
  readonly #world: Pick<World, 'clock' | 'settings'>;
  readonly #byClient = new Map<string, Map<string, number>>();

  constructor(world: Pick<World, 'clock' | 'settings'>) {
    this.#world = world;
  }

  /** Takes a nonce; false when this client used it within the time that nonces are remembered. */
  take(clientId: string, nonce: string): boolean {
    const { clock, settings } = this.#world;
    const now = clock.monotonic();
    const used = this.#byClient.get(clientId) ?? new Map<string, number>();
    this.#byClient.set(clientId, used);
    // Oldest first, so forgetting can stop at the first that is still remembered.
    for (const [old, until] of used) {
      if (until >= now) break;
      used.delete(old);
    }
    if (used.has(nonce)) return false;
    used.set(nonce, now + rememberedMs[settings.variants['nonce-retention']]);
    return true;
  }
}

/** The default is as long as a copy of a request could pass the clock check: twice the permitted difference. */
const rememberedMs = { '600-seconds': 600_000, '300-seconds': 300_000, 'a-day': 86_400_000 } as const;
