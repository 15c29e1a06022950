// @ts-check
/** Sales, the latest on top, each with the step that comes next. */
import { button, byId, element, notice, say } from './dom.js';
import { rupees } from './format.js';
import { change, coalesced, isNew, nameOf, read } from './sandbox.js';

/**
 * @typedef {object} Sale
 * @property {string} id
 * @property {string} state
 * @property {number} version
 * @property {string} lotId
 * @property {string} title
 * @property {string} clientId
 * @property {string | null} bidderReference
 * @property {string} amount
 * @property {boolean} acknowledged
 * @property {string | null} payment
 * @property {string | null} release
 * @property {string | null} next
 */

const list = byId('sales-list', HTMLUListElement);

/** Asks for the sales. */
export const loadSales = coalesced(async () => {
  const { sales, total } = await read('/sales?limit=200');
  if (!isNew('sales', [sales, total])) return;
  list.replaceChildren(...sales.map(rowOf).reverse());
  say(byId('sales-count', HTMLElement), total.toLocaleString('en'));
  byId('sales-none', HTMLElement).hidden = total > 0;
});

/** @param {Sale} sale */
function rowOf({
  id,
  state,
  title,
  clientId,
  bidderReference,
  amount,
  acknowledged,
  payment,
  release,
  next,
}) {
  const buyer = nameOf(clientId) + (bidderReference === null ? '' : ` · ${bidderReference}`);
  const facts = [
    state.replaceAll('_', ' '),
    acknowledged ? 'acknowledged' : '',
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
