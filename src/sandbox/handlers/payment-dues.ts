import { saleCases } from '../../api/sale-cases.js';
import type { Call, Handler } from '../call.js';
import { rupees } from '../money.js';
import { messageOnly, type Reply, read } from '../replies.js';
import { saleInPath } from '../workflow/asked-sale.js';
import type { Sale } from '../workflow/entities.js';
import { duesOf } from '../workflow/funds.js';
import { allocationView, documentView, paymentView } from '../workflow/views.js';

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
  if (sale.state !== 'approved') return messageOnly(404, 'Nothing is due yet: the sale is not approved.');
  const { due, credits, remaining, excess, state } = duesOf(call.world.cases, sale);
  return read(call, {
    sale_id: sale.id,
    currency: 'INR',
    due_amount: rupees(due),
    verified_credits: rupees(credits),
    remaining: rupees(remaining),
    excess: rupees(excess),
    state,
    due_at: sale.terms?.dueAt ?? null,
    payee_instructions: sale.terms?.payeeInstructions ?? null,
    payee_version: sale.terms?.payeeVersion ?? null,
    resource_version: sale.version,
  });
}

/** All of it oldest first. A payment for another sale is listed where part of it was allocated to this one. */
function receipts(call: Call): Reply {
  const sale = saleInPath(call);
  const { payments, documents, allocations } = call.world.cases;
  const isOf = (record: { readonly sale: Sale }) => record.sale === sale;
  return read(call, {
    sale_id: sale.id,
    payments: [...payments.values()]
      .filter((payment) => isOf(payment) || payment.allocations.some(isOf))
      .map(paymentView),
    documents: [...documents.values()].filter(isOf).map(documentView),
    allocations: [...allocations.values()].filter(isOf).map(allocationView),
  });
}
