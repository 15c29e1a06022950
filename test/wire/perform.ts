import { createHash, createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { BankClient } from '../../src/client/bank-client.js';
import type { CredentialsSource } from '../../src/client/options.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import { credentials, KEY, SECRET } from '../support/clients.js';
import { formsOf, shownBy } from '../support/secrecy.js';
import { ToldTime } from '../support/told-time.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { type Caller, made, type WireCall, type WireCase } from './case.js';
import { type Answer, type Arrived, type Driver, Script } from './driver.js';

/** Almost a second past the full one: the timestamp must not be rounded up. */
const START = Date.parse('2026-03-02T06:00:00.999Z');

/** Longer than any wait in the cases, so that waits and attempts can be told apart. */
const ATTEMPT_MS = 90_000;

/** Leases of commands are renewed this often, however long a request is on its way. */
const LEASE_MS = 5_000;

/** The key that credentials from a function give once the first one is revoked. */
export const otherKey = {
  ...credentials,
  keyId: 'key_2',
  signingSecret: 'another-secret/+of=the~same"length',
};

const secrets: Readonly<Record<string, string>> = {
  [credentials.keyId]: SECRET,
  [otherKey.keyId]: otherKey.signingSecret,
};

export interface Performed {
  /** What the call resolved with, or what it threw. */
  readonly value?: unknown;
  readonly error?: unknown;
  readonly arrived: readonly Arrived[];
}

interface Play {
  readonly driver: Driver;
  readonly caller: Caller;
  readonly call: WireCall;
  readonly answers: readonly Answer[];
  readonly credentials?: CredentialsSource | undefined;
  readonly maxAttempts?: number | undefined;
  /** How far the clock of the service is ahead, ms; a first write learns it beforehand. */
  readonly skewMs?: number | undefined;
  /** Bids and commands are sent under this key; where it is left out the SDK makes one. */
  readonly key?: string | undefined;
  /** What is asked of a list. */
  readonly of?: 'firstPage' | 'toArray';
}

/** Makes one call on a client of its own, in virtual time. */
export async function perform({ driver, caller, call, answers, key, ...play }: Play): Promise<Performed> {
  const clock = new VirtualClock(START);
  const script = new Script(answers, () => clock.monotonic());
  driver.follow(script);
  const options = {
    environment: 'sandbox',
    baseUrl: driver.baseUrl,
    // Before a first write A01 tells server time; that is not what these calls are about.
    transport:
      call.body === undefined ? driver.transport : new ToldTime(driver.transport, clock, play.skewMs),
    credentials: play.credentials ?? credentials,
    clock,
    // Nonces and UUIDs are the machine's own; how long to wait is known.
    randomness: { fraction: () => 0.5 },
    timeout: ATTEMPT_MS,
    deadline: 10 * ATTEMPT_MS,
    maxAttempts: play.maxAttempts ?? 2,
    logLevel: 'off',
  } as const;
  const isKeyed = key !== undefined && call.body?.includes('"idempotency_key"') === true;
  const keyed = isKeyed ? { idempotencyKey: key } : undefined;
  const { arrived } = script;
  try {
    const started = made(clientOf(caller, options), call, keyed, play.of);
    return { value: await pumped(clock, started, script), arrived };
  } catch (error) {
    return { error, arrived };
  }
}

function clientOf(caller: Caller, options: ConstructorParameters<typeof BankClient>[0]): object {
  if (caller === 'bank') return new BankClient(options);
  const partnerType = caller === 'dealer' ? 'direct_dealer' : 'platform';
  return new PartnerClient({ ...options, partnerType, dealerId: 'D-204' });
}

/**
 * Settles a call that has its time from a virtual clock and its replies from real I/O. Waits pass at once; while an
 * attempt is on its way only I/O happens, however long it takes, so nothing depends on how fast this machine is.
 */
async function pumped<T>(clock: VirtualClock, call: Promise<T>, script: Script): Promise<T> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  call.then(settle, settle);
  while (!settled) {
    const limit = script.takeHeld() ? ATTEMPT_MS + 1 : ATTEMPT_MS;
    const waits = clock.pending.filter((ms) => ms < limit && ms !== LEASE_MS);
    if (waits.length === 0) await new Promise((resolve) => setImmediate(resolve));
    else await clock.advance(Math.min(...waits));
  }
  return call;
}

