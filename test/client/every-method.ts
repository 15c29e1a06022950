import type { Operation } from '../../src/api/operation.js';
import { resources } from '../../src/api/service.js';
import { refusal } from '../support/bid-replies.js';
import { bank, KEY, platform } from '../support/clients.js';
import type { ScriptedTransport, SentRequest } from '../support/scripted-transport.js';

/** A method of one of the clients, as plain JavaScript sees it. */
export interface Method {
  readonly party: 'platform' | 'bank';
  /** Such as `saleCases.decide`. */
  readonly name: string;
  readonly operation: Operation;
  /** Path parameters, in the order of the arguments. */
  readonly params: readonly string[];
}

/** What one call is given; whatever is left out is legal. */
export interface Given {
  readonly ids?: Readonly<Record<string, unknown>>;
  readonly input?: unknown;
  readonly options?: unknown;
}

/** Every method of both clients. */
export const everyMethod: readonly Method[] = [
  ...methodsOf('platform', platform([]).client),
  ...methodsOf('bank', bank([]).client),
];

/** What a method takes as its body or query where everything is legal and every field is given; undefined for none. */
export function legalInput({ party, name }: Method): Readonly<Record<string, unknown>> | undefined {
  const input = inputs[name];
  if (input === undefined || party === 'platform' || !name.startsWith('events.')) return input;
  // Only platforms ask for the standing of a buyer in an event.
  const { bidder_reference: _, ...ofBank } = input;
  return ofBank;
}

const inputs: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'eligibility.check': { lot_id: 'lot_1', bidder_reference: 'buyer-9', amount: '465000.00' },
  'events.list': { status: 'live', page: 1, per_page: 25 },
  'events.lots': { search: 'Swift', bidder_reference: 'buyer-9', page: 1, per_page: 25 },
  'events.lot': { bidder_reference: 'buyer-9' },
  'lots.list': { page: 1 },
  'lots.statusBatch': { lot_ids: ['lot_1', 'lot_2'], bidder_reference: 'buyer-9' },
  'results.list': { page: 1 },
  'bids.submit': {
    amount: '465000',
    bidder_reference: 'buyer-9',
    client_bid_time: '2026-03-02T11:30:00+05:30',
    dealer_id: 'D-204',
    idempotency_key: KEY,
  },
  'bids.list': { bidder_reference: 'buyer-9', page: 1 },
  'bids.requestCancellation': { reason_code: 'mistake', explanation: 'One zero', idempotency_key: KEY },
  'bidCancellations.list': { page: 1 },
  'bidCancellations.decide': { decision: 'approved', reason: 'Agreed', ...versioned() },
  'winnerUpdates.list': { after: 'cursor_1', limit: 50 },
  'saleCases.list': { page: 1 },
  'saleCases.decide': {
    decision: 'approved',
    bid_id: 'bid_1',
    reason: 'Highest',
    terms_version: 't1',
    due_at: '2026-03-09T18:00:00+05:30',
    payee_instructions: 'To the escrow account',
    offer_id: 'off_1',
    ...versioned(),
  },
  'saleCases.acknowledge': { terms_version: 't1', ...versioned() },
  'saleCases.offer': {
    amount: '460000',
    currency: 'INR',
    terms_version: 't1',
    valid_until: '2026-03-09T18:00:00Z',
    reason: 'Scratches',
    ...versioned(),
  },
  'saleCases.requestCancellation': { reason_code: 'other', explanation: 'Withdrawn', ...versioned() },
  'saleCases.authorizeRelease': {
    recipient: 'A. Buyer',
    yard: { code: 'Y1' },
    expires_at: '2026-03-20T18:00:00Z',
    collection_date: '2026-03-18',
    ...versioned(),
  },
  'saleCases.updateTransfer': {
    status: 'submitted',
    responsible_party: 'bank',
    reason: 'Filed',
    evidence_id: 'doc_1',
    document_checklist: ['form 29'],
    occurred_at: '2026-03-19T10:00:00Z',
    ...versioned(),
  },
  'offers.respond': { decision: 'accepted', terms_version: 3, reason: 'Fine', ...versioned() },
  'saleCancellations.decide': { decision: 'approved', reason: 'Agreed', ...versioned() },
  'paymentReports.create': {
    sale_id: 'sale_1',
    amount: '465000',
    currency: 'INR',
    method: 'bank_transfer',
    utr: 'UTR1',
    paid_at: '2026-03-03T10:00:00Z',
    external_reference: 'X-1',
    evidence_id: 'doc_1',
    idempotency_key: KEY,
  },
  'paymentReports.decide': {
    decision: 'verified',
    reason: 'Found',
    bank_receipt_id: 'rec_1',
    bank_account_reference: 'acc_1',
    received_amount: '465000',
    currency: 'INR',
    ...versioned(),
  },
  'payments.allocate': { sale_id: 'sale_1', amount: '465000', ...versioned() },
  'payments.requestRefund': { amount: '5000.50', reason: 'Overpaid', ...versioned() },
  'bankReceipts.import': {
    sale_id: 'sale_1',
    bank_account_reference: 'acc_1',
    utr: 'UTR1',
    external_transaction_id: 'T-1',
    amount: '465000',
    currency: 'INR',
    value_date: '2026-03-03',
    evidence_id: 'doc_1',
    idempotency_key: KEY,
  },
  'refundRequests.decide': { decision: 'approved', reason: 'Agreed', ...versioned() },
  'disputes.create': {
    sale_id: 'sale_1',
    reason_code: 'damage',
    explanation: 'Dented',
    evidence_id: 'doc_1',
    idempotency_key: KEY,
  },
  'releases.revoke': { reason: 'Hold', ...versioned() },
  'releases.collect': {
    collector: 'A. Buyer',
    vehicle_identity: { vin: 'MA3' },
    evidence_id: 'doc_1',
    ...versioned(),
  },
  'inventory.createVehicle': {
    title: 'Swift',
    external_id: 'E-1',
    schema_version: 3,
    values: { f_9: ['x'] },
    idempotency_key: KEY,
  },
  'inventory.updateVehicle': { title: 'Swift', values: { f_9: null }, ...versioned() },
  'documents.upload': {
    sale_id: 'sale_1',
    purpose: 'payment_evidence',
    filename: 'receipt.pdf',
    content_base64: 'aGk=',
    idempotency_key: KEY,
  },
  'notifications.list': { page: 1 },
  'notifications.acknowledge': { status: 'read', external_reference: 'T-1', idempotency_key: KEY },
  'webhookSubscriptions.create': {
    name: 'Wins',
    url: 'https://example.com/hooks',
    events: ['sale.approved'],
    idempotency_key: KEY,
  },
};

