import type { Story } from './story.js';

/*
 * Every workflow command: how a story sends it (`acts`), and what follows (`rows`). Tests of commands, stages, pictures
 * and examples read these two tables, so a new command is added here alone.
 */

export type Body = Readonly<Record<string, unknown>>;

/** A command as it would be carried out next: `{kind}` in the path is the newest record of that kind. */
export interface Act {
  readonly by: 'bank' | 'buyer';
  /** Under `/api/v1/`. */
  readonly path: string;
  readonly body: Body | ((story: Story) => Body);
}
const bank = (path: string, body: Act['body'] = {}): Act => ({ by: 'bank', path, body });
const buyer = (path: string, body: Act['body'] = {}): Act => ({ by: 'buyer', path, body });

const yes = { decision: 'approved', reason: 'Checked' };
const no = { decision: 'rejected', reason: 'Not this time' };
const because = { reason_code: 'R7', explanation: 'As agreed by phone' };
const vehicle = {
  title: 'Swift VXI 2019',
  external_id: 'LN-90017',
  schema_version: 'vehicles-4',
  values: { fld_1001: 'KA25MB1187', fld_1041: 'Petrol', fld_1042: 48_200 },
};

/** Every workflow command, and what a bank may say instead of yes. */
export const acts = {
  approve: bank('sale-cases/{sale}/decisions', (story) => {
    const offer = story.all('offer').findLast(({ state }) => state === 'accepted');
    return {
      ...yes,
      bid_id: story.sold.bidId,
      terms_version: offer?.data['terms_version'] ?? 'T1',
      due_at: story.in(7),
      payee_instructions: 'NEFT to 000111222333, IFSC EXMP0000001',
      ...(offer && { offer_id: offer.id }),
    };
  }),
  reject: bank('sale-cases/{sale}/decisions', no),
  acknowledge: buyer('sale-cases/{sale}/acknowledgments', (story) => ({
    terms_version: story.newest('sale').data['terms_version'] ?? 'T1',
  })),
  offer: bank('sale-cases/{sale}/offers', (story) => ({
    amount: '310000.50',
    currency: 'INR',
    terms_version: 'T7',
    valid_until: story.in(1),
    reason: 'Below the reserve',
  })),
  accept: buyer('offers/{offer}/responses', { decision: 'accepted', terms_version: 'T7', reason: 'Good' }),
  decline: buyer('offers/{offer}/responses', { decision: 'declined', terms_version: 'T7', reason: 'Much' }),
  cancelBid: buyer('bids/{bid}/cancellation-requests', because),
  approveBidCancellation: bank('bid-cancellation-requests/{cancellation}/decisions', yes),
  rejectBidCancellation: bank('bid-cancellation-requests/{cancellation}/decisions', no),
  cancelSale: buyer('sale-cases/{sale}/cancellation-requests', because),
  approveCancellation: bank('sale-cancellation-requests/{sale_cancellation}/decisions', yes),
  rejectCancellation: bank('sale-cancellation-requests/{sale_cancellation}/decisions', no),
  report: buyer('payment-reports', (story) => ({
    sale_id: story.sold.saleId,
    amount: story.sold.amount,
    currency: 'INR',
    method: 'bank_transfer',
    utr: `U-${story.sold.saleId}-${story.all('payment_report').filter(({ state }) => state !== 'rejected').length}`,
    paid_at: story.in(0),
    external_reference: 'ERP-88',
  })),
  verify: bank('payment-reports/{payment_report}/decisions', (story) => {
    const { id: bank_receipt_id, data } = story.newest('bank_receipt');
    const { bank_account_reference, amount: received_amount, currency } = data;
    const shown = { bank_receipt_id, bank_account_reference, received_amount, currency };
    return { decision: 'verified', reason: 'Found', ...shown };
  }),
  rejectReport: bank('payment-reports/{payment_report}/decisions', no),
  import: bank('bank-receipts/imports', (story) => {
    const nth = story.all('bank_receipt').length;
    const own = `${story.sold.saleId}-${nth}`;
    return {
      sale_id: story.sold.saleId,
      bank_account_reference: 'COLLECTION-7',
      utr: `U-${own}`,
      external_transaction_id: `S-${own}`,
      amount: story.sold.amount,
      currency: 'INR',
      value_date: '2026-03-01',
    };
  }),
  allocate: bank('payments/{payment}/allocations', ({ sold }) => ({
    sale_id: sold.saleId,
    amount: sold.amount,
  })),
  askBack: buyer('payments/{payment}/refund-requests', { amount: '200.50', reason: 'Paid twice' }),
  approveRefund: bank('refund-requests/{refund_request}/decisions', yes),
  rejectRefund: bank('refund-requests/{refund_request}/decisions', no),
  dispute: buyer('disputes', ({ sold }) => ({ sale_id: sold.saleId, ...because })),
  release: bank('sale-cases/{sale}/release-authorizations', (story) => ({
    recipient: { name: 'R. Iyer', id_proof: 'DL-7701' },
    yard: 'Unity Vehicle Park, Hubballi',
    expires_at: story.in(3),
    collection_date: '2026-03-02',
  })),
  revoke: bank('release-authorizations/{release}/revocations', { reason: 'Another day' }),
  collect: bank('release-authorizations/{release}/collections', (story) => ({
    collector: 'R. Iyer',
    vehicle_identity: story.plate,
  })),
  transfer: bank('sale-cases/{sale}/transfer-updates', (story) => ({
    status: 'submitted',
    responsible_party: { name: 'R. Iyer', office: 'RTO Hubballi' },
    reason: 'Form 29 handed in',
    document_checklist: ['Form 29', 'Form 30'],
    occurred_at: story.in(0),
  })),
  read: buyer('notifications/{notification}/acknowledgments', { status: 'read', external_reference: 'T-1' }),
  upload: buyer('document-uploads', ({ sold }) => ({
    sale_id: sold.saleId,
    purpose: 'payment_evidence',
    filename: 'slip.pdf',
    content_base64: 'YWJj',
  })),
  createVehicle: bank('bank/inventory/vehicles', vehicle),
  updateVehicle: bank('bank/inventory/vehicles/{inventory_vehicle}', {
    _method: 'PATCH',
    title: 'Other',
    values: {},
  }),
} satisfies Record<string, Act>;
export type ActName = keyof typeof acts;

