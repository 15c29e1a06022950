import { describe, expectTypeOf, it } from 'vitest';
import type { BankClient } from '../../src/client/bank-client.js';
import type { PartnerClient } from '../../src/client/partner-client.js';
import type { BidReceipt, DealerBidsSubmitBody, PlatformBidsSubmitBody } from '../../src/models/bids.js';
import type { AuctionEvent, EventLot } from '../../src/models/events.js';
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
}

describe('types', () => {
  it('let the right actor call, and nobody else', () => {
    expectTypeOf(compiled).toBeFunction();
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
    expectTypeOf<EventLot['starting_price']>().toEqualTypeOf<string>();
    expectTypeOf<BidReceipt['current_amount']>().toEqualTypeOf<string | null | undefined>();
  });

  it('keep enums of replies open', () => {
    const status: AuctionEvent['status'] = 'a value of next year';
    expectTypeOf(status).toBeString();
  });
});
