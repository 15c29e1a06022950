/** What the bank issues to sign with. */
export interface SigningCredentials {
  readonly clientId: string;
  readonly keyId: string;
  readonly signingSecret: string;
}

/** The six headers of a signed request (Authentication, Headers). */
export interface SignatureHeaders {
  readonly 'X-Client-ID': string;
  readonly 'X-Key-ID': string;
  readonly 'X-Timestamp': string;
  readonly 'X-Nonce': string;
  readonly 'X-Content-SHA256': string;
  readonly 'X-Signature': string;
}

/** What a signed attempt says of itself. */
export interface SignedParts extends Omit<SigningCredentials, 'signingSecret'> {
  readonly timestamp: number | string;
  readonly nonce: string;
  readonly bodySha256: string;
  readonly signature: string;
}

export function signatureHeaders(parts: SignedParts): SignatureHeaders {
  return {
    'X-Client-ID': parts.clientId,
    'X-Key-ID': parts.keyId,
    'X-Timestamp': String(parts.timestamp),
    'X-Nonce': parts.nonce,
    'X-Content-SHA256': parts.bodySha256,
    'X-Signature': parts.signature,
  };
}
