import { expectTypeOf, it } from 'vitest';
import type { BankClient } from '../../src/client/bank-client.js';
import type { PartnerClient } from '../../src/client/partner-client.js';
import { fileContent } from '../../src/core/request/file-body.js';
import type { BidReceipt, DealerBidsSubmitBody, PlatformBidsSubmitBody } from '../../src/generated/bids.js';
import type { AuctionEvent, EventLot } from '../../src/generated/events.js';
import type { InventoryCommandRecord } from '../../src/generated/inventory.js';
import type { OfferRecord } from '../../src/generated/offers.js';
import type { ReleaseRecord } from '../../src/generated/releases.js';
import type { SaleRecord } from '../../src/generated/sale-cases.js';
import type { Pager } from '../../src/ports/list.js';

declare const dealer: PartnerClient<'direct_dealer'>;
declare const platform: PartnerClient<'platform'>;
declare const either: PartnerClient;
declare const bank: BankClient;

/** Compiled, never run. */
function bidding(): void {
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
  // @ts-expect-error the set of request values is complete
  dealer.events.list({ status: 'open' });
  // @ts-expect-error a read has no idempotency key
  dealer.bids.get('bid_1', { idempotencyKey: 'x' });
  // @ts-expect-error a bid is exactly what the API describes
  dealer.bids.submit('lot_1', { amount: '465000' }, { extraBody: { note: 'x' } });
}

/** Records in place of their ids, compiled and never run. */
function versions(release: ReleaseRecord, command: InventoryCommandRecord): void {
  bank.releases.revoke(release);
  bank.releases.revoke(release, { reason: undefined }, { extraBody: { note: 1 } });
  bank.releases.revoke(release.id, { expected_version: 1 });
  // @ts-expect-error an id alone has no version
  bank.releases.revoke(release.id);
  // @ts-expect-error a record has an id
  bank.releases.revoke({ sale_id: 'sal_1', resource_version: 1 });
  bank.inventory.updateVehicle(command);
  // @ts-expect-error a release is no vehicle
  bank.inventory.updateVehicle(release);
}

/** The workflow, compiled and never run. */
function workflow(sale: SaleRecord, offer: OfferRecord, command: InventoryCommandRecord): void {
  const decision = { decision: 'approved', bid_id: 'bid_1', terms_version: '3' } as const;
  bank.saleCases.decide(sale, { ...decision, decision: 'a decision of next year' });
  bank.saleCases.decide(sale.id, { ...decision, expected_version: sale.resource_version });
  dealer.offers.respond(offer, { decision: 'accepted', terms_version: 3 });
  bank.inventory.updateVehicle(command, { title: 'Swift' });
  const upload = { sale_id: 'sal_1', purpose: 'payment_evidence', filename: 'slip.pdf' };
  bank.documents.upload({ ...upload, content_base64: fileContent('./slip.pdf') });
  bank.webhookSubscriptions.create({ name: 'a', url: 'https://a.example', events: ['of.next.year'] });

  // @ts-expect-error a partner makes no bank decision
  dealer.saleCases.decide(sale, decision);
  // @ts-expect-error a bank acknowledges no sale
  bank.saleCases.acknowledge(sale, { terms_version: '3' });
  // @ts-expect-error an id alone has no version
  bank.saleCases.decide(sale.id, decision);
  // @ts-expect-error the set of responses is complete
  dealer.offers.respond(offer, { decision: 'maybe', terms_version: 3 });
  const terms = { amount: '1', terms_version: 1, valid_until: '2026-03-02T06:00:00Z' } as const;
  // @ts-expect-error all money is in INR
  bank.saleCases.offer(sale, { ...terms, currency: 'USD' });
  // @ts-expect-error money is never a number
  bank.payments.allocate('pay_1', { sale_id: 'sal_1', amount: 465000, expected_version: 1 });
  // @ts-expect-error a planned operation has no method (A28)
  dealer.deposits.list();
  // @ts-expect-error a file is for fields of bytes
  bank.saleCases.decide(sale, { ...decision, reason: fileContent('./why.txt') });
}

// rule: general.4, general.5, bid.8
it('The types let the right actor call, and nobody else', () => {
  expectTypeOf([bidding, versions, workflow]).toBeArray();
  type Body<Client extends { bids: { submit(...args: never[]): unknown } }> = Parameters<
    Client['bids']['submit']
  >[1];
  expectTypeOf<Body<typeof dealer>>().toEqualTypeOf<DealerBidsSubmitBody>();
  expectTypeOf<Body<typeof platform>>().toEqualTypeOf<PlatformBidsSubmitBody>();
  expectTypeOf<Body<typeof either>>().toEqualTypeOf<DealerBidsSubmitBody | PlatformBidsSubmitBody>();
});

it('The types of replies have names, and keep their enums open', () => {
  expectTypeOf<typeof dealer.bids.submit>().returns.resolves.toEqualTypeOf<BidReceipt>();
  expectTypeOf<typeof bank.events.list>().returns.toEqualTypeOf<Pager<AuctionEvent>>();
  expectTypeOf<typeof bank.request>().returns.resolves.toBeUnknown();
  expectTypeOf<EventLot['starting_price']>().toEqualTypeOf<string>();
  const state: SaleRecord['state'] = 'a state of next year';
  expectTypeOf(state).toBeString();
});
