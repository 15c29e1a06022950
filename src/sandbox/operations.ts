import type { Operation } from '../api/operation.js';
import { bidOperations } from './auctions/bid-operations.js';
import { catalogueOperations } from './auctions/catalogue-operations.js';
import { integrationOperations } from './auctions/integration.js';
import type { Call, Handler } from './http/call.js';
import { type Reply, replyTo } from './http/replies.js';
import { documentCommands } from './workflow/documents.js';
import { inventoryOperations } from './workflow/inventory.js';
import { paymentCommands } from './workflow/payments.js';
import { workflowReads } from './workflow/reads.js';
import { saleCommands } from './workflow/sales.js';

const handlers: ReadonlyMap<Operation, Handler> = new Map([
  ...integrationOperations,
  ...catalogueOperations,
  ...bidOperations,
  ...saleCommands,
  ...paymentCommands,
  ...documentCommands,
  ...inventoryOperations,
  ...workflowReads,
]);

/** The reply of the operation that is called: every one of the description has what answers it. */
export function answered(call: Call): Reply {
  try {
    const handler = handlers.get(call.operation);
    if (handler === undefined) throw new Error(`nothing answers ${call.operation.id}`);
    return handler(call);
  } catch (error) {
    return replyTo(error);
  }
}
