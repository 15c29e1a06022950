import { API_PREFIX } from '../../api/common.js';
import { integration } from '../../api/integration.js';
import type { Operation } from '../../api/operation.js';
import type { Answered, Call } from '../http/call.js';
import { ok } from '../http/replies.js';
import { actorsOf, allOperations } from '../http/router.js';

/** What `policy_version` says. */
export const policyVersion = '1';

/** A01, A02: who the caller is, and what the deployment can do. */
export const integrationOperations: readonly Answered[] = [
  [integration.operations.profile, profile],
  [integration.operations.capabilities, capabilities],
];

function profile(call: Call) {
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

function capabilities(call: Call) {
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

/** What the service calls callable, each operation once: A73 has two methods here, A13 isn't open. */
const callable = [
  ...new Map(
    allOperations
      .filter(({ availability }) => availability === 'callable')
      .map((operation) => [operation.id, operationView(operation)] as const),
  ).values(),
];

function operationView(operation: Operation) {
  const { id, method, path, scope, summary } = operation;
  return { id, method, path: `${API_PREFIX}${path}`, scope, title: summary, actors: actorsOf(operation) };
}
