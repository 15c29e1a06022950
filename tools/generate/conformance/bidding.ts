import type { Section } from './rule.js';

const grid = 'rules 1 to 5: opening, grid, minimum (increments 5000, 2500, 1000, 0)';
const eligibility = 'rules 7 and 8: who may bid';

export const bidRules: Section = {
  title: 'Bid rules',
  chapter: 'Endpoints',
  rules: [
    {
      label: '1',
      text: 'Amounts climb from the starting price in steps of the increment, counted in paise; off that ladder is `BID_OFF_OPENING_GRID`. `isOnGrid` and `nextOnGrid` reckon it beforehand; what is sent is judged by the service alone.',
      kept: 'client and sandbox',
      code: { 'src/money/grid.ts': ['isOnGrid', 'nextOnGrid'], 'src/sandbox/bid-rules.ts': 'isOnGrid' },
      tests: {
        'test/money/grid.test.ts': [
          'isOnGrid > counts from the opening price, not from zero',
          'isOnGrid > counts in paise, where doubles would err',
          'isOnGrid > has no grid where the increment is zero',
        ],
        'test/sandbox/bid-rules.test.ts': [
          `${grid} > open, no bid yet: %s > a paisa over`,
          `${grid} > an increment of zero: no grid, the opening and the highest are the floor`,
        ],
      },
    },
    {
      label: '2',
      text: 'Where nobody has bid yet, the starting price will do.',
      kept: 'client and sandbox',
      code: { 'src/money/minimum-bid.ts': 'minimumBid', 'src/sandbox/bid-rules.ts': 'minimum' },
      tests: {
        'test/money/minimum-bid.test.ts': 'minimumBid > %s > open, no bid yet',
        'test/sandbox/bid-rules.test.ts': `${grid} > open, no bid yet: %s > the opening`,
      },
    },
    {
      label: '3',
      text: "In an open auction one has to beat the highest amount by an increment, be it one's own.",
      kept: 'client and sandbox',
      code: { 'src/money/minimum-bid.ts': ['minimumBid', 'nextBids'], 'src/sandbox/bid-rules.ts': 'minimum' },
      tests: {
        'test/money/minimum-bid.test.ts': 'minimumBid > %s > open, led',
        'test/sandbox/bid-rules.test.ts': [
          `${grid} > open, highest at opening + 20000: %s`,
          `${grid} > open: the highest counts, one’s own included`,
        ],
      },
    },
    {
      label: '4',
      text: 'In a closed auction one has to beat only oneself by an increment, else it is `BID_BELOW_MINIMUM`; the leader stays hidden and may well be higher.',
      kept: 'client and sandbox',
      code: { 'src/money/minimum-bid.ts': 'minimumBid', 'src/sandbox/bid-rules.ts': 'minimum' },
      tests: {
        'test/money/minimum-bid.test.ts': [
          'minimumBid > %s > closed, own bid',
          'minimumBid > %s > closed, below a known leader',
        ],
        'test/sandbox/bid-rules.test.ts': [
          `${grid} > closed: one’s own previous counts, the hidden leader doesn’t`,
          `${grid} > closed: every buyer of a platform has a previous of its own`,
        ],
        'test/sandbox/standings.test.ts': 'closed auctions hide the highest amount everywhere',
      },
    },
    {
      label: '5',
      text: 'In a legacy auction the increment goes on top of the bid before, and of the opening price where there is none. No field tells such an auction, so `minimumBid` has to be told.',
      kept: 'client and sandbox',
      code: {
        'src/money/minimum-bid.ts': ['minimumBid', 'BidSituation.bidType'],
        'src/sandbox/bid-rules.ts': 'minimum',
      },
      tests: {
        'test/money/minimum-bid.test.ts': [
          'minimumBid > %s > legacy, previous bid',
          'minimumBid > %s > legacy, none: opening plus increment',
        ],
        'test/sandbox/bid-rules.test.ts': `${grid} > legacy: opening or previous, plus increment`,
      },
    },
    {
      label: '6',
      text: 'A bid counts from when it arrives, in server time: from the start on, and before the close. At any other time it is `LOT_NOT_LIVE`, which the client hands on as a rejection.',
      kept: 'sandbox',
      code: { 'src/sandbox/catalogue.ts': 'statusAt', 'src/sandbox/bid-rules.ts': 'brokenRules' },
      tests: {
        'test/sandbox/bid-rules.test.ts': [
          'rule 6: the window > the start is inclusive',
          'rule 6: the window > the close is exclusive',
          'rule 6: the window > over, cancelled, withdrawn, closed early, extended',
        ],
        'test/sandbox/faults.test.ts': 'a bid that arrived in time and was held past the close is in time',
        'test/wire/codes.ts': '422 LOT_NOT_LIVE, recorded',
      },
    },
    {
      label: '7',
      text: 'The dealer must be cleared in every way, and an active partner account is only one of them. `eligibility.check` asks, reserves nothing and proves nothing; the sandbox answers with what a bid would meet at that moment, and judges each fact again when the bid comes.',
      kept: 'sandbox',
      code: {
        'src/sandbox/bid-rules.ts': ['accessCodes', 'brokenRules'],
        'src/sandbox/handlers/eligibility.ts': 'check',
        'src/api/eligibility.ts': 'eligibility.operations.check',
      },
      tests: {
        'test/sandbox/bid-eligibility.test.ts': [
          `${eligibility} > %s: a recorded rejection`,
          `${eligibility} > the limit itself is within the limit`,
          `${eligibility} > %s: refused, nothing recorded`,
          `${eligibility} > lots that are another bank’s, or assigned to others, or nobody’s`,
        ],
        'test/sandbox/eligibility.test.ts': [
          '%s: the codes that the bid then gets',
          'it reserves and records nothing',
        ],
        'test/wire/cases/integration.ts': 'eligibility.check',
      },
    },
    {
      label: '8',
      text: 'Who bids for others names the buyer, who bids for itself names none. The type of the client makes the wrong one a compile error, and a wrong call is refused before it is sent; the sandbox answers with the two codes.',
      kept: 'client and sandbox',
      code: { 'src/client/partner-rules.ts': 'partnerRules', 'src/sandbox/bid-rules.ts': 'brokenRules' },
      tests: {
        'test/client/types.test.ts': 'let the right actor call, and nobody else',
        'test/client/input.test.ts': 'a platform must name the buyer, legally',
        'test/client/hostile-values.test.ts': [
          'keys, versions and names > $party $name: no buyer at all',
          'keys, versions and names > a direct dealer names no buyer, however',
        ],
        'test/sandbox/bid-eligibility.test.ts': `${eligibility} > platforms and aggregators name a buyer, direct dealers don’t`,
      },
    },
    {
      label: '9',
      text: 'A key stands for one intended bid and a nonce for one attempt. After whatever leaves the outcome open the client sends the same bytes under the same key, with nonce, timestamp and signature made anew; other content under a known key is a conflict; `bids.lookup` asks what became of a key. `bids.place` does all of it for one intended bid, which is on record before it leaves, across crashes and processes.',
      kept: 'client and sandbox',
      code: {
        'src/core/prepare.ts': 'prepare',
        'src/core/stamp.ts': 'stampAndSign',
        'src/core/retry.ts': 'Retries.waitAfter',
        'src/core/classify.ts': 'classify',
        'src/api/bids.ts': 'bids.operations.lookup',
        'src/intents/recorded-call.ts': 'RecordedCall.departing',
        'src/intents/fold.ts': 'fold',
        'src/bids/place.ts': 'placeBid',
        'src/bids/lookup.ts': 'lookUp',
        'src/bids/settle.ts': 'settleBid',
        'src/sandbox/idempotency.ts': 'keyed',
        'src/sandbox/nonces.ts': 'NonceMemory.take',
      },
      tests: {
        'test/core/bid-call.test.ts': [
          'resends the identical bytes under the same key, with a fresh nonce, timestamp and signature',
          'uses a fresh nonce after NONCE_REPLAYED',
        ],
        'test/core/outcome.test.ts': 'what several attempts mean together > %s',
        'test/wire/codes-suite.ts': '%s by a %s, answered at last',
        'test/wire/cases/integration.ts': 'bids.lookup',
        'test/e2e/days.test.ts': 'faults of the network never double or lose a bid > %s, then %s',
        'test/bids/commits.test.ts': 'a bid leaves after two commits, and is told after a third',
        'test/intents/recover.test.ts':
          'is sent again with the identical bytes, under the same key, with a nonce and a signature of its own',
        'test/bids/lookups.test.ts':
          'sends the same bytes again under a fresh nonce, once the lot is read (A10)',
        'test/damage/killing.test.ts': [
          'neither double, lose nor change anything on SQLite, one process',
          'neither double, lose nor change anything on Postgres, three processes',
        ],
        'test/sandbox/idempotency.test.ts': [
          'anything changed under a key is a conflict, and changes nothing',
          'a key belongs to one client',
          'A06 finds what was recorded',
        ],
      },
    },
  ],
};
