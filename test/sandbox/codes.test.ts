import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { AccessFacts, Sandbox, SandboxOptions } from '../../src/sandbox/index.js';
import { type Bid, bid, type Got, get, lotOf, onManualClock, plus, type Sent, send } from './caller.js';
import { command } from './workflow.js';

/** Every code in the table of the text, by each status that it has there. */
const codesOfTheText: Readonly<Record<number, readonly string[]>> = {
  401: ['API_CLIENT_NOT_ACTIVE', 'KEY_REVOKED', 'TIMESTAMP_EXPIRED', 'INVALID_NONCE', 'INVALID_SIGNATURE'],
  402: ['BANK_UNAVAILABLE'],
  403: [
    ...['API_CLIENT_NOT_ACTIVE', 'TLS_REQUIRED', 'ENVIRONMENT_DENIED', 'IP_NOT_ALLOWED', 'SCOPE_DENIED'],
    ...['PARTNER_NOT_ACTIVE', 'KYB_REQUIRED', 'AGREEMENT_REQUIRED', 'BANK_UNAVAILABLE', 'BANK_ACCESS_DENIED'],
    ...['AUCTION_ACCESS_DENIED', 'BUYER_NOT_ELIGIBLE', 'BUYER_LIMIT_EXPIRED', 'EMD_EXPIRED'],
  ],
  409: ['NONCE_REPLAYED', 'IDEMPOTENCY_CONFLICT'],
  422: [
    ...['DEALER_NOT_ELIGIBLE', 'BIDDER_REFERENCE_REQUIRED', 'DIRECT_DEALER_IDENTITY_REQUIRED'],
    ...['BID_OFF_OPENING_GRID', 'BID_BELOW_MINIMUM', 'LOT_NOT_LIVE', 'RESOURCE_NOT_GRANTED'],
    ...[
      'CHANNEL_NOT_GRANTED',
      'BUYER_NOT_ENTITLED_TO_CLIENT',
      'DEALER_NOT_FOUND',
      'IDEMPOTENCY_KEY_REQUIRED',
    ],
  ],
};
const named = Object.entries(codesOfTheText).flatMap(([status, codes]) =>
  codes.map((code) => [Number(status), code] as const),
);

type Request = (sandbox: Sandbox) => Promise<Got>;
type Case = readonly [
  status: number,
  code: string,
  why: string,
  facts: Partial<AccessFacts>,
  request: Request,
  options?: SandboxOptions,
];

const profile = '/api/v1/integration/profile';
const now = Date.parse('2026-03-01T10:00:00Z') / 1000;
const reading =
  (sent: Partial<Sent> = {}): Request =>
  (sandbox) =>
    send(sandbox, sandbox.credentials.dealer, { path: profile, ...sent });
const bidding =
  (
    label = 'live-open',
    extra = 0,
    more: Partial<Bid> = {},
    headers = {},
    by: 'dealer' | 'platform' = 'dealer',
  ): Request =>
  (sandbox) => {
    const { id, startingPrice } = lotOf(sandbox, label);
    const content = { amount: plus(startingPrice, extra), ...more };
    return bid(sandbox, sandbox.credentials[by], id, content, headers);
  };
const [read, submit] = [reading(), bidding()];
const inOrder =
  (...requests: readonly Request[]): Request =>
  async (sandbox) => {
    for (const request of requests.slice(0, -1)) await request(sandbox);
    return (requests.at(-1) ?? read)(sandbox);
  };
const decides: Request = (sandbox) =>
  command(sandbox, sandbox.credentials.dealer, '/api/v1/sale-cases/sale_1/decisions', {
    decision: 'approved',
  });
const past = '2026-03-01T10:00:00Z';
const key = randomUUID();
const with403: SandboxOptions = {
  variants: { 'inactive-client-status': '403', 'bank-unavailable-status': '403' },
};
const bidOf = (content: Partial<Bid>) => bidding('live-open', 0, content);
const underHeader = (header?: string) => bidding('live-open', 0, {}, { 'Idempotency-Key': header });
const underNonce = reading({ sign: { nonce: 'one-nonce-for-two' } });

