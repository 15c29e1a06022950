import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Operation, recordKinds } from '../../src/api/operation.js';
import { resources } from '../../src/api/service.js';
import { type Sandbox, type SandboxCredentials, startSandbox } from '../../src/sandbox/index.js';
import { bid, type Got, get, lotOf } from './caller.js';
import {
  all,
  base64,
  entryBody,
  evidence,
  heldToItsKey,
  imported,
  paid,
  reportBody,
  uploadBody,
} from './funds.js';
import { askBack, askToCancel, authorize, entryOf, paidLot, release } from './reversals.js';

import {
  approval,
  approvedLot,
  command,
  done,
  inventoryOf,
  type SoldLot,
  saleOf,
  wonLot,
} from './workflow.js';

/*
 * What the engine does alike for every workflow command: keys, versions, fields, callers, evidence. What a command
 * does beside is in the file of its resource.
 */

/** A command that would be carried out: on what, by whom, with which body; and values that its fields do not take. */
interface Ready {
  readonly id?: string;
  readonly who: SandboxCredentials;
  readonly body: Record<string, unknown>;
  readonly sold?: SoldLot;
  readonly wrong?: Record<string, readonly unknown[]>;
}

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

const later = '2026-03-02T15:30:00+05:30';
const past = '2026-03-01T15:30:00+05:30';
const approved = { decision: 'approved', expected_version: 1 };
const onlyApproved = { decision: ['rejected', 'countered'] };
const offered = { amount: '310000.50', currency: 'INR', terms_version: 'T7', valid_until: later };
const bank = () => sandbox.credentials.bank;
const ofSale = async (sold: SoldLot) => ({
  id: sold.saleId,
  sold,
  version: (await saleOf(sandbox, sold.saleId)).resource_version,
});

