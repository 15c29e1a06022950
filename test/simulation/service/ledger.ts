/** A bid that the service judged. */
export interface RecordedBid {
  readonly id: string;
  readonly client: string;
  readonly key: string;
  readonly lot: string;
  readonly buyer: string;
  /** INR decimal string, as it was sent. */
  readonly amount: string;
  readonly verdict: 'accepted' | 'rejected';
  readonly codes: readonly string[];
  /** Server time, Unix ms. */
  readonly at: number;
  readonly lotVersion: number;
  /** Which of the requests that the network carried; undefined where it came from elsewhere. */
  readonly request: number | undefined;
  /** What its sender calls it: `client_bid_time`. */
  readonly tag: string;
}

/** A command that the service carried out. */
export interface RecordedCommand {
  readonly client: string;
  readonly key: string;
  readonly request: number;
  /** What its sender calls it. */
  readonly tag: string;
}

/** What the service remembers under an idempotency UUID. */
export interface Memory {
  readonly path: string;
  /** Undefined where any bytes are the same ones. */
  readonly body: string | undefined;
  readonly at: number;
  readonly shownAt: number;
  readonly bid?: RecordedBid;
  /** What was answered to a command. */
  readonly reply?: string;
}

/** The service's own books: the truth of a run. */
export class Ledger {
  readonly bids: RecordedBid[] = [];
  readonly commands: RecordedCommand[] = [];
  /** By client and UUID: the namespace of a UUID is the API client. */
  readonly #memory = new Map<string, Memory>();
  /** When those were let in that aren't judged yet. */
  readonly #processing = new Map<string, number[]>();
  /** How long a UUID is remembered, ms. */
  readonly #remembersMs: number;

  constructor(remembersMs: number) {
    this.#remembersMs = remembersMs;
  }

  /** What is remembered at that time, which may lie in the past. */
  recall(client: string, key: string, at: number): Memory | undefined {
    const memory = this.#memory.get(`${client} ${key}`);
    if (memory === undefined || memory.at > at || at >= memory.at + this.#remembersMs) return undefined;
    return memory;
  }

  remember(client: string, key: string, memory: Memory): void {
    this.#memory.set(`${client} ${key}`, memory);
  }

  /** Forgets every UUID. */
  forget(): void {
    this.#memory.clear();
  }

  /** Whether something under the key had been let in by then, and not yet been judged. */
  isProcessing(client: string, key: string, at: number): boolean {
    const name = `${client} ${key}`;
    const memory = this.#memory.get(name);
    const judgedLater = memory !== undefined && memory.shownAt <= at && at < memory.at;
    return judgedLater || (this.#processing.get(name) ?? []).some((shownAt) => shownAt <= at);
  }

  /** Counts in what was let in; the returned function counts it out. */
  letIn(client: string, key: string, at: number): () => void {
    const name = `${client} ${key}`;
    const all = this.#processing.get(name) ?? [];
    this.#processing.set(name, all);
    all.push(at);
    return () => void all.splice(all.indexOf(at), 1);
  }
}
