import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  type AccessFacts,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/index.js';
import { bid, type Got, get, lotOf, plus, type Sent, send } from './caller.js';
import { command } from './workflow.js';

/** Every code in the table of the text, with each status that it has there. */
const codesOfTheText: [status: number, code: string][] = [
  // rule: code.key
  [401, 'API_CLIENT_NOT_ACTIVE'],
  [403, 'API_CLIENT_NOT_ACTIVE'],
  [401, 'KEY_REVOKED'],
  // rule: code.signature
  [401, 'TIMESTAMP_EXPIRED'],
  [401, 'INVALID_NONCE'],
  [401, 'INVALID_SIGNATURE'],
  // rule: code.access
  [403, 'TLS_REQUIRED'],
  [403, 'ENVIRONMENT_DENIED'],
  [403, 'IP_NOT_ALLOWED'],
  [403, 'SCOPE_DENIED'],
  // rule: code.partner
  [403, 'PARTNER_NOT_ACTIVE'],
  [403, 'KYB_REQUIRED'],
  [403, 'AGREEMENT_REQUIRED'],
  // rule: code.bank-unavailable
  [402, 'BANK_UNAVAILABLE'],
  [403, 'BANK_UNAVAILABLE'],
  // rule: code.assignment
  [403, 'BANK_ACCESS_DENIED'],
  [403, 'AUCTION_ACCESS_DENIED'],
  // rule: code.buyer
  [403, 'BUYER_NOT_ELIGIBLE'],
  // rule: code.limits
  [403, 'BUYER_LIMIT_EXPIRED'],
  [403, 'EMD_EXPIRED'],
  // rule: code.dealer-not-eligible
  [422, 'DEALER_NOT_ELIGIBLE'],
  // rule: code.bidder
  [422, 'BIDDER_REFERENCE_REQUIRED'],
  [422, 'DIRECT_DEALER_IDENTITY_REQUIRED'],
  // rule: code.grid
  [422, 'BID_OFF_OPENING_GRID'],
  // rule: code.minimum
  [422, 'BID_BELOW_MINIMUM'],
  // rule: code.not-live
  [422, 'LOT_NOT_LIVE'],
  // rule: code.entitlement
  [422, 'RESOURCE_NOT_GRANTED'],
  [422, 'CHANNEL_NOT_GRANTED'],
  [422, 'BUYER_NOT_ENTITLED_TO_CLIENT'],
  [422, 'DEALER_NOT_FOUND'],
  // rule: code.key-required
  [422, 'IDEMPOTENCY_KEY_REQUIRED'],
  // rule: code.nonce-replayed
  [409, 'NONCE_REPLAYED'],
  // rule: code.key-conflict
  [409, 'IDEMPOTENCY_CONFLICT'],
];

const profile = '/api/v1/integration/profile';
const now = Date.parse('2026-03-01T10:00:00Z') / 1000;

interface Case {
  status: number;
  code: string;
  /** Where a code has several causes. */
  why?: string;
  options?: SandboxOptions;
  facts?: Partial<AccessFacts>;
  /** The request that is refused, after whatever must come before it. */
  by(sandbox: Sandbox): Promise<Got>;
  /** Whether a record of the rejection stands in `data`. */
  recorded?: true;
}

const read = (sent: Partial<Sent> = {}) => ({
  by: (sandbox: Sandbox) => send(sandbox, sandbox.credentials.dealer, { path: profile, ...sent }),
});
const bidding = (label = 'live-open', extra = 0, more: Record<string, string> = {}) => ({
  by: (sandbox: Sandbox) => {
    const lot = lotOf(sandbox, label);
    return bid(sandbox, sandbox.credentials.dealer, lot.id, {
      amount: plus(lot.startingPrice, extra),
      ...more,
    });
  },
});
const rejected = { status: 422, recorded: true } as const;

