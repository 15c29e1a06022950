import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { envLinesOf } from '../../src/cli/sandbox/announcement.js';
import type { Terminal } from '../../src/cli/terminal.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { sqliteStore } from '../../src/sqlite/index.js';
import { wonLot } from '../sandbox/workflow.js';
import { Running } from './command.js';

/** Commands against a sandbox, as a person or a script runs them. */

let sandbox: Sandbox;
let folder: string;
/** Runs a bid that the service accepts, whose reply and lookups are lost. */
async function inDoubt(bid: readonly string[]) {
  const faults = [
    sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit', times: 50 }),
    sandbox.inject({ operation: 'bids.lookup', fault: 'drop_before_commit', times: 50 }),
  ];
  const onInterrupt: Terminal['onInterrupt'] = (stop) => {
    interrupt = stop;
    return () => {
      interrupt = undefined;
    };
  };
  const result = await ran(bid, { onInterrupt });
  for (const remove of faults) remove();
  return result;
}

/** Ends the command that runs, once the service has the bid. */
let interrupt: (() => void) | undefined;
beforeAll(async () => {
  sandbox = await startSandbox({
    rateLimit: false,
    log: (line) => /bids\.submit/.test(line) && interrupt?.(),
  });
  folder = mkdtempSync(join(tmpdir(), 'auction-cli-'));
  for (const who of ['platform', 'aggregator', 'bank', 'dealer'] as const)
    writeFileSync(
      join(folder, `${who}.env`),
      `${[...envLinesOf(sandbox, who), 'VEHICLE_AUCTION_QUOTA_LIMIT=100000'].join('\n')}\n`,
    );
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

let count = 0;
let store: string;
beforeEach(() => {
  count += 1;
  store = join(folder, `${count}.db`);
});

async function ran(args: readonly string[], given: Partial<Terminal> = {}) {
  let [stdout, stderr] = ['', ''];
  const terminal: Terminal = {
    out: (text) => {
      stdout += text;
    },
    err: (text) => {
      stderr += text;
    },
    env: {},
    ...given,
  };
  const code = await run(args, terminal);
  const json = () =>
    stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  return { code, stdout, stderr, json };
}
const as = (who: string) => ['--env', join(folder, `${who}.env`)];
const stored = () => ['--store', store];
const lots = () => sandbox.auctions.get('live-open').lots;

describe('reads', () => {
  it('whoami shows what fits, and ends with 4 where something contradicts the settings', async () => {
    const fits = await ran(['whoami', ...as('platform'), '--json']);
    expect(fits.json()).toContainEqual(expect.objectContaining({ level: 'ok', what: 'environment' }));
    expect(fits.code).toBe(0);
    const env = { VEHICLE_AUCTION_ENVIRONMENT: 'production' };
    const text = readFileSync(join(folder, 'platform.env'), 'utf8').replace(/.*ENVIRONMENT.*\n/, '');
    writeFileSync(join(folder, 'wrong.env'), text);
    const wrong = await ran(['whoami', '--env', join(folder, 'wrong.env')], { env });
    expect(wrong.code).toBe(4);
  });

  it.each(['events', 'lots', 'results', 'winners', 'inbox', 'sales'])(
    '%s prints JSON lines, or tabs',
    async (name) => {
      const { code, json } = await ran([name, ...as('platform'), '--json', '--limit', '2']);
      expect([code, json().length <= 2]).toEqual([0, true]);
      expect((await ran([name, ...as('platform')])).code).toBe(0);
    },
  );

  it.each(['none', '-1', '1.5', ''])('refuse --limit %j', async (limit) => {
    const { code, stderr } = await ran(['lots', ...as('platform'), `--limit=${limit}`]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--limit must be a whole number')]);
  });

  it('read no page after the limit', async () => {
    const before = sandbox.attempts().length;
    const { json } = await ran(['lots', ...as('platform'), '--json', '--limit', '25']);
    expect([json().length, sandbox.attempts().length - before]).toEqual([25, 1]);
    expect((await ran(['lots', ...as('platform'), '--limit', '0'])).stdout).toBe('');
  });

  it('lots are a table on a terminal', async () => {
    const { stdout } = await ran(['lots', ...as('platform'), '--limit', '1'], { isTerminal: true });
    expect(stdout).toMatch(/│ id .*│ starting_price/);
  });

  it('call takes flags of the description and prints the reply', async () => {
    const { code, json } = await ran([
      'call',
      'events.list',
      ...as('platform'),
      '--per-page',
      '1',
      '--status',
      'all',
      '--json',
    ]);
    expect([code, json().length > 1]).toEqual([0, true]);
    const [event] = json();
    const got = await ran(['call', 'events.get', event.id, ...as('platform')]);
    expect(JSON.parse(got.stdout)).toMatchObject({ id: event.id });
    const raw = await ran(['request', 'GET', `/events/${event.id}`, ...as('platform')]);
    expect(JSON.parse(raw.stdout)).toMatchObject({ id: event.id });
  });
});

describe('a bid', () => {
  const bid = (...more: string[]) => {
    const { id = '', startingPrice = '' } = lots()[count] ?? {};
    return ['bid', id, startingPrice, '--buyer', 'buyer-9', ...as('platform'), ...stored(), ...more];
  };

  it('is placed with --yes, and again under its key it is the same bid', async () => {
    const key = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';
    const args = bid('--yes', '--json', '--key', key);
    const first = await ran(args);
    expect([first.code, first.json()]).toMatchObject([0, [{ status: 'accepted' }]]);
    expect(first.stderr).toMatch(/A bid of ₹.* for buyer-9/);
    expect((await ran(args)).code).toBe(0);
    expect(sandbox.ledger().filter((entry) => entry.idempotencyKey === key)).toHaveLength(1);
  });

  it('is not placed where nobody can say yes, or somebody says no', async () => {
    const before = sandbox.ledger().length;
    expect(await ran(bid())).toMatchObject({ code: 2, stderr: expect.stringContaining('Add --yes') });
    expect((await ran(bid(), { ask: async () => 'n' })).code).toBe(130);
    expect(sandbox.ledger()).toHaveLength(before);
    expect((await ran(bid(), { ask: async () => 'y' })).code).toBe(0);
  });

  it('that is rejected ends with 1, one of a bank with 4', async () => {
    const [lot] = lots();
    const low = ['bid', lot?.id ?? '', '1', '--buyer', 'b', ...as('platform'), '--yes'];
    expect(await ran(low)).toMatchObject({ code: 1, stdout: expect.stringContaining('rejected') });
    expect((await ran(['bid', 'x', '1', ...as('bank'), '--yes'])).code).toBe(4);
  });

  it('in doubt ends with 3, is listed, explained, and settled by recover', async () => {
    const env = { VEHICLE_AUCTION_STORE: store };
    expect((await inDoubt(bid('--yes'))).code).toBe(3);
    const listed = await ran(['intents', 'list', ...as('platform'), ...stored(), '--json']);
    const [{ idempotencyKey, state }] = listed.json();
    expect(state).toBe('sent');
    const explained = await ran(['intents', 'explain', idempotencyKey, ...as('platform')], { env });
    expect([explained.code, explained.stdout]).toEqual([0, expect.stringContaining('attempt 1')]);
    const recovered = await ran(['recover', ...as('platform'), ...stored(), '--json']);
    expect([recovered.code, recovered.json()]).toMatchObject([0, [{ status: 'accepted', idempotencyKey }]]);
    expect((await ran(['recover', ...as('platform'), ...stored()])).stderr).toContain(
      'Nothing is unresolved',
    );
  });
});

it('recover of several bids prints a line for each, how many ended how, and no reply', async () => {
  const place = (index: number) => {
    const { id = '', startingPrice = '' } = lots().at(-10 - index) ?? {};
    return ['bid', id, startingPrice, '--buyer', 'buyer-3', ...as('platform'), ...stored(), '--yes'];
  };
  for (const index of [0, 1]) expect((await inDoubt(place(index))).code).toBe(3);
  const { code, stdout, stderr } = await ran(['recover', ...as('platform'), ...stored()]);
  expect([code, stderr]).toEqual([0, '2 accepted\n']);
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).toMatch(/^accepted\tbids.place\tlot_.*\tbuyer-3\t/);
});

it('a bid without a store says that it is not kept, and shows its status first and its reply in JSON only', async () => {
  const { id = '', startingPrice = '' } = lots().at(-14) ?? {};
  const bid = ['bid', id, startingPrice, '--buyer', 'buyer-4', ...as('platform'), '--yes'];
  const { stdout, stderr } = await ran(bid);
  expect(stderr).toContain('Without --store');
  expect(stdout).toMatch(/^status +accepted\n/);
  expect(stdout).not.toMatch(/receipt|codes/);
  const confirmed = await ran(['lot', id, '--buyer', 'buyer-4', ...as('platform')]);
  expect(confirmed.stdout).toContain('leading');
  const without = await ran(['standings', id, '--buyers', 'buyer-4', ...as('platform')]);
  expect(without).toMatchObject({ code: 4, stderr: expect.stringContaining('--store') });
});

it('standings of a closed auction are asked for with --confirm, also of bids that the store does not have', async () => {
  const lot = sandbox.auctions.get('live-closed').lots.at(-1);
  const bid = [
    'bid',
    lot?.id ?? '',
    lot?.startingPrice ?? '',
    '--buyer',
    'buyer-5',
    ...as('platform'),
    '--yes',
  ];
  expect((await ran(bid)).code).toBe(0);
  expect((await ran([...bid, ...stored()])).code).toBe(1);
  const standings = [
    'standings',
    lot?.id ?? '',
    '--buyers',
    'buyer-5,buyer-6',
    ...as('platform'),
    ...stored(),
  ];
  const found = await ran([...standings, '--confirm', '--json']);
  expect(found.json().map(({ standing }) => standing)).toEqual(['leading', 'no_bid']);
});

describe('a batch', () => {
  it('is planned, placed, and placed again without a second bid', async () => {
    const rows = lots()
      .slice(-5)
      .map(({ id, startingPrice }, index) => `r${index},${id},${startingPrice},buyer-1`);
    const file = join(folder, `${count}.csv`);
    writeFileSync(file, `row_id,lot_id,amount,bidder_reference\n${rows.join('\n')}\n`);
    const place = ['bids', 'place', file, '--batch-id', `b${count}`, ...as('aggregator'), ...stored()];
    const planned = await ran([...place, '--plan', '--json']);
    expect(planned.json()).toMatchObject([{ rows: 5, requests: 5, late: [] }]);
    const tried = await ran([...place, '--dry-run']);
    expect([tried.code, tried.stderr]).toEqual([0, expect.stringContaining('5 would_send')]);
    expect(tried.stdout).toContain('nothing was sent');
    const results = join(folder, `${count}-results.csv`);
    const placed = await ran([...place, '--yes', '--results', results]);
    expect([placed.code, placed.stderr]).toEqual([0, expect.stringContaining('5 accepted')]);
    expect(readFileSync(results, 'utf8').trim().split('\n')).toHaveLength(6);
    // The results of this batch are replaced, and no other file.
    expect((await ran([...place, '--yes', '--results', results])).code).toBe(0);
    const renamed = readFileSync(results, 'utf8').replaceAll(`,b${count},`, ',another,');
    writeFileSync(results, renamed);
    const kept = await ran([...place, '--yes', '--results', results]);
    expect([kept.code, kept.stderr]).toEqual([2, expect.stringContaining('Choose another file')]);
    expect(readFileSync(results, 'utf8')).toBe(renamed);
    const before = sandbox.ledger().length;
    expect((await ran([...place, '--yes'])).code).toBe(0);
    expect(sandbox.ledger()).toHaveLength(before);
  });

  it('is planned with the rows that are held back or late, and with how many are wrong', async () => {
    const [first, second] = lots().slice(-2);
    const file = join(folder, `${count}.csv`);
    const rows = [
      `late,${first?.id},${first?.startingPrice},buyer-1,2026-01-01T00:00:00Z`,
      `wrong,${second?.id},4.65E+05,buyer-1,`,
    ];
    writeFileSync(file, `row_id,lot_id,amount,bidder_reference,place_by\n${rows.join('\n')}\n`);
    const place = ['bids', 'place', file, '--batch-id', `b${count}`, ...as('aggregator'), ...stored()];
    const planned = await ran([...place, '--plan']);
    expect(planned.stdout).toMatch(/^late\t2\tlate by \d+ s for its close or place_by\n$/);
    expect(planned.stderr).toContain('before the invalid rows are corrected');
    expect((await ran([...place, '--yes'])).stderr).toContain('Correct the invalid rows, then run the same');
  });

  it('needs a store', async () => {
    const { code, stderr } = await ran(['bids', 'place', 'x.csv', '--batch-id', 'b', ...as('aggregator')]);
    expect([code, stderr]).toEqual([4, expect.stringContaining('--store')]);
  });
});

it('halt stops bids of every process on the store until resume', async () => {
  const { id = '', startingPrice = '' } = lots()[20] ?? {};
  const bid = ['bid', id, startingPrice, '--buyer', 'b', ...as('platform'), ...stored(), '--yes'];
  const nowhere = await ran(['halt', 'prices look wrong', ...as('platform'), ...stored(), '--yes']);
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no store at') });
  const created = sqliteStore(store);
  await created.transaction('sandbox', (tx) => tx.account.serverTime());
  await created.close();
  expect((await ran(['halt', 'prices look wrong', ...as('platform'), ...stored(), '--yes'])).code).toBe(0);
  expect(await ran(bid)).toMatchObject({ code: 1, stdout: expect.stringContaining('prices look wrong') });
  expect((await ran(['resume', ...as('platform'), ...stored(), '--yes'])).code).toBe(0);
  expect((await ran(bid)).code).toBe(0);
});

it('a bank approves by a policy, dry and then in earnest, and exports the audit', async () => {
  await wonLot(sandbox);
  const policy = join(folder, 'policy.mjs');
  writeFileSync(
    policy,
    "export default () => ({ action: 'approve', reason: 'fair price', dueAt: new Date(Date.now() + 7 * 86_400_000).toISOString(), payeeInstructions: 'NEFT', termsVersion: 1 });\n",
  );
  const approve = ['approve', policy, ...as('bank'), ...stored()];
  const dry = await ran([...approve, '--dry-run', '--json']);
  expect(dry.json()).toContainEqual(expect.objectContaining({ status: 'dry_run' }));
  const done = await ran([...approve, '--yes', '--json']);
  expect([done.code, done.json()]).toMatchObject([
    0,
    expect.arrayContaining([expect.objectContaining({ status: 'approved' })]),
  ]);
  const audit = await ran(['audit', 'export', ...as('bank'), ...stored()]);
  expect(audit.json().length).toBeGreaterThan(1);
  const output = ['--output', join(folder, 'audit.jsonl')];
  const saved = await ran(['audit', 'export', ...as('bank'), ...stored(), ...output]);
  expect([saved.code, readFileSync(output[1] ?? '', 'utf8')]).toEqual([0, audit.stdout]);
  // A file that is there is never overwritten.
  const again = await ran(['audit', 'export', ...as('bank'), ...stored(), ...output]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('EEXIST')]);
});

it.each([
  ['missing.mjs', undefined, "can't be loaded"],
  ['broken.mjs', 'export default (', "can't be loaded"],
  ['named.mjs', 'export const policy = () => undefined;', 'must export a function as its default'],
])('approve names the policy %s, which it cannot use, as invalid usage', async (name, text, reason) => {
  const policy = join(folder, name);
  if (text !== undefined) writeFileSync(policy, text);
  const { code, stderr } = await ran(['approve', policy, '--dry-run', ...as('bank'), ...stored()]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`error: ${policy} ${reason}`)]);
});

