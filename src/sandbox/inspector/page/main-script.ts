/** Starts the page: the line to the sandbox, and the clock. */
export const mainScript = `// @ts-check
import { byId, notice, say } from './dom.js';
import { loadFaults, offerOperations } from './faults.js';
import { moment, spanOf } from './format.js';
import { loadLedger } from './ledger.js';
import { loadLots, nextClose, tickAuction } from './lots.js';
import { loadRequests, showRequests } from './requests.js';
import { change, coalesced, learn, learnTime, now, read } from './sandbox.js';

const link = byId('link', HTMLElement);
const moveBy = byId('move-by', HTMLInputElement);
/** What each part was shown of. @type {Record<string, unknown>} */
let glance = {};

const start = coalesced(async () => {
  const state = await read('/state');
  learn(state);
  say(byId('base-url', HTMLElement), state.baseUrl);
  say(byId('clock-kind', HTMLElement), state.clock === 'real' ? 'running' : 'standing still');
  offerOperations(state.operations);
  loadRequests();
  loadLots();
  loadFaults();
  loadLedger();
  tick();
});

/**
 * Asks again for the parts that have changed.
 * @param {Record<string, unknown>} next
 */
function follow(next) {
  learnTime(Number(next['now']));
  if (next['auctions'] !== glance['auctions']) loadLots();
  if (next['faults'] !== glance['faults']) loadFaults();
  if (next['ledger'] !== glance['ledger']) loadLedger();
  glance = next;
  tick();
}

function tick() {
  say(byId('now', HTMLElement), moment(now()));
  tickAuction();
}

const line = new EventSource('/_sandbox/live');
line.addEventListener('open', () => {
  link.className = 'link up';
  say(link, 'live');
  start();
});
line.addEventListener('error', () => {
  link.className = 'link down';
  say(link, 'no answer, trying again');
});
line.addEventListener('attempts', (event) => showRequests(JSON.parse(event.data).attempts));
line.addEventListener('changed', (event) => follow(JSON.parse(event.data)));
window.setInterval(tick, 500);

/** @param {object} step */
async function moveClock(step) {
  const moved = await change('POST', '/clock', step);
  if (moved !== undefined) notice('It is ' + moment(moved.now) + '.');
}

for (const each of document.querySelectorAll('[data-ms]')) {
  each.addEventListener('click', () => moveClock({ ms: Number(each.getAttribute('data-ms')) }));
}
byId('to-next-close', HTMLButtonElement).addEventListener('click', () => {
  const to = nextClose();
  if (to === undefined) notice('No auction is open.', true);
  else moveClock({ to });
});
byId('move-clock', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  const ms = spanOf(moveBy.value);
  if (ms === undefined) {
    notice('Write it like 90s, 15m, 1h 30m or 2d.', true);
  } else {
    moveBy.value = '';
    moveClock({ ms });
  }
});
byId('copy-base-url', HTMLButtonElement).addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText(byId('base-url', HTMLElement).textContent ?? '');
    notice('Copied.');
  } catch {
    notice('The browser lets nothing be copied here.', true);
  }
});
`;
