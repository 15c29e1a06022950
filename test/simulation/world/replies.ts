import { TransportFailure, type TransportReply } from '../../../src/core/transport/transport.js';
import type { WireReply } from '../service/wire.js';
import type { Faults } from './faults.js';

/** A reply as it reaches the process, whole or not; `onRead` is called when it was whole and has been read. */
export function damaged(
  { status, headers, body }: WireReply,
  faults: Faults,
  onRead: () => void,
): TransportReply {
  const half = body.slice(0, body.length / 2);
  if (faults.strikes('reply cut short')) return reply(status, headers, cut(half));
  // It ends as if it were whole, so only its content tells.
  if (faults.strikes('reply unreadable'))
    return reply(
      status,
      headers,
      whole(half, () => undefined),
    );
  return reply(status, headers, whole(body, onRead));
}

function reply(
  status: number,
  headers: WireReply['headers'],
  body: AsyncIterable<Uint8Array>,
): TransportReply {
  return { status, headers, body, discard: () => undefined };
}

async function* whole(text: string, onRead: () => void): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
  onRead();
}

async function* cut(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
  throw new TransportFailure('maybe', new Error('other side closed'));
}
