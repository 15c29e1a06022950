/** Names of the resources that guard their misspelt members, for messages. */
const labels = new WeakMap<object, string>();
const guards = new WeakSet<object>();

/**
 * Makes a misspelt resource or method of a client throw an error that names the nearest one. Members that exist are found
 * before the guard, which is the last prototype, so they cost nothing.
 */
export function suggestNames(client: object): void {
  guardNames(client);
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(client))) {
    if (typeof value !== 'object' || value === null) continue;
    labels.set(value, name);
    guardNames(value);
  }
}

function guardNames(holder: object): void {
  let last = holder;
  for (;;) {
    const next: object | null = Object.getPrototypeOf(last);
    if (next === null || guards.has(next)) return;
    if (next === Object.prototype) break;
    last = next;
  }
  const handler: ProxyHandler<object> = {
    get(target, name, receiver) {
      const label = labels.get(receiver);
      const nearest =
        typeof name === 'string' && !(name in target) && nearestMember(name, memberNames(receiver), label);
      if (!nearest) return Reflect.get(target, name, receiver);
      const path = label === undefined ? '' : `${label}.`;
      throw new TypeError(`The client has no ${path}${String(name)}. Did you mean ${path}${nearest}?`);
    },
  };
  // In front of Object.prototype, and not in its place: an object stays an instance of Object.
  const proxy = new Proxy(Object.create(Object.prototype), handler);
  guards.add(proxy);
  Object.setPrototypeOf(last, proxy);
}

function memberNames(holder: unknown): readonly string[] {
  const names: string[] = [];
  let from: unknown = holder;
  while (typeof from === 'object' && from !== null && !guards.has(from)) {
    names.push(...Object.getOwnPropertyNames(from).filter((name) => name !== 'constructor'));
    from = Object.getPrototypeOf(from);
  }
  return names;
}

/** The nearest member, also of a name that repeats its resource, such as `bids.placeBid`. */
function nearestMember(wrong: string, names: readonly string[], label = ''): string | undefined {
  const nearest = nearestTo(wrong, names);
  if (nearest !== undefined || label === '') return nearest;
  const bare = wrong.replace(new RegExp(`${label.replace(/s$/, '')}s?$`, 'i'), '');
  return names.find((name) => bare !== wrong && name.toLowerCase() === bare.toLowerCase());
}

/** Misspellings that are recognised: two letters swapped, other case, singular or plural, and one wrong letter, or two in a long name. */
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

/** Letters to insert, drop, replace or swap until one text is the other (optimal string alignment). */
function distanceOf(one: string, other: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, otherLetter] of [...other].entries()) {
      const replaced = (row[at] ?? 0) + (letter === otherLetter ? 0 : 1);
      const isSwapped = index > 0 && at > 0 && letter === other[at - 1] && one[index - 1] === otherLetter;
      const swapped = isSwapped ? (before[at - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(replaced, swapped, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}
