import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Identity } from './certificates.js';
import { listen } from './loopback.js';

/** What a proxy makes of a CONNECT: lets it through, answers with a status, hangs up, or says nothing until told. */
export type Answer = 'open' | number | 'hang up' | 'wait';

export interface TunnelSeen {
  /** Host and port that were asked for. */
  readonly target: string;
  /** The address that it came from. */
  readonly from: string | undefined;
  /** Names as they came. */
  readonly headers: Readonly<Record<string, string>>;
  /** What came after the CONNECT. */
  readonly sent: Buffer[];
  /** Resolves when the client's side of it is closed. */
  readonly closed: Promise<void>;
  /** Lets a waiting tunnel through after all. */
  open(): void;
}

export interface ConnectProxy extends AsyncDisposable {
  /** Host and port, as a URL takes them. */
  readonly host: string;
  readonly tunnels: readonly TunnelSeen[];
  /** Whatever was asked for without a tunnel. */
  readonly requests: readonly string[];
  readonly connections: { readonly count: number };
}

/** A proxy on loopback that leads every tunnel to one port of 127.0.0.1, whatever host it asks for. */
export async function connectProxy(
  port: number,
  { answer = () => 'open', identity }: { answer?: (target: string) => Answer; identity?: Identity } = {},
): Promise<ConnectProxy> {
  const tunnels: TunnelSeen[] = [];
  const server = identity === undefined ? createServer() : createTlsServer(identity);
  server.on('request', (_, res) => res.writeHead(500).end());
  server.on('connect', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    const sent = [head];
    const open = () => {
      const service = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        service.write(head);
        socket.pipe(service).pipe(socket);
      });
      service.on('error', () => socket.destroy());
      socket.on('close', () => service.destroy());
    };
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => sent.push(chunk));
    // A client that is gone has only ended its side, as servers of node:http see it.
    const closed = new Promise<void>((resolve) => {
      socket.once('end', resolve).once('close', resolve);
    });
    tunnels.push({
      target: req.url ?? '',
      from: req.socket.remoteAddress,
      headers: pairsOf(req.rawHeaders),
      sent,
      closed,
      open,
    });
    const given = answer(req.url ?? '');
    if (given === 'open') open();
    else if (given === 'hang up') socket.end();
    else if (given !== 'wait') socket.end(`HTTP/1.1 ${given} No\r\ncontent-length: 2\r\n\r\nno`);
  });
  const { requests, connections, port: own, [Symbol.asyncDispose]: dispose } = await listen(server);
  return { host: `127.0.0.1:${own}`, tunnels, requests, connections, [Symbol.asyncDispose]: dispose };
}

function pairsOf(raw: readonly string[]): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (let at = 0; at < raw.length; at += 2) pairs[raw[at] ?? ''] = raw[at + 1] ?? '';
  return pairs;
}
