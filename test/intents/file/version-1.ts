import { attempt, intentWith } from './kit.js';

/** A file of version 1, by a writer that shares nothing with the reader: a checksum by the book, bytes by hand. */
export function version1Of(keys: readonly string[]) {
  const bytes: number[] = [0x8b, 0x56, 0x41, 0x4a, 0x0d, 0x0a, 0x1a, 0x0a, 1, 0, 0, 0];
  bytes.push(...inBytes(checksum(bytes)));
  const durable = [{ length: bytes.length, standings: [] as string[] }];
  const standings: string[] = [];
  const record = (payload: unknown) => {
    const content = [...new TextEncoder().encode(JSON.stringify(payload))];
    bytes.push(...inBytes(content.length), ...inBytes(checksum(content)), ...content);
    durable.push({ length: bytes.length, standings: [...standings] });
  };
  for (const [index, key] of keys.entries()) {
    const intent = intentWith(key, { lot: `lot of ${key}`, text: 'ein Gebot: 465000.00 ₹' });
    standings.push(`${key} prepared`);
    record({ type: 'made', intent, entries: [], state: 'prepared' });
    standings[index] = `${key} unknown 1`;
    const namespace = JSON.stringify([intent.account.origin, intent.account.environment, 'client-1']);
    record({ type: 'changed', namespace, key, entries: [attempt(1)], state: 'unknown' });
  }
  return { bytes: Uint8Array.from(bytes), durable };
}

function inBytes(value: number): number[] {
  return [0, 8, 16, 24].map((shift) => (value >>> shift) & 0xff);
}

/** CRC-32 bit by bit. */
function checksum(bytes: readonly number[]): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return ~value >>> 0;
}
