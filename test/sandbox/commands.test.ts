import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.js';
import { resources } from '../../src/api/service.js';
import type { WireRecord } from '../../src/sandbox/index.js';
import { send } from './caller.js';
import { type ActName, acts, paidFor, type Story, saleAfterIn, told } from './story.js';

/*
 * What holds of every workflow command, each in a row: keys, versions, fields, callers, evidence; the record that it
 * answers with, what else it changes, and whom it tells. What the text says of one feature alone is in a file of its own.
 */

interface Row {
  readonly act: ActName;
  /** What has to be done before, from the award of the lot on. */
  readonly after?: readonly ActName[];
  /** Values that its fields don't take, beside those that no field of the name takes; undefined where it has to be given. */
  readonly wrong?: Readonly<Record<string, readonly unknown[]>>;
  /** Data beside what the body says. */
  readonly adds?: (story: Story, body: Data) => Data;
  /** Kind and state of the record that it answers with. */
  readonly gives: readonly [kind: keyof typeof dataOf, state: string];
  /** What else is made or moves: other records, with their state afterwards, and the lot. */
  readonly also?: readonly string[];
  /** Types of the messages to bank and buyer. */
  readonly news?: readonly string[];
  /** The amount in the ledger, where the body has none; null where it has one that isn't meant. */
  readonly amount?: (story: Story) => unknown;
}
type Data = Readonly<Record<string, unknown>>;

const past = '2026-03-01T15:30:00+05:30';
const ahead = '2026-03-01T10:05:00.501Z';
const onlyApproved = { decision: ['rejected', 'countered'] };
const draft = { status: 'draft', external_id: 'LN-90017', schema_version: 'vehicles-4' };

/** Fields of `data` by kind, as the text has them. */
const dataOf = {
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

const rows: Readonly<Record<string, Row>> = {
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

const operations: readonly Operation[] = resources.flatMap((each) =>
  Object.values<Operation>(each.operations),
);
const commands = operations.filter(
  ({ effect, availability }) => effect === 'command' && availability === 'callable',
);
const table = commands.map((op) => {
  const row = rows[op.id];
  if (row === undefined) throw new Error(`${op.id} has no row in this table`);
  return [op.id, op.name, op, row] as const;
});

const prepared = ({ after = [] }: Row) => saleAfterIn({}, ...after);

/** What no field of this name takes, whatever the command. */
function neverTaken(field: string): unknown[] {
  if (field === 'idempotency_key') return ['none'];
  const wrong: unknown[] = [false];
  if (field === 'expected_version') return [...wrong, '1'];
  if (field !== 'values') wrong.push('');
  if (field.endsWith('amount')) wrong.push('0.00', '-1.00', '1.001', '1000000000000', 1);
  if (field === 'currency') wrong.push('USD');
  if (/_(at|until)$/.test(field)) wrong.push('2026-03-02T10:00:00', '2026-02-30T10:00:00Z');
  if (field.endsWith('_date')) wrong.push('2026-02-30');
  if (/^(evidence|sale)_id$/.test(field)) wrong.push('none_000000000000');
  return wrong;
}

/**
 * Sends a command that must succeed, and proves that its key stands for it: the same bytes get the same record, other
 * bytes and keys that don't agree are refused, and one thing was committed. Returns the record.
 */
async function heldToItsKey(story: Story, act: ActName, content: Data) {
  const { sandbox } = story;
  const key = randomUUID();
  const path = `/api/v1/${await story.path(act)}`;
  const sign = content['_method'] === undefined ? {} : { sign: { method: 'PATCH' } };
  const text = JSON.stringify({ ...content, idempotency_key: key });
  const before = sandbox.ledger().length;
  const post = (body: string, header: string | undefined) =>
    send(sandbox, story.sender(act), { path, body, headers: { 'Idempotency-Key': header }, ...sign });

  for (const header of [undefined, randomUUID()]) {
    expect(told(await post(text, header))).toEqual([422, 'IDEMPOTENCY_KEY_REQUIRED']);
  }
  expect(told(await post(JSON.stringify(content), key))).toEqual([422, ['idempotency_key']]);
  expect(sandbox.ledger()).toHaveLength(before);

  const first = await post(text, key);
  expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null]);
  expect(Object.keys(first.json)).toEqual(['data', 'request_id', 'server_time']);
  expect(first.json.server_time).toBe(story.in(0));
  expect(sandbox.ledger().at(-1)?.idempotencyKey).toBe(key);

  sandbox.clock.advance(500);
  const again = await post(text, key);
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(JSON.stringify(again.json.data)).toBe(JSON.stringify(first.json.data));
  expect(again.json.request_id).not.toBe(first.json.request_id);
  expect(told(await post(`${text} `, key))).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
  expect(sandbox.ledger()).toHaveLength(before + 1);
  return first.json.data;
}

