import { STATUS_CODES } from 'node:http';
import type { WireReply } from './wire.js';

/** The head of a reply as it stands on the wire, for a connection that ends behind the body. */
export function headBytes({ status, headers }: WireReply): Buffer {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