const ready: Record<string, () => Promise<Ready>> = {
  'bids.requestCancellation': async () => {
    const lot = lotOf(sandbox, 'live-open');
    const who = sandbox.credentials.dealer;
    const { json } = await bid(sandbox, who, lot.id, { amount: lot.startingPrice });
    return { id: json.data.bid_id, who, body: { reason_code: 'WRONG_AMOUNT' } };
  },
  'bidCancellations.decide': async () => {
    const sold = await wonLot(sandbox);
    const path = `/api/v1/bids/${sold.bidId}/cancellation-requests`;
    const { id } = await done(command(sandbox, sold.who, path, { reason_code: 'WRONG_AMOUNT' }));
    return { id, sold, who: bank(), body: approved, wrong: onlyApproved };
  },
  'saleCases.decide': async () => {
    const sold = await wonLot(sandbox);
    const wrong = {
      ...onlyApproved,
      bid_id: ['bid_other', undefined],
      terms_version: [undefined],
      due_at: ['2026-03-01T10:00:00Z', undefined],
      payee_instructions: [undefined],
      offer_id: ['off_1'],
    };
    return { id: sold.saleId, sold, who: bank(), body: await approval(sandbox, sold), wrong };
  },
  'saleCases.acknowledge': async () => {
    const { id, sold, version } = await ofSale(await approvedLot(sandbox));
    const body = { terms_version: 'T1', expected_version: version };
    return { id, sold, who: sold.who, body, wrong: { terms_version: ['T2', 1] } };
  },
  'saleCases.offer': async () => {
    const { id, sold, version } = await ofSale(await wonLot(sandbox));
    return {
      id,
      sold,
      who: bank(),
      body: { ...offered, expected_version: version },
      wrong: { valid_until: [past] },
    };
  },
  'offers.respond': async () => {
    const sold = await wonLot(sandbox);
    const path = `/api/v1/sale-cases/${sold.saleId}/offers`;
    const { id } = await done(command(sandbox, bank(), path, { ...offered, expected_version: 1 }));
    const body = { decision: 'accepted', terms_version: 'T7', expected_version: 1 };
    return { id, sold, who: sold.who, body, wrong: { decision: ['countered'], terms_version: ['T8', 7] } };
  },
  'saleCases.requestCancellation': async () => {
    const { id, sold, version } = await ofSale(await approvedLot(sandbox));
    const body = { reason_code: 'buyer_withdrew', expected_version: version };
    return { id, sold, who: sold.who, body, wrong: { reason_code: [{ code: 'x' }, ['x']] } };
  },
  'saleCancellations.decide': async () => {
    const sold = await approvedLot(sandbox);
    const { id } = await done(askToCancel(sandbox, sold));
    return { id, sold, who: bank(), body: approved, wrong: onlyApproved };
  },
  'disputes.create': async () => {
    const sold = await approvedLot(sandbox);
    return { sold, who: sold.who, body: { sale_id: sold.saleId, reason_code: 'not_as_described' } };
  },
  'saleCases.authorizeRelease': async () => {
    const { id, sold, version } = await ofSale(await paidLot(sandbox));
    const body = { ...release, expected_version: version };
    return { id, sold, who: bank(), body, wrong: { expires_at: [past] } };
  },
  'releases.revoke': async () => {
    const sold = await paidLot(sandbox);
    const { id } = await done(authorize(sandbox, sold));
    return { id, sold, who: bank(), body: { expected_version: 1 } };
  },
  'releases.collect': async () => {
    const sold = await paidLot(sandbox);
    const { id } = await done(authorize(sandbox, sold));
    const url = `/api/v1/events/${sandbox.auctions.get('live-open').id}/lots/${sold.lotId}`;
    const plate = (await get(sandbox, sold.who, url)).json.data.registration_number;
    return {
      id,
      sold,
      who: bank(),
      body: { collector: 'R. Iyer', vehicle_identity: plate, expected_version: 1 },
    };
  },
  'saleCases.updateTransfer': async () => {
    const { id, sold, version } = await ofSale(await approvedLot(sandbox));
    const body = {
      status: 'submitted',
      responsible_party: 'R. Iyer',
      occurred_at: past,
      expected_version: version,
    };
    const wrong = {
      status: ['not_started', 'done', 'pending-documents', 'constructor'],
      occurred_at: ['2026-03-01T10:05:00.001Z'],
      document_checklist: ['Form 29'],
    };
    return { id, sold, who: bank(), body, wrong };
  },
  'paymentReports.create': async () => {
    const sold = await approvedLot(sandbox);
    const wrong = { method: ['upi'], paid_at: ['2026-03-01T10:05:00.001Z', '2026-03-02T10:00:00Z'] };
    return { sold, who: sold.who, body: reportBody(sold), wrong };
  },
  'paymentReports.decide': async () => {
    const sold = await approvedLot(sandbox);
    const { id } = await done(command(sandbox, sold.who, '/api/v1/payment-reports', reportBody(sold)));
    const receipt = await imported(sandbox, sold);
    const body = {
      decision: 'verified',
      bank_receipt_id: receipt.id,
      bank_account_reference: 'COLLECTION-7',
      received_amount: sold.amount,
      currency: 'INR',
      expected_version: 1,
    };
    const off = (by: number) => (Number(sold.amount) + by).toFixed(2);
    const wrong = {
      decision: ['rejected', 'approved'],
      bank_receipt_id: [undefined, 'rcp_000000000000'],
      bank_account_reference: [undefined, 'COLLECTION-8'],
      received_amount: [undefined, off(0.01), off(-0.01)],
      currency: [undefined],
    };
    return { id, sold, who: bank(), body, wrong };
  },
  'bankReceipts.import': async () => {
    const sold = await approvedLot(sandbox);
    const wrong = { value_date: ['2026-03-01T10:00:00Z'] };
    return { sold, who: bank(), body: entryBody(sold), wrong };
  },
  'payments.allocate': async () => {
    const sold = await approvedLot(sandbox);
    const { id } = await paid(sandbox, sold, { amount: '1000.00' });
    const body = { sale_id: sold.saleId, amount: '600.00', expected_version: 1 };
    return { id, sold, who: bank(), body, wrong: { amount: ['1000.01'] } };
  },
  'payments.requestRefund': async () => {
    const sold = await approvedLot(sandbox);
    const { id } = await paid(sandbox, sold, { amount: '1500.00' });
    return {
      id,
      sold,
      who: sold.who,
      body: { amount: '1.00', expected_version: 1 },
      wrong: { amount: ['1500.01'] },
    };
  },
  'refundRequests.decide': async () => {
    const sold = await approvedLot(sandbox);
    const payment = await paid(sandbox, sold, entryOf(sold));
    const { id } = await done(askBack(sandbox, payment.id, '200.50'));
    return { id, sold, who: bank(), body: approved, wrong: onlyApproved };
  },
  'documents.upload': async () => {
    const sold = await approvedLot(sandbox);
    const wrong = {
      filename: ['a/b.pdf', '..\\b.pdf', '.', '..', 'a\nb.pdf', 'a\0.pdf', 'é'.repeat(256)],
      content_base64: ['YWI', '-_-_', 'YWJj\nYWJj', 'data:text/plain;base64,YWJj'],
    };
    return { sold, who: sold.who, body: uploadBody(sold, { content_base64: base64('x') }), wrong };
  },
  'notifications.acknowledge': async () => {
    const sold = await approvedLot(sandbox);
    const [message] = (await get(sandbox, sold.who, '/api/v1/notifications')).json.data;
    return { id: message.id, sold, who: sold.who, body: { status: 'read' }, wrong: { status: ['burnt'] } };
  },
  'inventory.createVehicle': async () => {
    const wrong = {
      schema_version: ['vehicles-5', 4, 'stock-1'],
      values: ['fld_1041=Petrol', null],
      external_id: [17],
    };
    return { who: bank(), body: vehicle, wrong };
  },
  'inventory.updateVehicle': async () => {
    const { data } = await done(command(sandbox, bank(), '/api/v1/bank/inventory/vehicles', vehicle));
    return {
      id: data.vehicle_id,
      who: bank(),
      body: { _method: 'PATCH', title: 'Other', expected_version: 1 },
    };
  },
};
const vehicle = {
  title: 'Swift VXI 2019',
  external_id: 'LN-90017',
  schema_version: 'vehicles-4',
  values: { fld_1001: 'KA25MB1187', fld_1041: 'Petrol', fld_1042: 48_200 },
};

