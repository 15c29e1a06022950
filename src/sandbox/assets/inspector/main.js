// @ts-check
/** Starts the page: polls the sandbox and moves the clock. */
import { loadClients } from './clients.js';
import { byId, notice, say } from './dom.js';
import { loadFaults, offerOperations } from './faults.js';
import { moment, spanOf } from './format.js';
import { loadLedger } from './ledger.js';
import { loadLots, nextClose, tickAuction } from './lots.js';
import { isWaiting, loadRequests } from './requests.js';
import { loadSales } from './sales.js';
import { change, isNew, learn, now, read } from './sandbox.js';
import { loadWebhooks } from './webhooks.js';

const link = byId('link', HTMLElement);
const moveBy = byId('move-by', HTMLInputElement);
/** Number of requests at the last poll. */
let arrived = -1;

/** Reloads everything. Reloads the long list of requests only if it changed. */
async function poll() {
  try {
    const state = await read('/state');
    learn(state);
    say(byId('base-url', HTMLElement), state.baseUrl);
    say(byId('clock-kind', HTMLElement), state.clock === 'real' ? 'running' : 'paused');
    if (isNew('operations', state.operations)) offerOperations(state.operations);
    if (isWaiting() || state.attempts !== arrived) await loadRequests();
    arrived = state.attempts;
    for (const load of parts) load();
    link.className = 'link up';
    say(link, 'live');
    tick();
  } catch (error) {
    arrived = -1;
    link.className = 'link down';
    say(link, error instanceof TypeError ? 'no reply, retrying' : String(error));
  }
  window.setTimeout(poll, 500);
}

const parts = [loadLots, loadFaults, loadLedger, loadSales, loadWebhooks, loadClients];

function tick() {
  say(byId('now', HTMLElement), moment(now()));
  tickAuction();
}

window.setInterval(tick, 500);
poll();

/** @param {object} step */
async function moveClock(step) {
  const moved = await change('POST', '/clock', step);
  if (moved !== undefined) notice(`It is ${moment(moved.now)}.`);
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
    notice('The browser blocked the copy. Select the text and copy it.', true);
  }
});
