import { describe, expect, it } from 'vitest';
import { BankClient } from '../../src/client/bank-client.js';
import {
  readActions,
  readNotification,
  readOffer,
  readReceipts,
  readWinnerUpdate,
} from '../../src/following/readers.js';
import { startSandbox } from '../../src/sandbox/index.js';

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
      'with ids, version and amount in the types that PHP writes',
      { ...saleWith({ id: 1004, amount: 465_000 }), resource_version: '4' },
      { ...news, saleId: '1004' },
    ],
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
    ['of another type', { lot_id: 7.5 }, 'lotId'],
    ['that is empty', { lot_id: '' }, 'lotId'],
    ['that is no whole number', { resource_version: 4.5 }, 'version'],
    ['of the sale that is no amount', saleWith({ amount: 465000.123 }), 'amount'],
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

describe('a message of the inbox', () => {
  const message = {
    id: 'ntf_1',
    type: 'payment.reported',
    resource_version: 1,
    created_at: '2026-03-02T10:00:00Z',
  };
  const news = {
    type: 'payment.reported',
    kind: 'payment_report',
    id: 'prp_1a',
    version: 1,
    ids: { payment_report: 'prp_1a', sale: 'sal_2b' },
    amounts: ['465000.00'],
  };

  it.each<[string, object]>([
    ['with a headline', { subject: 'Payment reported: payment report prp_1a of sale sal_2b: INR 465000.00' }],
    ['with ids of letters', { subject: 'Payment report prp_1a for SALE sal_2b, INR 465000.00.' }],
    [
      'with a record',
      { subject: { kind: 'payment_report', id: 'prp_1a', data: { sale_id: 'sal_2b', amount: '465000.00' } } },
    ],
    [
      'with a resource',
      {
        subject: {
          resource_type: 'payment_report',
          resource_id: 'prp_1a',
          sale_id: 'sal_2b',
          amount: '465000.00',
        },
      },
    ],
    [
      'with names of ids',
      { subject: { payment_report_id: 'prp_1a', sale_id: 'sal_2b', amount: '465000.00' } },
    ],
    [
      'with data beside the subject',
      { subject: 'News', data: { payment_report_id: 'prp_1a', sale_id: 'sal_2b', amount: '465000.00' } },
    ],
  ])('is read %s', (_, more) => {
    expect(readNotification({ ...message, ...more })).toEqual({ complete: true, data: news });
  });

  it.each<[string, object, readonly string[]]>([
    ['without a subject', {}, ['kind', 'id']],
    ['without a type', { type: undefined, subject: { sale_id: 'sal_1' } }, ['type']],
    ['with a headline that names nothing', { subject: 'A payment was reported' }, ['kind', 'id']],
    ['with a word after the kind', { subject: 'The sale re-opened, and payment is due' }, ['kind', 'id']],
    ['with a name of another kind of record', { subject: 'Lottery ticket lot_1' }, ['kind', 'id']],
    [
      'with two records that belong to a sale',
      { subject: { payment_id: 'pay_1', refund_id: 'rfd_1', sale_id: 'sal_1' } },
      ['kind', 'id'],
    ],
    ['with ids of other types', { subject: { sale_id: true, payment_id: null, id: 'x' } }, ['kind', 'id']],
    ['with what a stranger wrote in parentheses', { subject: 'Vehicle (sale sal_9) sold' }, ['kind', 'id']],
  ])('names what is missing, and guesses nothing: %s', (_, more, missing) => {
    expect(readNotification({ ...message, ...more })).toMatchObject({ complete: false, missing });
  });

  it('is about the first record that it names, and has amounts that are money only', () => {
    const subject =
      'Sale cancellation sxc_1 of sale sal_1, not of sale sal_2: INR 10.00, INR 1.234, INR 10.00';
    expect(readNotification({ ...message, subject })).toMatchObject({
      complete: true,
      data: {
        kind: 'sale_cancellation',
        ids: { sale_cancellation: 'sxc_1', sale: 'sal_1' },
        amounts: ['10.00'],
      },
    });
  });

  it('names records that exist, in every message of a sale from its approval to its collection', async () => {
    await using sandbox = await startSandbox({ scan: 1 });
    const { baseUrl, credentials, actors } = sandbox;
    await using bank = new BankClient({ baseUrl, environment: 'sandbox', credentials: credentials.bank });
    const [lot] = sandbox.auctions.get('live-open').lots;
    actors.rival.bid(lot?.id ?? '', lot?.startingPrice ?? '');
    sandbox.auctions.close('live-open');
    const [sale] = sandbox.records('sale');
    actors.bank.approve(lot?.id ?? '');
    actors.buyer.acknowledge(sale?.id ?? '');
    const report = actors.buyer.report(sale?.id ?? '');
    const messages = await bank.notifications.list().toArray();
    expect(messages.length).toBeGreaterThan(2);
    for (const message of messages) {
      const { complete, data } = readNotification(message);
      expect(complete, String(message.subject)).toBe(true);
      for (const [kind, id] of Object.entries(data.ids ?? {})) {
        expect(sandbox.records(kind).map((record) => record.id)).toContain(id);
      }
    }
    const reported = messages.map(readNotification).find(({ data }) => data.type === 'payment.reported');
    expect(reported?.data).toMatchObject({ id: report.id, amounts: [report.data['amount']] });
  });
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
