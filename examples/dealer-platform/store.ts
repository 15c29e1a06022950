import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { requestIdUsed, type Told } from './outcomes.js';

/** What a buyer wants to have done, once. Bids aren't among it: the client's store keeps those. */
export type What =
  | { readonly kind: 'evidence'; readonly sale: string; readonly filename: string; readonly sha256: string }
  | {
      readonly kind: 'payment';
      readonly sale: string;
      readonly amount: string;
      readonly utr: string;
      readonly paid_at: string;
      readonly evidence_id: string;
    };

/** Something that is to happen once, however often it is asked for, and how far it is. */
export interface Task<W extends What = What> {
  /** The buyer's `bidder_reference`. */
  readonly buyer: string;
  /** The buyer's own name for it. */
  readonly requestId: string;
  readonly what: W;
  /** Absent while nobody has said anything of it. */
  readonly told?: Told;
}

export type TaskOf<K extends What['kind']> = Task<Extract<What, { readonly kind: K }>>;

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
 * What has to outlive a crash: tasks, the cursor of the winner updates, and the buyers' messages. One JSON file for
 * one process; a database takes its place.
 */
export class Store {
  readonly #path: string;
  readonly #tasks: Map<string, Task>;
  readonly #messages: Map<string, Message>;
  #cursor: string | undefined;
  readonly #turns = new Map<string, Promise<unknown>>();
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  private constructor(path: string, { tasks, messages, cursor }: File) {
    this.#path = path;
    this.#tasks = new Map(tasks.map((task) => [nameOf(task), task]));
    this.#messages = new Map(messages.map((message) => [message.id, message]));
    this.#cursor = cursor;
  }

  /** @throws where there is a file that can't be read: it must not pass for an empty one. */
  static async open(path: string): Promise<Store> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return new Store(path, text === undefined ? { tasks: [], messages: [] } : (JSON.parse(text) as File));
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
   * The task behind a buyer's request: the known one, or a new one. Once this resolves it is on disk.
   *
   * @throws Problem (409) where the request id stands for something else.
   */
  async claim<W extends What>(buyer: string, requestId: string, what: W): Promise<Task<W>> {
    const known = this.#tasks.get(nameOf({ buyer, requestId }));
    if (known === undefined) return this.keep({ buyer, requestId, what });
    if (JSON.stringify(known.what) === JSON.stringify(what)) return { ...known, what };
    throw requestIdUsed();
  }

  /** Puts a task in place of its former self. Where it can't be written, it stays what it was. */
  async keep<W extends What>(task: Task<W>): Promise<Task<W>> {
    const name = nameOf(task);
    const before = this.#tasks.get(name);
    this.#tasks.set(name, task);
    try {
      await this.#save();
    } catch (error) {
      if (before === undefined) this.#tasks.delete(name);
      else this.#tasks.set(name, before);
      throw error;
    }
    return task;
  }

  /** What a buyer asked for under this request id, as it is by now. */
  find<K extends What['kind']>(kind: K, buyer: string, requestId: string): TaskOf<K> | undefined {
    return this.tasks(kind).find((task) => task.buyer === buyer && task.requestId === requestId);
  }

  /** Everything of one kind that was asked for, oldest first. */
  tasks<K extends What['kind']>(kind: K): TaskOf<K>[] {
    return [...this.#tasks.values()].filter((task): task is TaskOf<K> => task.what.kind === kind);
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
      tasks: [...this.#tasks.values()],
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
  readonly tasks: readonly Task[];
  readonly messages: readonly Message[];
  readonly cursor?: string;
}

/** Request ids are unique for one buyer, not for all of them. */
function nameOf({ buyer, requestId }: { readonly buyer: string; readonly requestId: string }): string {
  return `${buyer} ${requestId}`;
}
