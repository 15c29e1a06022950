import { ConfigurationError } from '../errors/local.js';
import { type WebhookRefusal, WebhookVerificationError } from '../errors/webhook.js';
import { hmacSha256Hex } from '../signing/digest.js';
import { bytesOf, deliveryHeaders, deliveryValues, type HeaderSource, type RawBody } from './delivery.js';

/** How deliveries are judged. */
export interface WebhookVerificationOptions {
  /** The subscription secret; while one replaces another, both. */
  readonly secrets: string | readonly string[];
  /** How far the delivery's timestamp may be from now, either way, in ms. Defaults to 300,000 (5 minutes). */
  readonly tolerance?: number | undefined;
  /** Now, in Unix ms, for tests. Defaults to this machine's clock. */
  readonly now?: number | undefined;
}

/** What a correct signature proves, and by which secret. */
export interface VerifiedSignature {
  /** Which of `secrets` signed the delivery, from 0. */
  readonly secretIndex: number;
  /** When the delivery was signed, Unix seconds. */
  readonly timestamp: number;
  /** Header `Service-Event-ID`, where there is one. The signature does not cover it: trust the body's `id`. */
  readonly eventId?: string;
}

/** Five minutes, the clock difference that the service itself permits. */
const DEFAULT_TOLERANCE_MS = 300_000;

/**
 * Judges the signature and the age of a delivery, over its exact bytes; the body need not be JSON (Authentication,
 * Webhook delivery signature). First the shape of what was received is checked, then the signature, then the age, so
 * that "too old" is only ever said of a delivery that the service did sign.
 *
 * @throws WebhookVerificationError for a delivery that must not be trusted; `reason` says why.
 * @throws ConfigurationError for options that can't work: no secret, a tolerance that would switch the check off.
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
  const received = digestOf(values.signature);

  // No early exit: how long this takes must not tell which secret is in use.
  const matches = secrets.map((secret) =>
    equalDigests(hmacSha256Hex(secret, `${timestamp}.`, body), received),
  );
  const secretIndex = matches.indexOf(true);
  if (secretIndex === -1) throw mismatch(secrets, typeof rawBody === 'string');
  const signedAt = Number(timestamp);
  checkAge(now - signedAt * 1000, tolerance);

  const { eventId } = values;
  if (eventId.length === 0) return { secretIndex, timestamp: signedAt };
  return { secretIndex, timestamp: signedAt, eventId: eventId.join(', ') };
}

function checkTimes(tolerance: unknown, now: unknown): void {
  if (typeof tolerance !== 'number' || !Number.isFinite(tolerance) || tolerance <= 0) {
    throw new ConfigurationError('tolerance', 'must be a positive, finite number of milliseconds');
  }
  // NaN would make every comparison of ages false, and so every delivery fresh.
  if (typeof now !== 'number' || !Number.isFinite(now)) {
    throw new ConfigurationError('now', 'must be a finite number: Unix milliseconds');
  }
}

/** The timestamp as the text that was signed: plain digits, so that no two spellings mean one time. */
function timestampOf(values: readonly unknown[]): string {
  const value = only(values, deliveryHeaders.timestamp, 'timestamp_missing', 'timestamp_malformed');
  if (!/^(?:0|[1-9]\d{0,11})$/.test(value)) {
    throw malformed('timestamp_malformed', deliveryHeaders.timestamp, 'Unix seconds in plain digits');
  }
  return value;
}

function digestOf(values: readonly unknown[]): string {
  const value = only(values, deliveryHeaders.signature, 'signature_missing', 'signature_malformed');
  if (!/^v1=[0-9a-f]{64}$/.test(value)) {
    throw malformed('signature_malformed', deliveryHeaders.signature, '"v1=" and 64 lowercase hex digits');
  }
  return value.slice('v1='.length);
}

function only(
  values: readonly unknown[],
  name: string,
  ifMissing: WebhookRefusal,
  ifOdd: WebhookRefusal,
): string {
  const [value] = values;
  if (value === undefined) {
    throw new WebhookVerificationError(
      ifMissing,
      `The delivery has no ${name} header.`,
      'Pass the headers of the request as received; if they are, the service did not send it.',
    );
  }
  if (values.length > 1) throw malformed(ifOdd, name, 'given only once');
  if (typeof value !== 'string') throw malformed(ifOdd, name, 'a string');
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
  const hints = ['Check that the secret is this subscription’s and the body the bytes as received.'];
  for (const [index, secret] of secrets.entries()) {
    if (secret !== secret.trim()) {
      hints.push(`Secret ${index} begins or ends with white space: a stray newline from copying?`);
    }
  }
  if (wasText)
    hints.push('The body was given as text, which may have lost bytes: pass the bytes themselves.');
  return new WebhookVerificationError(
    'signature_mismatch',
    `The signature is not that of this body under ${secrets.length === 1 ? 'the secret' : `any of ${secrets.length} secrets`}.`,
    hints.join(' '),
  );
}

function checkAge(ageMs: number, tolerance: number): void {
  if (Math.abs(ageMs) <= tolerance) return;
  throw new WebhookVerificationError(
    ageMs > 0 ? 'timestamp_too_old' : 'timestamp_too_new',
    `The delivery is correctly signed, but ${Math.abs(ageMs)} ms ${ageMs > 0 ? 'old' : 'ahead'}; ${tolerance} ms are allowed.`,
    'Compare this machine’s clock with true time; if it is right, refuse the delivery as a replay.',
  );
}

/**
 * The secrets of a receiver as a list, checked and never shown. White space around a secret is left alone: the
 * secret is the string that it is, and a mismatch hints at it.
 *
 * @throws ConfigurationError for none, and for one that is no string, empty, blank or not well-formed Unicode.
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
 * Whether two hex digests of one length are equal, in time that does not depend on where they differ: every
 * character is looked at, and nothing branches on one.
 */
export function equalDigests(expected: string, received: string): boolean {
  let difference = expected.length ^ received.length;
  for (let index = 0; index < expected.length; index += 1) {
    difference |= expected.charCodeAt(index) ^ received.charCodeAt(index);
  }
  return difference === 0;
}
