import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { envLinesOf } from '../../src/cli/sandbox/announcement.js';
import type { Who } from '../../src/cli/sandbox/flags.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { isThorough } from '../support/thorough.js';
import { hasTerminal, Running } from './command.js';

/** Days of a user, by commands of the built package alone: a person at a terminal, and scripts that read from pipes. */

let sandbox: Sandbox;
let folder: string;
beforeEach(async () => {
  sandbox = await startSandbox({ rateLimit: false, scan: 1 });
  folder = mkdtempSync(join(tmpdir(), 'auction-day-'));
  for (const who of ['aggregator', 'dealer', 'bank'] as const) {
    const lines = [...envLinesOf(sandbox, who), 'VEHICLE_AUCTION_QUOTA_LIMIT=100000'];
    writeFileSync(join(folder, `${who}.env`), `${lines.join('\n')}\n`);
  }
});
afterEach(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

/** Opens an auction of lots from INR 2,00,000, and returns the ids of the lots. */
function auctionOf(count: number): readonly string[] {
  const lots = Array.from({ length: count }, () => ({ starting_price: '200000.00' }));
  const terms = { bid_type: 'open', increment: '5000', opens: -1, closes: 600 } as const;
  return sandbox.auctions.add({ label: 'day', name: 'Day', ...terms, lots }).lots.map(({ id }) => id);
}

const as = (who: Who) => ['--env', `${who}.env`, '--store', `${who}.db`];

/** A command at a terminal. */
function at(who: Who, ...args: readonly string[]): Running {
  return new Running([...args, ...as(who)], folder, true);
}

/** A command in a script: its exit code, and the lines of JSON on its standard output. */
async function piped(who: Who, ...args: readonly string[]) {
  await using running = new Running([...args, ...as(who), '--json'], folder);
  const code = await running.ended;
  const lines = running.stdout
    .trim()
    .split('\n')
    .filter((line) => line !== '');
  return { code, stderr: running.stderr, json: lines.map((line) => JSON.parse(line)) };
}

/** A command at a terminal that asks once, and is answered with yes. */
async function agreed(who: Who, ...args: readonly string[]): Promise<string> {
  await using running = at(who, ...args);
  await running.said(/Go on\? \[y\/N\] /);
  running.type('y');
  expect([args[0], await running.ended, running.stdout]).toEqual([args[0], 0, expect.any(String)]);
  return running.stdout;
}

describe.runIf(hasTerminal && isThorough)('an evening of an aggregator', () => {
  it('places 500 rows, stopped and resumed, each once', async () => {
    const lots = auctionOf(500);
    const rows = lots.map((lot, n) => `row-${n},${lot},200000,buyer-${n % 7}`);
    writeFileSync(join(folder, 'evening.csv'), `row_id,lot_id,amount,bidder_reference\n${rows.join('\n')}\n`);
    const place = ['bids', 'place', 'evening.csv', '--batch-id', 'evening', '--results', 'results.csv'];

    const planned = await piped('aggregator', ...place, '--plan');
    expect(planned).toMatchObject({ code: 0, json: [{ rows: 500, requests: 500, invalid: 0 }] });
    {
      await using refused = at('aggregator', ...place);
      await refused.said(/500 rows: 500 bids to send[\s\S]*Go on\? \[y\/N\] /);
      refused.type('n');
      expect(await refused.ended).toBe(130);
      await using interrupted = at('aggregator', ...place);
      await interrupted.said(/Go on\?/);
      interrupted.press('\x03');
      expect(await interrupted.ended).toBe(130);
    }
    expect(sandbox.ledger()).toHaveLength(0);
    await using stopped = at('aggregator', ...place);
    await stopped.said(/Go on\?/);
    stopped.type('y');
    await stopped.said(/25 of 500 settled/);
    stopped.press('\x03');
    expect(await stopped.ended).toBe(130);
    expect(stopped.stdout).toContain('Run the same command again to continue.');
    const placed = sandbox.ledger().length;
    expect(placed).toBeLessThan(500);

    const shown = await agreed('aggregator', ...place);
    expect(shown).toMatch(/500 rows: \d+ bids to send.* \d+ settled[\s\S]*500 accepted/);
    expect(new Set(sandbox.ledger().map(({ lotId }) => lotId)).size).toBe(500);
    expect(sandbox.ledger()).toHaveLength(500);
    expect(readFileSync(join(folder, 'results.csv'), 'utf8').trim().split('\n')).toHaveLength(501);

    const again = await piped('aggregator', ...place.slice(0, 5), '--yes');
    expect([again.code, again.json.length]).toEqual([0, 501]);
    expect(again.json.at(-1)).toMatchObject({ counts: { accepted: 500 }, isComplete: true });
    expect((await piped('aggregator', 'intents', 'list')).json).toEqual([]);
    expect(sandbox.ledger()).toHaveLength(500);
  });
});

describe.runIf(hasTerminal && isThorough)('a sale of a dealer', () => {
  it('goes from the bid to the collection', async () => {
    const [lot = ''] = auctionOf(1);
    const only = async (who: Who, ...args: readonly string[]) => {
      const { code, stderr, json } = await piped(who, ...args);
      expect([args, code, stderr]).toEqual([args, 0, expect.any(String)]);
      return json[0];
    };
    expect(await only('dealer', 'quote', lot)).toMatchObject({ minimum: '200000.00' });
    expect(await agreed('dealer', 'bid', lot, '200000')).toMatch(
      /A bid of ₹2,00,000\.00 on lot_[\s\S]*accepted/,
    );
    sandbox.auctions.close('day');
    const { id: sale, data, resource_version: opened } = await only('dealer', 'sales');
    expect(data.lot_id).toBe(lot);

    const due = new Date(sandbox.clock.now() + 86_400_000).toISOString();
    const call = async (who: Who, name: string, ids: readonly string[], body: object) =>
      only(who, 'call', name, ...ids, '--body', JSON.stringify(body), '--yes');
    const terms = { reason: 'Highest bid', terms_version: 'T1', due_at: due, payee_instructions: 'NEFT' };
    const decision = { decision: 'approved', bid_id: data.bid_id, ...terms };
    const decided = await call('bank', 'saleCases.decide', [sale], { ...decision, expected_version: opened });
    expect(await shownOf('dealer', sale)).toMatch(
      /next +the buyer acknowledges terms T1; the buyer pays ₹2,00,000/,
    );

    await agreed(
      'dealer',
      'call',
      'saleCases.acknowledge',
      sale,
      '--terms-version',
      'T1',
      '--expected-version',
      `${decided.resource_version}`,
    );
    writeFileSync(join(folder, 'slip.txt'), 'Transfer of INR 200000.00, UTR EXMP1');
    const slip = ['documents', 'upload', 'slip.txt', '--sale', sale, '--purpose', 'payment_evidence'];
    const evidence_id = /\n?id +(doc_\w+)/.exec(await agreed('dealer', ...slip))?.[1];
    const paid = { sale_id: sale, amount: '200000.00', currency: 'INR', utr: 'EXMP1', evidence_id };
    const paid_at = new Date(sandbox.clock.now()).toISOString();
    await call('dealer', 'paymentReports.create', [], { ...paid, method: 'bank_transfer', paid_at });

    const report = await only('bank', 'reports');
    expect(report.data).toMatchObject({ sale_id: sale, utr: 'EXMP1' });
    const account = { bank_account_reference: 'CURRENT-1', currency: 'INR' };
    const transfer = {
      utr: 'EXMP1',
      external_transaction_id: 'S1',
      amount: '200000.00',
      value_date: paid_at.slice(0, 10),
    };
    const receipt = await call('bank', 'bankReceipts.import', [], { ...account, ...transfer, sale_id: sale });
    const found = { bank_receipt_id: receipt.id, received_amount: '200000.00', reason: 'Found' };
    const verified = {
      decision: 'verified',
      ...account,
      ...found,
      expected_version: report.resource_version,
    };
    await call('bank', 'paymentReports.decide', [report.id], verified);
    const { receipts } = await only('bank', 'sale', sale);
    const [payment] = receipts.payments;
    const part = { sale_id: sale, amount: '200000.00', expected_version: payment.resource_version };
    await call('bank', 'payments.allocate', [payment.id], part);
    expect(await shownOf('dealer', sale)).toMatch(
      /paid +₹2,00,000\.00 of ₹2,00,000\.00\r?\nnext +release and collection/,
    );

    const handover = {
      recipient: 'R. Iyer',
      yard: 'Pune',
      expires_at: due,
      collection_date: due.slice(0, 10),
    };
    const release = await call('bank', 'saleCases.authorizeRelease', [sale], {
      ...handover,
      expected_version: (await only('bank', 'call', 'saleCases.get', sale)).resource_version,
    });
    const { registration_number } = await only(
      'dealer',
      'call',
      'events.lot',
      sandbox.auctions.get('day').id,
      lot,
    );
    const collected = { collector: 'R. Iyer', vehicle_identity: registration_number };
    const used = await call('bank', 'releases.collect', [release.id], {
      ...collected,
      expected_version: release.resource_version,
    });
    expect(used.state).toBe('used');
    const inbox = await piped('dealer', 'inbox');
    expect(inbox.json.map(({ type }) => type)).toContain('vehicle.collected');
  });

  /** The page of a sale, as a person sees it. */
  async function shownOf(who: Who, sale: string): Promise<string> {
    await using running = at(who, 'sale', sale);
    expect(await running.ended).toBe(0);
    expect(running.stdout).toContain('│ at ');
    return running.stdout;
  }
});

/** Twenty lines: three answers, by the amount of the sale. */
const policy = `const CHECKED = 250_000;
const LIMIT = 1_000_000;
const PAYEE = 'NEFT to account 0042';

const inDays = (now, days) => new Date(now + days * 86_400_000).toISOString();

export default ({ sale, offer, now }) => {
  const amount = Number(sale.data?.amount);
  if (offer !== undefined) return { action: 'hold', reason: 'a person negotiates' };
  if (!(amount > 0)) return { action: 'hold', reason: 'the sale names no amount' };
  if (amount > LIMIT) return { action: 'hold', reason: 'above the limit: a person decides' };
  const reason = amount > CHECKED ? 'Highest bid, checked' : 'Highest bid';
  return {
    action: 'approve',
    reason,
    termsVersion: 'T1',
    dueAt: inDays(now, 7),
    payeeInstructions: PAYEE,
  };
};
`;

describe.runIf(hasTerminal && isThorough)('a day of a bank', () => {
  it('decides sales by a policy of twenty lines, and exports the audit', async () => {
    expect(policy.trim().split('\n')).toHaveLength(20);
    writeFileSync(join(folder, 'policy.mjs'), policy);
    const amounts = ['200000', '300000', '1200000'];
    for (const [n, lot] of auctionOf(3).entries()) sandbox.actors.rival.bid(lot, amounts[n] ?? '');
    sandbox.auctions.close('day');

    const pending = await piped('bank', 'sales');
    const own = pending.json.filter(({ data }) => amounts.includes(String(Number(data.amount))));
    expect(own.map(({ state }) => state)).toEqual(Array(3).fill('pending_bank_approval'));
    const dry = await piped('bank', 'approve', 'policy.mjs', '--dry-run');
    expect(dry).toMatchObject({ code: 0 });
    expect(dry.json.map(({ status }) => status).toSorted()).toEqual(['dry_run', 'dry_run', 'held']);

    const shown = await agreed('bank', 'approve', 'policy.mjs', '--max-count', '20');
    expect(shown).toMatch(/Decide the pending sales by policy\.mjs, at most 20 decisions\./);
    expect(shown).toMatch(/│ sal_\w+ +│ approved +│/);
    expect(shown).toMatch(/(2 approved, 1 held|1 held, 2 approved); INR 500000/);
    const again = await piped('bank', 'approve', 'policy.mjs', '--yes');
    expect(again.json.map(({ status }) => status)).not.toContain('approved');

    const audit = await piped('bank', 'audit', 'export');
    expect(audit.json.filter(({ phase }) => phase === 'before')).toHaveLength(2);
    expect(audit.json.map(({ phase }) => phase)).toEqual(expect.arrayContaining(['before', 'after', 'held']));
    const approved = (await piped('bank', 'sales')).json.filter(({ state }) => state === 'approved');
    expect(approved).toHaveLength(2);
  });
});