interface Expected {
  readonly case: WireCase;
  readonly call: WireCall;
  readonly driver: Driver;
  /** Names the call where an expectation fails. */
  readonly label: string;
  /** What the clock of the service was found to be ahead by when the second attempt was made, in ms. */
  readonly skewMs?: number | undefined;
  /** The ids of the keys that sign the attempts, where it isn't one. */
  readonly keyIds?: readonly string[] | undefined;
  /** Key of the bid or command; that of the header where the SDK made it. */
  readonly key?: string | undefined;
}

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Holds every request to the text: method, target, each header, each byte, and the signature over them. */
export function expectRequests(
  arrived: readonly Arrived[],
  { case: one, call, driver, label, skewMs = 0, keyIds = [], key }: Expected,
): void {
  const { sent: wireMethod, path } = one;
  const { query } = call;
  const keyed = one.effect === 'read' ? undefined : (key ?? arrived[0]?.headers['idempotency-key'] ?? '');
  const body = keyed === undefined ? call.body : call.body?.replace(KEY, keyed);
  const digest = body === undefined ? EMPTY_SHA256 : createHash('sha256').update(body).digest('hex');
  for (const [index, { method, target, headers, body: bytes, atMs }] of arrived.entries()) {
    const { 'x-nonce': nonce = '', 'user-agent': agent = '' } = headers;
    const timestamp = String(
      Math.floor((START + atMs + (index === 0 && keyed === undefined ? 0 : skewMs)) / 1000),
    );
    const keyId = keyIds[index] ?? credentials.keyId;
    const signed = [one.signed, path, query, timestamp, nonce, digest].join('\n');
    expect(
      { method, target, body: bytes.toString('utf8'), headers },
      `${label}: request ${index + 1}`,
    ).toStrictEqual({
      method: wireMethod,
      target: query === '' ? path : `${path}?${query}`,
      body: body ?? '',
      headers: {
        ...driver.framing(body === undefined ? undefined : Buffer.byteLength(body)),
        accept: one.isBinary ? '*/*' : 'application/json',
        'accept-encoding': 'identity',
        'cache-control': 'no-cache, no-store',
        'user-agent': agent,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(keyed !== undefined && { 'idempotency-key': keyed }),
        'x-client-id': 'cl_7f3a',
        'x-key-id': keyId,
        'x-timestamp': timestamp,
        'x-nonce': nonce,
        'x-content-sha256': digest,
        'x-signature': createHmac('sha256', secrets[keyId] ?? '')
          .update(signed)
          .digest('hex'),
      },
    });
    expect(nonce, label).toMatch(/^[A-Za-z0-9_-]{16,128}$/);
    expect(agent, label).toMatch(/^vehicle-auction-sdk\/\d+\.\d+\.\d+/);
    if (keyed !== undefined)
      expect(keyed, label).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  }
  for (const fresh of ['x-nonce', 'x-signature'] as const) {
    expect(new Set(arrived.map(({ headers }) => headers[fresh])).size, `${label}: fresh ${fresh}`).toBe(
      arrived.length,
    );
  }
}

/** Looks for secrets and signatures wherever an error can be made to show what it holds. */
export function expectNothingSecret(error: unknown, arrived: readonly Arrived[], label: string): void {
  const shown = shownBy(error).toLowerCase();
  const hidden = Object.values(secrets).flatMap((secret) => Object.values(formsOf(secret)));
  const signatures = arrived.map(({ headers }) => headers['x-signature'] ?? 'no signature');
  const found = [...hidden, ...signatures].filter((text) => shown.includes(text.toLowerCase()));
  expect(found, `${label}: shows a secret or a signature`).toEqual([]);
}
