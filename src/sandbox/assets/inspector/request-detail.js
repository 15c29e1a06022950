// @ts-check
/** Details of a request and its reply, loaded when the row is opened. */
import { element } from './dom.js';
import { moment } from './format.js';
import { nameOf, read } from './sandbox.js';

/** @typedef {import('./requests.js').Attempt} Attempt */

/**
 * Fills in the contents of a request. The earlier contents stay until they are loaded.
 * @param {HTMLElement} target
 * @param {Attempt} attempt
 */
export async function showDetail(target, attempt) {
  try {
    const whole = await read(`/attempts/${attempt.n}`);
    target.replaceChildren(...partsOf(whole));
  } catch (error) {
    target.replaceChildren(element('p', {}, error instanceof Error ? error.message : String(error)));
  }
}

/** @param {any} whole */
function partsOf(whole) {
  return [
    ...(whole.signature === 'invalid' ? [hint(whole.hint)] : []),
    facts([
      ['Client', whole.clientId === null ? 'none named' : `${nameOf(whole.clientId)} · ${whole.clientId}`],
      ['Arrived', moment(whole.at)],
      ['Request', `${whole.method} ${whole.path}`],
      ['Answered', [whole.status, whole.code].filter((part) => part !== null).join(' ')],
      ['Operation', whole.operation],
      ['Signature', whole.signature],
      ['Fault', whole.fault],
      ['Idempotency key', whole.idempotencyKey],
      ['Nonce', whole.nonce],
      ['Body SHA-256', whole.bodySha256],
    ]),
    ...block('Canonical request, as the sandbox computed it', whole.canonical),
    ...block('Query', isEmpty(whole.query) ? null : whole.query),
    ...block('Body', whole.request),
    ...block('Reply', whole.reply),
  ];
}

/** @param {string | null} text */
function hint(text) {
  return element('p', { class: 'hint' }, `Signature refused: ${text ?? 'no common mistake explains it'}.`);
}

/** @param {[string, string | null | undefined][]} pairs */
function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined);
  return element(
    'dl',
    {},
    ...known.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, String(value))]),
  );
}

/**
 * @param {string} title
 * @param {unknown} content
 * @returns {HTMLElement[]}
 */
function block(title, content) {
  if (content === null || content === undefined) return [];
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
  return [element('h3', {}, title), element('pre', { tabindex: '0', 'aria-label': title }, text)];
}

/** @param {unknown} query */
function isEmpty(query) {
  return typeof query !== 'object' || query === null || Object.keys(query).length === 0;
}
