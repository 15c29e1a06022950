import { ConfigurationError } from '../errors/local.js';
import type { Clock } from '../ports/clock.js';
import type { Quota } from '../ports/quota.js';
import { createQuota } from '../quota/quota.js';
import { defaultQuota, type QuotaSettings, quotaIssues } from '../quota/settings.js';
import { sharedQuota } from '../quota/shared-quota.js';
import type { ClientOptions, QuotaOptions } from './options.js';

const known = ['limit', 'windowMs', 'marginMs', 'scope'];

/** The request budget of a client, shared unless its options say otherwise. @throws ConfigurationError */
export function resolveQuota(
  options: Pick<ClientOptions, 'quota' | 'clock'>,
  origin: string,
  clock: Clock,
): { readonly quota: Quota; readonly settings: QuotaSettings; release(): void } {
  const { scope = 'origin', ...given } = checked(options.quota);
  const settings = {
    limit: given.limit ?? defaultQuota.limit,
    windowMs: given.windowMs ?? defaultQuota.windowMs,
    marginMs: given.marginMs ?? defaultQuota.marginMs,
  };
  for (const { path, message } of quotaIssues(settings))
    throw new ConfigurationError(`quota.${path}`, message);
  // Two clocks can't pace one window.
  const ownTime = options.clock?.monotonic !== undefined || options.clock?.after !== undefined;
  if (scope === 'client' || ownTime)
    return { quota: createQuota(settings, clock), settings, release: () => undefined };
  const share = sharedQuota(origin, settings, clock);
  return { quota: share, settings, release: () => share.release() };
}

function checked(quota: QuotaOptions | undefined): QuotaOptions {
  if (quota === undefined) return {};
  if (typeof quota !== 'object' || quota === null) throw new ConfigurationError('quota', 'must be an object');
  for (const key of Object.keys(quota)) {
    if (!known.includes(key))
      throw new ConfigurationError(`quota.${key}`, `is not an option; known options: ${known.join(', ')}`);
  }
  if (quota.scope !== undefined && quota.scope !== 'origin' && quota.scope !== 'client') {
    throw new ConfigurationError('quota.scope', 'must be "origin" or "client"');
  }
  return quota;
}
