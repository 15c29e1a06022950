/** A signature that is right but for how it is written: what is wrong with it, and its lower-case hex. */
export interface Spelling {
  readonly hint: string;
  readonly hex: string;
}

/** Ways in which a signature is commonly written, read back. */
export function spellings(signature: string): readonly Spelling[] {
  const form = 'send lower-case hex';
  const prefix = /^(?:v1|sha256|hmac-sha256)[=:]\s*/i.exec(signature)?.[0] ?? '';
  return [
    { hint: `X-Signature is in upper-case hex: ${form}`, hex: signature.toLowerCase() },
    { hint: `X-Signature is base64: ${form}`, hex: Buffer.from(signature, 'base64').toString('hex') },
    {
      hint: `X-Signature is the base64 of its hex: ${form}`,
      hex: Buffer.from(signature, 'base64').toString('latin1'),
    },
    {
      hint: `X-Signature begins with ${JSON.stringify(prefix)}: send the hex alone`,
      hex: signature.slice(prefix.length),
    },
    { hint: 'X-Signature is quoted: send the hex alone', hex: signature.replace(/^["']|["']$/g, '') },
  ];
}
