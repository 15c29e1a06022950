import { formatInr, InDoubtError, isAmount, NotFoundError, toPaise } from 'vehicle-auction-sdk';
import { AuditError } from './audit.js';
import { type Desk, doneAs, failedAs, type Result } from './carry-out.js';
import { type Answer, type Command, send } from './command.js';
import type { Line, Report } from './report.js';
import type { Settings } from './settings.js';
import type { Entry } from './statement.js';
import { daysAfter, serverTimeOf } from './time.js';

type PaymentDesk = Desk & { readonly settings: Settings };
type Step = 'import' | 'verify' | 'allocate' | 'release';

/**
 * Imports, verifies and allocates each entry, and releases the vehicle once nothing remains to be paid. Each step is
 * carried out once over all runs, by `runOnce`: one that is in doubt is settled first.
 *
 * @throws AuditError where a step can't be written down, VehicleAuctionError where something can't be read.
 */
export async function runPayments(
  desk: PaymentDesk,
  entries: readonly Entry[],
  report: Report,
): Promise<void> {
  for (const entry of entries) report.tell(await credit(desk, entry).catch((error) => lineOf(error, entry)));
  report.sum();
}

async function credit(desk: PaymentDesk, entry: Entry): Promise<Line> {
  const { bank } = desk;
  const { name, saleId, amount, utr } = entry;
  const account = { bank_account_reference: entry.account, currency: 'INR' } as const;
  const paid = { about: name, amount };
  const report = await bank.paymentReports.get(entry.reportId);
  const { sale_id, utr: reportedUtr, amount: reportedAmount = '0' } = report.data ?? {};
  if (sale_id !== saleId || reportedUtr !== utr || toPaise(reportedAmount) !== toPaise(amount)) {
    throw held(name, `report ${report.id} is of another sale, utr or amount`);
  }

  const receipt = await once(desk, 'import', paid, (key) => {
    const transfer = { utr, external_transaction_id: entry.transaction, amount, value_date: entry.valueDate };
    return { action: 'import', id: name, body: { sale_id: saleId, ...account, ...transfer, ...key } };
  });
  if (report.state !== 'verified') {
    await once(desk, 'verify', paid, (key) => {
      const found = { bank_receipt_id: receipt.id, received_amount: amount, ...account };
      const decision = { decision: 'verified', reason: 'Found on the statement', ...found };
      return { action: 'verify', id: report.id, body: { ...decision, ...versionOf(report), ...key } };
    });
  }
  await once(desk, 'allocate', paid, async (key) => {
    const payment = await bank.payments.get(await unallocatedPayment(desk, entry));
    const body = { sale_id: saleId, amount, ...versionOf(payment), ...key };
    return { action: 'allocate', id: payment.id, body };
  });

  const { remaining, due_amount } = await bank.saleCases.paymentDues(saleId);
  if (toPaise(remaining) > 0n) {
    return { what: 'credited', about: name, why: `${formatInr(remaining)} remain to be paid for ${saleId}` };
  }
  const sale = { about: saleId, amount: due_amount };
  const release = await once(desk, 'release', sale, (key) => releaseOf(desk, saleId, key));
  return { what: 'released', about: name, why: `${saleId} is paid; its release is ${release.id}` };
}

/** The idempotency key of a step, as its body has it. */
interface Key {
  readonly idempotency_key: string;
}

/** Carries a step out at most once, over all runs. @throws Stopped where it isn't done, or not for sure. */
async function once(
  { bank, audit }: Desk,
  step: Step,
  what: { readonly about: string; readonly amount: string },
  make: (key: Key) => Command | Promise<Command>,
): Promise<Answer> {
  /** Completes the audit: of this run, or of one that died before it could. */
  const settle = async (result: Result) => {
    const open = audit.inDoubt(step).find(({ about }) => about === what.about);
    const key = open?.body.idempotency_key;
    if (key !== undefined) await audit.write({ event: 'after', about: what.about, key, ...result });
    return key !== undefined;
  };
  const answer = await bank
    .runOnce<Answer>([step, what.about], async (idempotency_key) => {
      const command = await make({ idempotency_key });
      await audit.write({ event: 'before', ...what, ...command, why: 'on the bank statement' });
      return send(bank, command);
    })
    .catch(async (error: unknown) => {
      if (error instanceof Stopped || error instanceof AuditError) throw error;
      const result = failedAs(error);
      // Without a line in the audit nothing was sent: a reading failed.
      if (!(await settle(result)) && !(error instanceof InDoubtError)) throw error;
      throw new Stopped(stepLine(step, what.about, result));
    });
  const result = doneAs(step, answer);
  await settle(result);
  if (result.outcome !== 'done') throw new Stopped(stepLine(step, what.about, result));
  return answer;
}

async function releaseOf({ bank, settings }: PaymentDesk, saleId: string, key: Key): Promise<Command> {
  const sale = await bank.saleCases.get(saleId);
  if (!sale.data?.acknowledged_at) throw held(saleId, 'it is paid, and its buyer has not acknowledged it');
  const { daysToCollect, ...handover } = settings.release;
  const expires_at = daysAfter(serverTimeOf(sale), daysToCollect);
  const dates = { expires_at, collection_date: expires_at.slice(0, 10) };
  return { action: 'release', id: saleId, body: { ...handover, ...dates, ...versionOf(sale), ...key } };
}

/** The one payment of this amount on the sale that is not allocated yet. The API doesn't show what A46 lists. */
async function unallocatedPayment({ bank }: Desk, { name, saleId, amount }: Entry): Promise<string> {
  const { payments = [], allocations = [] } = await bank.saleCases.receipts(saleId);
  const spent = allocations.map((item) => fieldOf(item, 'payment_id'));
  const isAsMuch = (value: unknown) => isAmount(value) && toPaise(value) === toPaise(amount);
  const ids = payments
    .filter((item) => isAsMuch(fieldOf(item, 'amount')))
    .map((item) => fieldOf(item, 'id'))
    .filter((id) => !spent.includes(id));
  const [id] = ids;
  if (typeof id === 'string' && ids.length === 1) return id;
  throw held(name, `${ids.length} payments of ${formatInr(amount)} on ${saleId} are not allocated, not one`);
}

function fieldOf(item: unknown, name: string): unknown {
  const fields: Readonly<Record<string, unknown>> = { ...Object(item), ...Object(Object(item).data) };
  return fields[name];
}

function versionOf({ resource_version }: { readonly resource_version: number }) {
  return { expected_version: resource_version };
}

/** An entry can't go on in this run. */
class Stopped extends Error {
  readonly line: Line;

  constructor(line: Line) {
    super(line.why);
    this.line = line;
  }
}

function held(about: string, why: string): Stopped {
  return new Stopped({ what: 'held', about, why });
}

function stepLine(step: Step, about: string, { outcome, state = '', note }: Result): Line {
  const what = outcome === 'waiting' || outcome === 'unknown' ? outcome : 'failed';
  return { what, about, why: `${step}: ${note ?? `the record is ${state}`}` };
}

function lineOf(error: unknown, { name }: Entry): Line {
  if (error instanceof Stopped) return error.line;
  if (error instanceof NotFoundError) return { what: 'failed', about: name, why: error.message };
  throw error;
}
