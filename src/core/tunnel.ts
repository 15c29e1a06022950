import { isIPv6, Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { type ProxyAddress, portOf } from './proxies.js';

type Connector = buildConnector.connector;

export interface Tunnel {
  readonly connect: Connector;
  /** Gives up tunnels that aren't open yet. */
  destroy(): Promise<void>;
}

/**
 * Tunnels by CONNECT, whatever the scheme of the destination: the proxy learns host and port, and carries bytes. It
 * is not undici's ProxyAgent, which connects again without end (thousands of times a second) where a proxy hangs up
 * on CONNECT, and would wait five minutes for a silent one.
 */
export function tunnelThrough(
  proxy: ProxyAddress,
  Pool: typeof import('undici').Pool,
  { direct, timeoutMs }: { readonly direct: Connector; readonly timeoutMs: number },
): Tunnel {
  const pool = new Pool(proxy.origin, {
    // undici would ask an https proxy for the certificate of the host that CONNECT names.
    connect: ({ servername: _, ...options }, callback) => direct(options, callback),
    headersTimeout: timeoutMs,
  });
  const open = async (authority: string): Promise<Socket> => {
    const { statusCode, socket } = await pool
      .connect({ path: authority, headers: headersFor(authority, proxy) })
      .catch((error: unknown) => {
        throw new ProxyFailure(`The proxy could not be used: ${reasonOf(error)}`, error);
      });
    if (statusCode >= 200 && statusCode < 300 && socket instanceof Socket && !socket.destroyed) return socket;
    socket.on('error', () => undefined).destroy();
    throw new ProxyFailure(`The proxy opened no tunnel (HTTP ${statusCode}${hints[statusCode] ?? ''})`);
  };
  return {
    connect: (destination, callback) => {
      open(authorityOf(destination)).then(
        (socket) => {
          if (destination.protocol === 'https:') direct({ ...destination, httpSocket: socket }, callback);
          else callback(null, socket);
        },
        (error: Error) => callback(error, null),
      );
    },
    destroy: () => pool.destroy(),
  };
}

/** Without the code of its cause: undici takes some codes for a reason to connect again. */
class ProxyFailure extends Error {
  static {
    this.prototype.name = 'ProxyFailure';
  }

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

const hints: Readonly<Record<number, string>> = {
  403: ': it does not let this host through',
  407: ': it wants a user name and a password, or other ones',
};

function headersFor(authority: string, { authorization }: ProxyAddress): Record<string, string> {
  return {
    host: authority,
    'proxy-connection': 'keep-alive',
    ...(authorization !== undefined && { 'proxy-authorization': authorization }),
  };
}

function authorityOf({ protocol, hostname, port }: buildConnector.Options): string {
  return `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${portOf({ protocol, port })}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Where several addresses were tried, the message is empty.
  return error.message || ('code' in error ? String(error.code) : error.name);
}
