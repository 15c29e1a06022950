import { identify, VehicleAuctionError } from './base.js';

/** Why a webhook delivery was refused. */
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

/** A webhook delivery that must not be trusted. Programs read `reason`; the message is for people. */
export class WebhookVerificationError extends VehicleAuctionError {
  static {
    identify(this, 'WebhookVerificationError');
  }

  declare readonly reason: WebhookRefusal;
  /**
   * The parsed body of a correctly signed delivery that has an unexpected shape, so that you can still store it.
   * Undefined for every other reason.
   */
  readonly body: unknown;

  constructor(reason: WebhookRefusal, what: string, nextStep: string, body?: unknown) {
    super({ outcome: 'refused', reason, what, nextStep });
    this.body = body;
  }
}
