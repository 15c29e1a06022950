import type { Code } from '../../api/codes.js';
import { limits, noncePattern } from '../../api/common.js';
import type { Operation } from '../../api/operation.js';
import { isInAddressList } from '../addresses.js';
import type { SandboxClock } from '../clock.js';
import { type Party, type SigningKey, signingKeyOf } from '../parties.js';
import { unixMs } from '../times.js';
import type { Arrived, Incoming } from './call.js';
import { messageOnly, notFound, Refusal, refusal } from './replies.js';
import { actorsOf } from './router.js';
import { inAscii, judgeSignature, timestampHint } from './signature.js';
import { singleHeader } from './wire.js';

/** Authenticates requests; tracks nonces and request rates. */
export class Access {
  readonly #clock: SandboxClock;
  readonly #perMinute: number | false;
  /** Expiry of each nonce by client, oldest first. */
  readonly #nonces = new Map<string, Map<string, number>>();
  /** Arrival times of the last minute, by client. */
  readonly #arrivals = new Map<string, number[]>();

  constructor(clock: SandboxClock, perMinute: number | false) {
    this.#clock = clock;
    this.#perMinute = perMinute;
  }

  /** Identifies the caller and checks rate limit, signature, nonce and account status. */
  authenticate(incoming: Incoming): Party {
    const { party, key } = identify(incoming);
    const seconds = this.#secondsToWait(party.clientId);
    if (seconds !== undefined) {
      throw new Refusal(messageOnly(429, 'Too many requests.', { 'Retry-After': String(seconds) }));
    }
    const nonce = verify(incoming, key);
    if (!this.#isFresh(party.clientId, nonce)) refuse(incoming.request, 409, 'NONCE_REPLAYED');
    checkStanding(incoming, party);
    return party;
  }

  /** Counts a request. If the limit is reached, counts nothing and returns the seconds to wait. */
  #secondsToWait(clientId: string): number | undefined {
    if (this.#perMinute === false) return undefined;
    const now = this.#clock.monotonic();
    const recent = this.#arrivals.get(clientId) ?? [];
    this.#arrivals.set(clientId, recent);
    const firstRecent = recent.findIndex((at) => now - at < windowMs);
    if (firstRecent !== 0) recent.splice(0, firstRecent < 0 ? recent.length : firstRecent);
    const oldest = recent[0];
    if (oldest !== undefined && recent.length >= this.#perMinute) {
      return Math.max(1, Math.ceil((oldest + windowMs - now) / 1_000));
    }
    recent.push(now);
    return undefined;
  }

  /** Requests that a client can still send in the current minute; undefined without a limit. */
  allowance(clientId: string): { readonly limit: number; readonly remaining: number } | undefined {
    if (this.#perMinute === false) return undefined;
    const since = this.#clock.monotonic() - windowMs;
    const recent = (this.#arrivals.get(clientId) ?? []).filter((at) => at > since);
    return { limit: this.#perMinute, remaining: Math.max(0, this.#perMinute - recent.length) };
  }

  /** Records a nonce; false if the client used it within the retention period. */
  #isFresh(clientId: string, nonce: string): boolean {
    const now = this.#clock.monotonic();
    const used = this.#nonces.get(clientId) ?? new Map<string, number>();
    this.#nonces.set(clientId, used);
    // Entries are sorted by age, so stop at the first one still valid.
    for (const [old, until] of used) {
      if (until >= now) break;
      used.delete(old);
    }
    if (used.has(nonce)) return false;
    used.set(nonce, now + rememberedMs);
    return true;
  }
}

/** Checks that the actor and scopes of a party allow an operation. */
export function authorize(request: Arrived, party: Party, operation: Operation): void {
  if (!actorsOf(operation).includes(party.actor)) refuseActor(request);
  if (!party.facts.scopes.includes(operation.scope)) refuse(request, 403, 'SCOPE_DENIED');
}

function identify(incoming: Incoming): { readonly party: Party; readonly key: SigningKey } {
  const { request, wire } = incoming;
  const { parties, settings } = request.world;
  const header = (name: string) => singleHeader(wire, name) ?? '';
  const [clientId, keyId] = [header('x-client-id'), header('x-key-id')];
  if (clientId === '' || keyId === '') {
    const missing = signedHeaders.filter((name) => header(name.toLowerCase()) === '');
    const hint = `${missing.join(', ')} missing or sent more than once. Sign the request and send each header once`;
    explain(incoming, 'API_CLIENT_NOT_ACTIVE', 'The request is not signed', hint);
  }
  const party = parties.find(clientId);
  const key = party && signingKeyOf(party, keyId);
  if (party === undefined || key === undefined) refuse(request, 401, 'API_CLIENT_NOT_ACTIVE');
  const { active, keyRevoked, expiresAt } = party.facts;
  if (!active) refuse(request, Number(settings.variants['inactive-client-status']), 'API_CLIENT_NOT_ACTIVE');
  const expired = expiresAt !== null && unixMs(expiresAt) <= request.receivedAt;
  if (keyRevoked || expired || key !== party) refuse(request, 401, 'KEY_REVOKED');
  return { party, key };
}

/** Checks timestamp, nonce and signature of a request; returns the nonce. */
function verify(incoming: Incoming, key: SigningKey): string {
  const { request, wire, logged } = incoming;
  const { method, path, wireQuery, body, bodySha256, world } = request;
  const header = (name: string) => singleHeader(wire, name) ?? '';
  const timestamp = header('x-timestamp');
  const nonce = header('x-nonce');
  // A timestamp is as old as the whole seconds that have passed.
  const skewSeconds = Math.abs(Math.floor(request.receivedAt / 1_000) - Number(timestamp));
  if (!/^(?:0|[1-9]\d{0,11})$/.test(timestamp) || skewSeconds > limits.clockDifferenceSeconds) {
    const hint = timestampHint(timestamp, request.receivedAt);
    explain(incoming, 'TIMESTAMP_EXPIRED', 'The timestamp is not current', hint);
  }
  if (!noncePattern.test(nonce)) refuse(request, 401, 'INVALID_NONCE');
  const signed = {
    ...{ method, path, wireQuery, body, bodySha256, timestamp, nonce },
    wireMethod: wire.method,
    prefix: world.settings.prefix,
    claimedSha256: header('x-content-sha256'),
    signature: header('x-signature'),
    host: header('host'),
    keyId: key.keyId,
    otherSecrets: () => world.parties.others(key),
  };
  const verdict = judgeSignature(signed, key.signingSecret);
  logged.note({ signature: verdict.valid ? 'valid' : 'invalid' });
  if (verdict.valid) return nonce;
  const { canonical, hint } = verdict;
  logged.note({ canonical });
  return explain(incoming, 'INVALID_SIGNATURE', 'The signature does not match', hint, {
    'X-Sandbox-Canonical': inAscii(JSON.stringify(canonical)),
  });
}

/** Throws a 401, with a hint if the mistake is known. */
function explain(
  { request, logged }: Incoming,
  code: Code,
  problem: string,
  hint: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): never {
  if (hint === undefined) throw new Refusal({ ...refusal(request, 401, [code], `${problem}.`), headers });
  logged.note({ hint });
  const refused = refusal(request, 401, [code], `${problem}: ${hint}.`);
  throw new Refusal({ ...refused, headers: { ...headers, 'X-Sandbox-Hint': hint } });
}

function checkStanding({ request, wire }: Incoming, { facts }: Party): void {
  const { settings } = request.world;
  const isAllowed = facts.allowedIps === null || isInAddressList(wire.remoteAddress, facts.allowedIps);
  if (settings.requireTls && !wire.secure) refuse(request, 403, 'TLS_REQUIRED');
  if (facts.environment !== settings.environment) refuse(request, 403, 'ENVIRONMENT_DENIED');
  if (!isAllowed) refuse(request, 403, 'IP_NOT_ALLOWED');
  if (!facts.partnerActive) refuse(request, 403, 'PARTNER_NOT_ACTIVE');
  if (!facts.kyb) refuse(request, 403, 'KYB_REQUIRED');
  if (!facts.agreement) refuse(request, 403, 'AGREEMENT_REQUIRED');
  const status = Number(settings.variants['bank-unavailable-status']);
  if (!facts.bankSubscription) refuse(request, status, 'BANK_UNAVAILABLE');
}

/** Refuses the wrong actor. The code is undocumented, so a variant selects it. */
function refuseActor(request: Arrived): never {
  const choice = request.world.settings.variants['wrong-actor-code'];
  if (choice === 'not-found') throw new Refusal(notFound());
  if (choice === 'message')
    throw new Refusal(
      messageOnly(403, 'This actor cannot call this operation. Use credentials of the other actor.'),
    );
  return refuse(request, 403, choice === 'scope-denied' ? 'SCOPE_DENIED' : 'BANK_ACCESS_DENIED');
}

function refuse(request: Arrived, status: number, code: Code): never {
  throw new Refusal(refusal(request, status, [code]));
}

const signedHeaders = [
  'X-Client-ID',
  'X-Key-ID',
  'X-Timestamp',
  'X-Nonce',
  'X-Content-SHA256',
  'X-Signature',
];

/** Nonces are retained for twice the permitted clock difference. */
const rememberedMs = 2_000 * limits.clockDifferenceSeconds;
const windowMs = 60_000;