const operations: readonly Operation[] = resources.flatMap((each) =>
  Object.values<Operation>(each.operations),
);
const commands = operations
  .filter(({ effect, availability }) => effect === 'command' && availability === 'callable')
  .map((op) => [`${op.id}, ${op.name}`, op] as const);

const pathOf = (op: Operation, id = 'none') => `/api/v1${op.path.replace(/\{.*?\}/, id)}`;
const signAs = ({ method }: Operation) => (method === 'POST' ? undefined : { method });
const carryOut = (op: Operation, { id, who, body }: Ready, change: object = {}, by = who): Promise<Got> =>
  command(sandbox, by, pathOf(op, id), { ...body, ...change }, {}, signAs(op));
const prepared = async (op: Operation): Promise<Ready> => {
  const prepare = ready[op.name];
  if (prepare === undefined) throw new Error(`${op.name} has no case in this table`);
  return prepare();
};
/** Everything that a refusal might have changed. */
const everything = async ({ sold }: Ready) => ({
  ...(await all(sandbox, sold === undefined ? [] : [sold])),
  records: recordKinds.map((kind) => sandbox.records(kind)),
  inventory: inventoryOf(sandbox).list(),
});
const told = ({ status, json }: Got) => [status, json.code ?? Object.keys(json.errors ?? json)];

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

