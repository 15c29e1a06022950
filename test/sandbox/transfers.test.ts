import { expect, it } from 'vitest';
import { type Story, saleAfter } from './story.js';

const status = (story: Story, who = story.sandbox.credentials.bank) =>
  story.read(`sale-cases/${story.sold.saleId}/transfer-status`, who);
const confirm = (story: Story, which = story.newest('transfer').id) =>
  story.sandbox.actors.set(which, 'government_verified');

// rule: state.transfer
it('a transfer is not started before the first milestone, whatever the state of the sale', async () => {
  const story = await saleAfter();
  const { saleId, who } = story.sold;
  for (const reader of [story.sandbox.credentials.bank, who]) {
    expect(await status(story, reader)).toEqual({
      sale_id: saleId,
      state: 'not_started',
      government_verified: false,
      milestones: [],
      resource_version: 1,
    });
  }
});

// rule: state.transfer
it('every milestone is a record of its own, and the latest says where the transfer is', async () => {
  const story = await saleAfter('approve');
  const milestones: unknown[] = [];
  for (const wanted of ['submitted', 'pending_documents', 'submitted', 'completed']) {
    milestones.push(await story.do('transfer', { status: wanted }));
    expect(await status(story)).toMatchObject({ state: wanted, milestones });
  }
  expect((await status(story, story.sold.who)).resource_version).toBe(story.newest('sale').resource_version);
});

// rule: state.transfer
it.each(['completed', 'rejected'])('nothing follows a transfer that is %s', async (end) => {
  const story = await saleAfter('approve');
  await story.do('transfer', { status: end });
  for (const next of ['submitted', 'pending_documents', 'completed', 'rejected']) {
    expect((await story.send('transfer', { status: next })).status).toBe(409);
  }
  expect((await status(story)).milestones).toHaveLength(1);
});

it('a milestone may be five minutes ahead of the service', async () => {
  const story = await saleAfter('approve');
  await story.do('transfer', { occurred_at: '2026-03-01T10:05:00Z' });
});

// rule: state.transfer
it('the registry confirms the latest milestone, which counts as a change', async () => {
  const story = await saleAfter('approve', 'transfer');
  const [first, made] = [story.newest('transfer'), await story.do('transfer', { status: 'completed' })];
  const { resource_version } = story.newest('sale');
  story.sandbox.clock.advance(1_000);
  confirm(story);
  const updated_at = '2026-03-01T10:00:01.000Z';
  const data = { ...made.data, verification: 'registry_verified', government_verified: true };
  expect(await status(story, story.sold.who)).toMatchObject({
    state: 'completed',
    government_verified: true,
    milestones: [first, { ...made, resource_version: 2, updated_at, data }],
    resource_version: resource_version + 1,
  });
  for (const who of [story.sandbox.credentials.bank, story.sold.who]) {
    expect((await story.news(who)).at(-1)).toBe('transfer.verified');
  }
});

// rule: state.transfer
it('the registry has not confirmed what was recorded since', async () => {
  const story = await saleAfter('approve', 'transfer');
  confirm(story);
  expect((await status(story)).government_verified).toBe(true);
  await story.do('transfer');
  expect((await status(story)).government_verified).toBe(false);
});

it('the registry confirms nothing twice, and nothing that is not there', async () => {
  const story = await saleAfter('approve', 'transfer');
  confirm(story);
  const before = await story.everything();
  for (const which of [story.newest('transfer').id, 'trf_none']) {
    expect(() => confirm(story, which)).toThrow(RangeError);
  }
  expect(await story.everything()).toEqual(before);
});
