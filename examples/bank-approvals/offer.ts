import { isAmount, type SaleRecord } from 'vehicle-auction-sdk';

/** The offer that counts on a sale. */
export interface Offer {
  readonly id: string;
  readonly state: string;
  /** INR decimal string. */
  readonly amount: string;
  readonly termsVersion: string | number;
  /** ISO 8601. */
  readonly validUntil: string;
}

/**
 * The active offer of a sale that was read by itself; undefined where there is none. The API doesn't show its fields:
 * they are looked for where an offer record has them, and beside. Where one is missing, it is `unreadable`.
 */
export function offerOf(sale: SaleRecord): Offer | 'unreadable' | undefined {
  const active = sale.data?.active_offer ?? undefined;
  if (active === undefined) return undefined;
  const fields: Readonly<Record<string, unknown>> = { ...active, ...Object(active['data']) };
  const { id, state, amount, terms_version: termsVersion, valid_until: validUntil } = fields;
  const isReadable =
    typeof id === 'string' &&
    typeof state === 'string' &&
    isAmount(amount) &&
    (typeof termsVersion === 'string' || typeof termsVersion === 'number') &&
    typeof validUntil === 'string';
  return isReadable ? { id, state, amount, termsVersion, validUntil } : 'unreadable';
}
