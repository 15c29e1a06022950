import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, open, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  BankClient,
  fromPaise,
  PartnerClient,
  type SaleRecord,
  type Transport,
  type TransportReply,
  type TransportRequest,
  toPaise,
  undiciTransport,
} from 'vehicle-auction-sdk';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { runApprovals } from '../../examples/bank-approvals/approvals.js';
import { Audit, AuditError } from '../../examples/bank-approvals/audit.js';
import { Caps } from '../../examples/bank-approvals/caps.js';
import { TableError } from '../../examples/bank-approvals/csv.js';
import { optionsOf } from '../../examples/bank-approvals/options.js';
import { runPayments } from '../../examples/bank-approvals/payments.js';
import { judge } from '../../examples/bank-approvals/policy.js';
import { Report } from '../../examples/bank-approvals/report.js';
import { readReserves } from '../../examples/bank-approvals/reserves.js';
import { SetupError, sandboxSettings } from '../../examples/bank-approvals/settings.js';
import { type Entry, readStatement } from '../../examples/bank-approvals/statement.js';
import { root } from '../support/sources.js';

/** Everything that these tests write. */
const temporary = await mkdtemp(join(tmpdir(), 'bank-approvals-test-'));

const decide = 'A22';
const offer = 'A24';

interface Run {
  readonly dryRun?: boolean;
  readonly caps?: ConstructorParameters<typeof Caps>[0];
  /** A hand on the audit of this run. */
  readonly spoil?: (audit: Audit) => void;
}

/** What became of a run: its lines by what they say, and whether it ends well. */
interface Told {
  readonly lines: readonly string[];
  readonly isBad: boolean;
  readonly error: unknown;
}

/** A bank in a sandbox whose time stands still, and whose dealer bids the opening price on the first lots. */
async function bankDay(lots: number, label = 'live-open') {
  const sandbox = await startSandbox({
    clock: 'manual',
    startAt: '2026-03-02T10:00:00+05:30',
    rateLimit: false,
  });
  const folder = await mkdtemp(join(temporary, 'day-'));
  const { bank: bankCredentials, dealer: dealerCredentials } = sandbox.credentials;
  const common = {
    baseUrl: sandbox.baseUrl,
    environment: 'sandbox',
    clock: { now: () => sandbox.clock.now() },
    randomness: { fraction: () => 0 },
    quota: { limit: Number.POSITIVE_INFINITY },
    logLevel: 'off',
  } as const;
  const inner = undiciTransport();
  const wire: { meddle?: (request: TransportRequest) => Promise<TransportReply | undefined> } = {};
  const transport: Transport = {
    send: async (request) => (await wire.meddle?.(request)) ?? inner.send(request),
    close: () => inner.close(),
  };
  const bank = new BankClient({ ...common, credentials: bankCredentials, transport });
  const colleague = new BankClient({ ...common, credentials: bankCredentials });
  const dealer = new PartnerClient({
    ...common,
    credentials: dealerCredentials,
    partnerType: 'direct_dealer',
    dealerId: dealerCredentials.dealerId,
  });
  const won = sandbox.auctions.get(label).lots.slice(0, lots);
  for (const { id, startingPrice } of won) await dealer.bids.submit(id, { amount: startingPrice });
  sandbox.auctions.close(label);
  const list = await colleague.saleCases.list().toArray();
  const sales = won.map(({ id }) => must(list.find(({ data }) => data?.lot_id === id)));
  const reserves = new Map<string, string>();
  const audit = join(folder, 'audit.jsonl');

  async function through(
    path: string,
    spoil: Run['spoil'],
    go: (audit: Audit, report: Report) => Promise<void>,
  ) {
    const lines: string[] = [];
    const report = new Report((line) => lines.push(line));
    const opened = await Audit.open(path);
    spoil?.(opened);
    const error: unknown = await go(opened, report).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    await opened.close();
    return { lines, isBad: report.isBad || error !== undefined, error };
  }

  return {
    sandbox,
    bank,
    colleague,
    dealer,
    wire,
    folder,
    audit,
    sales,
    reserves,
    /** Sets the reserve of a sale's lot: so many rupees above its bid, or below. */
    reserve(sale: SaleRecord, rupees: string): string {
      const amount = fromPaise(toPaise(amountOf(sale)) + toPaise(rupees));
      reserves.set(sale.data?.lot_id ?? '', amount);
      return amount;
    },
    run: async ({ dryRun = false, caps = {}, spoil }: Run = {}): Promise<Told> => {
      const bench = { bank, settings: sandboxSettings, reserves, caps: new Caps(caps), dryRun };
      if (!dryRun)
        return through(audit, spoil, (opened, report) => runApprovals({ ...bench, audit: opened }, report));
      const lines: string[] = [];
      const report = new Report((line) => lines.push(line));
      await runApprovals({ ...bench, audit: await Audit.read(audit) }, report);
      return { lines, isBad: report.isBad, error: undefined };
    },
    pay: (entries: readonly Entry[], spoil?: Run['spoil']): Promise<Told> =>
      through(audit, spoil, (opened, report) =>
        runPayments({ bank, settings: sandboxSettings, audit: opened }, entries, report),
      ),
    /** The buyer answers the offer on a sale. */
    answer: async (sale: SaleRecord, decision: 'accepted' | 'declined', terms_version = 'T3') => {
      const { id, resource_version } = must((await dealer.saleCases.get(sale.id)).data?.active_offer);
      if (typeof id !== 'string' || typeof resource_version !== 'number') throw new Error('no offer');
      await dealer.offers.respond({ id, resource_version }, { decision, terms_version });
    },
    stateOf: async (sale: SaleRecord) => (await colleague.saleCases.get(sale.id)).state,
    /** What arrived for an operation. */
    arrived: (operation: string) => sandbox.attempts().filter((attempt) => attempt.operation === operation),
    committed: (operation: string) => sandbox.ledger().filter((entry) => entry.operation === operation),
    /** The audit, line by line. */
    audited: async () => (await readFile(audit, 'utf8')).trimEnd().split('\n').map(parsed),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([bank.close(), colleague.close(), dealer.close()]);
      await inner.close();
      await sandbox.close();
    },
  };
}

type Day = Awaited<ReturnType<typeof bankDay>>;

/** A day with one sale, whose bid meets the reserve. */
async function dayOfOne(): Promise<Day & { readonly sale: SaleRecord }> {
  const day = await bankDay(1);
  const sale = must(day.sales[0]);
  day.reserve(sale, '0');
  return { ...day, sale };
}

