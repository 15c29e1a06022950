import { API_PREFIX } from '../api/formats.js';
import { knownWithoutFile } from '../core/request/raw.js';
import { InvalidRequestError } from '../errors/local.js';

/** Address of the service: scheme, host, port, and the path before `/api/v1`. */
export interface ServiceAddress {
  readonly origin: string;
  readonly prefix: string;
}

export interface ServicePath {
  /** Path after `/api/v1`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Longest URL: more than the service needs, and less than servers refuse. */
const MAX_URL_CHARS = 4_096;

/**
 * Parses a URL from a reply (a photo, a document), if it belongs to the configured service. No other URL
 * is ever signed: a signature sent to another host lets that host make the request. Not all file URLs are documented
 * (unknowns: `media-url-forms`), so an unknown path passes. A path known not to be a file is refused: otherwise an
 * injected URL could read bids and sales.
 *
 * Compares the text of the URL, not its parsed form, because parsers accept backslashes, tabs, user names and encoded
 * dots.
 *
 * @throws InvalidRequestError without showing the URL.
 */
export function filePathOf(url: unknown, { origin, prefix }: ServiceAddress): ServicePath {
  if (typeof url !== 'string') throw invalidUrl('must be a string');
  if (url.length > MAX_URL_CHARS) throw invalidUrl(`must have at most ${MAX_URL_CHARS} characters`);
  const base = `${prefix}${API_PREFIX}`;
  const [, scheme = '', host = '', port, target = ''] = absolute.exec(url) ?? [];
  if (originOf(scheme, host, port) !== origin || !target.startsWith(`${base}/`)) {
    throw invalidUrl(`must begin with ${origin}${base}/: only URLs of the configured service are signed`);
  }
  const [path = '', query, ...rest] = target.slice(base.length).split('?');
  if (rest.length > 0) throw invalidUrl('must hold one query at the most');
  // Percent-encoding isn't needed by any id of the service, and is where two parsers would differ.
  if (
    !/^(?:\/[A-Za-z0-9._~-]+)+$/.test(path) ||
    path.split('/').some((part) => part === '.' || part === '..')
  ) {
    throw invalidUrl(
      'must have a path of plain segments: letters, digits, ".", "_", "~" and "-", none "." or ".."',
    );
  }
  const other = knownWithoutFile(path);
  if (other !== undefined) {
    throw invalidUrl(
      `must be that of a file, from images, documents or download_url: this one is of ${other}, which answers none`,
    );
  }
  return { path, query: query === undefined ? {} : queryOf(query) };
}

/** Scheme, host, port and the rest of a plain URL. */
const absolute = /^(https?):\/\/([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::([1-9]\d{0,4}))?(\/.*)$/s;

/** Normalises an origin as parsers do: lower case, and without the default port. */
function originOf(scheme: string, host: string, port: string | undefined): string {
  const isDefault = port === undefined || port === (scheme === 'https' ? '443' : '80');
  return `${scheme}://${host.toLowerCase()}${isDefault ? '' : `:${port}`}`;
}

function queryOf(text: string): Record<string, string> {
  const pairs = text.split('&').map((pair) => /^([A-Za-z0-9._~-]+)=([A-Za-z0-9._~-]*)$/.exec(pair));
  const entries = pairs.flatMap((match) =>
    match?.[1] === undefined ? [] : [[match[1], match[2] ?? ''] as const],
  );
  if (entries.length !== pairs.length || new Set(entries.map(([name]) => name)).size !== entries.length) {
    throw invalidUrl('must have a query of plain name=value pairs, each name once');
  }
  return Object.fromEntries(entries);
}

function invalidUrl(message: string): InvalidRequestError {
  return new InvalidRequestError([{ path: 'url', message }], {
    call: 'media.download',
    operation: 'media.download',
  });
}
