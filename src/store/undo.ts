/** Changes maps for one unit of work, and can take it all back. */
export class Undo {
  readonly #steps: (() => void)[] = [];
  /** A change that was refused; it fails the whole unit of work, as in a database. */
  refusal: Error | undefined;

  /** Sets a value; undefined deletes it. */
  set<V>(map: Map<string, V>, key: string, value: V | undefined): void {
    const before = map.get(key);
    put(map, key, value);
    this.#steps.push(() => put(map, key, before));
  }

  all(): void {
    for (const step of this.#steps.reverse()) step();
  }
}

function put<V>(map: Map<string, V>, key: string, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
