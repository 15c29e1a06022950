import { expect, it } from 'vitest';
import type { IntentEvent, TargetReadEvent } from '../../src/intents/content.js';
import { NOW } from '../support/bid-replies.js';
import { KEY } from '../support/clients.js';
import {
  abandoned,
  at,
  attempt,
  bid,
  bidRead,
  command,
  confirm,
  decision,
  looked,
  placed,
  restored,
  result,
  status,
  tried,
  unsent,
  voided,
  word,
} from './logs.js';

/** What the property test does not vary: claims, confirmation, conflicts, and lookups that prove nothing. */

const absences = [looked('absent', 302), looked('absent', 362)];
const doubt = tried(1, 'unknown');
const yes = tried(1, 'done');
const no = tried(1, 'rejected');
const refused = tried(1, 'refused');
const bare = tried(1, 'uncoded');
const bare409 = tried(1, 'unknown', { bare409: true });
const conflict = tried(1, 'unknown', { keyConflict: true });
const found = looked('accepted', 2, { bidId: 'bid_1' });
/** Its acceptance is answered as a replay of something that was never sent. */
const replayOf = (n: number) => tried(n, 'done', { replayed: true, bidId: 'bid_1' });
const replay = replayOf(1);
const rejectedReplay = tried(1, 'rejected', { replayed: true, bidId: 'bid_1' });
const seen = (refusalsSeen: number) => ({ refusalsSeen });
const untimed: IntentEvent = { type: 'lookup', at: at(400), found: 'absent', refusalsSeen: 0 };

type Row = readonly [what: string, state: string, log: readonly IntentEvent[]];

const bids: readonly Row[] = [
  ['is processing, says A06', 'sent', [...doubt, looked('processing', 302), looked('processing', 400)]],
  ['is in doubt, and A06 fails', 'sent', [...doubt, looked('failed', 302), looked('failed', 400)]],
  ['is absent at no known time', 'sent', [...doubt, looked('absent', 302), untimed]],
  ['met a bare 4xx, and its look fails', 'sent', [...bare, looked('failed', 2, seen(1))]],
  [
    'was rejected under a request id that another key claims',
    'sent',
    [...tried(1, 'rejected', { requestId: 'req_1' }), voided('req_1')],
  ],
  ['was accepted, and a later reply rejects it', 'sent', [...yes, ...tried(2, 'rejected')]],
  [
    'was accepted, a later reply rejects it, and A06 decides',
    'rejected',
    [...yes, ...tried(2, 'rejected'), looked('rejected')],
  ],
  [
    'was accepted, a later reply rejects it, and another key claims the ids of that',
    'sent',
    [...yes, ...tried(2, 'rejected', { requestId: 'req_1' }), voided('req_1')],
  ],
  [
    'is accepted by two replies with the ids of different bids',
    'sent',
    [...tried(1, 'done', { bidId: 'bid_1' }), ...tried(2, 'done', { bidId: 'bid_2' })],
  ],
  [
    'is accepted by two replies with the id of one bid',
    'accepted',
    [...tried(1, 'done', { bidId: 'bid_1' }), ...tried(2, 'done', { bidId: 'bid_1' })],
  ],
  [
    'met a rejection while an attempt is in doubt, and that is accepted',
    'sent',
    [...doubt, ...tried(2, 'rejected'), ...tried(3, 'done')],
  ],
  ['was accepted, and another key claims other ids', 'accepted', [...yes, voided('bid_2')]],
  ['is answered as a replay of what never left', 'sent', replay],
  ['is answered as a replay, and A05 fails', 'sent', [...replay, bidRead('failed')]],
  [
    'is answered as a replay after an attempt that never left',
    'sent',
    [...tried(1, 'not_sent'), ...replayOf(2)],
  ],
  ['is answered as a replay of its own earlier attempt', 'accepted', [...doubt, ...replayOf(2)]],
  ['is answered as a replay, and A05 shows it', 'accepted', [...replay, bidRead('accepted')]],
  ['is rejected as a replay, and A05 shows it', 'rejected', [...rejectedReplay, bidRead('rejected')]],
  ['is answered as a replay, and A05 shows another bid', 'stuck', [...replay, bidRead('differs')]],
  [
    'is answered as a replay that A05 can not show',
    'stuck',
    [...tried(1, 'done', { replayed: true }), looked('accepted')],
  ],
  ['met a bare 409', 'sent', bare409],
  ['met a bare 409, and A06 finds it', 'sent', [...bare409, found]],
  ['met a bare 409, and A06 and A05 find it', 'accepted', [...bare409, found, bidRead('accepted')]],
  ['is accepted and to be confirmed', 'sent', [confirm, ...yes]],
  ['is rejected and to be confirmed', 'sent', [confirm, ...no]],
  ['is refused and to be confirmed', 'sent', [confirm, ...refused]],
  ['is accepted and confirmed', 'accepted', [confirm, ...yes, looked('accepted')]],
  ['is refused, and absent once', 'refused?', [confirm, ...refused, looked('absent', 2, seen(1))]],
  ['is accepted, and absent twice', 'refused', [confirm, ...yes, ...absences]],
  [
    'is refused under an id that another key claims',
    'refused',
    [...tried(1, 'refused', { requestId: 'req_1' }), voided('req_1')],
  ],
  [
    'is answered as a replay that A05 has shown, and A05 fails later',
    'accepted',
    [...replay, bidRead('accepted'), bidRead('failed')],
  ],
  ['met a bare 4xx, and is absent at no known time', 'refused?', [...bare, { ...untimed, refusalsSeen: 1 }]],
  [
    'met a bare 4xx, and is absent just before its key may be forgotten',
    'refused?',
    [...bare, looked('absent', 3_600, seen(1))],
  ],
  [
    'is absent twice just before its key may be forgotten',
    'refused',
    [...doubt, looked('absent', 3_540), looked('absent', 3_600)],
  ],
  ['is in conflict', 'stuck', conflict],
  ['is in conflict, whatever A06 finds', 'stuck', [...conflict, looked('accepted')]],
  [
    'is accepted and to be confirmed, and then in conflict',
    'stuck',
    [confirm, ...yes, ...tried(2, 'unknown', { keyConflict: true }), looked('accepted')],
  ],
];

