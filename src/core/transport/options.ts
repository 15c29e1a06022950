import { ConfigurationError } from '../../errors/local.js';
import { checkMethods } from '../../runtime/injected.js';
import type { UndiciTransportOptions } from './agents.js';
import { fetchTransport } from './fetch.js';
import { runtimeWithoutUndici } from './runtime.js';
import type { Transport } from './transport.js';
import { undiciTransport } from './undici.js';

/** Options of a client's connection to the service. */
export interface ConnectionOptions extends UndiciTransportOptions {
  readonly transport?: Transport | undefined;
}

/** A transport, and how a client that closes releases it. */
export interface ChosenTransport {
  readonly transport: Transport;
  release(): Promise<void>;
}

/** The transport that the options give or describe. An injected one is the caller's to close. @throws ConfigurationError */
export function chooseTransport(
  { transport, proxy: given, tls, maxHeaderSize, localAddress, dispatcher }: ConnectionOptions,
  origin: string,
): ChosenTransport {
  // Plain http is allowed because loopback never leaves the machine; through a proxy the signatures would.
  const plain = origin.startsWith('http:');
  if (plain && given !== undefined && given !== 'env') {
    throw new ConfigurationError('proxy', 'must be left out where the base URL is plain http');
  }
  const proxy = plain ? undefined : given;
  if (transport === undefined) {
    const connections = { proxy, tls, maxHeaderSize, localAddress, dispatcher };
    const runtime = runtimeWithoutUndici();
    const own = runtime === undefined ? undiciTransport(connections) : runtimeFetch(runtime, connections);
    return { transport: own, release: () => own.close() };
  }
  if (typeof transport === 'function') {
    throw new ConfigurationError('transport', 'must be a transport: wrap a fetch as fetchTransport(fetch)');
  }
  checkMethods('transport', transport, ['send', 'close'], 'all');
  for (const [option, value] of Object.entries({
    proxy: given,
    tls,
    maxHeaderSize,
    localAddress,
    dispatcher,
  })) {
    if (value === undefined) continue;
    const problem = 'must not be given together with transport, which would ignore it';
    throw new ConfigurationError(option, problem);
  }
  return { transport, release: async () => undefined };
}

/** The runtime's own fetch. @throws ConfigurationError for an option that it has no equivalent of */
function runtimeFetch(runtime: string, connections: UndiciTransportOptions): Transport {
  for (const [option, value] of Object.entries(connections)) {
    if (value === undefined) continue;
    throw new ConfigurationError(
      option,
      `has no effect on ${runtime}, where the runtime's own fetch makes the connections`,
      { nextStep: `Leave it out, or pass \`transport: fetchTransport(fetch)\` with a fetch that does this.` },
    );
  }
  // Looked up for each request, because tests and instrumentation replace it.
  return fetchTransport((input, init) => globalThis.fetch(input, init));
}

/** Headers that the SDK or the connection sends. */
const reserved =
  /^(x-(client-id|key-id|timestamp|nonce|content-sha256|signature)|idempotency-key|accept|accept-encoding|cache-control|content-(type|length|encoding)|host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/;

/** Headers of every request: the user agent, and those that the options add. @throws ConfigurationError */
export function headersWith(given: unknown, userAgent: string): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { 'user-agent': userAgent };
  if (given === undefined) return headers;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ConfigurationError('headers', 'must be an object of header names and values');
  }
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(lower)) {
      throw new ConfigurationError('headers', `must have header names; ${JSON.stringify(name)} is none`);
    }
    if (reserved.test(lower))
      throw new ConfigurationError(`headers.${name}`, 'is set by the SDK and cannot be changed');
    if (typeof value !== 'string' || !/^[\t\x20-\x7e]*$/.test(value)) {
      throw new ConfigurationError(`headers.${name}`, 'must be text of printable ASCII characters');
    }
    headers[lower] = value;
  }
  return headers;
}
