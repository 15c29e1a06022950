import { dirname, join } from 'node:path';
import { BankClient, ConfigurationError, VehicleAuctionError } from 'vehicle-auction-sdk';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';
import { runApprovals } from './approvals.js';
import { Audit, AuditError } from './audit.js';
import { Caps } from './caps.js';
import { TableError } from './csv.js';
import { type Options, optionsOf } from './options.js';
import { runPayments } from './payments.js';
import { Report } from './report.js';
import { readReserves } from './reserves.js';
import { settings as ownSettings, type Settings, SetupError, sandboxSettings } from './settings.js';
import { openStage } from './stage.js';
import { readStatement } from './statement.js';

/** Against the service, with the credentials of the environment. */
async function inEarnest(options: Options, report: Report): Promise<void> {
  if (ownSettings === undefined) throw new SetupError('Fill in `settings` in settings.ts first.');
  await using bank = new BankClient({
    environment: options.production ? 'production' : 'sandbox',
    store: sqliteStore(join(dirname(options.audit), 'auction.db')),
  });
  await introduce(bank, report);
  const run = options.command === 'payments' ? payments : approvals;
  await run(bank, options, ownSettings, report);
}

/** Asks the service whether it knows us as a bank. @throws SetupError where it doesn't */
async function introduce(bank: BankClient, report: Report): Promise<void> {
  const findings = await bank.verify().catch((error: unknown) => {
    throw error instanceof VehicleAuctionError ? new SetupError(error.message) : error;
  });
  for (const { level, what, expected, found, nextStep } of findings) {
    if (level === 'ok') continue;
    const told = `${what}: expected ${expected}, found ${found}. ${nextStep}`;
    if (level === 'problem') throw new SetupError(told);
    report.say(told);
  }
}

/** Against the embedded sandbox, for two mornings: on the second, the buyer has accepted the bank's offer. */
async function inSandbox(options: Options, report: Report): Promise<void> {
  await using sandbox = await startSandbox();
  await using stage = await openStage(sandbox);
  const { bank, reserves, audit } = stage;
  const files = { ...options, reserves, audit };
  await approvals(bank, files, sandboxSettings, report);
  if (options.dryRun) return;
  await stage.acceptOffers();
  report.say('\nThe buyer accepts the offer. The next morning:\n');
  await approvals(bank, files, sandboxSettings, report);
  if (options.command === 'payments') {
    const statement = await stage.pay();
    report.say('\nThe buyer acknowledges and pays:\n');
    await payments(bank, { ...files, statement }, sandboxSettings, report);
  }
  report.say(`\nThe audit is in ${audit}`);
}

async function approvals(
  bank: BankClient,
  options: Options,
  settings: Settings,
  report: Report,
): Promise<void> {
  const { dryRun, maxCount: count, maxRupees: rupees } = options;
  const reserves = await readReserves(options.reserves);
  const audit = await (dryRun ? Audit.read(options.audit) : Audit.open(options.audit));
  try {
    await runApprovals(
      { bank, audit, settings, reserves, caps: new Caps({ count, rupees }), dryRun },
      report,
    );
  } finally {
    await audit.close();
  }
}

async function payments(
  bank: BankClient,
  options: Options,
  settings: Settings,
  report: Report,
): Promise<void> {
  const entries = await readStatement(options.statement);
  const audit = await Audit.open(options.audit);
  try {
    await runPayments({ bank, audit, settings }, entries, report);
  } finally {
    await audit.close();
  }
}

/** Ends with 0 where all is well, 1 where something is unknown or failed, 2 where nothing could be begun. */
async function main(): Promise<void> {
  const report = new Report((line) => console.log(line));
  const options = optionsOf(process.argv.slice(2));
  await (options.sandbox ? inSandbox(options, report) : inEarnest(options, report));
  if (report.isBad) process.exitCode = 1;
}

main().catch((error: unknown) => {
  const isSetup = [SetupError, TableError, ConfigurationError].some((kind) => error instanceof kind);
  const isTold = isSetup || error instanceof AuditError || error instanceof VehicleAuctionError;
  console.error(isTold && error instanceof Error ? error.message : error);
  process.exitCode = isSetup ? 2 : 1;
});
