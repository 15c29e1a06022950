import { Agent } from 'undici';
import { PartnerClient } from 'vehicle-auction-sdk';
import type { Work } from './measure.js';
import { serverApart } from './server.js';

export interface Rivals {
  /** Signed, retried, checked calls of the client. */
  readonly ours: Work;
  /** `undici.request` and `JSON.parse`, and nothing else. */
  readonly bare: Work;
}

/** Runs `use` against a server in a process of its own, with so many calls under way at once. */
export async function againstServer<T>(
  use: (make: (concurrency: number) => Rivals) => Promise<T>,
): Promise<T> {
  const server = await serverApart();
  const { origin } = server;
  const agent = new Agent({ connections: 64, pipelining: 1 });
  const client = new PartnerClient({
    environment: 'sandbox',
    baseUrl: `${origin}/api/v1`,
    credentials: {
      clientId: 'cl_bench',
      keyId: 'key_bench',
      signingSecret: 'bench-only-secret-0123456789abcdef',
    },
    partnerType: 'direct_dealer',
    // What is measured is the work of a call, not the wait for its turn.
    quota: { limit: Number.POSITIVE_INFINITY },
  });
  const get = async () => {
    const reply = await agent.request({ origin, path: '/api/v1/events/auc_bench', method: 'GET' });
    await reply.body.json();
  };
  try {
    return await use((concurrency) => ({
      ours: inParallel(concurrency, () => client.events.get('auc_bench')),
      bare: inParallel(concurrency, get),
    }));
  } finally {
    await client.close();
    await agent.close();
    server.close();
  }
}

function inParallel(concurrency: number, call: () => Promise<unknown>): Work {
  return async (count) => {
    let left = count;
    const lane = async () => {
      while (left > 0) {
        left -= 1;
        await call();
      }
    };
    await Promise.all(Array.from({ length: concurrency }, lane));
  };
}
