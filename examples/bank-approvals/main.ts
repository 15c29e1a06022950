import { appendFile, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { BankClient, type RunOptions } from 'vehicle-auction-sdk';
import { readVehicles } from 'vehicle-auction-sdk/csv';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';
import { type Import, importStock } from './inventory.js';
import { creditAll, type StatementEntry } from './payments.js';
import { policyOf, type Reserves } from './policy.js';
import { openSandbox } from './sandbox.js';
import { type Settings, sandboxSettings, settings } from './settings.js';

const usage = `main.ts approvals RESERVES.json --audit FILE [--dry-run] [--production]
main.ts payments STATEMENT.json --audit FILE [--production]
main.ts inventory STOCK.csv --audit FILE [--dry-run] [--production]
main.ts --sandbox`;

/** Statuses that need a person or the next run. */
const failures: readonly string[] = ['unknown', 'refused', 'conflict', 'not_sent', 'failed', 'invalid'];

async function approvals(bank: BankClient, own: Settings, reserves: Reserves, options: RunOptions) {
  const run = bank.approvals.run(policyOf(own, reserves), { ...own.run, ...options });
  for await (const { status, sale, answer, what } of run) say(status, sale, answer?.reason ?? what);
  console.log('In all:', (await run.summary).counts);
}

async function payments(bank: BankClient, own: Settings, statement: readonly StatementEntry[]) {
  const counts: Record<string, number> = {};
  for await (const { status, about, why } of creditAll(bank, own, statement)) {
    counts[status] = (counts[status] ?? 0) + 1;
    say(status, about, why);
  }
  console.log('In all:', counts);
}

async function inventory(bank: BankClient, own: Settings, order: Omit<Import, 'onVehicle'>) {
  const { counts, stopped } = await importStock(bank, own, {
    ...order,
    onVehicle: ({ status, externalId, position, what }) => say(status, externalId ?? `row ${position}`, what),
  });
  if (stopped !== undefined) {
    console.log('Stopped:', stopped.what);
    process.exitCode = 1;
  }
  console.log('In all:', Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)));
}

function say(status: string, about: string, why: string) {
  if (failures.includes(status)) process.exitCode = 1;
  console.log(`  ${status.padEnd(11)} ${about}  ${why}`);
}

/** Two mornings, a payment day and new stock against the embedded sandbox. */
async function inSandbox() {
  await using day = await openSandbox();
  await approvals(day.bank, sandboxSettings, day.reserves, {});
  day.acceptOffers();
  console.log('\nThe buyer accepts the offer. The next morning:\n');
  await approvals(day.bank, sandboxSettings, day.reserves, {});
  console.log('\nThe buyer acknowledges and pays:\n');
  await payments(day.bank, sandboxSettings, day.pay());
  console.log('\nNew stock, imported twice:\n');
  for (const _ of [1, 2]) await inventory(day.bank, sandboxSettings, day.newStock());
  console.log('\nThe audit:\n');
  for await (const { at, about, phase } of day.bank.approvals.audit())
    console.log(`  ${at} ${about} ${phase}`);
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sandbox: { type: 'boolean' },
      production: { type: 'boolean' },
      audit: { type: 'string' },
      'dry-run': { type: 'boolean' },
    },
  });
  if (values.sandbox) return inSandbox();
  const [command = '', table] = positionals;
  const { audit } = values;
  if (!['approvals', 'payments', 'inventory'].includes(command) || table === undefined || audit === undefined)
    throw new Error(usage);
  const own: Settings | undefined = settings;
  if (own === undefined) throw new Error('Fill in `settings` in settings.ts first.');

  await using bank = new BankClient({
    environment: values.production ? 'production' : 'sandbox',
    store: sqliteStore(join(dirname(audit), 'auction.db')),
  });
  for (const { level, what, expected, found, nextStep } of await bank.verify()) {
    if (level === 'problem') throw new Error(`${what}: expected ${expected}, found ${found}. ${nextStep}`);
  }
  // Settles decisions in doubt from earlier runs, including those on sales that are no longer pending.
  if (!values['dry-run']) {
    for (const { status, idempotencyKey, what } of await bank.recover({ resend: true })) {
      say(status, idempotencyKey, `left by an earlier run: ${what}`);
    }
  }
  if (command === 'inventory') {
    const results = `${table.replace(/\.\w+$/, '')}.results.csv`;
    return await inventory(bank, own, { stock: readVehicles(table), results, dryRun: values['dry-run'] });
  }
  // The client and the policy check each value before anything is sent.
  const rows = JSON.parse(await readFile(table, 'utf8'));
  if (command === 'payments') return await payments(bank, own, rows);
  await approvals(bank, own, new Map(Object.entries(rows)), {
    dryRun: values['dry-run'],
    sink: (entry) => appendFile(audit, `${JSON.stringify(entry)}\n`, { mode: 0o600, flush: true }),
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
});
