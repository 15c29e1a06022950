import { API_PREFIX } from '../api/formats.js';
import { isFile, knownWithoutFile } from '../core/request/raw.js';
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
 * Reads the path and query of a URL from a reply (a photo, a document). The caller requests them from the configured
 * origin, so nothing is signed for or sent to another host.
 *
 * A URL under the client's base URL can have any path except one known not to be a file: otherwise an injected URL
 * could read bids and sales. A URL with another root must have the path of a media or download route: behind a gateway, a
 * service often writes the wrong scheme, host, port or front controller. Not all file URLs are documented (unknowns:
 * `media-url-forms`).
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
  const [, scheme, host = '', port, target = ''] = absolute.exec(url) ?? [];
  const [whole = '', query, ...rest] = target.split('?');
  const isOwn =
    scheme !== undefined && originOf(scheme, host, port) === origin && whole.startsWith(`${base}/`);
  const path = isOwn ? whole.slice(base.length) : pathUnderOtherRoot(whole);
  if (path === undefined) {
    throw invalidUrl(
      `must begin with ${origin}${base}/, or be http or https and end in the path of a photo or document: ` +
        'no other URL is signed',
    );
  }
  if (rest.length > 0) throw invalidUrl('must hold one query at the most');
  // Percent-encoding isn't needed by any id of the service, and is where two parsers would differ.
  if (!isPlainPath(path)) {
    throw invalidUrl(
      'must have a path of plain segments: letters, digits, ".", "_", "~" and "-", none "." or ".."',
    );
  }
  const other = knownWithoutFile(path);
  if (other !== undefined) {
    throw invalidUrl(
      `must be the URL of a file, from images, documents or download_url: this one belongs to ${other}, which answers none`,
    );
  }
  return { path, query: query === undefined ? {} : queryOf(query) };
}

/** The path after `/api/v1` of a file whose URL has another root, such as `/index.php/api/v1/documents/doc_1`. */
function pathUnderOtherRoot(whole: string): string | undefined {
  const start = whole.lastIndexOf(`${API_PREFIX}/`);
  if (start === -1 || !isPlainPath(whole)) return undefined;
  const path = whole.slice(start + API_PREFIX.length);
  return isFile(path) ? path : undefined;
}

function isPlainPath(path: string): boolean {
  return (
    /^(?:\/[A-Za-z0-9._~-]+)+$/.test(path) && !path.split('/').some((part) => part === '.' || part === '..')
  );
}

/** Scheme, host, port and the rest of a plain URL; a path alone has none of the first three. */
const absolute = /^(?:(https?):\/\/([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([1-9]\d{0,4}))?)?(\/.*)$/s;

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