/** Whether a command is about the bank's inventory, and so about no sale. */
export const isAboutInventory = (name: ActName): boolean => acts[name].path.startsWith('bank/inventory/');

/** Money that arrived and was credited in full. */
export const paidFor = ['approve', 'acknowledge', 'import', 'allocate'] as const;

/** What a command answers with, what else it changes, and which messages it sends. */
export interface Row {
  readonly act: ActName;
  /** What has to be done before, from the award of the lot on. */
  readonly after?: readonly ActName[];
  /** Values that its fields don't take, beside those that no field of the name takes; undefined where it has to be given. */
  readonly wrong?: Readonly<Record<string, readonly unknown[]>>;
  /** Data in addition to the fields of the body. */
  readonly adds?: (story: Story, body: Body) => Body;
  /** Kind and state of the record that it answers with. */
  readonly gives: readonly [kind: keyof typeof dataOf, state: string];
  /** What else is made or moves: other records, with their state afterwards, and the lot. */
  readonly also?: readonly string[];
  /** Types of the messages to bank and buyer. */
  readonly news?: readonly string[];
  /** The amount in the ledger, where the body has none; null where it has one that isn't meant. */
  readonly amount?: (story: Story) => unknown;
}

const past = '2026-03-01T15:30:00+05:30';
const ahead = '2026-03-01T10:05:00.501Z';
export const onlyApproved = { decision: ['rejected', 'countered'] };
const draft = { status: 'draft', external_id: 'LN-90017', schema_version: 'vehicles-4' };

