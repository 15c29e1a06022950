import { describe, expect, it } from 'vitest';
import { refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import { BID, KEYED, LOST, placedBefore } from '../support/placed-bids.js';

/** The stack of the error that a call ends with. It has to name `whoCalls`, which stands for the caller's function. */
async function callersLine(work: () => Promise<unknown>): Promise<string | undefined> {
  const error = await rejection(whoCalls(work));
  return error instanceof Error ? error.stack : undefined;
}

async function whoCalls(work: () => Promise<unknown>): Promise<void> {
  await work();
}

describe('the stack of an error leads to the line that called', () => {
  it('place, for an IdempotencyConflictError', async () => {
    const { scene } = await placedBefore([refusal(403, 'SCOPE_DENIED')]);
    const { client } = scene.dealer();
    expect(await callersLine(() => client.bids.place({ ...BID, amount: '470000' }, KEYED))).toContain(
      'whoCalls',
    );
  });

  it('place, for an InDoubtError', async () => {
    const { scene } = await placedBefore([LOST]);
    const { client } = scene.dealer();
    expect(await callersLine(() => client.bids.place({ ...BID, amount: '470000' }))).toContain('whoCalls');
  });

  it('place, for a StoreError', async () => {
    const scene = new Scene();
    const { client } = scene.dealer();
    scene.store.troubles.push('fails');
    expect(await callersLine(() => client.bids.place(BID))).toContain('whoCalls');
  });

  it('place, for an InvalidRequestError', async () => {
    const { client } = new Scene().dealer();
    expect(await callersLine(() => client.bids.place({ ...BID, amount: '1e3' }))).toContain('whoCalls');
  });

  it('a command, for a PermissionError', async () => {
    const { client } = new Scene().bank([refusal(403, 'SCOPE_DENIED')]);
    const body = { decision: 'approve', reason: 'It is due.', expected_version: 1 };
    expect(await callersLine(() => client.refundRequests.decide('refund_1', body))).toContain('whoCalls');
  });

  it.each(['reconcile', 'abandon', 'explain', 'list', 'recover'] as const)(
    '%s, for a StoreError',
    async (name) => {
      const scene = new Scene();
      const { client } = scene.dealer();
      const works = {
        reconcile: () => client.intents.reconcile(KEY),
        abandon: () => client.intents.abandon(KEY, 'x'),
        explain: () => client.intents.explain(KEY),
        list: () => client.intents.list(),
        recover: () => client.recover(),
      };
      scene.store.troubles.push('fails');
      expect(await callersLine(works[name])).toContain('whoCalls');
    },
  );
});
