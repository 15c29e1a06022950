// @ts-check
/** Builds elements. Strings always become text nodes, so that request data cannot inject markup. */

/**
 * The element with this id.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
export function byId(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no element: ${id}`);
  return found;
}

/**
 * A new element; strings become text.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} content
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, attributes, ...content) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...content);
  return made;
}

/**
 * A button that does something.
 * @param {string} text
 * @param {Record<string, string>} attributes
 * @param {() => void} action
 */
export function button(text, attributes, action) {
  const made = element('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', action);
  return made;
}

/**
 * Sets a text if it has changed, to avoid needless repaints and announcements.
 * @param {Element} target
 * @param {string} text
 */
export function say(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/** @type {number | undefined} */
let fading;

/**
 * Shows a short notice at the foot of the page.
 * @param {string} text
 * @param {boolean} [isWrong]
 */
export function notice(text, isWrong = false) {
  const target = byId('notice', HTMLElement);
  target.textContent = text;
  target.className = isWrong ? 'notice shown wrong' : 'notice shown';
  window.clearTimeout(fading);
  fading = window.setTimeout(
    () => {
      target.className = 'notice';
    },
    isWrong ? 8000 : 3000,
  );
}
