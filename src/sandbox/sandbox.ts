import type { Attempt } from './attempt.js';
import type { SandboxClock } from './clock.js';
import type { AuctionControls } from './controls.js';
import type { FaultPlan } from './faults.js';
import type { BankHand } from './hands/bank.js';
import type { BuyerHand } from './hands/buyer.js';
import type { DisputeControls } from './hands/disputes.js';
import type { InventoryControls } from './hands/inventory.js';
import type { RefundControls } from './hands/refunds.js';
import type { TransferControls } from './hands/transfers.js';
import type { AccessFacts, SandboxCredentials } from './parties.js';
import type { LedgerEntry } from './records.js';
import type { Rival } from './rivals/rival.js';
import type { SeededParties } from './seed/parties.js';
import type { Webhooks } from './webhooks/webhooks.js';
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
    /**
     * Gives a client a new key and returns its new credentials. The old key is revoked at once, or a day later with the
     * variant `key-rotation`; `credentials` still has it.
     */
    rotateKey(clientId: string): SandboxCredentials;
  };
  readonly auctions: AuctionControls;
  /** Another dealer, who bids against you; `rival.as(name)` is one more. */
  readonly rival: Rival;
  /** The bank's half of a sale, done for you. */
  readonly bank: BankHand;
  /** The buyer's half of a sale, done for you. */
  readonly buyer: BuyerHand;
  /** The scanner of uploaded evidence. */
  readonly scanner: Scanner;
  /** The hand that carries approved refunds out. */
  readonly refunds: RefundControls;
  /** The hand that settles disputes. */
  readonly disputes: DisputeControls;
  /** Subscriptions, deliveries, and what goes wrong with them. */
  readonly webhooks: Webhooks;
  /** The registry's hand on ownership transfers. */
  readonly transfers: TransferControls;
  /** The private inventories of the banks. */
  readonly inventory: InventoryControls;
  /** Plans something to go wrong; the returned function withdraws it. */
  inject(plan: FaultPlan): () => void;
  /** Accepted bids and committed commands, oldest first. */
  ledger(): LedgerEntry[];
  /** The requests that arrived, oldest first: the latest `keepAttempts`. */
  attempts(): Attempt[];
  /**
   * Answers a request in process, without a socket; it takes what the global fetch takes, so `fetchTransport()` takes
   * it. A dropped connection rejects with a TypeError.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /**
   * Handlers for msw 2, an optional peer: `setupServer(...sandbox.handlers())`. They answer whatever goes to `baseUrl`; a cut
   * connection is a network error. Their type is what takes them. Throws where msw is not installed.
   */
  handlers<Handler = never>(): Handler[];
  /** Stops listening and cuts every connection. Safe to call again. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
