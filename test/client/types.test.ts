import { describe, expectTypeOf, it } from 'vitest';
import type { BankClient } from '../../src/client/bank-client.js';
import type { PartnerClient } from '../../src/client/partner-client.js';
import { fileContent } from '../../src/core/request/body.js';
import type { BidReceipt, DealerBidsSubmitBody, PlatformBidsSubmitBody } from '../../src/models/bids.js';
import type { AuctionEvent, EventLot } from '../../src/models/events.js';
import type { InventoryCommandRecord } from '../../src/models/inventory.js';
import type { OfferRecord } from '../../src/models/offers.js';
import type { SaleRecord } from '../../src/models/sale-cases.js';
import type { WinnerUpdate } from '../../src/models/winner-updates.js';
import type { CursorPager } from '../../src/paging/cursor-pager.js';
import type { Pager } from '../../src/paging/pager.js';

declare const dealer: PartnerClient<'direct_dealer'>;
declare const platform: PartnerClient<'platform'>;
declare const either: PartnerClient;
declare const bank: BankClient;

/** Compiled, never run. */
function compiled(): void {
  dealer.bids.submit('lot_1', { amount: '465000' });
  platform.bids.submit('lot_1', { amount: '465000', bidder_reference: 'buyer-9' });
  either.bids.submit('lot_1', { amount: '465000' });

  // @ts-expect-error a direct dealer names no buyer
  dealer.bids.submit('lot_1', { amount: '465000', bidder_reference: 'buyer-9' });
  // @ts-expect-error a platform names the buyer
  platform.bids.submit('lot_1', { amount: '465000' });
  // @ts-expect-error money is never a number
  dealer.bids.submit('lot_1', { amount: 465000 });
  // @ts-expect-error a misspelt field
  dealer.bids.submit('lot_1', { amount: '465000', price: '1' });
  // @ts-expect-error a bank doesn't bid
  bank.bids.submit('lot_1', { amount: '465000' });
  // @ts-expect-error a bank has no look-up of bid requests
  bank.bids.lookup('3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f');
  // @ts-expect-error lot status is a partner's
  bank.lots.status('lot_1');
  // @ts-expect-error the set of request values is complete
  dealer.events.list({ status: 'open' });
  // @ts-expect-error a read has no idempotency key
  dealer.bids.get('bid_1', { idempotencyKey: 'x' });
  // @ts-expect-error a bid is exactly what the API describes
  dealer.bids.submit('lot_1', { amount: '465000' }, { extraBody: { note: 'x' } });
}

/** The workflow, compiled and never run. */
function workflow(sale: SaleRecord, offer: OfferRecord, command: InventoryCommandRecord): void {
  const decision = { decision: 'approved', bid_id: 'bid_1', terms_version: '3' } as const;
  bank.saleCases.decide(sale, decision);
  bank.saleCases.decide(sale.id, { ...decision, expected_version: sale.resource_version });
  bank.saleCases.decide(sale, { ...decision, decision: 'a decision of next year' });
  dealer.offers.respond(offer, { decision: 'accepted', terms_version: 3 });
  bank.inventory.updateVehicle(command, { title: 'Swift' });
  bank.documents.upload({
    sale_id: 'sal_1',
    purpose: 'payment_evidence',
    filename: 'slip.pdf',
    content_base64: fileContent('./slip.pdf'),
  });
  bank.webhookSubscriptions.create({
    name: 'a',
    url: 'https://a.example',
    events: ['sale.approved', 'of.next.year'],
  });

  // @ts-expect-error a partner makes no bank decision
  dealer.saleCases.decide(sale, decision);
  // @ts-expect-error a partner releases no vehicle
  platform.saleCases.authorizeRelease(sale, {});
  // @ts-expect-error a partner has no inventory
  dealer.inventory.schemas();
  // @ts-expect-error a partner decides no cancellation
  dealer.bidCancellations.decide('can_1', { decision: 'approved', expected_version: 1 });
  // @ts-expect-error a bank acknowledges no sale
  bank.saleCases.acknowledge(sale, { terms_version: '3' });
  // @ts-expect-error a bank reports no payment
  bank.paymentReports.create({});
  // @ts-expect-error a bank asks for no eligibility
  bank.eligibility.check({ lot_id: 'lot_1' });
  // @ts-expect-error an id alone has no version
  bank.saleCases.decide(sale.id, decision);
  // @ts-expect-error the set of responses is complete
  dealer.offers.respond(offer, { decision: 'maybe', terms_version: 3 });
  const inDollars = {
    amount: '1',
    currency: 'USD',
    terms_version: 1,
    valid_until: '2026-03-02T06:00:00Z',
  } as const;
  // @ts-expect-error all money is in INR
  bank.saleCases.offer(sale, inDollars);
  // @ts-expect-error money is never a number
  bank.payments.allocate('pay_1', { sale_id: 'sal_1', amount: 465000, expected_version: 1 });
  // @ts-expect-error a planned operation has no method (A28)
  dealer.deposits.list();
  // @ts-expect-error a planned operation has no method (A64)
  bank.auctions.create({});
  // @ts-expect-error a planned operation has no method (A14)
  bank.webhookSubscriptions.list();
  // @ts-expect-error a file is for fields of bytes
  bank.saleCases.decide(sale, { ...decision, reason: fileContent('./why.txt') });
}

describe('types', () => {
  // rule: general.4, general.5, bid.8
  it('let the right actor call, and nobody else', () => {
    expectTypeOf(compiled).toBeFunction();
    expectTypeOf(workflow).toBeFunction();
    expectTypeOf<Parameters<typeof dealer.bids.submit>[1]>().toEqualTypeOf<DealerBidsSubmitBody>();
    expectTypeOf<Parameters<typeof platform.bids.submit>[1]>().toEqualTypeOf<PlatformBidsSubmitBody>();
    expectTypeOf<Parameters<typeof either.bids.submit>[1]>().toEqualTypeOf<
      DealerBidsSubmitBody | PlatformBidsSubmitBody
    >();
  });

  it('give named interfaces, and reads that both sides have', () => {
    expectTypeOf<typeof dealer.bids.submit>().returns.resolves.toEqualTypeOf<BidReceipt>();
    expectTypeOf<typeof bank.events.list>().returns.toEqualTypeOf<Pager<AuctionEvent>>();
    expectTypeOf<typeof bank.bids.get>().returns.resolves.toHaveProperty('errors');
    expectTypeOf<typeof bank.saleCases.get>().returns.resolves.toEqualTypeOf<SaleRecord>();
    expectTypeOf<typeof dealer.winnerUpdates.list>().returns.toEqualTypeOf<CursorPager<WinnerUpdate>>();
    expectTypeOf<typeof bank.request>().returns.resolves.toBeUnknown();
    expectTypeOf<EventLot['starting_price']>().toEqualTypeOf<string>();
    expectTypeOf<BidReceipt['current_amount']>().toEqualTypeOf<string | null | undefined>();
  });

  it('keep enums of replies open', () => {
    const status: AuctionEvent['status'] = 'a value of next year';
    const state: SaleRecord['state'] = 'a state of next year';
    expectTypeOf(status).toBeString();
    expectTypeOf(state).toBeString();
  });
});
