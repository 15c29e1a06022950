import { createHmac, hash } from 'node:crypto';

/**
 * Lower-case hex HMAC-SHA256 over the UTF-8 bytes of a text. It is made of two digests, as RFC 2104 has it, with what
 * the secret adds to them at hand: that costs half of what an object of node:crypto does, and every request needs one.
 */
export function hmacHex(secret: string, text: string): string {
  // At most three bytes of UTF-8 for each UTF-16 unit.
  if (text.length * 3 > longestText) {
    return createHmac('sha256', secret).update(text, 'utf8').digest('hex');
  }
  const { inner, outer } = padsOf(secret);
  const written = inner.write(text, blockBytes, 'utf8');
  outer.write(hash('sha256', inner.subarray(0, blockBytes + written), 'hex'), blockBytes, 'hex');
  return hash('sha256', outer, 'hex');
}

/** What is digested: the secret's own block, and room behind it for what is signed, or for the digest of that. */
interface Pads {
  readonly inner: Buffer;
  readonly outer: Buffer;
}

const pads = new Map<string, Pads>();

function padsOf(secret: string): Pads {
  const known = pads.get(secret);
  if (known !== undefined) return known;
  // Secrets come and go with sandboxes and rotated keys.
  if (pads.size >= mostSecrets) pads.clear();
  const made = { inner: padded(secret, 0x36, longestText), outer: padded(secret, 0x5c, digestBytes) };
  pads.set(secret, made);
  return made;
}

function padded(secret: string, pad: number, room: number): Buffer {
  const bytes = Buffer.from(secret, 'utf8');
  const key = bytes.length > blockBytes ? hash('sha256', bytes, 'buffer') : bytes;
  const block = Buffer.alloc(blockBytes + room, pad);
  for (const [at, byte] of key.entries()) block[at] = byte ^ pad;
  return block;
}

const blockBytes = 64;
const digestBytes = 32;
const longestText = 2_048;
const mostSecrets = 100;
