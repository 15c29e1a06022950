import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Sandbox, SandboxCredentials } from '../../../src/sandbox/index.js';

/** A delivery as a receiver saw it. */
export interface Received {
  method: string;
  url: string;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: events are compared with literals, field by field
  event: any;
}

/** The event types that can be subscribed to, from the text. */
export const everyType = [
  'sale.approved',
  'auction.schedule_changed',
  'vehicle.status_changed',
  'sale.rejected',
  'sale.acknowledged',
  'payment.reported',
  'payment.verified',
  'payment.allocated',
  'sale.payment_status_changed',
  'release.authorized',
  'release.revoked',
  'vehicle.collected',
];

/** What a receiver says next: a status, a whole answer, or nothing for as long as the promise lasts. */
type Says = number | Response | Promise<Response> | Error;

/** A receiver in this process, for the option `webhooks: { send }`; it answers challenges, and 200 unless told otherwise. */
export class Receiver {
  readonly got: Received[] = [];
  /** Answers to what isn't a challenge, in their order; the last one stays. */
  says: Says[] = [200];
  /** What it answers a challenge with; undefined: as it should. */
  toChallenge: ((challenge: string) => Response) | undefined;
  readonly send = async (request: Request): Promise<Response> => {
    const text = await request.text();
    const event = parsed(text);
    this.got.push({ method: request.method, url: request.url, headers: request.headers, text, event });
    if (event?.type === 'webhook.endpoint_verification') {
      const challenge = event.challenge ?? event.data.challenge;
      return this.toChallenge?.(challenge) ?? Response.json({ challenge });
    }
    const answer = (this.says.length > 1 ? this.says.shift() : this.says[0]) ?? 200;
    if (answer instanceof Error) throw answer;
    return typeof answer === 'number' ? new Response(null, { status: answer }) : answer;
  };

  /** All that came but the challenges. */
  get events(): Received[] {
    return this.got.filter(({ event }) => event?.type !== 'webhook.endpoint_verification');
  }
}

function parsed(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Subscribes a client, and waits until its endpoint has answered the challenge. */
export async function subscribed(
  sandbox: Sandbox,
  who: SandboxCredentials,
  events: readonly string[] = everyType,
  url = 'https://receiver.example/hooks',
) {
  const made = sandbox.webhooks.subscribe({ who, url, events });
  await sandbox.webhooks.settled();
  return made;
}

/** The signature that a delivery has to carry, made by hand. */
export const signatureOf = (secret: string, { headers, text }: Pick<Received, 'headers' | 'text'>) =>
  `v1=${createHmac('sha256', secret)
    .update(`${headers.get('service-timestamp')}.${text}`)
    .digest('hex')}`;

/** A receiver with a socket; `answer` gets the request when its body has come. */
export async function listening(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
) {
  const got: { headers: IncomingMessage['headers']; url: string; body: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      got.push({ headers: request.headers, url: request.url ?? '', body });
      answer(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    got,
    url: `http://127.0.0.1:${port}/hooks`,
    port,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers a challenge as it should be; false for anything else. */
export function answersChallenge(response: ServerResponse, body: string): boolean {
  const event = parsed(body);
  if (event?.type !== 'webhook.endpoint_verification') return false;
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ challenge: event.challenge ?? event.data.challenge }));
  return true;
}
