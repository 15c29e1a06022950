/** Choices about requests and replies of every kind, in the order of the open questions. */
export const wireChoices = {
  /** Which order of equal query names is signed: the one that they came in, or that of their values. */
  'query-repeated-names': ['order-sent', 'by-value'],
  /** Whether a repeated query name is refused, or the last of them counts. */
  'query-repeated-values': ['refused', 'last'],
  /** Whether commands need what the SDK takes for required, or every field that their text lists. */
  'command-required-fields': ['usual', 'all'],
  /** How moments are written: milliseconds, no fractions or six digits of them, or none and the offset of India. */
  'time-precision': ['milliseconds', 'seconds', 'microseconds', 'offset'],
  /** Ids of the operations that have none in the text, in the profile and the capabilities. */
  'unlisted-operation-ids': ['slugs', 'unfamiliar', 'absent'],
  /** Who may call the operations that name no actor. */
  'unnamed-actors': ['both', 'partner'],
  /** Of what ids consist behind their kind: hex digits, or capitals and punctuation too. */
  'id-forms': ['hex', 'punctuated'],
  /** Whether pages without an envelope of their own carry `server_time` and `request_id`. */
  'page-envelope-details': ['bare', 'stamped'],
  /** What a list answers past its last page. */
  'page-past-the-end': ['empty', 'not-found'],
  /** What `last_page` says of an empty list. */
  'empty-list-last-page': ['1', '0'],
  /** Whether every reply announces the end of the version, by `Deprecation` and `Sunset`. */
  'api-deprecation': ['none', 'announced'],
  /** Whether a `bidder_reference` that no bid can have is refused in `/bids`, or finds nothing. */
  'bidder-reference-in-queries': ['as-in-bids', 'any'],
} as const;
