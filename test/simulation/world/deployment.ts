import { PartnerClient } from '../../../src/client/partner-client.js';
import type { Journal } from '../../../src/intents/journal.js';
import type { Service } from '../service/service.js';
import type { Network } from './network.js';
import type { SimulatedProcess } from './process.js';

const ORIGIN = 'https://bank.example';

/** The API client that the application is, and the one that it is by mistake. */
export const CLIENT = 'cl_a';
export const OTHER_CLIENT = 'cl_b';

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

/** How long the SDK of a simulation trusts the service to remember a key, behind the fence. */
export const HORIZON_MS = 1_800_000;

/** A client as a user puts it together. */
export function clientOf(
  process: SimulatedProcess,
  {
    network,
    journal,
    deployment,
    clientId,
  }: {
    readonly network: Network;
    readonly journal: Journal;
    readonly deployment: Deployment;
    readonly clientId: string;
  },
): PartnerClient<'platform'> {
  return new PartnerClient({
    baseUrl: `${ORIGIN}/api/v1`,
    environment: 'sandbox',
    credentials: () => deployment.credentialsOf(clientId),
    partnerType: 'platform',
    dealerId: 'D-204',
    transport: network.transportOf(process),
    clock: process.clock,
    randomness: process.randomness,
    quota: { limit: Number.POSITIVE_INFINITY },
    logLevel: 'off',
    journal,
    horizon: HORIZON_MS,
  });
}
