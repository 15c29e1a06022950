import {
  type Transport,
  TransportFailure,
  type TransportReply,
  type TransportRequest,
} from '../../src/core/transport/transport.js';

export type Step =
  | {
      readonly status: number;
      readonly json?: unknown;
      readonly text?: string;
      /** The body as bytes, in place of a text. */
      readonly bytes?: Uint8Array;
      readonly headers?: Record<string, string>;
    }
  | { readonly fail: 'no' | 'maybe'; readonly cause?: unknown }
  /** Never answers, and ignores the signal. */
  | { readonly hang: true }
  /** Answers with headers, and its body never ends. */
  | { readonly stall: number };

export interface SentRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A transport that answers from a script and keeps what it was given. */
export class ScriptedTransport implements Transport {
  readonly sent: SentRequest[] = [];
  discarded = 0;
  closed = 0;
  readonly #steps: Step[];

  constructor(...steps: readonly Step[]) {
    this.#steps = [...steps];
  }

  send(request: TransportRequest): Promise<TransportReply> {
    const { body } = request;
    if (body !== undefined && !(body instanceof Uint8Array)) return this.#collectAndAnswer(request, body);
    return this.#answer(request, body);
  }

  #answer({ origin, path, method, headers }: TransportRequest, bytes?: Uint8Array): Promise<TransportReply> {
    const body = bytes === undefined ? undefined : Buffer.from(bytes).toString();
    this.sent.push({ origin, path, method, headers, body });
    const step = this.#steps.shift();
    if (step === undefined)
      return Promise.reject(new TransportFailure('maybe', new Error('The script has no further step')));
    if ('hang' in step) return new Promise(() => undefined);
    if ('fail' in step) {
      const cause = step.cause ?? Object.assign(new Error('scripted failure'), { code: 'ECONNRESET' });
      return Promise.reject(new TransportFailure(step.fail, cause));
    }
    if ('stall' in step) return Promise.resolve(this.#reply(step.stall, {}, endless()));
    const reply = once(step.bytes ?? step.text ?? JSON.stringify(step.json));
    return Promise.resolve(this.#reply(step.status, step.headers ?? {}, reply));
  }

  async close(): Promise<void> {
    this.closed += 1;
  }

  async #collectAndAnswer(request: TransportRequest, body: AsyncIterable<Uint8Array>) {
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of body) chunks.push(chunk);
    } catch (cause) {
      throw new TransportFailure('maybe', cause);
    }
    return this.#answer(request, Buffer.concat(chunks));
  }

  #reply(status: number, headers: Record<string, string>, body: AsyncIterable<Uint8Array>): TransportReply {
    return {
      status,
      headers,
      body,
      discard: () => {
        this.discarded += 1;
      },
    };
  }
}

/** A body that comes in one piece. */
export async function* once(text: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof text === 'string' ? Buffer.from(text) : text;
}

async function* endless(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{');
  await new Promise(() => undefined);
}