function must<T>(value: T): NonNullable<T> {
  if (value === undefined || value === null) throw new Error('the sandbox lacks something');
  return value;
}

function amountOf(sale: SaleRecord): string {
  return must(sale.data?.amount);
}

function parsed(line: string): Record<string, unknown> {
  const value: Record<string, unknown> = JSON.parse(line);
  return value;
}

/** What a run said, as `approved sal_1`. */
function outcomes({ lines }: Told): string[] {
  return lines.flatMap((line) => /^ {2}(\S+(?: on)?) +(\S+)/.exec(line)?.slice(1, 3).join(' ') ?? []);
}

const isDecision = ({ method, path }: TransportRequest) => method === 'POST' && path.endsWith('/decisions');

afterEach(() => {
  vi.restoreAllMocks();
});

afterAll(() => rm(temporary, { recursive: true }));

describe('the policy', () => {
  const now = Date.parse('2026-03-02T10:00:00Z');
  const facts = (reserve: string | undefined, data: Partial<SaleRecord['data']> = {}, offered = false) => ({
    sale: {
      id: 'sal_1',
      state: 'pending',
      resource_version: 3,
      data: { bid_id: 'bid_1', amount: '400000.00', lot_id: 'lot_1', ...data },
    },
    reserve,
    offered,
    now,
  });
  const verdict = (...given: Parameters<typeof facts>) => {
    const { action, ...rest } = judge(facts(...given), sandboxSettings);
    return 'amount' in rest ? [action, rest.amount] : [action];
  };
  const active = (change: object = {}, terms: object = {}) => ({
    active_offer: {
      id: 'off_1',
      state: 'accepted',
      ...change,
      data: { amount: '420000.00', terms_version: 'T3', valid_until: '2026-03-02T10:00:01Z', ...terms },
    },
  });

  it.each([
    ['400000', ['approve', '400000.00']],
    ['399999.99', ['approve', '400000.00']],
    ['400000.01', ['offer', '400000.01']],
    ['425000', ['offer', '425000']],
    ['425000.01', ['hold']],
    [undefined, ['hold']],
  ])('a bid of 400000.00 with a reserve of %s: %j', (reserve, expected) => {
    expect(verdict(reserve)).toEqual(expected);
  });

  it('makes no second offer where the first was not taken', () => {
    expect(verdict('410000', {}, true)).toEqual(['hold']);
  });

  it.each([
    ['accepted', active(), ['approve', '420000.00']],
    [
      'accepted, read flat',
      { active_offer: { ...active().active_offer.data, id: 'off_1', state: 'accepted' } },
      ['approve', '420000.00'],
    ],
    ['lapsed at this moment', active({}, { valid_until: '2026-03-02T10:00:00Z' }), ['hold']],
    ['without a readable time', active({}, { valid_until: 'soon' }), ['hold']],
    ['open', active({ state: 'open' }), ['wait']],
    ['open and lapsed', active({ state: 'open' }, { valid_until: '2026-03-01T10:00:00Z' }), ['hold']],
    ['declined', active({ state: 'declined' }), ['hold']],
    ['accepted below the reserve', active({}, { amount: '409999.99' }), ['hold']],
    ['without an amount', active({}, { amount: 420_000 }), ['hold']],
  ])('an offer that is %s: %j', (_, data, expected) => {
    expect(verdict('410000', data)).toEqual(expected);
  });

  it('holds what names no bid or amount', () => {
    const { sale, ...rest } = facts('1');
    expect(judge({ ...rest, sale: { ...sale, data: { amount: '400000.00' } } }, sandboxSettings).action).toBe(
      'hold',
    );
    expect(judge({ ...rest, sale: { ...sale, data: { bid_id: 'bid_1' } } }, sandboxSettings).action).toBe(
      'hold',
    );
  });
});

describe('a run', () => {
  it('approves, offers and holds by the policy, each audited before and after', async () => {
    await using day = await bankDay(4);
    const [good, near, far, unknown] = day.sales.map(must);
    day.reserve(must(good), '-1000');
    const asked = day.reserve(must(near), '20000');
    day.reserve(must(far), '150000');
    const told = await day.run();

    expect(told.isBad).toBe(false);
    expect(outcomes(told).sort()).toEqual(
      [`approved ${good?.id}`, `offered ${near?.id}`, `held ${far?.id}`, `held ${unknown?.id}`].sort(),
    );
    expect(day.committed(decide)).toMatchObject([{ saleId: good?.id, amount: good?.data?.amount }]);
    expect(day.committed(offer)).toMatchObject([{ saleId: near?.id, amount: asked }]);
    expect(await day.stateOf(must(good))).toBe('approved');

    const lines = await day.audited();
    const about = (id: string | undefined) => lines.filter((line) => line['about'] === id);
    const key = must(day.committed(decide)[0]).idempotencyKey;
    expect(about(good?.id)).toMatchObject([
      {
        event: 'before',
        action: 'approve',
        amount: good?.data?.amount,
        why: expect.stringContaining('the reserve being'),
        body: {
          decision: 'approved',
          bid_id: good?.data?.bid_id,
          terms_version: 'T3',
          due_at: '2026-03-09T04:30:00.000Z',
          payee_instructions: sandboxSettings.payeeInstructions,
          expected_version: 1,
          idempotency_key: key,
        },
      },
      { event: 'after', key, outcome: 'done', state: 'approved', version: 2 },
    ]);
    expect(about(near?.id)).toMatchObject([
      {
        event: 'before',
        action: 'offer',
        body: { valid_until: '2026-03-05T04:30:00.000Z', expected_version: 1 },
      },
      { event: 'after', outcome: 'done', state: 'open' },
    ]);
    expect(about(far?.id)).toMatchObject([{ event: 'held', version: 1 }]);
    expect(about(unknown?.id)).toMatchObject([{ event: 'held', why: 'no reserve is known for its lot' }]);
    expect(JSON.stringify(about(near?.id)[0]?.['body'])).not.toContain('reserve');
  });

  it('collects every page before it decides anything', async () => {
    await using day = await bankDay(30);
    for (const sale of day.sales) day.reserve(sale, '0');
    await day.run();
    expect(day.committed(decide)).toHaveLength(30);
    const arrived = day.sandbox.attempts().map(({ operation }) => operation);
    const lists = arrived.flatMap((operation, place) => (operation === 'A20' ? [place] : []));
    expect(lists.length).toBeGreaterThanOrEqual(4); // two pages of ours, two of the test's
    expect(lists.at(-1)).toBeLessThan(arrived.indexOf(decide));
  });

  it('does nothing when it is run again', async () => {
    await using day = await bankDay(3);
    const [good, near, far] = day.sales.map(must);
    day.reserve(must(good), '0');
    day.reserve(must(near), '20000');
    day.reserve(must(far), '150000');
    await day.run();
    const before = [day.arrived(decide).length, day.arrived(offer).length, (await day.audited()).length];
    const told = await day.run();
    expect(outcomes(told).sort()).toEqual([`held ${far?.id}`, `waiting ${near?.id}`].sort());
    expect(told.lines[0]).toContain('1 approved');
    expect([day.arrived(decide).length, day.arrived(offer).length, (await day.audited()).length]).toEqual(
      before,
    );
    expect(before).toEqual([1, 1, 5]);
  });

  it('sends no command and writes no file on a dry run', async () => {
    await using day = await bankDay(2);
    const [good, near] = day.sales.map(must);
    day.reserve(must(good), '0');
    day.reserve(must(near), '20000');
    const told = await day.run({ dryRun: true });
    expect(outcomes(told).sort()).toEqual([`would ${good?.id}`, `would ${near?.id}`].sort());
    const posts = day.sandbox.attempts().filter(({ method }) => method !== 'GET');
    expect(posts.map(({ operation }) => operation)).toEqual(['bids.submit', 'bids.submit']);
    await expect(day.audited()).rejects.toThrow('ENOENT');
  });

  it('stays within its caps, to the paisa', async () => {
    await using day = await bankDay(2);
    const [first, second] = day.sales.map(must);
    day.reserve(must(first), '0');
    day.reserve(must(second), '0');
    const sum = toPaise(amountOf(must(first))) + toPaise(amountOf(must(second)));

    expect(outcomes(await day.run({ caps: { count: 0 } })).map(word)).toEqual(['left', 'left']);
    expect(outcomes(await day.run({ dryRun: true, caps: { count: 1 } })).map(word)).toEqual([
      'would',
      'left',
    ]);
    expect(outcomes(await day.run({ dryRun: true, caps: { rupees: fromPaise(sum) } })).map(word)).toEqual([
      'would',
      'would',
    ]);
    expect(day.arrived(decide)).toEqual([]);
    const told = await day.run({ caps: { rupees: fromPaise(sum - 1n) } });
    expect([outcomes(told).map(word), told.isBad]).toEqual([['approved', 'left'], false]);
    expect(outcomes(await day.run({ caps: { count: 5 } })).map(word)).toEqual(['approved']);
    expect(day.committed(decide)).toHaveLength(2);
  });
});