const cases: Case[] = [
  { status: 401, code: 'API_CLIENT_NOT_ACTIVE', why: 'inactive', facts: { active: false }, ...read() },
  {
    status: 401,
    code: 'API_CLIENT_NOT_ACTIVE',
    why: 'unknown client',
    ...read({ headers: { 'X-Client-ID': 'nobody' } }),
  },
  {
    status: 403,
    code: 'API_CLIENT_NOT_ACTIVE',
    options: { variants: { 'inactive-client-status': '403' } },
    facts: { active: false },
    ...read(),
  },
  { status: 401, code: 'KEY_REVOKED', facts: { keyRevoked: true }, ...read() },
  { status: 401, code: 'TIMESTAMP_EXPIRED', ...read({ sign: { timestamp: String(now - 301) } }) },
  { status: 401, code: 'INVALID_NONCE', ...read({ sign: { nonce: 'fifteen-letters' } }) },
  { status: 401, code: 'INVALID_SIGNATURE', ...read({ sign: { secret: 'another' } }) },
  { status: 403, code: 'TLS_REQUIRED', options: { requireTls: true }, ...read() },
  { status: 403, code: 'ENVIRONMENT_DENIED', facts: { environment: 'production' }, ...read() },
  { status: 403, code: 'IP_NOT_ALLOWED', facts: { allowedIps: ['203.0.113.0/24'] }, ...read() },
  { status: 403, code: 'SCOPE_DENIED', why: 'no scope', facts: { scopes: [] }, ...read() },
  {
    status: 403,
    code: 'SCOPE_DENIED',
    why: 'a partner decides for the bank',
    facts: { scopes: ['sales:approve'] },
    by: (sandbox) =>
      command(sandbox, sandbox.credentials.dealer, '/api/v1/sale-cases/sale_1/decisions', {
        decision: 'approved',
        expected_version: 1,
      }),
  },
  { status: 403, code: 'PARTNER_NOT_ACTIVE', facts: { partnerActive: false }, ...read() },
  { status: 403, code: 'KYB_REQUIRED', facts: { kyb: false }, ...read() },
  { status: 403, code: 'AGREEMENT_REQUIRED', facts: { agreement: false }, ...read() },
  { status: 402, code: 'BANK_UNAVAILABLE', facts: { bankSubscription: false }, ...read() },
  {
    status: 403,
    code: 'BANK_UNAVAILABLE',
    options: { variants: { 'bank-unavailable-status': '403' } },
    facts: { bankSubscription: false },
    ...read(),
  },
  { status: 403, code: 'BANK_ACCESS_DENIED', ...bidding('other-bank') },
  { status: 403, code: 'AUCTION_ACCESS_DENIED', why: 'not assigned', ...bidding('unassigned') },
  {
    status: 403,
    code: 'AUCTION_ACCESS_DENIED',
    why: 'no results entitlement',
    facts: { resultsEntitled: false },
    ...read({ path: '/api/v1/results' }),
  },
  {
    status: 403,
    code: 'BUYER_NOT_ELIGIBLE',
    why: 'another dealer',
    ...bidding('live-open', 0, { dealer_id: 'D-999' }),
  },
  {
    status: 403,
    code: 'BUYER_NOT_ELIGIBLE',
    why: 'no linked dealer',
    facts: { dealerId: null },
    ...bidding(),
  },
  {
    status: 403,
    code: 'BUYER_LIMIT_EXPIRED',
    facts: { limitUntil: '2026-03-01T10:00:00Z' },
    ...bidding(),
  },
  { status: 403, code: 'EMD_EXPIRED', facts: { emdUntil: '2026-03-01T10:00:00Z' }, ...bidding() },
  { ...rejected, code: 'DEALER_NOT_ELIGIBLE', why: 'blocked', facts: { blocked: true }, ...bidding() },
  { ...rejected, code: 'DEALER_NOT_ELIGIBLE', why: 'KYC', facts: { kycStatus: 'pending' }, ...bidding() },
  { ...rejected, code: 'DEALER_NOT_ELIGIBLE', why: 'EMD', facts: { emdStatus: 'pending' }, ...bidding() },
  { ...rejected, code: 'DEALER_NOT_ELIGIBLE', why: 'limit', facts: { buyerLimit: '1.00' }, ...bidding() },
  {
    ...rejected,
    code: 'BIDDER_REFERENCE_REQUIRED',
    by: (sandbox) => {
      const lot = lotOf(sandbox, 'live-open');
      return bid(sandbox, sandbox.credentials.platform, lot.id, { amount: lot.startingPrice });
    },
  },
  {
    ...rejected,
    code: 'DIRECT_DEALER_IDENTITY_REQUIRED',
    ...bidding('live-open', 0, { bidder_reference: 'buyer-1' }),
  },
  { ...rejected, code: 'BID_OFF_OPENING_GRID', ...bidding('live-open', 1) },
  {
    ...rejected,
    code: 'BID_BELOW_MINIMUM',
    by: async (sandbox) => {
      await bidding().by(sandbox);
      return bidding().by(sandbox);
    },
  },
  { ...rejected, code: 'LOT_NOT_LIVE', why: 'not yet open', ...bidding('upcoming') },
  { ...rejected, code: 'LOT_NOT_LIVE', why: 'over', ...bidding('over') },
  { ...rejected, code: 'LOT_NOT_LIVE', why: 'cancelled', ...bidding('cancelled') },
  { ...rejected, code: 'RESOURCE_NOT_GRANTED', facts: { resourceGranted: false }, ...bidding() },
  { ...rejected, code: 'CHANNEL_NOT_GRANTED', facts: { channelGranted: false }, ...bidding() },
  { ...rejected, code: 'BUYER_NOT_ENTITLED_TO_CLIENT', facts: { buyerEntitled: false }, ...bidding() },
  { ...rejected, code: 'DEALER_NOT_FOUND', facts: { dealerExists: false }, ...bidding() },
  {
    status: 422,
    code: 'IDEMPOTENCY_KEY_REQUIRED',
    why: 'missing',
    by: (sandbox) => {
      const lot = lotOf(sandbox, 'live-open');
      const headers = { 'Idempotency-Key': undefined };
      return bid(sandbox, sandbox.credentials.dealer, lot.id, { amount: lot.startingPrice }, headers);
    },
  },
  {
    status: 422,
    code: 'IDEMPOTENCY_KEY_REQUIRED',
    why: 'another one',
    by: (sandbox) => {
      const lot = lotOf(sandbox, 'live-open');
      const headers = { 'Idempotency-Key': randomUUID() };
      return bid(sandbox, sandbox.credentials.dealer, lot.id, { amount: lot.startingPrice }, headers);
    },
  },
  {
    status: 409,
    code: 'NONCE_REPLAYED',
    by: async (sandbox) => {
      const once = () => read({ sign: { nonce: 'one-nonce-for-two' } }).by(sandbox);
      await once();
      return once();
    },
  },
  {
    status: 409,
    code: 'IDEMPOTENCY_CONFLICT',
    by: async (sandbox) => {
      const same = { idempotency_key: randomUUID() };
      await bidding('live-open', 0, same).by(sandbox);
      return bidding('live-open', 5_000, same).by(sandbox);
    },
  },
];