it('approve hands the policy only the sales that its module calls pending', async () => {
  const terms = { name: 'Pending', bid_type: 'open', increment: '5000', opens: -1, closes: 60 } as const;
  const [lot] = sandbox.auctions.add({ label: 'pending', ...terms, lots: 1 }).lots;
  sandbox.actors.rival.bidNext(lot?.id ?? '');
  sandbox.auctions.close('pending');
  const policy = join(folder, 'pending.mjs');
  const hold = "export default () => ({ action: 'hold', reason: 'x' });\n";
  const approve = ['approve', policy, '--dry-run', ...as('bank'), ...stored(), '--json'];
  writeFileSync(policy, `${hold}export const isPending = ({ data }) => data.lot_id === '${lot?.id}';\n`);
  expect((await ran(approve)).json()).toMatchObject([{ status: 'held' }]);
  const wrong = join(folder, 'wrong.mjs');
  writeFileSync(wrong, `${hold}export const isPending = 'pending_bank_approval';\n`);
  const { code, stderr } = await ran(['approve', wrong, ...approve.slice(2)]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('isPending, which must be a function')]);
});

it('approve names the command that shows the line of a syntax error in a policy', async () => {
  const policy = join(folder, 'broken.mjs');
  writeFileSync(policy, 'export default () => {\n  thro new Error();\n};\n');
  await using approve = new Running(['approve', policy, '--dry-run', ...as('bank'), ...stored()]);
  expect([await approve.ended, approve.stderr]).toEqual([
    2,
    expect.stringContaining(`. "node --check ${policy}" shows the line.`),
  ]);
});

