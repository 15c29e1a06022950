import type { Transport } from '../core/transport.js';
import { undiciTransport } from '../core/undici-transport.js';
import { ConfigurationError } from '../errors/local.js';
import type { ClientOptions } from './options.js';
import { checkMethods } from './resolve.js';

/** The transport of a client, and how it is let go: one that was injected isn't ours to close. */
export function resolveTransport({ transport, proxy, ca }: ClientOptions): {
  readonly transport: Transport;
  release(): Promise<void>;
} {
  if (transport === undefined) {
    const own = undiciTransport({ ...(proxy !== undefined && { proxy }), ...(ca !== undefined && { ca }) });
    return { transport: own, release: () => own.close() };
  }
  checkMethods('transport', transport, ['send', 'close'], true);
  for (const [option, given] of Object.entries({ proxy, ca })) {
    if (given !== undefined) {
      throw new ConfigurationError(
        option,
        'must not be given together with transport, which would ignore it',
      );
    }
  }
  return { transport, release: async () => undefined };
}
