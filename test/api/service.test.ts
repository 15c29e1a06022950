import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Operation } from '../../src/api/operation.js';
import { plannedOperations } from '../../src/api/planned.js';
import { scopes } from '../../src/api/scopes.js';
import { nameOf, resources } from '../../src/api/service.js';

// The facts below are the API text's, copied; nothing of them is read from src/api.

/** Method of the SDK, then the text's id (or our slug), HTTP method, path, scope, actors (`-`: it names none). */
const callable = `
integration.profile            A01                 GET    /integration/profile                             integration:read           bank,partner
integration.capabilities       A02                 GET    /integration/capabilities                        integration:read           bank,partner
eligibility.check              A03                 GET    /bidding-eligibility                             eligibility:read           partner
events.list                    events.list         GET    /events                                          catalogue:read             -
events.get                     events.get          GET    /events/{event}                                  catalogue:read             -
events.lots                    events.lots         GET    /events/{event}/lots                             catalogue:read             -
events.lot                     events.lot          GET    /events/{event}/lots/{lot}                       catalogue:read             -
events.media                   events.media        GET    /events/{event}/lots/{lot}/media/{media}         catalogue:read             -
lots.list                      lots.list           GET    /lots                                            catalogue:read             -
lots.status                    A10                 GET    /lots/{lot}/status                               lot-status:read            partner
lots.statusBatch               A11                 POST   /lots/status-batch                               lot-status:read            partner
vehicles.get                   vehicles.get        GET    /vehicles/{vehicle}                              vehicles:read              -
results.list                   results.list        GET    /results                                         results:read               -
bids.submit                    bids.submit         POST   /lots/{lot}/bids                                 bids:write                 -
bids.list                      bids.list           GET    /bids                                            bids:read                  -
bids.get                       A05                 GET    /bids/{bid}                                      bids:read                  bank,partner
bids.lookup                    A06                 GET    /bid-requests/{idempotency_key}                  bids:read                  partner
bids.requestCancellation       A07                 POST   /bids/{bid}/cancellation-requests                bids:cancel-request        partner
bidCancellations.list          A08                 GET    /bid-cancellation-requests                       bids:cancel-read           bank,partner
bidCancellations.decide        A09                 POST   /bid-cancellation-requests/{request}/decisions   bids:cancel-approve        bank
winnerUpdates.list             winnerUpdates.list  GET    /winner-updates                                  sales:read                 -
saleCases.list                 A20                 GET    /sale-cases                                      sales:read                 bank,partner
saleCases.get                  A21                 GET    /sale-cases/{sale}                               sales:read                 bank,partner
saleCases.decide               A22                 POST   /sale-cases/{sale}/decisions                     sales:approve              bank
saleCases.acknowledge          A23                 POST   /sale-cases/{sale}/acknowledgments               sales:acknowledge          partner
saleCases.offer                A24                 POST   /sale-cases/{sale}/offers                        offers:write               bank
saleCases.requestCancellation  A26                 POST   /sale-cases/{sale}/cancellation-requests         sales:cancel-request       bank,partner
saleCases.paymentDues          A34                 GET    /sale-cases/{sale}/payment-dues                  payments:read              bank,partner
saleCases.receipts             A46                 GET    /sale-cases/{sale}/receipts                      documents:read             bank,partner
saleCases.authorizeRelease     A52                 POST   /sale-cases/{sale}/release-authorizations        release:approve            bank
saleCases.updateTransfer       A57                 POST   /sale-cases/{sale}/transfer-updates              transfer:write             bank
saleCases.transferStatus       A58                 GET    /sale-cases/{sale}/transfer-status               transfer:read              bank,partner
offers.respond                 A25                 POST   /offers/{offer}/responses                        offers:respond             partner
saleCancellations.decide       A27                 POST   /sale-cancellation-requests/{request}/decisions  sales:cancel-approve       bank
paymentReports.create          A36                 POST   /payment-reports                                 payments:report            partner
paymentReports.get             A37                 GET    /payment-reports/{report}                        payments:read              bank,partner
paymentReports.decide          A38                 POST   /payment-reports/{report}/decisions              payments:verify            bank
payments.get                   A40                 GET    /payments/{payment}                              payments:read              bank,partner
payments.allocate              A45                 POST   /payments/{payment}/allocations                  payments:allocate          bank
payments.requestRefund         A47                 POST   /payments/{payment}/refund-requests              refunds:request            bank,partner
bankReceipts.import            A42                 POST   /bank-receipts/imports                           receipts:import            bank
refundRequests.decide          A48                 POST   /refund-requests/{request}/decisions             refunds:approve            bank
refunds.get                    A49                 GET    /refunds/{refund}                                refunds:read               bank,partner
disputes.create                A50                 POST   /disputes                                        disputes:write             bank,partner
disputes.get                   A51                 GET    /disputes/{dispute}                              disputes:read              bank,partner
releases.get                   A53                 GET    /release-authorizations/{release}                release:read               bank,partner
releases.revoke                A54                 POST   /release-authorizations/{release}/revocations    release:revoke             bank
releases.collect               A56                 POST   /release-authorizations/{release}/collections    collection:confirm         bank
inventory.createVehicle        A59                 POST   /bank/inventory/vehicles                         inventory:write            bank
inventory.updateVehicle        A60                 PATCH  /bank/inventory/vehicles/{vehicle}               inventory:write            bank
inventory.schemas              A63                 GET    /bank/inventory/schemas                          inventory-schema:read      bank
documents.upload               A72                 POST   /document-uploads                                documents:write            bank,partner
documents.get                  A73                 GET    /documents/{document}                            documents:read             bank,partner
documents.download             A73                 GET    /documents/{document}                            documents:read             bank,partner
notifications.list             A74                 GET    /notifications                                   notifications:read         bank,partner
notifications.acknowledge      A75                 POST   /notifications/{notification}/acknowledgments    notifications:acknowledge  partner
webhookSubscriptions.create    A13                 POST   /webhook-subscriptions                           webhooks:manage            -
`;