it('the built approve loads a policy with a top-level await and prints no warning', async () => {
  const policy = join(folder, 'awaiting.mjs');
  writeFileSync(
    policy,
    "const reason = await Promise.resolve('x');\nexport default () => ({ action: 'hold', reason });\n",
  );
  await using approve = new Running(['approve', policy, '--dry-run', ...as('bank'), ...stored()]);
  expect(await approve.ended).toBe(0);
  expect(approve.stderr).not.toContain('Warning');
});

describe('a command of a bank that sends decisions or vehicles', () => {
  const settings = (name: string, from: string, old: string, replacement: string) => {
    const path = join(folder, name);
    const text = readFileSync(join(folder, `${from}.env`), 'utf8');
    expect(text).toContain(old);
    writeFileSync(path, text.replace(old, replacement));
    return ['--env', path];
  };
  const files = () => {
    const [policy, stock] = [join(folder, 'hold.mjs'), join(folder, 'stock.csv')];
    writeFileSync(policy, "export default () => ({ action: 'hold', reason: 'a person decides' });\n");
    writeFileSync(stock, 'Ref No,Vehicle,Remarks\nCLI-1,Maruti Swift VXi,scratched\n');
    const schema = ['--schema', 'vehicles-4'];
    return { approve: ['approve', policy], stock: ['inventory', 'import', stock, ...schema] };
  };

  it.each(['approve', 'stock'] as const)(
    'ends with 4 before anything is sent for the wrong environment or actor: %s',
    async (which) => {
      const command = [...files()[which], ...stored(), '--yes'];
      const production = settings('production.env', 'bank', 'ENVIRONMENT=sandbox', 'ENVIRONMENT=production');
      expect(await ran([...command, ...production])).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('environment: expected production, found sandbox'),
      });
      const dealer = settings('as-bank.env', 'dealer', 'ACTOR=partner', 'ACTOR=bank');
      expect(await ran([...command, ...dealer])).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('actor_type: expected bank, found partner'),
      });
    },
  );

  it('imports a file whose columns are mapped by flags', async () => {
    const { stock } = files();
    const rest = [...as('bank'), ...stored(), '--yes', '--json'];
    const unmapped = await ran([...stock, ...rest]);
    expect([unmapped.code, unmapped.stderr]).toEqual([2, expect.stringContaining('Ref No')]);
    const invalid = await ran([...stock, '--map', 'Ref No', ...rest]);
    expect([invalid.code, invalid.stderr]).toEqual([2, expect.stringContaining('COLUMN=FIELD')]);
    const map = ['--map', 'Ref No=external_id', 'Vehicle=title', 'Remarks='];
    const imported = await ran([...stock, ...map, ...rest]);
    expect([imported.code, imported.json()]).toMatchObject([0, [{ externalId: 'CLI-1', status: 'created' }]]);
  });

  it('names flags, not options of the library, in what is wrong with an import or a run', async () => {
    const { approve, stock } = files();
    const rest = [...as('bank'), ...stored(), '--yes'];
    const stderrOf = async (command: readonly string[]) => (await ran([...command, ...rest])).stderr;
    expect(await stderrOf(stock.slice(0, 3))).toContain('--schema must be one of');
    expect(await stderrOf([...stock, '--map', 'Paint=Colour'])).toMatch(
      /--map Paint names a column.*--map COLUMN=FIELD, or COLUMN= to ignore one; FIELD is external_id, .*"Year"/,
    );
    const capped = await ran([...approve, '--max-amount', '5,000', ...rest]);
    expect([capped.code, capped.stderr]).toEqual([2, expect.stringContaining('--max-amount must be an INR')]);
  });

  it.each([
    ['a file that is missing', undefined, "can't be read"],
    ['a row that is invalid', 'external_id,title,Year\nCLI-8,Swift,old\n', 'Nothing was sent'],
    ['a column of no field', 'external_id,title,Paint\nCLI-9,Swift,red\n', 'Paint fits no field'],
  ])('reports %s before it asks whether to create the vehicles', async (_, text, reason) => {
    const path = join(folder, `${count}.csv`);
    if (text !== undefined) writeFileSync(path, text);
    const questions: string[] = [];
    const ask = async (question: string) => `${questions.push(question)}`;
    const command = ['inventory', 'import', path, '--schema', 'vehicles-4', ...as('bank'), ...stored()];
    const { code, stderr } = await ran(command, { ask });
    expect([code === 0, questions, stderr]).toEqual([false, [], expect.stringContaining(reason)]);
  });

  it.each(['approve', 'stock'] as const)(
    'ends with 4 before it asks if the store cannot be opened: %s',
    async (which) => {
      const questions: string[] = [];
      const ask = async (question: string) => `${questions.push(question)}`;
      const map = which === 'stock' ? ['--map', 'Ref No=external_id', 'Vehicle=title', 'Remarks='] : [];
      const nowhere = ['--store', 'postgres://user:password@127.0.0.1:1/auction'];
      const { code, stderr } = await ran([...files()[which], ...map, ...as('bank'), ...nowhere], { ask });
      expect([code, questions]).toEqual([4, []]);
      expect(stderr).toContain('error: Postgres (127.0.0.1:1) failed: ECONNREFUSED.');
    },
  );

  it('asks about the number of vehicles that fit the schema', async () => {
    const path = join(folder, `${count}.csv`);
    writeFileSync(path, 'external_id,title\nCLI-6,Swift\nCLI-7,Nexon\n');
    const command = ['inventory', 'import', path, '--schema', 'vehicles-4', ...as('bank'), ...stored()];
    const { code, stderr } = await ran(command, { ask: async () => 'n' });
    expect([code, stderr]).toEqual([130, expect.stringContaining('Create the 2 vehicles of')]);
  });

  it.each([
    ['documents', 'upload', '--sale', 'sal_1', '--purpose', 'payment_evidence'],
    ['bids', 'place', '--batch-id', 'b'],
  ])('%s %s reports a file that is missing before it asks', async (group, name, ...flags) => {
    const who = group === 'bids' ? 'aggregator' : 'bank';
    const { code, stderr } = await ran([group, name, 'nowhere.csv', ...flags, ...as(who), ...stored()]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: nowhere\.csv can't be read/)]);
  });
});

