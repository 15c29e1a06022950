import { describe, expect, it } from 'vitest';
import type { ActName } from './commands.js';
import { plusPaise, type Story, saleAfterIn, told } from './story.js';

const two = (...names: readonly ActName[]) =>
  saleAfterIn(
    { variants: { 'second-approver-reply': 'two-approvers', 'decision-values': 'rejected-too' } },
    ...names,
  );
const terms = { due_at: '2026-03-08T10:00:00Z' };
const checker = (story: Story) => story.sandbox.credentials.bankChecker;
const second = (story: Story, change = {}) =>
  story.do('approve', { ...terms, reason: 'Seen', ...change }, checker(story));

describe('with two approvers', () => {
  // rule: state.sale
  it('the first decision shows by the version alone, and another credential commits it', async () => {
    const story = await two();
    const before = story.newest('sale');
    const first = await story.do('approve', terms);
    expect(first).toEqual({ ...before, resource_version: 2 });
    expect([story.newest('sale'), await story.news(story.sold.who)]).toEqual([first, []]);
    expect(await second(story)).toMatchObject({ state: 'approved', resource_version: 3 });
    expect(await story.news(story.sold.who)).toContain('sale.approved');
    const commits = story.sandbox.ledger().filter(({ operation }) => operation === 'A22');
    const { bank, bankChecker } = story.sandbox.credentials;
    expect(commits.map(({ clientId }) => clientId)).toEqual([bank.clientId, bankChecker.clientId]);
  });

  // rule: state.sale
  it('a sale is never approved by the one who decided first, nor by a replay', async () => {
    const story = await two();
    const key = { ...terms, idempotency_key: '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f', expected_version: 1 };
    const first = await story.do('approve', key);
    const again = await story.send('approve', key);
    expect([again.headers.get('Idempotent-Replayed'), again.json.data]).toEqual(['true', first]);
    const before = await story.everything();
    expect(told(await story.send('approve', terms))).toEqual([409, ['message']]);
    expect(await story.everything()).toEqual(before);
  });

  it.each([
    ['other terms', { terms_version: 'T2' }],
    ['another due time', { due_at: '2026-03-09T10:00:00Z' }],
    ['another payee', { payee_instructions: { account: '9' } }],
  ])('a second decision with %s is refused', async (_, change) => {
    const story = await two();
    await story.do('approve', terms);
    const before = await story.everything();
    const got = await story.send('approve', { ...terms, ...change }, checker(story));
    expect(told(got)).toEqual([409, ['message']]);
    expect(await story.everything()).toEqual(before);
    expect((await second(story)).state).toBe('approved');
  });

  it('the first approver may decide otherwise, and the second confirms that', async () => {
    const story = await two();
    await story.do('approve', terms);
    const other = { ...terms, payee_instructions: { bank: 'B', account: '9' } };
    expect((await story.do('approve', other)).state).toBe('pending_bank_approval');
    expect((await story.send('approve', terms, checker(story))).status).toBe(409);
    expect((await second(story, { payee_instructions: { account: '9', bank: 'B' } })).state).toBe('approved');
  });

  it('an offer that was made since makes the decision the first again', async () => {
    const story = await two();
    await story.do('approve', terms);
    await story.go('offer', 'decline');
    expect((await second(story)).state).toBe('pending_bank_approval');
    expect((await story.do('approve', terms)).state).toBe('approved');
  });

  it('one rejection is enough, and ends it', async () => {
    const story = await two();
    await story.do('approve', terms);
    expect((await story.do('reject', {}, checker(story))).state).toBe('rejected');
  });
});

describe('with a limit on what a credential may approve', () => {
  const limit = ({ sandbox }: Story, name: 'bank' | 'bankChecker', approvalLimit: string) =>
    sandbox.partners.update(sandbox.credentials[name].clientId, { approvalLimit });

  // rule: state.sale
  it('an approval above it is refused', async () => {
    const story = await saleAfterIn({});
    limit(story, 'bank', plusPaise(story.sold.amount, -1));
    const before = await story.everything();
    expect(told(await story.send('approve'))).toEqual([409, ['message']]);
    expect(await story.everything()).toEqual(before);
    limit(story, 'bankChecker', story.sold.amount);
    await second(story);
  });

  it('the amount of the accepted offer counts', async () => {
    const story = await saleAfterIn({});
    limit(story, 'bank', '1000.00');
    await story.do('offer', { amount: '1000.00' });
    await story.do('accept');
    expect((await story.do('approve')).data.amount).toBe('1000.00');
  });
});
