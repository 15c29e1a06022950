import { BankClient } from '../../src/client/bank-client.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import { type LearnOptions, learn } from '../../src/learn/learn.js';
import type { DeploymentProfile, LearnedQuestion } from '../../src/learn/profile.js';
import type { Sandbox } from '../../src/sandbox/index.js';

export type Who = 'dealer' | 'platform' | 'bank';

/** What one client learns of a sandbox. */
export async function learnedFrom(
  { baseUrl, clock, credentials }: Pick<Sandbox, 'baseUrl' | 'clock' | 'credentials'>,
  who: Who,
  options: Partial<LearnOptions> = {},
): Promise<DeploymentProfile> {
  const common = {
    environment: 'sandbox',
    baseUrl,
    clock,
    logLevel: 'off',
    quota: { limit: Number.POSITIVE_INFINITY },
    maxAttempts: 1,
  } as const;
  const { dealerId = '' } = credentials[who];
  const client =
    who === 'bank'
      ? new BankClient({ ...common, credentials: credentials.bank })
      : new PartnerClient({
          ...common,
          credentials: credentials[who],
          partnerType: who === 'dealer' ? 'direct_dealer' : 'platform',
          dealerId,
        });
  try {
    return await learn(client, { origin: baseUrl, clock, ...options });
  } finally {
    await client.close();
  }
}

/** Verdict and findings by `row: question`. */
export function answers(profile: DeploymentProfile): Record<string, string> {
  return Object.fromEntries(
    profile.rows.flatMap(({ id, questions }) =>
      questions.map((one) => [`${id}: ${one.question}`, answerOf(one)]),
    ),
  );
}

function answerOf({ verdict, findings }: LearnedQuestion): string {
  return [verdict, ...findings].join(' | ');
}
