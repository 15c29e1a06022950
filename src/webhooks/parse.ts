import type * as z from 'zod';
import { isTolerable } from '../api/tolerance.js';
import { shownPayloads, webhookEnvelope } from '../api/webhook-events.js';
import { type WebhookRefusal, WebhookVerificationError } from '../errors/webhook.js';
import type { EventEnvelope, WebhookEvent } from './event.js';

type AnyEvent = EventEnvelope<string, Readonly<Record<string, unknown>>>;

const payloadSchemas: ReadonlyMap<string, z.ZodType> = new Map(Object.entries(shownPayloads));

/**
 * The JSON value of a body, after a byte order mark if there is one.
 *
 * @throws WebhookVerificationError with `BODY_NOT_JSON`.
 */
export function parseBody(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new WebhookVerificationError(
      'BODY_NOT_JSON',
      'The delivery is correctly signed, but its body is not JSON in UTF-8.',
      'Use verifySignature for bodies that are not JSON; else report the delivery to the bank.',
    );
  }
}

/**
 * Gives `data` the object that it stands for where PHP wrote an empty object as `[]`, and where a verification, of
 * which only the challenge is certain, has none (unknowns: `webhook-verification-shape`).
 */
export function withObjectData(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { data, type }: { data?: unknown; type?: unknown } = body;
  const isEmptyArray = Array.isArray(data) && data.length === 0;
  const mayLackData = type === 'webhook.endpoint_verification' && (data === undefined || data === null);
  return isEmptyArray || mayLackData ? Object.assign(body, { data: {} }) : body;
}

/** @throws WebhookVerificationError with `ENVELOPE_INVALID` and the body. */
export function assertEnvelope(body: unknown): asserts body is AnyEvent {
  const issues = fatalIssues(webhookEnvelope, body);
  if (issues.length > 0) throw misshapen('ENVELOPE_INVALID', 'envelope', issues, body);
}

/**
 * @throws WebhookVerificationError with `PAYLOAD_INVALID` and the body, for types whose payload the text shows. Odd
 *   values in optional fields pass, so that no signed event is lost over them.
 */
export function assertPayload(event: AnyEvent): asserts event is AnyEvent & WebhookEvent {
  const schema = payloadSchemas.get(event.type);
  const issues = schema === undefined ? [] : fatalIssues(schema, event.data);
  if (issues.length > 0) throw misshapen('PAYLOAD_INVALID', 'payload', issues, event);
}

function fatalIssues(schema: z.ZodType, value: unknown): readonly z.core.$ZodIssue[] {
  const checked = schema.safeParse(value);
  return checked.success ? [] : checked.error.issues.filter((issue) => !isTolerable(schema, issue.path));
}

function misshapen(
  reason: WebhookRefusal,
  part: string,
  issues: readonly z.core.$ZodIssue[],
  body: unknown,
): WebhookVerificationError {
  const problems = issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`);
  return new WebhookVerificationError(
    reason,
    `The delivery is correctly signed, but its ${part} is not as described (${problems.join('; ')}).`,
    'The parsed body stands on this error as `body`: keep it, and report it to the bank.',
    body,
  );
}
