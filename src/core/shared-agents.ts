import type { Agent } from 'undici';

/** The connections of this process. */
export interface SharedAgents {
  readonly forCalls: Agent;
  /** Apart, so that photos which nobody reads to the end can't keep a bid from a connection. */
  readonly forStreams: Agent;
  /** Exchanges that have begun and not ended. */
  underWay: number;
}

/** Takes a share in the connections, opening none yet. */
export async function takeAgents(): Promise<SharedAgents> {
  const entry = lending();
  // undici costs 80 ms to load, so it is loaded at the first call.
  entry.agents ??= import('undici').then(({ Agent }) => ({
    forCalls: new Agent({ ...agentOptions, connections: 64 }),
    forStreams: new Agent({ ...agentOptions, connections: 16 }),
    underWay: 0,
  }));
  // Counted before the wait, so that nobody closes meanwhile what this one is about to use.
  entry.users += 1;
  try {
    return await entry.agents;
  } catch (error) {
    entry.users -= 1;
    entry.agents = undefined;
    throw error;
  }
}

/** Gives a share back; the last one closes what is open. */
export async function releaseAgents(): Promise<void> {
  const entry = lending();
  entry.users -= 1;
  const held = entry.agents;
  if (entry.users > 0 || held === undefined) return;
  entry.agents = undefined;
  const { forCalls, forStreams, underWay } = await held;
  // A connect that nobody waits for any more would hold a graceful close until it times out.
  const end = (agent: Agent) => (underWay === 0 ? agent.destroy() : agent.close());
  await Promise.all([end(forCalls), end(forStreams)]);
}

const agentOptions = {
  pipelining: 1,
  connect: { timeout: 10_000 },
  // Attempts have timers of their own that also cover the body.
  headersTimeout: 0,
  bodyTimeout: 0,
} as const;

interface Lending {
  agents: Promise<SharedAgents> | undefined;
  users: number;
}

// The ESM and the CJS build are two copies of this module; the sockets are one set per process.
const lendingKey = Symbol.for('vehicle-auction-sdk.agents');
const registry: typeof globalThis & { [lendingKey]?: Lending } = globalThis;

function lending(): Lending {
  registry[lendingKey] ??= { agents: undefined, users: 0 };
  return registry[lendingKey];
}
