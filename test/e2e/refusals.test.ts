import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchTransport } from '../../src/core/transport/fetch.js';
import { ApiError, BankClient, memoryStore } from '../../src/index.js';
import { type FaultPlan, type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { sampled } from '../support/thorough.js';
import { deployment } from './stage.js';

/**
 * Commands that frameworks and gateways refuse without a documented code, before the service carries them out and after.
 * What the client reports is compared with what the sandbox carried out.
 */

const STATUSES = [400, 401, 402, 403, 404, 405, 409, 410, 412, 413, 415, 419, 422, 423, 428] as const;
const SHAPES = ['message', 'page', 'empty'] as const;
/** Without a version, these are never believed: a gateway answers with them, whatever the service did. */
const ABOUT_ACCESS: readonly number[] = [401, 402, 403];
const MINUTE = 60_000;

type Shape = (typeof SHAPES)[number];

interface Case {
  readonly status: number;
  readonly shape: Shape;
  /** The service carries it out all the same. */
  readonly commit: boolean;
  readonly times: number;
}

const cases: readonly Case[] = STATUSES.flatMap((status) =>
  SHAPES.flatMap((shape) =>
    [false, true].flatMap((commit) =>
      [1, Number.POSITIVE_INFINITY].map((times) => ({ status, shape, commit, times })),
    ),
  ),
);

function faultOf({ status, shape, commit, times }: Case, operation: string): FaultPlan {
  const common = { operation, status, commit, times } as const;
  if (shape === 'message') return { fault: 'refuse', ...common };
  return { fault: 'garbage', content: shape === 'page' ? 'html' : 'empty', ...common };
}

let sandbox: Sandbox;
let bank: BankClient;
let sales: string[];
let saleOfUploads: string;

beforeAll(async () => {
  const lot = { starting_price: '400000.00', bids: [{ by: 'dealer', amount: '400000.00' }] } as const;
  const auction = {
    label: 'sold',
    name: 'Sold',
    bid_type: 'closed',
    increment: '5000',
    opens: -60,
    closes: -1,
    lots: [lot, ...cases.map(() => lot)],
  } as const;
  sandbox = await startSandbox({
    listen: false,
    clock: 'manual',
    startAt: '2026-03-02T06:00:00Z',
    rateLimit: false,
    deployment,
    seed: { random: 1, auctions: [auction] },
  });
  [saleOfUploads = '', ...sales] = sandbox.records('sale').map(({ id }) => id);
  bank = new BankClient({
    environment: 'sandbox',
    baseUrl: sandbox.baseUrl,
    credentials: sandbox.credentials.bank,
    store: memoryStore(),
    clock: sandbox.clock,
    transport: fetchTransport(sandbox.fetch),
    randomness: { nonce: randomUUID, fraction: () => 0 },
    quota: { limit: Number.POSITIVE_INFINITY },
    logLevel: 'off',
  });
});

afterAll(async () => {
  await bank.close();
  await sandbox.close();
});

/** Makes a call while its operation is refused, and compares what it reports with what the service did. */
async function refused(one: Case, operation: string, call: (idempotencyKey: string) => Promise<unknown>) {
  const key = randomUUID();
  const withdraw = sandbox.inject(faultOf(one, operation));
  const failure = await call(key).then(
    () => undefined,
    (error: unknown) => error,
  );
  withdraw();
  const { outcome = 'done', provisional = false } = failure instanceof ApiError ? failure : {};
  if (failure !== undefined) expect(failure).toBeInstanceOf(ApiError);
  const isCarriedOut = sandbox.ledger().some(({ idempotencyKey }) => idempotencyKey === key);
  return { key, outcome, provisional, isCarriedOut };
}

/** Each status has 12 cases: a step of 5 takes two or three of them, and each kind of case with some status. */
const named = sampled(cases, 5).map((one) => {
  const { status, shape, commit, times } = one;
  const when = `${commit ? 'after' : 'before'} its effect`;
  return [`${status} as ${shape}, ${when}, ${times === 1 ? 'once' : 'always'}`, one] as const;
});

describe('a decision that is refused without a code has a true outcome', () => {
  it.each(named)('%s', async (_, one) => {
    const id = sales.pop() ?? '';
    const sale = await bank.saleCases.get(id);
    const body = {
      decision: 'approved',
      bid_id: sale.data?.bid_id ?? '',
      reason: 'Above the reserve',
      terms_version: 'T3',
      due_at: '2026-04-01T00:00:00Z',
      payee_instructions: 'NEFT to account 0042',
      expected_version: sale.resource_version,
    } as const;
    const decide = (idempotencyKey: string) => bank.saleCases.decide(id, body, { idempotencyKey });
    const { key, outcome, provisional, isCarriedOut } = await refused(one, 'A22', decide);
    // A body that is too large is not sent twice.
    const isResent = one.times === 1 && one.status !== 413;
    expect({ outcome, provisional, isCarriedOut }).toEqual({
      outcome: isResent ? 'done' : one.commit ? 'unknown' : 'refused',
      provisional: !isResent && !one.commit,
      isCarriedOut: isResent || one.commit,
    });
    if (outcome === 'unknown') {
      // The gateway lets it pass: the service answers from its record of the key.
      expect(await bank.recover({ resend: true })).toMatchObject([{ idempotencyKey: key, status: 'done' }]);
    }
    if (outcome === 'refused') {
      expect((await bank.intents.list().firstPage()).items).toMatchObject([
        { state: 'refused', provisional: true },
      ]);
      sandbox.clock.advance(7 * MINUTE);
      expect(await bank.recover()).toMatchObject([{ idempotencyKey: key, status: 'refused' }]);
    }
    expect((await bank.intents.list().firstPage()).items).toEqual([]);
  });
});

describe.each<[what: string, operation: string, call: (key: string) => Promise<unknown>]>([
  [
    'a creation',
    'A50',
    (idempotencyKey) => {
      const body = { sale_id: saleOfUploads, reason_code: 'condition', explanation: 'A dent.' } as const;
      return bank.disputes.create(body, { idempotencyKey });
    },
  ],
  [
    'an upload',
    'A72',
    (idempotencyKey) => {
      const content = Buffer.from('%PDF-1.4 a transfer, as its bank shows it').toString('base64');
      const file = { filename: 'transfer.pdf', content_base64: content } as const;
      const about = { sale_id: saleOfUploads, purpose: 'payment_evidence' } as const;
      return bank.documents.upload({ ...about, ...file }, { idempotencyKey });
    },
  ],
])('%s that is refused without a code has a true outcome', (_, operation, call) => {
  // A success that a gateway hides twice behind a refusal that is believed is the stated exception.
  const isException = ({ commit, times, status }: Case) =>
    commit && times > 1 && status !== 413 && !ABOUT_ACCESS.includes(status);

  it.each(named.filter(([, one]) => !isException(one)))('%s', async (_name, one) => {
    const { key, outcome, isCarriedOut } = await refused(one, operation, call);
    const isResent = one.times === 1 && one.status !== 413;
    const isBelieved = !ABOUT_ACCESS.includes(one.status) && one.status !== 413;
    expect({ outcome, isCarriedOut }).toEqual({
      outcome: isResent ? 'done' : isBelieved ? 'refused' : 'unknown',
      isCarriedOut: isResent || one.commit,
    });
    if (outcome === 'unknown') {
      expect(await bank.recover({ resend: true })).toMatchObject([{ idempotencyKey: key, status: 'done' }]);
    }
    expect((await bank.intents.list().firstPage()).items).toEqual([]);
  });
});
