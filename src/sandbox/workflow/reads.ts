import * as z from 'zod';
import { service } from '../../api/service.js';
import type { Call, OperationHandler } from '../http/call.js';
import { queryOf } from '../http/checks.js';
import {
  ensure,
  ensureFits,
  file,
  messageOnly,
  notFound,
  ok,
  paged,
  Refusal,
  type Reply,
} from '../http/replies.js';
import { allOperations } from '../http/router.js';
import { rupees } from '../money.js';
import { type Data, type Flow, type Kind, mayHave, type Rec, type Sale, view } from '../records.js';
import { isoTime } from '../times.js';
import { activeOffer, recordShape } from './engine.js';
import { duesOf } from './funds.js';
import { spaced } from './news.js';

const { documents, notifications, saleCases, winnerUpdates } = service;

const sales = saleCases.operations;

/** Reads of one record or of a list of a kind (newest first), derived from the operation descriptions. */
const plainReads = allOperations.flatMap((operation): OperationHandler[] => {
  const { kind } = recordShape(operation);
  if (operation.effect !== 'read' || kind === undefined) return [];
  const { query = z.object({}) } = operation;
  return operation.envelope === 'workflow_page'
    ? [[operation, (call) => paged(call, call.world.flow.own(call.party, kind), queryOf(call, query), view)]]
    : [[operation, (call) => ok(call, view(recordInPath(call, kind)))]];
});

/** All reads of the workflow. */
export const workflowReads: readonly OperationHandler[] = [
  ...plainReads,
  [sales.get, getSale],
  [sales.paymentDues, getDues],
  [sales.receipts, getReceipts],
  [sales.transferStatus, getTransferStatus],
  [documents.operations.get, getDocument],
  [documents.operations.download, downloadDocument],
  [notifications.operations.list, listNotifications],
  [winnerUpdates.operations.list, listWinners],
];

/** Finds the record in the path, or refuses with a 404. */
function recordInPath({ world, party, params }: Call, kind: Kind): Rec {
  const [id = ''] = params.values();
  return world.flow.find(party, kind, id);
}

function saleInPath(call: Call): Sale {
  const { sale } = recordInPath(call, 'sale');
  if (sale === undefined) throw new Refusal(notFound());
  return sale;
}

/** A sale with its active offer. */
function getSale(call: Call): Reply {
  const sale = saleInPath(call);
  const offer = activeOffer(call.world.flow, sale);
  const active_offer = offer === undefined ? null : { ...view(offer), sale_id: sale.id };
  return ok(call, { ...view(sale), data: { ...sale.data, active_offer } });
}

/** Refuses with a 404 before the approval: zero dues would look paid, and the bid amount would look due. */
function getDues(call: Call): Reply {
  const sale = saleInPath(call);
  if (sale.data['terms_version'] !== null) return ok(call, duesView(call.world.flow, sale));
  return messageOnly(
    404,
    `The sale has no dues: it is ${spaced(sale.state)}. Dues exist after its approval.`,
  );
}

/** Dues of an approved sale in wire form (A34). */
export function duesView(flow: Flow, sale: Sale): Data {
  const { due, credits, remaining, excess, state } = duesOf(flow, sale);
  const { due_at, payee_instructions, payee_version } = sale.data;
  return {
    sale_id: sale.id,
    currency: 'INR',
    due_amount: rupees(due),
    verified_credits: rupees(credits),
    remaining: rupees(remaining),
    excess: rupees(excess),
    state,
    due_at,
    payee_instructions,
    payee_version,
    resource_version: sale.version,
  };
}

/** Lists are oldest first. Includes payments for other sales that were partly allocated to this one. */
function getReceipts(call: Call): Reply {
  const { flow } = call.world;
  const sale = saleInPath(call);
  const allocations = flow.of('allocation', sale);
  const paid = flow
    .of('payment')
    .filter((each) => each.sale === sale || allocations.some(({ from }) => from === each));
  return ok(call, {
    sale_id: sale.id,
    payments: paid.map(view),
    documents: flow.of('document', sale).map(view),
    allocations: allocations.map(view),
  });
}

/** State and confirmation are those of the latest milestone. */
function getTransferStatus(call: Call): Reply {
  const sale = saleInPath(call);
  const milestones = call.world.flow.of('transfer', sale);
  const latest = milestones.at(-1);
  return ok(call, {
    sale_id: sale.id,
    state: latest?.state ?? 'not_started',
    government_verified: latest?.data['government_verified'] ?? false,
    milestones: milestones.map(view),
    resource_version: sale.version,
  });
}

function getDocument(call: Call): Reply {
  const document = recordInPath(call, 'document');
  const url = `${call.world.baseUrl}/documents/${document.id}?download=1`;
  const download_url = document.state === 'ready' ? url : null;
  return ok(call, { ...view(document), data: { ...document.data, download_url } });
}

function downloadDocument(call: Call): Reply {
  const { state, content = new Uint8Array(), data } = recordInPath(call, 'document');
  ensure(
    state === 'ready',
    `The document cannot be downloaded: it is ${spaced(state)}. Wait until it is ready.`,
  );
  return file({ bytes: content, contentType: String(data['mime']) }, String(data['filename']));
}

/** Lists the caller's own inbox, newest first. */
function listNotifications(call: Call): Reply {
  const query = queryOf(call, notifications.operations.list.query);
  const { flow } = call.world;
  const own = flow.own(call.party, 'notification');
  const inbox = own.filter(({ owner }) => owner.partnerId === call.party.partnerId);
  const shown = ({ id, createdAt, data }: Rec) => ({ id, ...data, created_at: isoTime(createdAt) });
  return paged(call, inbox, query, shown);
}

/**
 * Committed approvals after a cursor. The cursor is the id of the last update read; it does not change at the end.
 */
function listWinners(call: Call): Reply {
  const { after, limit = 50 } = queryOf(call, winnerUpdates.operations.list.query);
  const all = call.world.flow.winners.filter(({ sale }) => mayHave(call.party, sale.owner));
  const place = all.findIndex(({ id }) => id === after);
  ensureFits(
    after === undefined || place >= 0,
    'after',
    'The cursor is unknown. Use a next_cursor from an earlier reply.',
  );
  const page = all.slice(place + 1, place + 1 + limit);
  const last = page.at(-1);
  const next_cursor = last === undefined ? (after ?? null) : last.id;
  const server_time = isoTime(call.now());
  return { status: 200, json: { data: page.map(({ shown }) => shown), next_cursor, server_time } };
}
