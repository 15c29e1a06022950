import type { Code } from '../api/codes.js';
import { limits, noncePattern } from '../api/common.js';
import { acceptsReply } from './accept.js';
import { actorsOf } from './actors.js';
import { isAllowed } from './addresses.js';
import type { RoutedRequest } from './call.js';
import { timestampHint } from './hints/timestamps.js';
import { hasEnded, keyOf, type SigningKey } from './keys.js';
import type { NonceMemory } from './nonces.js';
import type { Noted } from './noted.js';
import type { Party } from './parties.js';
import type { RateLimit } from './rate-limit.js';
import { messageOnly, notFound, Refusal, type Reply, refusal } from './replies.js';
import { retryAfter } from './retry-after.js';
import { judgeSignature } from './signature.js';
import { unixMs } from './times.js';
import { singleHeader, type WireRequest } from './wire.js';

/** What the access stage remembers between requests. */
export interface Gate {
  readonly nonces: NonceMemory;
  readonly rate: RateLimit;
}

/** Lets a request in or refuses it: who it is, how often it came, whether it signed, what it may do. */
export function admit(request: RoutedRequest, wire: WireRequest, gate: Gate, noted: Noted): Party {
  const { party, key } = identify(request, wire);
  const countsFirst = request.world.settings.variants['rate-limit-place'] === 'before-signature';
  if (countsFirst) limit(request, wire, key, gate.rate);
  verify(request, wire, key, noted);
  if (!countsFirst) limit(request, wire, key, gate.rate);
  if (!gate.nonces.take(party.clientId, singleHeader(wire, 'x-nonce') ?? '')) {
    refuse(request, 409, 'NONCE_REPLAYED');
  }
  permit(request, wire, party);
  return party;
}

function identify(
  request: RoutedRequest,
  wire: WireRequest,
): { readonly party: Party; readonly key: SigningKey } {
  const { parties, settings } = request.world;
  const party = parties.find(singleHeader(wire, 'x-client-id') ?? '');
  const key = party && keyOf(party, singleHeader(wire, 'x-key-id') ?? '');
  if (party === undefined || key === undefined) refuse(request, 401, 'API_CLIENT_NOT_ACTIVE');
  const { active, keyRevoked, expiresAt } = party.facts;
  const expired = expiresAt !== null && unixMs(expiresAt) <= request.receivedAt;
  const expiredAs = expired ? settings.variants['credential-expiry'] : undefined;
  if (!active || expiredAs === 'client-not-active') {
    refuse(request, Number(settings.variants['inactive-client-status']), 'API_CLIENT_NOT_ACTIVE');
  }
  if (keyRevoked || expiredAs === 'key-revoked' || hasEnded(key, request.receivedAt)) {
    refuse(request, 401, 'KEY_REVOKED');
  }
  return { party, key };
}

/** By whom requests are counted, and whether those that fail their signature are, the text leaves open. */
function limit(request: RoutedRequest, wire: WireRequest, key: SigningKey, rate: RateLimit): void {
  const { variants } = request.world.settings;
  const counted = {
    client: singleHeader(wire, 'x-client-id') ?? '',
    key: key.keyId,
    ip: wire.remoteAddress,
  }[variants['rate-limit-key']];
  const seconds = rate.take(counted);
  if (seconds === undefined) return;
  const headers = retryAfter(variants['retry-after-form'], seconds, request.now());
  throw new Refusal(messageOnly(429, 'Too many requests.', headers));
}

