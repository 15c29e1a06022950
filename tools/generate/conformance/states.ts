import type { Section } from './rule.js';

export const eventStates: Section = {
  title: 'Event states',
  chapter: 'States and transitions',
  rules: [
    {
      label: 'upcoming to live',
      text: 'With the first millisecond of the start.',
      kept: 'sandbox',
      code: { 'src/sandbox/catalogue.ts': 'statusAt', 'src/api/events.ts': 'AuctionEvent' },
      tests: {
        'test/sandbox/events.test.ts': 'status moves with the clock, and the revision with the bank',
        'test/sandbox/bid-rules.test.ts': 'the start is inclusive',
        'test/sandbox/schedules.test.ts':
          'the opening of an auction > is %s: it counts once, at its new time',
      },
    },
    {
      label: 'live to over',
      text: 'With the first millisecond of the close. From then on its lots stand among the results. A closed auction never shows its highest amount.',
      kept: 'sandbox',
      code: {
        'src/sandbox/catalogue.ts': 'statusAt',
        'src/sandbox/standings.ts': 'visibleHighest',
        'src/sandbox/handlers/results.ts': 'list',
      },
      tests: {
        'test/sandbox/bid-rules.test.ts': 'the close is exclusive',
        'test/sandbox/standings.test.ts': 'closed auctions hide the highest amount everywhere',
        'test/sandbox/lot-status-after-close.test.ts': 'hides the highest amount of a closed auction still',
        'test/sandbox/results.test.ts':
          'a closing auction is listed with its close, before those of older closes',
      },
    },
    {
      label: 'Cancelled',
      text: 'No list holds it any more.',
      kept: 'sandbox',
      code: {
        'src/sandbox/catalogue.ts': 'visibleAuctions',
        'src/sandbox/controls.ts': 'AuctionControls.cancel',
      },
      tests: {
        'test/sandbox/events.test.ts': 'what isn’t the caller’s is a 404 or left out',
        'test/sandbox/results.test.ts': 'withdrawn, cancelled, unassigned and other banks’ lots are left out',
      },
    },
    {
      label: 'Close moved',
      text: 'The close that counts is `effective_close_at`, and A10, A11 and receipts tell it. The event about it goes to every partner that the auction is assigned to, with the close before and the one first scheduled, and is typed for receivers.',
      kept: 'client and sandbox',
      code: {
        'src/sandbox/controls.ts': 'AuctionControls.moveClose',
        'src/sandbox/workflow/schedule.ts': 'moveEnd',
        'src/sandbox/workflow/schedule-news.ts': 'announceSchedule',
        'src/api/webhook-events.ts': 'ScheduleChangedData',
        'src/api/lots.ts': 'LotStatus',
      },
      tests: {
        'test/sandbox/bid-rules.test.ts': 'over, cancelled, withdrawn, closed early, extended',
        'test/sandbox/events.test.ts': 'status moves with the clock, and the revision with the bank',
        'test/sandbox/schedules.test.ts': [
          'the close of a live auction > %s: shown, counted and announced',
          'decides the bids: those before it, moved as it is, and none after',
        ],
        'test/sandbox/webhooks/events.test.ts':
          'tells every assigned partner where the close was, is, and was to be',
        'test/webhooks/verify.test.ts': 'verifyWebhook > passes $type > auction.schedule_changed',
      },
    },
  ],
};

export const bidStates: Section = {
  title: 'Bid states',
  chapter: 'States and transitions',
  rules: [
    {
      label: 'accepted',
      text: 'Every check passed: 201, the version of the lot grows, standings move. Only `data.status` of a success says so, never a `bid_id`.',
      kept: 'client and sandbox',
      code: { 'src/core/success.ts': 'successOf', 'src/sandbox/bidding.ts': 'decideBid' },
      tests: {
        'test/wire/cases/bids.ts': 'bids.submit',
        'test/core/outcome.test.ts': 'what contradicts itself, or is oddly shaped > %s',
        'test/sandbox/standings.test.ts': 'no bid, leading, outbid, leading again',
        'test/sandbox/idempotency.test.ts': 'acceptance, literally, and its replay',
      },
    },
    {
      label: 'rejected',
      text: 'Some check failed: 422, recorded under the key and told again as it was. The client throws `BidRejectedError` with every code and the record, and never bids anew.',
      kept: 'client and sandbox',
      code: {
        'src/errors/api.ts': 'BidRejectedError',
        'src/core/classify.ts': 'classify',
        'src/sandbox/bidding.ts': 'decideBid',
      },
      tests: {
        'test/wire/codes.ts': '422 with every reason, recorded',
        'test/core/outcome.test.ts': 'carries the recorded rejection and the request id',
        'test/sandbox/idempotency.test.ts':
          'rejection, literally, and its replay: even when it would be accepted by now',
        'test/sandbox/bid-rules.test.ts': 'every broken rule is listed, the first as the code',
      },
    },
    {
      label: 'Standings',
      text: '`no_bid`, `leading`, `outbid` of a buyer, and apart from it the standing of the channel. The client lets values pass that it does not know.',
      kept: 'client and sandbox',
      code: {
        'src/sandbox/standings.ts': ['bidderStatus', 'channelStatus'],
        'src/api/events.ts': 'EventLot',
      },
      tests: {
        'test/sandbox/standings.test.ts': [
          'no bid, leading, outbid, leading again',
          'a platform’s buyers stand apart, its channel together',
        ],
        'test/core/decode.test.ts': 'keeps unknown fields and unknown values of known enums',
      },
    },
  ],
};