describe('store restore', () => {
  const place = () => {
    const lots = [{ starting_price: '200000.00' }];
    const terms = { bid_type: 'open', increment: '5000', opens: -1, closes: 60, lots } as const;
    const [lot] = sandbox.auctions.add({ label: `restored-${count}`, name: 'Restored', ...terms }).lots;
    return ['bid', lot?.id ?? '', '200000', '--buyer', 'buyer-7', ...as('platform'), ...stored()];
  };
  const restore = (backup: string) => ['store', 'restore', backup, ...as('platform'), ...stored()];

  it('says what happens, asks, keeps the file before, and settles what is open by lookup only', async () => {
    expect((await inDoubt([...place(), '--yes'])).code).toBe(3);
    const backup = join(folder, `${count}.backup`);
    expect((await ran(['store', 'backup', backup, ...stored()])).code).toBe(0);
    expect((await ran(['recover', ...as('platform'), ...stored()])).code).toBe(0);
    const settled = readFileSync(store);
    const asked = await ran(restore(backup), { ask: async () => 'n' });
    expect([asked.code, readFileSync(store).equals(settled)]).toEqual([130, true]);
    expect(asked.stderr).toMatch(/is replaced by .*: 1 intents sent\..*\n.*kept as .*\n.*never sent again/);
    expect((await ran(restore(backup))).code).toBe(2);
    const bids = sandbox.attempts().filter(({ operation }) => operation === 'bids.submit').length;
    const { code, json } = await ran([...restore(backup), '--yes', '--json']);
    expect([code, json()]).toMatchObject([0, [{ status: 'accepted' }]]);
    expect(sandbox.attempts().filter(({ operation }) => operation === 'bids.submit')).toHaveLength(bids);
    expect(readFileSync(`${store}.before-restore`).equals(settled)).toBe(true);
    const [{ idempotencyKey }] = json();
    const explained = await ran(['intents', 'explain', idempotencyKey, ...as('platform'), ...stored()]);
    expect(explained.stdout).toContain('restored from a backup');
  });

  it('puts a backup in the place of a damaged file, and of none', async () => {
    const backup = join(folder, `${count}.backup`);
    expect((await ran([...place(), '--yes'])).code).toBe(0);
    expect((await ran(['store', 'backup', backup, ...stored()])).code).toBe(0);
    writeFileSync(store, 'no database\n'.repeat(200));
    expect(await ran([...restore(backup), '--yes'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Nothing is unresolved'),
    });
    rmSync(store);
    rmSync(`${store}.before-restore`);
    expect((await ran([...restore(backup), '--yes'])).code).toBe(0);
    expect((await ran(['store', 'check', ...stored()])).code).toBe(0);
  });

  it('refuses a damaged backup, a database of another program, and to overwrite the file that was kept', async () => {
    const backup = join(folder, `${count}.backup`);
    expect((await ran([...place(), '--yes'])).code).toBe(0);
    await ran(['store', 'backup', backup, ...stored()]);
    const before = readFileSync(store);
    const damaged = join(folder, `${count}.damaged`);
    writeFileSync(damaged, 'no database\n'.repeat(200));
    expect((await ran([...restore(damaged), '--yes'])).code).toBe(4);
    expect((await ran([...restore('none.db'), '--yes'])).code).toBe(2);
    writeFileSync(`${store}.before-restore`, 'keep me');
    expect((await ran([...restore(backup), '--yes'])).stderr).toContain('Move it first');
    expect(readFileSync(store).equals(before)).toBe(true);
    writeFileSync(store, '');
    const other = await ran([...restore(backup), '--yes']);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('is not a store')]);
    const postgres = ['store', 'restore', backup, ...as('platform'), '--store', 'postgres://127.0.0.1/a'];
    expect((await ran([...postgres, '--yes'])).stderr).toContain('pg_restore');
  });
});

