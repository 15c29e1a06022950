/** Explores every state that a small model can reach, breadth first, so that stories of what goes wrong are short. */

/** One thing that may happen next. */
export interface Move<State> {
  readonly label: string;
  /** `step` happens by itself, `fault` is bad luck, `person` is somebody's decision. */
  readonly kind: 'step' | 'fault' | 'person';
  readonly state: State;
}

export interface Model<State> {
  readonly start: State;
  readonly moves: (state: State) => Iterable<Move<State>>;
  /** Promises that a state breaks. */
  readonly broken: (state: State) => readonly string[];
  /** Every state must be able to reach one of these by steps alone. */
  readonly isSettled: (state: State) => boolean;
  /** Equal for states that have the same future. */
  readonly text: (state: State) => string;
}

export interface Exploration {
  readonly states: number;
  readonly moves: number;
  /** False where it ended at the limit. */
  readonly isComplete: boolean;
  /** Each broken promise with the shortest story that breaks it. */
  readonly broken: readonly { readonly promise: string; readonly story: readonly string[] }[];
}

export const UNSETTLED = 'can no longer be settled';

export interface Limits {
  readonly mostStates?: number;
  /** Ends with the first broken promise, for a mistake that must be found. */
  readonly untilBroken?: boolean;
}

export function explore<State>(
  model: Model<State>,
  { mostStates = 5_000_000, untilBroken = false }: Limits = {},
): Exploration {
  const known = new Map<string, number>();
  const parents: number[] = [];
  const labels: string[] = [];
  const settled: number[] = [];
  const steps: [from: number, to: number][] = [];
  const broken = new Map<string, number>();
  const queue: [state: State, id: number][] = [];
  let moves = 0;
  const enter = (state: State, parent: number, label: string): number => {
    const text = model.text(state);
    const found = known.get(text);
    if (found !== undefined) return found;
    const id = known.size;
    known.set(text, id);
    parents.push(parent);
    labels.push(label);
    const promises = model.broken(state);
    for (const promise of promises) if (!broken.has(promise)) broken.set(promise, id);
    // A state that breaks a promise is not followed.
    if (promises.length > 0 || model.isSettled(state)) settled.push(id);
    if (promises.length === 0) queue.push([state, id]);
    return id;
  };
  enter(model.start, -1, '');
  let isComplete = true;
  for (let head = 0; head < queue.length; head += 1) {
    const entry = queue[head];
    if (entry === undefined) break;
    if (known.size > mostStates || (untilBroken && broken.size > 0)) {
      isComplete = false;
      break;
    }
    delete queue[head];
    const [state, id] = entry;
    for (const { label, kind, state: after } of model.moves(state)) {
      moves += 1;
      const to = enter(after, id, label);
      if (kind === 'step') steps.push([id, to]);
    }
  }
  const lost = isComplete ? firstUnsettled(known.size, settled, steps) : undefined;
  if (lost !== undefined) broken.set(UNSETTLED, lost);
  const storyOf = (id: number): string[] => {
    const story: string[] = [];
    for (let at = id; at > 0; at = parents[at] ?? 0) story.unshift(labels[at] ?? '');
    return story;
  };
  return {
    states: known.size,
    moves,
    isComplete,
    broken: [...broken].map(([promise, id]) => ({ promise, story: storyOf(id) })),
  };
}

/** The first state from which no steps lead to a settled one. */
function firstUnsettled(
  size: number,
  settled: readonly number[],
  steps: readonly (readonly [from: number, to: number])[],
): number | undefined {
  const into = Array.from({ length: size }, (): number[] => []);
  for (const [from, to] of steps) into[to]?.push(from);
  const reaches = new Uint8Array(size);
  const open = [...settled];
  for (const id of open) reaches[id] = 1;
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const from of into[id] ?? []) {
      if (reaches[from] === 1) continue;
      reaches[from] = 1;
      open.push(from);
    }
  }
  const first = reaches.indexOf(0);
  return first === -1 ? undefined : first;
}
