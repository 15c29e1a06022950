import { expect, it } from 'vitest';
import { type DeploymentProfile, merged } from '../../src/learn/profile.js';
import type { Sandbox, SandboxOptions, Variants } from '../../src/sandbox/index.js';
import { choices } from '../../src/sandbox/variants.js';
import { unknowns } from '../../tools/generate/reference.js';
import { onManualClock } from '../sandbox/caller.js';
import { answers, learnedFrom, livelySandbox, type Who } from './deployments.js';

/** What several clients learn one after the other, in one profile. */
async function learnedBy(sandbox: Sandbox, ...clients: readonly Who[]): Promise<DeploymentProfile> {
  let profile: DeploymentProfile | undefined;
  for (const who of clients) {
    const before = profile;
    const now = await learnedFrom(sandbox, who, { allowWrites: true, before });
    const { profile: next, drift } = before === undefined ? { profile: now, drift: [] } : merged(before, now);
    expect(drift).toEqual([]);
    profile = next;
  }
  if (profile === undefined) throw new Error('nobody learned');
  return profile;
}

it('A sandbox settles nine of ten rows that can be observed, and confirms each', async () => {
  const sandbox = await livelySandbox();
  const first = await learnedBy(sandbox, 'dealer', 'platform', 'bank');
  sandbox.clock.advance(2 * 3_600_000);
  const later = await learnedFrom(sandbox, 'dealer', { before: first });
  const { profile } = merged(first, later);
  const observable = unknowns.filter((row) => row.observable !== 'no').length;
  const settled = profile.rows.filter(({ verdict }) => verdict !== 'still open');
  expect(settled.filter(({ verdict }) => verdict === 'refuted')).toEqual([]);
  expect(settled.length / observable).toBeGreaterThanOrEqual(0.9);
  expect(answers(profile)['key-retention: a key is remembered for']).toBe('confirmed | an hour or longer');
});

/** Answers of a switched sandbox that differ from those of the default one. */
const differing: {
  readonly [Row in keyof Variants]: Readonly<Record<string, Readonly<Record<string, string>>>>;
} = {
  'bank-unavailable-status': { '403': {} },
  'inactive-client-status': { '403': {} },
  'wrong-actor-code': {
    'bank-access-denied': {
      'wrong-actor-code: a call of the other actor': 'refuted | 403 BANK_ACCESS_DENIED',
    },
    message: { 'wrong-actor-code: a call of the other actor': 'refuted | 403 without a code' },
    // There may be no such operation.
    'not-found': {
      'wrong-actor-code: a call of the other actor': 'still open',
      'inventory-schema-actors: a partner reads schemas': 'still open',
    },
  },
  'idempotency-conflict-message': {
    message: {
      'idempotency-conflict-message: another bid under the key of a bid': 'refuted | 409 with a message',
    },
  },
  'key-in-flight': { refused: {} },
  'key-retention': { 'a-day': {} },
  'lookup-unknown-key': { 'not-found': { 'lookup-unknown-key: state of an unused key': 'refuted | 404' } },
  'expected-version-conflict': {
    '412': { 'expected-version-conflict: a version that is not current': 'refuted | 412' },
    '422': {
      'expected-version-conflict: a version that is not current': 'refuted | 422 on expected_version',
    },
    code: { 'expected-version-conflict: a version that is not current': 'refuted | 409 VERSION_CONFLICT' },
  },
  'new-record-version': { stays: { 'new-record-version: the sale after A24': 'refuted | stays' } },
  'decision-values': { 'rejected-too': { 'decision-values: A22 with "rejected"': 'refuted | taken' } },
  'second-approver-reply': { 'two-approvers': {} },
  'late-bid-extension': { 'late-bids-extend': {} },
  // A body with an unknown field is refused, however deep it is.
  'unknown-fields': { refused: { 'body-nesting: levels of a body': 'still open' } },
  'unstated-checks': {
    passed: {
      'implausible-times: paid_at in the future': 'refuted | taken',
      'implausible-times: valid_until in the past': 'refuted | taken',
      'second-acknowledgment: A23 on an acknowledged sale': 'refuted | taken',
      'second-cancellation-request: A07 while another request is pending': 'refuted | taken',
      'utr-reported-twice: A36 with a utr that was reported': 'refuted | taken',
    },
  },
  'webhook-operative': { on: { 'webhook-operative: webhooks.enabled': 'refuted | true' } },
};

let usual: Promise<Record<string, string>> | undefined;

async function answersOf(options: SandboxOptions = {}) {
  return answers(await learnedBy(await livelySandbox(options), 'dealer', 'bank'));
}

it.each([1, 2, 3])(
  'Switched to choice %i of each variant, a sandbox gives those other answers only',
  async (n) => {
    const rows = Object.entries(choices).flatMap(([row, all]) => {
      const choice: string | undefined = all[n];
      return choice === undefined ? [] : [[row, choice] as const];
    });
    usual ??= answersOf();
    const [before, now] = [await usual, await answersOf({ variants: Object.fromEntries(rows) })];
    const changed = Object.entries(now).filter(([question, answer]) => before[question] !== answer);
    const expected = rows.map(([row, choice]) => differing[row as keyof Variants][choice]);
    expect(rows).not.toEqual([]);
    expect(Object.fromEntries(changed)).toEqual(Object.assign({}, ...expected));
  },
);

it('A sandbox that writes its replies as a framework does settles fewer questions, and none wrongly', async () => {
  await using sandbox = await onManualClock({ deployment: { like: 'laravel' } });
  const found = answers(await learnedFrom(sandbox, 'dealer', { allowWrites: true }));
  const refuted = Object.entries(found).filter(([, answer]) => answer.startsWith('refuted'));
  expect(Object.fromEntries(refuted)).toEqual({
    'eligibility-types: diagnostic_only': 'refuted | integer',
    'eligibility-types: eligible': 'refuted | integer',
    'time-precision: fraction of server_time': 'refuted | 6 digits',
    'time-precision: fraction of starts_at': 'refuted | 6 digits',
    'time-precision: offset of starts_at': 'refuted | UTC',
  });
});
