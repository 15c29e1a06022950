// @ts-check
/** Sales, latest first, each with its next step. */
import { button, byId, element, notice, say } from './dom.js';
import { rupees } from './format.js';
import { change, coalesced, isNew, nameOf, read } from './sandbox.js';

/** @typedef {{ bidder_reference: string | null, amount: string, acknowledged_at: string | null }} Data */
/** @typedef {{ title: string, clientId: string, payment: string | null, release: string | null }} Around */
/** @typedef {Around & { id: string, state: string, data: Data }} Sale */

const list = byId('sales-list', HTMLUListElement);

/** Loads the sales. */
export const loadSales = coalesced(async () => {
  const { sales, total } = await read('/sales?limit=200');
  if (!isNew('sales', [sales, total])) return;
  list.replaceChildren(...sales.map(saleRow).reverse());
  say(byId('sales-count', HTMLElement), total.toLocaleString('en'));
  byId('sales-none', HTMLElement).hidden = total > 0;
});

/**
 * The next step of a sale; null if it was not approved, or is complete.
 * @param {Sale} sale
 */
function nextStep({ state, data, payment, release }) {
  if (state === 'pending_bank_approval') return 'approve';
  if (state !== 'approved' || release === 'used') return null;
  if (data.acknowledged_at === null) return 'acknowledge';
  if (payment !== 'paid') return 'settle';
  return release === 'valid' ? 'collect' : 'release';
}

/** @param {Sale} sale */
function saleRow(sale) {
  const { id, state, data, title, clientId, payment, release } = sale;
  const next = nextStep(sale);
  const { bidder_reference, amount, acknowledged_at } = data;
  const buyer = nameOf(clientId) + (bidder_reference === null ? '' : ` · ${bidder_reference}`);
  const facts = [
    state.replaceAll('_', ' '),
    acknowledged_at === null ? '' : 'acknowledged',
    (payment ?? '').replaceAll('_', ' '),
    release === null ? '' : `release ${release}`,
  ];
  const step =
    next === null
      ? []
      : [
          button(next, { class: 'small', 'aria-label': `${next} the sale of ${title}` }, async () => {
            const done = await change('POST', `/sales/${encodeURIComponent(id)}/${next}`);
            if (done !== undefined) notice(`${next}: done for ${title}.`);
          }),
        ];
  return element(
    'li',
    { 'data-sale': id },
    element('strong', {}, title),
    ` ${rupees(amount)} · ${buyer} `,
    ...step,
    element('span', { class: 'sub' }, facts.filter((each) => each !== '').join(' · ')),
    element('code', { class: 'sub' }, id),
  );
}