const cases: readonly Case[] = [
  // rule: code.key
  [401, 'API_CLIENT_NOT_ACTIVE', 'it is not active', { active: false }, read],
  [403, 'API_CLIENT_NOT_ACTIVE', 'variant', { active: false }, read, with403],
  [401, 'KEY_REVOKED', 'it is', { keyRevoked: true }, read],
  // rule: code.signature
  [401, 'TIMESTAMP_EXPIRED', 'a second', {}, reading({ sign: { timestamp: String(now - 301) } })],
  [401, 'INVALID_NONCE', 'it is short', {}, reading({ sign: { nonce: 'fifteen-letters' } })],
  [401, 'INVALID_SIGNATURE', 'another secret', {}, reading({ sign: { secret: 'another' } })],
  // rule: code.access
  [403, 'TLS_REQUIRED', 'plain HTTP', {}, read, { requireTls: true }],
  [403, 'ENVIRONMENT_DENIED', 'production', { environment: 'production' }, read],
  [403, 'IP_NOT_ALLOWED', 'another block', { allowedIps: ['203.0.113.0/24'] }, read],
  [403, 'SCOPE_DENIED', 'no scope', { scopes: [] }, read],
  [403, 'SCOPE_DENIED', 'a partner decides for the bank', { scopes: ['sales:approve'] }, decides],
  // rule: code.partner
  [403, 'PARTNER_NOT_ACTIVE', 'it is not', { partnerActive: false }, read],
  [403, 'KYB_REQUIRED', 'none', { kyb: false }, read],
  [403, 'AGREEMENT_REQUIRED', 'none', { agreement: false }, read],
  // rule: code.bank-unavailable
  [402, 'BANK_UNAVAILABLE', 'no subscription', { bankSubscription: false }, read],
  [403, 'BANK_UNAVAILABLE', 'variant', { bankSubscription: false }, read, with403],
  // rule: code.assignment
  [403, 'BANK_ACCESS_DENIED', 'another bank', {}, bidding('other-bank')],
  [403, 'AUCTION_ACCESS_DENIED', 'not assigned', {}, bidding('unassigned')],
  [403, 'AUCTION_ACCESS_DENIED', 'results', { resultsEntitled: false }, reading({ path: '/api/v1/results' })],
  // rule: code.buyer
  [403, 'BUYER_NOT_ELIGIBLE', 'another dealer', {}, bidOf({ dealer_id: 'D-999' })],
  // rule: code.limits
  [403, 'BUYER_LIMIT_EXPIRED', 'lapsed', { limitUntil: past }, submit],
  [403, 'EMD_EXPIRED', 'lapsed', { emdUntil: past }, submit],
  // rule: code.dealer-not-eligible
  [422, 'DEALER_NOT_ELIGIBLE', 'blocked', { blocked: true }, submit],
  // rule: code.bidder
  [422, 'BIDDER_REFERENCE_REQUIRED', 'a platform', {}, bidding('live-open', 0, {}, {}, 'platform')],
  [422, 'DIRECT_DEALER_IDENTITY_REQUIRED', 'a dealer', {}, bidOf({ bidder_reference: 'b-1' })],
  // rule: code.grid
  [422, 'BID_OFF_OPENING_GRID', 'a rupee', {}, bidding('live-open', 1)],
  // rule: code.minimum
  [422, 'BID_BELOW_MINIMUM', 'the same again', {}, inOrder(submit, submit)],
  // rule: code.not-live
  [422, 'LOT_NOT_LIVE', 'over', {}, bidding('over')],
  [422, 'LOT_NOT_LIVE', 'cancelled', {}, bidding('cancelled')],
  // rule: code.entitlement
  [422, 'RESOURCE_NOT_GRANTED', 'it is not', { resourceGranted: false }, submit],
  [422, 'CHANNEL_NOT_GRANTED', 'it is not', { channelGranted: false }, submit],
  [422, 'BUYER_NOT_ENTITLED_TO_CLIENT', 'it is not', { buyerEntitled: false }, submit],
  [422, 'DEALER_NOT_FOUND', 'none', { dealerExists: false }, submit],
  // rule: code.key-required
  [422, 'IDEMPOTENCY_KEY_REQUIRED', 'missing', {}, underHeader(undefined)],
  // rule: code.nonce-replayed
  [409, 'NONCE_REPLAYED', 'twice', {}, inOrder(underNonce, underNonce)],
  // rule: code.key-conflict
  [
    ...([409, 'IDEMPOTENCY_CONFLICT', 'another amount', {}] as const),
    inOrder(...[0, 5_000].map((extra) => bidding('live-open', extra, { idempotency_key: key }))),
  ],
];

test('the cases are those of the text, and all of them', () => {
  const of = ([status, code]: readonly [number, string, ...unknown[]]) => `${status} ${code}`;
  expect([...new Set(cases.map(of))].sort()).toEqual(named.map(of).sort());
});

// rule: general.6, general.7, convention.5, access.active, access.agreement, access.address, access.environment
// rule: access.scope, access.subscription, version.5, bid.7
const byName = cases.map((each) => [each[0], each[1], each[2], each] as const);
test.each(byName)('%d %s, where: %s', async (status, code, _, [, , , facts, request, options = {}]) => {
  await using sandbox = await onManualClock(options);
  sandbox.partners.update(sandbox.credentials.dealer.clientId, facts);
  const got = await request(sandbox);
  const isRecorded = status === 422 && code !== 'IDEMPOTENCY_KEY_REQUIRED';
  expect([got.status, got.json]).toEqual([
    status,
    {
      success: false,
      code,
      message: expect.any(String),
      data: isRecorded ? expect.objectContaining({ status: 'rejected', replayed: false }) : null,
      errors: [code],
      request_id: expect.stringMatching(/^req_/),
      timestamp: '2026-03-01T10:00:00.000Z',
    },
  ]);
  const isSecond = code === 'BID_BELOW_MINIMUM' || code === 'IDEMPOTENCY_CONFLICT';
  expect(sandbox.ledger()).toHaveLength(isSecond ? 1 : 0);
  const others = await get(sandbox, sandbox.credentials.platform, profile);
  expect(others.status).toBe(code === 'TLS_REQUIRED' ? 403 : 200);
});

test.each(named)('%d %s can also be had by script', async (status, code) => {
  await using sandbox = await onManualClock();
  sandbox.inject({ fault: 'refuse', code: code as 'KEY_REVOKED', status, operation: 'bids.submit' });
  const { status: got, json } = await submit(sandbox);
  expect([got, json.success, json.code, json.errors]).toEqual([status, false, code, [code]]);
});
