import { type Scope, scopes } from '../api/scopes.js';
import { zonedTimeMs } from '../clock/reply-time.js';
import { responseOf } from '../core/reply/reply.js';
import { ConfigurationError, InvalidRequestError } from '../errors/local.js';
import { firstWords, plainLine } from '../errors/text.js';
import type { Profile } from '../generated/integration.js';
import { contradictions, type WorldSettings } from '../intents/world.js';
import type { CallOptions } from '../ports/caller.js';
import type { Clock } from '../ports/clock.js';

/** One comparison of `verify()`. */
export interface Finding {
  /** `ok`: as expected. `note`: may be right; check it. `problem`: calls will fail. */
  readonly level: 'ok' | 'note' | 'problem';
  /** The compared value: `environment`, `actor_type`, `partner_type`, `dealer_id`, `scopes`, `clock`. */
  readonly what: string;
  /** The setting of this client. */
  readonly expected: string;
  /** The value that the service reports. */
  readonly found: string;
  /** What to do next; empty if the level is `ok`. */
  readonly nextStep: string;
}

/** Options of `verify()`: limits of its one call, and the scopes that the program needs. */
export interface VerifyOptions extends CallOptions {
  /** The scopes that your program needs, in place of those that every client of its kind needs. */
  readonly scopes?: readonly Scope[] | undefined;
}

/** The settings of a client that the service can confirm. */
export interface Expectations extends WorldSettings {
  /** Known once there are credentials; a function gives them at the first call. */
  readonly clientId: () => string;
  /** Scopes that every client of this kind needs. */
  readonly scopes: readonly Scope[];
}

/** Half of the difference that the service permits, so that there is time to correct the clock before calls fail. */
const CLOCK_LIMIT_MS = 150_000;

/**
 * Compares the settings of a client with the profile of its credentials (A01).
 *
 * @throws InvalidRequestError for a scope that the API doesn't have.
 * @throws ConfigurationError if the service knows the credentials under another client id.
 */
export async function verifyWith(
  read: (options: CallOptions) => Promise<Profile>,
  expected: Expectations,
  clock: Clock,
  { scopes: needed = expected.scopes, ...options }: VerifyOptions = {},
): Promise<Finding[]> {
  mustBeScopes(needed);
  const profile = await read(options);
  const receivedAt = clock.now();
  const { serverTime, timings, cached } = responseOf(profile);
  const sentAt = receivedAt - (timings.total - timings.queued);
  const clientId = expected.clientId();
  if (profile.client_id !== clientId) {
    throw new ConfigurationError(
      'credentials.clientId',
      `is ${clientId}, and the service says ${shownFinding(profile.client_id)}`,
    );
  }
  const { actor, environment, partnerType, dealerId } = expected;
  const { actor_type, environment: found, partner_type } = profile;
  const client = actor === 'bank' ? 'PartnerClient' : 'BankClient';
  const against = contradictions(expected, profile);
  const unlike = (option: keyof WorldSettings) =>
    against.some((each) => each.option === option) ? 'problem' : 'note';
  return [
    ...compared('actor_type', actor, actor_type, 'problem', `Use a ${client}, or other credentials.`),
    ...compared('environment', environment, found, unlike('environment'), OTHER_ENVIRONMENT),
    ...compared('partner_type', partnerType, partner_type, unlike('partnerType'), OTHER_TYPE),
    ...(actor === 'partner' ? dealer(dealerId, profile.dealer_id) : []),
    granted(needed, profile.scopes),
    ...(cached === undefined ? offset(serverTime, sentAt, receivedAt) : [unmeasured(cached)]),
  ];
}

const OTHER_ENVIRONMENT = 'Check that these are the credentials of the environment you mean.';
const OTHER_TYPE = 'Check that partnerType is how the bank registered you.';

/** No bank can grant a misspelt scope. */
function mustBeScopes(needed: readonly Scope[]): void {
  const known: readonly unknown[] = scopes;
  const unknown = Array.isArray(needed) ? needed.filter((scope) => !known.includes(scope)) : [needed];
  if (unknown.length === 0) return;
  const message = `must be an array of scopes of the API, such as sales:read; ${unknown.join(', ')} is none`;
  throw new InvalidRequestError([{ path: 'options.scopes', message }], { call: 'verify', operation: 'A01' });
}

/** Empty if no value is expected. */
function compared(
  what: string,
  expected: string | undefined,
  found: unknown,
  unlike: 'note' | 'problem',
  nextStep: string,
): Finding[] {
  if (expected === undefined) return [];
  const equal = typeof found === 'string' && found.toLowerCase() === expected.toLowerCase();
  const level = equal ? 'ok' : unlike;
  return [{ level, what, expected, found: shownFinding(found), nextStep: equal ? '' : nextStep }];
}

/** The dealer id may be left out: a bid can carry one. */
function dealer(expected: string | undefined, found: string | null | undefined): Finding[] {
  if (expected !== undefined) {
    const nextStep = 'Set dealerId to the value of the service, or every bid is refused.';
    return compared('dealer_id', expected, found, 'problem', nextStep);
  }
  if (found === null || found === undefined) return [];
  const nextStep = `Set dealerId to ${shownFinding(found)}, or give dealer_id in every bid.`;
  return [{ level: 'note', what: 'dealer_id', expected: '(not set)', found: shownFinding(found), nextStep }];
}

function shownFinding(found: unknown): string {
  if (found === null || found === undefined) return '(nothing)';
  return firstWords(typeof found === 'string' ? found : JSON.stringify(found));
}

function granted(needed: readonly Scope[], listed: unknown): Finding {
  const found: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const missing = needed.filter((scope) => !found.includes(scope));
  return {
    level: missing.length === 0 ? 'ok' : 'problem',
    what: 'scopes',
    expected: needed.join(', '),
    found: plainLine(found.join(', ')),
    nextStep: missing.length === 0 ? '' : `Ask the bank to grant ${missing.join(', ')}.`,
  };
}

/** A copy from a cache does not show what time it is. */
function unmeasured(cached: string): Finding {
  return {
    level: 'problem',
    what: 'clock',
    expected: 'within 300 s of server time',
    found: `a reply from a cache (${cached})`,
    nextStep: 'Configure the caches between this machine and the service to pass every request on.',
  };
}

/** Assumes that the service read its clock in the middle of the round trip. */
function offset(serverTime: string | undefined, sentAt: number, receivedAt: number): Finding[] {
  const server = zonedTimeMs(serverTime);
  if (server === undefined) return [];
  const offsetMs = Math.round(server - (sentAt + receivedAt) / 2);
  const bad = Math.abs(offsetMs) > CLOCK_LIMIT_MS;
  return [
    {
      level: bad ? 'problem' : 'ok',
      what: 'clock',
      expected: 'within 300 s of server time',
      found: `${offsetMs} ms from server time`,
      nextStep: bad ? 'Synchronise the clock of this machine (NTP).' : '',
    },
  ];
}
