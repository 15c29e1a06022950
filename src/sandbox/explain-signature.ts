import { judgeSignature, type SignedRequest } from './http/signature.js';

/** A request as a log has it. */
export interface LoggedRequest {
  readonly method: string;
  /** Whole, or from the path on. */
  readonly url: string;
  /** Names in any case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The exact text that was sent. */
  readonly body?: string | undefined;
}

/** The six lines to sign, and the result of the check. */
export interface ExplainedSignature {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly digest: string;
  readonly signature: 'valid' | 'invalid';
  /** The mistake that gives the sent signature, and its fix; null for a valid one. */
  readonly mistake: string | null;
}

const UNKNOWN = 'none of the usual ones: compare these six lines with what was signed, and check the secret';

/** Checks the signature of a logged request as the service does, and repeats the usual mistakes to find the one that was made. */
export function explainLoggedSignature(logged: LoggedRequest, secret: string): ExplainedSignature {
  const verdict = judgeSignature(signedIn(logged), secret);
  const [method = '', path = '', query = '', timestamp = '', nonce = '', digest = ''] =
    verdict.canonical.split('\n');
  const lines = { method, path, query, timestamp, nonce, digest };
  if (verdict.valid) return { ...lines, signature: 'valid', mistake: null };
  return { ...lines, signature: 'invalid', mistake: verdict.hint ?? UNKNOWN };
}

/** Reads a logged request from JSON; undefined if it is none. */
export function loggedRequestIn(text: string): LoggedRequest | undefined {
  const { method, url, headers, body = '' } = Object(jsonIn(text));
  const isText = [method, url, body].every((each) => typeof each === 'string');
  return isText ? { method, url, headers: { ...headers }, body } : undefined;
}

function signedIn({ method: wireMethod, url, headers, body = '' }: LoggedRequest): SignedRequest {
  const sent = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const header = (name: string) => sent.get(name) ?? '';
  const [, host, target = ''] = /^(?:https?:\/\/([^/?]*))?(.*)$/is.exec(url) ?? [];
  const [pathname = '', wireQuery = ''] = target.split('?');
  const from = Math.max(0, pathname.indexOf('/api/v1'));
  return {
    method: tunnelledIn(body) ?? wireMethod,
    wireMethod,
    path: pathname.slice(from),
    prefix: pathname.slice(0, from),
    wireQuery,
    timestamp: header('x-timestamp'),
    nonce: header('x-nonce'),
    body: Buffer.from(body),
    claimedSha256: header('x-content-sha256'),
    signature: header('x-signature'),
    host: host ?? header('host'),
    keyId: header('x-key-id'),
  };
}

/** PATCH or PUT, if the body tunnels it. */
function tunnelledIn(body: string): string | undefined {
  const method: unknown = Object(jsonIn(body))['_method'];
  return method === 'PATCH' || method === 'PUT' ? method : undefined;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
