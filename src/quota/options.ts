import { ConfigurationError } from '../errors/local.js';
import type { Clock } from '../ports/clock.js';
import { checkNames } from '../runtime/injected.js';
import { thisProcess } from '../store/owner.js';
import { defaultQuota, defaultReserve, type QuotaSettings, quotaIssues } from './lanes.js';
import { PacedQuota } from './quota.js';
import type { QuotaMember, QuotaShare, QuotaState } from './share.js';
import { sharedQuota } from './shared-quota.js';

/** Options of the request quota. Processes on one store share it, too. */
export interface QuotaOptions {
  /** Requests per window; defaults to 120. `Infinity`: no pacing. */
  readonly limit?: number | undefined;
  /**
   * Requests of each window that only bids may use, so that reads never delay a bid. Defaults to a fifth of `limit` for
   * partners and 0 for banks. Set 0 in a program that places no bids.
   */
  readonly reserve?: number | undefined;
  /** Milliseconds; defaults to 60,000. */
  readonly window?: number | undefined;
  /**
   * Milliseconds added to the window, because requests don't arrive as evenly as they are sent; defaults to 1,000.
   */
  readonly margin?: number | undefined;
  /**
   * Clients that share the quota: all that call the same origin, in this process and in all processes on its store
   * (`origin`, the default), or only this client (`client`). A client with an injected clock never shares.
   */
  readonly scope?: 'origin' | 'client' | undefined;
}

/** The request quota of a client. */
export interface QuotaMonitor {
  /** The current state of the quota. Sends nothing and does not wait. */
  state(): QuotaState;
}

/** The client that joins a quota. */
export interface JoiningClient extends Omit<QuotaMember, 'settings'> {
  readonly origin: string;
  readonly clock: Clock;
  /** True if the client has an injected clock, so that it can't share a window. */
  readonly hasOwnTime: boolean;
  readonly placesBids: boolean;
}

/** Creates the request quota of a client, shared unless its options differ. @throws ConfigurationError */
export function joinQuota(options: QuotaOptions | undefined, client: JoiningClient): QuotaShare {
  const { scope = 'origin', ...given } = checkedQuotaOptions(options);
  const { origin, clock, hasOwnTime, placesBids, departures, warn } = client;
  const limit = given.limit ?? defaultQuota.limit;
  const settings: QuotaSettings = {
    limit,
    reserve: given.reserve ?? (placesBids ? defaultReserve(limit) : 0),
    window: given.window ?? defaultQuota.window,
    margin: given.margin ?? defaultQuota.margin,
  };
  for (const { path, message } of quotaIssues(settings)) {
    throw new ConfigurationError(`quota.${path}`, message, { given: Reflect.get(settings, path) });
  }
  const parts = { clock, scope: origin, process: thisProcess().id, random: Math.random };
  if (scope === 'client' || hasOwnTime) return new PacedQuota(parts).join({ settings, warn });
  return sharedQuota(parts, { departures, settings, warn });
}

function checkedQuotaOptions(quota: QuotaOptions | undefined): QuotaOptions {
  if (quota === undefined) return {};
  checkNames('quota', quota, ['limit', 'reserve', 'window', 'margin', 'scope']);
  if (quota.scope !== undefined && quota.scope !== 'origin' && quota.scope !== 'client') {
    throw new ConfigurationError('quota.scope', 'must be "origin" or "client"', { given: quota.scope });
  }
  return quota;
}

/** Limit of polls per window if the quota has no limit. */
const MOST_POLLS = 600;

/** Requests per minute that polls may use. Half of the window is kept for calls that a user waits for. */
export function pollsPerMinute({ limit, window }: QuotaState): number {
  return Math.min(limit / 2, MOST_POLLS) * (60_000 / window);
}

/** True if polls have a third of their requests left, so that work in the background holds up no other poll. */
export function isIdle({ limit, reserve, available }: QuotaState): boolean {
  return limit === Number.POSITIVE_INFINITY || available.poll > (limit - reserve) / 3;
}