describe('an offer', () => {
  async function offered() {
    const day = await bankDay(1);
    const sale = must(day.sales[0]);
    const amount = day.reserve(sale, '20000');
    await day.run();
    return { ...day, sale, amount };
  }

  it('that is accepted is approved at its amount, by its id and on its terms', async () => {
    await using day = await offered();
    await day.answer(day.sale, 'accepted');
    expect(outcomes(await day.run())).toEqual([`approved ${day.sale.id}`]);
    const sale = await day.colleague.saleCases.get(day.sale.id);
    expect(sale).toMatchObject({ state: 'approved', data: { amount: day.amount, terms_version: 'T3' } });
    const { recordId } = must(day.committed(offer)[0]);
    const before = (await day.audited()).filter(({ action }) => action === 'approve');
    expect(before).toMatchObject([{ amount: day.amount, body: { offer_id: recordId, terms_version: 'T3' } }]);
  });

  it('that somebody else made is approved on its own terms', async () => {
    await using day = await dayOfOne();
    await offerByColleague(day, day.sale, 'T7');
    await day.answer(day.sale, 'accepted', 'T7');
    expect(outcomes(await day.run())).toEqual([`approved ${day.sale.id}`]);
    const { data } = await day.colleague.saleCases.get(day.sale.id);
    expect(data).toMatchObject({ terms_version: 'T7', amount: '900000.00' });
  });

  it('that has lapsed is approved by nothing', async () => {
    await using day = await offered();
    await day.answer(day.sale, 'accepted');
    day.sandbox.clock.advance(3 * 86_400_000);
    expect(outcomes(await day.run())).toEqual([`held ${day.sale.id}`]);
    expect(day.arrived(decide)).toEqual([]);
  });

  it('that was declined is made only once', async () => {
    await using day = await offered();
    await day.answer(day.sale, 'declined');
    expect(outcomes(await day.run())).toEqual([`held ${day.sale.id}`]);
    expect(day.arrived(offer)).toHaveLength(1);
  });

  it('whose reply was lost is settled by reading the sale', async () => {
    await using day = await bankDay(1);
    const sale = must(day.sales[0]);
    day.reserve(sale, '20000');
    day.sandbox.inject({ operation: offer, fault: 'drop_after_commit', times: 3 });
    expect(outcomes(await day.run())).toEqual([`offered ${sale.id}`]);
    expect((await day.audited()).at(-1)).toMatchObject({ outcome: 'done', note: 'the offer is on the sale' });
    expect(day.committed(offer)).toHaveLength(1);
  });
});

