import type { Agent, buildConnector } from 'undici';
import { ConfigurationError } from '../../errors/local.js';
import { checkNames } from '../../runtime/injected.js';
import { nodeModule } from '../../runtime/node-modules.js';
import { type Proxies, type ProxyAddress, resolveProxies, type Tunnel, tunnelThrough } from './proxy.js';
import { resolveTls, secureContextOf, type TlsOptions, type TlsSettings } from './tls.js';

const { isIP, Socket } = nodeModule('node:net');

/** The part of an undici `Dispatcher` that is used; an `Agent` or `Pool` of any undici from version 7 on has it. */
export interface RequestDispatcher {
  dispatch(options: object, handler: object): boolean;
}

/** Connection options of the default transport. */
export interface UndiciTransportOptions {
  /**
   * URL of an http or https proxy, such as `http://proxy.example:3128`, with `user:password@` where it requires them;
   * or `'env'` for `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` (in either case) as they are when the client is made.
   * Requests go through a CONNECT tunnel, so the proxy learns the service's host and port and nothing else. Its password
   * shows in no log, error or inspection.
   */
  readonly proxy?: string | undefined;
  /** Certificates to trust, and a certificate of your own. */
  readonly tls?: TlsOptions | undefined;
  /** Limit of the headers of a reply, in bytes; defaults to 16,384. Not together with `dispatcher`. */
  readonly maxHeaderSize?: number | undefined;
  /**
   * The IP address of this machine that connections come from, to the service or to the proxy, if only some are
   * allowed. Not together with `dispatcher`.
   */
  readonly localAddress?: string | undefined;
  /**
   * A dispatcher of undici 7 or later, such as an `Agent`, which you close. It can't be combined with `proxy`,
   * `tls`, `maxHeaderSize` or `localAddress`.
   */
  readonly dispatcher?: RequestDispatcher | undefined;
}

/** Settings of connections. */
export interface Connections {
  readonly proxies: Proxies | undefined;
  readonly tls: TlsSettings | undefined;
  readonly maxHeaderSize: number | undefined;
  readonly localAddress: string | undefined;
  readonly dispatcher: RequestDispatcher | undefined;
  /** Equal for equal options only. Secrets are part of it: it never leaves this file. */
  readonly key: string;
}

/** @throws ConfigurationError for options that cannot work. */
export function resolveConnections(options: UndiciTransportOptions): Connections {
  // A misspelled `proxy` would bypass the proxy.
  checkNames('', options, [...ownConnections, 'dispatcher']);
  const { dispatcher, maxHeaderSize, localAddress } = options;
  checkHeaderSize(maxHeaderSize);
  if (localAddress !== undefined && isIP(localAddress) === 0) {
    const problem = 'must be an IP address of this machine, such as 192.0.2.10';
    throw new ConfigurationError('localAddress', problem, { given: localAddress });
  }
  if (dispatcher !== undefined) {
    checkDispatcher(dispatcher);
    const ignored = ownConnections.find((name) => options[name] !== undefined);
    if (ignored !== undefined) {
      const problem = 'must not be given together with dispatcher, which would ignore it';
      throw new ConfigurationError(ignored, problem);
    }
  }
  const proxies = resolveProxies(options.proxy);
  const tls = resolveTls(options.tls);
  const key = JSON.stringify([proxies?.identity, tls?.identity, maxHeaderSize, localAddress]);
  return { proxies, tls, maxHeaderSize, localAddress, dispatcher, key };
}

/** Options of the connections that this transport makes itself. */
const ownConnections = ['proxy', 'tls', 'maxHeaderSize', 'localAddress'] as const;

/** @throws ConfigurationError for anything but a dispatcher of undici 7 or later */
function checkDispatcher(dispatcher: RequestDispatcher): void {
  if (typeof dispatcher !== 'object' || dispatcher === null || typeof dispatcher.dispatch !== 'function') {
    throw new ConfigurationError('dispatcher', 'must be an undici Dispatcher, such as an Agent');
  }
  if (!isOlder(dispatcher)) return;
  const problem =
    'is of undici 6 or earlier, which reports replies differently; use undici 7 or later, as this package does';
  throw new ConfigurationError('dispatcher', problem);
}

/** Makes an invalid request and checks which method reports the refusal. Nothing is sent. */
function isOlder(dispatcher: RequestDispatcher): boolean {
  let reported: 'onError' | 'onResponseError' | undefined;
  const report = (how: typeof reported) => () => {
    reported ??= how;
  };
  const ignored = () => undefined;
  const handler = {
    onRequestStart: ignored,
    onResponseStart: ignored,
    onResponseData: ignored,
    onResponseEnd: ignored,
    onResponseError: report('onResponseError'),
    onConnect: ignored,
    onHeaders: ignored,
    onData: ignored,
    onComplete: ignored,
    onError: report('onError'),
  };
  try {
    dispatcher.dispatch({}, handler);
  } catch {
    // The dispatcher has not shown its version.
  }
  // Getters that undici 7 no longer has.
  return reported === undefined ? 'interceptors' in dispatcher : reported === 'onError';
}

const MAX_HEADER_SIZE = 1_048_576;

