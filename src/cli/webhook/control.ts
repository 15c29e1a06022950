import { UsageError } from '../usage-error.js';

/** A sandbox that runs already, as its control interface has it. */
export class RunningSandbox {
  readonly origin: string;
  readonly #token: string | undefined;

  /** @param address where it listens; a `#token=…` at its end is the one that the sandbox printed */
  constructor(address: string) {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
      throw new UsageError(`--sandbox is an address such as http://127.0.0.1:4010, not "${address}"`);
    }
    this.origin = url.origin;
    this.#token = /^#token=(.+)$/.exec(url.hash)?.[1];
  }

  /** Subscribes a party to all its events. */
  async subscribe(who: string, url: string): Promise<{ readonly id: string; readonly secret: string }> {
    const { id, secret } = await this.#ask('POST', '/webhooks', { who, url });
    if (typeof id !== 'string' || typeof secret !== 'string') throw new Error(this.#strange());
    return { id, secret };
  }

  async unsubscribe(id: string): Promise<void> {
    await this.#ask('DELETE', `/webhooks/${id}`);
  }

  /** Whether it still has a subscription: one that was started again has none. */
  async has(id: string): Promise<boolean> {
    const { subscriptions } = await this.#ask('GET', '/webhooks');
    return Array.isArray(subscriptions) && subscriptions.some((each) => Object(each).id === id);
  }

  /** Its time, Unix ms. */
  async now(): Promise<number> {
    const { now } = await this.#ask('GET', '/state');
    if (typeof now !== 'number') throw new Error(this.#strange());
    return now;
  }

  async #ask(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>> {
    const headers = {
      'Content-Type': 'application/json',
      'X-Sandbox-Control': '1',
      ...(this.#token !== undefined && { 'X-Sandbox-Token': this.#token }),
    };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(`${this.origin}/_sandbox${path}`, init).catch((cause: unknown) => {
      throw new Error(`no sandbox answers at ${this.origin}: start one with "vehicle-auction sandbox"`, {
        cause,
      });
    });
    const json: unknown = await response.json().catch(() => undefined);
    if (typeof json !== 'object' || json === null) throw new Error(this.#strange());
    if (!response.ok)
      throw new Error(`the sandbox answered ${response.status}: ${Reflect.get(json, 'message')}`);
    return { ...json };
  }

  #strange(): string {
    return `what answers at ${this.origin} is not a sandbox, or one with --no-inspector`;
  }
}