describe('a sale that changes between reading and decision', () => {
  it('is judged anew, and what was decided is never sent with another version', async () => {
    await using day = await dayOfOne();
    let meddled = false;
    day.wire.meddle = async (request) => {
      if (!isDecision(request) || meddled) return undefined;
      meddled = true;
      await offerByColleague(day, day.sale);
      return undefined;
    };
    const told = await day.run();
    expect([outcomes(told), told.isBad]).toEqual([[`waiting ${day.sale.id}`], false]);
    // A refusal without a code is sent once more before it is believed.
    expect(day.arrived(decide).map(({ status }) => status)).toEqual([409, 409]);
    expect(await day.audited()).toMatchObject([
      { event: 'before', action: 'approve', body: { expected_version: 1 } },
      { event: 'after', outcome: 'conflict' },
    ]);
    expect(await day.stateOf(day.sale)).toBe('pending_bank_approval');
  });

  it('is approved under a new key where the policy still says so', async () => {
    await using day = await dayOfOne();
    let meddled = false;
    day.wire.meddle = async (request) => {
      if (!isDecision(request) || meddled) return undefined;
      meddled = true;
      await offerByColleague(day, day.sale);
      await day.answer(day.sale, 'declined');
      return undefined;
    };
    const amount = must(day.sale.data?.amount);
    expect(outcomes(await day.run({ caps: { count: 1, rupees: amount } }))).toEqual([
      `approved ${day.sale.id}`,
    ]);
    const sent = day.arrived(decide);
    expect(sent.map(({ status }) => status)).toEqual([409, 409, 200]);
    expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
    const bodies = (await day.audited()).filter(({ event }) => event === 'before').map(({ body }) => body);
    expect(bodies).toMatchObject([{ expected_version: 1 }, { expected_version: 3 }]);
  });

  it('again and again is given up', async () => {
    await using day = await dayOfOne();
    day.wire.meddle = async (request) => {
      if (!isDecision(request)) return undefined;
      await offerByColleague(day, day.sale);
      await day.answer(day.sale, 'declined');
      return undefined;
    };
    const told = await day.run();
    expect([outcomes(told), told.isBad]).toEqual([[`failed ${day.sale.id}`], true]);
    expect(day.arrived(decide)).toHaveLength(6);
    expect(day.committed(decide)).toEqual([]);
  });

  it('is not asked about again where the refusal is about something else', async () => {
    await using day = await dayOfOne();
    day.sandbox.partners.update(day.sandbox.credentials.bank.clientId, { scopes: ['sales:read'] });
    const told = await day.run();
    expect([outcomes(told), told.isBad]).toEqual([[`failed ${day.sale.id}`], true]);
    expect(day.arrived(decide)).toHaveLength(1);
    expect((await day.audited()).at(-1)).toMatchObject({
      outcome: 'refused',
      note: expect.stringContaining('SCOPE_DENIED'),
    });
  });

  it('is left alone where somebody else has decided it', async () => {
    await using day = await dayOfOne();
    let meddled = false;
    day.wire.meddle = async ({ path }) => {
      if (!path.endsWith(`/sale-cases/${day.sale.id}`) || meddled) return undefined;
      meddled = true;
      await approveByColleague(day, day.sale);
      return undefined;
    };
    const told = await day.run();
    expect([outcomes(told), told.isBad]).toEqual([[`moved on ${day.sale.id}`], false]);
    expect(day.committed(decide)).toHaveLength(1);
  });
});

describe('an approval in doubt', () => {
  it('is settled by the replay of the client, where one comes back', async () => {
    await using day = await dayOfOne();
    day.sandbox.inject({ operation: decide, fault: 'drop_after_commit' });
    expect(outcomes(await day.run())).toEqual([`approved ${day.sale.id}`]);
    expect(day.arrived(decide)).toHaveLength(2);
    expect(day.committed(decide)).toHaveLength(1);
  });

  it('is settled by reading the sale, where none does', async () => {
    await using day = await dayOfOne();
    day.sandbox.inject({ operation: decide, fault: 'drop_after_commit', times: 3 });
    const told = await day.run();
    expect([outcomes(told), told.isBad]).toEqual([[`approved ${day.sale.id}`], false]);
    expect((await day.audited()).at(-1)).toMatchObject({ outcome: 'done', note: 'the sale is approved' });
    expect(outcomes(await day.run())).toEqual([]);
    expect([day.arrived(decide).length, day.committed(decide).length]).toEqual([3, 1]);
  });

  it('is sent again identically by the client, where nothing was committed', async () => {
    await using day = await dayOfOne();
    day.sandbox.inject({ operation: decide, fault: 'error_before_commit' });
    expect(outcomes(await day.run())).toEqual([`approved ${day.sale.id}`]);
    expect(identities(day)).toHaveLength(1);
    expect(day.arrived(decide)).toHaveLength(2);
  });

  it('is left for the next run, which sends it identically', async () => {
    await using day = await dayOfOne();
    day.sandbox.inject({ operation: decide, fault: 'error_before_commit', times: 3 });
    const told = await day.run();
    expect([outcomes(told), told.isBad]).toEqual([[`unknown ${day.sale.id}`], true]);
    day.sandbox.clock.advance(1_800_000); // the due date of a new decision would be another
    const next = await day.run();
    expect([outcomes(next), next.isBad]).toEqual([[`approved ${day.sale.id}`], false]);
    expect(identities(day)).toHaveLength(1);
    expect([day.arrived(decide).length, day.committed(decide).length]).toEqual([4, 1]);
    const lines = await day.audited();
    expect(lines.map(({ event, outcome }) => outcome ?? event)).toEqual(['before', 'unknown', 'done']);
  });

  it('is not sent where the policy has changed its mind', async () => {
    await using day = await dayOfOne();
    day.sandbox.inject({ operation: decide, fault: 'error_before_commit', times: 3 });
    await day.run();
    day.reserve(day.sale, '500000');
    const told = await day.run();
    expect([outcomes(told), told.isBad]).toEqual([[`unknown ${day.sale.id}`], true]);
    expect(day.arrived(decide)).toHaveLength(3);
  });

  it('is not sent where it is an offer and the reserve is another by now', async () => {
    await using day = await bankDay(1);
    const sale = must(day.sales[0]);
    day.reserve(sale, '20000');
    day.sandbox.inject({ operation: offer, fault: 'error_before_commit', times: 3 });
    await day.run();
    day.reserve(sale, '21000');
    expect(outcomes(await day.run())).toEqual([`unknown ${sale.id}`]);
    day.reserve(sale, '20000');
    expect(outcomes(await day.run())).toEqual([`offered ${sale.id}`]);
    expect(new Set(day.arrived(offer).map(({ bodySha256 }) => bodySha256)).size).toBe(1);
  });

  it('is judged anew where the sale has changed meanwhile', async () => {
    await using day = await dayOfOne();
    day.sandbox.inject({ operation: decide, fault: 'error_before_commit', times: 3 });
    await day.run();
    await offerByColleague(day, day.sale);
    const told = await day.run();
    expect([outcomes(told), told.isBad]).toEqual([[`waiting ${day.sale.id}`], false]);
    expect(identities(day)).toHaveLength(1);
    expect((await day.audited()).at(-1)).toMatchObject({ outcome: 'conflict' });
    expect(outcomes(await day.run())).toEqual([`waiting ${day.sale.id}`]);
    expect(day.arrived(decide)).toHaveLength(5);
  });

  it.each([
    ['amount', { amount: '900000.00' }],
    ['terms', { terms_version: 'T4' }],
    ['time', { valid_until: '2026-03-05T04:30:01Z' }],
  ])('is not taken for an offer of somebody else, with another %s', async (_, change) => {
    await using day = await bankDay(1);
    const sale = must(day.sales[0]);
    const amount = day.reserve(sale, '20000');
    day.sandbox.inject({ operation: offer, fault: 'error_before_commit', times: 3 });
    await day.run();
    const ours = { amount, terms_version: 'T3', valid_until: '2026-03-05T04:30:00Z' };
    await day.colleague.saleCases.offer(sale, { ...ours, currency: 'INR', ...change });
    expect(outcomes(await day.run())).toEqual([`waiting ${sale.id}`]);
    expect((await day.audited()).at(-1)).toMatchObject({ event: 'after', outcome: 'conflict' });
  });

  it('waits for a second person where the sale has another state by now', async () => {
    await using day = await dayOfOne();
    day.sandbox.inject({ operation: decide, fault: 'redirect' });
    day.wire.meddle = async ({ method, path }) =>
      method === 'GET' && path.endsWith(day.sale.id) && day.arrived(decide).length > 0
        ? taken(day.sale)
        : undefined;
    const told = await day.run();
    expect([outcomes(told), told.isBad]).toEqual([[`waiting ${day.sale.id}`], false]);
    expect((await day.audited()).at(-1)).toMatchObject({ outcome: 'waiting', state: 'awaiting_checker' });
  });

  it('stays in doubt where the sale can not be read, and the others go on', async () => {
    await using day = await bankDay(2);
    for (const sale of day.sales) day.reserve(sale, '0');
    day.sandbox.inject({ operation: decide, fault: 'redirect' });
    day.sandbox.inject({ operation: 'A21', fault: 'error_before_commit', nth: 2, times: 3 });
    const told = await day.run();
    expect([outcomes(told).map(word), told.isBad]).toEqual([['unknown', 'approved'], true]);
    expect(outcomes(await day.run()).map(word)).toEqual(['approved']);
  });

  it('ends badly where the sale is gone, and the others go on', async () => {
    await using day = await bankDay(2);
    for (const sale of day.sales) day.reserve(sale, '0');
    const gone = must(day.sales[0]);
    day.wire.meddle = async ({ path }) =>
      path.endsWith(gone.id) ? replied(404, { message: 'Not found.' }) : undefined;
    const told = await day.run();
    expect([outcomes(told).sort(), told.isBad]).toEqual([
      [`approved ${day.sales[1]?.id}`, `failed ${gone.id}`],
      true,
    ]);
  });

  it('is said to be sent again by a dry run, which sends and writes nothing', async () => {
    await using day = await dayOfOne();
    day.sandbox.inject({ operation: decide, fault: 'error_before_commit', times: 3 });
    await day.run();
    const written = await day.audited();
    const told = await day.run({ dryRun: true });
    expect(outcomes(told)).toEqual([`would ${day.sale.id}`]);
    expect(told.lines.join()).toContain('again: approve at');
    expect(await day.audited()).toEqual(written);
    expect(day.arrived(decide)).toHaveLength(3);
  });
});

