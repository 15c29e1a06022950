/**
 * A copy of decoded JSON that is small enough to be kept: long texts are cut with a mark of how long they were, as are
 * long lists, deep nesting and whatever is too much in all. Whatever is named a secret or a signature is blotted out.
 */
export function bounded(value: unknown): unknown {
  return copy(value, 0, { left: mostValues });
}

/** A text that is cut where it is long, with a mark of how long it was. */
export function boundedText(text: string): string {
  return text.length <= mostChars
    ? text
    : `${text.slice(0, mostChars)}… (${text.length.toLocaleString('en')} characters)`;
}

function copy(value: unknown, depth: number, budget: { left: number }): unknown {
  budget.left -= 1;
  if (typeof value === 'string') return boundedText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= mostDepth || budget.left <= 0) return cut;
  return Array.isArray(value) ? copyOfList(value, depth, budget) : copyOfObject(value, depth, budget);
}

function copyOfList(items: readonly unknown[], depth: number, budget: { left: number }): unknown[] {
  const copies: unknown[] = [];
  for (const item of items) {
    if (copies.length >= mostItems || budget.left <= 0) break;
    copies.push(copy(item, depth + 1, budget));
  }
  if (copies.length < items.length) copies.push(`… (${items.length} items)`);
  return copies;
}

function copyOfObject(object: object, depth: number, budget: { left: number }): object {
  const copied: Record<string, unknown> = {};
  let passed = 0;
  const entries = Object.entries(object);
  for (const [name, value] of entries) {
    if (budget.left <= 0) break;
    passed += 1;
    const isSecret = typeof value === 'string' && concealed.test(name);
    put(copied, boundedText(name), isSecret ? '(not shown)' : copy(value, depth + 1, budget));
  }
  if (passed < entries.length) copied['…'] = `(${entries.length} fields)`;
  return copied;
}

/** `__proto__` is a name like any other, which an assignment would take for something else. */
function put(copied: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(copied, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    copied[name] = value;
  }
}

const concealed = /secret|signature/i;
const cut = '…';
const mostChars = 256;
const mostItems = 25;
const mostDepth = 8;
const mostValues = 400;
