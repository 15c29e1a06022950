import { saleCases } from '../../api/sale-cases.js';
import type { Call, Handler } from '../call.js';
import { rupees } from '../money.js';
import { messageOnly, type Reply, read } from '../replies.js';
import { unfamiliar } from '../unfamiliar.js';
import type { Variants } from '../variants.js';
import { saleInPath } from '../workflow/asked-sale.js';
import type { Sale } from '../workflow/entities.js';
import { duesOf } from '../workflow/funds.js';
import { allocationView, documentView, paymentReportView, paymentView } from '../workflow/views.js';
import type { World } from '../world.js';

const { operations } = saleCases;

/** A34, A46: what a sale is owed, and what shows that it is paid. */
export const paymentDuesHandlers: Readonly<Record<string, Handler>> = {
  [operations.paymentDues.id]: paymentDues,
  [operations.receipts.id]: receipts,
};

/**
 * Before the approval there are no dues: zeros would read as paid, and the bid's amount as a demand (unknowns:
 * `payment-dues-before-approval`).
 */
function paymentDues(call: Call): Reply {
  const sale = saleInPath(call);
  if (sale.state === 'rejected') return messageOnly(404, 'Nothing is due: the sale is rejected.');
  if (sale.terms === undefined) return beforeApproval(call, sale);
  if (sale.cancelled && call.world.settings.variants['payment-dues-after-cancellation'] === 'not-found') {
    return messageOnly(404, 'Nothing is due any more: the sale is cancelled.');
  }
  const { due, credits, remaining, excess, state } = duesOf(call.world.cases, sale);
  return read(call, {
    sale_id: sale.id,
    currency: 'INR',
    due_amount: rupees(due),
    verified_credits: rupees(credits),
    remaining: rupees(remaining),
    excess: rupees(excess),
    state: stateOf(call.world, state),
    due_at: sale.terms?.dueAt ?? null,
    payee_instructions: sale.terms?.payeeInstructions ?? null,
    payee_version: sale.terms?.payeeVersion ?? null,
    resource_version: sale.version,
  });
}

function beforeApproval(call: Call, sale: Sale): Reply {
  const choice = call.world.settings.variants['payment-dues-before-approval'];
  if (choice === 'not-found') return messageOnly(404, 'Nothing is due yet: the sale is not approved.');
  const amount = choice === 'zeros' ? '0.00' : null;
  return read(call, {
    sale_id: sale.id,
    currency: 'INR',
    due_amount: amount,
    verified_credits: amount,
    remaining: amount,
    excess: amount,
    state: stateOf(call.world, 'unpaid'),
    due_at: null,
    payee_instructions: null,
    payee_version: null,
    resource_version: sale.version,
  });
}

/** States of dues beside the shown one (unknowns: `payment-dues-states`). */
function stateOf({ settings }: World, shown: string): string {
  return settings.variants['payment-dues-states'] === 'unfamiliar' ? unfamiliar : shown;
}

/** All of it oldest first. A payment for another sale is listed where part of it was allocated to this one. */
function receipts(call: Call): Reply {
  const sale = saleInPath(call);
  const { payments, documents, allocations, reports } = call.world.cases;
  const { variants } = call.world.settings;
  const isOf = (record: { readonly sale: Sale }) => record.sale === sale;
  const items = (records: readonly Item[]) => records.map((record) => itemOf(record, variants));
  return read(call, {
    sale_id: sale.id,
    payments: items(
      [...payments.values()]
        .filter((payment) => isOf(payment) || payment.allocations.some(isOf))
        .map(paymentView),
    ),
    documents: items([...documents.values()].filter(isOf).map(documentView)),
    allocations: items([...allocations.values()].filter(isOf).map(allocationView)),
    ...(variants['record-lists'] === 'in-receipts' && {
      payment_reports: items([...reports.values()].filter(isOf).map(paymentReportView)),
    }),
  });
}

type Item = Readonly<Record<string, unknown>>;

/** What stands for a record in these lists isn't shown (unknowns: `sale-receipt-items`). */
function itemOf(record: Item, variants: Variants): unknown {
  switch (variants['sale-receipt-items']) {
    case 'records':
      return record;
    case 'data':
      return record['data'];
    case 'ids':
      return record['id'];
  }
}
