import { WebhookVerificationError } from '../errors/webhook.js';
import type { WebhookEvent } from './event.js';
import type { HeaderSource } from './headers.js';
import { assertEnvelope, assertPayload, parseBody, withObjectData } from './parse.js';
import { bytesOf, type RawBody } from './raw-body.js';
import { type VerifyOptions, verifySignature } from './signature.js';

/**
 * Verifies a delivery as `verifySignature` does, then parses it into a typed event. Types whose payload the API text
 * shows are checked; others pass as they came (Events, Event types). What comes back is the parsed body itself, with
 * every field that the service sent.
 *
 * @throws WebhookVerificationError for a delivery that must not be trusted, or that is signed but misshapen:
 *   `ENVELOPE_INVALID` and `PAYLOAD_INVALID` carry the parsed body, so that nothing is lost.
 * @throws ConfigurationError for options that can't work.
 */
export function verifyWebhook(rawBody: RawBody, headers: HeaderSource, options: VerifyOptions): WebhookEvent {
  const { eventId } = verifySignature(rawBody, headers, options);
  const event = withObjectData(parseBody(bytesOf(rawBody)));
  assertEnvelope(event);
  checkEventId(eventId, event.id);
  assertPayload(event);
  return event;
}

/** The signature does not cover the header, so a replayed body could be passed off under another id. */
function checkEventId(fromHeader: string | undefined, fromBody: string): void {
  if (fromHeader === undefined || fromHeader === fromBody) return;
  throw new WebhookVerificationError(
    'EVENT_ID_MISMATCH',
    'The Service-Event-ID header is not the id in the signed body.',
    'Refuse the delivery: someone between the service and you changed the header.',
  );
}
