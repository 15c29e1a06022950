import { canonicalQuery, type QueryInput } from './query.js';

/** What is signed, before digests (Authentication, Canonical string). */
export interface CanonicalParts {
  /** The effective method: PATCH or PUT where `_method` says so. */
  readonly method: string;
  /** The `/api/v1/…` path, exactly as sent after any front-controller segment; taken as it is. */
  readonly path: string;
  readonly query?: QueryInput;
  /** Unix seconds. */
  readonly timestamp: number | string;
  readonly nonce: string;
  /** Lowercase hex SHA-256 of the exact body bytes. */
  readonly bodySha256: string;
}

/** The six lines of the canonical request, without a trailing line feed. */
export function canonicalRequest(parts: CanonicalParts): string {
  return canonicalLines({ ...parts, canonicalQuery: canonicalQuery(parts.query) });
}

/** The same, for a query that is already canonical. */
export function canonicalLines(
  parts: Omit<CanonicalParts, 'query'> & { readonly canonicalQuery: string },
): string {
  return `${parts.method.toUpperCase()}\n${parts.path}\n${parts.canonicalQuery}\n${parts.timestamp}\n${parts.nonce}\n${parts.bodySha256}`;
}

/** The part of a URL path that is signed: from `/api/v1` on, whatever front-controller segment precedes it. */
export function signedPathOf(urlPath: string): string | undefined {
  const match = /\/api\/v1(?=\/|$)/.exec(urlPath);
  return match === null ? undefined : urlPath.slice(match.index);
}
