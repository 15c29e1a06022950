import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { Code } from '../api/codes.js';
import { limits, noncePattern } from '../api/common.js';
import type { RoutedRequest } from './call.js';
import type { NonceMemory } from './nonces.js';
import type { Party } from './parties.js';
import type { RateLimit } from './rate-limit.js';
import { messageOnly, Refusal, refusal } from './replies.js';
import { judgeSignature } from './signature.js';
import { singleHeader, type WireRequest } from './wire.js';

/** What the access stage remembers between requests. */
export interface Gate {
  readonly nonces: NonceMemory;
  readonly rate: RateLimit;
}

/** Lets a request in or refuses it: who it is, how often it came, whether it signed, what it may do. */
export function admit(request: RoutedRequest, wire: WireRequest, gate: Gate): Party {
  const party = identify(request, wire);
  limit(party, gate.rate);
  verify(request, wire, party);
  if (!gate.nonces.take(party.clientId, singleHeader(wire, 'x-nonce') ?? ''))
    refuse(request, 409, 'NONCE_REPLAYED');
  permit(request, wire, party);
  return party;
}

function identify(request: RoutedRequest, wire: WireRequest): Party {
  const party = request.world.parties.find(singleHeader(wire, 'x-client-id') ?? '');
  if (party === undefined || singleHeader(wire, 'x-key-id') !== party.keyId) {
    refuse(request, 401, 'API_CLIENT_NOT_ACTIVE');
  }
  if (!party.facts.active) {
    const status = Number(request.world.settings.variants['inactive-client-status']);
    refuse(request, status, 'API_CLIENT_NOT_ACTIVE');
  }
  if (party.facts.keyRevoked) refuse(request, 401, 'KEY_REVOKED');
  return party;
}

/** Counted before the signature is checked, so refused requests count too: the text leaves it open. */
function limit(party: Party, rate: RateLimit): void {
  const seconds = rate.take(party.clientId);
  if (seconds === undefined) return;
  throw new Refusal(messageOnly(429, 'Too many requests.', { 'Retry-After': String(seconds) }));
}

function verify(request: RoutedRequest, wire: WireRequest, party: Party): void {
  const timestamp = singleHeader(wire, 'x-timestamp') ?? '';
  const skewMs = Math.abs(request.receivedAt - Number(timestamp) * 1_000);
  if (!/^(?:0|[1-9]\d{0,11})$/.test(timestamp) || skewMs > limits.clockDifferenceSeconds * 1_000) {
    refuse(request, 401, 'TIMESTAMP_EXPIRED');
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
      timestamp,
      nonce,
      body: request.body,
      claimedSha256: singleHeader(wire, 'x-content-sha256') ?? '',
      signature: singleHeader(wire, 'x-signature') ?? '',
    },
    party.signingSecret,
  );
  if (verdict.valid) return;
  throw new Refusal(
    refusal(request, 401, ['INVALID_SIGNATURE'], {
      message: `The signature does not match${verdict.hint === undefined ? '.' : `: ${verdict.hint}.`}`,
      headers: {
        'X-Sandbox-Canonical': asciiJson(verdict.canonical),
        ...(verdict.hint !== undefined && { 'X-Sandbox-Hint': verdict.hint }),
      },
    }),
  );
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
  const { actors, scope } = request.operation;
  // The code for a wrong actor isn't shown; no scope opens the other side's operations.
  if (actors !== undefined && !actors.includes(party.actor)) refuse(request, 403, 'SCOPE_DENIED');
  if (!facts.scopes.includes(scope)) refuse(request, 403, 'SCOPE_DENIED');
}

function refuse(request: RoutedRequest, status: number, code: Code): never {
  throw new Refusal(refusal(request, status, [code]));
}

/** Whether an address is one of, or inside one of, the approved addresses and blocks. */
export function isAllowed(address: string, allowed: readonly string[]): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const family = familyOf(plain);
  return family !== undefined && blockList(allowed).check(plain, family);
}

/** Throws a RangeError on an entry that is neither an address nor a CIDR block. */
export function blockList(allowed: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of allowed) {
    const [address = '', bits, ...rest] = entry.split('/');
    const family = familyOf(address);
    if (family === undefined || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) {
      throw new RangeError(`not an IP address or CIDR block: ${JSON.stringify(entry)}`);
    }
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  return isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined;
}

/** JSON in printable ASCII, as a header needs it. */
function asciiJson(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