/** Id, HTTP method and path of what is listed but not callable; A13 is above. */
const planned = `
A12  GET    /changes
A14  GET    /webhook-subscriptions
A15  PATCH  /webhook-subscriptions/{subscription}
A16  GET    /webhook-deliveries
A17  POST   /webhook-deliveries/{delivery}/replay
A18  POST   /webhook-subscriptions/{subscription}/test
A19  POST   /realtime/sessions
A28  GET    /deposits
A29  POST   /deposits
A30  POST   /deposits/{deposit}/refund-requests
A31  GET    /buying-power
A32  POST   /buyer-limit-requests
A33  POST   /buyer-limit-requests/{request}/decisions
A35  POST   /sale-cases/{sale}/payment-orders
A39  POST   /payment-reports/{report}/verification-attempts
A41  POST   /provider-webhooks/{provider}/{connection}
A43  POST   /reconciliations
A44  GET    /reconciliations/{reconciliation}
A55  POST   /sale-cases/{sale}/collection-appointments
A61  POST   /bank/inventory/vehicles/{vehicle}/status-transitions
A62  POST   /bank/inventory/imports
A64  POST   /bank/auctions
A65  POST   /bank/auctions/{auction}/lots
A66  PUT    /bank/auctions/{auction}/assignments
A67  POST   /bank/auctions/{auction}/publications
A68  POST   /bank/auctions/{auction}/transitions
A69  POST   /bank/auctions/{auction}/extensions
A70  POST   /bank/partners
A71  POST   /bank/partners/{partner}/transitions
A76  GET    /audit-events
A77  POST   /report-exports
A78  GET    /operations/{operation}
A79  POST   /lots/{lot}/proxy-bid-instructions
A80  POST   /proxy-bid-instructions/{instruction}/revocations
A81  POST   /risk-review-jobs
A82  POST   /valuation-jobs
A83  POST   /vehicle-check-jobs
A84  POST   /oauth/token
A85  POST   /api-clients/{client}/key-rotations
A86  POST   /integration-acknowledgments
`;

