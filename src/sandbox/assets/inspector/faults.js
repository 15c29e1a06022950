// @ts-check
/** Buttons for common faults, and the list of armed faults. */
import { button, byId, element, notice } from './dom.js';
import { change, coalesced, isNew, read } from './sandbox.js';

/** @typedef {{ n: number, plan: Record<string, unknown>, toPass: number, left: number | 'always' }} Waiting */

const operation = byId('fault-operation', HTMLInputElement);
const times = byId('fault-times', HTMLInputElement);
const list = byId('faults-list', HTMLUListElement);

/** @type {[string, string, Record<string, unknown>][]} */
const common = [
  ['Lose the reply', 'Carries the request out, then cuts the connection', { fault: 'drop_after_commit' }],
  ['Lose the request', 'Cuts the connection without effect', { fault: 'drop_before_commit' }],
  ['500, done', 'Carries the request out, then answers a bare 500', { fault: 'error_after_commit' }],
  ['500, not done', 'Answers a bare 500 without effect', { fault: 'error_before_commit' }],
  ['429', 'Answers 429 with Retry-After: 2', { fault: 'rate_limit', retryAfter: 2 }],
  ['Delay 5 s', 'Delays the request by 5 s of sandbox time', { fault: 'delay', ms: 5000 }],
  ['Garbage', "Answers 502 with a proxy's HTML", { fault: 'garbage' }],
  ['Half a reply', 'Carries the request out, then cuts the reply in the middle', { fault: 'truncate' }],
  ['Redirect', 'Answers a 307 redirect to another host', { fault: 'redirect' }],
];

byId('fault-buttons', HTMLElement).replaceChildren(
  button(
    'Lose the next bid’s reply',
    { title: 'Carries the next bid out, then cuts the connection', class: 'main' },
    () => plan({ fault: 'drop_after_commit', operation: 'bids.submit' }),
  ),
  ...common.map(([text, title, fault]) => button(text, { title }, () => plan({ ...fault, ...chosen() }))),
);

/** Loads the armed faults. */
export const loadFaults = coalesced(async () => {
  const { faults } = await read('/faults');
  if (isNew('faults', faults)) showFaults(faults);
});

/** @param {string[]} operations */
export function offerOperations(operations) {
  byId('operations', HTMLDataListElement).replaceChildren(
    ...operations.map((value) => element('option', { value })),
  );
}

/** @param {Waiting[]} faults */
function showFaults(faults) {
  list.replaceChildren(...faults.map(faultRow));
  byId('faults-none', HTMLElement).hidden = faults.length > 0;
}

/** @param {Waiting} waiting */
function faultRow({ n, plan, toPass, left }) {
  const { fault, operation, nth, times, ...rest } = plan;
  const where = operation === undefined ? 'any call' : String(operation);
  const when = toPass > 0 ? `after ${toPass} more` : 'next';
  const count = left === 1 ? '' : left === 'always' ? ', always' : `, ${left} times`;
  const extra = Object.entries(rest).map(([name, value]) => `${name} ${String(value)}`);
  return element(
    'li',
    { 'data-fault': String(n) },
    element('strong', {}, String(fault)),
    ` ${[where, when + count, ...extra].join(' · ')} `,
    button('Withdraw', { class: 'small', 'aria-label': `Withdraw ${String(fault)}` }, async () => {
      const done = await change('DELETE', `/faults/${n}`);
      if (done !== undefined) loadFaults();
    }),
  );
}

function chosen() {
  const wanted = operation.value.trim();
  return {
    ...(wanted !== '' && { operation: wanted }),
    ...(times.value !== '1' && { times: Number(times.value) }),
  };
}

/** @param {Record<string, unknown>} wanted */
async function plan(wanted) {
  const made = await change('POST', '/faults', wanted);
  if (made === undefined) return;
  notice(`${String(wanted['fault'])} affects the next ${String(wanted['operation'] ?? 'request')}.`);
  loadFaults();
}