test('the cases are those of the text, and all of them', () => {
  const named = (each: { status: number; code: string }) => `${each.status} ${each.code}`;
  const ofTheText = codesOfTheText.map(([status, code]) => `${status} ${code}`);
  expect([...new Set(cases.map(named))].sort()).toEqual(ofTheText.sort());
});

// rule: general.6, general.7, convention.5, access.active, access.agreement, access.address, access.environment
// rule: access.scope, access.subscription, version.5, bid.7
test.each(cases.map((each) => [each.status, each.code, each.why ?? 'as it says', each] as const))(
  '%d %s: %s',
  async (status, code, _, { options, facts = {}, by, recorded }) => {
    await using sandbox = await startSandbox({
      clock: 'manual',
      startAt: '2026-03-01T10:00:00Z',
      ...options,
    });
    sandbox.partners.update(sandbox.credentials.dealer.clientId, facts);
    const { status: got, json } = await by(sandbox);
    expect([got, json.code]).toEqual([status, code]);
    expect(json).toEqual({
      success: false,
      code,
      message: expect.any(String),
      data: recorded ? expect.objectContaining({ status: 'rejected', replayed: false }) : null,
      errors: [code],
      request_id: expect.stringMatching(/^req_/),
      timestamp: '2026-03-01T10:00:00.000Z',
    });
    const expected = code === 'BID_BELOW_MINIMUM' || code === 'IDEMPOTENCY_CONFLICT' ? 1 : 0;
    expect(sandbox.ledger()).toHaveLength(expected);
    const others = await get(sandbox, sandbox.credentials.platform, profile);
    expect(others.status).toBe(code === 'TLS_REQUIRED' ? 403 : 200);
  },
);

test.each(codesOfTheText)('%d %s can also be had by script', async (status, code) => {
  await using sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z' });
  sandbox.inject({ fault: 'refuse', code: code as 'KEY_REVOKED', status, operation: 'bids.submit' });
  const { status: got, json } = await bidding().by(sandbox);
  expect([got, json.success, json.code, json.errors]).toEqual([status, false, code, [code]]);
});

// rule: error-shape.3, code.invalid-fields
test('what has no code has its own shape: fields, a bare message', async () => {
  await using sandbox = await startSandbox({ clock: 'manual', rateLimit: 4 });
  const { dealer } = sandbox.credentials;
  const invalid = await get(sandbox, dealer, '/api/v1/events', 'per_page=101');
  expect([invalid.status, Object.keys(invalid.json), Object.keys(invalid.json.errors)]).toEqual([
    422,
    ['message', 'errors'],
    ['per_page'],
  ]);
  const missing = await get(sandbox, dealer, '/api/v1/bids/bid_1');
  expect([missing.status, Object.keys(missing.json)]).toEqual([404, ['message']]);
  sandbox.inject({ fault: 'error_after_commit' });
  const failed = await get(sandbox, dealer, profile);
  expect([failed.status, Object.keys(failed.json)]).toEqual([500, ['message']]);
  await get(sandbox, dealer, profile);
  const limited = await get(sandbox, dealer, profile);
  expect([limited.status, Object.keys(limited.json)]).toEqual([429, ['message']]);
});