const listedScopes = `
catalogue:read vehicles:read bids:write bids:read results:read sales:read sales:approve
sales:acknowledge sales:cancel-request sales:cancel-approve webhooks:manage integration:read
eligibility:read bids:cancel-request bids:cancel-read bids:cancel-approve lot-status:read
offers:write offers:respond payments:read payments:report payments:verify payments:allocate
receipts:import documents:read documents:write refunds:request refunds:approve refunds:read
disputes:write disputes:read release:approve release:read release:revoke collection:confirm
transfer:write transfer:read inventory:write inventory-schema:read notifications:read
notifications:acknowledge
`;

/** Body fields by operation, without `_method`. */
const bodies: Readonly<Record<string, string>> = {
  'bids.submit': 'dealer_id amount idempotency_key bidder_reference client_bid_time',
  A07: 'reason_code explanation idempotency_key',
  A09: 'decision reason idempotency_key expected_version',
  A11: 'lot_ids bidder_reference',
  A13: 'name url events idempotency_key',
  A22: 'decision bid_id reason terms_version due_at payee_instructions idempotency_key expected_version offer_id',
  A23: 'terms_version idempotency_key expected_version',
  A24: 'amount currency terms_version valid_until reason expected_version idempotency_key',
  A25: 'decision terms_version reason expected_version idempotency_key',
  A26: 'reason_code explanation expected_version idempotency_key',
  A27: 'decision reason expected_version idempotency_key',
  A36: 'sale_id amount currency method utr paid_at external_reference evidence_id idempotency_key',
  A38: 'decision reason bank_receipt_id bank_account_reference received_amount currency idempotency_key expected_version',
  A42: 'sale_id bank_account_reference utr external_transaction_id amount currency value_date evidence_id idempotency_key',
  A45: 'sale_id amount idempotency_key expected_version',
  A47: 'amount reason expected_version idempotency_key',
  A48: 'decision reason expected_version idempotency_key',
  A50: 'sale_id reason_code explanation evidence_id idempotency_key',
  A52: 'recipient yard expires_at collection_date idempotency_key expected_version',
  A54: 'reason idempotency_key expected_version',
  A56: 'collector vehicle_identity evidence_id idempotency_key expected_version',
  A57: 'status responsible_party reason evidence_id document_checklist occurred_at idempotency_key expected_version',
  A59: 'title external_id schema_version values idempotency_key',
  A60: 'title values expected_version idempotency_key',
  A72: 'sale_id purpose filename content_base64 idempotency_key',
  A75: 'status external_reference idempotency_key',
};

/** Query fields by operation. */
const queries: Readonly<Record<string, string>> = {
  'events.list': 'status page per_page',
  'events.lots': 'page per_page search bidder_reference',
  'events.lot': 'bidder_reference',
  'lots.list': 'page',
  'results.list': 'page',
  'bids.list': 'page bidder_reference',
  'winnerUpdates.list': 'after limit',
  A03: 'lot_id bidder_reference amount',
  A08: 'page',
  A20: 'page',
  A74: 'page',
};

/** Where the version comes from: path parameter, kind of its record, field. */
const versions: Readonly<Record<string, string>> = {
  A09: 'request cancellation resource_version',
  A22: 'sale sale resource_version',
  A23: 'sale sale resource_version',
  A24: 'sale sale resource_version',
  A25: 'offer offer resource_version',
  A26: 'sale sale resource_version',
  A27: 'request sale_cancellation resource_version',
  A38: 'report payment_report resource_version',
  A45: 'payment payment resource_version',
  A47: 'payment payment resource_version',
  A48: 'request refund_request resource_version',
  A52: 'sale sale resource_version',
  A54: 'release release resource_version',
  A56: 'release release resource_version',
  A57: 'sale sale resource_version',
  A60: 'vehicle inventory_command inventory_version',
};

const words = (text: string) => text.trim().split(/\s+/);
const table = (text: string) => text.trim().split('\n').map(words);
const fields = (schema: z.ZodObject | undefined) => Object.keys(schema?.shape ?? {}).sort();

const methods: readonly (readonly [name: string, operation: Operation])[] = resources.flatMap(
  ({ name, operations }) =>
    Object.entries(operations).map(([method, operation]): [string, Operation] => [
      `${name}.${method}`,
      operation,
    ]),
);
const rows = table(callable);
const plannedRows = table(planned);

