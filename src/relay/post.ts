import { signDelivery } from '../webhooks/index.js';

/** Reply of the receiver. */
export interface Answer {
  /** HTTP status; absent without a reply. */
  readonly status?: number;
  readonly ms: number;
  /** Why there was no reply. */
  readonly problem?: string;
}

/** Result of a forwarded delivery. */
export interface Forwarded extends Answer {
  /** Event id. */
  readonly event: string;
  readonly type: string;
  /**
   * `first`; `retry`: the sandbox repeats a failed attempt; `duplicate`: deliberately sent twice; `late`: dropped,
   * so that it arrives after others; `forged`: forwarded with its invalid signature; `replay`.
   */
  readonly kind: 'first' | 'retry' | 'duplicate' | 'late' | 'forged' | 'replay';
}

/** Timeout of a delivery, the same as the service's. */
const LONGEST_MS = 10_000;

/** Posts a delivery to the receiver. Never rejects. Like the service, does not follow redirects. */
export async function postTo(
  url: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly answer: Answer; readonly body: string }> {
  const begun = performance.now();
  const lasted = () => Math.round(performance.now() - begun);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(LONGEST_MS),
    });
    const text = await response.text();
    return { answer: { status: response.status, ms: lasted() }, body: text };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const problem = cause instanceof Error ? cause.message || cause.name : String(cause);
    return { answer: { ms: lasted(), problem }, body: '' };
  }
}

/** Signs a delivery and returns its headers. */
export function signed(
  body: Uint8Array,
  secret: string,
  timestamp: number,
  eventId?: string,
): Readonly<Record<string, string>> {
  const { headers } = signDelivery({ body, secret, timestamp });
  return { ...headers, ...(eventId !== undefined && { 'Service-Event-ID': eventId }) };
}

export function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status <= 299;
}
