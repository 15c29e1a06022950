import type { Operation } from '../api/operation.js';
import { bidOperations } from './auctions/bid-operations.js';
import { catalogueOperations } from './auctions/catalogue-operations.js';
import { integrationOperations } from './auctions/integration.js';
import type { Handler } from './http/call.js';
import { documentCommands } from './workflow/documents.js';
import { inventoryOperations } from './workflow/inventory.js';
import { paymentCommands } from './workflow/payments.js';
import { workflowReads } from './workflow/reads.js';
import { releaseCommands } from './workflow/releases.js';
import { saleCommands } from './workflow/sales.js';

const handlers: ReadonlyMap<Operation, Handler> = new Map([
  ...integrationOperations,
  ...catalogueOperations,
  ...bidOperations,
  ...saleCommands,
  ...paymentCommands,
  ...releaseCommands,
  ...documentCommands,
  ...inventoryOperations,
  ...workflowReads,
]);

/** What answers an operation; every one of the description has it. */
export function handlerOf(operation: Operation): Handler {
  const handler = handlers.get(operation);
  if (handler === undefined) throw new Error(`nothing answers ${operation.id}`);
  return handler;
}
