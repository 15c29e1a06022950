import { identify, VehicleAuctionError } from './base.js';

/** Why a delivery was not accepted. */
export type WebhookRefusal =
  | 'body_not_bytes'
  | 'signature_missing'
  | 'signature_malformed'
  | 'signature_mismatch'
  | 'timestamp_missing'
  | 'timestamp_malformed'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'body_not_json'
  | 'envelope_invalid'
  | 'payload_invalid'
  | 'event_id_mismatch';

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
