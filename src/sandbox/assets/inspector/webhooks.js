// @ts-check
/** Webhook subscriptions, and the state of each delivery. */
import { byId, element, say } from './dom.js';
import { timeOfDay } from './format.js';
import { coalesced, isNew, nameOf, read } from './sandbox.js';

/** @typedef {{ id: string, clientId: string, url: string, events: string[], state: string }} Subscription */
/** @typedef {{ at: number, outcome: string, status: number | null }} Try */
/** @typedef {{ id: string, type: string, state: string, attempts: Try[], nextAttemptAt: number | null }} Delivery */

/** Asks for subscriptions and deliveries. */
export const loadWebhooks = coalesced(async () => {
  const { subscriptions, deliveries } = await read('/webhooks?limit=100');
  if (!isNew('webhooks', [subscriptions, deliveries])) return;
  byId('subscriptions-list', HTMLUListElement).replaceChildren(...subscriptions.map(subscriptionRow));
  byId('deliveries-list', HTMLOListElement).replaceChildren(...deliveries.map(deliveryRow).reverse());
  say(byId('webhooks-count', HTMLElement), deliveries.length.toLocaleString('en'));
  byId('webhooks-none', HTMLElement).hidden = subscriptions.length > 0;
});

/** @param {Subscription} subscription */
function subscriptionRow({ id, clientId, url, events, state }) {
  return element(
    'li',
    { 'data-subscription': id },
    element('strong', {}, nameOf(clientId)),
    ` ${url} `,
    element('span', { class: 'sub' }, `${state.replaceAll('_', ' ')} · ${events.join(', ')}`),
  );
}

/** @param {Delivery} delivery */
function deliveryRow({ id, type, state, attempts, nextAttemptAt }) {
  const last = attempts.at(-1);
  const outcome = last === undefined ? '' : `${last.outcome.replaceAll('_', ' ')} ${last.status ?? ''}`;
  const again = nextAttemptAt === null ? '' : `next at ${timeOfDay(nextAttemptAt)}`;
  const facts = [`${attempts.length} attempts`, outcome.trim(), again].filter((each) => each !== '');
  return element(
    'li',
    { 'data-delivery': id, 'data-state': state },
    element('strong', {}, type),
    ` ${state} `,
    element('span', { class: 'sub' }, facts.join(' · ')),
  );
}