it.each(bids)('a bid that %s: %s', (_, expected, log) => {
  expect(word(bid(...log))).toBe(expected);
});

const bare403 = (n: number) => tried(n, 'uncoded', { status: 403 });
const bare404At = (n: number, seconds: number) => [
  attempt(n, seconds),
  result(n, 'uncoded', { status: 404 }),
];

const commands: readonly Row[] = [
  ['was called again after a refusal', 'ready', [...refused, placed(10)]],
  ['was refused while an old attempt is in doubt', 'sent', [...doubt, attempt(2, 302), result(2, 'refused')]],
  [
    'met a bare 404 before and after the doubt expired',
    'sent',
    [...doubt, ...bare404At(2, 301), ...bare404At(3, 302)],
  ],
  [
    'met two bare 404 after the doubt expired',
    'refused',
    [...doubt, ...bare404At(2, 302), ...bare404At(3, 302)],
  ],
  ['met a bare 403 twice', 'sent', [...bare403(1), ...bare403(2)]],
  ['is restored from a backup', 'sent', [restored(10)]],
  ['is in conflict', 'stuck', conflict],
  ['was abandoned, and took effect', 'done', [attempt(1), abandoned, result(1, 'done')]],
];

it.each(commands)('a command that %s: %s', (_, expected, log) => {
  expect(word(command(false, ...log))).toBe(expected);
});

const page403 = tried(1, 'uncoded', { status: 403, foreign: true });
const told409 = (n: number) => tried(n, 'uncoded', { status: 409, namesVersion: true });
const twice404 = [...bare404At(1, 0), ...bare404At(2, 0)];
const unheard = attempt(1, 0);

