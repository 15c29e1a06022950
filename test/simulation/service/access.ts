import { createHash, createHmac } from 'node:crypto';
import { envelope, type WireReply, type WireRequest } from './wire.js';

/** Copies are let in as long as their time stamp is this close to server time, either way (Canonical string, Rules). */
export const WINDOW_MS = 300_000;

interface Key {
  readonly client: string;
  readonly secret: string;
  revoked: boolean;
}

/** Who may come in: keys, the time window, signatures, and nonces that were seen. */
export class Access {
  readonly #keys = new Map<string, Key>();
  readonly #nonces = new Set<string>();

  issue(keyId: string, client: string, secret: string): void {
    this.#keys.set(keyId, { client, secret, revoked: false });
  }

  revoke(keyId: string): void {
    const key = this.#keys.get(keyId);
    if (key !== undefined) key.revoked = true;
  }

  /** The client that a request comes from, or how it is turned away. */
  admit(
    request: WireRequest,
    serverMs: number,
  ): { readonly client: string } | { readonly refusal: WireReply } {
    const refused = (status: number, code: string) => ({ refusal: envelope(status, serverMs, { code }) });
    const { headers } = request;
    const header = (name: string) => headers[name] ?? '';
    const nonce = header('x-nonce');
    if (!/^[A-Za-z0-9_-]{16,128}$/.test(nonce)) return refused(401, 'INVALID_NONCE');
    const seen = `${header('x-client-id')} ${nonce}`;
    if (this.#nonces.has(seen)) return refused(409, 'NONCE_REPLAYED');
    // Whatever is answered now holds for every copy: none is let in after one was turned away.
    this.#nonces.add(seen);
    const key = this.#keys.get(header('x-key-id'));
    if (key === undefined || key.client !== header('x-client-id'))
      return refused(401, 'API_CLIENT_NOT_ACTIVE');
    if (key.revoked) return refused(401, 'KEY_REVOKED');
    const stamp = header('x-timestamp');
    if (!/^\d+$/.test(stamp) || Math.abs(Number(stamp) * 1000 - serverMs) > WINDOW_MS) {
      return refused(401, 'TIMESTAMP_EXPIRED');
    }
    if (signatureOf(request, key.secret) !== header('x-signature')) return refused(401, 'INVALID_SIGNATURE');
    return { client: key.client };
  }
}

/** The HMAC of the canonical request (Canonical string). */
export function signatureOf({ method, path, headers, body }: WireRequest, secret: string): string {
  const [pathname = '', query = ''] = path.split('?');
  const digest = createHash('sha256').update(body).digest('hex');
  const lines = [
    method,
    pathname,
    query.split('&').sort().join('&'),
    headers['x-timestamp'],
    headers['x-nonce'],
    digest,
  ];
  return createHmac('sha256', secret).update(lines.join('\n')).digest('hex');
}
