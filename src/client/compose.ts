import { API_PREFIX } from '../api/common.js';
import type { Operation } from '../api/operation.js';
import { createCaller } from '../core/call.js';
import type { Caller } from '../core/caller.js';
import { contextOf } from '../core/context.js';
import { leveled } from '../core/log.js';
import type { CallDefaults } from '../core/prepare.js';
import { leaksOf } from '../core/redact.js';
import { undiciTransport } from '../core/undici-transport.js';
import { AbortedError } from '../errors/connection.js';
import type { Clock } from '../ports/clock.js';
import { digests } from '../signing/digests.js';
import { createSigner } from '../signing/signer.js';
import type { ClientOptions } from './options.js';
import {
  checkMethods,
  resolveBaseUrl,
  resolveClock,
  resolveCredentials,
  resolveLimits,
  resolveLogLevel,
  resolveMaxReplyBytes,
  resolveRandomness,
} from './resolve.js';
import { consoleLogger } from './system.js';
import { VERSION } from './version.js';

/** A client's insides. */
export interface Composition {
  readonly call: Caller;
  readonly clock: Clock;
  /** What a client may show of itself. */
  readonly shown: { readonly baseUrl: string; readonly clientId: string; readonly keyId: string };
  /** Refuses new calls, lets those under way finish, then lets go of the connections. */
  close(): Promise<void>;
}

/** Puts a client together from its options. @throws ConfigurationError for what can't work. */
export function compose(
  options: ClientOptions,
  particulars: Pick<CallDefaults, 'fill' | 'check'>,
): Composition {
  checkMethods('transport', options.transport, ['send', 'close'], true);
  checkMethods('logger', options.logger, ['error', 'warn', 'info', 'debug'], true);
  checkMethods('clock', options.clock, ['now', 'monotonic', 'after'], false);
  checkMethods('randomness', options.randomness, ['uuid', 'nonce', 'fraction'], false);
  const base = resolveBaseUrl(options.baseUrl);
  const credentials = resolveCredentials(options.credentials);
  const signer = createSigner(credentials);
  const transport = options.transport ?? undiciTransport();
  const clock = resolveClock(options.clock);
  const call = createCaller({
    transport,
    signer,
    leaks: leaksOf(credentials.signingSecret),
    userAgent: `vehicle-auction-sdk/${VERSION}`,
    maxReplyBytes: resolveMaxReplyBytes(options.maxReplyBytes),
    clock,
    randomness: resolveRandomness(options.randomness),
    digests,
    defaults: { ...base, ...particulars },
    limits: resolveLimits(options),
    log: leveled(options.logger ?? consoleLogger, resolveLogLevel(options.logLevel)),
  });
  const gate = new Gate(call);
  return {
    shown: {
      baseUrl: base.origin + base.prefix + API_PREFIX,
      clientId: signer.clientId,
      keyId: signer.keyId,
    },
    call: gate.call,
    clock,
    close: () => gate.close(async () => (options.transport === undefined ? transport.close() : undefined)),
  };
}

/** Knows which calls are under way, and lets none in once it is closing. */
class Gate {
  readonly #inner: Caller;
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(inner: Caller) {
    this.#inner = inner;
  }

  // Awaited here, so that a rejection nobody handles is reported as such, and stacks reach back to the caller's line.
  readonly call: Caller = async <T>(...args: Parameters<Caller>): Promise<T> => {
    if (this.#closing !== undefined) throw closedError(args[0]);
    const call = this.#inner<T>(...args);
    this.#underWay.add(call);
    try {
      return await call;
    } finally {
      this.#underWay.delete(call);
    }
  };

  close(release: () => Promise<void>): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#underWay).then(release);
    return this.#closing;
  }
}

function closedError(operation: Operation): AbortedError {
  return new AbortedError({
    ...contextOf(operation),
    outcome: 'not_sent',
    what: 'The client is closed. Nothing was sent.',
    nextStep: 'Make a new client to call again.',
  });
}
