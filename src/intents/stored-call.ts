import { API_PREFIX } from '../api/common.js';
import type { Route } from '../api/operation.js';
import { resources } from '../api/service.js';
import type { RequestBody } from '../core/body.js';
import { contextOf } from '../core/context.js';
import type { CallDefaults, PreparedCall } from '../core/prepare.js';
import { rawCall } from '../core/raw-route.js';
import type { Intent } from './intent.js';

/** The call of an intent, to be made again with the same bytes. */
export function storedCall(
  intent: Intent,
  body: RequestBody,
  { origin, prefix }: Pick<CallDefaults, 'origin' | 'prefix'>,
): PreparedCall {
  return {
    route: routeOf(intent),
    signedPath: intent.path,
    canonicalQuery: intent.query,
    wireMethod: 'POST',
    origin,
    wirePath: prefix + intent.path + (intent.query === '' ? '' : `?${intent.query}`),
    body,
    idempotencyKey: intent.key,
  };
}

/** How an error names a call that is on record: bids come there by `bidding.place`, never by the bare call. */
export function journalledContext(route: Route): ReturnType<typeof contextOf> {
  return { ...contextOf(route), ...(route.effect === 'bid' && { call: 'bidding.place' }) };
}

/** What the caller knows an intent by, such as `bidding.place` or `paymentReports.create`. */
export function callOf(intent: Pick<Intent, 'operation' | 'method' | 'path'>): string {
  return journalledContext(routeOf(intent)).call;
}

/** The operation of an intent; one that has no method is a raw call again. */
export function routeOf({ operation, method, path }: Pick<Intent, 'operation' | 'method' | 'path'>): Route {
  for (const { operations } of resources) {
    for (const known of Object.values(operations)) {
      if (known.id === operation && known.method === method) return known;
    }
  }
  return rawCall({ method, path: decodeURIComponent(path.slice(API_PREFIX.length)) }, 'raw').route;
}
