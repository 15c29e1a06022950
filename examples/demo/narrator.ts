import { Readable } from 'node:stream';
import { styleText } from 'node:util';
import {
  canonicalRequest,
  type Transport,
  type TransportReply,
  type TransportRequest,
} from 'vehicle-auction-sdk';

type Style = Parameters<typeof styleText>[0];

/** Tells a story in chapters, and fails it when something that must hold doesn't. */
export class Narrator {
  readonly #write: (line: string) => void;
  readonly #colour: boolean;
  #chapter = 0;

  constructor(write: (line: string) => void, colour: boolean) {
    this.#write = write;
    this.#colour = colour;
  }

  title(text: string, subtitle: string): void {
    this.#write('');
    this.#write(`  ${this.#paint('bold', text)}`);
    this.#write(`  ${this.#paint('dim', subtitle)}`);
  }

  chapter(title: string, code: string): void {
    this.#chapter += 1;
    this.#write('');
    this.#write(`  ${this.#paint('bold', `${this.#chapter}. ${title}`)}`);
    this.#write(`     ${this.#paint('cyan', code)}`);
  }

  say(text: string): void {
    this.#write(`     ${text}`);
  }

  aside(text: string): void {
    this.#write(`     ${this.#paint('dim', text)}`);
  }

  rows(rows: readonly (readonly string[])[]): void {
    const widths = (rows[0] ?? []).map((_, column) =>
      Math.max(...rows.map((row) => (row[column] ?? '').length)),
    );
    for (const row of rows)
      this.say(
        `  ${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}`,
      );
  }

  /** Something that must hold. @throws Error where it doesn't: the demo ends with a non-zero exit code. */
  check(holds: boolean, claim: string): void {
    if (!holds) throw new Error(`This should hold, and doesn't: ${claim}`);
    this.#write(`     ${this.#paint('green', '✓')} ${claim}`);
  }

  wire(direction: '→' | '←' | '✂', text: string): void {
    const style: Style = direction === '✂' ? 'red' : 'yellow';
    this.#write(`     ${this.#paint(style, direction)} ${this.#paint('dim', text)}`);
  }

  #paint(style: Style, text: string): string {
    return this.#colour ? styleText(style, text, { validateStream: false }) : text;
  }
}

/** One request as it left, for comparing attempts with each other. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly bodySha256: string;
  readonly nonce: string;
  /** Unix seconds. */
  readonly timestamp: string;
  readonly signature: string;
}

/** Wraps a transport so that every request and reply is told as it passes. */
export function told(inner: Transport, narrator: Narrator): { transport: Transport; seen: Seen[] } {
  const seen: Seen[] = [];
  const transport: Transport = {
    async send(request) {
      seen.push(seenOf(request));
      const body = request.body instanceof Uint8Array ? `  ${new TextDecoder().decode(request.body)}` : '';
      narrator.wire('→', `${request.method} ${request.path}${body}`);
      let reply: TransportReply;
      try {
        reply = await inner.send(request);
      } catch (error) {
        narrator.wire('✂', 'the connection broke before a single byte of the reply');
        throw error;
      }
      const chunks: Uint8Array[] = [];
      for await (const chunk of reply.body) chunks.push(chunk);
      narrator.wire('←', `HTTP ${reply.status}  ${shortened(Buffer.concat(chunks).toString())}`);
      return { ...reply, body: Readable.from(chunks) };
    },
    close: () => inner.close(),
  };
  return { transport, seen };
}

/** The six lines that were signed for a request that passed. */
export function signedLines(request: Seen): string[] {
  const [path = '', query = ''] = request.path.split('?');
  return canonicalRequest({
    method: request.method,
    path,
    query: [...new URLSearchParams(query)],
    timestamp: request.timestamp,
    nonce: request.nonce,
    bodySha256: request.bodySha256,
  }).split('\n');
}

function seenOf({ method, path, headers }: TransportRequest): Seen {
  return {
    method,
    path,
    bodySha256: headers['X-Content-SHA256'] ?? '',
    nonce: headers['X-Nonce'] ?? '',
    signature: headers['X-Signature'] ?? '',
    timestamp: headers['X-Timestamp'] ?? '',
  };
}

function shortened(json: string): string {
  return json.length <= 120 ? json : `${json.slice(0, 119)}…`;
}
