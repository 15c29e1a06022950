import { patterns } from '../api/formats.js';
import { ConfigurationError } from '../errors/local.js';
import { type WebhookRefusal, WebhookVerificationError } from '../errors/webhook.js';
import { hmacSha256Hex } from '../signing/signer.js';
import { bytesOf, deliveryHeaders, deliveryValues, type HeaderSource, type RawBody } from './delivery.js';

/** Options of signature verification. */
export interface WebhookVerificationOptions {
  /** The subscription secret; during a rotation, both secrets. */
  readonly secrets: string | readonly string[];
  /** Largest difference between the delivery's timestamp and now, either way, ms. Defaults to 300,000 (5 minutes). */
  readonly tolerance?: number | undefined;
  /** Now, in Unix ms, for tests. Defaults to this machine's clock. */
  readonly now?: number | undefined;
}

/** The result of a successful verification. */
export interface VerifiedSignature {
  /** Index in `secrets` of the secret that signed the delivery. */
  readonly secretIndex: number;
  /** Time of signing, Unix seconds. */
  readonly timestamp: number;
  /** Header `Service-Event-ID`, if present. The signature does not cover it: trust the `id` in the body. */
  readonly eventId?: string;
}

/** Five minutes: the clock difference that the service permits. */
const DEFAULT_TOLERANCE_MS = 300_000;

/**
 * Verifies the signature and age of a delivery over its exact bytes; the body need not be JSON (Authentication, Webhook
 * delivery signature). It checks the shape of the headers first, then the signature, then the age, so only deliveries
 * that the service signed are reported as too old.
 *
 * @throws WebhookVerificationError for a delivery that is not authentic; `reason` is machine-readable.
 * @throws ConfigurationError for invalid options: no secret, or a tolerance that would disable the check.
 */
export function verifySignature(
  rawBody: RawBody,
  headers: HeaderSource,
  options: WebhookVerificationOptions,
): VerifiedSignature {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigurationError('options', 'must be an object with secrets');
  }
  const secrets = secretsOf(options.secrets);
  const { tolerance = DEFAULT_TOLERANCE_MS, now = Date.now() } = options;
  checkTimes(tolerance, now);
  const body = bytesOf(rawBody);
  const values = deliveryValues(headers);
  const timestamp = timestampOf(values.timestamp);
  const received = digestsOf(values.signature);

  // No early exit: the time taken must not reveal which secret is in use.
  const matches = secrets.map((secret) => {
    const expected = hmacSha256Hex(secret, `${timestamp}.`, body);
    return received.filter((digest) => equalDigests(expected, digest)).length > 0;
  });
  const secretIndex = matches.indexOf(true);
  if (secretIndex === -1) throw mismatch(secrets, typeof rawBody === 'string');
  const signedAtMs = timestampMs(timestamp) ?? 0;
  const signedAt = Math.floor(signedAtMs / 1000);
  checkAge(now - signedAtMs, tolerance);

  const { eventId } = values;
  if (eventId.length === 0) return { secretIndex, timestamp: signedAt };
  return { secretIndex, timestamp: signedAt, eventId: eventId.join(', ') };
}

function checkTimes(tolerance: unknown, now: unknown): void {
  if (typeof tolerance !== 'number' || !Number.isFinite(tolerance) || tolerance <= 0) {
    throw new ConfigurationError('tolerance', 'must be a positive, finite number of milliseconds', {
      given: tolerance,
    });
  }
  // NaN would make every comparison of ages false, and so every delivery fresh.
  if (typeof now !== 'number' || !Number.isFinite(now)) {
    throw new ConfigurationError('now', 'must be a finite number: Unix milliseconds', { given: now });
  }
}

/** The timestamp as signed, in any of the forms that services write. */
function timestampOf(values: readonly unknown[]): string {
  const value = only(values, deliveryHeaders.timestamp, 'timestamp_missing', 'timestamp_malformed');
  if (timestampMs(value) === undefined) {
    throw malformed(
      'timestamp_malformed',
      deliveryHeaders.timestamp,
      'Unix seconds or milliseconds, or ISO 8601 with a zone',
    );
  }
  return value;
}

/** Unix seconds reach this number in the year 5138, Unix milliseconds reached it in 1973. */
const FIRST_MS = 1e11;
/** The same limit between milliseconds and microseconds. */
const FIRST_MICROSECONDS = 1e14;

/**
 * Unix ms of a timestamp: Unix seconds, also with decimals, Unix milliseconds or microseconds, or ISO 8601 with a zone, as PHP writes
 * it: `+0530`, or a space for the T.
 */
function timestampMs(text: string): number | undefined {
  if (/^(?:0|[1-9]\d{0,15})(?:\.\d{1,9})?$/.test(text)) {
    const number = Number(text);
    if (number >= FIRST_MICROSECONDS) return number / 1000;
    return number < FIRST_MS ? number * 1000 : number;
  }
  const iso = text.replace(/^(\S+) (\d)/, '$1T$2').replace(/([+-]\d{2})(\d{2})$/, '$1:$2');
  const at = patterns.dateTime.test(iso) ? Date.parse(iso) : Number.NaN;
  return Number.isFinite(at) ? at : undefined;
}

