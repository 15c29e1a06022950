import { API_PREFIX } from '../api/common.js';
import type { Operation } from '../api/operation.js';
import { service } from '../api/service.js';
import { bidOperations } from './auctions/bidding.js';
import { catalogueOperations } from './auctions/catalogue-operations.js';
import type { Call, Handler } from './http/call.js';
import { ok, type Reply, replyTo } from './http/replies.js';
import { actorsOf, allOperations } from './http/router.js';
import { policyVersion } from './records.js';
import { documentCommands } from './workflow/documents.js';
import { inventoryOperations } from './workflow/inventory.js';
import { paymentCommands } from './workflow/payments.js';
import { workflowReads } from './workflow/reads.js';
import { saleCommands } from './workflow/sales.js';

const { profile: profileCall, capabilities: capabilitiesCall } = service.integration.operations;

const handlers: ReadonlyMap<Operation, Handler> = new Map([
  [profileCall, profile],
  [capabilitiesCall, capabilities],
  ...catalogueOperations,
  ...bidOperations,
  ...saleCommands,
  ...paymentCommands,
  ...documentCommands,
  ...inventoryOperations,
  ...workflowReads,
]);

/** Runs the handler of a call and returns its reply. */
export function answered(call: Call): Reply {
  try {
    const handler = handlers.get(call.operation);
    if (handler === undefined) throw new Error(`no handler for ${call.operation.id}`);
    return handler(call);
  } catch (error) {
    return replyTo(error);
  }
}

/** A01: identity and permissions of the caller. */
function profile(call: Call): Reply {
  const { party } = call;
  const { facts } = party;
  return ok(call, {
    environment: facts.environment,
    bank_id: party.bankId,
    partner_id: party.partnerId,
    client_id: party.clientId,
    actor_type: party.actor,
    partner_type: party.partnerType,
    dealer_id: facts.dealerId,
    scopes: facts.scopes,
    operations: callable.filter(
      ({ actors, scope }) => actors.includes(party.actor) && facts.scopes.includes(scope),
    ),
  });
}

/** A02: capabilities of the deployment. */
function capabilities(call: Call): Reply {
  return ok(call, {
    api_versions: ['v1'],
    policy_version: policyVersion,
    bid_visibility: { open: 'highest_amount', closed: 'own_standing' },
    cancellation_mode: 'bank_approval',
    sale_approval: 'bank',
    payment_verification: 'bank',
    webhooks: { enabled: call.world.settings.variants['webhook-operative'] === 'on' },
    realtime: { enabled: false },
    operations: callable,
  });
}

/** Operations that the service lists as callable, each once. A73 has two client methods; A13 is not callable. */
const callable = [
  ...new Map(
    allOperations
      .filter(({ availability }) => availability === 'callable')
      .map((operation) => {
        const { id, method, path, scope, summary: title } = operation;
        return [id, { id, method, path: API_PREFIX + path, scope, title, actors: actorsOf(operation) }];
      }),
  ).values(),
];
