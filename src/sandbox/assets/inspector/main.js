// @ts-check
/** Starts the page: it polls the sandbox, and moves the clock. */
import { loadClients } from './clients.js';
import { byId, notice, say } from './dom.js';
import { loadFaults, offerOperations } from './faults.js';
import { moment, spanOf } from './format.js';
import { loadLedger } from './ledger.js';
import { loadLots, nextClose, tickAuction } from './lots.js';
import { isWaiting, loadRequests } from './requests.js';
import { loadSales } from './sales.js';
import { change, learn, learnTime, now, read } from './sandbox.js';
import { loadWebhooks } from './webhooks.js';

const link = byId('link', HTMLElement);
const moveBy = byId('move-by', HTMLInputElement);
/**
 * What each part was shown of, at the last poll; undefined while there is no answer.
 * @type {Record<string, unknown> | undefined}
 */
let glance;

async function start() {
  const state = await read('/state');
  learn(state);
  say(byId('base-url', HTMLElement), state.baseUrl);
  say(byId('clock-kind', HTMLElement), state.clock === 'real' ? 'running' : 'standing still');
  offerOperations(state.operations);
}

/** Asks what has changed, and asks again only for that. */
async function poll() {
  try {
    const next = await read('/glance');
    if (glance === undefined) await start();
    learnTime(Number(next.now));
    if (isWaiting() || next.attempts !== glance?.['attempts']) await loadRequests();
    // A fault can be made and strike between two polls, which both see none.
    if (next.attempts !== glance?.['attempts']) loadFaults();
    for (const [part, load] of parts) if (next[part] !== glance?.[part]) load();
    glance = next;
    link.className = 'link up';
    say(link, 'live');
    tick();
  } catch (error) {
    glance = undefined;
    link.className = 'link down';
    say(link, error instanceof TypeError ? 'no answer, trying again' : String(error));
  }
  window.setTimeout(poll, 400);
}

/** @type {[string, () => void][]} */
const parts = [
  ['auctions', loadLots],
  ['faults', loadFaults],
  ['ledger', loadLedger],
  ['sales', loadSales],
  ['webhooks', loadWebhooks],
  ['clients', loadClients],
];

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
    notice('The browser lets nothing be copied here.', true);
  }
});
