import type { Agent, buildConnector } from 'undici';
import { type Certificates, trusting } from './certificates.js';
import { pendingConnects } from './pending-connects.js';
import type { Proxies, ProxyAddress } from './proxies.js';
import { type Tunnel, tunnelThrough } from './tunnel.js';

/** How connections are made; those that are made alike are shared. */
export interface ConnectionOptions {
  readonly proxies: Proxies | undefined;
  readonly certificates: Certificates | undefined;
}

/** undici takes any async iterable as a body; its types name Node's streams only. */
export interface Carrier {
  dispatch(
    options: Omit<Agent.DispatchOptions, 'body'> & {
      readonly body?: Agent.DispatchOptions['body'] | AsyncIterable<Uint8Array>;
    },
    handler: Parameters<Agent['dispatch']>[1],
  ): boolean;
}

/** Connections, and what of them is in use. */
export interface SharedAgents {
  readonly forCalls: Carrier;
  /** Apart, so that photos which nobody reads to the end can't keep a bid from a connection. */
  readonly forStreams: Carrier;
  /** Exchanges that have begun and not ended. */
  underWay: number;
  /** Ends the connections, once the exchanges under way have ended. */
  end(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;

const agentOptions = {
  pipelining: 1,
  // Attempts have timers of their own that also cover the body.
  headersTimeout: 0,
  bodyTimeout: 0,
} as const;

/** Makes agents; connections are opened as they are needed. */
export async function openAgents({ proxies, certificates }: ConnectionOptions): Promise<SharedAgents> {
  // undici costs 80 ms to load, so it is loaded at the first call.
  const { Agent, buildConnector, Pool } = await import('undici');
  const connects = pendingConnects(
    buildConnector({
      timeout: CONNECT_TIMEOUT_MS,
      ...(certificates !== undefined && { secureContext: await trusting(certificates) }),
    }),
  );
  const direct = connects.connect;
  const tunnels = new Map<ProxyAddress, Tunnel>();
  const tunnel = (proxy: ProxyAddress): Tunnel => {
    const known = tunnels.get(proxy) ?? tunnelThrough(proxy, Pool, { direct, timeoutMs: CONNECT_TIMEOUT_MS });
    tunnels.set(proxy, known);
    return known;
  };
  const connect: buildConnector.connector = (destination, callback) => {
    const proxy = proxies?.proxyFor(destination);
    if (proxy === undefined) direct(destination, callback);
    else tunnel(proxy).connect(destination, callback);
  };
  const forCalls = new Agent({ ...agentOptions, connect, connections: 64 });
  const forStreams = new Agent({ ...agentOptions, connect, connections: 16 });
  const agents: SharedAgents = {
    forCalls,
    forStreams,
    underWay: 0,
    async end() {
      // A connect that nobody waits for any more would hold a graceful close, and the process, until it times out.
      const end = (agent: Agent) => (agents.underWay === 0 ? agent.destroy() : agent.close());
      await Promise.all([end(forCalls), end(forStreams)]);
      await Promise.all([...tunnels.values()].map((open) => open.destroy()));
      connects.giveUp();
    },
  };
  return agents;
}
