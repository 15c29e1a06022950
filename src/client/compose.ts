import { API_PREFIX } from '../api/common.js';
import { createServerClock } from '../clock/server-clock.js';
import { createCaller } from '../core/call.js';
import type { Caller, MutationOptions } from '../core/caller.js';
import { leveled, Seldom } from '../core/log.js';
import type { CallParts } from '../core/parts.js';
import type { CallDefaults } from '../core/prepare.js';
import { type RawRequest, rawCall } from '../core/raw-route.js';
import { RetryBudget } from '../core/retry-budget.js';
import type { ServiceAddress } from '../files/service-url.js';
import type { Clock } from '../ports/clock.js';
import { digests } from '../signing/digests.js';
import { Gate } from './gate.js';
import type { Keyring } from './keyring.js';
import type { ClientOptions, OverridableOptions } from './options.js';
import { resolveQuota } from './quota-options.js';
import {
  checkMethods,
  resolveBaseUrl,
  resolveClock,
  resolveKeyring,
  resolveLimits,
  resolveLogLevel,
  resolveMaxReplyBytes,
  resolveRandomness,
} from './resolve.js';
import { consoleLogger } from './system.js';
import { resolveTransport } from './transport-options.js';
import { VERSION } from './version.js';

/** What every client derived from one shares: connections, keys, quota, clock, and when it is closed. */
interface Shared {
  readonly parts: Omit<CallParts, 'limits' | 'log' | 'maxReplyBytes'>;
  readonly keyring: Keyring;
  readonly gate: Gate;
}

/** A client's insides. */
export class Composition {
  readonly call: Caller;
  readonly #shared: Shared;

  private constructor(shared: Shared, options: OverridableOptions) {
    this.#shared = shared;
    checkMethods('logger', options.logger, ['error', 'warn', 'info', 'debug'], true);
    this.call = shared.gate.guard(
      createCaller({
        ...shared.parts,
        maxReplyBytes: resolveMaxReplyBytes(options.maxReplyBytes),
        limits: resolveLimits(options),
        log: leveled(options.logger ?? consoleLogger, resolveLogLevel(options.logLevel)),
      }),
    );
  }

  /** Puts a client together from its options. @throws ConfigurationError for what can't work. */
  static of(options: ClientOptions, particulars: Pick<CallDefaults, 'fill' | 'check'>): Composition {
    return new Composition(sharedOf(options, particulars), options);
  }

  /** The same client with other limits or another logger. */
  with(options: OverridableOptions): Composition {
    return new Composition(this.#shared, options);
  }

  get clock(): Clock {
    return this.#shared.parts.clock;
  }

  get address(): ServiceAddress {
    return this.#shared.parts.defaults;
  }

  /** What a client may show of itself. */
  get shown(): { readonly baseUrl: string; readonly clientId: string; readonly keyId: string } {
    const { origin, prefix } = this.address;
    const { clientId = UNKNOWN, keyId = UNKNOWN } = this.#shared.keyring.ids ?? {};
    return { baseUrl: origin + prefix + API_PREFIX, clientId, keyId };
  }

  /** Signs and sends anything. */
  async request(request: RawRequest, options?: MutationOptions): Promise<unknown> {
    const { route, input } = rawCall(request, 'raw');
    return this.call(route, input, options);
  }

  /** Refuses new calls, lets those under way finish, then lets go of the connections. */
  close(): Promise<void> {
    return this.#shared.gate.close();
  }
}

const UNKNOWN = '(not fetched yet)';

function sharedOf(options: ClientOptions, particulars: Pick<CallDefaults, 'fill' | 'check'>): Shared {
  checkMethods('clock', options.clock, ['now', 'monotonic', 'after'], false);
  checkMethods('randomness', options.randomness, ['uuid', 'nonce', 'fraction'], false);
  const base = resolveBaseUrl(options.baseUrl);
  const keyring = resolveKeyring(options.credentials);
  const clock = resolveClock(options.clock);
  const { transport, release } = resolveTransport(options, base.origin);
  const { quota, release: releaseQuota } = resolveQuota(options, base.origin, clock);
  return {
    keyring,
    parts: {
      transport,
      keys: keyring,
      leaks: keyring.leaks,
      quota,
      serverClock: createServerClock(clock),
      retryBudget: new RetryBudget(),
      queueNotice: new Seldom(60_000),
      userAgent: `vehicle-auction-sdk/${VERSION}`,
      clock,
      randomness: resolveRandomness(options.randomness),
      digests,
      defaults: { ...base, ...particulars },
    },
    gate: new Gate(async () => {
      releaseQuota();
      await release();
    }),
  };
}
