import { resources } from '../../api/service.js';
import type { Attempt } from '../attempt.js';
import { findAuction } from '../named.js';
import type { LedgerEntry } from '../records.js';
import type { WebhookDelivery } from '../webhooks/delivery.js';
import { Declined } from './declined.js';
import type { Inspected } from './inspected.js';
import { type AuctionView, auctionView, type LotView, lotsOf } from './standing-views.js';

/** What the control interface tells: names as in the TypeScript of the sandbox, times in Unix milliseconds. */
export class Views {
  readonly #of: Inspected;

  constructor(inspected: Inspected) {
    this.#of = inspected;
  }

  /** The sandbox at a glance. */
  state() {
    const { world, parties } = this.#of;
    const { settings, records, clock } = world;
    const names = new Map(Object.entries(parties).map(([who, { clientId }]) => [clientId, who]));
    return {
      now: clock.now(),
      clock: settings.clock,
      scanning: world.scanner.running,
      baseUrl: world.baseUrl,
      environment: settings.environment,
      attempts: records.attempts().at(-1)?.n ?? 0,
      ledger: records.ledger().length,
      // No secret: what signs is given out where the sandbox is started, never here.
      clients: world.parties.all().map(({ clientId, keyId, actor, partnerType, facts }) => ({
        who: names.get(clientId) ?? null,
        clientId,
        keyId,
        actor,
        partnerType,
        dealerId: facts.dealerId,
      })),
      auctions: this.auctions(),
      faults: this.faults(),
      operations,
    };
  }

  auctions(): AuctionView[] {
    const { world } = this.#of;
    return [...world.store.auctions.values()].map((auction) => auctionView(world, auction));
  }

  /** An auction with its lots: `search` narrows them, and no more than `limit` come. */
  auction(idOrLabel: string, query: URLSearchParams): AuctionView & { matching: number; items: LotView[] } {
    const { world } = this.#of;
    const auction = findAuction(world.store, idOrLabel);
    if (auction === undefined) throw new Declined(404, 'The sandbox has no such auction.');
    const all = lotsOf(this.#of, auction, (query.get('search') ?? '').trim().toLowerCase());
    return {
      ...auctionView(world, auction),
      matching: all.length,
      items: all.slice(0, limitOf(query)),
    };
  }

  /** The latest requests after number `since`, oldest first, without their contents. */
  attempts(query: URLSearchParams): { attempts: AttemptRow[]; total: number } {
    const { records } = this.#of.world;
    const since = numberOf(query, 'since', 0);
    const all = records.attempts();
    const rows = all.filter(({ n }) => n > since).slice(-limitOf(query));
    return { attempts: rows.map(attemptRow), total: all.at(-1)?.n ?? 0 };
  }

  /** One request with its contents. */
  attempt(n: string): Attempt {
    const found = this.#of.world.records.attempts().find((each) => String(each.n) === n);
    if (found === undefined) throw new Declined(404, 'No such request is remembered.');
    return found;
  }

  /** The latest commits beyond the first `since`, oldest first. */
  ledger(query: URLSearchParams): { entries: (LedgerEntry & { n: number })[]; total: number } {
    const entries = this.#of.world.records.ledger().map((entry, index) => ({ n: index + 1, ...entry }));
    const since = numberOf(query, 'since', 0);
    return { entries: entries.slice(since).slice(-limitOf(query)), total: entries.length };
  }

  /** The faults that wait for their requests. */
  faults() {
    return this.#of.faults.armed().map(({ n, plan, toPass, left }) => ({
      n,
      // JSON has neither predicates nor infinity; that there is one is told.
      plan: {
        ...plan,
        ...(plan.where !== undefined && { where: 'a function' }),
        ...(plan.times === Number.POSITIVE_INFINITY && { times: 'always' }),
      },
      toPass,
      left: Number.isFinite(left) ? left : 'always',
    }));
  }

  /** What was delivered to the receivers of webhooks, oldest first, and each attempt. */
  deliveries(): readonly WebhookDelivery[] {
    return this.#of.world.webhooks.deliveries();
  }

  /** What decides whether a client gets in and may bid. */
  partner(clientId: string) {
    const { partners, world } = this.#of;
    if (world.parties.find(clientId) === undefined)
      throw new Declined(404, 'The sandbox has no such client.');
    return { clientId, facts: partners.get(clientId) };
  }
}

/** What faults can be planned for, by the names of the client's methods. */
const operations = resources.flatMap(({ name, operations: methods }) =>
  Object.keys(methods).map((method) => `${name}.${method}`),
);

export type AttemptRow = Omit<Attempt, 'request' | 'reply'>;

/** A request without its contents. */
export function attemptRow({ request: _, reply: __, ...row }: Attempt): AttemptRow {
  return row;
}

function limitOf(query: URLSearchParams): number {
  return Math.min(numberOf(query, 'limit', 200), 1_000);
}

function numberOf(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  if (!/^\d{1,15}$/.test(text)) throw new Declined(400, `${name} is a whole number, 0 or more.`);
  return Number(text);
}