function verify(request: RoutedRequest, wire: WireRequest, key: SigningKey, noted: Noted): void {
  const timestamp = singleHeader(wire, 'x-timestamp') ?? '';
  const skewMs = Math.abs(request.receivedAt - Number(timestamp) * 1_000);
  if (!/^(?:0|[1-9]\d{0,11})$/.test(timestamp) || skewMs > limits.clockDifferenceSeconds * 1_000) {
    const hint = timestampHint(timestamp, request.receivedAt);
    noted.hinted(hint);
    throw new Refusal(explained(request, 'TIMESTAMP_EXPIRED', 'The timestamp is not current', hint));
  }
  const nonce = singleHeader(wire, 'x-nonce') ?? '';
  if (!noncePattern.test(nonce)) refuse(request, 401, 'INVALID_NONCE');
  const verdict = judgeSignature(
    {
      method: request.method,
      wireMethod: wire.method,
      path: request.path,
      prefix: request.world.settings.prefix,
      wireQuery: request.wireQuery,
      equalNames: request.world.settings.variants['query-repeated-names'],
      timestamp,
      nonce,
      body: request.body,
      bodySha256: request.bodySha256,
      claimedSha256: singleHeader(wire, 'x-content-sha256') ?? '',
      signature: singleHeader(wire, 'x-signature') ?? '',
      host: singleHeader(wire, 'host'),
      keyId: key.keyId,
      otherSecrets: () => request.world.parties.others(key),
    },
    key.signingSecret,
  );
  if (verdict.valid) {
    noted.verified();
    return;
  }
  noted.unverified(verdict.canonical, verdict.hint);
  throw new Refusal(
    explained(request, 'INVALID_SIGNATURE', 'The signature does not match', verdict.hint, {
      'X-Sandbox-Canonical': asciiJson(verdict.canonical),
    }),
  );
}

/** A refusal that names the mistake, where there is one to name. */
function explained(
  request: RoutedRequest,
  code: Code,
  problem: string,
  hint: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return refusal(request, 401, [code], {
    message: hint === undefined ? `${problem}.` : `${problem}: ${hint}.`,
    headers: { ...headers, ...(hint !== undefined && { 'X-Sandbox-Hint': hint }) },
  });
}

function permit(request: RoutedRequest, wire: WireRequest, party: Party): void {
  const { settings } = request.world;
  const { facts } = party;
  if (settings.requireTls && !wire.secure) refuse(request, 403, 'TLS_REQUIRED');
  if (facts.environment !== settings.environment) refuse(request, 403, 'ENVIRONMENT_DENIED');
  if (facts.allowedIps !== null && !isAllowed(wire.remoteAddress, facts.allowedIps)) {
    refuse(request, 403, 'IP_NOT_ALLOWED');
  }
  if (!facts.partnerActive) refuse(request, 403, 'PARTNER_NOT_ACTIVE');
  if (!facts.kyb) refuse(request, 403, 'KYB_REQUIRED');
  if (!facts.agreement) refuse(request, 403, 'AGREEMENT_REQUIRED');
  if (!facts.bankSubscription) {
    refuse(request, Number(settings.variants['bank-unavailable-status']), 'BANK_UNAVAILABLE');
  }
  if (!actorsOf(request.world, request.operation).includes(party.actor)) refuseActor(request);
  if (!facts.scopes.includes(request.operation.scope)) refuse(request, 403, 'SCOPE_DENIED');
  if (!acceptsReply(request, wire)) {
    throw new Refusal(messageOnly(406, 'Replies are JSON: send Accept: application/json.'));
  }
}

/** What the wrong actor is told isn't shown (unknowns: wrong-actor-code); no scope opens the other side's operations. */
function refuseActor(request: RoutedRequest): never {
  switch (request.world.settings.variants['wrong-actor-code']) {
    case 'bank-access-denied':
      return refuse(request, 403, 'BANK_ACCESS_DENIED');
    case 'message':
      throw new Refusal(messageOnly(403, 'This operation is not open to this actor.'));
    case 'not-found':
      throw new Refusal(notFound());
    default:
      return refuse(request, 403, 'SCOPE_DENIED');
  }
}

function refuse(request: RoutedRequest, status: number, code: Code): never {
  throw new Refusal(refusal(request, status, [code]));
}

/** JSON in printable ASCII, as a header needs it. */
function asciiJson(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
