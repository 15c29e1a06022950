/** Choices about the reads that belong to a client, a decision or a sale, in the order of the open questions. */
export const readChoices = {
  /** `environment` and `partner_type` in the profile. */
  'wire-partner-type': ['shown', 'unfamiliar'],
  /** Type of `policy_version` in the capabilities. */
  'policy-version-type': ['string', 'integer'],
  /** Items of `operations` in the capabilities. */
  'capability-operations': ['as-in-profile', 'ids'],
  /** The policies that capabilities name. */
  'capability-values': ['usual', 'unfamiliar'],
  /** Where updates stand: in `data`, in `updates` beside the cursor, or in `updates` inside `data` with it. */
  'winner-update-list': ['data', 'updates', 'data-updates'],
  /** What an update holds: what `sale.approved` would tell, or fields that nobody has seen. */
  'winner-update-fields': ['sale-approved', 'unfamiliar'],
  /** Whether a `limit` above 100 is honoured, refused or cut to 100. */
  'winner-update-limit': ['any', '100-at-most', 'cut-to-100'],
  /** `next_cursor` at the end: the one that was asked with, null, or missing. */
  'winner-update-ends': ['same', 'null', 'absent'],
  /** Where a walk without a cursor begins: at the first update, or behind the last one. */
  'winner-update-start': ['first', 'now'],
  /** How long a cursor stays good, counted from the update that it names. */
  'winner-update-cursor-life': ['for-ever', 'one-day'],
  /** Whether capabilities name quotas. */
  'capability-quotas': ['absent', 'given'],
  /** Expiries in a diagnosis as date-times or dates; or nothing but the outcome and what it is about. */
  'eligibility-types': ['date-times', 'dates', 'sparse'],
  /** `kyc_status` and `emd_status` in a diagnosis. */
  'eligibility-status-values': ['shown', 'unfamiliar'],
  /** Whether A03 needs no more than the lot, or the amount too. */
  'eligibility-parameters': ['lot', 'lot-and-amount'],
  /** Items of A46: workflow records, their `data` alone, or their ids. */
  'sale-receipt-items': ['records', 'data', 'ids'],
  /** Where the id of a payment is learnt: in A46 only, or also in the record of A42 as `payment_id`. */
  'payment-ids': ['receipts', 'bank-receipt'],
  /** Whether payment reports are found by their ids only, or in A46 too, as `payment_reports`. */
  'record-lists': ['by-id', 'in-receipts'],
  /** What A42 answers an equal entry under another key. */
  'bank-receipt-duplicates': ['same-record', 'refused'],
} as const;
