import * as z from 'zod';
import { webhookSubscriptions } from '../../api/webhook-subscriptions.js';
import type { Call, Handler } from '../call.js';
import { command, messageOnly, type Reply } from '../replies.js';
import { isoTime } from '../times.js';
import type { Subscription } from '../webhooks/delivery.js';
import { subscribable } from '../webhooks/webhooks.js';
import { carryOutOnce, unfit } from '../workflow/commands.js';

const { create } = webhookSubscriptions.operations;

/** A13: subscribing, where webhooks are switched on. */
export const webhookSubscriptionHandlers: Readonly<Record<string, Handler>> = { [create.id]: subscribe };

function subscribe(call: Call): Reply {
  const { settings, webhooks } = call.world;
  const { variants } = settings;
  if (variants['webhook-operative'] === 'off') return messageOnly(404, switchedOff);
  let made: Subscription | undefined;
  const reply = carryOutOnce(call, settings.webhooks.allowPrivate ? anyUrlBody : create.body, (body) => {
    const problem = webhooks.urlProblem(body.url);
    if (problem !== undefined) throw unfit('url', problem);
    const unknown = body.events.find((type) => !subscribable.has(type));
    if (unknown !== undefined) throw unfit('events', `No event type ${JSON.stringify(unknown)} is known.`);
    made = webhooks.add(call.party, body);
    const view = subscriptionView(made, variants['webhook-subscription-reply'] === 'secret-again');
    return { record: recordOf(made), view };
  });
  // The secret is shown to whoever subscribed, and not kept for those who ask again.
  return made === undefined ? reply : command(call, subscriptionView(made, true), false);
}

/** For receivers without TLS, where the sandbox was asked to allow them. */
const anyUrlBody = create.body.extend({ url: z.url({ protocol: /^https?$/ }) });

const switchedOff =
  "A13 is listed as not callable. startSandbox({ variants: { 'webhook-operative': 'on' } }) has it answer; " +
  'sandbox.webhooks.subscribe() works without.';

function recordOf({ id, party, state, createdAt }: Subscription) {
  return {
    id,
    kind: 'webhook_subscription',
    owner: { bankId: party.bankId, partnerId: party.partnerId },
    state,
    version: 1,
    createdAt,
    updatedAt: createdAt,
  };
}

function subscriptionView(
  subscription: Subscription,
  withSecret: boolean,
): Readonly<Record<string, unknown>> {
  const { id, state, name, url, events, secret, createdAt } = subscription;
  return {
    id,
    kind: 'webhook_subscription',
    state,
    resource_version: 1,
    data: { name, url, events, ...(withSecret && { secret }) },
    created_at: isoTime(createdAt),
    updated_at: isoTime(createdAt),
  };
}
