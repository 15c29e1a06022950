import type { Choices } from './choices.js';
import type { Timeline } from './timeline.js';

/** Kinds of trouble. A run is in a mood for each: none, some, or a lot of it. */
export type Trouble =
  | 'crash'
  | 'deploy'
  | 'network'
  | 'outage'
  | 'people'
  | 'proxy'
  | 'refusal'
  | 'service'
  | 'store'
  | 'time';

/** Everything that can go wrong, with its trouble and how often it strikes where it can, per thousand, when there's a lot of it. */
const points = {
  'crash before a transaction': ['crash', 10],
  'crash before a commit': ['crash', 12],
  'crash after a commit': ['crash', 15],
  'crash before a send': ['crash', 40],
  'crash after a send': ['crash', 60],
  'crash before a receive': ['crash', 40],
  'crash after a receive': ['crash', 40],
  'crash in a handler': ['crash', 60],

  'key rotated': ['deploy', 400],
  'client id changed': ['deploy', 250],
  'account label given': ['deploy', 200],
  'base URL changed': ['deploy', 400],
  'former origin left out': ['deploy', 400],
  'environment mistaken': ['deploy', 200],
  'account label changed': ['deploy', 300],

  'transaction failed': ['store', 20],
  'transaction runs again': ['store', 60],
  'commit lost': ['store', 20],
  'commit unheard': ['store', 25],
  'commit lands late': ['store', 20],
  'store slow': ['store', 25],
  'store answers late': ['store', 12],
  'store hangs': ['store', 8],
  'living process taken for gone': ['store', 400],
  'backup restored': ['store', 200],

  'connect failed': ['network', 70],
  'connect slow': ['network', 40],
  'request lost': ['network', 90],
  'request late': ['network', 90],
  'request too late': ['network', 50],
  'copy made': ['network', 120],
  'copy overtakes': ['network', 300],
  'reply lost': ['network', 90],
  'reply late': ['network', 50],
  'reply cut short': ['network', 60],
  'reply unreadable': ['network', 30],
  'transport deaf to aborts': ['network', 300],
  'reply crossed': ['network', 400],
  'replies swapped': ['network', 700],

  'bidding halted': ['people', 500],
  'handler fails': ['people', 400],
  'handler hangs': ['people', 150],
  'callback fails': ['people', 300],
  'credentials hang': ['people', 8],
  'key in capitals': ['people', 150],

  'backend gone': ['outage', 60],
  'service throttles': ['outage', 60],

  'proxy answers 403 in HTML': ['proxy', 40],
  'proxy answers 422 in HTML': ['proxy', 25],
  'proxy answers 502 in HTML': ['proxy', 40],
  'proxy answers 200 in HTML': ['proxy', 25],
  'proxy hides the reply': ['proxy', 60],
  'proxy sends twice': ['proxy', 500],
  'cache answers': ['proxy', 60],
  'gateway refuses by itself': ['proxy', 40],
  'gateway answers early': ['proxy', 40],
  'gateway replaces the reply': ['proxy', 60],

  'service answers 403': ['refusal', 40],
  'service answers 404': ['refusal', 40],
  'service answers 422 for a field': ['refusal', 45],
  'service answers 429': ['refusal', 50],
  'look-up answers 404': ['refusal', 60],
  'look-up answers 401': ['refusal', 80],

  'service fails before the commit': ['service', 60],
  'service fails after the commit': ['service', 60],
  'service answers 429 after the commit': ['service', 45],
  'service answers 409 without a reason': ['service', 40],
  'service is slow to commit': ['service', 80],
  'service shows it late': ['service', 80],
  'look-up fails': ['service', 100],
  'look-up is behind': ['service', 150],
  'two verdicts': ['service', 1300],
  'close comes early': ['service', 120],
  'rival bids': ['service', 120],

  'caller aborts': ['time', 80],
  'process stalls': ['time', 25],
  'machine sleeps': ['time', 15],
  'wall clock steps': ['time', 25],
  'wall clock off': ['time', 500],
  'wall clock 40 days off': ['time', 120],
  'wall clock a day ahead': ['time', 10],
} as const satisfies Record<string, readonly [Trouble, number]>;

/** A fault by its name. */
export type FaultPoint = keyof typeof points;

export const faultPoints = Object.keys(points) as readonly FaultPoint[];
export const troubles = [...new Set(Object.values(points).map(([trouble]) => trouble))];

