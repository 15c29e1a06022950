import { afterEach, describe, expect, it } from 'vitest';
import type { AuditEntry, BankClientOptions, Policy, PolicyAnswer } from '../../src/index.js';
import { BankClient, memoryStore, PartnerClient } from '../../src/index.js';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/index.js';
import type { Store, StoreTransaction } from '../../src/store/store.js';
import { failingWays, loggedOf, never, warnings } from '../support/failing-callbacks.js';
import { deferred } from '../support/loopback.js';
import { VirtualClock } from '../support/virtual-clock.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A bank whose auction has closed on some sold lots, over one store. */
async function bankWith(
  lots: number,
  {
    store = memoryStore(),
    variants = {},
    reply,
    ...over
  }: { store?: Store; variants?: object; reply?: SandboxOptions['reply'] } & Pick<
    BankClientOptions,
    'clock' | 'logger'
  > = {},
) {
  const sandbox = await startSandbox({ rateLimit: false, variants, ...(reply && { reply }) });
  closing.push(() => sandbox.close());
  const { baseUrl, credentials } = sandbox;
  const common = { baseUrl, environment: 'sandbox' } as const;
  const clientWith = (own: typeof credentials.bank, kept: Store) => {
    const client = new BankClient({ ...common, ...over, credentials: own, store: kept });
    closing.push(() => client.close());
    return client;
  };
  const { dealerId } = credentials.dealer;
  const party = { partnerType: 'direct_dealer', dealerId, credentials: credentials.dealer } as const;
  const dealer = new PartnerClient({ ...common, ...party });
  closing.push(() => dealer.close());
  for (const { id, startingPrice } of sandbox.auctions.get('live-open').lots.slice(0, lots)) {
    await dealer.bids.submit(id, { amount: startingPrice });
  }
  sandbox.auctions.close('live-open');
  const bank = clientWith(credentials.bank, store);
  const sales = await bank.saleCases.list().toArray({ limit: 50 });
  const id = sales[0]?.id ?? '';
  const commits = () =>
    sandbox.ledger().filter(({ operation }) => operation === 'A22' || operation === 'A24');
  return { sandbox, bank, dealer, sales, id, commits, clientWith, store };
}

const days = (now: number, count: number) => new Date(now + count * 86_400_000).toISOString();

const offerOf = (now: number, over: object = {}) =>
  ({
    ...{ action: 'offer', reason: 'Below the reserve', amount: '900000.00', termsVersion: 'T9' },
    ...{ validUntil: days(now, 1), ...over },
  }) as const satisfies PolicyAnswer;

const approveAll: Policy = ({ now }) => ({
  action: 'approve',
  reason: 'Above the reserve',
  termsVersion: 'T3',
  dueAt: days(now, 7),
  payeeInstructions: 'NEFT to account 0042',
});

async function auditOf(bank: BankClient): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for await (const entry of bank.approvals.audit()) entries.push(entry);
  return entries;
}

