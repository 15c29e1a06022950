import { createHash } from 'node:crypto';

/**
 * The idempotency key of a buyer's request: the same one whenever it is asked for, before and after any crash, so it is
 * kept nowhere. A UUIDv5, as RFC 9562 makes them.
 */
export function keyOf(kind: 'bid' | 'evidence' | 'payment', buyer: string, requestId: string): string {
  // As JSON, no two triples have the same text.
  const name = JSON.stringify([kind, buyer, requestId]);
  const bytes = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Any UUID will do as long as it stays: with another one, every request that is repeated would be a new one. */
const namespace = Buffer.from('9c1e7a5e4d0b4b6f8a57d2f1c06b3e94', 'hex');
