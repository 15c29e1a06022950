import { describe, expect, it } from 'vitest';
import { JournalError } from '../../src/errors/journal.js';
import { LOT, lookup, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';

/** Of what it makes, the stack is what is asked for: it has to name this function, which stands for the caller's. */
async function callersLine(work: () => Promise<unknown>): Promise<string | undefined> {
  const error = await rejection(whoCalls(work));
  return error instanceof Error ? error.stack : undefined;
}

async function whoCalls(work: () => Promise<unknown>): Promise<void> {
  await work();
}

const bid = { lot: LOT, amount: '465000', intentId: KEY };
const broken = new JournalError({ fault: 'full', what: 'The disk is full.', nextStep: 'Make room.' });

describe('the stack of what bidding throws leads to the line that called it', () => {
  it('an IdempotencyConflictError of place', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([refusal(403, 'SCOPE_DENIED')]);
    await scene.during(client.bidding.place(bid));
    expect(await callersLine(() => client.bidding.place({ ...bid, amount: '470000' }))).toContain('whoCalls');
  });

  it('an InDoubtError of place', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([{ fail: 'maybe' }]);
    await scene.during(client.bidding.place(bid, { maxAttempts: 1, deadline: 500 }));
    const other = { lot: LOT, amount: '470000' };
    expect(await callersLine(() => client.bidding.place(other))).toContain('whoCalls');
  });

  it.each(['find', 'create'] as const)('a JournalError of place (%s)', async (method) => {
    const scene = new Scene();
    const { client } = scene.dealer([]);
    scene.journal.trouble({ method, error: broken });
    expect(await callersLine(() => client.bidding.place(bid))).toContain('whoCalls');
  });

  it('an InvalidRequestError of place', async () => {
    const { client } = new Scene().dealer([]);
    expect(await callersLine(() => client.bidding.place({ lot: LOT, amount: '1e3' }))).toContain('whoCalls');
  });

  it('a PermissionError of a command', async () => {
    const { client } = new Scene().bank([refusal(403, 'SCOPE_DENIED')]);
    const body = { decision: 'approve', reason: 'It is due.', expected_version: 1 };
    const work = () => client.refundRequests.decide('refund_1', body);
    expect(await callersLine(work)).toContain('whoCalls');
  });

  it('a JournalError of reconcile, abandon, list, explain and recover', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([lookup('absent')]);
    const works = {
      reconcile: () => client.bidding.reconcile(KEY),
      abandon: () => client.bidding.abandon(KEY, 'x'),
      explain: () => client.intents.explain(KEY),
    };
    for (const [name, work] of Object.entries(works)) {
      scene.journal.trouble({ method: 'find', error: broken });
      expect(await callersLine(work), name).toContain('whoCalls');
    }
    scene.journal.trouble({ method: 'claimOpen', error: broken });
    expect(await callersLine(() => client.recover())).toContain('whoCalls');
  });
});