/** The record of A22 has the expected version 3, or another one. */
const readAt = (seconds: number, version = 3, more: Partial<TargetReadEvent> = {}): IntentEvent => {
  return { type: 'target_read', at: at(seconds), noun: 'sale', expected: 3, version, ...more };
};

const decisions: readonly Row[] = [
  ['met a bare 404 twice', 'sent', twice404],
  ['met a page of a 403, and its record is as it was', 'refused?', [...page403, readAt(2)]],
  ['met it, and its record is as it was when no copy can arrive', 'refused', [...page403, readAt(362)]],
  ['met it, and its record is as it was a moment before that', 'refused?', [...page403, readAt(361)]],
  ['met it, and its record has moved', 'sent', [...page403, readAt(2, 4)]],
  ['met it, and another of ours moved its record', 'refused', [...page403, readAt(2, 4, { outrunBy: KEY })]],
  ['was sent again after its record was read', 'sent', [...page403, readAt(2), attempt(2, 3)]],
  [
    'met it again after its record was read',
    'sent',
    [attempt(1), attempt(2), result(1, 'uncoded', { status: 403 }), readAt(2), result(2, 'uncoded')],
  ],
  ['is unheard, and its record is as it was', 'sent', [unheard, readAt(301)]],
  ['is unheard, and its record is as it was when no copy can arrive', 'refused', [unheard, readAt(362)]],
  ['is unheard, and its record has moved', 'sent', [unheard, readAt(362, 4)]],
  [
    'is unheard, then meets a 403, and its record is as it was when no copy of the first can arrive',
    'refused?',
    [unheard, attempt(2, 200), result(2, 'uncoded', { status: 403 }), readAt(362)],
  ],
  ['met a bare 404 twice, and its record has moved', 'refused', [...twice404, readAt(2, 4)]],
  ['met it, and its record shows the effect', 'sent', [...twice404, readAt(2, 4, { showsEffect: true })]],
  ['met a 409 that names the version twice', 'refused', [...told409(1), ...told409(2)]],
  [
    'met a page of a 404 twice, and its record has moved',
    'sent',
    [...[1, 2].flatMap((n) => tried(n, 'uncoded', { status: 404, foreign: true })), readAt(2, 4)],
  ],
  ['was refused for now, and called again', 'ready', [...page403, readAt(2), placed(10)]],
  ['was refused for now, and did not leave again', 'refused?', [...page403, readAt(2), placed(10), unsent]],
];

it.each(decisions)('a decision (A22) that %s: %s', (_, expected, log) => {
  expect(word(decision(...log))).toBe(expected);
});

it.each<[what: string, seconds: number | undefined, log: readonly IntentEvent[]]>([
  ['at once, where it was turned away', NOW / -1_000, page403],
  ['when no copy can arrive any longer, where it is unheard', 361.001, [unheard]],
  ['when no copy can arrive any longer, where it is refused for now', 361.001, [...page403, readAt(2)]],
  ['never, where it is settled', undefined, [...page403, readAt(362)]],
])('reading its record can settle a decision (A22) %s', (_, seconds, log) => {
  const from = status(decision(...log)).versionProvesFrom;
  expect(from).toBe(seconds === undefined ? undefined : at(seconds));
});

it('the version of its record proves nothing for a command that makes another record', () => {
  expect(status(command(true, ...page403, readAt(2)))).toMatchObject({
    state: 'sent',
    versionProvesFrom: undefined,
  });
});

const unversioned = (...log: readonly IntentEvent[]) => command(false, ...log);
const closesLate = placed(10, 90_000);
const calledAgain = [...refused, placed(7_200)];

