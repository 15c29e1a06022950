// @ts-check
/** The list of requests, newest first. Rows are updated until the reply is known. */
import { byId, element, say } from './dom.js';
import { timeOfDay } from './format.js';
import { showDetail } from './request-detail.js';
import { nameOf, read } from './sandbox.js';

/**
 * @typedef {object} Attempt
 * @property {number} n
 * @property {string | null} call
 * @property {string | null} operation
 * @property {string} method
 * @property {string} path
 * @property {number | 'dropped' | 'pending'} status
 * @property {string | null} code
 * @property {string | null} clientId
 * @property {'valid' | 'invalid' | 'unchecked'} signature
 * @property {string | null} hint
 * @property {string | null} fault
 * @property {number} at
 */

/** @typedef {{ attempt: Attempt, row: HTMLLIElement, whole: HTMLDetailsElement, head: HTMLElement, detail: HTMLElement }} Row */

const most = 200;
const list = byId('requests-list', HTMLOListElement);
const search = byId('requests-search', HTMLInputElement);
const failedOnly = byId('requests-failed', HTMLInputElement);
/** @type {Map<number, Row>} */
const rows = new Map();
let latest = 0;

search.addEventListener('input', filter);
failedOnly.addEventListener('change', filter);

/** Loads new requests and those still in progress. */
export async function loadRequests() {
  const pending = [...rows].filter(([, { attempt }]) => attempt.status === 'pending').map(([n]) => n);
  const since = Math.max(0, Math.min(latest, ...pending.map((n) => n - 1)));
  const { attempts, total } = await read(`/attempts?limit=${most}&since=${since}`);
  // A restarted sandbox numbers requests from 1.
  if (total < latest) forget();
  showRequests(attempts);
}

/** Whether a request is still in progress. */
export function isWaiting() {
  return [...rows.values()].some(({ attempt }) => attempt.status === 'pending');
}

/**
 * Shows new requests, and updates those that are shown already.
 * @param {Attempt[]} attempts
 */
function showRequests(attempts) {
  for (const attempt of attempts) {
    const row = rows.get(attempt.n);
    if (row === undefined) add(attempt);
    else update(row, attempt);
  }
  while (rows.size > most) {
    const oldest = Math.min(...rows.keys());
    rows.get(oldest)?.row.remove();
    rows.delete(oldest);
  }
  say(byId('requests-count', HTMLElement), latest.toLocaleString('en'));
  byId('requests-none', HTMLElement).hidden = rows.size > 0;
  list.hidden = rows.size === 0;
}

/** @param {Attempt} attempt */
function add(attempt) {
  const head = element('summary', {});
  const detail = element('div', { class: 'detail' });
  const whole = element('details', {}, head, detail);
  const row = { attempt, row: element('li', {}, whole), whole, head, detail };
  whole.addEventListener('toggle', () => {
    if (whole.open) showDetail(row.detail, row.attempt);
  });
  rows.set(attempt.n, row);
  update(row, attempt);
  const after = [...list.children].find((other) => Number(other.getAttribute('data-n')) < attempt.n);
  list.insertBefore(row.row, after ?? null);
  latest = Math.max(latest, attempt.n);
}

/**
 * @param {Row} row
 * @param {Attempt} attempt
 */
function update(row, attempt) {
  row.attempt = attempt;
  row.row.setAttribute('data-n', String(attempt.n));
  row.row.setAttribute('data-tone', toneOf(attempt));
  row.row.hidden = !matches(attempt);
  row.head.replaceChildren(
    element('span', { class: 'time' }, timeOfDay(attempt.at)),
    signatureMark(attempt),
    element('span', { class: 'status' }, attempt.status === 'pending' ? '…' : String(attempt.status)),
    element('span', { class: 'call' }, attempt.call ?? attempt.operation ?? 'no such route'),
    element('span', { class: 'who' }, nameOf(attempt.clientId)),
    element('span', { class: 'path' }, `${attempt.method} ${attempt.path}`),
    element('span', { class: 'code' }, attempt.code ?? ''),
    ...(attempt.fault === null ? [] : [element('span', { class: 'fault' }, attempt.fault)]),
  );
  if (row.whole.open) showDetail(row.detail, attempt);
}

/** @param {Attempt} attempt */
function signatureMark({ signature }) {
  const marks = {
    valid: ['✓', 'signature valid'],
    invalid: ['✗', 'signature invalid'],
    unchecked: ['–', 'signature not checked'],
  };
  const [mark = '', words = ''] = marks[signature] ?? marks.unchecked;
  return element(
    'span',
    { class: `mark ${signature}`, role: 'img', 'aria-label': words, title: words },
    mark,
  );
}

/** @param {Attempt} attempt */
function toneOf({ status, fault }) {
  if (fault !== null) return 'struck';
  if (status === 'pending') return 'pending';
  if (status === 'dropped') return 'bad';
  return status >= 500 ? 'bad' : status >= 400 ? 'refused' : 'good';
}

/** @param {Attempt} attempt */
function matches(attempt) {
  const tone = toneOf(attempt);
  if (failedOnly.checked && (tone === 'good' || tone === 'pending')) return false;
  const wanted = search.value.trim().toLowerCase();
  if (wanted === '') return true;
  const { call, operation, method, path, status, code, clientId, fault } = attempt;
  return [call, operation, `${method} ${path}`, String(status), code, clientId, nameOf(clientId), fault].some(
    (text) => text?.toLowerCase().includes(wanted),
  );
}

function filter() {
  for (const { row, attempt } of rows.values()) row.hidden = !matches(attempt);
}

function forget() {
  rows.clear();
  list.replaceChildren();
  latest = 0;
}
