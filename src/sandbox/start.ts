import { randomBytes } from 'node:crypto';
import { API_PREFIX } from '../api/common.js';
import { BankActor, BuyerActor } from './actors/bank-and-buyer.js';
import { setState } from './actors/perform.js';
import { Rival } from './actors/rival.js';
import { AuctionControls, namedLot } from './auctions/controls.js';
import { awardAtClose, openAtStart } from './auctions/schedule.js';
import type { SandboxClock } from './clock.js';
import type { Habits } from './deployment/habits.js';
import type { FaultPlan } from './faults/faults.js';
import type { LedgerEntry, SandboxAttempt } from './http/attempts.js';
import { fetchThrough, mswHandlers } from './http/fetch.js';
import { type HttpServer, listen } from './http/server.js';
import { Service } from './http/service.js';
import { Ids } from './ids.js';
import { isLoopback, withInspector } from './inspector/inspector.js';
import { type SandboxOptions, type Settings, settle } from './options.js';
import { type AccessFacts, Parties, type Party, rotateKey, type SandboxCredentials } from './parties.js';
import { isKind, prefixes, view, type WireRecord } from './records.js';
import { placeBids, type SeededAuction, seedAuctions } from './seed/auctions.js';
import { vehicleOf } from './seed/inventory.js';
import { changeFacts, type SeededParties, seedParties } from './seed/parties.js';
import type { PartyName } from './seed/seed.js';
import type { Webhooks } from './webhooks/webhooks.js';
import type { Scanner } from './workflow/scanner.js';
import { newWorld, type World } from './world.js';

