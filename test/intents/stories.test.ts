import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { PlaceOptions } from '../../src/bids/types.js';
import type { IntentEvent } from '../../src/intents/content.js';
import { acceptance, lookup, messageOnly, NOW, recordedRejection, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import {
  ASKED,
  BID,
  BRIEF,
  KEYED,
  LOST,
  mute,
  placedBefore,
  placed as placedBy,
  SENT,
} from '../support/placed-bids.js';
import { processes } from '../support/processes.js';
import type { Step } from '../support/scripted-transport.js';
import { accepted, record, replayed } from './desk.js';
import {
  at,
  attempt,
  bid,
  command,
  looked,
  placed,
  restored,
  result,
  status,
  tried,
  voided,
  word,
} from './logs.js';

/**
 * The stories that an explicit-state model of the protocol tells of rules that were weaker, by its names for them. Each ends
 * with something that must not happen; here it doesn't.
 */

const OTHER_KEY = '7c1d2e3f-0000-4000-8000-000000000002';
const ONCE = { ...KEYED, maxAttempts: 1 } as const;

/** Places the bid, or another one on its lot, in a client of its own. */
const placedIn = (scene: Scene, steps: readonly Step[], options: PlaceOptions = ONCE, amount = '465000') =>
  placedBy(steps, { scene, options, bid: { amount } });

async function recovered(scene: Scene, steps: readonly Step[], restoredBackup = false) {
  const { client, transport } = scene.dealer(steps);
  const outcomes = await scene.during(client.recover({ restored: restoredBackup, deadline: 1_000 }));
  return { outcomes, lines: transport.lines };
}

/** A bid that is recorded and unsent, and that no call holds: its insert was committed and nobody heard of it. */
async function leftReady(): Promise<Scene> {
  const scene = new Scene();
  scene.store.troubles.push('commits unheard', 'fails');
  const { outcome, lines } = await placedIn(scene, []);
  expect(outcome).toMatchObject({ name: 'StoreError', outcome: 'not_sent' });
  expect(lines).toEqual([]);
  expect((await scene.only()).state).toBe('ready');
  return scene;
}

/** A script that acknowledges a notice once: a command without a version. */
function acknowledge(client: ReturnType<Scene['dealer']>['client']) {
  const body = { status: 'read', external_reference: 'x' } as const;
  return client.runOnce(['acknowledge', 'n_1'], (idempotencyKey) =>
    client.notifications.acknowledge('n_1', body, { idempotencyKey, maxAttempts: 1 }),
  );
}

async function acknowledgedOnce(scene: Scene, steps: readonly Step[]) {
  const { client, transport } = scene.dealer(steps);
  const outcome = await scene.during(acknowledge(client).catch((error: unknown) => error));
  return { outcome, transport };
}

const generations = async (scene: Scene) =>
  (await scene.intents()).map(({ content, state }) => [content.once?.generation, state]);

const lost = tried(1, 'unknown');
const bare = tried(1, 'uncoded');
const lateClose = [placed(0, 10_000), attempt(1, 0)];
const absent = (...seconds: readonly number[]) => seconds.map((second) => looked('absent', second));
/** A lookup that finds nothing, and how many refusals were on record when it began. */
const absentSince = (refusalsSeen: number) => looked('absent', 2, { refusalsSeen });
const twice = [attempt(1, 0), attempt(2, 100), ...absent(302, 400)];
const doubted = [attempt(1), attempt(2), result(2, 'rejected')];

/** What a rule that is too weak would settle, and the state that it is in. */
it.each<[story: string, state: string, log: readonly IntentEvent[]]>([
  ['by one absence at any time', 'sent', [...lost, ...absent(2)]],
  ['by one absence inside the window', 'sent', [...lost, ...absent(302)]],
  ['by one absence, while it commits', 'accepted', [...lost, ...absent(302), looked('accepted', 310)]],
  ['by two absences at any time', 'sent', [...lost, ...absent(2, 301)]],
  ['by a rejection after doubt', 'sent', doubted],
  ['by a rejection beside a commit', 'accepted', [...doubted, looked('accepted')]],
  ['A: by a window that begins with the first attempt', 'sent', twice],
  ['A: not by one that begins with the last', 'refused', [...twice, ...absent(402, 462)]],
  ['B: after its key may be forgotten', 'sent', [...lateClose, attempt(2, 3_300), ...absent(3_601, 3_700)]],
  ['C: by a refusal beside a doubt', 'sent', [attempt(1), attempt(2), result(1, 'refused')]],
  ['F: by a lookup from before a bare refusal', 'sent', [...bare, absentSince(0)]],
  ['F: not by a later one', 'refused?', [...bare, absentSince(1)]],
  ['N: by two absences closer than a commit may take', 'sent', [...lost, ...absent(302, 361)]],
  ['N: not by two that are further apart', 'refused', [...lost, ...absent(302, 362)]],
])('a story of a bid that is settled too early, %s: it is %s', (_, state, log) => {
  expect(word(bid(...log))).toBe(state);
});

it.each([
  ['B: of a bid, however late its close, before its key may be forgotten', bid(...lateClose), 3_299],
  ['of a command without a version after ten minutes', command(false, ...lost), 600],
  ['of a command with a version before its key may be forgotten', command(true, ...lost), 3_299],
  ['M: ten minutes after the first attempt, not the last', command(false, ...lost, attempt(2, 590)), 600],
])('the resending ends: %s', (_, intent, seconds) => {
  expect(status(intent).sendableUntil).toBe(at(seconds));
});

describe('what the model was planted with', () => {
  const settled: IntentEvent = { type: 'unsent', at: NOW, reason: 'interrupted', why: 'its process ended' };
  it.each<[why: string, reason: string, meanwhile: (scene: Scene) => Promise<unknown>]>([
    [
      'no version check: another process has settled it',
      'interrupted',
      (scene) => scene.append(KEY, settled),
    ],
    ['with a halt: bids are halted', 'halted', (scene) => scene.dealer().client.bids.halt('by a person')],
  ])('%s, and a bid that is recorded already does not leave', async (_, reason, meanwhile) => {
    const scene = new Scene();
    const pause = scene.store.pauseAt(2);
    const { client, transport } = scene.dealer([acceptance()]);
    const placing = client.bids.place(BID, KEYED);
    await pause.reached;
    await meanwhile(scene);
    pause.goOn();
    expect(await scene.during(placing)).toMatchObject({ status: 'not_sent', reason });
    expect(transport.lines).toEqual([]);
  });

  it('no guard index: a second bid of the buyer on the lot stays back while the first is in doubt', async () => {
    const { scene } = await placedBefore([LOST]);
    const second = await placedIn(scene, [acceptance()], { idempotencyKey: OTHER_KEY }, '470000');
    expect(second.outcome).toMatchObject({ name: 'InDoubtError', reason: 'unresolved_bid' });
    expect(second.lines).toEqual([]);
  });

  it('resent after key retention: nothing leaves once the service may have forgotten the key', async () => {
    const { scene } = await placedBefore([LOST]);
    await scene.clock.advance(3_700_000);
    const late = await placedIn(scene, [lookup('absent', { at: NOW + 3_700_000 })]);
    expect(late.outcome).toMatchObject({ status: 'unknown' });
    expect(late.lines).not.toContain(SENT);
  });

  it('a word without a commit: a refusal that could not be recorded is told as unknown', async () => {
    const scene = new Scene();
    scene.store.troubles.push(undefined, undefined, 'fails');
    const { outcome } = await placedIn(scene, [refusal(403, 'SCOPE_DENIED')]);
    expect(outcome).toMatchObject({ name: 'StoreError', outcome: 'unknown' });
  });

  it('runOnce without a version check: a generation that another process has settled is not sent', async () => {
    const scene = new Scene();
    const { as, end } = processes(scene.store);
    // Reserved and begun; the pause is before its first byte.
    const pause = scene.store.pauseAt(4);
    const { client, transport } = scene.dealer([record()], { store: as('first') });
    const heard = acknowledge(client).catch((error: unknown) => error);
    await pause.reached;
    end('first');
    const other = scene.dealer([record()], { store: as('second') });
    const second = await scene.during(acknowledge(other.client));
    expect(second).toMatchObject({ id: 'rec_1' });
    pause.goOn();
    expect(await scene.during(heard)).toMatchObject({ name: 'NotSentError', outcome: 'not_sent' });
    expect(transport.sent).toHaveLength(0);
    expect(await generations(scene)).toEqual([
      [1, 'not_sent'],
      [2, 'done'],
    ]);
  });
});

describe('what earlier wordings of the rules allowed', () => {
  it('with a crash: what a dead process left ready is looked up and then not sent', async () => {
    const scene = await leftReady();
    const { outcomes, lines } = await recovered(scene, [lookup('absent')]);
    expect(outcomes).toMatchObject([{ status: 'not_sent' }]);
    expect(lines).toEqual([ASKED]);
  });

  it('with a racy service: a 422 beside a commit is confirmed by a lookup before it is told', async () => {
    const found = lookup('accepted', { receipt: { bid_id: 'bid_77', status: 'accepted' } });
    const { scene } = await placedBefore([LOST]);
    await scene.append(KEY, attempt(2), result(2, 'rejected'));
    expect((await recovered(scene, [found])).outcomes).toMatchObject([{ status: 'accepted' }]);
  });

  it('with a guard: a bid that was refused leaves its lot to the next one', async () => {
    const { scene } = await placedBefore([refusal(403, 'SCOPE_DENIED')]);
    const next = await placedIn(scene, [acceptance()], { idempotencyKey: OTHER_KEY }, '470000');
    expect(next.outcome).toMatchObject({ status: 'accepted' });
  });

  it('with an abandonment: the lookup still finds what was accepted', async () => {
    const { scene } = await placedBefore([LOST]);
    const { client } = scene.dealer([lookup('accepted')]);
    await client.intents.abandon(KEY, 'given up');
    expect(await scene.during(client.intents.reconcile(KEY))).toMatchObject({ status: 'accepted' });
  });

  it('D: an expired time stamp may be that of a copy, so the bid is looked up', async () => {
    const { outcome, lines } = await placedBefore(
      [refusal(401, 'TIMESTAMP_EXPIRED'), lookup('accepted')],
      ONCE,
    );
    expect(outcome.status).toBe('accepted');
    expect(lines).toEqual([SENT, ASKED]);
    const { outcome: unheardOf } = await placedBefore([refusal(401, 'TIMESTAMP_EXPIRED'), ...mute(4)], ONCE);
    expect(unheardOf.status).toBe('unknown');
  });

  it('E: a refusal of a gateway is provisional, and the acceptance under way overrides it', async () => {
    const { scene, outcome } = await placedBefore([messageOnly(404), lookup('absent')], ONCE);
    expect(outcome).toMatchObject({ status: 'refused', provisional: true });
    const { client } = scene.dealer([lookup('accepted')]);
    expect(await scene.during(client.intents.reconcile(KEY))).toMatchObject({ status: 'accepted' });
  });

  it('G: an insert that lands after its call has ended is settled, though its process lives on', async () => {
    const scene = await leftReady();
    expect((await recovered(scene, [lookup('absent')])).outcomes).toMatchObject([{ status: 'not_sent' }]);
    expect((await scene.only()).state).toBe('not_sent');
  });

  it('H: evidence reopens a settled bid although another one guards the lot by now', async () => {
    const { scene } = await placedBefore([acceptance()]);
    await placedIn(scene, [LOST], { ...BRIEF, idempotencyKey: OTHER_KEY }, '470000');
    await scene.append(KEY, voided('bid_77'));
    expect((await scene.intents()).map(({ state }) => state)).toEqual(['sent', 'sent']);
  });

  it('I: what a declared backup holds as unsent is in doubt, and is never sent', async () => {
    const scene = await leftReady();
    const { outcomes } = await recovered(scene, [lookup('absent')], true);
    expect(outcomes).toMatchObject([{ status: 'unknown' }]);
    const again = await placedIn(scene, [lookup('absent')]);
    expect(again.lines).not.toContain(SENT);
    expect(word(bid(restored(10), looked('absent', 20)))).toBe('sent');
  });

  it.each([
    ['J: a replayed nonce', refusal(409, 'NONCE_REPLAYED')],
    ['K: an expired time stamp', refusal(401, 'TIMESTAMP_EXPIRED')],
    ['L: a 404 without a code after the commit', messageOnly(404)],
  ])('%s leaves a command in doubt: the recorded bytes go again, and no second effect', async (_, reply) => {
    const scene = new Scene();
    const first = await acknowledgedOnce(scene, [reply]);
    expect(first.outcome).toMatchObject({ outcome: 'unknown' });
    const second = await acknowledgedOnce(scene, [replayed()]);
    expect(second.outcome).toMatchObject({ id: 'rec_1' });
    expect(second.transport.bodies).toEqual(first.transport.bodies);
    expect(await generations(scene)).toEqual([[1, 'done']]);
  });
});

describe('a bid whose attempt never left', () => {
  it('is not sent by its next attempt while another process has a bid on its lot', async () => {
    const scene = new Scene();
    // Recorded, announced and not sent; the pause is before the second attempt.
    const pause = scene.store.pauseAt(4);
    const { client, transport } = scene.dealer([{ fail: 'no' }, acceptance()]);
    const placing = client.bids.place(BID, { ...KEYED, maxAttempts: 2 });
    void scene.clock.advance(60_000);
    await pause.reached;
    await placedIn(scene, [LOST], { ...BRIEF, idempotencyKey: OTHER_KEY }, '470000');
    pause.goOn();
    const blocked = { name: 'InDoubtError', reason: 'unresolved_bid', outcome: 'not_sent' };
    expect(await scene.during(rejection(placing))).toMatchObject(blocked);
    expect(transport.lines).toEqual([SENT]);
  });

  it('that was refused after a restored backup is not placed again', async () => {
    const { scene } = await placedBefore([LOST]);
    await scene.append(KEY, restored(10), looked('absent', 320), looked('absent', 400));
    expect((await scene.only()).state).toBe('refused');
    const { log } = await scene.only();
    const again = await placedIn(scene, [acceptance()]);
    expect(again).toMatchObject({ lines: [], log });
  });

  it('with confirm is recorded with that before it leaves', async () => {
    const scene = new Scene();
    void scene.dealer([{ hang: true }]).client.bids.place(BID, { ...KEYED, confirm: true });
    await scene.clock.advance(1);
    expect((await scene.only()).log).toEqual(['placed', 'confirm', 'attempt']);
  });
});

describe('the stated exceptions', () => {
  const confirm = { ...ONCE, confirm: true } as const;

  it('X1, crossed replies: a reply that two bids were given is believed for neither before a lookup', async () => {
    const { scene, outcome } = await placedBefore([acceptance()]);
    expect(outcome.status).toBe('accepted');
    const own = lookup('rejected', { key: OTHER_KEY, receipt: { bid_id: 'bid_90', status: 'rejected' } });
    const others = lookup('accepted', { receipt: { bid_id: 'bid_77', status: 'accepted' } });
    const crossed = await placedIn(scene, [acceptance(), own, ...mute(1), others], {
      ...ONCE,
      idempotencyKey: OTHER_KEY,
      allowUnresolved: true,
    });
    expect(crossed.outcome).toMatchObject({ status: 'rejected' });
    expect(crossed.lines).toContain(`GET /bid-requests/${OTHER_KEY}`);
  });

  it('X1, swapped replies without a clash: confirm looks both bids up', async () => {
    const accepted = lookup('accepted', { receipt: { bid_id: 'bid_77', status: 'accepted' } });
    const first = await placedBefore([recordedRejection(), accepted], confirm);
    expect(first.outcome).toMatchObject({ status: 'accepted', bidId: 'bid_77' });
    const rejected = lookup('rejected', {
      receipt: { bid_id: 'bid_78', status: 'rejected', errors: ['LOT_NOT_LIVE'] },
    });
    const second = await placedBefore([acceptance(), rejected], confirm);
    expect(second.outcome).toMatchObject({ status: 'rejected', bidId: 'bid_78' });
  });

  it('X2, a copy that access checks refused before the nonce: confirm looks the refusal up', async () => {
    const { outcome } = await placedBefore([refusal(403, 'SCOPE_DENIED'), lookup('accepted')], confirm);
    expect(outcome.status).toBe('accepted');
  });

  it('docs/recovery.md states every exception', () => {
    const [, exceptions = ''] = readFileSync('docs/recovery.md', 'utf8').split('\n## Exceptions\n');
    const stated = [...exceptions.matchAll(/^- \*([^*]+?)\.?\*/gm)].map(([, name]) => name);
    expect(stated).toEqual([
      'Swapped replies',
      'A duplicated request refused before its nonce check',
      'A corrected bid next to a provisional refusal',
      'A restored backup that was not declared',
      'A command without a version lookup',
      'A command whose record does not show its effect',
    ]);
  });

  it('X3, a backup that nobody declared: what it has as unsent is sent when it is placed again', async () => {
    const again = await placedIn(await leftReady(), [acceptance()]);
    expect(again.lines).toEqual([SENT]);
  });

  it('X4, a success that a gateway hides behind a 404 twice: both are believed', async () => {
    const scene = new Scene();
    await acknowledgedOnce(scene, [messageOnly(404)]);
    await acknowledgedOnce(scene, [messageOnly(404)]);
    expect((await generations(scene))[0]).toEqual([1, 'refused']);
  });

  it.each([
    ['does not show the effect: both are believed', null, 'refused'],
    ['shows the effect: it stays unknown', '2026-03-02T06:00:00Z', 'unknown'],
  ])(
    'X5, a success that a gateway hides behind a 404 twice, and its record has moved and %s',
    async (_, at, outcome) => {
      const sale = record({ id: 'sal_1', kind: 'sale', resource_version: 4, data: { acknowledged_at: at } });
      const { result } = await accepted(new Scene(), [messageOnly(404), messageOnly(404), sale], {
        maxAttempts: 2,
      });
      expect(result).toMatchObject({ outcome });
    },
  );
});