function checkHeaderSize(bytes: unknown): void {
  if (bytes === undefined) return;
  const isSize =
    typeof bytes === 'number' && Number.isInteger(bytes) && bytes >= 1_024 && bytes <= MAX_HEADER_SIZE;
  if (!isSize)
    throw new ConfigurationError('maxHeaderSize', 'must be a whole number of bytes, 1,024 to 1,048,576', {
      given: bytes,
    });
}

/** undici takes any async iterable as a body; its types name Node's streams only. */
interface Carrier {
  dispatch(
    options: Omit<Agent.DispatchOptions, 'body'> & {
      readonly body?: Agent.DispatchOptions['body'] | AsyncIterable<Uint8Array>;
    },
    handler: Parameters<Agent['dispatch']>[1],
  ): boolean;
}

/** Open connections, and how many exchanges use them. */
export interface Agents {
  readonly forCalls: Carrier;
  /** Separate, so that unread downloads cannot keep a bid from a connection. */
  readonly forStreams: Carrier;
  /** Exchanges that have begun and not ended. */
  underWay: number;
  /** Ends the connections, once the exchanges have ended. */
  end(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;

const agentOptions = {
  pipelining: 1,
  // Attempts have timers of their own, which also cover the body.
  headersTimeout: 0,
  bodyTimeout: 0,
} as const;

async function openAgents({ proxies, tls, maxHeaderSize, localAddress }: Connections): Promise<Agents> {
  // undici takes 80 ms to load, so it is loaded at the first call.
  const { Agent, buildConnector, Pool } = await import('undici');
  const connects = pendingConnects(
    buildConnector({
      timeout: CONNECT_TIMEOUT_MS,
      ...(tls !== undefined && { secureContext: await secureContextOf(tls) }),
      ...(localAddress !== undefined && { family: isIP(localAddress) }),
    }),
    localAddress,
  );
  const direct = connects.connect;
  const tunnels = new Map<ProxyAddress, Tunnel>();
  const tunnel = (proxy: ProxyAddress): Tunnel => {
    const open = tunnels.get(proxy) ?? tunnelThrough(proxy, Pool, { direct, timeoutMs: CONNECT_TIMEOUT_MS });
    tunnels.set(proxy, open);
    return open;
  };
  const connect: buildConnector.connector = (destination, callback) => {
    const proxy = proxies?.proxyFor(destination);
    if (proxy === undefined) direct(destination, callback);
    else tunnel(proxy).connect(destination, callback);
  };
  const options = { ...agentOptions, connect, ...(maxHeaderSize !== undefined && { maxHeaderSize }) };
  const forCalls = new Agent({ ...options, connections: 64 });
  const forStreams = new Agent({ ...options, connections: 16 });
  const agents: Agents = {
    forCalls,
    forStreams,
    underWay: 0,
    async end() {
      // A connection attempt that nobody waits for would hold a graceful close, and the process, until it times out.
      const end = (agent: Agent) => (agents.underWay === 0 ? agent.destroy() : agent.close());
      await Promise.all([end(forCalls), end(forStreams)]);
      await Promise.all([...tunnels.values()].map((open) => open.destroy()));
      connects.giveUp();
    },
  };
  return agents;
}

/** A connector whose connection attempts can be cancelled; undici itself waits until they time out. */
function pendingConnects(connector: buildConnector.connector, localAddress: string | undefined) {
  const pending = new Set<unknown>();
  const connect: buildConnector.connector = (destination, callback) => {
    // The socket is returned, although its type is missing. Without it, an attempt ends when it times out.
    const from = localAddress === undefined ? destination : { ...destination, localAddress };
    const socket: unknown = connector(from, (...result) => {
      pending.delete(socket);
      callback(...result);
    });
    if (socket instanceof Socket) pending.add(socket);
  };
  const giveUp = () => {
    for (const socket of pending) {
      if (socket instanceof Socket) socket.destroy(new Error('The connections are closed'));
    }
  };
  return { connect, giveUp };
}

/** The connections of a transport, shared by all transports of this process that are made alike. */
export interface AgentLease {
  readonly agents: Promise<Agents>;
  release(): Promise<void>;
}

interface Loan {
  readonly agents: Promise<Agents>;
  users: number;
}

const loans = new Map<string, Loan>();

/** Takes a share in connections; the first share opens them, the last one to be released closes them. */
export function leaseAgents(connections: Connections): AgentLease {
  const { dispatcher, key } = connections;
  if (dispatcher !== undefined) {
    const own = { forCalls: dispatcher, forStreams: dispatcher, underWay: 0, end: async () => undefined };
    return { agents: Promise.resolve(own), release: own.end };
  }
  const loan = loans.get(key) ?? { agents: openAgents(connections), users: 0 };
  loans.set(key, loan);
  // Counted before the wait, so that what this share is about to use is not closed meanwhile.
  loan.users += 1;
  loan.agents.catch(() => loans.get(key) === loan && loans.delete(key));
  return {
    agents: loan.agents,
    async release() {
      loan.users -= 1;
      if (loan.users > 0) return;
      if (loans.get(key) === loan) loans.delete(key);
      await (await loan.agents).end();
    },
  };
}
