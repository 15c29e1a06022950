import { PartnerClient } from '../../../src/client/partner-client.js';
import type { Service } from '../service/service.js';
import { never, type SimulatedProcess } from './process.js';
import type { World } from './world.js';

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
  /** The service is a sandbox. */
  readonly environment: 'sandbox' | 'production';
}

export const rightSetup: Setup = {
  clientId: CLIENT,
  origin: ORIGIN,
  formerOrigins: [OTHER_ORIGIN],
  label: undefined,
  environment: 'sandbox',
};

/** A label that the same client was given later. */
export const OTHER_LABEL = 'moved';

/** The account in the store that a process uses. */
export function accountOf({ label, environment }: Setup): string {
  return label === undefined ? environment : `${environment}/${label}`;
}

/** Whether a process can settle what the right ones record. */
export function isRight({ clientId, formerOrigins, label, environment }: Setup): boolean {
  const isOurs = clientId === CLIENT && label === undefined && environment === 'sandbox';
  return isOurs && formerOrigins.length > 0;
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
    const { keyId } = this.credentialsOf(client);
    this.#service.access.revoke(keyId);
    this.#keyOf.set(client, (this.#keyOf.get(client) ?? 0) + 1);
    const issued = this.credentialsOf(client);
    this.#service.access.issue(issued.keyId, client, issued.signingSecret);
    this.secrets.push(issued.signingSecret);
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
  { network, store, deployment, plan, faults }: World,
): PartnerClient<'platform'> {
  const { clientId, origin, formerOrigins, label, environment } = process.setup;
  return new PartnerClient({
    baseUrl: `${origin}/api/v1`,
    environment,
    credentials: () => (faults.strikes('credentials hang') ? never() : deployment.credentialsOf(clientId)),
    partnerType: 'platform',
    dealerId: 'D-204',
    transport: network.transportOf(process),
    clock: process.clock,
    randomness: process.randomness,
    quota: { limit: plan.quota },
    logLevel: 'off',
    store: store.connect(process),
    formerOrigins: formerOrigins.map((former) => `${former}/api/v1`),
    keyRetention: KEY_RETENTION_MS,
    riskLimits: plan.riskLimits,
    ...(label !== undefined && { account: label }),
  });
}
