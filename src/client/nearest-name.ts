import { nearestTo } from '../api/nearest.js';

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
