// @ts-check
/** Auctions and lots with their leaders, and controls for the close and the rival. */
import { button, byId, element, notice, say } from './dom.js';
import { moment, rupees, span } from './format.js';
import { change, coalesced, nameOf, now, read } from './sandbox.js';

/**
 * @typedef {object} Auction
 * @property {string} id
 * @property {string} label
 * @property {string} name
 * @property {string} status
 * @property {string} bidType
 * @property {boolean} legacy
 * @property {string} increment
 * @property {number} opensAt
 * @property {number} closesAt
 * @property {number} lots
 * @property {number} bids
 */

/** @typedef {{ clientId: string, bidderReference: string | null }} Leader */

/**
 * @typedef {object} Lot
 * @property {string} id
 * @property {string} title
 * @property {string} registration
 * @property {boolean} withdrawn
 * @property {string} startingPrice
 * @property {string | null} highest
 * @property {Leader | null} leader
 * @property {number} bids
 * @property {{ id: string, state: string } | null} sale
 */

const select = byId('auction', HTMLSelectElement);
const search = byId('lots-search', HTMLInputElement);
const list = byId('lots-list', HTMLTableSectionElement);
const amount = byId('rival-amount', HTMLInputElement);
/** @type {Auction[]} */
let auctions = [];
/** @type {Map<string, { row: HTMLTableRowElement, seen: string }>} */
const rows = new Map();

/** Loads the auctions and the lots of the selected one. */
export const loadLots = coalesced(async () => {
  auctions = (await read('/auctions')).auctions;
  offer();
  if (select.value === '') return;
  const wanted = encodeURIComponent(search.value);
  const auction = await read(`/auctions/${encodeURIComponent(select.value)}?limit=200&search=${wanted}`);
  showLots(auction.items, auction.status === 'live');
  const more = byId('lots-more', HTMLElement);
  more.hidden = auction.matching === auction.items.length && auction.matching > 0;
  say(
    more,
    auction.matching === 0
      ? 'No lot matches.'
      : `The first 200 of ${auction.matching}. Filter to see others.`,
  );
  tickAuction();
});

select.addEventListener('change', loadLots);
search.addEventListener('input', loadLots);
byId('close-now', HTMLButtonElement).addEventListener('click', async () => {
  const done = await change('POST', `/auctions/${encodeURIComponent(select.value)}/close`);
  if (done !== undefined) notice(`${done.label} is closed.`);
});
for (const each of document.querySelectorAll('[data-close-by]')) {
  each.addEventListener('click', async () => {
    const ms = Number(each.getAttribute('data-close-by'));
    const done = await change('POST', `/auctions/${encodeURIComponent(select.value)}/move-close`, {
      ms,
    });
    if (done !== undefined) notice(`${done.label} closes at ${moment(done.closesAt)}.`);
  });
}

/** Close of the open auction that closes next, Unix milliseconds; undefined if none is open. */
export function nextClose() {
  const closes = auctions.filter(({ status }) => status === 'live').map(({ closesAt }) => closesAt);
  return closes.length === 0 ? undefined : Math.min(...closes);
}

/** Shows the remaining time of the selected auction. */
export function tickAuction() {
  const auction = auctions.find(({ id }) => id === select.value);
  if (auction === undefined) return;
  const { status, bidType, legacy, increment, opensAt, closesAt } = auction;
  const left =
    status === 'upcoming'
      ? `opens in ${span(opensAt - now())}`
      : status === 'live'
        ? `closes in ${span(closesAt - now())}`
        : `closed ${moment(closesAt)}`;
  const steps = increment === '0.00' ? 'any amount' : `steps of ${rupees(increment)}`;
  const kind = (bidType === 'closed' ? 'sealed bids' : 'open bids') + (legacy ? ', legacy rules' : '');
  say(
    byId('auction-facts', HTMLElement),
    [status === 'cancelled' ? 'cancelled' : left, kind, steps].join(' · '),
  );
}

/** Keeps the selection. Initially selects the first open auction. */
function offer() {
  const chosen = select.value || (auctions.find(({ status }) => status === 'live') ?? auctions[0])?.id || '';
  const options = auctions.map((auction) => {
    const text = `${auction.label} · ${auction.status} · ${auction.lots} lots · ${auction.bids} bids`;
    return [auction.id, text];
  });
  const seen = JSON.stringify(options);
  if (select.dataset['seen'] === seen) return;
  select.dataset['seen'] = seen;
  select.replaceChildren(...options.map(([value = '', text = '']) => element('option', { value }, text)));
  select.value = chosen;
}

/**
 * @param {Lot[]} lots
 * @param {boolean} isLive
 */
function showLots(lots, isLive) {
  const shown = new Set(lots.map(({ id }) => id));
  for (const [id, { row }] of rows) {
    if (shown.has(id)) continue;
    row.remove();
    rows.delete(id);
  }
  for (const [at, lot] of lots.entries()) {
    const known = rows.get(lot.id);
    const seen = JSON.stringify([lot, isLive]);
    if (known === undefined) {
      const row = element('tr', { 'data-lot': lot.id }, ...cellsOf(lot, isLive));
      rows.set(lot.id, { row, seen });
      list.insertBefore(row, list.children[at] ?? null);
    } else if (known.seen !== seen) {
      const hadFocus = known.row.contains(document.activeElement);
      known.seen = seen;
      known.row.replaceChildren(...cellsOf(lot, isLive));
      if (hadFocus) known.row.querySelector('button')?.focus();
    }
  }
}

/**
 * @param {Lot} lot
 * @param {boolean} isLive
 */
function cellsOf(lot, isLive) {
  const { id, title, registration, highest, startingPrice, leader, bids, sale, withdrawn } = lot;
  const named = element('span', { class: 'sub' }, `${registration} · `, element('code', {}, id));
  const words = withdrawn ? 'withdrawn' : (sale?.state.replaceAll('_', ' ') ?? '');
  const rival = button('Rival', { class: 'small', 'aria-label': `The rival bids on ${title}` }, () =>
    bid(lot),
  );
  rival.disabled = !isLive || withdrawn;
  const standing =
    highest === null
      ? [element('span', { class: 'quiet' }, `from ${rupees(startingPrice)}`)]
      : [rupees(highest)];
  const who =
    leader === null
      ? []
      : [
          nameOf(leader.clientId),
          ...(leader.bidderReference === null ? [] : [` · ${leader.bidderReference}`]),
        ];
  return [
    element('td', {}, element('span', { class: 'vehicle' }, title), named),
    element('td', { class: 'number', 'data-is': 'highest' }, ...standing),
    element(
      'td',
      { 'data-is': 'leader' },
      ...who,
      ...(words === '' ? [] : [element('span', { class: 'sub' }, words)]),
    ),
    element('td', { class: 'number', 'data-is': 'bids' }, String(bids)),
    element('td', { class: 'act' }, rival),
  ];
}

/** @param {Lot} lot */
async function bid({ id, title }) {
  const typed = amount.value.replaceAll(',', '').replace('₹', '').trim();
  const made = await change(
    'POST',
    `/lots/${encodeURIComponent(id)}/rival-bid`,
    typed === '' ? {} : { amount: typed },
  );
  if (made !== undefined) notice(`The rival bids ${rupees(made.amount)} on ${title}.`);
}