/** Seconds after the first event. */
it.each<[what: string, intent: ReturnType<typeof bid>, seconds: number]>([
  ['a bid: its placeBy', bid(), 120],
  ['a bid that closes later: 301 s before its key may be forgotten', bid(closesLate), 3_299],
  ['a bid that is placed again: the same from then on', bid(...refused, closesLate), 10 + 3_299],
  ['a versioned command: 301 s before its key may be forgotten', command(true, attempt(1, 5)), 3_299],
  ['another command that was never sent: the same', unversioned(), 3_299],
  ['another: ten minutes after its first attempt', unversioned(attempt(1, 5), attempt(2, 500)), 605],
  ['another: its first that may have left', unversioned(...tried(1, 'not_sent'), attempt(2, 20)), 620],
  ['another: no later than its key may be forgotten', unversioned(attempt(1, 3_000)), 3_299],
  ['another that is called again after a refusal: anew', unversioned(...calledAgain), 7_200 + 3_299],
  ['another that is sent again then: ten minutes', unversioned(...calledAgain, attempt(2, 7_201)), 7_801],
  ['a bid that was restored from a backup: never', bid(restored(1)), Number.NEGATIVE_INFINITY],
  ['a command that was: never', command(true, restored(1)), Number.NEGATIVE_INFINITY],
])('the recorded bytes may be sent until a time: %s', (_, intent, seconds) => {
  expect(status(intent).sendableUntil).toBe(at(seconds));
});

it('a bid that is placed again after a provisional refusal keeps the retention of its first insert', () => {
  const log = [...tried(1, 'uncoded'), looked('absent', 2, seen(1)), closesLate];
  expect(status(bid(...log))).toMatchObject({ state: 'ready', keyExpiresAt: at(3_600) });
});

it('the status of an intent tells when its copies expire, by the last attempt that may have left', () => {
  expect(status(bid()).copiesExpireAt).toBeUndefined();
  expect(status(bid(...tried(1, 'not_sent'))).copiesExpireAt).toBeUndefined();
  expect(status(bid(attempt(1, 0), attempt(2, 50))).copiesExpireAt).toBe(at(351));
  expect(status(bid(...doubt, ...absences, placed(400, 500))).copiesExpireAt).toBeUndefined();
});

it("a verdict tells whether it rests on a reply or on the service's own record of the key", () => {
  expect(status(bid(...tried(1, 'done'))).verdict).toMatchObject({ found: 'accepted', by: 'reply' });
  expect(status(bid(...tried(1, 'done'), looked('accepted'))).verdict).toMatchObject({ by: 'lookup' });
});

it.each([
  [
    'the reply, which has the receipt, where the lookup shows a bare state',
    'result',
    [...yes, looked('accepted')],
  ],
  ['the lookup where that shows the bid', 'lookup', [...yes, found]],
  ['the lookup where that has the receipt', 'lookup', [...yes, looked('accepted', 2, { record: {} })]],
  ['the lookup where every verdict is to be confirmed', 'lookup', [confirm, ...yes, looked('accepted')]],
  ['the replay that A05 has shown', 'result', [...replay, ...tried(2, 'unknown'), bidRead('accepted')]],
  ['the lookup that named the bid, where no reply did', 'lookup', [...bare409, found, bidRead('accepted')]],
])('the facts of a verdict are those of %s', (_, type, log) => {
  expect(status(bid(...log)).verdict?.event).toMatchObject(type === 'lookup' ? { type } : { type, n: 1 });
});

it('the latest lookup is the latest that answered, if one did', () => {
  const { lastLookup } = status(bid(...doubt, looked('failed'), looked('absent'), looked('failed', 3)));
  expect(lastLookup).toMatchObject({ found: 'absent' });
  expect(status(bid(...doubt, looked('failed', 2), looked('failed', 3))).lastLookup?.at).toBe(at(3));
});

it('a bid is closed once A10 has shown that, until it is placed again', () => {
  const lotRead = (closed: boolean): IntentEvent => ({ type: 'lot_read', at: at(2), closed });
  expect(status(bid(lotRead(false))).sent.isClosed).toBe(false);
  expect(status(bid(lotRead(true), lotRead(false))).sent.isClosed).toBe(true);
  expect(status(bid(...tried(1, 'refused'), lotRead(true), placed(10, 100))).sent.isClosed).toBe(false);
});
