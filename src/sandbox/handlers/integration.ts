import { API_PREFIX } from '../../api/common.js';
import { integration } from '../../api/integration.js';
import type { Operation } from '../../api/operation.js';
import { resources } from '../../api/service.js';
import type { Call, Handler } from '../call.js';
import { policyVersion } from '../policy.js';
import { read } from '../replies.js';

/** A01, A02: who the caller is, and what the deployment can do. */
export const integrationHandlers: Readonly<Record<string, Handler>> = {
  [integration.operations.profile.id]: profile,
  [integration.operations.capabilities.id]: capabilities,
};

function profile(call: Call) {
  const { party } = call;
  return read(call, {
    environment: party.facts.environment,
    bank_id: party.bankId,
    partner_id: party.partnerId,
    client_id: party.clientId,
    actor_type: party.actor,
    partner_type: party.partnerType,
    dealer_id: party.facts.dealerId,
    scopes: party.facts.scopes,
    operations: allOperations()
      .filter(
        ({ actors, scope }) => (actors?.includes(party.actor) ?? true) && party.facts.scopes.includes(scope),
      )
      .map(operationView),
  });
}

function capabilities(call: Call) {
  return read(call, {
    api_versions: ['v1'],
    policy_version: policyVersion,
    bid_visibility: { open: 'highest_amount', closed: 'own_standing' },
    cancellation_mode: 'bank_approval',
    sale_approval: 'bank',
    payment_verification: 'bank',
    webhooks: { enabled: false },
    realtime: { enabled: false },
    operations: allOperations().map(operationView),
  });
}

/** What the service calls callable, each operation once: A73 has two methods here, A13 isn't open. */
function allOperations(): Operation[] {
  const callable = resources
    .flatMap((resource) => Object.values(resource.operations))
    .filter(({ availability }) => availability === 'callable');
  return [...new Map(callable.map((operation) => [operation.id, operation])).values()];
}

function operationView(operation: Operation) {
  return {
    id: operation.id,
    method: operation.method,
    path: `${API_PREFIX}${operation.path}`,
    scope: operation.scope,
    title: operation.summary,
    actors: operation.actors ?? ['bank', 'partner'],
  };
}
