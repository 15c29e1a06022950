import type { SandboxAttempt } from '../http/attempts.js';

/** A request in the log of a sandbox. */
export type RequestRow = Omit<SandboxAttempt, 'request' | 'reply'>;

function isRequestRow(row: object): row is RequestRow {
  return 'n' in row && typeof row.n === 'number' && 'at' in row && typeof row.at === 'number';
}

/** Client of the control interface of a running sandbox. */
export class RunningSandbox {
  readonly origin: string;
  readonly #token: string | undefined;

  /** @param address the printed address of the sandbox, with its `#token=…` if there is one */
  constructor({ origin, hash }: URL) {
    this.origin = origin;
    this.#token = /^#token=(.+)$/.exec(hash)?.[1];
  }

  /** Subscribes a party to all event types. */
  async subscribe(who: string, url: string): Promise<{ readonly id: string; readonly secret: string }> {
    const { id, secret } = await this.#ask('POST', '/webhooks', { who, url });
    if (typeof id !== 'string' || typeof secret !== 'string') throw new Error(this.#strange());
    return { id, secret };
  }

  async unsubscribe(id: string): Promise<void> {
    await this.#ask('DELETE', `/webhooks/${id}`);
  }

  /** Whether the sandbox still has a subscription. A restarted sandbox has none. */
  async has(id: string): Promise<boolean> {
    const { subscriptions } = await this.#ask('GET', '/webhooks');
    return Array.isArray(subscriptions) && subscriptions.some((each) => Object(each).id === id);
  }

  /** Sandbox time, Unix ms. */
  async now(): Promise<number> {
    const { now } = await this.#ask('GET', '/state');
    if (typeof now !== 'number') throw new Error(this.#strange());
    return now;
  }

  /** Event types that `trigger` takes. */
  async emittedTypes(): Promise<readonly object[]> {
    const { types } = await this.#ask('GET', '/trigger');
    return this.#objects(types);
  }

  /** Emits an event type, and returns the ids of the auction, the lot and the sale. */
  trigger(type: string, who: string): Promise<Readonly<Record<string, unknown>>> {
    return this.#ask('POST', '/trigger', { type, who });
  }

  /** Requests after the one with number `since`, at most 1,000, and the number of requests so far. */
  async requests(since: number): Promise<{ readonly rows: readonly RequestRow[]; readonly total: number }> {
    const { attempts, total } = await this.#ask('GET', `/attempts?since=${since}&limit=1000`);
    if (typeof total !== 'number') throw new Error(this.#strange());
    const rows = this.#objects(attempts).filter(isRequestRow);
    return { rows, total };
  }

  #objects(value: unknown): readonly object[] {
    if (!Array.isArray(value)) throw new Error(this.#strange());
    return value.filter((each: unknown) => typeof each === 'object' && each !== null);
  }

  async #ask(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>> {
    const headers = {
      'Content-Type': 'application/json',
      'X-Sandbox-Control': '1',
      ...(this.#token !== undefined && { 'X-Sandbox-Token': this.#token }),
    };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(`${this.origin}/_sandbox${path}`, init).catch((cause: unknown) => {
      throw new Error(`No sandbox answers at ${this.origin}. Start one with "vehicle-auction-sdk sandbox".`, {
        cause,
      });
    });
    const json: unknown = await response.json().catch(() => undefined);
    if (typeof json !== 'object' || json === null) throw new Error(this.#strange());
    if (!response.ok)
      throw new Error(`The sandbox answered ${response.status}: ${Reflect.get(json, 'message')}`);
    return { ...json };
  }

  #strange(): string {
    return `The server at ${this.origin} is not a sandbox or runs with --no-inspector. Check --sandbox.`;
  }
}
