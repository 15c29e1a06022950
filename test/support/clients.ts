import { BankClient } from '../../src/client/bank-client.js';
import type { ClientOptions, PartnerClientOptions } from '../../src/client/options.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import type { Logger } from '../../src/ports/logger.js';
import { ScriptedTransport, type Step } from './scripted-transport.js';
import { besideScript } from './told-time.js';
import { VirtualClock } from './virtual-clock.js';

export const SECRET = 'sk_test_9b1f+Zq/7Yt2"uWmB4dKp0LrX8sVhC3n';

export const credentials = { clientId: 'cl_7f3a', keyId: 'key_19c2', signingSecret: SECRET };

export const KEY = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';

/** Randomness that counts: keys, nonces and jitter are known in advance. */
export function countingRandomness(fraction = 0) {
  let uuids = 0;
  let nonces = 0;
  return {
    uuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}`,
    nonce: () => `nonce-${String(++nonces).padStart(12, '0')}`,
    fraction: () => fraction,
  };
}

/** A direct dealer's client over a scripted transport, in virtual time. A01 is answered beside the script. */
export function dealer(steps: readonly Step[], options: Partial<PartnerClientOptions<'direct_dealer'>> = {}) {
  const { common, ...used } = scripted(steps);
  return { ...used, client: dealerWith({ ...common, ...options }) };
}

/** A direct dealer's client over real sockets, with a transport of its own. */
export function overSockets(baseUrl: string, options: Partial<PartnerClientOptions<'direct_dealer'>> = {}) {
  const randomness = { fraction: () => 0 };
  return dealerWith({
    environment: 'sandbox',
    baseUrl,
    credentials,
    logLevel: 'off',
    randomness,
    ...options,
  });
}

export function platform(steps: readonly Step[], options: Partial<PartnerClientOptions<'platform'>> = {}) {
  const { common, ...used } = scripted(steps);
  return { ...used, client: platformWith({ ...common, ...options }) };
}

export function bank(steps: readonly Step[], options: Partial<ClientOptions> = {}) {
  const { common, ...used } = scripted(steps);
  return { ...used, client: new BankClient({ ...common, ...options }) };
}

export function dealerWith(options: ClientOptions): PartnerClient<'direct_dealer'> {
  return new PartnerClient({ partnerType: 'direct_dealer', dealerId: 'D-204', ...options });
}

export function platformWith(options: ClientOptions): PartnerClient<'platform'> {
  return new PartnerClient({ partnerType: 'platform', dealerId: 'D-204', ...options });
}

function scripted(steps: readonly Step[]) {
  const transport = new ScriptedTransport(...steps);
  const clock = new VirtualClock();
  const common = {
    baseUrl: 'https://bank.example/api/v1',
    environment: 'sandbox',
    credentials,
    transport: besideScript(transport, steps, clock),
    clock,
    randomness: countingRandomness(),
    logLevel: 'off',
  } as const;
  return { transport, clock, common };
}

/** The reply to a first acceptance, as the API text describes it. */
export function accepted(over: object = {}) {
  return {
    success: true,
    code: 'BID_ACCEPTED',
    message: 'Bid accepted.',
    data: {
      request_id: 'req_1',
      bid_id: 'bid_77',
      status: 'accepted',
      server_received_at: '2026-03-02T06:00:00+00:00',
      lot_version: 4,
      effective_close_at: '2026-03-02T07:00:00+00:00',
      replayed: false,
      bidder_status: 'leading',
      channel_status: 'leading',
      highest_amount: '465000.00',
      current_amount: 465000.5,
      ...over,
    },
    errors: [],
    request_id: 'req_1',
    timestamp: '2026-03-02T06:00:00+00:00',
  };
}

/** The reply to `events.get('auc_1')`. */
export const event: Step = {
  status: 200,
  json: { data: { id: 'auc_1', status: 'live', bid_increment: '5000.00', revision: 1 } },
};

/** A logger whose levels all do the same. */
export function loggerOf(log: (message: string, fields?: object) => unknown): Logger {
  return { error: log, warn: log, info: log, debug: log };
}

/** What a function that must throw throws. */
export function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('Expected it to throw');
}

/** The error of a promise that must reject. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('Expected a rejection');
}
