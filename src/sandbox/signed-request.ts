/** What a signature is judged by. */
export interface SignedRequest {
  /** The effective method. */
  readonly method: string;
  /** The method on the wire: POST where PATCH and PUT are tunnelled. */
  readonly wireMethod: string;
  /** The `/api/v1/…` path, as sent. */
  readonly path: string;
  /** What stood before `/api/v1` on the wire; it is never signed. */
  readonly prefix: string;
  /** The query as sent, without `?`. */
  readonly wireQuery: string;
  /** In which order equal names of the query are signed; that of the wire when left out. */
  readonly equalNames?: 'order-sent' | 'by-value';
  readonly timestamp: string;
  readonly nonce: string;
  readonly body: Uint8Array;
  /** Digest of the body, lower-case hex, where it is known already. */
  readonly bodySha256?: string;
  /** `X-Content-SHA256` as sent; empty when missing. */
  readonly claimedSha256: string;
  /** `X-Signature` as sent; empty when missing. */
  readonly signature: string;
  /** The `Host` header and the key ID as sent: for explaining only. */
  readonly host?: string | undefined;
  readonly keyId?: string;
  /** Secrets that may have been mistaken for the right one, by whose they are: for explaining only. */
  readonly otherSecrets?: () => readonly { readonly whose: string; readonly signingSecret: string }[];
}
