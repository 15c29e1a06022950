import {
  BankClient,
  type BidOptions,
  type BidReceipt,
  PartnerClient,
  type Transport,
  undiciTransport,
} from 'vehicle-auction-sdk';
import type { Sandbox } from 'vehicle-auction-sdk/sandbox';
import type { Narrator } from './narrator.js';
import { type Seen, told } from './wire.js';

/** As whom the story is lived: a dealer that bids for itself, or a platform that bids for one of its buyers. */
export type Role = 'direct_dealer' | 'platform';

/** Who buys. A platform names its buyer in every bid and in what it asks about a lot; a dealer never does. */
export interface Buyer {
  readonly client: PartnerClient;
  readonly query: { readonly bidder_reference?: string };
  bid(
    lotId: string,
    body: { readonly amount: string; readonly idempotency_key?: string },
    options?: BidOptions,
  ): Promise<BidReceipt>;
}

/** Everybody on the stage. */
export interface Cast extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly narrator: Narrator;
  readonly buyer: Buyer;
  readonly bank: BankClient;
  /** Another dealer. */
  readonly stranger: PartnerClient;
  /** What the buyer's client has sent, oldest first. */
  readonly seen: readonly Seen[];
}

/** Sets up the clients of both sides. The buyer's requests are told as they pass. */
export function castOf(sandbox: Sandbox, narrator: Narrator, role: Role): Cast {
  const { transport, seen } = told(undiciTransport(), narrator);
  const buyer = role === 'platform' ? platform(sandbox, transport) : dealer(sandbox, transport);
  const { baseUrl, credentials } = sandbox;
  const bank = new BankClient({ baseUrl, environment: 'sandbox', credentials: credentials.bank });
  const stranger = new PartnerClient({
    baseUrl,
    credentials: credentials.rival,
    partnerType: 'direct_dealer',
    dealerId: credentials.rival.dealerId,
  });
  return {
    sandbox,
    narrator,
    buyer,
    bank,
    stranger,
    seen,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([buyer.client.close(), bank.close(), stranger.close()]);
      await transport.close();
    },
  };
}

function dealer(sandbox: Sandbox, transport: Transport): Buyer {
  const { dealerId, ...credentials } = sandbox.credentials.dealer;
  const client = new PartnerClient({
    baseUrl: sandbox.baseUrl,
    environment: 'sandbox',
    credentials,
    partnerType: 'direct_dealer',
    dealerId,
    transport,
  });
  return { client, query: {}, bid: (lotId, body, options) => client.bids.submit(lotId, body, options) };
}

function platform(sandbox: Sandbox, transport: Transport): Buyer {
  const { dealerId, ...credentials } = sandbox.credentials.platform;
  const client = new PartnerClient({
    baseUrl: sandbox.baseUrl,
    environment: 'sandbox',
    credentials,
    partnerType: 'platform',
    dealerId,
    transport,
  });
  const query = { bidder_reference: 'buyer-7' };
  return {
    client,
    query,
    bid: (lotId, body, options) => client.bids.submit(lotId, { ...body, ...query }, options),
  };
}
