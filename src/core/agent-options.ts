import { createHash } from 'node:crypto';
import { ConfigurationError } from '../errors/local.js';
import { resolveCertificates } from './certificates.js';
import type { ConnectionOptions } from './open-agents.js';
import { resolveProxies } from './proxies.js';

/** How the default transport makes its connections. */
export interface UndiciTransportOptions {
  /**
   * URL of an http or https proxy, such as `http://proxy.example:3128`, with `user:password@` where it wants them;
   * or `'env'` for what `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` (in either case) say when the client is made.
   * Requests go through a CONNECT tunnel, so the proxy learns the service's host and port and nothing else. Its
   * password shows in no log, error or inspection.
   */
  readonly proxy?: string | undefined;
  /**
   * Certificates (PEM text or bytes, one or many in each) to trust for the service and for an https proxy, beside
   * the ones that Node trusts anyway.
   */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
}

export interface AgentOptions extends ConnectionOptions {
  /** The same for equal options, and for no others; a digest, because it is made of secrets too. */
  readonly key: string;
}

/** @throws ConfigurationError for what can't work. */
export function resolveAgentOptions(options: UndiciTransportOptions): AgentOptions {
  if (typeof options !== 'object' || options === null)
    throw new ConfigurationError('options', 'must be an object');
  for (const name of Object.keys(options)) {
    // A misspelt `proxy` would go round the proxy.
    if (name !== 'proxy' && name !== 'ca')
      throw new ConfigurationError(name, 'is not an option; known options: proxy, ca');
  }
  const proxies = resolveProxies(options.proxy);
  const certificates = resolveCertificates(options.ca);
  const identity = JSON.stringify([proxies?.identity, certificates?.identity]);
  return { proxies, certificates, key: createHash('sha256').update(identity).digest('hex') };
}
