import type { Agent } from 'undici';
import { type Transport, TransportFailure } from './transport.js';

/** The default transport: undici's `request` on one bounded Agent that all clients of the process share. */
export function undiciTransport(): Transport {
  let lease: Promise<Agent> | undefined;
  let closed = false;
  return {
    async send({ origin, path, method, headers, body, signal }) {
      if (closed) throw new TransportFailure('no', new Error('The transport is closed'));
      lease ??= takeAgent();
      const agent = await lease;
      try {
        const reply = await agent.request({ origin, path, method, headers, body: body ?? null, signal });
        return {
          status: reply.statusCode,
          headers: reply.headers,
          body: reply.body,
          discard: () => {
            reply.body.on('error', () => undefined);
            reply.body.destroy();
          },
        };
      } catch (error) {
        throw new TransportFailure(neverLeft(error) ? 'no' : 'maybe', error);
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      if (lease !== undefined) await releaseAgent();
    },
  };
}

interface SharedAgent {
  agent: Promise<Agent> | undefined;
  users: number;
}

// The ESM and the CJS build are two copies of this module; the sockets are one per process.
const sharedKey = Symbol.for('vehicle-auction-sdk.agent');
const registry: typeof globalThis & { [sharedKey]?: SharedAgent } = globalThis;

function shared(): SharedAgent {
  registry[sharedKey] ??= { agent: undefined, users: 0 };
  return registry[sharedKey];
}

function takeAgent(): Promise<Agent> {
  const entry = shared();
  entry.users += 1;
  // undici costs 80 ms to load, so it is loaded at the first call.
  entry.agent ??= import('undici').then(
    ({ Agent }) =>
      new Agent({
        connections: 64,
        pipelining: 1,
        connect: { timeout: 10_000 },
        // Attempts have timers of their own that also cover the body.
        headersTimeout: 0,
        bodyTimeout: 0,
      }),
  );
  return entry.agent;
}

async function releaseAgent(): Promise<void> {
  const entry = shared();
  entry.users -= 1;
  if (entry.users > 0) return;
  const { agent } = entry;
  entry.agent = undefined;
  await (await agent)?.close();
}

const connectCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** True only for failures before a connection stood: name look-up, connect, TLS. A reset proves nothing. */
function neverLeft(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  return syscall === 'connect' || (typeof code === 'string' && connectCodes.has(code));
}
