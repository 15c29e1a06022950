import { PacedQuota, type QuotaParts } from './quota.js';
import type { QuotaMember, QuotaShare } from './share.js';

/**
 * Returns the quota of this process for one origin, because the service counts all of its clients together. If their settings
 * differ, the strictest apply to all from then on.
 *
 * @param parts with the machine's clock: a client with another clock can't share, and needs a separate quota
 */
export function sharedQuota(parts: QuotaParts, member: QuotaMember): QuotaShare {
  for (const [scope, quota] of quotas) if (quota.isIdle()) quotas.delete(scope);
  const known = quotas.get(parts.scope);
  if (known !== undefined) return known.join(member);
  const quota = new PacedQuota(parts);
  quotas.set(parts.scope, quota);
  return quota.join(member);
}

// The ESM and the CJS build are two copies of this module; the service counts one process.
const quotasKey = Symbol.for('vehicle-auction-sdk.quotas');
const registry: typeof globalThis & { [quotasKey]?: Map<string, PacedQuota> } = globalThis;
registry[quotasKey] ??= new Map();
const quotas = registry[quotasKey];
