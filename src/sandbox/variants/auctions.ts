/** What the sandbox can do with the times of auctions. */
export const auctionChoices = {
  /** Whether a bid within the last two minutes moves the close to two minutes after it. */
  'late-bid-extension': ['none', 'late-bids-extend'],
} as const;
