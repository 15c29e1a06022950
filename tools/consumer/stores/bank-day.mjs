import { appendFileSync, readFileSync } from 'node:fs';
import { BankClient, compareReport, toPaise } from 'vehicle-auction-sdk';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';

// A bank's day: its policy and its wiring. Start it again whenever it was stopped.
const { reserves, statement, payeeInstructions } = JSON.parse(readFileSync(process.env.BANK_DAY, 'utf8'));
const days = (now, count) => new Date(now + count * 86_400_000).toISOString();
const hold = (reason) => ({ action: 'hold', reason });

function policy({ sale, offer, offered, now }) {
  const { lot_id: lot, amount } = sale.data ?? {};
  const reserve = reserves[lot];
  if (amount === undefined || reserve === undefined) return hold('no amount, or no reserve for its lot');
  if (offer === 'unreadable') return hold('its offer can not be read');
  const approve = { action: 'approve', dueAt: days(now, 7), payeeInstructions };
  if (offer?.state === 'open') return { action: 'wait', reason: `the buyer has until ${offer.validUntil}` };
  if (offer?.state === 'accepted') return { ...approve, reason: 'the buyer took the offer' };
  if (toPaise(amount) >= toPaise(reserve)) return { ...approve, reason: 'highest bid', termsVersion: 'T3' };
  if (offered) return hold('the buyer did not take the offer');
  const terms = { amount: reserve, termsVersion: 'T3', validUntil: days(now, 2) };
  return { action: 'offer', reason: 'the bid is below what the bank accepts', ...terms };
}

const bank = new BankClient({ environment: 'sandbox', store: sqliteStore(process.env.AUCTION_STORE) });
const sink = (entry) => appendFileSync(process.env.AUDIT_LOG, `${JSON.stringify(entry)}\n`);
for (const { status, what } of await bank.recover({ resend: true })) console.log('recovered', status, what);
const run = bank.approvals.run(policy, { maxCount: 100, maxAmount: '50000000', sink });
for await (const { sale, status, what } of run) console.log(status, sale, what);
const { attention } = await run.summary;

for (const { reportId, ...receipt } of statement) {
  const report = await bank.paymentReports.get(reportId);
  const dues = await bank.saleCases.paymentDues(report.data.sale_id);
  const { matches, differences } = compareReport(report, { receipt, dues });
  if (matches)
    await bank.runOnce(['verify', reportId], (idempotency_key) => verify(report, receipt, idempotency_key));
  console.log(matches ? 'verified' : 'held', reportId, differences.map(({ field }) => field).join(', '));
}
await bank.close();
process.exitCode = attention.length > 0 ? 1 : 0;

function verify(report, { bankReceiptId, amount }, idempotency_key) {
  const received = { bank_receipt_id: bankReceiptId, received_amount: amount, currency: 'INR' };
  const account = { bank_account_reference: 'COLLECTION-1' };
  const reason = 'found on the statement';
  return bank.paymentReports.decide(report, {
    decision: 'verified',
    reason,
    ...received,
    ...account,
    idempotency_key,
  });
}
