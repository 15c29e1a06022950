import type { Transport } from '../core/transport.js';
import { undiciTransport } from '../core/undici-transport.js';
import { ConfigurationError } from '../errors/local.js';
import type { ClientOptions } from './options.js';
import { checkMethods } from './resolve.js';

/** The transport of a client, and how it is let go: one that was injected isn't ours to close. */
export function resolveTransport(
  { transport, proxy: given, ca }: ClientOptions,
  origin: string,
): {
  readonly transport: Transport;
  release(): Promise<void>;
} {
  // Plain http is allowed because loopback never leaves the machine; through a proxy the signatures would.
  const plain = origin.startsWith('http:');
  if (plain && given !== undefined && given !== 'env') {
    throw new ConfigurationError('proxy', 'must be left out where the base URL is plain http');
  }
  const proxy = plain ? undefined : given;
  if (transport === undefined) {
    const own = undiciTransport({ ...(proxy !== undefined && { proxy }), ...(ca !== undefined && { ca }) });
    return { transport: own, release: () => own.close() };
  }
  if (typeof transport === 'function') {
    throw new ConfigurationError('transport', 'must be a transport: wrap a fetch as fetchTransport(fetch)');
  }
  checkMethods('transport', transport, ['send', 'close'], true);
  for (const [option, value] of Object.entries({ proxy: given, ca })) {
    if (value !== undefined) {
      throw new ConfigurationError(
        option,
        'must not be given together with transport, which would ignore it',
      );
    }
  }
  return { transport, release: async () => undefined };
}
