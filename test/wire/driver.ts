import type { Transport } from '../../src/core/transport/transport.js';

/** What the service does with a request. */
export type Answer =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string | Buffer;
    }
  /** Takes the request whole, and drops the connection. */
  | 'cut'
  /** Takes the request whole, and never answers. */
  | 'held';

/** A request as it arrived. */
export interface Arrived {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** When, on the virtual clock: ms from the start of the call. */
  readonly atMs: number;
}

/** The service's side of one call: what it answers in turn, the last answer again and again, and what arrived. */
export class Script {
  readonly arrived: Arrived[] = [];
  readonly #answers: readonly Answer[];
  readonly #now: () => number;
  #held = false;

  constructor(answers: readonly Answer[], now: () => number) {
    this.#answers = answers;
    this.#now = now;
  }

  answer(request: Omit<Arrived, 'atMs'>): Answer {
    const answer = this.#answers[Math.min(this.arrived.length, this.#answers.length - 1)];
    this.arrived.push({ ...request, atMs: this.#now() });
    if (answer === undefined) throw new Error('The script has no answer');
    if (answer === 'held') this.#held = true;
    return answer;
  }

  /** True once for every request that will never be answered. */
  takeHeld(): boolean {
    const held = this.#held;
    this.#held = false;
    return held;
  }
}

/** A service that answers from a script, and the way to it. */
export interface Driver extends AsyncDisposable {
  readonly baseUrl: string;
  readonly transport: Transport;
  /** Headers that the way adds by itself, for a body of so many bytes. */
  framing(bodyLength: number | undefined): Readonly<Record<string, string>>;
  /** From now on answers from this script. */
  follow(script: Script): void;
}
