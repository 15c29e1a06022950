/** Choices about what comes after the award: sales, money, releases, reversals, in the order of the open questions. */
export const saleChoices = {
  /** Summaries of sale and release in the status of a lot. */
  'lot-status-summaries': ['summaries', 'records'],
  /** Which `reason_code` A07, A26 and A50 take. */
  'cancellation-reason-codes': ['any', 'listed'],
  /** Who gets the lot when the bid of a sale is cancelled: nobody, or the next bid, in a sale of its own. */
  'award-after-cancellation': ['nobody', 'next-bid'],
  /** Whether A50 takes the resolution that is wished for, as `desired_resolution`. */
  'dispute-desired-resolution': ['refused', 'desired-resolution'],
  /** What `allowed_actions` are called. */
  'allowed-actions': ['words', 'operation-ids'],
  /** Which record A48 answers with when it approves: the request or the refund. */
  'command-reply-kinds': ['moved-record', 'other-record'],
  /** Whether a command that the state of a record doesn't allow is refused with a message or a code too. */
  'workflow-error-codes': ['message', 'code'],
  /** How a command on an old version is refused. */
  'expected-version-conflict': ['409', '412', '422', 'code'],
  /** Whether a command that makes a record out of another moves the version of that one. */
  'new-record-version': ['moves', 'stays'],
  /** What a sale has where there is no offer, and whether lists have the offer too. */
  'active-offer-shape': ['null', 'absent', 'in-lists'],
  /** What a sale says once its cancellation is approved. */
  'sale-states': ['cancelled', 'approved'],
  /** Whether fields of a sale that it has no value for are null or absent. */
  'sale-absent-fields': ['null', 'absent'],
  /** Whether a sale can be approved at its bid when an offer on it came to nothing. */
  'approval-after-an-offer': ['at-the-bid', 'refused'],
  /** What an offer says that was superseded, or has run out. */
  'offer-states': ['superseded-expired', 'withdrawn-lapsed'],
  /** Whether the bank's decisions are the shown words only, or also `rejected`. */
  'decision-values': ['shown', 'rejected-too'],
  /** Whether A22 and A38 need a second credential of the bank to say the same. */
  'second-approver-reply': ['one-approver', 'two-approvers'],
  /** How an approval (A22) above the `approvalLimit` of a credential is refused. */
  'approval-limit-reply': ['409', '403'],
  /** What a sale cancellation that waits for its decision freezes. */
  'sale-cancellation-holds': ['release-and-money', 'release', 'nothing'],
  /** Where the cancellation of a delivered vehicle is refused: at A27 or as early as A26. */
  'sale-cancellation-after-delivery': ['at-decision', 'at-request'],
  /** Whether an approved cancellation asks for the refund of what was credited. */
  'sale-cancellation-work-items': ['refund-requests', 'none'],
  /** What A34 says of a cancelled sale. */
  'payment-dues-after-cancellation': ['nothing-due', 'not-found'],
  /** Whose `reason` a record has after its decision: as the text lists the fields, or the other one's. */
  'reason-after-decision': ['as-listed', 'other'],
  /** Whether refunds move by hand only, or are carried out by themselves within the hour. */
  'unshown-transitions': ['by-hand', 'by-time'],
  /** Whether persons, places and instructions may be both texts and objects. */
  'party-shapes': ['text-or-object', 'text', 'object'],
  /** Which `method` of a payment A36 takes. */
  'payment-method-values': ['bank-transfer', 'any'],
  /** `state` and `settlement_state` of a payment. */
  'payment-states': ['shown', 'unfamiliar'],
  /** `state` of payment dues. */
  'payment-dues-states': ['shown', 'unfamiliar'],
  /** What A34 says of a sale that is not decided. */
  'payment-dues-before-approval': ['not-found', 'zeros', 'nulls'],
  /** Whether allocated money of a live sale can be refunded. */
  'refund-of-allocated-money': ['lowers-credits', 'refused'],
  /** What an open dispute freezes of its sale. */
  'dispute-freezes': ['release-and-refund', 'everything', 'nothing'],
  /** Which sales can be disputed. */
  'dispute-sale-states': ['any', 'approved'],
  /** Whether the inbox reminds of what is due. */
  'due-reminders': ['a-day-before', 'none'],
  /** What `execution` of a refund is. */
  'refund-execution': ['text', 'object'],
  /** What `request_id` of a refund names. */
  'refund-request-id': ['refund-request', 'api-call'],
  /** What a revocation after the collection is answered: a 409, or the release, and a dispute is open. */
  'release-used-revocation': ['conflict', 'dispute'],
} as const;