describe('settings', () => {
  const profiles = () => join(folder, `${count}.json`);
  const write = (profile: object, mode = 0o600) => {
    writeFileSync(profiles(), JSON.stringify({ main: profile }));
    chmodSync(profiles(), mode);
  };
  const facts = () => {
    const { clientId, keyId, dealerId } = sandbox.credentials.platform;
    const where = { baseUrl: sandbox.baseUrl, environment: 'sandbox', quotaLimit: 100_000 };
    return { ...where, clientId, keyId, dealerId, partnerType: 'platform' };
  };
  const whoami = (given: Partial<Terminal> = {}) =>
    ran(['whoami', '--profile', 'main', '--profiles', profiles()], given);

  it('of variables that are missing are named all at once, and a bank is told how to say that it is one', async () => {
    const none = await ran(['whoami']);
    expect([none.code, none.stderr]).toEqual([
      4,
      expect.stringMatching(
        /lack \w+_ENVIRONMENT, \w+_BASE_URL, \w+_CLIENT_ID, \w+_KEY_ID, \w+_SIGNING_SECRET\. .*--env/,
      ),
    ]);
    const text = readFileSync(join(folder, 'bank.env'), 'utf8').replace(/.*_ACTOR=.*\n/, '');
    writeFileSync(join(folder, 'no-actor.env'), text);
    const { code, stderr } = await ran(['sales', ...as('no-actor')]);
    expect([code, stderr]).toEqual([4, expect.stringContaining('VEHICLE_AUCTION_ACTOR=bank for a bank')]);
  });

  it('come from a profile, with the secret from a variable, a file, a command or a person', async () => {
    const secret = sandbox.credentials.platform.signingSecret;
    const file = join(folder, 'secret');
    writeFileSync(file, `${secret}\n`);
    const command = [process.execPath, '-e', `console.log(${JSON.stringify(secret)})`];
    for (const source of [{ env: 'OWN' }, { file }, { command }, { prompt: true }]) {
      write({ ...facts(), secret: source });
      const { code, stderr } = await whoami({ env: { OWN: secret }, ask: async () => secret });
      expect([code, stderr]).toEqual([0, '']);
    }
  });

  it.each<[what: string, change: object, mode: number, code: number, message: RegExp]>([
    ['a file that others can change', {}, 0o666, 4, /chmod 600/],
    ['a secret in the file', { signingSecret: 'x' }, 0o600, 4, /A secret is never in this file/],
    ['no secret', { secret: undefined }, 0o600, 4, /secret must be given/],
    ['a prompt without a person', { secret: { prompt: true } }, 0o600, 4, /on a terminal/],
    ['another environment', { environment: 'staging' }, 0o600, 4, /environment must be .* not "staging"/],
    ['no kind of partner', { partnerType: undefined }, 0o600, 4, /partnerType must be one of/],
    ['a quota that is no number', { quotaLimit: 'many' }, 0o600, 2, /quotaLimit must be a whole number/],
  ])('are refused with %s', async (_, change, mode, code, message) => {
    write({ ...facts(), secret: { env: 'OWN' }, ...change }, mode);
    const found = await whoami({ env: { OWN: sandbox.credentials.platform.signingSecret } });
    expect([found.code, found.stderr]).toEqual([code, expect.stringMatching(message)]);
  });

  it('have the quota of the bank, as a number or as text', async () => {
    // The lowest limit of this process is in force, so each is lower than the one before.
    for (const quotaLimit of [90_000, '80000']) {
      write({ ...facts(), secret: { env: 'OWN' }, quotaLimit });
      const env = { OWN: sandbox.credentials.platform.signingSecret };
      const quota = ['quota', '--profile', 'main', '--profiles', profiles(), '--json'];
      expect((await ran(quota, { env })).json()).toMatchObject([{ limit: Number(quotaLimit) }]);
    }
  });

  it('name the profiles there are', async () => {
    write(facts());
    const found = await ran(['whoami', '--profile', 'other', '--profiles', profiles()]);
    expect([found.code, found.stderr]).toEqual([2, expect.stringContaining('Its profiles: main')]);
  });
});

