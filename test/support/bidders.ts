import { BankClient } from '../../src/client/bank-client.js';
import type { ClientOptions, PartnerClientOptions } from '../../src/client/options.js';
import { createServerClock } from '../../src/clock/clock.js';
import type { TransportReply, TransportRequest } from '../../src/core/transport/transport.js';
import { contentOf, type IntentContent, type IntentEvent } from '../../src/intents/content.js';
import { Ledger } from '../../src/intents/ledger.js';
import type { IntentState, StoredIntent } from '../../src/store/intents.js';
import { countingRandomness, credentials, dealerWith, platformWith } from './clients.js';
import { ScriptedTransport, type Step } from './scripted-transport.js';
import { SpyStore } from './spy-store.js';
import { ToldTime } from './told-time.js';
import { settle, VirtualClock } from './virtual-clock.js';

/** What several clients share in a test: time, one store, and the order in which things happened. */
export class Scene {
  readonly clock = new VirtualClock();
  /** Writes that became durable, and requests that left, in their order. */
  readonly events: string[] = [];
  readonly store = new SpyStore(this.events);
  readonly #randomness = countingRandomness();

  /** A direct dealer's client in a process of its own. */
  dealer(steps: readonly Step[] = [], options: Partial<PartnerClientOptions<'direct_dealer'>> = {}) {
    const { transport, common } = this.#wired(steps);
    return { transport, client: dealerWith({ ...common, ...options }) };
  }

  platform(steps: readonly Step[] = [], options: Partial<PartnerClientOptions<'platform'>> = {}) {
    const { transport, common } = this.#wired(steps);
    return { transport, client: platformWith({ ...common, ...options }) };
  }

  bank(steps: readonly Step[] = [], options: Partial<ClientOptions> = {}): Actor<BankClient> {
    const { transport, common } = this.#wired(steps);
    return { transport, client: new BankClient({ ...common, ...options }) };
  }

  /** Lets time pass until a promise has settled, up to ten minutes. */
  async during<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const note = () => {
      isSettled = true;
    };
    promise.then(note, note);
    await settle();
    for (let seconds = 0; !isSettled && seconds < 600; seconds += 1) await this.clock.advance(1_000);
    if (!isSettled) throw new Error('It has not settled within ten minutes');
    return promise;
  }

  /** What the store holds, in the order of inserts. */
  async intents(account = 'sandbox'): Promise<readonly Recorded[]> {
    const rows = await this.store.rows(account);
    return rows.map((row) => {
      const content = contentOf(row);
      const log = content.log.map((event) => ('effect' in event ? event.effect : event.type));
      return { key: row.key, state: row.state, provisional: row.provisional, log, content, row };
    });
  }

  /** Adds events to an intent, as another process would. */
  async append(key: string, ...events: readonly IntentEvent[]): Promise<void> {
    const { store, clock } = this;
    const retention = { retentionMs: Infinity, auditRetentionMs: Infinity };
    const parts = { store, account: 'sandbox', clock, keyRetentionMs: 3_600_000, ...retention };
    await new Ledger({ ...parts, serverClock: createServerClock(clock) }).add(key, ...events);
  }

  /** The one intent that the store holds. */
  async only(account = 'sandbox'): Promise<Recorded> {
    const [one, ...others] = await this.intents(account);
    if (one === undefined || others.length > 0) throw new Error('The store does not hold exactly one intent');
    return one;
  }

  #wired(steps: readonly Step[]) {
    const transport = new Wire(this.events, steps);
    const common: ClientOptions = {
      baseUrl: 'https://bank.example/api/v1',
      environment: 'sandbox',
      credentials,
      transport: new ToldTime(transport, this.clock),
      clock: this.clock,
      randomness: this.#randomness,
      store: this.store,
      quota: { scope: 'client' },
      logLevel: 'off',
    };
    return { transport, common };
  }
}

/** An intent as the store holds it. */
export interface Recorded {
  readonly key: string;
  readonly state: IntentState;
  readonly provisional: boolean;
  /** Its events in brief: a result by its effect, everything else by its type. */
  readonly log: readonly string[];
  readonly content: IntentContent;
  readonly row: StoredIntent;
}

export interface Actor<Client> {
  readonly client: Client;
  readonly transport: Wire;
}

/** A scripted transport that says when something leaves. */
export class Wire extends ScriptedTransport {
  readonly #events: string[];

  constructor(events: string[], steps: readonly Step[]) {
    super(...steps);
    this.#events = events;
  }

  /** What left, without reads: method and path. */
  get lines(): string[] {
    return this.sent.map(({ method, path }) => `${method} ${path.replace('/api/v1', '')}`);
  }

  get bodies(): (string | undefined)[] {
    return this.sent.filter(({ method }) => method === 'POST').map(({ body }) => body);
  }

  override send(request: TransportRequest): Promise<TransportReply> {
    this.#events.push(`send ${request.method} ${request.path.replace('/api/v1', '')}`);
    return super.send(request);
  }
}
