import type { Effect } from '../../api/operation.js';
import { isObject } from './reply.js';

/** An error reply of the service, in whichever of its three shapes it came (Errors, Shapes). */
export interface ErrorReply {
  /** `foreign`: none of the three, so perhaps not the service at all. */
  readonly shape: 'application' | 'framework' | 'message' | 'foreign';
  readonly message: string | undefined;
  /** Every code, the first reason first. */
  readonly codes: readonly string[];
  readonly fieldErrors: Readonly<Record<string, readonly string[]>>;
  readonly requestId: string | undefined;
  /** The bid record of a recorded rejection; null or undefined otherwise. */
  readonly data: unknown;
  /** True where an error status comes with words of success: it contradicts itself. */
  readonly saysAccepted: boolean;
}

/** Reads an error out of a reply's JSON. */
export function errorReply(json: unknown): ErrorReply {
  const none = {
    message: undefined,
    codes: [],
    fieldErrors: {},
    requestId: undefined,
    data: undefined,
    saysAccepted: false,
  };
  if (!isObject(json)) return { ...none, shape: 'foreign' };
  const message = textOf(json['message']);
  const data = json['data'];
  const status = isObject(data) ? data['status'] : undefined;
  const saysAccepted = json['success'] === true || json['code'] === 'BID_ACCEPTED' || status === 'accepted';
  if (typeof json['code'] === 'string' || json['success'] === false || status === 'rejected') {
    const code = textOf(json['code']);
    const listed = (Array.isArray(json['errors']) ? json['errors'] : [])
      .slice(0, LIST_CAP)
      .map(textOf)
      .filter((one) => one !== undefined);
    const codes = [...new Set(code === undefined || listed.includes(code) ? listed : [code, ...listed])];
    return {
      ...none,
      shape: 'application',
      message,
      codes,
      requestId: textOf(json['request_id']),
      data,
      saysAccepted,
    };
  }
  if (message === undefined) return { ...none, shape: 'foreign', saysAccepted };
  if (isObject(json['errors']))
    return {
      ...none,
      shape: 'framework',
      message,
      fieldErrors: messagesByField(json['errors']),
      saysAccepted,
    };
  return { ...none, shape: 'message', message, saysAccepted };
}

/**
 * True where the key is stored for other content. The text lets that arrive as a message, whose words it does not
 * show (unknowns: `idempotency-conflict-message`): one that names idempotency is taken for it.
 */
export function isIdempotencyConflict(effect: Effect, status: number, error: ErrorReply): boolean {
  if (error.codes.includes('IDEMPOTENCY_CONFLICT')) return true;
  if (status !== 409 || error.codes.length > 0 || error.shape === 'foreign') return false;
  return effect !== 'read' && /idempoten/i.test(error.message ?? '');
}

/** A version conflict has no documented code (Errors, Codes): it is read from what the reply names. */
export function isVersionConflict(status: number, error: ErrorReply): boolean {
  if (status !== 409 && status !== 412 && status !== 422) return false;
  if (error.codes.some((code) => code.includes('VERSION'))) return true;
  if (status === 422) return Object.hasOwn(error.fieldErrors, 'expected_version');
  return /\bversion\b/i.test(error.message ?? '');
}

function messagesByField(errors: Readonly<Record<string, unknown>>): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(errors)
      .slice(0, LIST_CAP)
      .map(([field, messages]) => [
        textOf(field) ?? '',
        (Array.isArray(messages) ? messages.slice(0, LIST_CAP) : [messages])
          .map(textOf)
          .filter((message) => message !== undefined),
      ]),
  );
}

const TEXT_CAP = 500;

/** More codes, fields or messages than any reply of the service has; the rest of a hostile one is not read. */
const LIST_CAP = 100;

/** Text of the service, bounded and on one line. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = value.slice(0, TEXT_CAP).replace(/\p{Cc}+/gu, ' ');
  return value.length > TEXT_CAP ? `${line}…` : line;
}
