import { BankClient } from '../../src/client/bank-client.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import { undiciTransport } from '../../src/core/transport/undici.js';
import { type LearnOptions, learn } from '../../src/learn/learn.js';
import type { DeploymentProfile, LearnedQuestion } from '../../src/learn/profile.js';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.js';
import { bid, onManualClock } from '../sandbox/caller.js';
import { plusPaise, type Story, storyOf } from '../sandbox/story.js';

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
  const transport = undiciTransport();
  const signing = { baseUrl, credentials: credentials[who], transport };
  try {
    return await learn(client, { origin: baseUrl, clock, signing, ...options });
  } finally {
    await client.close();
    await transport.close();
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

/** A sandbox in which much has happened: sales in several states, documents, messages, bids of four minutes. */
export async function livelySandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await onManualClock(options);
  const auction = { bid_type: 'open', increment: '5000', opens: 0, closes: 500 } as const;
  for (const label of ['extra', 'fresh']) sandbox.auctions.add({ ...auction, label, name: label, lots: 6 });
  const { dealer, rival } = sandbox.credentials;
  const minute = () => sandbox.clock.advance(60_000);
  const lots = sandbox.auctions.get('fresh').lots;
  for (const { id, startingPrice } of lots.slice(0, 4)) {
    await bid(sandbox, dealer, id, { amount: startingPrice });
    minute();
  }
  const [first] = lots;
  if (first !== undefined)
    await bid(sandbox, rival, first.id, { amount: plusPaise(first.startingPrice, 500_000) });
  const story = await storyOf(sandbox, {});
  const acts = [
    'approve',
    'acknowledge',
    'import',
    'allocate',
    'upload',
    'release',
    'transfer',
    'read',
  ] as const;
  for (const act of acts) {
    await story.do(act);
    if (act === 'approve') await approveToo(story);
    minute();
  }
  await approveToo(await story.another({ label: 'live-no-grid' }, 'approve'));
  minute();
  await story.another({ label: 'extra' });
  minute();
  const legacy = sandbox.auctions.get('live-legacy');
  const amount = plusPaise(legacy.lots[0]?.startingPrice ?? '', 100_000);
  await story.another({ label: 'live-legacy', amount }, 'offer');
  minute();
  return sandbox;
}

/** The second approval, where a sandbox needs it. */
async function approveToo(story: Story): Promise<void> {
  if (story.newest('sale').state !== 'approved')
    await story.do('approve', {}, story.sandbox.credentials.bankChecker);
}
