import type { RoutedRequest } from './call.js';
import type { Noted } from './noted.js';
import { invalidField, messageOnly, notFound, Refusal, type Reply } from './replies.js';
import { parseTarget, type Router } from './router.js';
import { distinctNames, type JsonBody, readJson } from './validation.js';
import { singleHeader, type WireRequest } from './wire.js';
import type { World } from './world.js';

/** Finds the operation that a request calls; refuses what calls none. */
export function route(world: World, router: Router, wire: WireRequest, noted: Noted): RoutedRequest {
  const { settings, clock } = world;
  if (wire.body === 'too_large' || wire.body.length > settings.maxBodyBytes) {
    throw new Refusal(gateway(world, 413, 'The request body is too large.'));
  }
  if (wire.method === 'PATCH' || wire.method === 'PUT') {
    throw new Refusal(gateway(world, 405, 'PATCH and PUT are sent as POST with _method in the body.'));
  }
  const target = parseTarget(wire.target, settings.prefix);
  if (target === undefined) throw new Refusal(notFound());
  const json = readJson(wire.body, singleHeader(wire, 'content-type'));
  const method = effectiveMethod(world, wire, json);
  const match = router.match(method, target.path, target.query);
  if (match === undefined) throw new Refusal(notFound());
  return {
    world,
    ...match,
    query: distinctNames(match.query, settings.variants['query-repeated-values']),
    method,
    path: target.path,
    wireQuery: target.query,
    body: wire.body,
    bodySha256: noted.bodySha256 ?? '',
    json,
    idempotencyKey: singleHeader(wire, 'idempotency-key'),
    receivedAt: noted.at,
    requestId: noted.requestId,
    now: () => clock.now(),
  };
}

/** The same request as a service sees it whose clock is `ms` ahead. */
export function skewed(request: RoutedRequest, ms: number): RoutedRequest {
  return ms === 0
    ? request
    : { ...request, receivedAt: request.receivedAt + ms, now: () => request.now() + ms };
}

/** The method that is meant and signed: POST carries PATCH and PUT in its body. */
function effectiveMethod({ settings }: World, wire: WireRequest, json: JsonBody): string {
  if (wire.method !== 'POST' || 'problem' in json) return wire.method;
  const tunnelled = json.object['_method'];
  if (tunnelled !== 'PATCH' && tunnelled !== 'PUT') return wire.method;
  if (settings.variants['tunnelled-method-place'] === 'first' && Object.keys(json.object)[0] !== '_method') {
    throw new Refusal(invalidField('_method', 'The _method must stand first in the body.'));
  }
  return tunnelled;
}

/** Whether the service or a gateway before it refuses such a request isn't shown (unknowns: message-only-refusals). */
function gateway({ settings }: World, status: number, message: string): Reply {
  return settings.variants['message-only-refusals'] === 'service'
    ? messageOnly(status, message)
    : { status, html: `<html><body><h1>${message}</h1></body></html>` };
}
