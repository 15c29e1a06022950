/** Choices about events, lots and their standing, in the order of the open questions. */
export const catalogueChoices = {
  /** `distribution_mode`: `syndicated`, or a word that nobody has seen. */
  'distribution-mode-values': ['shown', 'unfamiliar'],
  /** `vehicle_details`: texts, and a number for `year`; or the year as a text, nulls and an object. */
  'vehicle-details-types': ['usual', 'mixed'],
  /** Whether the event of a legacy auction says so, with `legacy: true`. */
  'legacy-auctions': ['unmarked', 'marked'],
  /** `channel_status` of a channel that bid and doesn't lead. */
  'channel-status-values': ['no-bid', 'outbid', 'unfamiliar'],
  /** Events by start, bids newest first, results latest close first; or each the other way round. */
  'list-order': ['usual', 'reversed'],
  /** Of which auctions `/lots` holds the lots. */
  'lots-listed': ['live', 'live-and-upcoming'],
  /** Whether `active` may be sent, and whether `scheduled` means all that isn't over instead of `upcoming`. */
  'event-status-active': ['taken', 'refused', 'scheduled-until-over'],
  /** Whether `images` and `documents` lead through the front-controller segment. */
  'media-url-forms': ['with-prefix', 'without-prefix'],
  /** Whether `revision` of an event counts what the bank changes, or never moves. */
  'event-revision': ['counted', 'fixed'],
  /** A direct dealer that asks for the standing of a buyer: refused, or answered with its own. */
  'buyer-of-a-direct-dealer': ['refused', 'ignored'],
} as const;
