import type { ConnectionReason } from '../../errors/connection.js';
import { isError } from '../../errors/thrown.js';

/** Why a connection failed, and what to do about it. */

/** The cause of a failed connection, as plain data. */
export interface ConnectionFacts {
  readonly reason: ConnectionReason;
  /** The error code of the runtime, such as `ENOTFOUND`; empty if there is none. */
  readonly code: string;
}

export function connectionFacts(origin: string, sent: 'no' | 'maybe', cause: unknown): ConnectionFacts {
  const code = codeOf(cause);
  const isCut = sent === 'no' && origin.startsWith('https:') && isCutHandshake(cause);
  return { reason: isCut ? 'tls' : connectionReason(cause, code), code };
}

/** True if the other side reset or closed an open socket without an alert, for a request that was not sent. */
function isCutHandshake(cause: unknown): boolean {
  const { code, syscall, message } = Object(cause);
  return code === 'ECONNRESET' && (syscall === 'read' || /before secure TLS connection/.test(message));
}

function connectionReason(cause: unknown, code: string): ConnectionReason {
  if (isTlsFailure(cause)) return 'tls';
  if (isError(cause) && cause.name === 'ProxyFailure') return 'proxy';
  return connectionReasons[code] ?? 'connection';
}

const connectionReasons: Readonly<Record<string, ConnectionReason>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ECONNREFUSED: 'refused',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  UND_ERR_HEADERS_OVERFLOW: 'headers_too_large',
};

const checkNetwork = 'Check the network and the base URL, then call again.';

const connectionSteps: Readonly<Record<Exclude<ConnectionReason, 'tls'>, string>> = {
  dns: 'Check the host name in the base URL, and name resolution on this machine, then call again.',
  refused: 'Check the host and port in the base URL, then call again.',
  connect_timeout: 'Check the network and any firewall between here and the service, then call again.',
  proxy: 'Check the option proxy, its user name and password, then call again.',
  body_unreadable: checkNetwork,
  headers_too_large:
    'Find out what adds them (a proxy, cookies), or raise the option maxHeaderSize, then call again.',
  connection: checkNetwork,
};

/** What to do about a connection that failed. */
export function connectionStep({ reason, code }: ConnectionFacts): string {
  if (code === 'EADDRNOTAVAIL')
    return 'Check that localAddress is an address of this machine, then call again.';
  return reason === 'tls' ? tlsStep(code) : connectionSteps[reason];
}

/** What to do about a secure connection that failed with this code. */
function tlsStep(code: string): string {
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return 'Check the clock of this machine; if it is right, the service needs a new certificate.';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'Check the host in the base URL: the certificate belongs to another one.';
  if (/ALERT_.*(CERTIFICATE|UNKNOWN_CA)|HANDSHAKE_FAILURE/.test(code))
    return 'Give the client certificate that the service has approved, as tls.cert and tls.key or tls.pfx.';
  if (/^(ERR_SSL_|EPROTO)/.test(code))
    return 'Check that the base URL names an https port of the service, not an http one.';
  if (code === 'ECONNRESET')
    return 'Check that the base URL names an https port of the service and that no firewall cuts it off, then call again.';
  return 'Check that the base URL names the service; for a private certificate authority, set tls.ca.';
}

/** Whether a connection failed over TLS: trying again cannot help. */
export function isTlsFailure(cause: unknown): boolean {
  const code = codeOf(cause);
  return /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|ERROR_IN_CERT_|INVALID_CA|EPROTO)/.test(
    code,
  );
}

/** The error code of a failure, or of its cause; empty if there is none. */
export function codeOf(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null) return '';
  const code: unknown = Reflect.get(cause, 'code');
  if (typeof code === 'string' && code !== '') return code;
  const inner: unknown = Reflect.get(cause, 'cause');
  return inner === cause ? '' : codeOf(inner);
}