describe('a second person', () => {
  it('decides about a sale that was approved and is pending again', async () => {
    await using day = await dayOfOne();
    day.wire.meddle = async (request) => (isDecision(request) ? taken(day.sale, 'approved') : undefined);
    expect(outcomes(await day.run())).toEqual([`approved ${day.sale.id}`]);
    delete day.wire.meddle;
    expect(outcomes(await day.run())).toEqual([`held ${day.sale.id}`]);
    expect(day.arrived(decide)).toEqual([]);
  });

  it('is waited for where a 200 does not say approved, and nothing is sent again', async () => {
    await using day = await dayOfOne();
    day.wire.meddle = async (request) => (isDecision(request) ? taken(day.sale) : undefined);
    const told = await day.run();
    expect([outcomes(told), told.isBad]).toEqual([[`waiting ${day.sale.id}`], false]);
    expect((await day.audited()).at(-1)).toMatchObject({
      outcome: 'waiting',
      state: 'awaiting_checker',
      version: 2,
    });
    delete day.wire.meddle;
    const next = await day.run();
    expect([outcomes(next), next.isBad]).toEqual([[`waiting ${day.sale.id}`], false]);
    expect(day.arrived(decide)).toEqual([]);
  });
});

describe('the audit', () => {
  it('is on the disk before the request leaves', async () => {
    await using day = await dayOfOne();
    const sent: number[] = [];
    const prototype = await fileHandles(day.folder);
    const sync = prototype.sync;
    vi.spyOn(prototype, 'sync').mockImplementation(async function (this: typeof prototype) {
      await sync.call(this);
      sent.push(day.arrived(decide).length);
    });
    await day.run();
    expect(sent).toEqual([0, 0, 1]); // the folder of the new file, the line before, the line after
  });

  it('that can not be opened lets nothing be sent', async () => {
    await using day = await dayOfOne();
    await writeFile(join(day.folder, 'file'), '');
    await expect(Audit.open(join(day.folder, 'file', 'audit.jsonl'))).rejects.toThrow(AuditError);
  });

  it.each(['appendFile', 'sync'] as const)(
    'whose %s fails lets nothing be sent, then or later',
    async (method) => {
      await using day = await bankDay(2);
      for (const sale of day.sales) day.reserve(sale, '0');
      const prototype = await fileHandles(day.folder);
      const told = await day.run({
        spoil: () =>
          void vi.spyOn(prototype, method).mockRejectedValueOnce(new Error('ENOSPC: no space left')),
      });
      expect(told.error).toBeInstanceOf(AuditError);
      expect(String(told.error)).toContain('ENOSPC');
      expect(day.arrived(decide)).toEqual([]);
    },
  );

  it('writes no more after a line that failed', async () => {
    await using day = await bankDay(0);
    const audit = await Audit.open(day.audit);
    const prototype = await fileHandles(day.folder);
    vi.spyOn(prototype, 'sync').mockRejectedValueOnce(new Error('EIO'));
    await expect(audit.hold('sal_1', 1, 'why')).rejects.toThrow(AuditError);
    await expect(audit.hold('sal_1', 1, 'why')).rejects.toThrow('can not be written any more');
  });

  it('lets a crash before the request be resolved by the next run, under the same key', async () => {
    await using day = await dayOfOne();
    const crashed = await day.run({ spoil: (audit) => crashAfter(audit, 'before') });
    expect(crashed.error).toMatchObject({ message: 'crash' });
    expect(day.arrived(decide)).toEqual([]);
    const [before] = await day.audited();
    expect(before).toMatchObject({ event: 'before', action: 'approve' });

    expect(outcomes(await day.run())).toEqual([`approved ${day.sale.id}`]);
    expect(day.committed(decide)).toMatchObject([{ idempotencyKey: keyOf(before) }]);
    expect(outcomes(await day.run())).toEqual([]);
  });

  it('lets a crash after the request be resolved by the next run, by reading', async () => {
    await using day = await dayOfOne();
    const crashed = await day.run({ spoil: (audit) => crashBefore(audit, 'after') });
    expect([crashed.isBad, day.committed(decide).length]).toEqual([true, 1]);
    expect(outcomes(await day.run({ dryRun: true }))).toEqual([`settled ${day.sale.id}`]);
    expect(await day.audited()).toHaveLength(1);
    const told = await day.run();
    expect([outcomes(told), told.isBad]).toEqual([[`settled ${day.sale.id}`], false]);
    expect(day.arrived(decide)).toHaveLength(1);
    expect((await day.audited()).at(-1)).toMatchObject({ event: 'after', outcome: 'done' });
    expect(outcomes(await day.run())).toEqual([]);
  });

  it('cuts off a line that a crash left unfinished', async () => {
    await using day = await dayOfOne();
    await writeFile(day.audit, '{"at":"2026-03-02T04:30:00.000Z","event":"before","about":"sal_');
    expect(outcomes(await day.run())).toEqual([`approved ${day.sale.id}`]);
    expect((await day.audited()).map(({ event }) => event)).toEqual(['before', 'after']);
  });

  it('is refused where a whole line is none of its own', async () => {
    await using day = await dayOfOne();
    await writeFile(
      day.audit,
      '{"event":"held","about":"sal_1","version":1,"why":"x"}\n{"event":"before"}\n',
    );
    await expect(Audit.open(day.audit)).rejects.toThrow(`${day.audit}:2 is not a line`);
    await appendFile(day.audit, 'nonsense\n');
    await expect(Audit.read(day.audit)).rejects.toThrow(AuditError);
  });

  it('holds neither secret nor signature', async () => {
    await using day = await dayOfOne();
    await day.run();
    const text = await readFile(day.audit, 'utf8');
    expect(text).not.toContain('secret-of-the');
    expect(text.toLowerCase()).not.toContain('signature');
  });
});