/** Other records that were made or moved, each by one version and at this moment; and the lot. */
async function changesOf(story: Story, before: readonly WireRecord[], lotVersion: number, answered: string) {
  const old = new Map(before.map((record) => [record.id, record]));
  const changed = story.records().filter((record) => {
    const was = old.get(record.id);
    const isSame = was !== undefined && was.resource_version === record.resource_version;
    if (isSame) expect(record).toEqual(was);
    else expect(record.resource_version - (was?.resource_version ?? 0)).toBe(1);
    return !isSame && record.id !== answered;
  });
  for (const { updated_at } of changed) expect(updated_at).toBe('2026-03-01T10:01:00.000Z');
  const moves = changed.map(({ kind, state }) => `${kind} ${state}`);
  const lot = (await story.lotStatus()).resource_version - lotVersion;
  return lot === 0 ? moves : [...moves, lot === 1 ? 'lot' : `lot by ${lot}`];
}

/** Sends the command of a row, and compares its record, everything else that it changed, the news and the ledger. */
async function proveCarriedOut(story: Story, op: Operation, row: Row): Promise<void> {
  const { act, gives, also = [], news = [], adds } = row;
  const [kind, state] = gives;
  const { sandbox, sold } = story;
  const { bank, rival, platform, otherBank } = sandbox.credentials;
  sandbox.clock.advance(60_000);
  const [body, before, lot] = [story.body(act), story.records(), await story.lotStatus()];
  const messages = await Promise.all([bank, sold.who].map((who) => story.news(who)));
  const record = await heldToItsKey(story, act, body);

  const was = before.find((each) => each.id === record.id);
  const given = 'evidence_id' in (op.body?.shape ?? {}) ? { evidence_id: null, ...body } : body;
  const said = Object.fromEntries(Object.entries(given).filter(([field]) => dataOf[kind].includes(field)));
  expect(record).toEqual({
    id: expect.stringMatching(/^[a-z]{3}_[0-9a-f]{12}$/),
    kind,
    state,
    resource_version: (was?.resource_version ?? 0) + 1,
    data: { ...was?.data, ...said, ...adds?.(story, body) },
    created_at: was?.created_at ?? '2026-03-01T10:01:00.000Z',
    updated_at: '2026-03-01T10:01:00.000Z',
  });
  if (kind !== 'notification_ack') expect(sandbox.records(kind)).toContainEqual(record);
  expect(await changesOf(story, before, lot.resource_version, record.id)).toEqual(also);
  for (const [at, who] of [bank, sold.who].entries()) {
    expect((await story.news(who)).slice(messages[at]?.length)).toEqual(news);
  }
  for (const who of [rival, platform, otherBank]) expect(await story.news(who)).toEqual([]);
  const { idempotencyKey, ...entry } = { ...sandbox.ledger().at(-1) };
  const amount = row.amount?.(story) ?? body['received_amount'] ?? body['amount'];
  const { saleId, lotId, bidId } = sold;
  const isOfSale = !['cancellation', 'inventory_command', 'notification_ack'].includes(kind);
  expect(entry).toEqual({
    kind,
    operation: op.id,
    call: op.name,
    recordId: record.id,
    clientId: story.sender(act).clientId,
    ...(isOfSale && { saleId, lotId, bidId }),
    ...(kind === 'cancellation' && { lotId, bidId }),
    ...(amount !== undefined && { amount }),
    at: Date.parse('2026-03-01T10:01:00.000Z'),
  });
}