/** Fields of `data` by kind, as the text has them. */
export const dataOf = {
  cancellation: ['bid_id', 'reason_code', 'explanation', 'policy_version', 'decision', 'reason'],
  sale: ['bid_id', 'amount', 'currency', 'terms_version', 'due_at', 'payee_instructions', 'payee_version'],
  offer: ['amount', 'currency', 'terms_version', 'valid_until', 'reason', 'decision'],
  sale_cancellation: ['reason_code', 'explanation', 'decision', 'reason'],
  payment_report: [
    ...['sale_id', 'amount', 'currency', 'method', 'utr', 'paid_at', 'external_reference', 'evidence_id'],
    ...['decision', 'reason', 'bank_receipt_id', 'bank_account_reference', 'received_amount'],
  ],
  bank_receipt: [
    ...['sale_id', 'bank_account_reference', 'utr', 'external_transaction_id', 'amount', 'currency'],
    ...['value_date', 'evidence_id'],
  ],
  allocation: ['sale_id', 'amount', 'payment_id', 'amount_paise', 'currency'],
  refund_request: ['amount', 'reason', 'decision', 'refund_id'],
  dispute: ['sale_id', 'reason_code', 'explanation', 'evidence_id'],
  release: [
    ...['recipient', 'yard', 'expires_at', 'collection_date', 'sale_id', 'reason'],
    ...['collector', 'vehicle_identity', 'evidence_id'],
  ],
  transfer: [
    ...['status', 'responsible_party', 'reason', 'evidence_id', 'document_checklist', 'occurred_at'],
    ...['sale_id', 'verification', 'government_verified'],
  ],
  inventory_command: [
    ...['vehicle_id', 'inventory_version', 'status', 'external_id', 'schema_version', 'title'],
  ],
  document: ['sale_id', 'purpose', 'filename', 'mime', 'bytes', 'digest'],
  notification_ack: ['status', 'external_reference'],
};

