// @ts-check
/** Lists credentials without secrets, and the access facts of each client. */
import { byId, element } from './dom.js';
import { change, coalesced, isNew, read } from './sandbox.js';

/** @typedef {{ who: string | null, clientId: string, keyId: string, actor: string, partnerType: string | null, dealerId: string | null }} Client */

const list = byId('clients-list', HTMLUListElement);
/** Boolean facts, shown as switches. */
const switches = ['active', 'keyRevoked', 'partnerActive', 'kyb', 'agreement', 'bankSubscription', 'blocked'];

/** Loads the clients. Opening a row loads its facts. */
export const loadClients = coalesced(async () => {
  const { partners } = await read('/partners');
  if (isNew('clients', partners)) list.replaceChildren(...partners.map(clientRow));
});

/** @param {Client} client */
function clientRow({ who, clientId, keyId, actor, partnerType, dealerId }) {
  const facts = element('div', { class: 'buttons' });
  const kind = (partnerType ?? actor).replaceAll('_', ' ');
  const whole = element(
    'details',
    {},
    element('summary', {}, element('strong', {}, who ?? clientId), ` ${kind} `),
    element(
      'code',
      { class: 'sub' },
      [clientId, keyId, dealerId].filter((each) => each !== null).join(' · '),
    ),
    facts,
  );
  whole.addEventListener('toggle', async () => {
    if (whole.open) show(facts, clientId, (await read(`/partners/${encodeURIComponent(clientId)}`)).facts);
  });
  return element('li', { 'data-client': clientId }, whole);
}

/**
 * @param {HTMLElement} target
 * @param {string} clientId
 * @param {Record<string, unknown>} facts
 */
function show(target, clientId, facts) {
  target.replaceChildren(
    ...switches.map((fact) => {
      const box = element('input', { type: 'checkbox' });
      box.checked = facts[fact] === true;
      box.addEventListener('change', async () => {
        const wanted = { [fact]: box.checked };
        const changed = await change('POST', `/partners/${encodeURIComponent(clientId)}`, wanted);
        if (changed === undefined) box.checked = !box.checked;
      });
      return element('label', {}, box, ` ${fact}`);
    }),
  );
}