it('a signing secret that is not accepted ends with 4', async () => {
  const env = { VEHICLE_AUCTION_SIGNING_SECRET: 'another-secret-0123456789' };
  const text = readFileSync(join(folder, 'platform.env'), 'utf8').replace(/.*SIGNING_SECRET.*\n/, '');
  writeFileSync(join(folder, 'secret.env'), text);
  expect((await ran(['whoami', '--env', join(folder, 'secret.env')], { env })).code).toBe(4);
});

it('a service that nobody runs ends with 5', async () => {
  const text = readFileSync(join(folder, 'platform.env'), 'utf8').replace(/:\d+/, ':9');
  writeFileSync(join(folder, 'gone.env'), text);
  const { code, stderr } = await ran(['whoami', '--env', join(folder, 'gone.env')]);
  expect([code, stderr]).toEqual([5, expect.stringContaining('error: ')]);
  const tried = stderr.split('\n').filter((line) => line.startsWith('Attempt failed'));
  expect(tried).toEqual([expect.stringMatching(/integration.profile: .*REFUSED|connect/i)]);
});

describe('a sale', () => {
  it('is shown with its dues, what happened and what comes next, at each stage', async () => {
    const { saleId } = await wonLot(sandbox, { label: 'live-closed' });
    const sale = () => ran(['sale', saleId, ...as('dealer')]);
    expect((await sale()).stdout).toMatch(/next +the bank decides\n/);
    const { bank, buyer } = sandbox.actors;
    bank.approve(saleId);
    expect((await sale()).stdout).toMatch(
      /paid +₹0\.00 of ₹.*\nnext +the buyer acknowledges terms T1; the buyer pays ₹/,
    );
    buyer.acknowledge(saleId);
    bank.settle(saleId);
    const { code, stdout } = await sale();
    expect([code, stdout]).toEqual([0, expect.stringMatching(/next +release and collection\n/)]);
    const steps = stdout.split('\n').filter((line) => line.includes('\t'));
    expect(steps.map((line) => line.split('\t')[1])).toEqual([
      'sale opened',
      'acknowledged',
      'payment',
      'allocation',
      'sale last changed',
    ]);
    const { json } = await ran(['sale', saleId, ...as('bank'), '--json']);
    expect(json()).toMatchObject([
      { id: saleId, dues: { remaining: '0.00' }, transfer: { state: 'not_started' } },
    ]);
  });

  it('of a bank waits in the reports until its payment is verified', async () => {
    const { saleId } = await wonLot(sandbox, { label: 'live-no-grid' });
    sandbox.actors.bank.approve(saleId);
    const { id } = sandbox.actors.buyer.report(saleId, { utr: 'UTR-77' });
    const reports = () => ran(['reports', ...as('bank'), '--json']);
    expect((await reports()).json()).toEqual([
      expect.objectContaining({ id, data: expect.objectContaining({ utr: 'UTR-77' }) }),
    ]);
    sandbox.actors.bank.settle(saleId);
    expect(await reports()).toMatchObject({ code: 0, stdout: '' });
    expect((await ran(['reports', ...as('dealer')])).code).toBe(4);
  });
});

it('quote shows the minimum and the next amounts of a live lot, or of a lot of a named event', async () => {
  const [auction] = [
    sandbox.auctions.add({
      label: 'quoted',
      name: 'Quoted',
      bid_type: 'open',
      increment: '5000',
      opens: -1,
      closes: 60,
      lots: [{ starting_price: '200000.00' }],
    }),
  ];
  const lot = auction.lots[0]?.id ?? '';
  const { code, stdout } = await ran(['quote', lot, '--buyer', 'buyer-1', ...as('platform')]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/minimum +₹2,00,000\.00\namounts +200000\.00 {2}205000\.00/),
  ]);
  sandbox.actors.rival.bid(lot, '205000');
  const named = await ran(['quote', lot, '--event', auction.id, '--count', '2', ...as('dealer'), '--json']);
  expect(named.json()).toMatchObject([{ amounts: ['210000.00', '215000.00'] }]);
  const gone = await ran(['quote', 'lot_0', ...as('dealer')]);
  expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining('--event')]);
});
