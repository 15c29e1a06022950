import { describe, expect, it } from 'vitest';
import { readActions, readOffer, readReceipts, readWinnerUpdate } from '../../src/following/readers.js';

const sale = {
  ...{ id: 'sal_1', bid_id: 'bid_1', bidder_reference: 'buyer-7' },
  ...{ amount: '465000.00', terms_version: 'T3' },
};
const update = { resource_version: 4, lot_id: 'lot_1', sale };
const news = {
  ...{ saleId: 'sal_1', version: 4, lotId: 'lot_1', bidId: 'bid_1', bidderReference: 'buyer-7' },
  ...{ amount: '465000.00', termsVersion: 'T3' },
};
const saleWith = (over: object) => ({ ...update, sale: { ...sale, ...over } });

describe('a winner update', () => {
  it.each([
    ['as the event says it', update, news],
    ['in a data envelope', { type: 'sale.approved', data: update }, news],
    ['of a direct dealer', saleWith({ bidder_reference: null }), { ...news, bidderReference: null }],
    ['with a number as terms version', saleWith({ terms_version: 3 }), { ...news, termsVersion: 3 }],
    [
      'with the sale as its resource',
      { ...saleWith({ id: undefined }), resource_id: 'sal_9' },
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
    ['of the sale that is no amount', saleWith({ amount: 465000 }), 'amount'],
    [
      'of its buyer, where not even null says that there is none',
      saleWith({ bidder_reference: undefined }),
      'bidderReference',
    ],
  ])('names a field %s, and guesses nothing', (_, over, missing) => {
    const reading = readWinnerUpdate({ ...update, ...over });
    expect(reading).toEqual({ complete: false, data: without(news, missing), missing: [missing] });
  });

  it.each([{}, { sale: null }, { sale: [], data: 'text' }])(
    'names everything where nothing is there: %j',
    (given) => {
      const missing = Object.keys(news);
      expect(readWinnerUpdate({ ...given })).toEqual({ complete: false, data: {}, missing });
    },
  );
});

describe('the offer of a sale', () => {
  const terms = { amount: '470000.00', terms_version: 'T4', valid_until: '2026-03-02T10:00:00Z' };
  const offer = { id: 'ofr_1', state: 'open', resource_version: 2 };
  const data = {
    ...{ id: 'ofr_1', state: 'open', version: 2 },
    ...{ amount: '470000.00', termsVersion: 'T4', validUntil: '2026-03-02T10:00:00Z' },
  };

  it.each([
    ['as a record', { ...offer, data: terms }, { complete: true, data }],
    ['flat', { ...offer, ...terms }, { complete: true, data }],
    [
      'with what is missing',
      { ...offer, data: { ...terms, amount: 'much' } },
      { complete: false, data: without(data, 'amount'), missing: ['amount'] },
    ],
    ['as undefined where there is none', null, undefined],
  ])('is read %s', (_, active_offer, reading) => {
    expect(readOffer({ data: { active_offer } })).toEqual(reading);
  });

  it('is undefined for a sale without data', () => {
    expect(readOffer({})).toBeUndefined();
  });
});

it('Receipts are read item by item, records and flat ones', () => {
  const record = { id: 'pay_1', state: 'verified', resource_version: 1 };
  const item = { id: 'pay_1', state: 'verified', version: 1 };
  const file = { purpose: 'payment_evidence', filename: 'a.pdf' };
  const receipts = readReceipts({
    sale_id: 'sal_1',
    payments: [{ ...record, data: { amount: '1000.00' } }, { ...record, amount: '5' }, 'text'],
    documents: [{ ...record, data: file }],
  });
  expect(receipts).toEqual({
    payments: [
      { complete: true, data: { ...item, amount: '1000.00' } },
      { complete: true, data: { ...item, amount: '5' } },
      { complete: false, data: {}, missing: ['id', 'state', 'version', 'amount'] },
    ],
    documents: [{ complete: true, data: { ...item, ...file } }],
    allocations: [],
  });
});

it('Allowed actions are recognised as words, operation ids and methods, and others are passed on', () => {
  const allowed_actions = ['bid', 'A23', 'acknowledge', 'paymentReports.create', 'dance', 'A99'];
  const read = { actions: ['bid', 'acknowledge', 'report_payment'], other: ['dance', 'A99'] };
  expect(readActions({ allowed_actions })).toEqual(read);
  expect(readActions({})).toEqual({ actions: [], other: [] });
});

function without(fields: object, name: string): object {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
}
