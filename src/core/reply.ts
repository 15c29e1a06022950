/** A JSON reply that was read to its end, before anyone says what it means. */
export interface Reply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body; undefined where it isn't JSON. */
  readonly json: unknown;
}

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
}

/** Reads an error out of a reply's JSON. */
export function errorReply(json: unknown): ErrorReply {
  const none = { message: undefined, codes: [], fieldErrors: {}, requestId: undefined, data: undefined };
  if (!isObject(json)) return { ...none, shape: 'foreign' };
  const message = textOf(json['message']);
  if (typeof json['code'] === 'string') {
    const listed = Array.isArray(json['errors'])
      ? json['errors'].filter((code) => typeof code === 'string')
      : [];
    const codes = [...new Set([...(listed.includes(json['code']) ? [] : [json['code']]), ...listed])];
    return {
      ...none,
      shape: 'application',
      message,
      codes,
      requestId: textOf(json['request_id']),
      data: json['data'],
    };
  }
  if (message === undefined) return { ...none, shape: 'foreign' };
  if (isObject(json['errors']))
    return { ...none, shape: 'framework', message, fieldErrors: messagesByField(json['errors']) };
  // The text lets this one code arrive as a message.
  const codes = /\bIDEMPOTENCY_CONFLICT\b/.test(message) ? ['IDEMPOTENCY_CONFLICT'] : [];
  return { ...none, shape: 'message', message, codes };
}

/** True where the reply says that a bid was judged and its rejection recorded. */
export function isRecordedRejection(error: ErrorReply): boolean {
  return isObject(error.data) && error.data['status'] === 'rejected';
}

/** A version conflict has no documented code (Errors, Codes): it is read from what the reply names. */
export function isVersionConflict(status: number, error: ErrorReply): boolean {
  if (error.codes.some((code) => code.includes('VERSION'))) return true;
  if (status === 422) return 'expected_version' in error.fieldErrors;
  return (status === 409 || status === 412) && /version/i.test(error.message ?? '');
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One value of a header; the first where it was repeated. */
export function headerOf(headers: Reply['headers'], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function messagesByField(errors: Readonly<Record<string, unknown>>): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(errors).map(([field, messages]) => [
      field,
      (Array.isArray(messages) ? messages : [messages]).filter((message) => typeof message === 'string'),
    ]),
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
