/** What the story needs and the sandbox must have. @throws Error where it has not. */
export function given<T>(value: T): NonNullable<T> {
  if (value === undefined || value === null || value === '') {
    throw new Error('The sandbox lacks something that this story needs');
  }
  return value;
}

/** The id of an item whose fields the API doesn't show. */
export function idOf(item: unknown): string {
  const id: unknown = typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined;
  if (typeof id !== 'string') throw new Error('An item without an id');
  return id;
}