describe('payments', () => {
  /** An approved and acknowledged sale, its reported payments, and the entries that show them. */
  async function paidDay(
    partsOf: (paise: bigint) => readonly bigint[] = () => [],
    { acknowledged = true } = {},
  ) {
    const day = await dayOfOne();
    await day.run();
    const sale = await day.dealer.saleCases.get(day.sale.id);
    if (acknowledged) await day.dealer.saleCases.acknowledge(sale, { terms_version: 'T3' });
    const whole = toPaise(amountOf(sale));
    const parts = partsOf(whole);
    const rest = parts.reduce((left, part) => left - part, whole);
    const entries: Entry[] = [];
    for (const [place, amount] of [...parts, rest].map(fromPaise).entries()) {
      const utr = `EXMPN2606000000${place}`;
      const report = await day.dealer.paymentReports.create({
        sale_id: sale.id,
        amount,
        currency: 'INR',
        method: 'bank_transfer',
        utr,
        paid_at: '2026-03-02T09:00:00+05:30',
      });
      entries.push({
        name: `ACC-1/T${place}`,
        account: 'ACC-1',
        utr,
        transaction: `T${place}`,
        amount,
        valueDate: '2026-03-02',
        saleId: sale.id,
        reportId: report.id,
      });
    }
    const kinds = () => day.sandbox.ledger().map(({ kind }) => kind);
    return { ...day, entries, kinds, steps: () => kinds().slice(kinds().indexOf('bank_receipt')) };
  }

  it('imports, verifies, allocates and releases, once', async () => {
    await using day = await paidDay();
    const told = await day.pay(day.entries);
    expect([outcomes(told), told.isBad]).toEqual([['released ACC-1/T0'], false]);
    expect(day.steps()).toEqual(['bank_receipt', 'payment_report', 'allocation', 'release']);
    const count = day.sandbox.attempts().filter(({ method }) => method === 'POST').length;
    expect(outcomes(await day.pay(day.entries))).toEqual(['released ACC-1/T0']);
    expect(day.sandbox.attempts().filter(({ method }) => method === 'POST')).toHaveLength(count);
    const actions = (await day.audited())
      .filter(({ event }) => event === 'before')
      .map(({ action }) => action);
    expect(actions).toEqual(['approve', 'import', 'verify', 'allocate', 'release']);
  });

  it('releases only once nothing remains', async () => {
    await using day = await paidDay(() => [100_000n]);
    expect(outcomes(await day.pay(day.entries.slice(0, 1)))).toEqual(['credited ACC-1/T0']);
    expect(day.kinds()).not.toContain('release');
    expect(outcomes(await day.pay(day.entries))).toEqual(['credited ACC-1/T0', 'released ACC-1/T1']);
    expect(day.steps().filter((kind) => kind === 'release')).toHaveLength(1);
  });

  it('tells equal payments of a sale apart by what is allocated already', async () => {
    await using day = await paidDay((paise) => [paise / 2n]);
    expect(day.entries[0]?.amount).toBe(day.entries[1]?.amount);
    expect(outcomes(await day.pay(day.entries))).toEqual(['credited ACC-1/T0', 'released ACC-1/T1']);
  });

  it('holds an entry that can not be told from another payment', async () => {
    await using day = await paidDay();
    await importByHand(day, must(day.entries[0]), 'T9');
    expect(outcomes(await day.pay(day.entries))).toEqual(['held ACC-1/T0']);
    expect(day.kinds()).not.toContain('allocation');
  });

  it('goes on where somebody else has verified the report', async () => {
    await using day = await paidDay();
    const entry = must(day.entries[0]);
    const { id } = await importByHand(day, entry, entry.transaction, entry.utr);
    const report = await day.colleague.paymentReports.get(entry.reportId);
    await day.colleague.paymentReports.decide(report, {
      decision: 'verified',
      bank_receipt_id: id,
      bank_account_reference: entry.account,
      received_amount: entry.amount,
      currency: 'INR',
    });
    expect(outcomes(await day.pay(day.entries))).toEqual(['released ACC-1/T0']);
    expect(day.arrived('A38')).toHaveLength(1);
  });

  it.each([
    ['another utr', { utr: 'EXMPN26060000099' }],
    ['another amount', { amount: '1.00' }],
    ['another sale', { saleId: 'sal_none' }],
  ])('holds an entry that names %s than the report', async (_, change) => {
    await using day = await paidDay();
    const told = await day.pay(day.entries.map((entry) => ({ ...entry, ...change })));
    expect([outcomes(told), told.isBad]).toEqual([['held ACC-1/T0'], false]);
    expect(day.kinds()).not.toContain('bank_receipt');
  });

  it('goes on behind an entry whose report does not exist, and ends badly', async () => {
    await using day = await paidDay();
    const [entry] = day.entries.map(must);
    const told = await day.pay([{ ...must(entry), name: 'ACC-1/T9', reportId: 'prp_none' }, must(entry)]);
    expect([outcomes(told), told.isBad]).toEqual([['failed ACC-1/T9', 'released ACC-1/T0'], true]);
  });

  it('holds the release of what is not acknowledged', async () => {
    await using day = await paidDay(undefined, { acknowledged: false });
    expect(outcomes(await day.pay(day.entries))).toEqual([`held ${day.sale.id}`]);
    expect(day.arrived('A52')).toEqual([]);
  });

  it.each(['A42', 'A38', 'A45', 'A52'])(
    'settles a lost reply to %s by sending it again, the very same',
    async (step) => {
      await using day = await paidDay();
      day.sandbox.inject({ operation: step, fault: 'drop_after_commit', times: 3 });
      expect((await day.pay(day.entries)).isBad).toBe(true);
      const told = await day.pay(day.entries);
      expect([told.isBad, outcomes(told).map(word)]).toEqual([false, ['released']]);
      expect(new Set(day.arrived(step).map(({ bodySha256 }) => bodySha256)).size).toBe(1);
      expect(day.steps()).toEqual(['bank_receipt', 'payment_report', 'allocation', 'release']);
    },
  );

  it('sends nothing while a step stays in doubt', async () => {
    await using day = await paidDay();
    day.sandbox.inject({ operation: 'A45', fault: 'error_before_commit', times: 6 });
    expect(outcomes(await day.pay(day.entries))).toEqual(['unknown ACC-1/T0']);
    expect(outcomes(await day.pay(day.entries))).toEqual(['unknown ACC-1/T0']);
    expect(new Set(day.arrived('A45').map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(day.arrived('A52')).toEqual([]);
  });

  it('sends nothing that it can not write down', async () => {
    await using day = await paidDay();
    const told = await day.pay(day.entries, (audit) => crashBefore(audit, 'before'));
    expect([told.isBad, day.kinds().includes('bank_receipt')]).toEqual([true, false]);
  });
});

describe('tables and arguments', () => {
  async function file(text: string): Promise<string> {
    const path = join(await mkdtemp(join(temporary, 'table-')), 'table.csv');
    await writeFile(path, text);
    return path;
  }

  it('are read with a byte order mark, Windows line ends, spaces and columns in any order', async () => {
    const reserves = await readReserves(
      await file('\uFEFFreserve, lot_id\r\n465000 , lot_1\r\n\r\n1.50,lot_2\r\n'),
    );
    expect([...reserves]).toEqual([
      ['lot_1', '465000'],
      ['lot_2', '1.50'],
    ]);
    const [entry] = await readStatement(
      await file(
        'account,utr,external_transaction_id,amount,value_date,sale_id,report_id\nA,U,T,10.50,2026-03-02,sal_1,prp_1\n',
      ),
    );
    expect(entry).toEqual({
      name: 'A/T',
      account: 'A',
      utr: 'U',
      transaction: 'T',
      amount: '10.50',
      valueDate: '2026-03-02',
      saleId: 'sal_1',
      reportId: 'prp_1',
    });
  });

  it.each([
    ['an unknown column', 'lot_id,price\nlot_1,1\n'],
    ['a column too many', 'lot_id,reserve,note\nlot_1,1\n'],
    ['a cell too many', 'lot_id,reserve\nlot_1,1,x\n'],
    ['a missing cell', 'lot_id,reserve\nlot_1\n'],
    ['an empty cell', 'lot_id,reserve\n,465000\n'],
    ['a grouped amount', 'lot_id,reserve\nlot_1,4,65,000\n'],
    ['a quoted cell', 'lot_id,reserve\n"lot_1",465000\n'],
    ['a float', 'lot_id,reserve\nlot_1,4.65e5\n'],
    ['a negative reserve', 'lot_id,reserve\nlot_1,-1\n'],
    ['two reserves of a lot', 'lot_id,reserve\nlot_1,1\nlot_1,2\n'],
    ['nothing', ''],
  ])('are refused with %s', async (_, text) => {
    await expect(readReserves(await file(text))).rejects.toThrow(TableError);
  });

  it('are refused where there are none', async () => {
    await expect(readReserves(join(temporary, 'none.csv'))).rejects.toThrow(TableError);
  });

  it('take the same reserve twice', async () => {
    expect((await readReserves(await file('lot_id,reserve\nlot_1,1\nlot_1,1.00\n'))).size).toBe(1);
  });

  it.each([
    [['sell', '--sandbox']],
    [['approvals']],
    [['approvals', '--reserves', 'r.csv']],
    [['payments', '--reserves', 'r.csv', '--audit', 'a']],
    [['--sandbox', '--audit', 'a.jsonl']],
    [['--sandbox', '--max-count', '-1']],
    [['--sandbox', '--max-count', '1e3']],
    [['--sandbox', '--max-rupees', '1e5']],
    [['payments', '--sandbox', '--dry-run']],
    [['--sandbox', '--fast']],
  ])('are refused: %j', (args) => {
    expect(() => optionsOf(args)).toThrow(SetupError);
  });

  it('are read', () => {
    const args = [
      '--reserves',
      'r.csv',
      '--audit',
      'a.jsonl',
      '--max-count',
      '3',
      '--max-rupees',
      '10.50',
      '--dry-run',
    ];
    expect(optionsOf(args)).toMatchObject({
      command: 'approvals',
      sandbox: false,
      dryRun: true,
      maxCount: 3,
      maxRupees: '10.50',
      reserves: 'r.csv',
      audit: 'a.jsonl',
    });
  });
});

describe('the program', () => {
  const start = (args: readonly string[], { main = 'examples/bank-approvals/main.ts', env = {} } = {}) =>
    promisify(execFile)(process.execPath, ['--import', 'tsx', main, ...args], {
      cwd: root,
      env: { ...process.env, TMPDIR: temporary, ...env },
    }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    );

  it('lives two mornings and a payment day in the sandbox', async () => {
    const { code, stdout, stderr } = await start(['payments', '--sandbox']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.match(/^ {2}approved /gm)).toHaveLength(2);
    expect(stdout.match(/^ {2}offered /gm)).toHaveLength(1);
    expect(stdout.match(/^ {2}released /gm)).toHaveLength(2);
  });

  it('sends nothing on a dry run', async () => {
    const { code, stdout } = await start(['--sandbox', '--dry-run']);
    expect(code).toBe(0);
    expect(stdout.match(/^ {2}would /gm)).toHaveLength(2);
    expect(stdout).not.toMatch(/^ {2}(approved|offered) /m);
  });

  it('does not run on the terms of the example, and says what is wrong with its arguments', async () => {
    const unset = await start(['approvals', '--reserves', 'r.csv', '--audit', 'a.jsonl']);
    expect([unset.code, unset.stdout]).toEqual([2, '']);
    expect(unset.stderr).toContain('Fill in `settings` in settings.ts first.');
    const wrong = await start(['sell']);
    expect([wrong.code, wrong.stderr.split('\n')[0]]).toEqual([2, 'There is no command "sell".']);
  });

  it('runs as a copy with settings of its own, on the credentials of the environment', async () => {
    await using sandbox = await startSandbox();
    const { bank, dealer } = sandbox.credentials;
    const { id, startingPrice } = must(sandbox.auctions.get('live-open').lots[0]);
    sandbox.actors.rival.bid(id, startingPrice);
    sandbox.auctions.close('live-open');
    const copy = await mkdtemp(join(temporary, 'copy-'));
    await cp(join(root, 'examples/bank-approvals'), copy, { recursive: true });
    await mkdir(join(copy, 'node_modules'));
    await symlink(root, join(copy, 'node_modules', 'vehicle-auction-sdk'), 'dir');
    await writeFile(join(copy, 'package.json'), '{"type":"module"}');
    const settings = await readFile(join(copy, 'settings.ts'), 'utf8');
    await writeFile(join(copy, 'settings.ts'), settings.replace('= undefined;', '= sandboxSettings;'));
    await writeFile(join(copy, 'reserves.csv'), `lot_id,reserve\n${id},${startingPrice}\n`);
    const as = ({ clientId, keyId, signingSecret }: typeof bank) => ({
      VEHICLE_AUCTION_BASE_URL: sandbox.baseUrl,
      VEHICLE_AUCTION_CLIENT_ID: clientId,
      VEHICLE_AUCTION_KEY_ID: keyId,
      VEHICLE_AUCTION_SIGNING_SECRET: signingSecret,
    });
    const run = (audit: string, who = bank) =>
      start(['--reserves', join(copy, 'reserves.csv'), '--audit', join(copy, audit)], {
        main: join(copy, 'main.ts'),
        env: as(who),
      });
    const decided = () => sandbox.attempts().filter(({ operation }) => operation === decide);

    const dealers = await run('audit.jsonl', dealer);
    expect([dealers.code, dealers.stderr]).toEqual([2, expect.stringContaining('actor_type: expected bank')]);
    const nobodys = await run('audit.jsonl', { ...bank, signingSecret: 'not the secret of the bank' });
    expect([nobodys.code, nobodys.stderr]).toEqual([2, expect.stringContaining('INVALID_SIGNATURE')]);
    const unwritable = await run('none/audit.jsonl');
    expect([unwritable.code, unwritable.stderr]).toEqual([1, expect.stringContaining('Could not open')]);
    expect(decided()).toEqual([]);

    sandbox.inject({ operation: decide, fault: 'redirect' });
    const lost = await run('audit.jsonl');
    expect([lost.code, lost.stdout]).toEqual([1, expect.stringContaining('In all: 1 unknown.')]);
    const found = await run('audit.jsonl');
    expect([found.code, found.stdout]).toEqual([0, expect.stringContaining('In all: 1 approved.')]);
    expect(new Set(decided().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    const again = await run('audit.jsonl');
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('Nothing to do.')]);
  }, 120_000); // six starts of a program
});

function word(outcome: string): string {
  return outcome.split(' ')[0] ?? '';
}

function keyOf(line: Record<string, unknown> | undefined): unknown {
  return Object(line?.['body']).idempotency_key;
}

/** Approvals that arrived, told apart by key and bytes. */
function identities(day: Day): string[] {
  return [
    ...new Set(
      day.arrived(decide).map(({ idempotencyKey, bodySha256 }) => `${idempotencyKey} ${bodySha256}`),
    ),
  ];
}

async function offerByColleague({ colleague }: Day, { id }: SaleRecord, terms_version = 'T3'): Promise<void> {
  await colleague.saleCases.offer(await colleague.saleCases.get(id), {
    amount: '900000.00',
    currency: 'INR',
    terms_version,
    valid_until: '2026-03-04T10:00:00+05:30',
    reason: 'By hand',
  });
}

function importByHand({ colleague }: Day, entry: Entry, transaction: string, utr = 'EXMPN26060000088') {
  return colleague.bankReceipts.import({
    sale_id: entry.saleId,
    bank_account_reference: entry.account,
    utr,
    external_transaction_id: transaction,
    amount: entry.amount,
    currency: 'INR',
    value_date: entry.valueDate,
  });
}

async function approveByColleague({ colleague }: Day, { id }: SaleRecord): Promise<void> {
  const sale = await colleague.saleCases.get(id);
  await colleague.saleCases.decide(sale, {
    decision: 'approved',
    bid_id: sale.data?.bid_id,
    terms_version: 'T9',
    due_at: '2026-03-09T10:00:00+05:30',
    payee_instructions: 'By hand',
  });
}

/** An answer that the sandbox knows nothing of: by default, that of a service with a second approver. */
function taken({ id }: SaleRecord, state = 'awaiting_checker'): TransportReply {
  const record = { id, kind: 'sale', state, resource_version: 2, data: {} };
  return replied(200, { data: record, request_id: 'req_1', server_time: '2026-03-02T04:30:00Z' });
}

function replied(status: number, json: object): TransportReply {
  const bytes = new TextEncoder().encode(JSON.stringify(json));
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield bytes;
    })(),
    discard: () => undefined,
  };
}

/** The process ends once a line of this kind is on the disk. */
function crashAfter(audit: Audit, event: string): void {
  const write = audit.write.bind(audit);
  vi.spyOn(audit, 'write').mockImplementation(async (entry) => {
    await write(entry);
    if (entry.event === event) throw new Error('crash');
  });
}

/** The process ends before a line of this kind is written. */
function crashBefore(audit: Audit, event: string): void {
  const write = audit.write.bind(audit);
  vi.spyOn(audit, 'write').mockImplementation(async (entry) => {
    if (entry.event === event) throw new Error('crash');
    await write(entry);
  });
}

/** What every open file of this process inherits its methods from. */
async function fileHandles(folder: string) {
  const file = await open(folder, 'r');
  await file.close();
  const prototype: typeof file = Object.getPrototypeOf(file);
  return prototype;
}
