import { patterns } from '../api/formats.js';
import { ConfigurationError, type InputIssue, InvalidRequestError } from '../errors/local.js';
import { canonicalQuery, type QueryInput } from './query.js';
import {
  canonicalLines,
  checkHeaderId,
  checkSecret,
  hmacSha256Hex,
  type SigningCredentials,
  sha256Hex,
} from './signer.js';

/** A request that you sign and send yourself. */
export interface SignableRequest {
  /** The effective method: `PATCH` or `PUT` for a POST that carries `_method`. */
  readonly method: string;
  /** The `/api/v1/…` path exactly as it is sent, without a front-controller segment. It is not encoded or changed. */
  readonly path: string;
  readonly query?: QueryInput;
  /** The exact bytes that are sent; a string is signed as UTF-8. Empty for GET. */
  readonly body?: Uint8Array | string;
  /** Unix seconds, within 300 of server time. */
  readonly timestamp: number | string;
  /** 16 to 128 letters, digits, `_` or `-`. Use a new one for every attempt. */
  readonly nonce: string;
}

/** The six headers of a signed request (Authentication, Headers). */
export interface SignatureHeaders {
  readonly 'X-Client-ID': string;
  readonly 'X-Key-ID': string;
  readonly 'X-Timestamp': string;
  readonly 'X-Nonce': string;
  readonly 'X-Content-SHA256': string;
  readonly 'X-Signature': string;
}

export interface SignedRequest {
  readonly headers: SignatureHeaders;
  /** The query string to send after `?`, exactly as it is; empty without parameters. */
  readonly canonicalQuery: string;
}

export interface SignatureExplanation {
  /** The six lines, joined by line feeds. */
  readonly canonicalString: string;
  readonly canonicalQuery: string;
  readonly bodySha256: string;
  readonly signature: string;
}

/**
 * Signs one attempt of a request that you send yourself.
 *
 * @throws InvalidRequestError for a method, path, timestamp or nonce that the service can't accept.
 * @throws ConfigurationError for a missing id or an unusable secret.
 */
export function signRequest(request: SignableRequest & SigningCredentials): SignedRequest {
  checkSecret(request.signingSecret, 'signingSecret');
  if (
    typeof request.path === 'string' &&
    request.path.startsWith('/') &&
    !/^\/api\/v1(\/|$)/.test(request.path)
  ) {
    throw new InvalidRequestError([
      {
        path: 'path',
        message: 'must begin with /api/v1: a front-controller segment before it is sent, not signed',
      },
    ]);
  }
  checkHeaderId(request.clientId, 'clientId');
  checkHeaderId(request.keyId, 'keyId');
  const { canonicalQuery, bodySha256, signature } = explainSignature(request);
  const headers: SignatureHeaders = {
    'X-Client-ID': request.clientId,
    'X-Key-ID': request.keyId,
    'X-Timestamp': String(request.timestamp),
    'X-Nonce': request.nonce,
    'X-Content-SHA256': bodySha256,
    'X-Signature': signature,
  };
  return { headers, canonicalQuery };
}

/**
 * Shows every intermediate value of a signature, to compare with another implementation's. The secret is not checked,
 * so you can also try a wrong one, for example with a trailing newline.
 *
 * @throws InvalidRequestError for a method, path, timestamp or nonce that the service can't accept.
 * @throws ConfigurationError for a secret that is not a string, or empty.
 */
export function explainSignature(
  request: SignableRequest & { readonly signingSecret: string },
): SignatureExplanation {
  const issues = signableIssues(request);
  if (issues.length > 0) throw new InvalidRequestError(issues);
  if (typeof request.signingSecret !== 'string' || request.signingSecret === '') {
    throw new ConfigurationError('signingSecret', 'must be a non-empty string');
  }
  const { method, path, timestamp, nonce, signingSecret } = request;
  const query = canonicalQuery(request.query);
  const bodySha256 = sha256Hex(request.body ?? '');
  const canonicalString = canonicalLines({
    method,
    path,
    canonicalQuery: query,
    timestamp,
    nonce,
    bodySha256,
  });
  const signature = hmacSha256Hex(signingSecret, canonicalString);
  return { canonicalString, canonicalQuery: query, bodySha256, signature };
}

function signableIssues(request: SignableRequest): InputIssue[] {
  const issues: InputIssue[] = [];
  if (typeof request.method !== 'string' || !/^[A-Za-z]+$/.test(request.method))
    issues.push({ path: 'method', message: 'must be an HTTP method' });
  if (typeof request.path !== 'string' || !/^\/[^\s?#]*$/.test(request.path)) {
    issues.push({ path: 'path', message: 'must begin with "/" and hold no white space, "?" or "#"' });
  }
  if (!/^\d{1,12}$/.test(String(request.timestamp))) {
    issues.push({ path: 'timestamp', message: 'must be Unix seconds, a whole number' });
  }
  if (typeof request.nonce !== 'string' || !patterns.nonce.test(request.nonce)) {
    issues.push({ path: 'nonce', message: 'must be 16 to 128 letters, digits, "_" or "-"' });
  }
  const { body } = request;
  if (body !== undefined && typeof body !== 'string' && !ArrayBuffer.isView(body)) {
    issues.push({
      path: 'body',
      message: 'must be the serialised body: the exact bytes or text that is sent',
    });
  }
  return issues;
}