describe('the service as data', () => {
  it('has the resources in the order of the reference', () => {
    expect(resources.map(({ name }) => name)).toEqual([
      'integration',
      'eligibility',
      'events',
      'lots',
      'vehicles',
      'results',
      'bids',
      'bidCancellations',
      'winnerUpdates',
      'saleCases',
      'offers',
      'saleCancellations',
      'paymentReports',
      'payments',
      'bankReceipts',
      'refundRequests',
      'refunds',
      'disputes',
      'releases',
      'inventory',
      'documents',
      'notifications',
      'webhookSubscriptions',
    ]);
  });

  it('has 57 methods for 56 operations, and 40 planned ones beside them', () => {
    expect(rows).toHaveLength(57);
    expect(methods).toHaveLength(57);
    expect(new Set(methods.map(([, { id }]) => id)).size).toBe(56);
    expect(plannedOperations).toHaveLength(40);
    const ids = [...new Set(methods.map(([, { id }]) => id)), ...plannedOperations.map(({ id }) => id)];
    expect(new Set(ids).size).toBe(96);
  });

  it('has every operation of the text, as the text has it', () => {
    const found = methods.map(([name, { id, method, path, scope, actors }]) =>
      // The text names no actor for submitting a bid, but describes only partners as bidding.
      [name, id, method, path, scope, id === 'bids.submit' ? '-' : (actors?.join(',') ?? '-')].join(' '),
    );
    expect(found.sort()).toEqual(rows.map((row) => row.join(' ')).sort());
    expect(methods.find(([name]) => name === 'bids.submit')?.[1].actors).toEqual(['partner']);
  });

  it('plans what the text lists as not callable', () => {
    expect(plannedOperations.map(({ id, method, path }) => [id, method, path])).toEqual(plannedRows);
  });

  it('leaves no id of the text out, and makes none up', () => {
    const numbered = [...rows.map(([, id = '']) => id), ...plannedRows.map(([id = '']) => id)].filter((id) =>
      /^A\d\d$/.test(id),
    );
    const expected = Array.from({ length: 86 }, (_, index) => `A${String(index + 1).padStart(2, '0')}`);
    expect([...new Set(numbered)].sort()).toEqual(expected.filter((id) => id !== 'A04'));
  });

  it('knows every scope, and uses each one', () => {
    const listed = words(listedScopes);
    expect(scopes).toEqual(listed);
    expect([...new Set(methods.map(([, { scope }]) => scope))].sort()).toEqual([...listed].sort());
  });

  it('tells two operations at one address apart by their fixed query only', () => {
    const addresses = methods.map(
      ([, { method, path, fixedQuery }]) => `${method} ${path} ${JSON.stringify(fixedQuery ?? {})}`,
    );
    expect(new Set(addresses).size).toBe(57);
    const fixed = methods.flatMap(([name, { fixedQuery }]) => (fixedQuery ? [[name, fixedQuery]] : []));
    expect(fixed).toEqual([['documents.download', { download: '1' }]]);
  });

  it('names every route as its caller knows it', () => {
    for (const [name, operation] of methods) expect(nameOf(operation)).toBe(name);
    const { success, envelope } = { success: [200], envelope: 'whole' } as const;
    expect(
      nameOf({
        id: 'request',
        method: 'GET',
        path: '/changes',
        availability: 'callable',
        effect: 'read',
        success,
        envelope,
      }),
    ).toBe('request');
  });
});

