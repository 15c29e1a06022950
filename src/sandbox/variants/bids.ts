/** Choices about bids and what is read of them, in the order of the open questions. */
export const bidChoices = {
  /** Zone of `created_at` in `/bids`. */
  'bid-created-at-zone': ['utc', 'india'],
  /** `receipt` of A06: `data` of the bid's reply, the bid as A05 shows it, or fields that nobody has seen. */
  'lookup-receipt': ['receipt', 'detail', 'unfamiliar'],
  /** What A06 answers for a key that was never sent. */
  'lookup-unknown-key': ['absent', 'not-found'],
  /** Whether A07 takes evidence, as `evidence_id`. */
  'bid-cancellation-evidence': ['refused', 'evidence-id'],
  /** `status` of a bid that a cancellation took out. */
  'cancelled-bid-status': ['accepted', 'cancelled'],
  /** Whether A08 filters, by `bid_id`, `lot_id` and `status`. */
  'bid-cancellation-filters': ['refused', 'taken'],
  /** Whether a status batch (A11) of more than 100 lots is refused or answered. */
  'status-batch-size': ['100', 'unbounded'],
  /** The lowest first bid of a legacy auction. */
  'legacy-first-bid': ['above-opening', 'opening'],
  /** Whether a replay of an accepted bid repeats the standing that was recorded, or tells the one of now. */
  'replayed-fields': ['as-recorded', 'as-they-stand'],
  /** Whether bids and commands share one namespace of idempotency keys. */
  'key-namespace': ['shared', 'apart'],
  /** Type of `highest_amount` in a bid receipt. */
  'receipt-highest-amount-type': ['string', 'number'],
  /** Whether a bid receipt of a closed auction leaves `highest_amount` out or says null. */
  'receipt-highest-when-closed': ['omitted', 'null'],
  /** What a bid is held to: `buyer_limit`, or that plus the deposit (`emdAmount` of a partner). */
  'buyer-limit-and-emd': ['limit', 'limit-plus-emd'],
} as const;
