import { createHash } from 'node:crypto';
import { filledText } from '../../api/common.js';
import { documents } from '../../api/documents.js';
import type { Call } from '../call.js';
import { mediaTypeOf } from '../file-types.js';
import { unfit } from './commands.js';

const { body } = documents.operations.upload;

/** The body of A72, with the base64 that it takes (unknowns: `document-base64-form`). */
export function uploadBody({ world }: Call): typeof body {
  return world.settings.variants['document-base64-form'] === 'standard' ? body : lenientBody;
}

/** The bytes of base64 that was checked. */
export function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}

/** What a receiver may save the file as: a name, never a path. */
export function mustBeFileName(name: string): void {
  if (/[/\\\p{Cc}]/u.test(name) || name === '.' || name === '..') {
    throw unfit('filename', 'The filename is a name without a path and without control characters.');
  }
  if ([...name].length > longestName) {
    throw unfit('filename', `The filename has at most ${longestName} characters.`);
  }
}

/** Refuses, where the row `document-upload-bounds` has bounds, a file beyond them. */
export function mustBeInBounds({ world }: Call, content: Uint8Array): void {
  if (world.settings.variants['document-upload-bounds'] === 'unbounded') return;
  if (content.length > mostBytes) throw unfit('content_base64', `The file has at most ${mostBytes} bytes.`);
  // By its bytes alone: what it is called proves nothing.
  if (!evidenceTypes.includes(mediaTypeOf(content, ''))) {
    throw unfit('content_base64', 'The file is a PDF, a PNG or a JPEG.');
  }
}

/** The SHA-256 of a file, as it is answered (unknowns: `document-digest-encoding`). */
export function digestOf({ world }: Call, content: Uint8Array): string {
  const digest = createHash('sha256').update(content).digest();
  const encoding = world.settings.variants['document-digest-encoding'];
  if (encoding === 'base64') return digest.toString('base64');
  return `${encoding === 'prefixed' ? 'sha256:' : ''}${digest.toString('hex')}`;
}

/** The alphabet of URLs too, with padding or without, in lines or in one. */
const lenientBody = body.extend({
  content_base64: filledText.refine(
    (text) => {
      const digits = text.replace(/\s/g, '');
      return /^[A-Za-z0-9+/_-]+={0,2}$/.test(digits) && digits.replace(/=/g, '').length % 4 !== 1;
    },
    { error: 'must be the base64 of a file that is not empty' },
  ),
});

const longestName = 255;
const mostBytes = 10_485_760;
const evidenceTypes = ['application/pdf', 'image/png', 'image/jpeg'];