describe.each(methods)('%s', (_name, operation) => {
  const { id, method, path, params = {}, query, body, effect, versionFrom } = operation;

  it('has a parameter for each place of its path', () => {
    const places = [...path.matchAll(/\{([^}]*)\}/g)].map(([, place]) => place);
    expect(Object.keys(params)).toEqual(places);
    expect(path).toMatch(/^(?:\/(?:[a-z-]+|\{[a-z_]+\}))+$/);
  });

  it('takes the fields that the text shows, and no others', () => {
    expect(fields(body)).toEqual(
      words(bodies[id] ?? '')
        .filter(Boolean)
        .sort(),
    );
    expect(fields(query)).toEqual(
      words(queries[id] ?? '')
        .filter(Boolean)
        .sort(),
    );
    for (const schema of [body, query]) {
      if (schema === undefined) continue;
      const codes = schema.safeParse({ not_a_field: 1 }).error?.issues.map(({ code }) => code);
      expect(codes).toContain('unrecognized_keys');
    }
  });

  it('has a body and an effect that go with its HTTP method', () => {
    const expected = id === 'bids.submit' ? 'bid' : method === 'GET' || id === 'A11' ? 'read' : 'command';
    expect(effect).toBe(expected);
    expect(body !== undefined).toBe(method !== 'GET');
    expect(operation.success).toEqual(effect === 'bid' ? [201, 200] : id === 'A13' ? [200, 201] : [200]);
    expect(operation.availability).toBe(id === 'A13' ? 'documented' : 'callable');
  });

  it('carries an idempotency key where it changes something, and nowhere else', () => {
    expect('idempotency_key' in (body?.shape ?? {})).toBe(effect !== 'read');
    for (const code of ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT'] as const) {
      expect(operation.refusals.includes(code)).toBe(effect !== 'read');
    }
  });

  it('says where its version comes from exactly where it has one', () => {
    expect(versionFrom !== undefined).toBe('expected_version' in (body?.shape ?? {}));
    const source = versionFrom && `${versionFrom.param} ${versionFrom.kind} ${versionFrom.field}`;
    expect(source).toBe(versions[id]);
    if (versionFrom !== undefined) expect(Object.keys(params)).toContain(versionFrom.param);
  });

  it('has a reply schema unless it returns bytes', () => {
    expect(operation.reply === undefined).toBe(operation.envelope === 'binary');
    // What A13 returns isn't shown, so nothing is expected of it.
    if (effect === 'command') expect(operation.envelope).toBe(id === 'A13' ? 'whole' : 'command');
  });

  it('describes itself and its input in lines that any document can hold', () => {
    const inputs = [
      ...Object.values(params),
      ...Object.values(query?.shape ?? {}),
      ...Object.values(body?.shape ?? {}),
    ];
    const described = inputs.map((schema) => descriptionOf(schema));
    for (const text of [operation.summary, ...(operation.notes ?? []), ...described]) {
      expect(text).toMatch(/^[^|\n]+\.$/);
    }
  });
});

describe('reply models', () => {
  const models = replyModels();

  it.each([...models])('%# describe every field and say what they are', (schema) => {
    expect(schema.meta()).toMatchObject({ title: expect.any(String), section: expect.any(String) });
    for (const [name, field] of Object.entries(schema.shape)) {
      expect(descriptionOf(field), name).toMatch(/^[^|\n]+\.$/);
    }
  });

  it('are there to be looked at', () => {
    expect(models.size).toBeGreaterThan(35);
  });

  it('keep unknown fields and values', () => {
    for (const schema of models) expect(schema.def.catchall).not.toBeInstanceOf(z.ZodNever);
  });
});

/** Every object schema with a title that a reply holds, however deep. */
function replyModels(): Set<z.ZodObject> {
  const found = new Set<z.ZodObject>();
  const visit = (schema: unknown): void => {
    if (schema instanceof z.ZodObject) {
      if (schema.meta()?.title !== undefined) found.add(schema);
      for (const field of Object.values(schema.shape)) visit(field);
    } else if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) visit(schema.unwrap());
    else if (schema instanceof z.ZodArray) visit(schema.element);
    else if (schema instanceof z.ZodRecord) visit(schema.valueType);
    else if (schema instanceof z.ZodUnion) for (const option of schema.options) visit(option);
  };
  for (const [, { reply, rejection }] of methods) for (const schema of [reply, rejection]) visit(schema);
  return found;
}

function descriptionOf(schema: unknown): string | undefined {
  if (!(schema instanceof z.ZodType)) return undefined;
  const own = schema.meta()?.description;
  if (own !== undefined) return own;
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? descriptionOf(schema.unwrap())
    : undefined;
}