export const rows: Readonly<Record<string, Row>> = {
  A07: {
    act: 'cancelBid',
    adds: ({ sold }) => ({ bid_id: sold.bidId, policy_version: '1' }),
    gives: ['cancellation', 'pending'],
    news: ['bid.cancellation_requested'],
  },
  A09: {
    act: 'approveBidCancellation',
    after: ['cancelBid'],
    wrong: onlyApproved,
    gives: ['cancellation', 'approved'],
    also: ['lot'],
    news: ['bid.cancellation_approved'],
  },
  A22: {
    act: 'approve',
    wrong: {
      ...onlyApproved,
      bid_id: ['bid_other', undefined],
      terms_version: [undefined],
      due_at: ['2026-03-01T10:00:00Z', undefined],
      payee_instructions: [undefined],
      offer_id: ['off_1'],
    },
    adds: () => ({ payee_version: 1 }),
    gives: ['sale', 'approved'],
    also: ['inventory_vehicle sold', 'lot'],
    news: ['vehicle.status_changed', 'sale.approved'],
    amount: ({ sold }) => sold.amount,
  },
  A23: {
    act: 'acknowledge',
    after: ['approve'],
    wrong: { terms_version: ['T2', 1] },
    adds: () => ({ acknowledged_at: '2026-03-01T10:01:00.000Z' }),
    gives: ['sale', 'approved'],
    also: ['lot'],
    news: ['sale.acknowledged'],
    amount: ({ sold }) => sold.amount,
  },
  A24: {
    act: 'offer',
    wrong: { valid_until: [past] },
    gives: ['offer', 'open'],
    also: ['sale pending_bank_approval', 'lot'],
    news: ['offer.made'],
  },
  A25: {
    act: 'accept',
    after: ['offer'],
    wrong: { decision: ['countered'], terms_version: ['T8', 7] },
    adds: () => ({ reason: 'Below the reserve' }),
    gives: ['offer', 'accepted'],
    also: ['sale pending_bank_approval', 'lot'],
    news: ['offer.accepted'],
    amount: () => '310000.50',
  },
  A26: {
    act: 'cancelSale',
    after: ['approve'],
    wrong: { reason_code: [{ code: 'x' }, ['x']] },
    gives: ['sale_cancellation', 'pending'],
    also: ['sale approved', 'lot'],
    news: ['sale.cancellation_requested'],
  },
  A27: {
    act: 'approveCancellation',
    after: ['approve', 'cancelSale'],
    wrong: onlyApproved,
    gives: ['sale_cancellation', 'approved'],
    also: ['sale cancelled', 'inventory_vehicle published', 'lot'],
    news: ['vehicle.status_changed', 'sale.cancellation_approved'],
  },
  A36: {
    act: 'report',
    after: ['approve'],
    wrong: { method: ['upi'], paid_at: [ahead, '2026-03-02T10:00:00Z'] },
    gives: ['payment_report', 'reported_pending_verification'],
    news: ['payment.reported'],
  },
  A38: {
    act: 'verify',
    after: ['approve', 'report', 'import'],
    wrong: {
      decision: ['rejected', 'approved'],
      bank_receipt_id: [undefined, 'rcp_000000000000'],
      bank_account_reference: [undefined, 'COLLECTION-8'],
      received_amount: [undefined, '0.01'],
      currency: [undefined],
    },
    gives: ['payment_report', 'verified'],
    news: ['payment.verified'],
  },
  A42: {
    act: 'import',
    after: ['approve'],
    wrong: { value_date: ['2026-03-01T10:00:00Z'] },
    gives: ['bank_receipt', 'verified'],
    also: ['payment succeeded'],
  },
  A45: {
    act: 'allocate',
    after: ['approve', 'import'],
    adds: (story, { amount }) => ({
      payment_id: story.newest('payment').id,
      amount_paise: Number(amount) * 100,
      currency: 'INR',
    }),
    gives: ['allocation', 'allocated'],
    also: ['sale approved', 'payment succeeded', 'lot'],
    news: ['payment.allocated', 'sale.payment_status_changed'],
  },
  A47: {
    act: 'askBack',
    after: ['approve', 'import'],
    wrong: { amount: ['999999999999.99'] },
    gives: ['refund_request', 'pending'],
    also: ['payment succeeded'],
    news: ['refund.requested'],
  },
  A48: {
    act: 'approveRefund',
    after: ['approve', 'import', 'askBack'],
    wrong: onlyApproved,
    adds: (story) => ({ refund_id: story.newest('refund').id }),
    gives: ['refund_request', 'approved'],
    also: ['payment succeeded', 'refund approved_pending_execution'],
    news: ['refund.approved'],
    amount: () => '200.50',
  },
  A50: { act: 'dispute', gives: ['dispute', 'open'], news: ['dispute.opened'] },
  A52: {
    act: 'release',
    after: paidFor,
    wrong: { expires_at: [past] },
    adds: ({ sold }) => ({ sale_id: sold.saleId }),
    gives: ['release', 'valid'],
    also: ['sale approved', 'lot'],
    news: ['release.authorized'],
  },
  A54: {
    act: 'revoke',
    after: [...paidFor, 'release'],
    gives: ['release', 'revoked'],
    also: ['lot'],
    news: ['release.revoked'],
  },
  A56: {
    act: 'collect',
    after: [...paidFor, 'release'],
    wrong: { vehicle_identity: [{}] },
    gives: ['release', 'used'],
    also: ['inventory_vehicle collected', 'lot'],
    news: ['vehicle.status_changed', 'vehicle.collected'],
  },
  A57: {
    act: 'transfer',
    after: ['approve'],
    wrong: {
      status: ['not_started', 'done', 'pending-documents', 'constructor'],
      occurred_at: [ahead],
      document_checklist: ['Form 29'],
    },
    adds: ({ sold }) => ({
      sale_id: sold.saleId,
      verification: 'operator_reported',
      government_verified: false,
    }),
    gives: ['transfer', 'submitted'],
    also: ['sale approved', 'lot'],
    news: ['transfer.updated'],
  },
  A59: {
    act: 'createVehicle',
    wrong: {
      schema_version: ['vehicles-5', 4, 'stock-1'],
      values: ['fld_1041=Petrol', null],
      external_id: [17],
    },
    adds: (story) => ({ vehicle_id: story.newest('inventory_vehicle').id, ...draft, inventory_version: 1 }),
    gives: ['inventory_command', 'completed'],
    also: ['inventory_vehicle draft'],
  },
  A60: {
    act: 'updateVehicle',
    after: ['createVehicle'],
    adds: (story) => ({ vehicle_id: story.newest('inventory_vehicle').id, ...draft, inventory_version: 2 }),
    gives: ['inventory_command', 'completed'],
    also: ['inventory_vehicle draft'],
  },
  A72: {
    act: 'upload',
    wrong: {
      filename: ['a/b.pdf', '..\\b.pdf', '.', '..', 'a\nb.pdf', 'a\0.pdf', 'é'.repeat(256)],
      content_base64: ['YWI', '-_-_', 'YWJj\nYWJj', 'data:text/plain;base64,YWJj'],
    },
    adds: () => ({
      mime: 'application/pdf',
      bytes: 3,
      digest: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    }),
    gives: ['document', 'awaiting_scan'],
  },
  A75: { act: 'read', after: ['approve'], wrong: { status: ['burnt'] }, gives: ['notification_ack', 'read'] },
};
