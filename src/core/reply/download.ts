import type { BinaryReply } from '../../ports/caller.js';
import { type Deadline, onceAborted } from '../../runtime/timers.js';
import { fileStream } from '../caller.js';
import type { Redact } from '../redact.js';
import type { TransportReply } from '../transport/transport.js';
import { headerOf } from './reply.js';

/** State of a download after its call has returned. */
export interface DownloadTools {
  readonly redact: Redact;
  /** The error that the reader of a download sees when it breaks off. */
  explain(error: unknown): Error;
}

/** Passes a body on as a stream, which may take until the call's deadline. */
export function downloadOf(
  reply: TransportReply,
  file: AsyncIterable<Uint8Array>,
  deadline: Deadline,
  { redact, explain }: DownloadTools,
): BinaryReply {
  deadline.limit();
  const chunks = file[Symbol.asyncIterator]();
  const { signal } = deadline;
  const release = () => {
    deadline.end();
    reply.discard();
  };
  const header = (name: string) => {
    const value = headerOf(reply.headers, name);
    return value === undefined ? undefined : redact(value);
  };
  // It is the length of the compressed file, not of the file.
  const length = file === reply.body ? header('content-length') : undefined;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const stop = () => {
        release();
        controller.error(explain(signal.reason));
      };
      onceAborted(signal, stop);
    },
    async pull(controller) {
      try {
        const next = await chunks.next();
        if (signal.aborted) return;
        if (next.done === true) {
          deadline.end();
          controller.close();
        } else {
          controller.enqueue(next.value);
        }
      } catch (error) {
        if (signal.aborted) return;
        release();
        controller.error(explain(error));
      }
    },
    cancel: release,
  });
  return {
    stream: fileStream(stream),
    contentType: header('content-type'),
    contentLength: length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined,
    contentDisposition: header('content-disposition'),
  };
}
