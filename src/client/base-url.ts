import { API_PREFIX } from '../api/formats.js';
import { ConfigurationError } from '../errors/local.js';
import { fromEnvironment, missing } from './environment.js';

export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path before `/api/v1`: empty, or a front-controller segment such as `/index.php`. */
  readonly prefix: string;
}

/** The service's address, from the options or the environment. @throws ConfigurationError */
export function resolveBaseUrl(given: string | undefined, isHttpAllowed = false): BaseUrl {
  const value = given ?? fromEnvironment('BASE_URL');
  if (value === undefined) throw missing('baseUrl', 'BASE_URL');
  return parseBaseUrl(value, isHttpAllowed);
}

/** Earlier addresses of the same service. @throws ConfigurationError */
export function resolveFormerOrigins(given: unknown, isHttpAllowed = false): readonly string[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) throw new ConfigurationError('formerOrigins', 'must be a list of base URLs');
  return given.map((url) => {
    const { origin, prefix } = parseBaseUrl(url, isHttpAllowed);
    return origin + prefix;
  });
}

/** @throws ConfigurationError for anything but an https URL (http on loopback) that ends in `/api/v1`. */
function parseBaseUrl(value: unknown, isHttpAllowed: boolean): BaseUrl {
  if (typeof value === 'string' && value !== value.trim())
    throw refusedUrl('must not begin or end with white space');
  // Parsers accept backslashes, tabs and a third slash, and may read a different address than you meant.
  const plain = typeof value === 'string' && /^https?:\/\/[^/\\\s\p{Cc}][^\\\s\p{Cc}]*$/iu.test(value);
  const url = plain && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined) throw refusedUrl('must be an absolute URL such as https://bank.example/api/v1');
  if (url.username !== '' || url.password !== '') throw refusedUrl('must not hold a user name or password');
  if (url.search !== '' || url.hash !== '' || String(value).includes('?') || String(value).includes('#')) {
    throw refusedUrl('must not hold a query or a fragment');
  }
  if (url.protocol === 'http:' && !isHttpAllowed && !isLoopback(url.hostname)) {
    throw refusedUrl(
      'must be https: the service refuses plain http, except on loopback; for a sandbox in another container, set insecureHttp',
    );
  }
  const path = url.pathname.replace(/\/$/, '');
  if (!path.endsWith(API_PREFIX)) {
    throw refusedUrl(
      `must end in ${API_PREFIX}, as in ${url.origin}${path.replace(/\/api(\/v\d+)?$/, '')}${API_PREFIX}`,
    );
  }
  if (path.includes('%') || path.includes('//')) throw refusedUrl('must not hold "%" or "//" in its path');
  return { origin: url.origin, prefix: path.slice(0, -API_PREFIX.length) };
}

/** Whether the base URL may be plain http on another machine. @throws ConfigurationError */
export function httpAllowed(given: unknown, environment: unknown): boolean {
  if (given === undefined || given === false) return false;
  if (given !== true) throw new ConfigurationError('insecureHttp', 'must be true or false', { given });
  if (environment === 'sandbox') return true;
  const problem = 'must be left out in production: anyone on the network could read and change bids';
  throw new ConfigurationError('insecureHttp', problem);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function refusedUrl(problem: string): ConfigurationError {
  return new ConfigurationError('baseUrl', problem);
}
