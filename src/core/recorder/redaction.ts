import { codeFacts } from '../../api/codes.js';
import { hmacSha256Hex } from '../../signing/signer.js';
import type { Redact } from '../redact.js';

/** Fields whose values are kept: ids, states, codes, versions, times and amounts. Other texts may name people. */
const KEPT = new Set(
  `_method actor_type after allowed_actions amount amount_paise api_versions auction_state bid_increment bid_type
  bid_visibility bidder_status blocked buyer_limit bytes cancellation_mode category channel_status client_bid_time
  code codes collection_date currency current_amount current_page decision direction distribution_mode due_amount
  eligible_lots_count emd_status emd_until environment event excess execution expected_version highest_amount
  inventory_state inventory_version kind kyc_status last_page limit limit_until lot_ids lot_version mime next_cursor operations
  own_amount own_standing page partner_type payee_version payment_verification per_page policy_version
  previous_vehicle_status purpose reason_code received_amount remaining resource_version responsible_party revision
  sale_approval schema_version scope scopes server_time settlement_state starting_price state status success
  terms_version timestamp timezone total type updated_since updated_after valid_until value_date vehicle_status
  verified_credits version idempotency_key id`.split(/\s+/),
);
const KEPT_ENDING = /_(id|at|code|state|status|version|paise)$/;

/** Longer texts of kept fields are replaced as well: no id or state is so long. */
const LONGEST_KEPT = 200;

/** Larger numbers of other fields could be a phone or account number. */
const LARGEST_KEPT = 999_999;

/**
 * Replaces texts that may name people, each by the same placeholder wherever it occurs. The placeholders of two redactions cannot
 * be compared.
 */
export class Redaction {
  readonly #salt: string;

  /** @param salt random, so that nobody can guess a text from its placeholder */
  constructor(salt: string) {
    this.#salt = salt;
  }

  /** A JSON value with placeholders in place of texts. */
  json(value: unknown, redact: Redact, field = ''): unknown {
    if (typeof value === 'string') return this.text(value, redact, field);
    if (typeof value === 'number') return isKept(field) || Math.abs(value) <= LARGEST_KEPT ? value : 0;
    if (Array.isArray(value)) return value.map((item) => this.json(item, redact, field));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [redact(name), this.json(inner, redact, name)]),
    );
  }

  /** A text of a field; one that may name people becomes a placeholder. */
  text(value: string, redact: Redact, field: string): string {
    if (value === '' || codeFacts(value) !== undefined) return value;
    return isKept(field) && value.length <= LONGEST_KEPT ? redact(value) : this.placeholder(value);
  }

  placeholder(text: string): string {
    return `text-${hmacSha256Hex(this.#salt, text).slice(0, 12)}`;
  }
}

function isKept(field: string): boolean {
  return KEPT.has(field) || KEPT_ENDING.test(field);
}
