/** JSON, as the document is written. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** All six headers together, on every request. */
export const security: Json = [
  { clientId: [], keyId: [], timestamp: [], nonce: [], contentSha256: [], signature: [] },
];

/** The six headers that sign a request (Authentication, Headers). */
export function securitySchemes(): Json {
  const header = (name: string, description: string): Json => ({
    type: 'apiKey',
    in: 'header',
    name,
    description,
  });
  return {
    clientId: header('X-Client-ID', 'Client id that the bank issued for the environment.'),
    keyId: header('X-Key-ID', 'Key id that belongs to the client.'),
    timestamp: header('X-Timestamp', 'Unix seconds, within 300 of server time.'),
    nonce: header('X-Nonce', '16 to 128 letters, digits, `_` or `-`; fresh for every attempt.'),
    contentSha256: header(
      'X-Content-SHA256',
      'SHA-256 of the body as it is sent, in lower-case hex; of no bytes where there is none.',
    ),
    signature: header(
      'X-Signature',
      'HMAC-SHA256 of effective method, path, sorted query, timestamp, nonce and body digest, a line each, in lower-case hex.',
    ),
  };
}

/** The three shapes of an error (Errors, Shapes). */
export function errorSchemas(): Record<string, Json> {
  const codesArray: Json = { type: 'array', items: { type: 'string' } };
  const text: Json = { type: 'string' };
  return {
    ApplicationError: {
      type: 'object',
      description: 'Bid, authentication and access failures; `errors` holds every reason.',
      required: ['success', 'code'],
      properties: {
        success: { const: false },
        code: text,
        message: text,
        data: { type: ['object', 'null'] },
        errors: codesArray,
        request_id: text,
        timestamp: text,
      },
    },
    FieldError: {
      type: 'object',
      description: 'Invalid fields, with messages by field.',
      required: ['message', 'errors'],
      properties: { message: text, errors: { type: 'object', additionalProperties: codesArray } },
    },
    MessageError: {
      type: 'object',
      description: 'Generic failures.',
      required: ['message'],
      properties: { message: text },
    },
    AnyError: {
      anyOf: ['ApplicationError', 'FieldError', 'MessageError'].map((name) => ({
        $ref: `#/components/schemas/${name}`,
      })),
    },
  };
}
