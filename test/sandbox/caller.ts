import { createHash, createHmac, randomUUID } from 'node:crypto';
import { afterEach, beforeEach } from 'vitest';
import {
  type Sandbox,
  type SandboxCredentials,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/index.js';

/** A sandbox whose clock stands at 10:00 UTC on 1 March 2026 until a test moves it. */
export const onManualClock = (options: SandboxOptions = {}): Promise<Sandbox> =>
  startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false, ...options });

/** The sandbox of the running test, in a file that called `freshSandbox`. */
export let sandbox: Sandbox;
export const dealer = () => sandbox.credentials.dealer;
export const profile = '/api/v1/integration/profile';

/** Puts another sandbox in the place of the one that the running test has. */
export async function restart(options: SandboxOptions = {}): Promise<void> {
  await sandbox?.close();
  sandbox = await onManualClock(options);
}

export function freshSandbox(options: SandboxOptions = {}): void {
  beforeEach(() => restart(options));
  afterEach(() => sandbox.close());
}

/** A caller that signs by hand, so that nothing of the SDK or the sandbox can vouch for itself. */
export interface Sent {
  method?: string;
  /** The signed path, `/api/v1/…`. */
  path: string;
  /** Already canonical, without `?`. */
  query?: string;
  /** A value to serialise, or the exact text or bytes. */
  body?: unknown;
  headers?: Record<string, string | undefined>;
  /** Overrides of what is signed. */
  sign?: {
    method?: string;
    path?: string;
    query?: string;
    secret?: string | Buffer;
    digest?: string;
    timestamp?: string;
    nonce?: string;
    suffix?: string;
  };
}

export interface Got {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: replies are compared with literals, field by field
  json: any;
}

export const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');
export const hmac = (secret: string | Buffer, text: string) =>
  createHmac('sha256', secret).update(text).digest('hex');

/** Where the time comes from that requests are signed at. */
type SandboxTime = { readonly clock: Pick<Sandbox['clock'], 'now'> };

/** Path, headers and body of a signed request. */
export function signed({ clock }: SandboxTime, who: SandboxCredentials, sent: Sent) {
  const method = sent.method ?? (sent.body === undefined ? 'GET' : 'POST');
  const body = bytesOf(sent.body);
  const query = sent.query ?? '';
  const timestamp = sent.sign?.timestamp ?? String(Math.floor(clock.now() / 1000));
  const nonce = sent.sign?.nonce ?? `n-${randomUUID()}`;
  const digest = sent.sign?.digest ?? sha256(body);
  const lines = { method, path: sent.path, query, ...sent.sign };
  const text = [lines.method, lines.path, lines.query, timestamp, nonce, digest].join('\n');
  const all: Record<string, string | undefined> = {
    Accept: 'application/json',
    'X-Client-ID': who.clientId,
    'X-Key-ID': who.keyId,
    'X-Timestamp': timestamp,
    'X-Nonce': nonce,
    'X-Content-SHA256': digest,
    'X-Signature': hmac(sent.sign?.secret ?? who.signingSecret, text + (sent.sign?.suffix ?? '')),
    ...(body.length > 0 && { 'Content-Type': 'application/json' }),
    ...sent.headers,
  };
  const headers = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return { method, target: sent.path + (query === '' ? '' : `?${query}`), headers, body };
}

function bytesOf(body: unknown): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Sends in process. */
export async function send(sandbox: Sandbox, who: SandboxCredentials, sent: Sent): Promise<Got> {
  const { method, target, headers, body } = signed(sandbox, who, sent);
  const origin = sandbox.baseUrl.replace(/\/api\/v1$/, '');
  const content = body.length > 0 ? { body: new Uint8Array(body) } : {};
  return got(await sandbox.fetch(new Request(origin + target, { method, headers, ...content })));
}

export async function got(response: Response): Promise<Got> {
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: response.status, headers: response.headers, text, json };
}

export const get = (sandbox: Sandbox, who: SandboxCredentials, path: string, query = '') =>
  send(sandbox, who, { path, query });

export interface Bid {
  amount: string | number;
  dealer_id?: string;
  bidder_reference?: string;
  idempotency_key?: string;
  client_bid_time?: string;
}

/** Bids on a lot; the key stands in header and body. */
export function bid(
  sandbox: Sandbox,
  who: SandboxCredentials,
  lotId: string,
  content: Bid,
  headers: Record<string, string | undefined> = {},
) {
  const key = content.idempotency_key ?? randomUUID();
  return send(sandbox, who, {
    path: `/api/v1/lots/${lotId}/bids`,
    body: { dealer_id: who.dealerId, idempotency_key: key, ...content },
    headers: { 'Idempotency-Key': key, ...headers },
  });
}

/** What a call throws. */
export function caught(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** An INR amount plus whole rupees. */
export const plus = (amount: string, rupees: number) => (Number(amount) + rupees).toFixed(2);

/** The nth lot of an auction by label. */
export function lotOf(sandbox: Sandbox, label: string, index = 0) {
  const lot = sandbox.auctions.get(label).lots[index];
  if (lot === undefined) throw new Error(`no lot ${index} in ${label}`);
  return lot;
}
