import type { BinaryReply } from './caller.js';
import { headerOf } from './reply.js';
import type { Stretch } from './stop.js';
import type { TransportReply } from './transport.js';

/** A body over the cap; the rest of it was not read. */
export class TooLarge extends Error {
  constructor(cap: number) {
    super(`its body is larger than ${cap} bytes`);
  }
}

const decoder = new TextDecoder();

/** Reads a whole body as UTF-8. @throws TooLarge past `cap` bytes. */
export async function readText(body: AsyncIterable<Uint8Array>, cap: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > cap) throw new TooLarge(cap);
    chunks.push(chunk);
  }
  const [only = new Uint8Array()] = chunks;
  return decoder.decode(chunks.length <= 1 ? only : Buffer.concat(chunks, size));
}

/** Hands a body on as a stream; the stretch ends with it. `explain` makes the error that a reader sees. */
export function readBinary(
  reply: TransportReply,
  stretch: Stretch,
  explain: (error: unknown) => Error,
): BinaryReply {
  const chunks = reply.body[Symbol.asyncIterator]();
  const length = headerOf(reply.headers, 'content-length');
  const letGo = () => {
    stretch.end();
    reply.discard();
  };
  return {
    stream: new ReadableStream<Uint8Array>({
      start(controller) {
        const stop = () => {
          letGo();
          controller.error(explain(stretch.signal.reason));
        };
        if (stretch.signal.aborted) stop();
        else stretch.signal.addEventListener('abort', stop);
      },
      async pull(controller) {
        try {
          const next = await chunks.next();
          if (stretch.signal.aborted) return;
          if (next.done === true) {
            stretch.end();
            controller.close();
          } else {
            controller.enqueue(next.value);
          }
        } catch (error) {
          if (stretch.signal.aborted) return;
          letGo();
          controller.error(explain(error));
        }
      },
      cancel: letGo,
    }),
    contentType: headerOf(reply.headers, 'content-type'),
    contentLength: length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined,
    contentDisposition: headerOf(reply.headers, 'content-disposition'),
  };
}
