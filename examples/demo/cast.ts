import {
  BankClient,
  type BidOutcome,
  type BidToPlace,
  PartnerClient,
  type PlaceOptions,
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
  /** The same, as bids have it. */
  readonly named: { readonly bidderReference?: string };
  place(
    bid: Omit<BidToPlace<'direct_dealer'>, 'bidderReference'>,
    options?: PlaceOptions,
  ): Promise<BidOutcome>;
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
    environment: 'sandbox',
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
    logLevel: 'error', // what is lost and sent again is told anyhow
  });
  return { client, query: {}, named: {}, place: (bid, options) => client.bids.place(bid, options) };
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
    logLevel: 'error',
  });
  const named = { bidderReference: 'buyer-7' };
  const query = { bidder_reference: named.bidderReference };
  return { client, query, named, place: (bid, options) => client.bids.place({ ...bid, ...named }, options) };
}
