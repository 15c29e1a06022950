import { randomUUID } from 'node:crypto';
import { BankClient } from '../../src/client/bank-client.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import { type Deployment, type SandboxOptions, startSandbox } from '../../src/sandbox/index.js';

/** Whether this is the second run of the folder, against replies as a real deployment writes them. */
export const isDeployed = process.env['SANDBOX_DEPLOYMENT'] === 'laravel';

/** Forms of the replies in this run. */
export const deployment: Deployment = isDeployed ? { like: 'laravel' } : {};

/** Everybody's client against the sandbox, over real HTTP, in the sandbox's time: two implementations of one text. */
export async function stage(
  prefix = '',
  options: Pick<SandboxOptions, 'variants' | 'reply' | 'webhooks'> = {},
) {
  const sandbox = await startSandbox({
    clock: 'manual',
    startAt: '2026-03-01T10:00:00Z',
    prefix,
    rateLimit: false,
    deployment,
    ...options,
  });
  const { dealer, platform, bank } = sandbox.credentials;
  const common = {
    baseUrl: sandbox.baseUrl,
    clock: sandbox.clock,
    logLevel: 'off' as const,
    // Retries wait for no time at all.
    randomness: { uuid: randomUUID, nonce: randomUUID, fraction: () => 0 },
    quota: { limit: Number.POSITIVE_INFINITY },
  };
  const asDealer = () =>
    new PartnerClient({
      environment: 'sandbox',
      ...common,
      credentials: dealer,
      partnerType: 'direct_dealer',
      dealerId: dealer.dealerId,
    });
  const clients = {
    dealer: asDealer(),
    /** The same dealer on a store of its own, which knows nothing of what the other one sent. */
    forgetful: asDealer(),
    platform: new PartnerClient({
      environment: 'sandbox',
      ...common,
      credentials: platform,
      partnerType: 'platform',
      dealerId: platform.dealerId,
    }),
    bank: new BankClient({ environment: 'sandbox', ...common, credentials: bank }),
  };
  return {
    sandbox,
    ...clients,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(Object.values(clients).map((client) => client.close()));
      await sandbox.close();
    },
  };
}

export type Stage = Awaited<ReturnType<typeof stage>>;
