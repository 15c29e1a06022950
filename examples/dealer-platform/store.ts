import { randomUUID } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { inDoubt, Problem, type Told } from './outcomes.js';

/** What a buyer wants to have done, once. */
export type What =
  | { readonly kind: 'bid'; readonly lot: string; readonly amount: string }
  | { readonly kind: 'evidence'; readonly sale: string; readonly filename: string; readonly sha256: string }
  | {
      readonly kind: 'payment';
      readonly sale: string;
      readonly amount: string;
      readonly utr: string;
      readonly paid_at: string;
      readonly evidence_id: string;
    };

/** Something that is to happen once, however often it is asked for or sent. Stored before anything is sent. */
export interface Intent<W extends What = What> {
  /** The buyer's `bidder_reference`. */
  readonly buyer: string;
  /** The buyer's own name for it. */
  readonly requestId: string;
  readonly what: W;
  /** The idempotency key of every attempt, now and after a crash. */
  readonly key: string;
  /** When sending was begun, Unix ms. */
  readonly at: number;
  /** Absent before the first attempt. */
  readonly told?: Told;
}

export type IntentOf<K extends What['kind']> = Intent<Extract<What, { readonly kind: K }>>;

/** What the platform tells one of its buyers. */
export interface Message {
  /** The same news has the same id, and is told once. */
  readonly id: string;
  readonly buyer: string;
  /** Unix ms. */
  readonly at: number;
  readonly text: string;
  readonly sale_id?: string;
  readonly lot_id?: string;
}

/**
 * What has to outlive a crash: intents, the cursor of the winner updates, and the buyers' messages. One JSON file for
 * one process; a database takes its place.
 */
export class Store {
  readonly #path: string;
  readonly #intents: Map<string, Intent>;
  readonly #messages: Map<string, Message>;
  #cursor: string | undefined;
  readonly #turns = new Map<string, Promise<unknown>>();
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  private constructor(path: string, { intents, messages, cursor }: File) {
    this.#path = path;
    this.#intents = new Map(intents.map((intent) => [nameOf(intent), intent]));
    this.#messages = new Map(messages.map((message) => [message.id, message]));
    this.#cursor = cursor;
  }

  /** @throws where there is a file that can't be read: it must not pass for an empty one. */
  static async open(path: string): Promise<Store> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return new Store(path, text === undefined ? { intents: [], messages: [] } : (JSON.parse(text) as File));
  }

  /** Lets nothing else happen to one request meanwhile: a double click waits for the first one. */
  async inTurn<T>(buyer: string, requestId: string, act: () => Promise<T>): Promise<T> {
    const name = nameOf({ buyer, requestId });
    const turn = (this.#turns.get(name) ?? Promise.resolve()).then(act, act);
    this.#turns.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(name) === turn) this.#turns.delete(name);
    }
  }

  /**
   * The intent behind a buyer's request: the known one, or a new one with a new key. Once this resolves it is on disk.
   * A known one of which nothing was told is in doubt: something died while it was being sent.
   *
   * @throws Problem (409) where the request id stands for something else.
   */
  async claim<W extends What>(buyer: string, requestId: string, what: W, at: number): Promise<Intent<W>> {
    const known = this.#intents.get(nameOf({ buyer, requestId }));
    if (known === undefined) return this.keep({ buyer, requestId, what, key: randomUUID(), at });
    if (JSON.stringify(known.what) === JSON.stringify(what)) return { told: inDoubt, ...known, what };
    throw new Problem(409, 'request_id_used', 'This request_id stands for another request. Take a new one.');
  }

  /** Puts an intent in place of its former self. Where it can't be written, it stays what it was. */
  async keep<W extends What>(intent: Intent<W>): Promise<Intent<W>> {
    const name = nameOf(intent);
    const before = this.#intents.get(name);
    this.#intents.set(name, intent);
    try {
      await this.#save();
    } catch (error) {
      if (before === undefined) this.#intents.delete(name);
      else this.#intents.set(name, before);
      throw error;
    }
    return intent;
  }

  /** What a buyer asked for under this request id, as it is by now. */
  find<K extends What['kind']>(kind: K, buyer: string, requestId: string): IntentOf<K> | undefined {
    return this.intents(kind).find((intent) => intent.buyer === buyer && intent.requestId === requestId);
  }

  /** Everything of one kind that was asked for, oldest first. */
  intents<K extends What['kind']>(kind: K): IntentOf<K>[] {
    return [...this.#intents.values()].filter((intent): intent is IntentOf<K> => intent.what.kind === kind);
  }

  /** Tells a buyer something, unless it has been told. */
  async tell(message: Message): Promise<void> {
    if (this.#messages.has(message.id)) return;
    this.#messages.set(message.id, message);
    await this.#save();
  }

  hasTold(messageId: string): boolean {
    return this.#messages.has(messageId);
  }

  /** Newest first. */
  messagesTo(buyer: string): Message[] {
    return [...this.#messages.values()].filter((message) => message.buyer === buyer).reverse();
  }

  /** Where the winner updates go on; undefined before the first. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  async moveTo(cursor: string): Promise<void> {
    this.#cursor = cursor;
    await this.#save();
  }

  /** One write at a time; whoever asks while one is under way shares the next. */
  #save(): Promise<void> {
    this.#next ??= this.#writing
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        this.#writing = this.#write();
        return this.#writing;
      });
    return this.#next;
  }

  /** Whole or not at all: a temporary file, on disk, takes the place of the old one. */
  async #write(): Promise<void> {
    const content: File = {
      intents: [...this.#intents.values()],
      messages: [...this.#messages.values()],
      ...(this.#cursor !== undefined && { cursor: this.#cursor }),
    };
    const file = await open(`${this.#path}.new`, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(content));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${this.#path}.new`, this.#path);
    if (process.platform === 'win32') return; // a folder can't be opened there
    const folder = await open(dirname(this.#path), 'r');
    await folder.sync().finally(() => folder.close());
  }
}

interface File {
  readonly intents: readonly Intent[];
  readonly messages: readonly Message[];
  readonly cursor?: string;
}

/** Request ids are unique for one buyer, not for all of them. */
function nameOf({ buyer, requestId }: { readonly buyer: string; readonly requestId: string }): string {
  return `${buyer} ${requestId}`;
}
