import { API_PREFIX } from '../api/common.js';
import { ConfigurationError } from '../errors/local.js';

export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** What precedes `/api/v1`: empty, or a front-controller segment such as `/index.php`. */
  readonly prefix: string;
}

/** @throws ConfigurationError for anything but an https URL (http on loopback) that ends in `/api/v1`. */
export function parseBaseUrl(value: unknown): BaseUrl {
  if (typeof value === 'string' && value !== value.trim())
    throw refused('must not begin or end with white space');
  // Parsers forgive backslashes, tabs and a third slash; what they make of them need not be what was meant.
  const plain = typeof value === 'string' && /^https?:\/\/[^/\\\s\p{Cc}][^\\\s\p{Cc}]*$/iu.test(value);
  const url = plain ? tryParse(value) : undefined;
  if (url === undefined) throw refused('must be an absolute URL such as https://bank.example/api/v1');
  if (url.username !== '' || url.password !== '') throw refused('must not hold a user name or password');
  if (url.search !== '' || url.hash !== '' || String(value).includes('?') || String(value).includes('#')) {
    throw refused('must not hold a query or a fragment');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw refused('must be https: the service refuses plain http, and only loopback is excepted');
  }
  const path = url.pathname.replace(/\/$/, '');
  if (!path.endsWith(API_PREFIX)) {
    throw refused(
      `must end in ${API_PREFIX}, as in ${url.origin}${path.replace(/\/api(\/v\d+)?$/, '')}${API_PREFIX}`,
    );
  }
  if (path.includes('%') || path.includes('//')) throw refused('must not hold "%" or "//" in its path');
  return { origin: url.origin, prefix: path.slice(0, -API_PREFIX.length) };
}

function tryParse(value: string): URL | undefined {
  try {
    return new URL(value);
  } catch {
    return undefined;
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function refused(problem: string): ConfigurationError {
  return new ConfigurationError('baseUrl', problem);
}
