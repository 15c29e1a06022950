import { describe, expect, test } from 'vitest';
import { type ActName, paidFor } from './commands.js';
import { type Story, saleAfterIn, told } from './story.js';

const past = '2026-02-01T10:00:00Z';
const ahead = '2026-04-01T10:00:00Z';

type Told = ReturnType<typeof told>;

const sends =
  (name: ActName, change: object = {}) =>
  async (story: Story): Promise<Told> =>
    told(await story.send(name, { ...change }));

/** What is done before, the command that is in question, and the refusal of it. */
const questions: readonly (readonly [
  what: string,
  before: readonly ActName[],
  ask: (story: Story) => Promise<Told>,
  refusal: Told,
])[] = [
  [
    'a second acknowledgment under another key',
    ['approve', 'acknowledge'],
    sends('acknowledge'),
    [409, ['message']],
  ],
  [
    'an offer that is valid until the past',
    [],
    sends('offer', { valid_until: past }),
    [422, ['valid_until']],
  ],
  ['an approval that is due in the past', [], sends('approve', { due_at: past }), [422, ['due_at']]],
  [
    'a report of a payment that is yet to come',
    ['approve'],
    sends('report', { paid_at: ahead }),
    [422, ['paid_at']],
  ],
  [
    'a transfer milestone that is yet to come',
    ['approve'],
    sends('transfer', { occurred_at: ahead }),
    [422, ['occurred_at']],
  ],
  ['a cancellation of the bid of an approved sale', ['approve'], sends('cancelBid'), [409, ['message']]],
  [
    'an approval of the cancellation of a bid whose sale was approved meanwhile',
    ['cancelBid', 'approve'],
    sends('approveBidCancellation'),
    [409, ['message']],
  ],
  ['a second request to cancel a bid', ['cancelBid'], sends('cancelBid'), [409, ['message']]],
  ['a second request to cancel a sale', ['approve', 'cancelSale'], sends('cancelSale'), [409, ['message']]],
  [
    'a second report of a transfer',
    ['approve', 'report'],
    async (story) => sends('report', { utr: story.newest('payment_report').data['utr'] })(story),
    [409, ['message']],
  ],
  [
    'a verification with another amount than that of the receipt',
    ['approve', 'report', 'import'],
    sends('verify', { received_amount: '1.00' }),
    [422, ['received_amount']],
  ],
  [
    'a verification with another account than that of the receipt',
    ['approve', 'report', 'import'],
    sends('verify', { bank_account_reference: 'ACC-OTHER' }),
    [422, ['bank_account_reference']],
  ],
  ['a release that has expired', paidFor, sends('release', { expires_at: past }), [422, ['expires_at']]],
  [
    'an allocation to a sale of another buyer',
    ['approve', 'import'],
    async (story) => {
      const { platform } = story.sandbox.credentials;
      const winning = { who: platform, label: 'live-closed', bidder_reference: 'B' };
      const { sold } = await story.another(winning, 'approve');
      return sends('allocate', { sale_id: sold.saleId, amount: '1.00' })(story);
    },
    [422, ['sale_id']],
  ],
];

describe.each(questions)('%s', (_what, before, ask, refusal) => {
  test('is refused by default', async () => {
    const story = await saleAfterIn({}, ...before);
    const records = story.records();
    expect(await ask(story)).toEqual(refusal);
    if (!before.includes('import')) expect(story.records()).toEqual(records);
  });

  test('is carried out where unstated checks are passed', async () => {
    const story = await saleAfterIn({ variants: { 'unstated-checks': 'passed' } }, ...before);
    expect((await ask(story))[0]).toBe(200);
  });
});

describe('a bid that is cancelled after the approval of its sale', () => {
  test('takes the sale with it, whichever came first, request or approval', async () => {
    for (const before of [
      ['cancelBid', 'approve'],
      ['approve', 'cancelBid'],
    ] as const) {
      const story = await saleAfterIn({ variants: { 'unstated-checks': 'passed' } }, ...before);
      await story.do('approveBidCancellation');
      expect(story.newest('sale').state).toBe('cancelled');
      expect((await story.dues()).state).toBe('cancelled');
      expect((await story.lotStatus()).own_standing).toBe('no_bid');
    }
  });

  test('is refused once the vehicle is delivered', async () => {
    const variants = { 'unstated-checks': 'passed' } as const;
    const story = await saleAfterIn({ variants }, 'cancelBid', ...paidFor, 'release', 'collect');
    expect(told(await story.send('approveBidCancellation'))).toEqual([409, ['message']]);
  });
});

test('of two requests to cancel a sale only one cancels it', async () => {
  const variants = { 'unstated-checks': 'passed' } as const;
  const story = await saleAfterIn({ variants }, 'approve', 'cancelSale', 'cancelSale', 'approveCancellation');
  const [first] = story.all('sale_cancellation');
  const path = `sale-cancellation-requests/${first?.id}/decisions`;
  const { resource_version: expected_version } = first ?? {};
  const second = await story.sendTo(path, 'approveCancellation', { expected_version });
  expect(told(second)).toEqual([409, ['message']]);
});
