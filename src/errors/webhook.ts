import { identify, VehicleAuctionError } from './base.js';

/** Why a delivery was not accepted. */
export type WebhookRefusal =
  | 'BODY_NOT_BYTES'
  | 'SIGNATURE_MISSING'
  | 'SIGNATURE_MALFORMED'
  | 'SIGNATURE_MISMATCH'
  | 'TIMESTAMP_MISSING'
  | 'TIMESTAMP_MALFORMED'
  | 'TIMESTAMP_TOO_OLD'
  | 'TIMESTAMP_TOO_NEW'
  | 'BODY_NOT_JSON'
  | 'ENVELOPE_INVALID'
  | 'PAYLOAD_INVALID'
  | 'EVENT_ID_MISMATCH';

/** A webhook delivery that must not be trusted; `reason` is made for code, the message for people. */
export class WebhookVerificationError extends VehicleAuctionError {
  static {
    identify(this, 'WebhookVerificationError');
  }

  declare readonly reason: WebhookRefusal;
  /**
   * The parsed body of a correctly signed delivery whose shape is not the expected one, so that nothing is lost;
   * undefined for every other reason.
   */
  readonly body: unknown;

  constructor(reason: WebhookRefusal, what: string, nextStep: string, body?: unknown) {
    super({ outcome: 'refused', reason, what, nextStep });
    this.body = body;
  }
}
