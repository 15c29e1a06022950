import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fromPaise, toPaise } from 'vehicle-auction-sdk';
import { type SandboxCredentials, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { afterAll, describe, expect, it } from 'vitest';
import { credit, creditAll, type Entry } from '../../examples/bank-approvals/payments.js';
import { policyOf } from '../../examples/bank-approvals/policy.js';
import { openSandbox } from '../../examples/bank-approvals/sandbox.js';
import { sandboxSettings } from '../../examples/bank-approvals/settings.js';
import { root } from '../support/sources.js';
import { isThorough } from '../support/thorough.js';
import { bundle, environmentOf } from './program.js';

const temporary = await mkdtemp(join(tmpdir(), 'bank-approvals-test-'));
afterAll(() => rm(temporary, { recursive: true }));

function must<T>(value: T): NonNullable<T> {
  if (value === undefined || value === null) throw new Error('the sandbox lacks something');
  return value;
}

describe('the policy of the bank example', () => {
  const now = Date.parse('2026-03-02T10:00:00Z');
  const offer = { id: 'off_1', amount: '420000.00', termsVersion: 'T2', validUntil: '2026-03-02T10:00:01Z' };

  async function answerTo(reserve: string | undefined, change: object = {}) {
    const policy = policyOf(sandboxSettings, new Map(reserve === undefined ? [] : [['lot_1', reserve]]));
    const data = { bid_id: 'bid_1', amount: '400000.00', lot_id: 'lot_1' };
    const sale = { id: 'sal_1', state: 'pending', resource_version: 3, data };
    return policy({ sale, offer: undefined, offered: false, now, ...change });
  }

  it.each([
    ['400000', 'approve'],
    ['399999.99', 'approve'],
    ['400000.01', 'offer'],
    ['425000', 'offer'],
    ['425000.01', 'hold'],
    [undefined, 'hold'],
  ])('answers a bid of 400000.00 with a reserve of %s: %s', async (reserve, action) => {
    expect(await answerTo(reserve)).toMatchObject({ action });
  });

  it.each<[string, object, string]>([
    ['no amount', { sale: { id: 'sal_1', state: 'pending', resource_version: 3, data: {} } }, 'hold'],
    ['an offer that the buyer did not take', { offered: true }, 'hold'],
    ['an offer that can not be read', { offer: 'unreadable' }, 'hold'],
    ['an open offer', { offer: { ...offer, state: 'open' } }, 'wait'],
    ['an offer that lapses now', { offer: { ...offer, state: 'accepted' }, now: now + 1_000 }, 'hold'],
    ['a declined offer', { offer: { ...offer, state: 'declined' } }, 'hold'],
    ['an accepted offer', { offer: { ...offer, state: 'accepted' } }, 'approve'],
    ['one below the reserve', { offer: { ...offer, state: 'accepted', amount: '409999.99' } }, 'hold'],
  ])('answers a sale with %s: %s', async (_, change, action) => {
    expect(await answerTo('410000', change)).toMatchObject({ action });
  });

  it('counts dates from server time, takes the terms of an accepted offer, and keeps the reserve to itself', async () => {
    expect(await answerTo('400000')).toMatchObject({ dueAt: '2026-03-09T10:00:00.000Z', termsVersion: 'T3' });
    expect(await answerTo('410000', { offer: { ...offer, state: 'accepted' } })).not.toHaveProperty(
      'termsVersion',
    );
    const offered = await answerTo('410000');
    expect(offered).toMatchObject({ amount: '410000', validUntil: '2026-03-05T10:00:00.000Z' });
    expect(offered.reason).not.toContain('10,000');
  });
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('payments of the bank example', () => {
  /** Two approved sales that are reported as paid; the entries that show it. */
  async function paidDay() {
    const day = await openSandbox();
    const policy = policyOf(sandboxSettings, day.reserves);
    await day.bank.approvals.run(policy, sandboxSettings.run).summary;
    const [entry] = day.pay();
    const pay = (change: Partial<Entry> = {}) =>
      credit(day.bank, sandboxSettings, { ...must(entry), ...change });
    const arrived = (operation: string) =>
      day.sandbox.attempts().filter((attempt) => attempt.operation === operation);
    return { ...day, entry: must(entry), pay, arrived };
  }

  it('have days of India, where it is the next day already at eight in the evening of UTC', async () => {
    await using day = await openSandbox();
    const { clock } = day.sandbox;
    await day.bank.approvals.run(policyOf(sandboxSettings, day.reserves), sandboxSettings.run).summary;
    const untilEight = 20 * HOUR_MS - (clock.now() % DAY_MS);
    clock.advance(untilEight < 0 ? untilEight + DAY_MS : untilEight);
    const tomorrow = (days: number) => new Date(clock.now() + (days + 1) * DAY_MS).toISOString().slice(0, 10);
    expect(await credit(day.bank, sandboxSettings, must(day.pay()[0]))).toMatchObject({ status: 'released' });
    const [receipt, release] = [day.sandbox.records('bank_receipt')[0], day.sandbox.records('release')[0]];
    const { daysToCollect } = sandboxSettings.release;
    expect([receipt?.data['value_date'], release?.data['collection_date']]).toEqual([
      tomorrow(0),
      tomorrow(daysToCollect),
    ]);
  });

  it('import, verify, allocate and release once, however often they are run', async () => {
    await using day = await paidDay();
    expect(await day.pay()).toMatchObject({ status: 'released' });
    const kinds = day.sandbox.ledger().map(({ kind }) => kind);
    expect(kinds.slice(-4)).toEqual(['bank_receipt', 'payment_report', 'allocation', 'release']);
    expect(await day.pay()).toMatchObject({ status: 'released' });
    expect(day.sandbox.ledger()).toHaveLength(kinds.length);
  });

  it.each(['A42', 'A38', 'A45', 'A52'])(
    'settle a lost reply to %s by the same bytes in the next run',
    async (step) => {
      await using day = await paidDay();
      day.sandbox.inject({ operation: step, fault: 'drop_after_commit', times: 3 });
      expect(await day.pay()).toMatchObject({ status: 'unknown' });
      expect(await day.pay()).toMatchObject({ status: 'released' });
      expect(new Set(day.arrived(step).map(({ bodySha256 }) => bodySha256)).size).toBe(1);
    },
  );

  it('of a part release nothing before the rest is there, and equal parts are told apart', async () => {
    await using day = await paidDay();
    const { saleId, amount } = day.entry;
    const half = fromPaise(toPaise(amount) / 2n);
    const entries = ['EXMPN1', 'EXMPN2'].map((utr) => {
      const { id: reportId } = day.sandbox.actors.buyer.report(saleId, { utr, amount: half });
      return { utr, reportId, amount: half, transaction: utr };
    });
    expect(await day.pay(entries[0])).toMatchObject({ status: 'credited' });
    expect(day.arrived('A52')).toEqual([]);
    expect(await day.pay(entries[1])).toMatchObject({ status: 'released' });
    expect(await day.pay(entries[0])).toMatchObject({ status: 'released' });
    expect([day.arrived('A45').length, day.arrived('A52').length]).toEqual([2, 1]);
  });

  it.each([
    ['another utr', { utr: 'EXMPN26060000099' }],
    ['another amount', { amount: '1.00' }],
  ])('hold an entry with %s than its report', async (_, change) => {
    await using day = await paidDay();
    expect(await day.pay(change)).toMatchObject({ status: 'held' });
    expect(day.arrived('A42')).toEqual([]);
  });

  it('are found in the inbox, and matched with the statement by their UTR', async () => {
    await using day = await openSandbox();
    const decide = () =>
      day.bank.approvals.run(policyOf(sandboxSettings, day.reserves), sandboxSettings.run).summary;
    await decide();
    day.acceptOffers();
    await decide();
    const [first, second] = day.pay().map(({ saleId: _, reportId: __, ...entry }) => entry);
    const stray = { ...must(first), utr: 'EXMPN26060000099', transaction: 'stray' };
    const run = async (statement: Parameters<typeof creditAll>[2]) => {
      const results: string[] = [];
      for await (const { status } of creditAll(day.bank, sandboxSettings, statement)) results.push(status);
      return results.sort();
    };
    expect(await run([])).toEqual(['waiting', 'waiting']);
    expect(await run([must(first), stray])).toEqual(['held', 'released', 'waiting']);
    const sent = day.sandbox.ledger().length;
    expect(await run([must(first)])).toEqual(['released', 'waiting']);
    expect(day.sandbox.ledger()).toHaveLength(sent);
    expect(await run([must(second)])).toEqual(['released', 'waiting']);
  });

  it('fail for a report that does not exist', async () => {
    await using day = await paidDay();
    expect(await day.pay({ reportId: 'prp_none' })).toMatchObject({ status: 'failed' });
  });
});

describe('the program of the bank example', () => {
  async function programOf(source: string) {
    const folder = await mkdtemp(join(temporary, 'program-'));
    await bundle(folder, [join(source, 'main.ts')]);
    const outfile = join(folder, 'main.mjs');
    return (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
      promisify(execFile)(process.execPath, [outfile, ...args], { env: { ...process.env, ...env } }).then(
        ({ stdout }) => ({ code: 0, stdout }),
        ({ code, stdout }) => ({ code, stdout }),
      );
  }
  const statuses = (stdout: string) =>
    [...stdout.matchAll(/^ {2}([a-z_]+) +\w/gm)].map(([, status]) => status);

  it('lives two mornings, a payment day and an import in the sandbox', async () => {
    const start = await programOf(join(root, 'examples/bank-approvals'));
    const { code, stdout } = await start(['--sandbox']);
    expect(code).toBe(0);
    expect(statuses(stdout).sort()).toEqual(
      [
        ...['approved', 'approved', 'held', 'held', 'held', 'held', 'offered', 'released', 'released'],
        ...['created', 'created', 'existing', 'existing'],
      ].sort(),
    );
  });

  it.runIf(isThorough)(
    'runs as a copy with its own settings, and settles in the next run what a lost reply left unknown',
    async () => {
      const original = await programOf(join(root, 'examples/bank-approvals'));
      const unset = await original(['approvals', 'reserves.json', '--audit', 'audit.jsonl']);
      expect(unset).toEqual({ code: 2, stdout: '' });

      await using sandbox = await startSandbox();
      const { bank, dealer } = sandbox.credentials;
      const { id, startingPrice } = must(sandbox.auctions.get('live-open').lots[0]);
      sandbox.actors.rival.bid(id, startingPrice);
      sandbox.auctions.close('live-open');
      const copy = await mkdtemp(join(temporary, 'copy-'));
      await cp(join(root, 'examples/bank-approvals'), copy, { recursive: true });
      const settings = await readFile(join(copy, 'settings.ts'), 'utf8');
      await writeFile(join(copy, 'settings.ts'), settings.replace('= undefined;', '= sandboxSettings;'));
      await writeFile(join(copy, 'reserves.json'), JSON.stringify({ [id]: startingPrice }));
      const audit = join(copy, 'audit.jsonl');
      const start = await programOf(copy);
      const run = (who: SandboxCredentials, ...more: string[]) => {
        const args = ['approvals', join(copy, 'reserves.json'), '--audit', audit, ...more];
        return start(args, environmentOf(sandbox.baseUrl, who));
      };
      const decided = () => sandbox.attempts().filter(({ operation }) => operation === 'A22');

      expect((await run(dealer)).code).toBe(2);
      const tried = await run(bank, '--dry-run');
      expect([tried.code, statuses(tried.stdout)]).toEqual([0, ['dry_run']]);
      expect(decided()).toEqual([]);

      sandbox.inject({ operation: 'A22', fault: 'redirect' });
      const lost = await run(bank);
      expect([lost.code, statuses(lost.stdout)]).toEqual([1, ['unknown']]);
      const found = await run(bank);
      expect([found.code, sandbox.records('sale')[0]?.state]).toEqual([0, 'approved']);
      expect(new Set(decided().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
      const count = decided().length;
      const again = await run(bank);
      expect([again.code, statuses(again.stdout), decided().length]).toEqual([0, [], count]);
      await writeFile(join(copy, 'statement.json'), '[]');
      const paid = await start(
        ['payments', join(copy, 'statement.json'), '--audit', audit],
        environmentOf(sandbox.baseUrl, bank),
      );
      expect(paid.code).toBe(0);

      // Stock: checked, then created once; a wrong row sends nothing.
      const stock = join(copy, 'stock.csv');
      const importIt = (...more: string[]) =>
        start(['inventory', stock, '--audit', audit, ...more], environmentOf(sandbox.baseUrl, bank));
      const created = () =>
        sandbox.records('inventory_vehicle').filter(({ data }) => data['external_id'] === 'R-1');
      const header = 'Ref No,Vehicle,Year,Fuel,Remarks\n';
      await writeFile(stock, `${header}R-1,Swift,2019,Petrol,\nR-2,Nexon,"20,22",Electric,\n`);
      expect((await importIt()).code).toBe(1);
      await writeFile(stock, `${header}R-1,Swift,2019,Petrol,\n`);
      expect(statuses((await importIt('--dry-run')).stdout)).toEqual(['checked']);
      expect(created()).toEqual([]);
      for (const status of ['created', 'existing']) {
        const { code, stdout } = await importIt();
        expect([code, statuses(stdout)], stdout).toEqual([0, [status]]);
      }
      expect(created()).toHaveLength(1);
      expect(await readFile(join(copy, 'stock.results.csv'), 'utf8')).toContain('R-1,Swift,existing');
      const phases = (await readFile(audit, 'utf8')).trimEnd().split('\n');
      expect(phases.map((line) => JSON.parse(line).phase)).toEqual(['before', 'after']);
    },
  );
});
