/**
 * Tells whether an error of a fetch arose before any byte of the request could leave. It must be certain: every
 * reason along the causes, and of every address that was tried, has to be of that kind.
 */
export function aroseBeforeFirstByte(error: unknown): boolean {
  try {
    return allReasonsAreEarly(error, DEPTH);
  } catch {
    // A property of a stranger's error may throw when it is read.
    return false;
  }
}

const DEPTH = 8;

function allReasonsAreEarly(error: unknown, depth: number): boolean {
  if (typeof error !== 'object' || error === null || depth === 0) return false;
  const { code, syscall, cause, errors }: Partial<Record<'code' | 'syscall' | 'cause' | 'errors', unknown>> =
    error;
  const inner: unknown[] = [
    ...(cause === undefined ? [] : [cause]),
    ...(Array.isArray(errors) ? errors : []),
  ];
  if (code === undefined && inner.length === 0) return false;
  const early = code === undefined || isEarly(code) || syscall === 'connect' || syscall === 'getaddrinfo';
  return early && inner.every((reason) => allReasonsAreEarly(reason, depth - 1));
}

function isEarly(code: unknown): boolean {
  return typeof code === 'string' && earlyCodes.has(code);
}

/**
 * What refuses a server's certificate is certain with Node's fetch: the certificate is checked during the handshake,
 * and nothing is written before that has succeeded. The server's alerts (`ERR_SSL_…`, about a certificate of ours,
 * say) aren't: TLS 1.3 lets the client write before they come. A reset while connecting looks like any other reset.
 */
const earlyCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERROR_IN_CERT_NOT_AFTER_FIELD',
  'ERROR_IN_CERT_NOT_BEFORE_FIELD',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