/** How much of each trouble a run has: 0 none, 1 some, 2 a lot. */
export type Moods = Readonly<Partial<Record<Trouble, number>>>;

/** How often faults strike in place of their usual rate, per thousand. */
export type Rates = Readonly<Partial<Record<FaultPoint, number>>>;

/** What is fixed for a run; the choices decide everything else. */
export interface Settings {
  /** How many processes share the store. */
  readonly processes?: 1 | 2 | 3;
  /** The service checks access before it looks at the nonce: docs/recovery.md states it as an exception. */
  readonly checksAccessFirst?: boolean;
  /** How much there is of each trouble: 0, 1 or 2. */
  readonly moods?: Moods;
  /** How often some faults strike, per thousand, in place of what the moods make of them. */
  readonly rates?: Rates;
  /** How often processes may end before their time. */
  readonly crashes?: number;
  /** Whether the processes receive webhooks and follow a list, in addition. */
  readonly inbox?: boolean;
  /** Whether they are threads of one process. */
  readonly threads?: boolean;
  /** Whether a client under another label recovers in the end. */
  readonly relabelled?: boolean;
  /** Whether the first process also places a batch. */
  readonly batch?: boolean;
  /** Whether all processes place that batch. */
  readonly sharedBatch?: boolean;
  /**
   * The service is healthy but for what passes: outages of seconds, throttles, lost replies, processes that end. Every bid that may
   * still be sent must then get its verdict from the call that places it.
   */
  readonly passing?: boolean;
}

/** No trouble at all. */
export const calm: Moods = Object.fromEntries(troubles.map((trouble) => [trouble, 0]));

/** A bad evening that passes: every bid that may still be sent gets its verdict. */
export const evening: Settings = {
  processes: 1,
  passing: true,
  batch: true,
  crashes: 3,
  moods: { ...calm, crash: 2, outage: 2 },
  rates: {
    'reply lost': 15,
    'connect failed': 30,
    'cache answers': 30,
    'store slow': 20,
    'key in capitals': 100,
    'callback fails': 100,
  },
};

/** Moods of a run: about half of the troubles don't show at all, so that the others can be seen apart. */
export function moodsOf(choices: Choices, given: Moods = {}): Moods {
  const drawn = troubles.map(
    (trouble) => [trouble, Math.max(0, choices.choose(`mood: ${trouble}`, 4) - 1)] as const,
  );
  return { ...Object.fromEntries(drawn), ...given };
}

interface FaultSettings {
  readonly moods: Moods;
  readonly rates?: Rates | undefined;
  /** How often processes may end before their time. */
  readonly crashes: number;
  /** Faults that an enumeration decides by itself. */
  readonly free?: Iterable<FaultPoint>;
}

/** Decides what goes wrong, and counts it. */
export class Faults {
  /** How often each fault struck. */
  readonly counts = new Map<string, number>();
  readonly #choices: Choices;
  readonly #moods: Moods;
  readonly #rates: Rates;
  /** Faults that an enumeration decides by itself, whatever the moods. */
  readonly #free: ReadonlySet<string>;
  #crashesLeft: number;
  #over = false;

  constructor(choices: Choices, { moods, rates = {}, crashes, free = [] }: FaultSettings) {
    this.#choices = choices;
    this.#moods = moods;
    this.#rates = rates;
    this.#crashesLeft = crashes;
    this.#free = new Set(free);
  }

  /** Whether this fault strikes here and now. */
  strikes(point: FaultPoint): boolean {
    const isCrash = point.startsWith('crash ');
    if (this.#over || (isCrash && this.#crashesLeft === 0)) return false;
    const struck = this.#free.has(point)
      ? this.#choices.choose(point, 2) === 1
      : this.#choices.choose(point, 1000) >= 1000 - this.#rateOf(point);
    if (struck) this.note(point);
    if (struck && isCrash) this.#crashesLeft -= 1;
    return struck;
  }

  #rateOf(point: FaultPoint): number {
    const [trouble, rate] = points[point];
    return this.#rates[point] ?? (rate * (this.#moods[trouble] ?? 0)) / 2;
  }

  /** Counts what came about without being decided here. */
  note(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** Nothing goes wrong any more. */
  end(): void {
    this.#over = true;
  }
}

/** What all parts of a run share. */
export interface Stage {
  readonly timeline: Timeline;
  readonly choices: Choices;
  readonly faults: Faults;
  note(line: string): void;
}
