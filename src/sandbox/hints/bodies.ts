import { sha256Hex } from '../canonical.js';
import type { Case, Hypothesis } from './hypothesis.js';

/** Mistakes in the last line: the digest of the body. */
export function* ofBody({ request, parts }: Case): Generator<Hypothesis> {
  const { body, claimedSha256 } = request;
  for (const text of reserialised(body)) {
    yield {
      hint: 'the body was re-serialised after signing: hash the very bytes that are sent',
      change: { bodySha256: sha256Hex(text) },
    };
  }
  const text = Buffer.from(body).toString('utf8');
  for (const ends of [
    text.trimEnd(),
    `${text}\n`,
    text.replaceAll('\r\n', '\n'),
    text.replaceAll('\n', '\r\n'),
  ]) {
    yield {
      hint: 'the body was hashed with other line ends or white space than it was sent with: hash the very bytes that are sent',
      change: { bodySha256: sha256Hex(ends) },
    };
  }
  yield {
    hint: 'the body was hashed in another encoding: hash its UTF-8 bytes, as they are sent',
    change: { bodySha256: sha256Hex(Buffer.from(text, 'latin1')) },
  };
  yield {
    hint: 'the body was hashed in another encoding: hash its UTF-8 bytes, as they are sent',
    change: { bodySha256: sha256Hex(Buffer.from(text, 'utf16le')) },
  };
  yield {
    hint: 'the object was hashed and not its JSON (as "[object Object]"): serialise it once, and hash and send that',
    change: { bodySha256: sha256Hex('[object Object]') },
  };
  if (body.length > 0) {
    yield {
      hint: 'the digest of an empty body was signed: hash the very bytes that are sent',
      change: { bodySha256: sha256Hex('') },
    };
  }
  yield {
    hint: 'no digest was signed: the last line is the SHA-256 of the body, of an empty one too',
    change: { bodySha256: '' },
  };
  yield {
    hint: 'the body was signed in place of its digest: the last line is its SHA-256 in lower-case hex',
    change: { bodySha256: text },
  };
  yield {
    hint: 'the body digest was signed in upper-case hex: write it in lower case',
    change: { bodySha256: parts.bodySha256.toUpperCase() },
  };
  yield {
    hint: 'the body digest was signed as base64: write it in lower-case hex',
    change: { bodySha256: Buffer.from(parts.bodySha256, 'hex').toString('base64') },
  };
  yield {
    hint: 'wrong body digest: X-Content-SHA256 is not the digest of the bytes that arrived; hash the very bytes that are sent',
    change: { bodySha256: claimedSha256 },
  };
}

/** Other spellings of a JSON body that serialisers commonly produce. */
function reserialised(body: Uint8Array): string[] {
  const value = parsed(body);
  if (value === undefined) return [];
  const compact = JSON.stringify(value);
  const spaced = JSON.stringify(value, null, 1)
    .replace(/\n */g, ' ')
    .replace(/([{[]) /g, '$1')
    .replace(/ ([}\]])/g, '$1');
  const spellings = [
    compact,
    JSON.stringify(value, null, 2),
    JSON.stringify(value, null, 4),
    spaced,
    compact.replaceAll('/', '\\/'),
    `${compact}\n`,
  ];
  return [...spellings, ...spellings.map(inAscii)];
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}

function inAscii(json: string): string {
  return json.replace(/[^\x20-\x7e\n]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
