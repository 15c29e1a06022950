/** Names of the resources that guard their misspelt members, for messages. */
const labels = new WeakMap<object, string>();
const guards = new WeakSet<object>();

/**
 * Makes a misspelt resource or method of a client throw an error that names the nearest one. Members that exist are found
 * before the guard, which is the last prototype, so they cost nothing.
 */
export function suggestNames(client: object): void {
  guard(client);
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(client))) {
    if (typeof value !== 'object' || value === null) continue;
    labels.set(value, name);
    guard(value);
  }
}

function guard(holder: object): void {
  let last = holder;
  for (;;) {
    const next: object | null = Object.getPrototypeOf(last);
    if (next === null || guards.has(next)) return;
    if (next === Object.prototype) break;
    last = next;
  }
  const handler: ProxyHandler<object> = {
    get(target, name, receiver) {
      const nearest = typeof name === 'string' && !(name in target) && nearestTo(name, namesOf(receiver));
      if (!nearest) return Reflect.get(target, name, receiver);
      const label = labels.get(receiver);
      const path = label === undefined ? '' : `${label}.`;
      throw new TypeError(`The client has no ${path}${String(name)}. Did you mean ${path}${nearest}?`);
    },
  };
  // In front of Object.prototype, and not in its place: an object stays an instance of Object.
  const proxy = new Proxy(Object.create(Object.prototype), handler);
  guards.add(proxy);
  Object.setPrototypeOf(last, proxy);
}

function namesOf(holder: unknown): readonly string[] {
  const names: string[] = [];
  let from: unknown = holder;
  while (typeof from === 'object' && from !== null && !guards.has(from)) {
    names.push(...Object.getOwnPropertyNames(from).filter((name) => name !== 'constructor'));
    from = Object.getPrototypeOf(from);
  }
  return names;
}

/** Misspellings that are recognised: other case, singular or plural, and one wrong letter, or two in a long name. */
export function nearestTo(wrong: string, names: readonly string[]): string | undefined {
  if (wrong.length < 3) return undefined;
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '');
  const same = names.find((name) => plain(name) === plain(wrong));
  if (same !== undefined) return same;
  const allowed = wrong.length > 5 ? 2 : 1;
  const found = names
    .map((name) => ({ name, distance: distanceOf(plain(name), plain(wrong)) }))
    .filter(({ distance }) => distance <= allowed)
    .sort((one, other) => one.distance - other.distance);
  return found[0]?.name;
}

/** Letters to insert, drop or replace until one text is the other (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, otherLetter] of [...other].entries()) {
      const replaced = (row[at] ?? 0) + (letter === otherLetter ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
