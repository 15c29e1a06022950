import type { SandboxClock } from './clock.js';
import type { AuctionControls } from './controls.js';
import type { FaultPlan } from './faults.js';
import type { AccessFacts, SandboxCredentials } from './parties.js';
import type { Attempt, LedgerEntry } from './records.js';
import type { Rival } from './rival.js';
import type { SeededParties } from './seed/parties.js';
import type { Scanner } from './workflow/scanner.js';

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
