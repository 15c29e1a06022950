import { API_PREFIX } from '../api/formats.js';
import type { Route } from '../api/operation.js';
import type { RequestBody } from '../core/request/body.js';
import type { CallDefaults, PreparedCall } from '../core/request/prepare.js';
import { rawCall } from '../core/request/raw.js';
import { fileContentBrand } from '../ports/file-content.js';
import { routes } from '../routes/all.js';
import type { Digests } from '../signing/signer.js';
import type { IntentBody, Target } from './content.js';

/** The bytes of a call as they are recorded, and the call made of them again. */

/** What a call sends, without its bytes. */
export function targetOf({ route, signedPath, canonicalQuery }: PreparedCall, body: RequestBody): Target {
  const recorded = bodyRecord(body);
  return {
    operation: route.id,
    method: route.method === 'GET' ? 'POST' : route.method,
    path: signedPath,
    query: canonicalQuery,
    sha256: body.sha256,
    length: body.length,
    versioned: route.versionFrom !== undefined || hasVersion(recorded),
  };
}

/** Raw calls have no schema that says so. */
function hasVersion({ text, file }: IntentBody): boolean {
  const fields: unknown = JSON.parse(text ?? `${file?.before ?? ''}${file?.after ?? ''}`);
  return typeof fields === 'object' && fields !== null && 'expected_version' in fields;
}

/** The bytes as their text, or as the file in them and the JSON around it. */
export function bodyRecord({ file, open }: RequestBody): IntentBody {
  if (file !== undefined) {
    const { path, before, after } = file;
    return { file: { path, before: textOf(before), after: textOf(after) } };
  }
  const bytes = open();
  // Only a body with a file in it is read piece by piece.
  return bytes instanceof Uint8Array ? { text: textOf(bytes) } : {};
}

/** The same bytes again; undefined where they can no longer be read, such as a file that changed. */
export async function recordedBody(
  body: IntentBody | undefined,
  { sha256, length }: Target,
  digests: Digests,
  signal: AbortSignal,
): Promise<RequestBody | undefined> {
  const again = await readAgain(body, digests, signal).catch(() => undefined);
  return again?.sha256 === sha256 && again.length === length ? again : undefined;
}

async function readAgain(
  body: IntentBody | undefined,
  digests: Digests,
  signal: AbortSignal,
): Promise<RequestBody | undefined> {
  const encoder = new TextEncoder();
  if (body?.text !== undefined) {
    const bytes = encoder.encode(body.text);
    return { length: bytes.length, sha256: digests.sha256Hex(bytes), open: () => bytes.slice() };
  }
  if (body?.file === undefined) return undefined;
  const { path, before, after } = body.file;
  const { fileBody } = await import('../core/request/file-body.js');
  const frame = { before: encoder.encode(before), after: encoder.encode(after) };
  return fileBody({ path, [fileContentBrand]: true }, frame, signal);
}

/** The call of an intent, to be made again with the same bytes. */
export function recordedCall(
  key: string,
  target: Target,
  body: RequestBody,
  { origin, prefix }: Pick<CallDefaults, 'origin' | 'prefix'>,
): PreparedCall {
  const { path, query } = target;
  return {
    route: routeOf(target),
    signedPath: path,
    canonicalQuery: query,
    wireMethod: 'POST',
    origin,
    wirePath: prefix + path + (query === '' ? '' : `?${query}`),
    body,
    idempotencyKey: key,
  };
}

/** The operation of an intent; one that has no method is a raw call again. */
export function routeOf({ operation, method, path }: Pick<Target, 'operation' | 'method' | 'path'>): Route {
  const known = routes.find((route) => route.id === operation && route.method === method);
  if (known !== undefined) return known;
  return rawCall({ method, path: decodeURIComponent(path.slice(API_PREFIX.length)) }, 'raw').route;
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