describe('decide', () => {
  it('approves once, audits before and after, and returns the recorded outcome when called again', async () => {
    const { bank, id, commits } = await bankWith(1);
    const first = await bank.approvals.decide(id, approveAll);
    expect(first).toMatchObject({ status: 'approved', sale: id, record: { state: 'approved' } });
    const again = await bank.approvals.decide(id, () => expect.fail('asked again'));
    expect(again).toMatchObject({ status: 'approved', idempotencyKey: first.idempotencyKey });
    expect(commits()).toHaveLength(1);
    const audit = await auditOf(bank);
    expect(audit.map(({ phase, about, idempotencyKey }) => [phase, about, idempotencyKey])).toEqual([
      ['before', id, first.idempotencyKey],
      ['after', id, first.idempotencyKey],
    ]);
    const [before, after] = audit;
    expect(before?.content).toMatchObject({
      version: first.version,
      answer: { action: 'approve', reason: 'Above the reserve' },
      command: { operation: 'A22', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(after?.content).toMatchObject({ outcome: 'done', reply: { state: 'approved' } });
    const lines: string[] = [];
    for await (const line of bank.approvals.export()) lines.push(line);
    expect(lines.map((line) => JSON.parse(line))).toEqual(audit);
  });

  it('asks the policy again where another actor moved the sale, and decides on the version it saw last', async () => {
    const { bank, id, clientWith, sandbox, commits } = await bankWith(1);
    const other = clientWith(sandbox.credentials.bank, memoryStore());
    const seen: number[] = [];
    const outcome = await bank.approvals.decide(id, async (facts) => {
      seen.push(facts.sale.resource_version);
      if (seen.length === 1) {
        const terms = { amount: '900000.00', currency: 'INR', terms_version: 'T9' } as const;
        await other.saleCases.offer(facts.sale, { ...terms, valid_until: days(facts.now, 1) });
        return approveAll(facts);
      }
      return { action: 'wait', reason: 'an offer is open' };
    });
    expect(outcome).toMatchObject({ status: 'waiting' });
    expect(new Set(seen).size).toBe(2);
    expect(commits().map(({ operation }) => operation)).toEqual(['A24']);
    expect((await auditOf(bank)).map(({ phase, content }) => [phase, content['outcome']])).toEqual([
      ['before', undefined],
      ['after', 'refused'],
    ]);
  });

  it.each([409, 412, 428])(
    'asks the policy again after a bare %i, where another actor moved the sale',
    async (status) => {
      const { bank, id, clientWith, sandbox, commits } = await bankWith(1);
      const other = clientWith(sandbox.credentials.bank, memoryStore());
      sandbox.inject({ operation: 'A22', fault: 'refuse', status, times: 2 });
      let asked = 0;
      const outcome = await bank.approvals.decide(id, async (facts) => {
        asked += 1;
        if (asked > 1) return { action: 'wait', reason: 'an offer is open' };
        const terms = { amount: '900000.00', currency: 'INR', terms_version: 'T9' } as const;
        await other.saleCases.offer(facts.sale, { ...terms, valid_until: days(facts.now, 1) });
        return approveAll(facts);
      });
      expect(outcome).toMatchObject({ status: 'waiting' });
      expect(asked).toBe(2);
      expect(commits().map(({ operation }) => operation)).toEqual(['A24']);
    },
  );

  it.each([401, 403, 404, 405, 409, 412, 419, 428])(
    'a forbidden approval (%i without a code) is refused, and approved once it is permitted',
    async (status) => {
      const { bank, id, sandbox, commits } = await bankWith(1);
      const permit = sandbox.inject({ operation: 'A22', fault: 'refuse', status, times: Infinity });
      const refused = await bank.approvals.decide(id, approveAll);
      expect(refused).toMatchObject({
        status: 'refused',
        what: expect.stringContaining('still has version'),
      });
      permit();
      const outcome = await bank.approvals.decide(id, approveAll);
      expect(outcome).toMatchObject({ status: 'approved' });
      expect(outcome.idempotencyKey).not.toBe(refused.idempotencyKey);
      expect(commits()).toHaveLength(1);
    },
  );

  it.each([403, 404, 409, 412, 428])(
    'an approval that a gateway hides behind a %i is never decided again, and found when it is called again',
    async (status) => {
      const { bank, id, sandbox, commits } = await bankWith(1);
      const show = sandbox.inject({
        operation: 'A22',
        fault: 'refuse',
        status,
        commit: true,
        times: Infinity,
      });
      let asked = 0;
      const approve: Policy = (facts) => {
        asked += 1;
        return approveAll(facts);
      };
      expect(await bank.approvals.decide(id, approve)).toMatchObject({
        status: 'unknown',
        reason: 'in_doubt',
      });
      show();
      expect(await bank.approvals.decide(id, approve)).toMatchObject({ status: 'approved' });
      expect([asked, commits().length]).toEqual([1, 1]);
    },
  );

  it('makes an offer, waits, and approves it once the buyer has accepted, with its id and terms', async () => {
    const { bank, id, dealer, commits } = await bankWith(1);
    const policy: Policy = (facts) =>
      facts.offer === undefined
        ? offerOf(facts.now)
        : ({ ...approveAll(facts), termsVersion: undefined } as PolicyAnswer);
    expect(await bank.approvals.decide(id, policy)).toMatchObject({ status: 'offered', amount: '900000.00' });
    expect(await bank.approvals.decide(id, policy)).toMatchObject({ reason: 'offer_not_accepted' });
    const sale = await dealer.saleCases.get(id);
    const { id: offerId, resource_version } = Object(sale.data?.active_offer);
    const acceptance = { decision: 'accepted', terms_version: 'T9' } as const;
    await dealer.offers.respond({ id: offerId, resource_version }, acceptance);
    const approved = { status: 'approved', amount: '900000.00' };
    expect(await bank.approvals.decide(id, policy)).toMatchObject(approved);
    expect(commits().map(({ operation }) => operation)).toEqual(['A24', 'A22']);
  });

  it.each<[string, Policy]>([
    ['policy_failed', () => Promise.reject(new Error('no reserves'))],
    ['policy_answer_invalid', () => ({ action: 'yes' }) as never],
    ['policy_answer_invalid', () => ({ action: 'hold', reason: '' })],
    ['due_at_invalid', (facts) => ({ ...approveAll(facts), dueAt: '2020-01-01T00:00:00Z' }) as never],
    ['payee_missing', (facts) => ({ ...approveAll(facts), payeeInstructions: '' }) as never],
    ['terms_missing', (facts) => ({ ...approveAll(facts), termsVersion: undefined }) as never],
    ['amount_invalid', ({ now }) => offerOf(now, { amount: '1,000' })],
    ['valid_until_invalid', ({ now }) => offerOf(now, { validUntil: days(now, -1) })],
    ['terms_missing', ({ now }) => offerOf(now, { termsVersion: undefined })],
    ['policy_answer_invalid', () => ({ action: 'decide', reason: 'x', decision: 'approved' })],
  ])('sends nothing and says why: %s', async (reason, policy) => {
    const { bank, id, commits } = await bankWith(1);
    expect(await bank.approvals.decide(id, policy)).toMatchObject({ status: 'not_sent', reason });
    expect(commits()).toEqual([]);
    expect(await auditOf(bank)).toEqual([]);
  });

  it.each<[string, Policy, string]>([
    ['threw', () => Reflect.get(Object(undefined), 'x').y, 'The policy failed: Cannot read properties'],
    ['returned nothing', () => undefined as never, 'The policy returned undefined, not an answer'],
    [
      'misspelt the action',
      () => ({ action: 'aprove', reason: 'x' }) as never,
      'is "aprove"; it must be one of approve,',
    ],
    ['gave no reason', () => ({ action: 'hold' }) as never, 'has no reason'],
    [
      'misspelt a field',
      (facts) => ({ ...approveAll(facts), bid_id: 'bid_2' }) as never,
      'has bid_id; the field is bidId',
    ],
  ])('says what is wrong with a policy that %s', async (_, policy, what) => {
    const { bank, id } = await bankWith(1);
    const outcome = await bank.approvals.decide(id, policy);
    expect(outcome).toMatchObject({ status: 'not_sent', what: expect.stringContaining(what) });
  });

  it.each<[string, object, object, object]>([
    ['offer_expired', {}, { valid_until: '2020-01-01T00:00:00Z' }, {}],
    ['offer_not_accepted', { state: 'declined' }, {}, {}],
    ['terms_mismatch', {}, {}, { termsVersion: 'T4' }],
    ['offer_unreadable', { id: undefined }, {}, {}],
    ['offer_unreadable', {}, { terms_version: undefined }, {}],
    ['offer_unreadable', {}, { valid_until: 'soon' }, {}],
  ])('sends no approval where its offer does not allow it: %s', async (reason, record, data, answer) => {
    // What the service says of an accepted offer, changed.
    const reply: SandboxOptions['reply'] = (_, json) => {
      const offer = Object(Object(Object(json).data).data).active_offer;
      if (offer) Object.assign(offer, record).data = { ...offer.data, ...data };
      return json;
    };
    const { bank, id, sandbox, commits } = await bankWith(1, { reply });
    sandbox.actors.bank.offer(id, { amount: '900000.00', termsVersion: 'T3' });
    sandbox.actors.buyer.respond(id, 'accepted');
    const before = commits().length;
    const policy: Policy = (facts) => ({ ...approveAll(facts), ...answer }) as never;
    expect(await bank.approvals.decide(id, policy)).toMatchObject({ status: 'not_sent', reason });
    expect([commits().length, await auditOf(bank)]).toEqual([before, []]);
  });

  it('sends no approval of a sale that names no bid, unless the policy does', async () => {
    const reply: SandboxOptions['reply'] = ({ operation }, json) => {
      if (operation === 'A21') delete Object(Object(json).data).data?.bid_id;
      return json;
    };
    const { bank, id, sales, commits } = await bankWith(1, { reply });
    const nameless = { status: 'not_sent', reason: 'no_bid' };
    expect(await bank.approvals.decide(id, approveAll)).toMatchObject(nameless);
    expect(commits()).toEqual([]);
    const named: Policy = (facts) => ({ ...approveAll(facts), bidId: sales[0]?.data?.bid_id }) as never;
    expect(await bank.approvals.decide(id, named)).toMatchObject({ status: 'approved' });
  });

  it('sends nothing where the audit can not be written, and nothing new while the sink fails', async () => {
    const memory = memoryStore();
    let isBroken = true;
    const broken = (tx: StoreTransaction): StoreTransaction => {
      const append: typeof tx.audit.append = (row) =>
        isBroken ? Promise.reject(new Error('disk full')) : tx.audit.append(row);
      return { ...tx, audit: { ...tx.audit, append } };
    };
    const store: Store = {
      ...memory,
      transaction: (account, work) => memory.transaction(account, (tx) => work(broken(tx))),
    };
    const { bank, sales, commits } = await bankWith(2, { store });
    const [one, two] = sales.map(({ id }) => id);
    await bank.approvals.decide(one ?? '', approveAll).catch(() => undefined);
    expect(commits()).toEqual([]);
    isBroken = false;
    expect(await bank.approvals.decide(one ?? '', approveAll)).toMatchObject({ status: 'approved' });
    const sink = () => Promise.reject(new Error('log server down'));
    expect(await bank.approvals.decide(two ?? '', approveAll, { sink })).toMatchObject({
      status: 'not_sent',
      reason: 'audit_failed',
    });
    expect(commits()).toHaveLength(1);
    const taken: AuditEntry[] = [];
    const works = { sink: (entry: AuditEntry) => void taken.push(entry) };
    expect(await bank.approvals.decide(two ?? '', approveAll, works)).toMatchObject({ status: 'approved' });
    expect(taken).toEqual(await auditOf(bank));
  });

  it.each([
    ['policy', 'policy_failed', () => ({})],
    ['sink', 'audit_failed', (hangs: () => Promise<never>) => ({ sink: hangs })],
  ] as const)(
    'sends nothing while the %s hangs: %s after callbackTimeout, and at once with the signal',
    async (...row) => {
      const [callback, reason, options] = row;
      const clock = new VirtualClock(Date.now());
      const { bank, sales, commits } = await bankWith(2, { clock });
      const [one, two] = sales.map(({ id }) => id);
      await bank.approvals.decide(one ?? '', approveAll);
      const { promise: asked, resolve: ask } = deferred();
      const hangs = () => {
        ask();
        return never;
      };
      const policy = callback === 'policy' ? hangs : approveAll;
      const late = bank.approvals.decide(two ?? '', policy, { ...options(hangs), callbackTimeout: 7_000 });
      await asked;
      await clock.advance(7_000);
      const error = { name: 'CallbackTimeoutError', callback, limit: 7_000 };
      expect(await late).toMatchObject({ status: 'not_sent', reason, error });
      const controller = new AbortController();
      const aborting = () => {
        controller.abort('enough');
        return never;
      };
      const aborted = await bank.approvals.decide(two ?? '', callback === 'policy' ? aborting : approveAll, {
        ...options(aborting),
        signal: controller.signal,
      });
      expect(aborted).toMatchObject({ status: 'not_sent', reason: 'not_sent', error: { cause: 'enough' } });
      expect(aborted.what).toContain(callback);
      expect(commits()).toHaveLength(1);
      const wrong = bank.approvals.decide(two ?? '', approveAll, { callbackTimeout: 0 });
      await expect(wrong).rejects.toThrow(/callbackTimeout must be a positive/);
    },
  );

  it('keeps a decision that was sent although the signal ends the sink afterwards', async () => {
    const { bank, id, commits } = await bankWith(1);
    const controller = new AbortController();
    const taken: string[] = [];
    const sink = ({ phase }: AuditEntry) => {
      taken.push(phase);
      controller.abort();
      return never;
    };
    const outcome = await bank.approvals.decide(id, approveAll, { sink, signal: controller.signal });
    expect([outcome.status, taken, commits().length]).toEqual(['approved', ['before'], 1]);
    const again = await bank.approvals.decide(id, approveAll, {
      sink: ({ phase }) => void taken.push(phase),
    });
    expect([again.status, taken]).toEqual(['approved', ['before', 'before', 'after']]);
  });

  it('tells a second approver’s pending state, and each approver decides by own credentials', async () => {
    const variants = { 'second-approver-reply': 'two-approvers' };
    const { bank, id, clientWith, sandbox, commits, store } = await bankWith(1, { variants });
    const dueAt = days(Date.now(), 7);
    const policy: Policy = (facts) => ({ ...approveAll(facts), dueAt }) as never;
    expect(await bank.approvals.decide(id, policy)).toMatchObject({ status: 'pending_approval' });
    expect(await bank.approvals.decide(id, policy)).toMatchObject({ status: 'pending_approval' });
    const checker = clientWith(sandbox.credentials.bankChecker, store);
    expect(await checker.approvals.decide(id, policy)).toMatchObject({ status: 'approved' });
    const before = (await auditOf(bank)).filter(({ phase }) => phase === 'before');
    const { bank: maker, bankChecker } = sandbox.credentials;
    expect(before.map(({ content }) => content['clientId'])).toEqual([maker.clientId, bankChecker.clientId]);
    expect(await bank.approvals.decide(id, policy)).toMatchObject({ status: 'approved' });
    expect(commits()).toHaveLength(2);
  });

  it('needs a person where a decision is stuck, and decides afresh once that person has abandoned it', async () => {
    const { bank, id, sandbox, commits } = await bankWith(1);
    sandbox.inject({ operation: 'A22', fault: 'refuse', code: 'IDEMPOTENCY_CONFLICT' });
    const { idempotencyKey = '' } = await bank.approvals.decide(id, approveAll);
    expect(await bank.approvals.decide(id, approveAll)).toMatchObject({ status: 'unknown', reason: 'stuck' });
    expect(commits()).toEqual([]);
    await bank.intents.abandon(idempotencyKey, 'the sale is as it was');
    expect(await bank.approvals.decide(id, approveAll)).toMatchObject({ status: 'approved' });
    expect(commits()).toHaveLength(1);
    expect((await auditOf(bank)).map(({ phase, content }) => [phase, content['outcome']])).toEqual([
      ['before', undefined],
      ['after', 'stuck'],
      ['after', 'abandoned'],
      ['before', undefined],
      ['after', 'done'],
    ]);
  });

  it('audits a hold once, and a dry run writes and sends nothing', async () => {
    const { bank, id, commits } = await bankWith(1);
    expect(await bank.approvals.decide(id, approveAll, { dryRun: true })).toMatchObject({
      status: 'dry_run',
    });
    expect(await auditOf(bank)).toEqual([]);
    const hold: Policy = () => ({ action: 'hold', reason: 'no reserve is known' });
    for (let time = 0; time < 2; time += 1)
      expect(await bank.approvals.decide(id, hold)).toMatchObject({ status: 'held' });
    expect((await auditOf(bank)).map(({ phase }) => phase)).toEqual(['held']);
    expect(commits()).toEqual([]);
  });

  it('takes effect once where several processes on one store decide one sale at once', async () => {
    const { bank, id, clientWith, sandbox, commits, store } = await bankWith(1);
    const others = [1, 2, 3].map(() => clientWith(sandbox.credentials.bank, store));
    await Promise.all([bank, ...others].map((one) => one.approvals.decide(id, approveAll)));
    expect(commits()).toHaveLength(1);
    expect(await bank.approvals.decide(id, approveAll)).toMatchObject({ status: 'approved' });
  });
});

describe('run', () => {
  it('decides every pending sale, within caps on count and rupees, and sums up', async () => {
    const { bank, commits } = await bankWith(3);
    const capped = await bank.approvals.run(approveAll, { maxCount: 1 }).summary;
    expect(capped).toMatchObject({ sales: 3, counts: { approved: 1, left: 2 } });
    expect(commits()).toHaveLength(1);
    const poor = await bank.approvals.run(approveAll, { maxAmount: '1.00' }).summary;
    expect(poor).toMatchObject({ counts: { left: 2 }, amount: '0.00' });
    const dry = await bank.approvals.run(approveAll, { dryRun: true }).summary;
    expect(dry.counts).toEqual({ dry_run: 2 });
    const run = bank.approvals.run(approveAll);
    const seen: string[] = [];
    for await (const { status } of run) seen.push(status);
    expect(seen).toEqual(['approved', 'approved']);
    expect(commits()).toHaveLength(3);
  });

  it('gives the sink what was audited without one although nothing is pending, and fails where the sink fails', async () => {
    const { bank, id } = await bankWith(1);
    await bank.approvals.decide(id, approveAll);
    const error = new Error('log server down');
    const failed = await bank.approvals.run(approveAll, { sink: () => Promise.reject(error) }).summary;
    expect(failed).toMatchObject({ sales: 0, stopped: 'failure', error });
    const taken: string[] = [];
    const sink = ({ phase }: AuditEntry) => void taken.push(phase);
    expect(await bank.approvals.run(approveAll, { sink }).summary).not.toHaveProperty('stopped');
    expect(taken).toEqual(['before', 'after']);
  });

  it('pauses, goes on, and stops', async () => {
    const { bank, commits } = await bankWith(3);
    const run = bank.approvals.run(approveAll, {
      onProgress: ({ done }) => (done === 1 ? run.pause() : run.stop()),
    });
    const results = run[Symbol.asyncIterator]();
    expect((await results.next()).value).toMatchObject({ status: 'approved' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(commits()).toHaveLength(1);
    run.resume();
    expect(await run.summary).toMatchObject({ sales: 2, stopped: 'stop' });
  });

  it('ends with a signal that fires while it is paused, or before', async () => {
    const { bank } = await bankWith(2);
    for (const isPausedFirst of [true, false]) {
      const controller = new AbortController();
      const run = bank.approvals.run(() => ({ action: 'wait', reason: 'Not yet' }), {
        signal: controller.signal,
        onProgress: () => {
          if (!isPausedFirst) controller.abort();
          run.pause();
          setImmediate(() => controller.abort());
        },
      });
      expect(await run.summary).toMatchObject({ sales: 1, stopped: 'signal' });
    }
  });

  it.each(failingWays)(
    'goes on although onProgress %s, which is logged with its stack',
    async (way, onProgress) => {
      const { lines, logger } = warnings();
      const { bank } = await bankWith(2, { logger });
      expect(await bank.approvals.run(approveAll, { onProgress }).summary).toMatchObject({
        sales: 2,
        counts: { approved: 2 },
      });
      expect(lines).toEqual(loggedOf(way, 'onProgress', 2));
    },
  );

  it('ends with a signal that fires while the policy hangs', async () => {
    const { bank } = await bankWith(2);
    const controller = new AbortController();
    const policy = () => {
      controller.abort();
      return never;
    };
    const summary = await bank.approvals.run(policy, { signal: controller.signal }).summary;
    expect(summary).toMatchObject({ sales: 1, stopped: 'signal', counts: { not_sent: 1 } });
  });

  it('leaves out what isPending answers with nothing', async () => {
    const { bank, id } = await bankWith(1);
    const isPending = () => undefined as unknown as boolean;
    const outcome = await bank.approvals.decide(id, approveAll, { isPending });
    expect(outcome).toMatchObject({ status: 'not_pending' });
  });
});
