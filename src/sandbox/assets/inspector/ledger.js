// @ts-check
/** The ledger, newest first. */
import { byId, element, say } from './dom.js';
import { moment, rupees, timeOfDay } from './format.js';
import { coalesced, nameOf, read } from './sandbox.js';

/**
 * @typedef {object} Entry
 * @property {number} n
 * @property {string} kind
 * @property {string} operation
 * @property {string | null} call
 * @property {string} recordId
 * @property {string} idempotencyKey
 * @property {string} clientId
 * @property {string} [lotId]
 * @property {string} [saleId]
 * @property {string} [amount]
 * @property {number} at
 */

const most = 200;
const list = byId('ledger-list', HTMLOListElement);
let shown = 0;

/** Loads new ledger entries. */
export const loadLedger = coalesced(async () => {
  const { entries, total } = await read(`/ledger?limit=${most}&since=${shown}`);
  if (total < shown) {
    // The sandbox was restarted.
    list.replaceChildren();
    shown = 0;
    loadLedger();
    return;
  }
  list.prepend(...entries.map(entryRow).reverse());
  while (list.children.length > most) list.lastElementChild?.remove();
  shown = total;
  say(byId('ledger-count', HTMLElement), total.toLocaleString('en'));
  byId('ledger-none', HTMLElement).hidden = total > 0;
  list.hidden = total === 0;
});

/** @param {Entry} entry */
function entryRow({ kind, call, operation, recordId, idempotencyKey, clientId, lotId, saleId, amount, at }) {
  return element(
    'li',
    { class: 'commit' },
    element('span', { class: 'time', title: moment(at) }, timeOfDay(at)),
    element('span', { class: 'call', title: kind }, call ?? operation),
    element('span', { class: 'who' }, nameOf(clientId)),
    element('span', { class: 'amount' }, amount === undefined ? '' : rupees(amount)),
    element(
      'span',
      { class: 'ids' },
      [recordId, saleId, lotId, `key ${idempotencyKey}`]
        .filter((part, at, all) => part !== undefined && all.indexOf(part) === at)
        .join(' · '),
    ),
  );
}
