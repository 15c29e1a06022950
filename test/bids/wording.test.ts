import { expect, it } from 'vitest';
import type { PlaceOptions } from '../../src/bids/types.js';
import {
  acceptance,
  bidPage,
  invalidFields,
  LOT,
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

async function withScene<T>(work: (scene: Scene) => Promise<T>): Promise<T> {
  return work(new Scene());
}

const late = 3_601_000;
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
      [lookup('absent', { at: NOW + 301_000 }), lookup('absent', { at: NOW + 361_000 })],
      301_000,
    ),
  'not sent, network': () => placed([{ fail: 'no' }]),
  'not sent, deadline': () =>
    withScene((scene) => scene.during(scene.dealer().client.bids.place({ ...BID, placeBy: NOW - 1 }, KEYED))),
  'not sent, aborted': () => placed([], { ...KEYED, signal: AbortSignal.abort() }),
  'not sent, halted': () =>
    withScene(async (scene) => {
      const { client } = scene.dealer();
      await client.bids.halt('the market is closed');
      return scene.during(client.bids.place(BID, KEYED));
    }),
  'not sent, risk limit': () =>
    withScene((scene) =>
      scene.during(scene.dealer([], { riskLimits: { perBid: '1' } }).client.bids.place(BID, KEYED)),
    ),
  'not sent, interrupted': async () => {
    const { scene } = await placedBefore([refusal(403, 'SCOPE_DENIED')]);
    await scene.append(KEY, { type: 'placed', at: NOW, placeBy: NOW + 120_000 });
    return scene.during(scene.dealer([lookup('absent')]).client.intents.reconcile(KEY));
  },
  'not sent, waiting for another bid': () =>
    withScene(async (scene) => {
      const { client } = scene.dealer([{ hang: true }, lookup('accepted')]);
      const slow = client.bids.place(BID, { maxAttempts: 1, timeout: 5_000 });
      const outcome = await scene.during(client.bids.place({ ...BID, amount: '1' }, { deadline: 1_000 }));
      await scene.during(slow);
      return outcome;
    }),
  'not sent, no server time': () =>
    withScene((scene) => {
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
  'unknown, in another call': () =>
    withScene(async (scene) => {
      const { client } = scene.dealer([{ hang: true }, lookup('accepted')]);
      const slow = client.bids.place(BID, { ...once, timeout: 5_000 });
      const outcome = await scene.during(client.bids.place(BID, { ...KEYED, deadline: 1_000 }));
      await scene.during(slow);
      return outcome;
    }),
  'unknown, queued in another process': () =>
    withScene(async (scene) => {
      const { client } = scene.dealer([acceptance()], { quota: { limit: 1, scope: 'client' } });
      const queued = client.bids.place(BID, { ...KEYED, deadline: 70_000 });
      await scene.clock.advance(1);
      const outcome = await scene.during(
        scene.dealer().client.bids.place(BID, { ...KEYED, deadline: 1_000 }),
      );
      await scene.during(queued);
      return outcome;
    }),
  'unknown, stuck': () => placed([refusal(409, 'IDEMPOTENCY_CONFLICT')]),
  'unknown, stuck with similar bids': () =>
    reconciled([LOST], [lookup('absent', { at: NOW + late }), bidPage([item]), similar()], late),
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
  'a key that the store does not know, accepted': () =>
    withScene((scene) => scene.during(scene.dealer([lookup('accepted')]).client.intents.reconcile(KEY))),
  'a key that the store does not know, rejected': () =>
    withScene((scene) => scene.during(scene.dealer([lookup('rejected')]).client.intents.reconcile(KEY))),
  'a key that the store does not know, absent': () =>
    withScene((scene) => scene.during(scene.dealer([lookup('absent')]).client.intents.reconcile(KEY))),
};

function similar(): Step {
  return {
    status: 200,
    json: {
      data: {
        id: 'bid_2',
        lot_id: LOT,
        bidder_reference: null,
        amount: '465000.00',
        status: 'accepted',
        request_id: 'r',
        server_received_at: '2026-03-02T06:00:00+00:00',
        lot_version: 5,
        errors: [],
      },
    },
  };
}

const golden: Readonly<Record<string, readonly [what: string, nextStep: string]>> = {
  accepted: [
    'The service accepted this bid.',
    'Standings are provisional: watch the lot, and wait for the sale to be approved.',
  ],
  'accepted by a lookup': [
    'The service accepted this bid (confirmed by a lookup).',
    'Standings are provisional: watch the lot, and wait for the sale to be approved.',
  ],
  rejected: [
    "The service rejected this bid (BID_BELOW_MINIMUM). The amount is below the minimum: one increment above the highest amount in an open auction, above the caller's own previous amount in a closed one, above the previous bid or the opening price in a legacy one.",
    'A rejection is final: a further bid is a new one, with a new key. Read the lot again and decide whether to bid higher; a new amount is a new bid with a new key.',
  ],
  'rejected by an undocumented code': [
    'The service rejected this bid (SOMETHING_NEW).',
    'A rejection is final: a further bid is a new one, with a new key.',
  ],
  'refused with a code': [
    'The service refused this bid and recorded nothing (HTTP 403 EMD_EXPIRED). The earnest money deposit (EMD) has lapsed.',
    'Renew the EMD with the bank. To send the same bid, place it again under its key; a changed bid needs a new key.',
  ],
  'refused with fields': [
    'The service refused this bid and recorded nothing (HTTP 422: amount: The amount is invalid).',
    'Fix what the service reports. To send the same bid, place it again under its key; a changed bid needs a new key.',
  ],
  'refused without a code': [
    'This bid was turned away without a documented code (HTTP 403: Something), and a lookup found no record of it. It may still appear until two later lookups find nothing.',
    'Fix what the service reports. To send the same bid, place it again under its key; a changed bid needs a new key.',
  ],
  'refused, lot not found': [
    'This bid was turned away without a documented code (HTTP 404: Something), and a lookup found no record of it. It may still appear until two later lookups find nothing.',
    'Check the lot id, and that these credentials may bid on it. To send the same bid, place it again under its key; a changed bid needs a new key.',
  ],
  'refused, not recorded': [
    'The service did not record this bid: two lookups found nothing after every copy of it had expired.',
    'Place the same bid again under its key, or a changed one with a new key.',
  ],
  'not sent, network': [
    'This bid was not sent: no connection could be made (scripted failure).',
    'Check the connection, then place the same bid again under its key.',
  ],
  'not sent, deadline': [
    'This bid was not sent: its deadline passed before it could be sent.',
    'If you still want it, place the same bid again under its key with a later placeBy.',
  ],
  'not sent, aborted': [
    'This bid was not sent: the call was aborted before it was recorded.',
    'Place it again if you still want it.',
  ],
  'not sent, halted': [
    'This bid was not sent: bidding is halted (the market is closed).',
    'Call bids.resume() to bid again, then place the same bid again under its key.',
  ],
  'not sent, risk limit': [
    'This bid was not sent: the bid would be 465000.00, and perBid is 1.',
    'Raise the limit or wait until less is at stake, then place the same bid again under its key.',
  ],
  'not sent, interrupted': [
    'This bid was not sent: the process that was to send it ended first.',
    'If you still want it, place the same bid again under its key.',
  ],
  'not sent, waiting for another bid': [
    'This bid was not sent: the deadline of the call passed before it was recorded.',
    'Place it again if you still want it.',
  ],
  'not sent, no server time': [
    'This bid was not sent: server time could not be read (A01) before it was recorded.',
    'Place it again if you still want it.',
  ],
  'unknown, not looked up': [
    'This bid may or may not have been recorded (connection: scripted failure). The lookup failed (ConnectionError).',
    'Call intents.reconcile(key), or place the same bid again under its key. Do not bid under a new key before that.',
  ],
  'unknown, no lookup answers': [
    'This bid may or may not have been recorded (connection: scripted failure). The lookup failed (HTTP 403 SCOPE_DENIED).',
    'Call intents.reconcile(key), or place the same bid again under its key. Do not bid under a new key before that.',
  ],
  'unknown, absent': [
    'This bid may or may not have been recorded (connection: scripted failure). A lookup found no record of it, but a copy of the request may still arrive.',
    'Call intents.reconcile(key) after 2026-03-02T06:05:00.000Z, or place the same bid again under its key. Do not bid under a new key before that.',
  ],
  'unknown, processing': [
    'This bid may or may not have been recorded (connection: scripted failure). The service is still working on it.',
    'Call intents.reconcile(key), or place the same bid again under its key. Do not bid under a new key before that.',
  ],
  'unknown, rejected while in doubt': [
    'The service rejected this bid, but an earlier attempt is in doubt and no lookup has confirmed the rejection. The lookup failed (HTTP 403 SCOPE_DENIED).',
    'Call intents.reconcile(key), or place the same bid again under its key. Do not bid under a new key before that.',
  ],
  'unknown, may not be sent any more': [
    'This bid may or may not have been recorded (connection: scripted failure). A lookup found no record of it, but a copy of the request may still arrive.',
    'Call intents.reconcile(key) after 2026-03-02T06:05:00.000Z. Do not bid under a new key before that.',
  ],
  'unknown, in another call': [
    'This call sent nothing: the deadline of the call passed before it could read what an earlier call did under this key.',
    'Call intents.reconcile(key), or place the same bid under its key with a longer deadline.',
  ],
  'unknown, queued in another process': [
    'Another call has recorded this bid and may send it at any moment.',
    'Wait for that call to end, then call intents.reconcile(key). Do not bid under a new key before that.',
  ],
  'unknown, stuck': [
    'This bid needs manual resolution: the service holds other content under this key.',
    'Compare intents.explain(key) with the bids that the service lists, then abandon it. Do not bid again before that.',
  ],
  'unknown, stuck with similar bids': [
    'This bid needs manual resolution: its effect is unknown, and the service may no longer remember its key. Accepted bids with the same lot, buyer and amount: bid_2.',
    'Compare intents.explain(key) with the bids that the service lists, then abandon it. Do not bid again before that.',
  ],
  'unknown, stuck without similar bids': [
    'This bid needs manual resolution: its effect is unknown, and the service may no longer remember its key. The service lists no accepted bid with the same lot, buyer and amount.',
    'Compare intents.explain(key) with the bids that the service lists, then abandon it. Do not bid again before that.',
  ],
  'unknown, abandoned': [
    'This bid was abandoned while its outcome was unknown (the buyer left).',
    'It is no longer followed; intents.reconcile(key) still looks it up.',
  ],
  'unknown, foreign': [
    "This bid was recorded for client cl_7f3a at https://bank.example, so this client can't settle it.",
    'Recover with a client that has those credentials, list a moved address in formerOrigins, or abandon it.',
  ],
  'a key that the store does not know, accepted': [
    'The service accepted a bid under this key, but this store has no record of it.',
    'Read the bid (bids.get), and use one store for all processes that bid.',
  ],
  'a key that the store does not know, rejected': [
    'The service rejected a bid under this key, but this store has no record of it.',
    'A rejection is final: a further bid is a new one, with a new key.',
  ],
  'a key that the store does not know, absent': [
    'This store has no record of this key. A lookup found no record of it, but a copy of the request may still arrive.',
    'Another process may have sent it: call intents.reconcile(key) again in five minutes.',
  ],
};

it.each(Object.entries(kinds))(
  'an outcome of the kind "%s" says what happened, and what to do next',
  async (kind, make) => {
    const { what, nextStep } = await make();
    expect([what, nextStep]).toEqual(golden[kind]);
  },
);
