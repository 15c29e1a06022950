// @ts-check
/** Calls the control interface. Holds the clients and the clock for the other modules. */
import { notice } from './dom.js';

/** @typedef {{ who: string | null, clientId: string, keyId: string }} Client */

/** @type {Map<string, string>} */
const names = new Map();
let serverTime = 0;
let readAt = 0;
let runs = false;

/** Control token from `#token=…` in the page address, needed if other machines can reach the sandbox. */
const token = new URLSearchParams(window.location.hash.slice(1)).get('token');
/** @type {Record<string, string>} */
const identified = token === null ? {} : { 'X-Sandbox-Token': token };

/**
 * Reads from the control interface; throws with its message.
 * @param {string} path
 * @returns {Promise<*>}
 */
export async function read(path) {
  const response = await fetch(`/_sandbox${path}`, { headers: identified });
  return contentOf(response);
}

/**
 * Sends a change. If it is refused, shows a notice and returns undefined.
 * @param {'POST' | 'DELETE'} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<*>}
 */
export async function change(method, path, body = {}) {
  try {
    const response = await fetch(`/_sandbox${path}`, {
      method,
      headers: { ...identified, 'Content-Type': 'application/json', 'X-Sandbox-Control': '1' },
      body: JSON.stringify(body),
    });
    return await contentOf(response);
  } catch (error) {
    notice(error instanceof Error ? error.message : String(error), true);
    return undefined;
  }
}

/** @param {Response} response */
async function contentOf(response) {
  const content = await response.json();
  if (!response.ok) throw new Error(content.message);
  return content;
}

/**
 * Takes over the clients and the clock of the sandbox.
 * @param {{ now: number, clock: string, clients: Client[] }} state
 */
export function learn(state) {
  runs = state.clock === 'real';
  for (const { clientId, who } of state.clients) names.set(clientId, who ?? clientId);
  serverTime = state.now;
  readAt = performance.now();
}

/** @type {Map<string, string>} */
const seen = new Map();

/**
 * Whether the content of a part of the page has changed since the last call.
 * @param {string} part
 * @param {unknown} content
 */
export function isNew(part, content) {
  const text = JSON.stringify(content);
  if (seen.get(part) === text) return false;
  seen.set(part, text);
  return true;
}

/** Server time by now, Unix milliseconds. */
export function now() {
  return serverTime + (runs ? performance.now() - readAt : 0);
}

/**
 * The sandbox's name of a client, such as `dealer` or `bank`; the id of any other client.
 * @param {string | null} clientId
 */
export function nameOf(clientId) {
  return clientId === null ? 'nobody' : (names.get(clientId) ?? clientId);
}

/**
 * Returns a function that runs the work soon. Calls in the meantime share one run.
 * @param {() => Promise<void>} work
 */
export function coalesced(work) {
  let isWaiting = false;
  let again = false;
  const run = async () => {
    again = false;
    try {
      await work();
    } catch (error) {
      notice(error instanceof Error ? error.message : String(error), true);
    }
    isWaiting = false;
    if (again) ask();
  };
  const ask = () => {
    if (isWaiting) {
      again = true;
    } else {
      isWaiting = true;
      window.setTimeout(run, 0);
    }
  };
  return ask;
}
