import { API_PREFIX } from '../../api/common.js';
import { integration } from '../../api/integration.js';
import type { Operation } from '../../api/operation.js';
import { resources } from '../../api/service.js';
import { actorsOf } from '../actors.js';
import type { Call, Handler } from '../call.js';
import { policyVersion } from '../policy.js';
import { read } from '../replies.js';
import { knownUnlessSwitched } from '../unfamiliar.js';
import type { World } from '../world.js';

/** A01, A02: who the caller is, and what the deployment can do. */
export const integrationHandlers: Readonly<Record<string, Handler>> = {
  [integration.operations.profile.id]: profile,
  [integration.operations.capabilities.id]: capabilities,
};

function profile(call: Call) {
  const { party, world } = call;
  return read(call, {
    environment: knownUnlessSwitched(world, 'wire-partner-type', party.facts.environment),
    bank_id: party.bankId,
    partner_id: party.partnerId,
    client_id: party.clientId,
    actor_type: party.actor,
    partner_type:
      party.partnerType === null ? null : knownUnlessSwitched(world, 'wire-partner-type', party.partnerType),
    dealer_id: party.facts.dealerId,
    scopes: party.facts.scopes,
    operations: allOperations()
      .filter(
        (operation) =>
          actorsOf(world, operation).includes(party.actor) && party.facts.scopes.includes(operation.scope),
      )
      .flatMap((operation) => operationViews(world, operation)),
  });
}

function capabilities(call: Call) {
  const { world } = call;
  const { variants } = world.settings;
  const policy = (known: string) => knownUnlessSwitched(world, 'capability-values', known);
  const operations = allOperations().flatMap((operation) => operationViews(world, operation));
  return read(call, {
    api_versions: ['v1'],
    policy_version: variants['policy-version-type'] === 'integer' ? Number(policyVersion) : policyVersion,
    bid_visibility: { open: policy('highest_amount'), closed: policy('own_standing') },
    cancellation_mode: policy('bank_approval'),
    sale_approval: policy('bank'),
    payment_verification: policy('bank'),
    webhooks: { enabled: call.world.settings.variants['webhook-operative'] === 'on' },
    realtime: { enabled: false },
    operations: variants['capability-operations'] === 'ids' ? operations.map(({ id }) => id) : operations,
    ...(variants['capability-quotas'] === 'given' && { quotas: { requests_per_minute: 120 } }),
  });
}

/** What the service calls callable, each operation once: A73 has two methods here, A13 isn't open. */
function allOperations(): Operation[] {
  const callable = resources
    .flatMap((resource) => Object.values(resource.operations))
    .filter(({ availability }) => availability === 'callable');
  return [...new Map(callable.map((operation) => [operation.id, operation])).values()];
}

/** An operation as it is listed; nothing for one that has no id to be listed under (unknowns: `unlisted-operation-ids`). */
function operationViews(world: World, operation: Operation) {
  const variant = world.settings.variants['unlisted-operation-ids'];
  const id = variant === 'slugs' || /^A\d\d$/.test(operation.id) ? operation.id : unfamiliarId(operation);
  return variant === 'absent' && id !== operation.id ? [] : [operationView(world, operation, id)];
}

/** An id of the form that the text has, of no operation that it has. */
function unfamiliarId({ id }: Operation): string {
  return `X-${id.replaceAll('.', '-')}`;
}

function operationView(world: World, operation: Operation, id: string) {
  return {
    id,
    method: operation.method,
    path: `${API_PREFIX}${operation.path}`,
    scope: operation.scope,
    title: operation.summary,
    actors: actorsOf(world, operation),
  };
}