describe.each(commands)('%s', (_, op) => {
  const fields = Object.entries(op.body?.shape ?? {}).filter(([name]) => name !== '_method');
  const has = (name: string) => fields.some(([field]) => field === name);

  // rule: convention.2, convention.3, code.key-required, code.key-conflict
  it('is carried out once: under its key, which header and body have to agree on, and under any other', async () => {
    const given = await prepared(op);
    const { id, who, body } = given;
    const record = await heldToItsKey(sandbox, who, pathOf(op, id), body, signAs(op));
    if (has('evidence_id')) expect(record.data.evidence_id).toBeNull();
    if (record.id !== id) return;
    const before = await everything(given);
    for (const expected_version of [record.resource_version - 1, record.resource_version]) {
      expect(told(await carryOut(op, given, { expected_version }))).toEqual([409, ['message']]);
    }
    expect(await everything(given)).toEqual(before);
  });

  // rule: convention.2, limit.amount, error-shape.3
  it('is refused by the field that is wrong or missing, and nothing has changed', async () => {
    const given = await prepared(op);
    const before = await everything(given);
    for (const [field, schema] of fields) {
      const missing = field !== 'idempotency_key' && !schema.safeParse(undefined).success ? [undefined] : [];
      for (const value of [...neverTaken(field), ...missing, ...(given.wrong?.[field] ?? [])]) {
        const got = await carryOut(op, given, { [field]: value });
        expect([field, value, ...told(got)]).toEqual([field, value, 422, [field]]);
      }
    }
    expect(await everything(given)).toEqual(before);
    expect((await carryOut(op, given)).status).toBe(200);
  });

  if (has('expected_version')) {
    // rule: convention.2, error.version, version.3
    it('is refused on another version than the current one, and nothing has changed', async () => {
      const given = await prepared(op);
      const before = await everything(given);
      for (const step of [-1, 1]) {
        const got = await carryOut(op, given, {
          expected_version: Number(given.body['expected_version']) + step,
        });
        expect(told(got)).toEqual([409, ['message']]);
      }
      expect(await everything(given)).toEqual(before);
    });
  }

  // rule: general.4, code.not-found
  it('is for those whose record it is, with its scope; others are told what is told of none', async () => {
    const given = await prepared(op);
    const before = await everything(given);
    const { bank, dealer, otherBank, rival, platform } = sandbox.credentials;
    const names = (actor: 'bank' | 'partner') => op.actors?.includes(actor) ?? true;
    for (const who of [...(names('bank') ? [] : [bank]), ...(names('partner') ? [] : [dealer, platform])]) {
      expect(told(await carryOut(op, given, {}, who))).toEqual([403, 'SCOPE_DENIED']);
    }
    if (given.id !== undefined || has('sale_id')) {
      const none = given.id === undefined ? { sale_id: 'none' } : {};
      const unknown = await carryOut(op, { ...given, ...(given.id !== undefined && { id: 'none' }) }, none);
      expect(unknown.status).toBe(given.id === undefined ? 422 : 404);
      for (const who of [
        ...(names('bank') ? [otherBank] : []),
        ...(names('partner') ? [rival, platform] : []),
      ]) {
        const hidden = await carryOut(op, given, {}, who);
        expect([hidden.status, hidden.json]).toEqual([unknown.status, unknown.json]);
      }
    }
    const { scopes } = sandbox.partners.get(given.who.clientId);
    sandbox.partners.update(given.who.clientId, { scopes: scopes.filter((each) => each !== op.scope) });
    expect(told(await carryOut(op, given))).toEqual([403, 'SCOPE_DENIED']);
    sandbox.partners.update(given.who.clientId, { scopes });
    expect(await everything(given)).toEqual(before);
  });

  if (has('evidence_id')) {
    // rule: notification.evidence
    it('rests on evidence that is scanned, and of the same sale', async () => {
      const given = await prepared(op);
      const { sold } = given;
      if (sold === undefined) throw new Error('evidence is of a sale');
      sandbox.scanner.finds('unclean');
      const unclean = await evidence(sandbox, sold);
      sandbox.scanner.finds('clean');
      const foreign = await evidence(sandbox, await wonLot(sandbox, { label: 'live-closed' }));
      sandbox.scanner.pause();
      const { id } = await done(command(sandbox, sold.who, '/api/v1/document-uploads', uploadBody(sold)));
      sandbox.clock.advance(60_000);
      const before = await everything(given);
      for (const evidence_id of [id, unclean, foreign]) {
        expect(told(await carryOut(op, given, { evidence_id }))).toEqual([422, ['evidence_id']]);
      }
      expect(await everything(given)).toEqual(before);
      sandbox.scanner.resume();
      expect((await done(carryOut(op, given, { evidence_id: id }))).data.evidence_id).toBe(id);
    });
  }
});