/** Fields of the body or query of a method. */
export function fieldsOf({ operation }: Method): Readonly<Record<string, unknown>> {
  return { ...operation.query?.shape, ...operation.body?.shape };
}

/** Calls a method on a client of its own, whose service answers every call with a 404 and its code. */
export async function callWith(
  wanted: Method,
  given: Given = {},
): Promise<{ readonly error: unknown; readonly sent: readonly SentRequest[] }> {
  const { party, name, operation, params } = wanted;
  const { client, transport } = clientOf(party);
  const [resource = '', method = ''] = name.split('.');
  const ids = params.map((param) =>
    given.ids !== undefined && param in given.ids ? given.ids[param] : legalId(param),
  );
  const takesInput = operation.query !== undefined || operation.body !== undefined;
  const input = 'input' in given ? given.input : legalInput(wanted);
  const on: object = Reflect.get(client, resource);
  const call: (...args: unknown[]) => unknown = Reflect.get(on, method);
  const error = await failureOf(() =>
    call.apply(on, [...ids, ...(takesInput ? [input] : []), given.options]),
  );
  return { error, sent: transport.sent };
}

/** Id that a path parameter takes. */
export function legalId(param: string): unknown {
  if (param === 'media') return 901;
  return param === 'idempotency_key' ? KEY : `${param}_1`;
}

function clientOf(party: Method['party']): { client: object; transport: ScriptedTransport } {
  const answers = [refusal(404, 'NOT_FOUND')];
  return party === 'platform' ? platform(answers) : bank(answers);
}

function methodsOf(party: Method['party'], client: object): Method[] {
  return resources.flatMap(({ name, operations }) =>
    Object.entries(operations)
      .filter(([method]) => {
        const holder = Object(Reflect.get(client, name));
        // What a client itself carries refuses the methods of the other actor.
        return typeof Reflect.get(holder, method) === 'function' && !Object.hasOwn(holder, method);
      })
      .map(([method, operation]) => ({
        party,
        name: `${name}.${method}`,
        operation,
        params: [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''),
      })),
  );
}

/** What a call fails with; a list is asked for its first page. */
async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    const result: unknown = await call();
    const firstPage: unknown = Reflect.get(Object(result), 'firstPage');
    if (typeof firstPage === 'function') await firstPage.call(result);
  } catch (error) {
    return error;
  }
  throw new Error('Expected a rejection');
}

function versioned() {
  return { idempotency_key: KEY, expected_version: 4 };
}
