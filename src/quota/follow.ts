const followers = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `listener` when a signal fires; the returned function ends that. However many follow one signal, it carries
 * one listener: a hundred bids under the signal of one batch are no leak, and must not be warned of as one.
 */
export function follow(signal: AbortSignal, listener: () => void): () => void {
  const known = followers.get(signal);
  if (known !== undefined) {
    known.add(listener);
    return () => leave(signal, known, listener);
  }
  const all = new Set([listener]);
  followers.set(signal, all);
  signal.addEventListener('abort', tellAll, { once: true });
  return () => leave(signal, all, listener);
}

function tellAll(this: AbortSignal): void {
  const all = followers.get(this) ?? [];
  followers.delete(this);
  for (const listener of all) listener();
}

function leave(signal: AbortSignal, all: Set<() => void>, listener: () => void): void {
  all.delete(listener);
  if (all.size > 0 || followers.get(signal) !== all) return;
  followers.delete(signal);
  signal.removeEventListener('abort', tellAll);
}
