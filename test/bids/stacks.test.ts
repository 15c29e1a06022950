import { expect, it } from 'vitest';
import { refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import { BID, KEYED, sceneAfter } from '../support/placed-bids.js';

/** Stands for the caller's function, which the stack of an error has to name. */
async function whoCalls(work: () => Promise<unknown>): Promise<void> {
  await work();
}

type Dealer = ReturnType<Scene['dealer']>['client'];
const fails = async () => {
  const scene = new Scene();
  scene.store.troubles.push('fails');
  return scene;
};

it.each<[what: string, scene: () => Promise<Scene>, work: (client: Dealer) => Promise<unknown>]>([
  [
    'place, for an IdempotencyConflictError',
    () => sceneAfter(refusal(403, 'SCOPE_DENIED')),
    ({ bids }) => bids.place({ ...BID, amount: '470000' }, KEYED),
  ],
  ['place, for an InvalidRequestError', fails, ({ bids }) => bids.place({ ...BID, amount: '1e3' })],
  ['place, for a StoreError', fails, ({ bids }) => bids.place(BID)],
  ['reconcile', fails, ({ intents }) => intents.reconcile(KEY)],
  ['list', fails, ({ intents }) => intents.list().toArray()],
  ['recover', fails, (client) => client.recover()],
])('the stack of an error leads to the line that called: %s', async (_, make, work) => {
  const { client } = (await make()).dealer();
  const error = await rejection(whoCalls(() => work(client)));
  expect(error instanceof Error ? error.stack : '').toContain('whoCalls');
});
