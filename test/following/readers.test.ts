import { describe, expect, it } from 'vitest';
import { readActions, readOffer, readReceipts, readWinnerUpdate } from '../../src/following/readers.js';

const sale = {
  id: 'sal_1',
  bid_id: 'bid_1',
  bidder_reference: 'buyer-7',
  amount: '465000.00',
  terms_version: 'T3',
};
const update = { resource_version: 4, lot_id: 'lot_1', sale };
const news = {
  saleId: 'sal_1',
  version: 4,
  lotId: 'lot_1',
  bidId: 'bid_1',
  bidderReference: 'buyer-7',
  amount: '465000.00',
  termsVersion: 'T3',
};

describe('a winner update', () => {
  it.each([
    ['as the event says it', update, news],
    ['in a data envelope', { type: 'sale.approved', data: update }, news],
    [
      'of a direct dealer',
      { ...update, sale: { ...sale, bidder_reference: null } },
      { ...news, bidderReference: null },
    ],
    [
      'with a number as terms version',
      { ...update, sale: { ...sale, terms_version: 3 } },
      { ...news, termsVersion: 3 },
    ],
    [
      'with the sale as its resource',
      { ...update, resource_id: 'sal_9', sale: { ...sale, id: undefined } },
      { ...news, saleId: 'sal_9' },
    ],
  ])('is read %s', (_, given, data) => {
    expect(readWinnerUpdate(given)).toEqual({ complete: true, data });
  });

  it.each([
    ['that is absent', { resource_version: undefined }, 'version'],
    ['of another type', { lot_id: 7 }, 'lotId'],
    ['that is empty', { lot_id: '' }, 'lotId'],
    ['that is no whole number', { resource_version: 4.5 }, 'version'],
    ['of the sale that is no amount', { sale: { ...sale, amount: 465000 } }, 'amount'],
    [
      'of the sale about its buyer, where not even null says that there is none',
      { sale: { ...sale, bidder_reference: undefined } },
      'bidderReference',
    ],
  ])('names a field %s, and guesses nothing', (_, over, missing) => {
    const reading = readWinnerUpdate({ ...update, ...over });
    expect(reading).toEqual({ complete: false, data: without(news, missing), missing: [missing] });
  });

  it('names everything where nothing is there', () => {
    const given: readonly object[] = [{}, { sale: null }, { sale: [], data: 'text' }];
    for (const each of given) {
      expect(readWinnerUpdate({ ...each })).toEqual({
        complete: false,
        data: {},
        missing: Object.keys(news),
      });
    }
  });
});

describe('the offer of a sale', () => {
  const terms = { amount: '470000.00', terms_version: 'T4', valid_until: '2026-03-02T10:00:00Z' };
  const offer = { id: 'ofr_1', state: 'open', resource_version: 2 };
  const read = {
    id: 'ofr_1',
    state: 'open',
    version: 2,
    amount: '470000.00',
    termsVersion: 'T4',
    validUntil: '2026-03-02T10:00:00Z',
  };

  it.each([
    ['as a record', { ...offer, data: terms }],
    ['flat', { ...offer, ...terms }],
  ])('is read %s', (_, active_offer) => {
    expect(readOffer({ data: { active_offer } })).toEqual({ complete: true, data: read });
  });

  it('is undefined where there is none, and incomplete where a field is missing', () => {
    expect([readOffer({}), readOffer({ data: { active_offer: null } })]).toEqual([undefined, undefined]);
    expect(readOffer({ data: { active_offer: { ...offer, data: { ...terms, amount: 'much' } } } })).toEqual({
      complete: false,
      data: without(read, 'amount'),
      missing: ['amount'],
    });
  });
});

describe('receipts', () => {
  it('are read item by item, records and flat ones', () => {
    const record = { id: 'pay_1', state: 'verified', resource_version: 1 };
    const receipts = readReceipts({
      sale_id: 'sal_1',
      payments: [{ ...record, data: { amount: '1000.00' } }, { ...record, amount: '5' }, 'text'],
      documents: [{ ...record, data: { purpose: 'payment_evidence', filename: 'a.pdf' } }],
    });
    const item = { id: 'pay_1', state: 'verified', version: 1 };
    expect(receipts).toEqual({
      payments: [
        { complete: true, data: { ...item, amount: '1000.00' } },
        { complete: true, data: { ...item, amount: '5' } },
        { complete: false, data: {}, missing: ['id', 'state', 'version', 'amount'] },
      ],
      documents: [{ complete: true, data: { ...item, purpose: 'payment_evidence', filename: 'a.pdf' } }],
      allocations: [],
    });
  });
});

describe('allowed actions', () => {
  it('are recognised as words, operation ids and methods, and others are passed on', () => {
    const allowed_actions = ['bid', 'A23', 'acknowledge', 'paymentReports.create', 'dance', 'A99'];
    expect(readActions({ allowed_actions })).toEqual({
      actions: ['bid', 'acknowledge', 'report_payment'],
      other: ['dance', 'A99'],
    });
    expect(readActions({})).toEqual({ actions: [], other: [] });
  });
});

function without(fields: object, name: string): object {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
}
