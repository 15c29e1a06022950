import type { SharedAgents } from './open-agents.js';

/** Takes a share in the connections that go by `key`; the first one makes them. */
export function takeAgents(key: string, open: () => Promise<SharedAgents>): Promise<SharedAgents> {
  return lending().take(key, open);
}

/** Gives a share back; the last one closes what is open. */
export function releaseAgents(key: string): Promise<void> {
  return lending().release(key);
}

/** Who uses which connections, in this process. */
interface Lending {
  take(key: string, open: () => Promise<SharedAgents>): Promise<SharedAgents>;
  release(key: string): Promise<void>;
}

interface Loan {
  agents: Promise<SharedAgents> | undefined;
  users: number;
}

// The ESM and the CJS build are two copies of this module; the sockets are one set per process. Copies of several
// versions meet here, so what stands under this name keeps its shape.
const lendingKey = Symbol.for('vehicle-auction-sdk.agents');
const registry: typeof globalThis & { [lendingKey]?: Lending } = globalThis;

function lending(): Lending {
  registry[lendingKey] ??= createLending();
  return registry[lendingKey];
}

/** The loans lie in a closure: whoever looks at `globalThis` finds neither keys nor agents, which know proxies' passwords. */
function createLending(): Lending {
  const loans = new Map<string, Loan>();
  const leave = (key: string, loan: Loan): boolean => {
    loan.users -= 1;
    return loan.users === 0 && loans.delete(key);
  };
  return Object.freeze({
    async take(key: string, open: () => Promise<SharedAgents>) {
      const loan = loans.get(key) ?? { agents: undefined, users: 0 };
      loans.set(key, loan);
      // Counted before the wait, so that nobody closes meanwhile what this one is about to use.
      loan.users += 1;
      loan.agents ??= open();
      const opening = loan.agents;
      try {
        return await opening;
      } catch (error) {
        if (loan.agents === opening) loan.agents = undefined;
        leave(key, loan);
        throw error;
      }
    },
    async release(key: string) {
      const loan = loans.get(key);
      if (loan === undefined || !leave(key, loan)) return;
      const agents = await loan.agents;
      await agents?.end();
    },
  });
}
