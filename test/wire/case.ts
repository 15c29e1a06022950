import type { BankClient } from '../../src/client/bank-client.js';
import type { PartnerClient } from '../../src/client/partner-client.js';
import type { BidOptions } from '../../src/core/caller.js';

export type Platform = PartnerClient<'platform'>;
export type Dealer = PartnerClient<'direct_dealer'>;

/** One way to call a method, on each client that can. Bids and commands are given their key in the options. */
export interface Invocation {
  readonly platform?: (client: Platform, options?: BidOptions) => Promise<unknown>;
  readonly dealer?: (client: Dealer, options?: BidOptions) => Promise<unknown>;
  readonly bank?: (client: BankClient, options?: BidOptions) => Promise<unknown>;
}

export type Caller = keyof Invocation;

/** A method that banks and partners have alike. */
export function both(
  call: (client: Platform | BankClient, options?: BidOptions) => Promise<unknown>,
): Invocation {
  return { platform: call, bank: call };
}

export interface WireCall {
  readonly name: string;
  readonly by: Invocation;
  /** The canonical query string; nothing where there are no parameters. */
  readonly query?: string;
  /** The exact body; nothing where there is none. */
  readonly body?: string;
}

export interface WireReply {
  readonly name: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What comes back, as JSON; or the bytes of a file. */
  readonly json?: unknown;
  readonly bytes?: Buffer;
  /** The whole body as it is kept, where reading it puts something right. */
  readonly read?: unknown;
  /** What the call resolves with; a file's stream as its bytes. */
  readonly result: unknown;
  /** What `responseOf` says of it, beside what follows from the request. */
  readonly info?: {
    readonly requestId?: string;
    readonly serverTime?: string;
    readonly replayed?: boolean;
  };
}

/** One method, as the API text describes its operation. Everything in it is a literal. */
export interface WireCase {
  /** `resource.method`, as the clients have it. */
  readonly operation: string;
  /** The id that the text gives, or the slug of one that it gives none. */
  readonly id: string;
  /** The row of the text: effective method and path. */
  readonly route: string;
  /** Method and path of the request. */
  readonly wire: `${'GET' | 'POST'} /api/v1/${string}`;
  /** The method that is signed, where it isn't the one that is sent. */
  readonly signed?: 'PATCH';
  readonly effect: 'read' | 'bid' | 'command';
  readonly binary?: true;
  readonly calls: readonly [WireCall, ...WireCall[]];
  readonly replies: readonly [WireReply, ...WireReply[]];
}

/** Everybody who can make a call of the case. */
export function callersOf({ calls }: WireCase): Caller[] {
  return [...new Set(calls.flatMap(({ by }) => Object.keys(by) as Caller[]))];
}

/** The first call of the case that somebody can make. */
export function callOf({ operation, calls }: WireCase, caller: Caller): WireCall {
  const call = calls.find(({ by }) => by[caller] !== undefined);
  if (call === undefined) throw new Error(`${operation} has no call by ${caller}`);
  return call;
}

/** Whether a call sends extras, which the text describes without naming them: they are no fields of the operation. */
export function isExtra({ name }: WireCall): boolean {
  return /bank (gave|named)|does not know/.test(name);
}
