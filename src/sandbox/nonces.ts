import type { World } from './world.js';

/** Remembers which nonces a client has used. */
export class NonceMemory {
  readonly #world: Pick<World, 'clock' | 'settings'>;
  readonly #byClient = new Map<string, Used>();

  constructor(world: Pick<World, 'clock' | 'settings'>) {
    this.#world = world;
  }

  /** Takes a nonce; false when this client used it within the time that nonces are remembered. */
  take(clientId: string, nonce: string): boolean {
    const { clock, settings } = this.#world;
    const now = clock.monotonic();
    let used = this.#byClient.get(clientId);
    if (used === undefined) {
      used = { until: new Map(), oldest: Number.POSITIVE_INFINITY };
      this.#byClient.set(clientId, used);
    }
    if (used.oldest < now) forget(used, now);
    if (used.until.has(nonce)) return false;
    const until = now + rememberedMs[settings.variants['nonce-retention']];
    if (used.until.size === 0) used.oldest = until;
    used.until.set(nonce, until);
    return true;
  }
}

/** Until when nonces are remembered, oldest first, on the running time of the sandbox. */
interface Used {
  readonly until: Map<string, number>;
  /** That of the first, so that it isn't looked for with every request. */
  oldest: number;
}

/** Forgetting stops at the first that is still remembered. */
function forget(used: Used, now: number): void {
  for (const [nonce, until] of used.until) {
    used.oldest = until;
    if (until >= now) return;
    used.until.delete(nonce);
  }
}

/** The default is as long as a copy of a request could pass the clock check: twice the permitted difference. */
const rememberedMs = { '600-seconds': 600_000, '300-seconds': 300_000, 'a-day': 86_400_000 } as const;
