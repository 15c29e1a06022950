import type { Section } from './rule.js';

export const deliveryModel: Section = {
  title: 'Delivery model',
  chapter: 'Events',
  rules: [
    {
      label: '1',
      text: 'An event can come twice, so receivers know it by its id. `verifyWebhook` gives the id of the signed body and refuses a header that says another; keeping the ids is up to the receiver, in this version. Every attempt and every repetition of the sandbox has the id of the first, in header and body.',
      kept: 'client and sandbox',
      code: {
        'src/webhooks/verify.ts': ['verifyWebhook', 'checkEventId'],
        'src/sandbox/webhooks/outbox.ts': 'Outbox.freeze',
        'src/sandbox/webhooks/webhooks.ts': 'Webhooks.deliverAgain',
      },
      tests: {
        'test/webhooks/verify.test.ts': [
          'verifyWebhook > gives the event',
          'refuses an event id header that is %s',
        ],
        'test/sandbox/webhooks/delivery.test.ts': [
          'is attempted eight times at the most: the same body and event, a fresh time and signature',
          'deliver an event a second time, pending or not, once',
        ],
        'test/sandbox/webhooks/events.test.ts':
          'every subscription of a client, with one event id and a secret of its own each',
      },
    },
    {
      label: '2',
      text: 'The client has nothing to do but to subscribe with an https URL, which the SDK insists on. The sandbox follows no redirect, looks the destination up before each attempt and connects to what it found, delivers to no private or reserved address unless it was asked to, and gives up an attempt in time.',
      kept: 'client and sandbox',
      code: {
        'src/api/webhook-subscriptions.ts': 'httpsUrl',
        'src/sandbox/webhooks/destination.ts': ['destinationOf', 'isPublic'],
        'src/sandbox/webhooks/post-over-network.ts': ['postOverNetwork', 'pinnedTo'],
        'src/sandbox/webhooks/delivery-rules.ts': 'timings',
      },
      tests: {
        'test/api/inputs.test.ts': 'bodies > refuse %j for a webhook',
        'test/sandbox/webhooks/destination.test.ts': [
          'destinations > %s: %s is not public',
          'private ones may be asked for: HTTP and loopback, but no user and no other scheme',
        ],
        'test/sandbox/webhooks/network.test.ts': [
          'over the network > a %i is not followed',
          'not to private addresses, unless asked for: nothing is sent',
          'are looked up before every attempt, once, and the connection goes where the look-up led',
          'are blocked when the name has moved to a private address since',
          'a receiver that takes too long is cut off',
        ],
        'test/sandbox/webhooks/delivery.test.ts':
          'that nobody answers is given up in time (%s: %i ms), and tried again',
      },
    },
    {
      label: '3',
      text: 'Eight attempts at the most, further and further apart, for failures that tend to pass; any 2xx ends them. There is nothing for a client to do; a receiver answers fast, and the SDK brings the judging, not the server. Waits and timeouts are not shown: those of the sandbox are ten seconds to three hours, in its own time.',
      kept: 'sandbox',
      code: {
        'src/sandbox/webhooks/courier.ts': 'Courier.dispatch',
        'src/sandbox/webhooks/delivery-rules.ts': ['deliveryRules', 'isPassing', 'mostAttempts'],
      },
      tests: {
        'test/sandbox/webhooks/delivery.test.ts': [
          'is attempted eight times at the most: the same body and event, a fresh time and signature',
          'ends with the first acknowledgment, whichever attempt it comes to',
          'answered %i is %s, by the other choice %s',
          'waits shorter by the other choice',
        ],
        'test/sandbox/webhooks/network.test.ts': 'nobody there is a failure that passes',
      },
    },
    {
      label: '4',
      text: 'Delivery logs and replays are A16 and A17, which are planned: they stand in `plannedOperations`, and `request()` can call them once they open. In the sandbox they are hands.',
      kept: 'client and sandbox',
      code: {
        'src/api/planned.ts': 'plannedOperations',
        'src/core/raw-route.ts': 'rawCall',
        'src/sandbox/webhooks/webhooks.ts': ['Webhooks.deliveries', 'Webhooks.replay'],
      },
      tests: {
        'test/api/service.test.ts': 'plans what the text lists as not callable',
        'test/client/request.test.ts': 'signs and sends a planned operation, and resolves with its data',
        'test/sandbox/webhooks/delivery.test.ts':
          'replay what was delivered or has failed: the same event, eight attempts again',
        'test/sandbox/webhooks/outbox.test.ts':
          'the log keeps what is pending, and of the rest the latest 10,000',
      },
    },
    {
      label: '5',
      text: 'What was missed is read from the winner updates, along their cursor.',
      kept: 'client and sandbox',
      code: {
        'src/api/winner-updates.ts': 'winnerUpdates.operations.list',
        'src/paging/cursor-pager.ts': 'CursorPager.pages',
        'src/sandbox/handlers/winner-updates.ts': 'list',
      },
      tests: {
        'test/core/cursor-pager.test.ts':
          'is walked from the cursor that the query names, to the page without a next one',
        'test/wire/walks.test.ts': 'every list, walked on a real socket > $operation > winnerUpdates.list',
        'test/sandbox/winner-updates.test.ts':
          'go on from a cursor, by limit, and say so of a cursor that is none',
        'test/sandbox/webhooks/delivery.test.ts':
          'lose what happens during a pause that loses, and only that',
        'test/e2e/workflow.test.ts': 'winner updates go on from a cursor, and the inbox is marked',
      },
    },
    {
      label: '6',
      text: 'A new subscription is proved by answering its challenge. `challengeOf` reads it from a verified event, wherever it stands. The sandbox makes a subscription active for a 2xx with the same challenge at the top of its JSON, and delivers nothing else before.',
      kept: 'client and sandbox',
      code: {
        'src/webhooks/challenge.ts': 'challengeOf',
        'src/webhooks/parse.ts': 'withObjectData',
        'src/sandbox/webhooks/webhooks.ts': ['Webhooks.add', 'Webhooks.verify'],
        'src/sandbox/webhooks/courier.ts': ['judged', 'repeats'],
      },
      tests: {
        'test/webhooks/verify.test.ts': [
          'challengeOf > %s',
          'verifyWebhook > answers no challenge that is no text',
        ],
        'test/sandbox/webhooks/subscriptions.test.ts': [
          'the challenge > is a signed event; by the choice %s it stands beside data: %s',
          'the challenge > answered with %s is judged, once',
          'is what verifies: an event that is acknowledged does not',
          'is tried again by hand, with another text, until it is answered',
        ],
        'test/sandbox/webhooks/events.test.ts': 'nobody before the endpoint is verified',
      },
    },
  ],
};
