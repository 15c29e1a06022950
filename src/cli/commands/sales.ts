import type { Command } from 'commander';
import { ApiError } from '../../errors/api.js';
import type { PaymentDues, SaleRecord } from '../../generated/sale-cases.js';
import { formatInr, toPaise } from '../../money/paise.js';
import { connected, type Session, withSession } from '../client/session.js';
import type { ConnectionFlags } from '../client/settings.js';
import type { Terminal } from '../terminal.js';

/** One sale, and the payment reports of all. */
export function addSales(program: Command, terminal: Terminal): void {
  connected(
    program
      .command('sale')
      .argument('<sale>')
      .description('Show a sale: its state, its dues, what happened and what comes next.'),
    'sale sal_1\nsale sal_1 --json | jq .dues.remaining',
  ).action((sale: string, flags: ConnectionFlags) =>
    withSession(flags, terminal, (session) => showSale(session, sale)),
  );

  connected(
    program
      .command('reports')
      .description('List the payment reports that wait for verification, from the inbox of a bank.'),
    'reports\nreports --json',
  ).action((flags: ConnectionFlags) =>
    withSession(flags, terminal, async (session) => {
      const columns = ['id', 'data.sale_id', 'data.amount', 'data.utr', 'data.paid_at'];
      await session.out.list(waitingReports(session), columns);
    }),
  );
}

async function showSale({ client, out, flags, signal }: Session, id: string): Promise<void> {
  const [sale, dues, receipts, transfer] = await Promise.all([
    client.saleCases.get(id, { signal }),
    client.saleCases.paymentDues(id, { signal }).catch(noneYet),
    client.saleCases.receipts(id, { signal }).catch(noneYet),
    client.saleCases.transferStatus(id, { signal }).catch(noneYet),
  ]);
  if (flags.json) {
    out.json({ ...sale, dues, receipts, transfer });
    return;
  }
  const { lot_id, bidder_reference, amount, acknowledged_at, active_offer } = sale.data ?? {};
  out.item({
    sale: sale.id,
    state: sale.state,
    lot: lot_id,
    buyer: bidder_reference,
    amount: amount && formatInr(amount),
    paid: dues && `${formatInr(dues.verified_credits)} of ${formatInr(dues.due_amount)}`,
    next: nextSaleStep(sale, dues),
  });
  const parts = [
    ...[receipts?.payments, receipts?.allocations, receipts?.documents, transfer?.milestones].flat(),
    active_offer,
  ].flatMap(partOf);
  const steps: Step[] = [
    { at: sale.created_at, what: 'sale opened' },
    ...(acknowledged_at ? [{ at: acknowledged_at, what: 'acknowledged' }] : []),
    ...parts,
    { at: sale.updated_at, what: 'sale last changed', state: sale.state },
  ];
  const inOrder = steps.toSorted((one, other) => stepTime(one) - stepTime(other));
  out.say('');
  await out.list(inOrder, ['at', 'what', 'state', 'id', 'amount']);
}

/** The next step of a sale; undefined for a final or unknown state. */
function nextSaleStep({ state, data = {} }: SaleRecord, dues: PaymentDues | undefined): string | undefined {
  if (state === 'pending_bank_approval') return 'the bank decides';
  if (state !== 'approved') return undefined;
  const steps = [];
  if (!data.acknowledged_at) steps.push(`the buyer acknowledges terms ${data.terms_version}`);
  if (dues !== undefined && toPaise(dues.remaining) > 0n)
    steps.push(`the buyer pays ${formatInr(dues.remaining)} by ${dues.due_at}`);
  return steps.length === 0 ? 'release and collection' : steps.join('; ');
}

interface Step {
  readonly at: unknown;
  readonly what: unknown;
  readonly state?: unknown;
  readonly id?: unknown;
  readonly amount?: unknown;
}

/** A record of a sale as a step. Its shape is undocumented, so each field can be absent. */
function partOf(part: unknown): Step[] {
  if (typeof part !== 'object' || part === null) return [];
  const { kind = 'record', id, state, created_at: at, data } = Object(part);
  const { amount, filename } = Object(data);
  return [{ at, what: filename === undefined ? kind : `${kind} ${filename}`, state, id, amount }];
}

/** Unix ms. Steps without a time come last. */
function stepTime({ at }: Step): number {
  const ms = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  return Number.isNaN(ms) ? Number.POSITIVE_INFINITY : ms;
}

/** A sale that is not approved may have no dues, receipts or transfer. */
function noneYet(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined;
  throw error;
}

/** Payment reports have no list: the inbox names them. */
async function* waitingReports({ bank, out, signal }: Session): AsyncGenerator<object> {
  const { readNotification } = await import('../../index.js');
  const { notifications, paymentReports } = bank();
  const reported = new Set<string>();
  const decided = new Set<string>();
  for await (const message of notifications.list({}, { signal })) {
    const isNew = message.type === 'payment.reported';
    if (!isNew && message.type !== 'payment.verified' && message.type !== 'payment.rejected') continue;
    const id = readNotification(message).data.ids?.payment_report;
    if (id !== undefined) (isNew ? reported : decided).add(id);
    else if (isNew) out.say(`Message ${message.id} names no payment report.`);
  }
  for (const id of reported) {
    if (decided.has(id)) continue;
    const report = await paymentReports.get(id, { signal });
    if (report.state === 'reported_pending_verification') yield report;
  }
}
