import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { ConfigurationError } from '../../errors/local.js';
import { isError } from '../../errors/thrown.js';
import { nodeModule } from '../../runtime/node-modules.js';

const net = nodeModule('node:net');
const { BlockList, isIP, isIPv6 } = net;

type Connector = buildConnector.connector;

/** A proxy that opens tunnels (CONNECT). */
export interface ProxyAddress {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The value of `proxy-authorization`: a secret. */
  readonly authorization: string | undefined;
}

/** Destination of a connection. */
export interface Destination {
  readonly protocol: string;
  /** Without brackets. */
  readonly hostname: string;
  /** Empty for the scheme's own. */
  readonly port: string;
}

/** The proxy of each destination. */
export interface Proxies {
  /** Equal for equal proxies. It holds their secrets: digest it before it goes anywhere. */
  readonly identity: string;
  proxyFor(destination: Destination): ProxyAddress | undefined;
}

/** Resolves the option `proxy`; undefined if there is none. @throws ConfigurationError, which never shows a URL. */
export function resolveProxies(option: unknown): Proxies | undefined {
  if (option === undefined) return undefined;
  if (option === 'env') return fromEnvironment(process.env);
  const proxy = parseProxy(option, `must be ${EXPECTED}, or 'env'`);
  return { identity: JSON.stringify([proxy]), proxyFor: () => proxy };
}

function portOf({ protocol, port }: Pick<Destination, 'protocol' | 'port'>): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

const EXPECTED = 'the URL of an http or https proxy, such as http://proxy.example:3128';

/** The values of the variables now; later changes apply to clients that are made later. */
function fromEnvironment(variables: NodeJS.ProcessEnv): Proxies | undefined {
  const read = (name: string) => {
    const lower = variables[name.toLowerCase()];
    return lower === undefined
      ? { name, value: variables[name] }
      : { name: name.toLowerCase(), value: lower };
  };
  const proxyOf = (variable: string): ProxyAddress | undefined => {
    const { name, value = '' } = read(variable);
    if (value === '') return undefined;
    // Many tools take `proxy.example:3128` in these variables.
    const url = value.includes('://') ? value : `http://${value}`;
    return parseProxy(url, `is read from ${name}, which must be ${EXPECTED}`);
  };
  const ownHttp = proxyOf('HTTP_PROXY');
  const ownHttps = proxyOf('HTTPS_PROXY');
  // Read only if it counts: it often names a SOCKS proxy next to the other two.
  const forAll = ownHttp === undefined && ownHttps === undefined ? proxyOf('ALL_PROXY') : undefined;
  const forHttp = ownHttp ?? forAll;
  const forHttps = ownHttps ?? forHttp;
  const exceptions = parseExceptions(read('NO_PROXY').value ?? '');
  if (forHttp === undefined && forHttps === undefined) return undefined;
  return {
    identity: JSON.stringify([forHttp, forHttps, exceptions]),
    proxyFor: (destination) => {
      if (exceptions.some((exception) => matches(exception, destination))) return undefined;
      return destination.protocol === 'https:' ? forHttps : forHttp;
    },
  };
}

function parseProxy(value: unknown, problem: string): ProxyAddress {
  // No cause is kept: the error of a URL that doesn't parse carries the whole of it, password included.
  const refused = new ConfigurationError('proxy', problem);
  if (typeof value !== 'string' || !/^https?:\/\/\S+$/i.test(value)) throw refused;
  try {
    const { origin, pathname, search, hash, username, password } = new URL(value);
    if (pathname !== '/' || search !== '' || hash !== '') throw refused;
    if (username === '' && password === '') return { origin, authorization: undefined };
    const userinfo = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return { origin, authorization: `Basic ${Buffer.from(userinfo, 'utf8').toString('base64')}` };
  } catch {
    throw refused;
  }
}

interface Exception {
  /** In lower case, without brackets; `*` means all. */
  readonly hostname: string;
  /** 0 for every port. */
  readonly port: number;
}

/**
 * `NO_PROXY`: hosts, with all below them, addresses, and blocks such as `10.0.0.0/8`, separated by commas or white space. Hosts and
 * addresses may have a port.
 */
function parseExceptions(list: string): Exception[] {
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [, name = entry, port = '0'] = (isIP(entry) === 0 && /^(.+):(\d+)$/.exec(entry)) || [];
      return { hostname: name.replace(/^\*?\.|^\[|\]$|\.$/g, '').toLowerCase(), port: Number(port) };
    });
}

function matches(exception: Exception, destination: Destination): boolean {
  if (exception.port !== 0 && exception.port !== portOf(destination)) return false;
  const { hostname } = exception;
  const asked = destination.hostname.replace(/\.$/, '');
  if (hostname.includes('/')) return isInBlock(asked, hostname);
  // An IPv6 address has several spellings.
  if (isIPv6(hostname)) return isInBlock(asked, `${hostname}/128`);
  return hostname === '*' || asked === hostname || asked.endsWith(`.${hostname}`);
}

/** Whether an address is in a CIDR block; a host by name is in none, because it is not resolved here. */
function isInBlock(address: string, block: string): boolean {
  const [network = '', prefix = ''] = block.split('/');
  const version = isIP(address);
  const isBlock = /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 6 ? 128 : 32);
  if (version === 0 || isIP(network) !== version || !isBlock) return false;
  const family = version === 6 ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family);
  return list.check(address, family);
}

export interface Tunnel {
  readonly connect: Connector;
  /** Gives up tunnels that aren't open yet. */
  destroy(): Promise<void>;
}

/**
 * Tunnels by CONNECT for every scheme: the proxy sees host and port, and forwards bytes. undici's `ProxyAgent` is not
 * used: it reconnects endlessly (thousands of times per second) if the proxy closes the connection on CONNECT, and waits
 * five minutes for a proxy that does not respond.
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
    if (statusCode >= 200 && statusCode < 300 && socket instanceof net.Socket && !socket.destroyed)
      return socket;
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
  if (!isError(error)) return String(error);
  // The message is empty if several addresses were tried.
  return error.message || ('code' in error ? String(error.code) : error.name);
}
