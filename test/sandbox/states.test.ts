import { expect, it } from 'vitest';
import { type ActName, acts, isAboutInventory, paidFor } from './commands.js';
import { aDay, type Story, saleAfterIn } from './story.js';

/*
 * Which commands a sale takes at each stage of its life: those of its row are carried out, every other one whose record is
 * there is refused with 409 or, where a star stands at its name, with 422, and changes nothing.
 */

type Refused = `${ActName}*`;
type Stage = readonly [title: string, prepare: Prepare, takes: readonly (ActName | Refused)[]];
type Prepare = readonly (ActName | ((story: Story) => unknown))[];

const always = ['dispute', 'upload'] as const;
const undecided = ['reject', 'offer', 'cancelBid', ...always] as const;
const running = ['cancelSale', 'report', 'import', 'transfer', ...always] as const;
const paid = [...running, 'allocate*', 'askBack'] as const;
const released = [...paidFor, 'release'] as const;
const days = (count: number) => (story: Story) => story.sandbox.clock.advance(count * aDay);
const withdrawn = ({ sandbox, sold }: Story) => sandbox.auctions.withdraw(sold.lotId);
const cancelled = ({ sandbox }: Story) => sandbox.auctions.cancel('live-open');
const unpaid = [...running, 'acknowledge', 'allocate', 'askBack'] as const;

const stages: readonly Stage[] = [
  ['not decided', [], [...undecided, 'approve']],
  ['with an offer that is open', ['offer'], [...undecided, 'accept', 'decline']],
  ['with an offer that is accepted', ['offer', 'accept'], [...undecided, 'approve']],
  ['with an offer that is declined', ['offer', 'decline'], [...undecided, 'approve']],
  ['with an offer that lapsed unanswered', ['offer', days(1)], [...undecided, 'approve']],
  ['with an accepted offer that lapsed', ['offer', 'accept', days(1)], [...undecided]],
  [
    'whose bid is asked to be cancelled',
    ['cancelBid'],
    [...always, 'approve', 'reject', 'offer', 'approveBidCancellation', 'rejectBidCancellation'],
  ],
  [
    'with a cancelled bid',
    ['offer', 'cancelBid', 'approveBidCancellation'],
    [...always, 'reject', 'decline'],
  ],
  ['whose bid is not cancelled after all', ['cancelBid', 'rejectBidCancellation'], [...undecided, 'approve']],
  ['of a withdrawn vehicle', ['offer', withdrawn], [...always, 'reject', 'decline', 'cancelBid']],
  ['in a cancelled auction', ['offer', cancelled], [...always, 'reject', 'decline', 'cancelBid']],
  ['rejected', ['offer', 'reject'], [...always]],
  ['approved', ['approve'], [...running, 'acknowledge']],
  [
    'approved, with a bid that waited for its cancellation',
    ['cancelBid', 'approve'],
    [...running, 'acknowledge', 'rejectBidCancellation'],
  ],
  ['acknowledged', ['approve', 'acknowledge'], [...running]],
  ['with unallocated money', ['approve', 'acknowledge', 'import'], [...running, 'allocate', 'askBack']],
  ['paid, but not acknowledged', ['approve', 'import', 'allocate'], [...paid, 'acknowledge']],
  ['paid', paidFor, [...paid, 'release']],
  ['paid, of a withdrawn vehicle', [...released, 'revoke', 'release', withdrawn], [...paid, 'revoke']],
  ['paid, in a cancelled auction', [...released, 'revoke', cancelled], [...paid]],
  ['with a report', ['approve', 'report', 'import'], [...unpaid, 'verify', 'rejectReport']],
  ['with a report that is verified', ['approve', 'report', 'import', 'verify'], [...unpaid]],
  ['with a report that is rejected', ['approve', 'report', 'import', 'rejectReport'], [...unpaid]],
  ['paid, and disputed', [...paidFor, 'dispute'], [...paid]],
  [
    'paid, and asked to be cancelled',
    [...paidFor, 'cancelSale'],
    [...always, 'approveCancellation', 'rejectCancellation', 'import', 'askBack'],
  ],
  ['released', released, [...paid, 'revoke', 'collect']],
  ['whose release was revoked', [...released, 'revoke'], [...paid, 'release']],
  ['whose release lapsed', [...released, days(3)], [...paid, 'release']],
  ['collected', [...released, 'collect'], [...running, 'allocate*', 'askBack*']],
  [
    'released, and disputed',
    [...released, 'import', 'askBack', 'dispute'],
    [...running, 'allocate', 'askBack', 'rejectRefund', 'revoke'],
  ],
  [
    'released, and asked to be cancelled',
    [...released, 'import', 'cancelSale'],
    [...always, 'approveCancellation', 'rejectCancellation', 'import', 'askBack', 'revoke'],
  ],
  [
    'disputed, and asked to be cancelled',
    ['approve', 'cancelSale', 'dispute'],
    [...always, 'acknowledge', 'approveCancellation', 'rejectCancellation', 'import'],
  ],
  [
    'collected, and asked to be cancelled',
    [...released, 'collect', 'cancelSale'],
    [...always, 'rejectCancellation', 'report', 'import', 'allocate*', 'askBack*', 'transfer'],
  ],
  ['kept after all', [...released, 'cancelSale', 'rejectCancellation'], [...paid, 'revoke', 'collect']],
  [
    'cancelled',
    [...paidFor, 'cancelSale', 'approveCancellation'],
    [...always, 'import', 'askBack*', 'approveRefund', 'rejectRefund'],
  ],
  ['with money asked back', [...released, 'askBack'], [...paid, 'approveRefund', 'rejectRefund', 'revoke']],
  ['of which money went back', [...released, 'askBack', 'approveRefund'], [...paid, 'revoke']],
  ['with a refused refund', [...released, 'askBack', 'rejectRefund'], [...paid, 'revoke', 'collect']],
];

/** Commands about a sale: neither the bank's inventory nor the inbox. */
const names = (Object.keys(acts) as ActName[]).filter((name) => name !== 'read' && !isAboutInventory(name));
const play = async (prepare: Prepare) => {
  const story = await saleAfterIn({ variants: { 'decision-values': 'rejected-too' } });
  for (const step of prepare) await (typeof step === 'string' ? story.do(step) : step(story));
  return story;
};

// rule: state.sale, state.offer, state.cancellation, state.sale-cancellation, state.release, state.dispute
// rule: state.payment-report, state.refund-request, state.transfer, general.3, error-shape.3
it.each(stages)('a sale %s takes what it may, and nothing else', async (_, prepare, takes) => {
  const story = await play(prepare);
  const before = await story.everything();
  for (const name of names) {
    if (takes.includes(name) || (await story.path(name)) === undefined) continue;
    const { status, json } = await story.send(name);
    const isUnfit = takes.includes(`${name}*`);
    expect([name, status, Object.keys(json)]).toEqual(
      isUnfit ? [name, 422, ['message', 'errors']] : [name, 409, ['message']],
    );
  }
  expect(await story.everything()).toEqual(before);
  for (const name of names.filter((each) => takes.includes(each))) {
    expect([name, (await (await play(prepare)).send(name)).status]).toEqual([name, 200]);
  }
});