/** A service that rotates its secret may sign a delivery with both. */
const MOST_SIGNATURES = 8;

/** The signatures of a delivery: one, or several in one header, separated by commas or white space. */
function digestsOf(values: readonly unknown[]): readonly string[] {
  const name = deliveryHeaders.signature;
  const value = only(joined(values), name, 'signature_missing', 'signature_malformed');
  const signatures = value.trim().split(/[\s,]+/);
  const isSignature = (text: string) => /^v1=[0-9a-f]{64}$/.test(text);
  if (signatures.length > MOST_SIGNATURES || !signatures.every(isSignature)) {
    throw malformed('signature_malformed', name, '"v1=" and 64 lowercase hex digits, or several of these');
  }
  return signatures.map((text) => text.slice('v1='.length));
}

/** Node gives a header that came several times as one text or as a list. */
function joined(values: readonly unknown[]): readonly unknown[] {
  return values.length > 1 && values.every((value) => typeof value === 'string')
    ? [values.join(',')]
    : values;
}

function only(
  values: readonly unknown[],
  name: string,
  ifMissing: WebhookRefusal,
  ifMalformed: WebhookRefusal,
): string {
  const [value] = values;
  if (value === undefined) {
    throw new WebhookVerificationError(
      ifMissing,
      `The delivery has no ${name} header.`,
      'Pass the headers of the request as received. If you do, the service did not send this delivery.',
    );
  }
  if (values.length > 1) throw malformed(ifMalformed, name, 'given only once');
  if (typeof value !== 'string') throw malformed(ifMalformed, name, 'a string');
  return value;
}

function malformed(reason: WebhookRefusal, name: string, expected: string): WebhookVerificationError {
  return new WebhookVerificationError(
    reason,
    `The ${name} header is not ${expected}.`,
    'Refuse the delivery; if the service sent it, look for a proxy that changes headers.',
  );
}

function mismatch(secrets: readonly string[], wasText: boolean): WebhookVerificationError {
  const hints = [
    'Check that the secret belongs to this subscription, and that the body is the bytes as received.',
  ];
  for (const [index, secret] of secrets.entries()) {
    if (secret !== secret.trim()) {
      hints.push(`Secret ${index} begins or ends with white space: a stray newline from copying?`);
    }
  }
  if (wasText) hints.push('The body is a string, which may have lost bytes: pass the bytes as received.');
  return new WebhookVerificationError(
    'signature_mismatch',
    `The signature does not match this body under ${secrets.length === 1 ? 'the secret' : `any of ${secrets.length} secrets`}.`,
    hints.join(' '),
  );
}

function checkAge(ageMs: number, tolerance: number): void {
  if (Math.abs(ageMs) <= tolerance) return;
  throw new WebhookVerificationError(
    ageMs > 0 ? 'timestamp_too_old' : 'timestamp_too_new',
    `The delivery is correctly signed, but ${Math.abs(ageMs)} ms ${ageMs > 0 ? 'old' : 'ahead'}; ${tolerance} ms are allowed.`,
    'Check the clock of this machine; if it is right, refuse the delivery as a replay.',
  );
}

/**
 * Checks the secrets of a receiver and returns them as a list. White space around a secret is kept; a mismatch error
 * mentions it.
 *
 * @throws ConfigurationError if there is no secret, or one is not a string, blank, or not well-formed Unicode.
 */
export function secretsOf(secrets: string | readonly string[]): readonly string[] {
  if (!Array.isArray(secrets)) return [usable(secrets, 'secrets')];
  if (secrets.length === 0) throw new ConfigurationError('secrets', 'must hold at least one secret');
  return Array.from(secrets, (secret: unknown, index) => usable(secret, `secrets[${index}]`));
}

function usable(secret: unknown, option: string): string {
  if (secret === undefined) {
    const problem = 'is missing: it is undefined, so a variable or setting may not be set';
    throw new ConfigurationError(option, problem);
  }
  if (typeof secret !== 'string') throw new ConfigurationError(option, 'must be a string');
  if (secret.trim() === '') throw new ConfigurationError(option, 'must not be empty or blank');
  if (/\p{Cs}/u.test(secret)) throw new ConfigurationError(option, 'contains a lone surrogate');
  return secret;
}

/**
 * Compares two hex digests in constant time: every character is read, and no branch depends on one.
 */
export function equalDigests(expected: string, received: string): boolean {
  let difference = expected.length ^ received.length;
  for (let index = 0; index < expected.length; index += 1) {
    difference |= expected.charCodeAt(index) ^ received.charCodeAt(index);
  }
  return difference === 0;
}
