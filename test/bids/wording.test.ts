import { expect, it } from 'vitest';
import type { PlaceOptions } from '../../src/bids/types.js';
import {
  acceptance,
  bidDetail,
  bidPage,
  invalidFields,
  lookup,
  messageOnly,
  NOW,
  recordedRejection,
  refusal,
} from '../support/bid-replies.js';
import { Scene, Wire } from '../support/bidders.js';
import { KEY } from '../support/clients.js';
import { BID, BRIEF, KEYED, LOST, mute, placedBefore } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** The golden file of what outcomes say. No other test asserts on prose. */

const once = { ...KEYED, maxAttempts: 1 };

async function placed(steps: readonly Step[], options: PlaceOptions = once) {
  return (await placedBefore(steps, options)).outcome;
}

/** What reconcile says of a bid that was placed, after a while. */
async function reconciled(steps: readonly Step[], looks: readonly Step[], afterMs = 0) {
  const { scene } = await placedBefore(steps);
  await scene.clock.advance(afterMs);
  return scene.during(scene.dealer(looks).client.intents.reconcile(KEY));
}

/** What is said in a scene of its own. */
function at<T>(work: (scene: Scene) => Promise<T>): () => Promise<T> {
  return () => work(new Scene());
}

const late = 3_601_000;
const similar = bidDetail({ id: 'bid_2', status: 'accepted', errors: [] });
const item = { public_id: 'bid_2', bidder_reference: null, amount: '465000.00', status: 'accepted' };

const kinds: Readonly<Record<string, () => Promise<{ readonly what: string; readonly nextStep: string }>>> = {
  accepted: () => placed([acceptance()]),
  'accepted by a lookup': () => placed([LOST, lookup('accepted')]),
  rejected: () => placed([recordedRejection(['BID_BELOW_MINIMUM'])]),
  'rejected by an undocumented code': () => placed([recordedRejection(['SOMETHING_NEW'])]),
  'refused with a code': () => placed([refusal(403, 'EMD_EXPIRED')]),
  'refused with fields': () => placed([invalidFields()]),
  'refused without a code': () => placed([messageOnly(403), lookup('absent')]),
  'refused, lot not found': () => placed([messageOnly(404), lookup('absent')]),
  'refused, not recorded': () =>
    reconciled(
      [LOST],
      [lookup('absent', { at: NOW + 302_000 }), lookup('absent', { at: NOW + 362_000 })],
      302_000,
    ),
  'not sent, network': () => placed([{ fail: 'no' }]),
  'not sent, deadline': at((scene) =>
    scene.during(scene.dealer().client.bids.place({ ...BID, placeBy: NOW - 1 }, KEYED)),
  ),
  'not sent, aborted': () => placed([], { ...KEYED, signal: AbortSignal.abort() }),
  'not sent, halted': at(async (scene) => {
    const { client } = scene.dealer();
    await client.bids.halt('the market is closed');
    return scene.during(client.bids.place(BID, KEYED));
  }),
  'not sent, risk limit': at((scene) =>
    scene.during(scene.dealer([], { riskLimits: { perBid: '1' } }).client.bids.place(BID, KEYED)),
  ),
  'not sent, interrupted': async () => {
    const { scene } = await placedBefore([refusal(403, 'SCOPE_DENIED')]);
    await scene.append(KEY, { type: 'placed', at: NOW, placeBy: NOW + 120_000 });
    return scene.during(scene.dealer([lookup('absent')]).client.intents.reconcile(KEY));
  },
  'not sent, waiting for another bid': at(async (scene) => {
    const { client } = scene.dealer([{ hang: true }, lookup('accepted')]);
    const slow = client.bids.place(BID, { maxAttempts: 1, timeout: 5_000 });
    const outcome = await scene.during(client.bids.place({ ...BID, amount: '1' }, { deadline: 1_000 }));
    await scene.during(slow);
    return outcome;
  }),
  'not sent, no server time': at((scene) => {
    const transport = new Wire(scene.events, Array<Step>(3).fill(messageOnly(403)));
    return scene.during(scene.dealer([], { transport }).client.bids.place(BID));
  }),
  'unknown, not looked up': () => placed([LOST], { ...BRIEF, deadline: 1 }),
  'unknown, no lookup answers': () => placed([LOST, ...mute(4)]),
  'unknown, absent': () => placed([LOST, ...Array<Step>(4).fill(lookup('absent'))]),
  'unknown, processing': () => placed([LOST, ...Array<Step>(30).fill(lookup('processing'))]),
  'unknown, rejected while in doubt': () =>
    placed([LOST, recordedRejection(), ...mute(4)], { ...KEYED, maxAttempts: 2 }),
  'unknown, may not be sent any more': () =>
    reconciled([LOST], Array<Step>(2).fill(lookup('absent', { at: NOW + 130_000 })), 130_000),
  'unknown, in another call': at(async (scene) => {
    const { client } = scene.dealer([{ hang: true }, lookup('accepted')]);
    const slow = client.bids.place(BID, { ...once, timeout: 5_000 });
    const outcome = await scene.during(client.bids.place(BID, { ...KEYED, deadline: 1_000 }));
    await scene.during(slow);
    return outcome;
  }),
  'unknown, queued in another process': at(async (scene) => {
    const { client } = scene.dealer([acceptance()], { quota: { limit: 1, scope: 'client' } });
    const queued = client.bids.place(BID, { ...KEYED, deadline: 70_000 });
    await scene.clock.advance(1);
    const outcome = await scene.during(scene.dealer().client.bids.place(BID, { ...KEYED, deadline: 1_000 }));
    await scene.during(queued);
    return outcome;
  }),
  'unknown, stuck': () => placed([refusal(409, 'IDEMPOTENCY_CONFLICT')]),
  'unknown, stuck with similar bids': () =>
    reconciled([LOST], [lookup('absent', { at: NOW + late }), bidPage([item]), similar], late),
  'unknown, stuck without similar bids': () =>
    reconciled([LOST], [lookup('absent', { at: NOW + late }), bidPage([])], late),
  'unknown, abandoned': async () => {
    const { scene } = await placedBefore([LOST]);
    return scene.dealer().client.intents.abandon(KEY, 'the buyer left');
  },
  'unknown, foreign': async () => {
    const { scene } = await placedBefore([LOST]);
    const { client } = scene.dealer([], { baseUrl: 'https://new.bank.example/api/v1' });
    return scene.during(client.intents.reconcile(KEY));
  },
  'a key that the store does not know, accepted': at((scene) =>
    scene.during(scene.dealer([lookup('accepted')]).client.intents.reconcile(KEY)),
  ),
  'a key that the store does not know, rejected': at((scene) =>
    scene.during(scene.dealer([lookup('rejected')]).client.intents.reconcile(KEY)),
  ),
  'a key that the store does not know, absent': at((scene) =>
    scene.during(scene.dealer([lookup('absent')]).client.intents.reconcile(KEY)),
  ),
};

it('outcomes of every kind say what happened, and what to do next', async () => {
  const told: string[] = [];
  for (const [kind, make] of Object.entries(kinds)) {
    const { what, nextStep } = await make();
    told.push(`${kind}\n  ${what}\n  ${nextStep}\n`);
  }
  await expect(told.join('\n')).toMatchFileSnapshot('wording.golden.txt');
});