/** An in-memory auction service with controls for its clock, access facts and faults. */
export interface Sandbox {
  /** Base URL for clients, up to and including `/api/v1`. */
  readonly baseUrl: string;
  /** Token for the control interface; undefined if only this machine can reach it. */
  readonly controlToken: string | undefined;
  /** Habits of the option `deployment`, one choice for each. */
  readonly deployment: Habits;
  /** Server time; `advance(ms)` moves it. */
  readonly clock: SandboxClock;
  /** Invented credentials, one set per party. */
  readonly credentials: Readonly<Record<keyof SeededParties, SandboxCredentials>>;
  /** Facts that decide whether a client has access and can bid. */
  readonly partners: {
    /** Returns a copy of a client's facts. */
    get(clientId: string): AccessFacts;
    /** Changes some facts at once. */
    update(clientId: string, change: Partial<AccessFacts>): void;
    /**
     * Gives a client a new key and returns the new credentials. The old key is revoked at once; `credentials`
     * still holds it.
     */
    rotateKey(clientId: string): SandboxCredentials;
  };
  readonly auctions: AuctionControls;
  /** Actors that play the other side of a sale in your tests. */
  readonly actors: {
    /** Plays the bank. */
    readonly bank: BankActor;
    /** Plays the buyer. */
    readonly buyer: BuyerActor;
    /** A dealer that bids against you. `rival.as(name)` adds another one. */
    readonly rival: Rival;
    /**
     * Moves a record to a state and returns it: a cancellation or refund request to `approved` or `rejected`; a
     * release to `revoked`; a refund to `processing`, `succeeded` or `failed`; a dispute to `resolved`; a transfer
     * milestone to `government_verified`; an inventory vehicle without a sale to `draft`, `ready` or `published`.
     * Throws a RangeError for an unknown record or a disallowed transition, and an ActorRefusedError if the
     * service refuses.
     */
    set(recordId: string, state: string): WireRecord;
  };
  /** The scanner of uploaded evidence. */
  readonly scanner: Scanner;
  /** Webhook subscriptions and deliveries, with fault controls. */
  readonly webhooks: Webhooks;
  /** Arms a fault. The returned function withdraws it. Throws a RangeError for an invalid plan. */
  inject(plan: FaultPlan): () => void;
  /** Accepted bids and committed commands, oldest first. */
  ledger(): LedgerEntry[];
  /** The latest `keepAttempts` requests, oldest first. */
  attempts(): SandboxAttempt[];
  /**
   * Workflow records of a kind such as `refund`, across all banks, oldest first. Throws a RangeError for an
   * unknown kind.
   */
  records(kind: string): WireRecord[];
  /** The inventory vehicle of a lot. Throws a RangeError for an unknown lot. */
  vehicleOf(lotId: string): WireRecord;
  /**
   * Answers a request in process, without a socket. Has the signature of the global fetch, so you can pass it to
   * `fetchTransport()`. Rejects with a TypeError if the connection is cut.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /**
   * Returns handlers for msw 2, an optional peer dependency: `setupServer(...sandbox.handlers())`. They answer all
   * requests to `baseUrl`. A cut connection becomes a network error. The handler type is inferred from use. Throws
   * if msw is not installed.
   */
  handlers<Handler = never>(): Handler[];
  /** Stops the server and cuts every connection. Safe to call again. */
  close(): Promise<void>;
  /** Same as `close()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a sandbox, by default on a free port of 127.0.0.1. The server keeps the process alive until `close()`.
 * Rejects with a RangeError for invalid options, and with the system error if the server cannot listen.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = settle(options);
  const { world, parties } = createWorld(settings);
  const { clock, webhooks, requests, flow } = world;
  const service = new Service(world);
  const token =
    settings.inspector && !isLoopback(settings.host) ? randomBytes(18).toString('base64url') : undefined;
  const inspected = { world, parties, service };
  const handle = settings.inspector ? withInspector(service.handle, inspected, token) : service.handle;
  let server: HttpServer | undefined;
  let closing: Promise<void> | undefined;
  const shut = async () => {
    service.close();
    webhooks.close();
    clock.stop();
    await server?.close();
  };
  const close = () => {
    closing ??= shut();
    return closing;
  };
  try {
    server = settings.listen ? await listen(handle, settings) : undefined;
  } catch (error) {
    await close();
    throw error;
  }
  world.baseUrl = `${settings.origin ?? server?.origin ?? ''}${settings.prefix}${API_PREFIX}`;
  world.deployment.locate(world.baseUrl);
  const invented = Object.entries(parties).map(([name, party]) => [name, credentialsOf(party)]);
  return {
    baseUrl: world.baseUrl,
    controlToken: settings.listen ? token : undefined,
    deployment: settings.deployment,
    clock,
    credentials: Object.fromEntries(invented),
    partners: {
      get: (clientId) => world.parties.facts(clientId),
      update: (clientId, change) => world.parties.update(clientId, change),
      rotateKey: (clientId) => credentialsOf(rotateKey(world.ids, world.parties.known(clientId))),
    },
    auctions: new AuctionControls(world, parties),
    actors: {
      bank: new BankActor(world),
      buyer: new BuyerActor(world),
      rival: new Rival(world, parties.rival),
      set: (recordId, state) => structuredClone(setState(world, recordId, state)),
    },
    scanner: world.scanner,
    webhooks,
    inject: (plan) => service.inject(plan),
    ledger: () => requests.ledger(),
    attempts: () => requests.attempts(),
    records: (kind) => {
      if (!isKind(kind))
        throw new RangeError(
          `records(): the kind ${JSON.stringify(kind)} is unknown. Use a kind such as "sale" or "refund".`,
        );
      return flow.of(kind).map((record) => structuredClone(view(record)));
    },
    vehicleOf: (lotId) => structuredClone(view(vehicleOf(world, namedLot(world, lotId)))),
    handlers: () => mswHandlers(service.handle, world.baseUrl),
    fetch: (input, init) => fetchThrough(service.handle, new Request(input, init)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Creates the initial state of a sandbox. */
function createWorld(settings: Settings): { readonly world: World; readonly parties: SeededParties } {
  const { plan, startAt, environment, deployment, allowedIps = null } = settings;
  const ids = new Ids(plan.random, deployment.ids === 'number' ? numberedKinds : []);
  const seeded = seedAuctions(plan, startAt, ids);
  const facts = { environment, allowedIps, limitUntil: startAt + yearMs, emdUntil: startAt + yearMs };
  const parties = seedParties(facts, (name) => assignedTo(name, seeded), plan.credentials);
  const world = newWorld(settings, ids, new Parties(Object.values(parties)));
  const { store } = world;
  for (const { auction } of seeded) store.addAuction(auction);
  for (const bids of seeded.flatMap((each) => each.bids)) placeBids(world, parties, bids);
  // Apply seed facts after the seed bids, which were placed earlier.
  changeFacts(parties, world, plan.credentials);
  for (const auction of store.auctions.values()) {
    openAtStart(world, auction);
    awardAtClose(world, auction);
  }
  return { world, parties };
}

/** Ids of the auctions assigned to a party. */
function assignedTo(name: PartyName, seeded: readonly SeededAuction[]): string[] {
  return seeded
    .filter(({ assigned }) =>
      typeof assigned === 'boolean' ? assigned : assigned.some((each) => each === name),
    )
    .map(({ auction }) => auction.id);
}

function credentialsOf(party: Party): SandboxCredentials {
  const { clientId, keyId, signingSecret, partnerType, facts } = party;
  return Object.freeze({
    clientId,
    keyId,
    signingSecret,
    environment: facts.environment,
    ...(partnerType !== null && { partnerType }),
    ...(facts.dealerId !== null && { dealerId: facts.dealerId }),
  });
}

/** Id prefixes that the habit `ids` numbers: those of records, messages and winner updates. */
const numberedKinds = [...Object.values(prefixes).filter((prefix) => prefix !== prefixes.bid), 'wup'];
const yearMs = 365 * 24 * 3_600_000;
