import type { PartnerType } from '../api/operation.js';
import { ConfigurationError } from '../errors/local.js';
import type { Clock } from '../ports/clock.js';
import type { QuotaMember, QuotaState } from '../quota/quota.js';
import { defaultQuota, defaultReserve, type QuotaSettings, quotaIssues } from '../quota/settings.js';
import { ownQuota, type QuotaShare, sharedQuota } from '../quota/shared-quota.js';
import { thisProcess } from '../store/process.js';
import type { ClientOptions, QuotaOptions } from './options.js';

/** The request quota of a client. */
export interface QuotaMonitor {
  /** The quota as it is now. Reading it sends nothing and waits for nothing. */
  state(): QuotaState;
}

const known = ['limit', 'reserve', 'windowMs', 'marginMs', 'scope'];

/** The request budget of a client, shared unless its options say otherwise. @throws ConfigurationError */
export function resolveQuota(
  options: Pick<ClientOptions, 'quota' | 'clock'> & { readonly partnerType?: PartnerType | undefined },
  origin: string,
  clock: Clock,
  member: Omit<QuotaMember, 'settings'> = {},
): QuotaShare {
  const { scope = 'origin', ...given } = checked(options.quota);
  const limit = given.limit ?? defaultQuota.limit;
  const settings: QuotaSettings = {
    limit,
    reserve: given.reserve ?? (options.partnerType === undefined ? 0 : defaultReserve(limit)),
    windowMs: given.windowMs ?? defaultQuota.windowMs,
    marginMs: given.marginMs ?? defaultQuota.marginMs,
  };
  for (const { path, message } of quotaIssues(settings))
    throw new ConfigurationError(`quota.${path}`, message);
  const parts = { clock, scope: origin, process: thisProcess().id, random: Math.random };
  // Two clocks can't pace one window.
  const ownTime = options.clock?.monotonic !== undefined || options.clock?.after !== undefined;
  if (scope === 'client' || ownTime) return ownQuota(parts, { settings, warn: member.warn });
  return sharedQuota(parts, { ...member, settings });
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
