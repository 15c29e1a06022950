import { PartnerClient } from '../../../src/client/partner-client.js';
import type { Store } from '../../../src/store/store.js';
import type { PlannedLimits } from '../app/plan.js';
import type { Service } from '../service/service.js';
import type { Network } from './network.js';
import type { SimulatedProcess } from './process.js';

/** Two addresses of the same service: it was moved, or it has two names. */
export const ORIGIN = 'https://bank.example';
export const OTHER_ORIGIN = 'https://auctions.bank.example';

/** The API client that the application is, the one that it is by mistake, and the one that it is for another bank. */
export const CLIENT = 'cl_a';
export const OTHER_CLIENT = 'cl_b';
export const OTHER_BANK = 'cl_c';

/** How a process is set up. */
export interface Setup {
  readonly clientId: string;
  readonly origin: string;
  readonly formerOrigins: readonly string[];
  /** A label of its own in the store. */
  readonly label: string | undefined;
}

export const rightSetup: Setup = {
  clientId: CLIENT,
  origin: ORIGIN,
  formerOrigins: [OTHER_ORIGIN],
  label: undefined,
};

/** The account in the store that a process uses. */
export function accountOf({ label }: Setup): string {
  return label === undefined ? 'sandbox' : `sandbox/${label}`;
}

/** Whether a process can settle what the right ones record. */
export function isRight({ clientId, formerOrigins, label }: Setup): boolean {
  return clientId === CLIENT && label === undefined && formerOrigins.length > 0;
}

/** The API clients that the bank knows, and their keys over time. */
export class Deployment {
  readonly secrets: string[] = [];
  readonly #service: Service;
  readonly #keyOf = new Map<string, number>();

  constructor(service: Service, clients: readonly string[]) {
    this.#service = service;
    for (const client of clients) this.rotate(client);
  }

  /** Issues a new key, and revokes the one before. */
  rotate(client: string): void {
    const number = (this.#keyOf.get(client) ?? 0) + 1;
    if (number > 1) this.#service.access.revoke(`${client}_key_${number - 1}`);
    const secret = `secret-${client}-${number}-0f2b9c`;
    this.#service.access.issue(`${client}_key_${number}`, client, secret);
    this.secrets.push(secret);
    this.#keyOf.set(client, number);
  }

  credentialsOf(clientId: string) {
    const number = this.#keyOf.get(clientId) ?? 0;
    return {
      clientId,
      keyId: `${clientId}_key_${number}`,
      signingSecret: `secret-${clientId}-${number}-0f2b9c`,
    };
  }
}

/** For how long the SDK of a simulation trusts the service to remember a key. */
export const KEY_RETENTION_MS = 1_800_000;

/** A client as a user puts it together. */
export function clientOf(
  process: SimulatedProcess,
  {
    network,
    store,
    deployment,
    setup,
    riskLimits,
  }: {
    readonly network: Network;
    readonly store: Store;
    readonly deployment: Deployment;
    readonly setup: Setup;
    readonly riskLimits: PlannedLimits;
  },
): PartnerClient<'platform'> {
  const { clientId, origin, formerOrigins, label } = setup;
  return new PartnerClient({
    baseUrl: `${origin}/api/v1`,
    environment: 'sandbox',
    credentials: () => deployment.credentialsOf(clientId),
    partnerType: 'platform',
    dealerId: 'D-204',
    transport: network.transportOf(process),
    clock: process.clock,
    randomness: process.randomness,
    quota: { limit: Number.POSITIVE_INFINITY },
    logLevel: 'off',
    store,
    formerOrigins: formerOrigins.map((former) => `${former}/api/v1`),
    keyRetention: KEY_RETENTION_MS,
    riskLimits,
    ...(label !== undefined && { account: label }),
  });
}
