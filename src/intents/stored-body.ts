import type { RequestBody } from '../core/body.js';
import { fileContentBrand } from '../ports/file-content.js';
import type { Digests } from '../signing/digest-port.js';
import type { Intent, IntentBody } from './intent.js';

/** How a body is written down: as the text that its bytes are, or by the file in it. */
export function bodyRecord({ sha256, length, file, open }: RequestBody): IntentBody {
  if (file !== undefined) {
    const { path, before, after } = file;
    return { sha256, length, file: { path, before: textOf(before), after: textOf(after) } };
  }
  const bytes = open();
  // Only a body with a file in it is read piece by piece.
  return bytes instanceof Uint8Array ? { sha256, length, text: textOf(bytes) } : { sha256, length };
}

/** The very bytes again; `changed` where they can no longer be had. */
export async function storedBody(
  { body }: Intent,
  digests: Digests,
  signal: AbortSignal,
): Promise<RequestBody | 'changed'> {
  const again = await bodyAgain(body, digests, signal).catch(() => undefined);
  return again?.sha256 === body.sha256 && again.length === body.length ? again : 'changed';
}

async function bodyAgain(
  body: IntentBody,
  digests: Digests,
  signal: AbortSignal,
): Promise<RequestBody | undefined> {
  const encoder = new TextEncoder();
  if (body.text !== undefined) {
    const bytes = encoder.encode(body.text);
    return { length: bytes.length, sha256: digests.sha256Hex(bytes), open: () => bytes.slice() };
  }
  if (body.file === undefined) return undefined;
  const { path, before, after } = body.file;
  const { fileBody } = await import('../core/file-body.js');
  const frame = { before: encoder.encode(before), after: encoder.encode(after) };
  return fileBody({ path, [fileContentBrand]: true }, frame, signal);
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
