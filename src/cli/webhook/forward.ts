import { signDelivery } from '../../webhooks/index.js';
import { UsageError } from '../usage-error.js';

/** What the receiver answered. */
export interface Answer {
  /** HTTP status; absent where it gave no answer. */
  readonly status?: number;
  readonly ms: number;
  /** Why there is no answer. */
  readonly problem?: string;
}

/** What became of a delivery that was sent on. */
export interface Forwarded extends Answer {
  /** Event id. */
  readonly event: string;
  readonly type: string;
  /**
   * `first`; `retry`: the sandbox sent it again, because an earlier attempt failed; `duplicate`: sent twice on purpose; `late`:
   * not sent on, so that it comes after others; `forged`: its signature is wrong, and stays so; `replay`.
   */
  readonly kind: 'first' | 'retry' | 'duplicate' | 'late' | 'forged' | 'replay';
}

/** As long as the service waits for an answer. */
const LONGEST_MS = 10_000;

/** Posts a delivery to the receiver. Never rejects; follows no redirect, as the service does. */
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

/** Headers of a delivery that is signed afresh. */
export function signed(
  body: Uint8Array,
  secret: string,
  timestamp: number,
  eventId?: string,
): Readonly<Record<string, string>> {
  const { headers } = signDelivery({ body, secret, timestamp });
  return { ...headers, ...(eventId !== undefined && { 'Service-Event-ID': eventId }) };
}

export function isTaken(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status <= 299;
}

/** One line for a person. */
export function lineOf({ event, type, kind, status, ms, problem }: Forwarded): string {
  const note = kind === 'first' ? '' : ` (${kind})`;
  const answer =
    kind === 'late' ? 'held back: the sandbox sends it again in 10 s' : `${status ?? problem} in ${ms} ms`;
  return `${type} ${event}${note}: ${answer}`;
}

/** A receiver's URL. @throws UsageError */
export function receiverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
  throw new UsageError(
    `--forward is the URL of your endpoint, such as http://localhost:3000/hook, not "${text}"`,
  );
}
