import { API_PREFIX } from '../api/common.js';
import { blockList } from './access.js';
import { SandboxClock } from './clock.js';
import { AuctionControls } from './controls.js';
import type { FaultPlan } from './faults.js';
import { fetchThrough } from './fetch-door.js';
import { openHttpDoor } from './http-door.js';
import { Ids } from './ids.js';
import { type AccessFacts, Parties, type Party, type SandboxCredentials } from './parties.js';
import { type Attempt, type LedgerEntry, Records } from './records.js';
import { Rival } from './rival.js';
import { seedAuctions } from './seed/auctions.js';
import { type SeededParties, seedParties } from './seed/parties.js';
import { Service } from './service.js';
import { type SandboxOptions, type Settings, settle } from './settings.js';
import { Store } from './store.js';
import { awardAtClose } from './workflow/awards.js';
import { Cases } from './workflow/cases.js';
import { openAtStart } from './workflow/openings.js';
import { Scanner } from './workflow/scanner.js';
import type { World } from './world.js';

/** The auction service, in memory, with hands on its clock, its facts and its faults. */
export interface Sandbox {
  /** Where clients go: up to and including `/api/v1`. */
  readonly baseUrl: string;
  /** Server time; `advance(ms)` moves it. */
  readonly clock: SandboxClock;
  /** Invented credentials, one set per kind of caller. */
  readonly credentials: Readonly<Record<keyof SeededParties, SandboxCredentials>>;
  /** What decides whether a client gets in and may bid. */
  readonly partners: {
    /** A copy of a client's facts. */
    get(clientId: string): AccessFacts;
    /** Changes some of them, at once. */
    update(clientId: string, change: Partial<AccessFacts>): void;
  };
  readonly auctions: AuctionControls;
  readonly rival: Rival;
  /** The scanner of uploaded evidence. */
  readonly scanner: Scanner;
  /** Plans something to go wrong; the returned function withdraws it. */
  inject(plan: FaultPlan): () => void;
  /** Accepted bids and committed commands, oldest first. */
  ledger(): LedgerEntry[];
  /** Every request that arrived, oldest first. */
  attempts(): Attempt[];
  /**
   * Answers a request in process, without a socket; it takes what the global fetch takes, so `fetchTransport()` takes
   * it. A dropped connection rejects with a TypeError.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Stops listening and cuts every connection. Safe to call again. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a sandbox on a free port of 127.0.0.1, unless told otherwise. Its server keeps the process alive until
 * `close()`.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = settle(options);
  blockList(settings.allowedIps ?? []);
  const { world, parties } = createWorld(settings);
  const service = new Service(world);
  const door = await openHttpDoor(service, settings);
  world.baseUrl = `${door.origin}${settings.prefix}${API_PREFIX}`;
  let closing: Promise<void> | undefined;
  const shut = () => {
    service.close();
    world.clock.stop();
    return door.close();
  };
  const close = () => {
    closing ??= shut();
    return closing;
  };
  return {
    baseUrl: world.baseUrl,
    clock: world.clock,
    credentials: {
      dealer: credentialsOf(parties.dealer),
      platform: credentialsOf(parties.platform),
      aggregator: credentialsOf(parties.aggregator),
      bank: credentialsOf(parties.bank),
      otherBank: credentialsOf(parties.otherBank),
      rival: credentialsOf(parties.rival),
    },
    partners: {
      get: (clientId) => world.parties.facts(clientId),
      update: (clientId, change) => {
        blockList(change.allowedIps ?? []);
        world.parties.update(clientId, change);
      },
    },
    auctions: new AuctionControls(world),
    rival: new Rival(world, parties.rival),
    scanner: world.scanner,
    inject: (plan) => service.inject(plan),
    ledger: () => world.records.ledger(),
    attempts: () => world.records.attempts(),
    fetch: (input, init) => fetchThrough(service, new Request(input, init)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function createWorld(settings: Settings): { world: World; parties: SeededParties } {
  const ids = new Ids(settings.seed);
  const store = new Store();
  const seeded = seedAuctions(settings.seed, settings.startAt, ids);
  for (const { auction, lots } of seeded) store.addAuction(auction, lots);
  const assigned = seeded.filter((each) => each.assigned).map((each) => each.auction.id);
  const parties = seedParties(settings.environment, settings.allowedIps, assigned, settings.startAt + yearMs);
  const clock = new SandboxClock(settings.clock, settings.startAt);
  const world: World = {
    settings,
    clock,
    ids,
    parties: new Parties(Object.values(parties)),
    store,
    records: new Records(),
    cases: new Cases(),
    scanner: new Scanner(clock, settings.scanMs),
    baseUrl: '',
  };
  for (const auction of store.auctions.values()) {
    openAtStart(world, auction);
    awardAtClose(world, auction);
  }
  return { world, parties };
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

const yearMs = 365 * 24 * 3_600_000;