describe.each(table)('%s, %s', (_, __, op, row) => {
  const { act } = row;
  const [kind] = row.gives;
  const shape = Object.entries(op.body?.shape ?? {}).filter(([field]) => field !== '_method');
  const fields = shape.map(([field]) => field);
  const isOptional = (field: string) => op.body?.shape[field]?.safeParse(undefined).success === true;

  // rule: convention.2, convention.3, code.key-required, code.key-conflict, version.3
  it('is carried out once under its key, changes what it has to and tells whom it concerns', async () => {
    await proveCarriedOut(await prepared(row), op, row);
  });

  it('can be sent by each actor that the text names, without what is optional', async () => {
    const story = await prepared(row);
    const { bank } = story.sandbox.credentials;
    const optional = fields.filter((field) => isOptional(field) && !row.wrong?.[field]?.includes(undefined));
    const without = Object.fromEntries(optional.map((field) => [field, undefined]));
    const who = op.actors?.length === 2 && acts[act].by === 'buyer' ? bank : story.sender(act);
    const { data } = await story.do(act, without, who);
    const left = optional.filter((field) => dataOf[kind].includes(field));
    if (act === 'accept' || kind === 'inventory_command') return;
    for (const field of left) expect([field, data[field]]).toEqual([field, null]);
  });

  // rule: convention.2, limit.amount, error-shape.3
  it('is refused by the field that is wrong or missing, and nothing has changed', async () => {
    const story = await prepared(row);
    const before = await story.everything();
    for (const field of fields) {
      const missing = field !== 'idempotency_key' && !isOptional(field) ? [undefined] : [];
      for (const value of [...neverTaken(field), ...missing, ...(row.wrong?.[field] ?? [])]) {
        const got = await story.send(act, { [field]: value });
        expect([field, value, ...told(got)]).toEqual([field, value, 422, [field]]);
      }
    }
    expect(await story.everything()).toEqual(before);
    await story.do(act);
  });

  if (fields.includes('expected_version')) {
    // rule: convention.2, error.version, version.3
    it('is refused on another version than the current one, and nothing has changed', async () => {
      const story = await prepared(row);
      const before = await story.everything();
      for (const step of [-1, 1]) {
        const expected_version = Number(story.body(act)['expected_version']) + step;
        expect(told(await story.send(act, { expected_version }))).toEqual([409, ['message']]);
      }
      expect(await story.everything()).toEqual(before);
    });
  }

  // rule: general.4, general.5, code.not-found
  it('is for those whose record it is; others are told what is told of none', async () => {
    const story = await prepared(row);
    const { otherBank, rival, platform } = story.sandbox.credentials;
    const before = await story.everything();
    const names = (actor: 'bank' | 'partner') => op.actors?.includes(actor) ?? true;
    const strangers = [...(names('bank') ? [otherBank] : []), ...(names('partner') ? [rival, platform] : [])];
    const isInPath = acts[act].path.includes('{');
    if (isInPath || fields.includes('sale_id')) {
      const unknown = isInPath
        ? await story.sendTo(acts[act].path.replace(/\{.*\}/, 'none'), act)
        : await story.send(act, { sale_id: 'none' });
      expect(unknown.status).toBe(isInPath ? 404 : 422);
      for (const who of strangers) {
        const hidden = await story.send(act, {}, who);
        expect([hidden.status, hidden.json]).toEqual([unknown.status, unknown.json]);
      }
    }
    expect(await story.everything()).toEqual(before);
  });

  if (fields.includes('evidence_id')) {
    // rule: notification.evidence
    it('rests on evidence that is scanned, and of the same sale', async () => {
      const story = await prepared(row);
      const { sandbox } = story;
      sandbox.scanner.finds('unclean');
      const unclean = await story.evidence();
      sandbox.scanner.finds('clean');
      const foreign = await (await story.another({ label: 'live-closed' })).evidence();
      sandbox.scanner.pause();
      const { id } = await story.do('upload');
      sandbox.clock.advance(60_000);
      const before = await story.everything();
      for (const evidence_id of [id, unclean, foreign]) {
        expect(told(await story.send(act, { evidence_id }))).toEqual([422, ['evidence_id']]);
      }
      expect(await story.everything()).toEqual(before);
      sandbox.scanner.resume();
      expect((await story.do(act, { evidence_id: id })).data.evidence_id).toBe(id);
    });
  }
});

/** What a bank refuses, in a sandbox where it may. */
const refusals: Readonly<Record<string, Row>> = {
  A09: {
    act: 'rejectBidCancellation',
    after: ['cancelBid'],
    gives: ['cancellation', 'rejected'],
    news: ['bid.cancellation_rejected'],
  },
  A22: {
    act: 'reject',
    after: ['offer', 'accept'],
    gives: ['sale', 'rejected'],
    also: ['offer superseded', 'lot'],
    news: ['offer.superseded', 'sale.rejected'],
    amount: ({ sold }) => sold.amount,
  },
  A27: {
    act: 'rejectCancellation',
    after: [...paidFor, 'release', 'cancelSale'],
    gives: ['sale_cancellation', 'rejected'],
    also: ['sale approved', 'lot'],
    news: ['sale.cancellation_rejected'],
  },
  A38: {
    act: 'rejectReport',
    after: ['approve', 'report'],
    gives: ['payment_report', 'rejected'],
    news: ['payment.rejected'],
    amount: ({ sold }) => sold.amount,
  },
  A48: {
    act: 'rejectRefund',
    after: [...paidFor, 'askBack'],
    adds: () => ({ refund_id: null }),
    gives: ['refund_request', 'rejected'],
    also: ['payment succeeded'],
    news: ['refund.rejected'],
    amount: () => '200.50',
  },
};

// rule: state.cancellation, state.sale, state.sale-cancellation, state.payment-report, state.refund-request
it.each(Object.entries(refusals))(
  'with rejected-too, %s says no, and knows no third word',
  async (id, row) => {
    const op = commands.find((each) => each.id === id);
    if (op === undefined) throw new Error(`no ${id}`);
    const variants = { 'decision-values': 'rejected-too' } as const;
    const story = await saleAfterIn({ variants }, ...(row.after ?? []));
    for (const decision of ['declined', 'Rejected', undefined]) {
      expect(told(await story.send(row.act, { decision }))).toEqual([422, ['decision']]);
    }
    await proveCarriedOut(story, op, row);
  },
);
