import { describe, expect, it } from 'vitest';
import type { IntentEvent } from '../../src/intents/content.js';
import {
  abandoned,
  at,
  attempt,
  bid,
  bidRead,
  command,
  confirm,
  expired,
  looked,
  placed,
  restored,
  result,
  status,
  stuck,
  tried,
  unsent,
  voided,
  word,
} from './logs.js';

/** Two absences that settle a bid whose only attempt left at 0: later than 300 s, 60 s apart. */
const absences = [looked('absent', 301), looked('absent', 361)];
const absent = (seconds: number) => looked('absent', seconds);
const doubt = tried(1, 'unknown');
const yes = tried(1, 'done');
const no = tried(1, 'rejected');
const refused = tried(1, 'refused');
const unsentTry = tried(1, 'not_sent');
const bare = tried(1, 'uncoded');
const bare409 = tried(1, 'unknown', { bare409: true });
const conflict = tried(1, 'unknown', { keyConflict: true });
/** Its acceptance is answered as a replay of something that was never sent. */
const replay = tried(1, 'done', { replayed: true, bidId: 'bid_1' });
const seen = (refusalsSeen: number) => ({ refusalsSeen });
/** A lookup that began after one refusal was on record. */
const noneSince = looked('absent', 2, seen(1));

const bids: Readonly<Record<string, readonly (readonly [string, readonly IntentEvent[]])[]>> = {
  ready: [
    ['recorded and nothing sent is ready', []],
    ['placed again after a refusal is ready', [...refused, placed(400, 500)]],
  ],
  not_sent: [
    ['that no call holds any more is not sent', [unsent]],
    ['that never left is not sent', unsentTry],
    ['placed again and not sent is not sent', [...refused, placed(400, 500), ...tried(2, 'not_sent')]],
    ['that never left stays not sent however often it is absent', [...unsentTry, absent(501), absent(600)]],
  ],
  sent: [
    ['whose process died during an attempt is in doubt', [attempt(1)]],
    ['whose reply was lost is in doubt', doubt],
    ['that met a bare 4xx is in doubt', bare],
    ['is in doubt after a refusal while a later attempt is', [attempt(1), attempt(2), result(1, 'refused')]],
    ['is in doubt after a refusal while an earlier attempt is', [...doubt, ...tried(2, 'refused')]],
    ['is in doubt where the retry never left', [...doubt, ...tried(2, 'not_sent')]],
    ['is in doubt after a rejection while another attempt is', [...doubt, ...tried(2, 'rejected')]],
    [
      'in doubt stays so where A06 says processing',
      [...doubt, looked('processing', 301), looked('processing', 400)],
    ],
    ['in doubt stays so where A06 fails', [...doubt, looked('failed', 301), looked('failed', 400)]],
    ['in doubt stays so after absences before copies of it expire', [...doubt, absent(100), absent(300)]],
    ['in doubt stays so after one absence in the window', [...doubt, absent(299), absent(301)]],
    ['in doubt stays so after absences less than 60 s apart', [...doubt, absent(301), absent(360.999)]],
    ['in doubt counts the window from its last attempt', [...doubt, attempt(2, 100), ...absences]],
    [
      'in doubt counts no absence from before its last attempt',
      [...doubt, absent(301), attempt(2, 310), absent(700)],
    ],
    [
      'in doubt stays so after absences past the retention of its key',
      [...doubt, absent(3_599), absent(3_660)],
    ],
    [
      'in doubt learns nothing from an absence of no known time',
      [...doubt, absent(301), { type: 'lookup', at: at(400), found: 'absent', refusalsSeen: 0 }],
    ],
    ['with a bare 4xx stays in doubt after a look that began before it', [...bare, looked('absent')]],
    ['with a bare 4xx stays in doubt where the look failed', [...bare, looked('failed', 2, seen(1))]],
    [
      'with a bare 4xx stays in doubt while another attempt is',
      [...doubt, ...tried(2, 'uncoded'), noneSince],
    ],
    [
      'with a bare 4xx stays in doubt after a look past the retention of its key',
      [...bare, looked('absent', 3_601, seen(1))],
    ],
    [
      'whose acceptance another key claims is in doubt',
      [...tried(1, 'done', { bidId: 'bid_1' }), voided('bid_1')],
    ],
    [
      'whose rejection another key claims is in doubt',
      [...tried(1, 'rejected', { requestId: 'req_1' }), voided('req_1')],
    ],
    ['answered as a replay of what never left is in doubt', replay],
    ['answered as a replay stays in doubt where A05 fails', [...replay, bidRead('failed')]],
    [
      'answered as a replay is in doubt where its earlier attempt never left',
      [...unsentTry, ...tried(2, 'done', { replayed: true, bidId: 'bid_1' })],
    ],
    ['turned away by a bare 409 is in doubt', bare409],
    [
      'turned away by a bare 409 needs A05 for what A06 finds',
      [...bare409, looked('accepted', 2, { bidId: 'bid_1' })],
    ],
    ['to be confirmed is in doubt after an acceptance', [confirm, ...yes]],
    ['to be confirmed is in doubt after a rejection', [confirm, ...no]],
    ['to be confirmed is in doubt after a refusal', [confirm, ...refused]],
    [
      'placed again after a provisional refusal is in doubt where the retry never left',
      [...bare, noneSince, placed(10, 100), ...tried(2, 'not_sent')],
    ],
    ['restored from a backup is in doubt', [restored(10)]],
    [
      'restored from a backup counts no absence from before',
      [...doubt, absent(301), restored(310), absent(700)],
    ],
  ],
  accepted: [
    ['that was accepted is accepted', yes],
    ['is accepted whatever else is in doubt', [...doubt, ...tried(2, 'done')]],
    ['in doubt is accepted where A06 shows it', [...doubt, looked('accepted')]],
    [
      'provisionally refused is accepted where a later look finds it',
      [...bare, noneSince, looked('accepted')],
    ],
    ['accepted later is accepted though it was refused', [...refused, looked('accepted')]],
    ['accepted later is accepted though it was not sent', [...unsentTry, looked('accepted')]],
    ['accepted later is accepted though it was abandoned', [...doubt, abandoned, looked('accepted')]],
    [
      'stuck past the retention of its key is accepted where A06 still finds it',
      [...doubt, stuck, looked('accepted')],
    ],
    [
      'whose acceptance rests on other ids keeps it',
      [...tried(1, 'done', { bidId: 'bid_1' }), voided('bid_2')],
    ],
    [
      'that A06 has confirmed keeps its verdict whoever claims its ids',
      [...tried(1, 'done', { bidId: 'bid_1' }), looked('accepted'), voided('bid_1')],
    ],
    ['answered as a replay is accepted where A05 shows this bid', [...replay, bidRead('accepted')]],
    [
      'answered as a replay of its own earlier attempt is accepted',
      [...doubt, ...tried(2, 'done', { replayed: true })],
    ],
    [
      'turned away by a bare 409 is accepted where A06 and A05 find it',
      [...bare409, looked('accepted', 2, { bidId: 'bid_1' }), bidRead('accepted')],
    ],
    ['to be confirmed is accepted where A06 shows it', [confirm, ...yes, looked('accepted')]],
    ['placed again and accepted is accepted', [...refused, placed(400, 500), ...tried(2, 'done')]],
    [
      'placed again after a provisional refusal that a look disproves is accepted',
      [...bare, noneSince, placed(10, 100), looked('accepted', 11)],
    ],
    ['restored from a backup is accepted where A06 shows it', [restored(10), looked('accepted')]],
  ],
  rejected: [
    ['that was rejected is rejected', no],
    ['is rejected where A06 confirms that', [...doubt, ...tried(2, 'rejected'), looked('rejected')]],
    ['in doubt is rejected where A06 shows that', [...doubt, looked('rejected')]],
    [
      'rejected as a replay is rejected where A05 shows this bid',
      [...tried(1, 'rejected', { replayed: true, bidId: 'bid_1' }), bidRead('rejected')],
    ],
  ],
  refused: [
    ['that was refused is refused', refused],
    ['is refused where one attempt was and the other never left', [...refused, ...tried(2, 'not_sent')]],
    ['in doubt is refused after two absences in the window', [...doubt, ...absences]],
    [
      'provisionally refused is so for good after two absences in the window',
      [...bare, noneSince, looked('absent', 301, seen(1)), looked('absent', 361, seen(1))],
    ],
    [
      'to be confirmed is refused after an acceptance that two absences disprove',
      [confirm, ...yes, ...absences],
    ],
    [
      'restored from a backup is refused after two absences later than 300 s',
      [restored(10), absent(311), absent(371)],
    ],
  ],
  'refused?': [
    ['with a bare 4xx is provisionally refused after one look that began later', [...bare, noneSince]],
    [
      'provisionally refused stays as it was told once its key may be forgotten',
      [...bare, noneSince, expired],
    ],
    ['to be confirmed is provisionally refused after one look', [confirm, ...refused, noneSince]],
    [
      'placed again after a provisional refusal, and not sent, is provisionally refused as before',
      [...bare, noneSince, placed(10, 100), unsent],
    ],
  ],
  stuck: [
    ['accepted later is stuck where it was reported as rejected', [...no, looked('accepted')]],
    [
      'accepted by a late reply is stuck where it was reported as rejected',
      [attempt(1), ...tried(2, 'unknown'), looked('rejected'), result(1, 'done')],
    ],
    ['rejected by A06 is stuck where it was reported as accepted', [...yes, looked('rejected')]],
    ['with other content under its key is stuck', conflict],
    [
      'with other content under its key stays stuck whatever A06 finds there',
      [...conflict, looked('accepted')],
    ],
    ['answered as a replay is stuck where A05 shows another bid', [...replay, bidRead('differs')]],
    [
      'answered as a replay is stuck where A06 finds a bid that A05 can not show',
      [...tried(1, 'done', { replayed: true }), looked('accepted')],
    ],
  ],
  abandoned: [
    ['in doubt is abandoned by a person', [...doubt, abandoned]],
    ['stuck is abandoned by a person', [...doubt, stuck, abandoned]],
  ],
};

/** By the state that the log leads to, with a question mark where a later lookup may still find something else. */
const rowsOf = (table: typeof bids) =>
  Object.entries(table).flatMap(([state, rows]) => rows.map(([what, log]) => [what, state, log] as const));

it.each(rowsOf(bids))('a bid %s: %s', (_, expected, log) => {
  expect(word(bid(...log))).toBe(expected);
});

const bare404 = tried(1, 'uncoded', { status: 404 });
const again404 = tried(2, 'uncoded', { status: 404 });

const commands: Readonly<Record<string, readonly (readonly [string, readonly IntentEvent[]])[]>> = {
  ready: [
    ['recorded and nothing sent is ready', []],
    ['called again after a refusal is ready', [...refused, placed(10)]],
  ],
  not_sent: [
    ['that no call holds any more is not sent', [unsent]],
    ['that never left is not sent', unsentTry],
  ],
  sent: [
    [
      'refused by a code, while another attempt is in doubt, however old that is',
      [...doubt, attempt(2, 301), result(2, 'refused')],
    ],
    [
      'refused twice by a message alone, once before the attempt in doubt has expired',
      [...doubt, ...[300, 301].flatMap((s) => [attempt(s, s), result(s, 'uncoded', { status: 404 })])],
    ],
    ['whose process died during an attempt is in doubt', [attempt(1)]],
    ['is in doubt after a refusal while another attempt is', [...doubt, ...tried(2, 'refused')]],
    ['refused by a message alone is in doubt', bare404],
    [
      'refused twice by a message alone is in doubt while a third attempt is',
      [...bare404, ...again404, attempt(3)],
    ],
    [
      'refused twice by a bare 403 stays in doubt',
      [...tried(1, 'uncoded', { status: 403 }), ...tried(2, 'uncoded', { status: 403 })],
    ],
    ['refused by a code after a bare 404 stays in doubt', [...bare404, ...tried(2, 'refused')]],
    ['restored from a backup is in doubt', [restored(10)]],
  ],
  done: [
    ['that took effect is done', yes],
    ['is done whatever else is in doubt', [...doubt, ...tried(2, 'done')]],
    ['is done though it was refused', [...refused, attempt(2), result(2, 'done')]],
    ['is done though it was abandoned', [attempt(1), abandoned, result(1, 'done')]],
  ],
  refused: [
    [
      'refused twice by a message alone, both times after the attempt in doubt has expired',
      [...doubt, ...[2, 3].flatMap((n) => [attempt(n, 301), result(n, 'uncoded', { status: 404 })])],
    ],
    ['that was refused is refused', refused],
    ['refused twice by a message alone is refused', [...bare404, ...again404]],
  ],
  stuck: [
    ['with other content under its key is stuck', conflict],
    ['too late to be resent is stuck', [...doubt, stuck]],
  ],
};

it.each(rowsOf(commands))('a command %s: %s', (_, expected, log) => {
  expect(word(command(false, ...log))).toBe(expected);
});

describe('until when the recorded bytes may be sent', () => {
  it('a bid may be sent until its placeBy', () => {
    expect(status(bid()).sendableUntil).toBe(at(120));
  });

  it('a bid that closes later may be sent until 300 s before its key may be forgotten', () => {
    expect(status(bid(...tried(1, 'refused'), placed(10, 90_000))).sendableUntil).toBe(at(10 + 3_300));
    expect(status(bid(placed(10, 90_000))).sendableUntil).toBe(at(3_300));
  });

  it('a bid that is placed again after a provisional refusal keeps the retention of its first insert', () => {
    const log = [...tried(1, 'uncoded'), looked('absent', 2, seen(1)), placed(100, 90_000)];
    expect(status(bid(...log))).toMatchObject({ state: 'ready', keyExpiresAt: at(3_600) });
  });

  it('a versioned command may be resent until 300 s before its key may be forgotten', () => {
    expect(status(command(true, attempt(1, 5))).sendableUntil).toBe(at(3_300));
  });

  it('a command without version may be resent for ten minutes after its first attempt that may have left', () => {
    expect(status(command(false)).sendableUntil).toBe(at(3_300));
    expect(status(command(false, attempt(1, 5), attempt(2, 500))).sendableUntil).toBe(at(605));
    const log = [...tried(1, 'not_sent'), attempt(2, 20)];
    expect(status(command(false, ...log)).sendableUntil).toBe(at(620));
    expect(status(command(false, attempt(1, 3_000))).sendableUntil).toBe(at(3_300));
  });

  it('a command that is called again after a refusal has its ten minutes once more', () => {
    const log = [...tried(1, 'refused'), placed(7_200)];
    expect(status(command(false, ...log)).sendableUntil).toBe(at(7_200 + 3_300));
    expect(status(command(false, ...log, attempt(2, 7_201))).sendableUntil).toBe(at(7_801));
  });

  it('nothing that was restored from a backup may be sent', () => {
    expect(status(bid(restored(1))).sendableUntil).toBe(Number.NEGATIVE_INFINITY);
    expect(status(command(true, restored(1))).sendableUntil).toBe(Number.NEGATIVE_INFINITY);
  });
});

it('the status of an intent tells when its copies expire, by the last attempt that may have left', () => {
  expect(status(bid()).copiesExpireAt).toBeUndefined();
  expect(status(bid(...tried(1, 'not_sent'))).copiesExpireAt).toBeUndefined();
  expect(status(bid(attempt(1, 0), attempt(2, 50))).copiesExpireAt).toBe(at(350));
});

it('the status of an intent tells why it was not sent, was refused or is stuck', () => {
  expect(status(bid(unsent)).unsent).toMatchObject({ reason: 'interrupted' });
  expect(status(bid(...tried(1, 'not_sent', { stop: 'aborted' }))).unsent).toMatchObject({
    reason: 'aborted',
  });
  expect(status(bid(...tried(1, 'refused', { codes: ['SCOPE_DENIED'] }))).refusal?.codes).toEqual([
    'SCOPE_DENIED',
  ]);
  expect(status(command(true, ...tried(1, 'unknown'), stuck)).why).toBe('too late');
  expect(status(bid(...tried(1, 'unknown'), ...absences)).notRecorded).toBe(true);
});

it("a verdict tells whether it rests on a reply or on the service's own record of the key", () => {
  expect(status(bid(...tried(1, 'done'))).verdict).toMatchObject({ found: 'accepted', by: 'reply' });
  expect(status(bid(...tried(1, 'done'), looked('accepted'))).verdict).toMatchObject({ by: 'lookup' });
  const replay = [...tried(1, 'done', { replayed: true, bidId: 'bid_1' }), bidRead('accepted')];
  expect(status(bid(...replay)).verdict).toMatchObject({ found: 'accepted', by: 'lookup' });
});

it('a bid is closed once A10 has shown that, until it is placed again', () => {
  const lotRead = (closed: boolean): IntentEvent => ({ type: 'lot_read', at: at(2), closed });
  expect(status(bid(lotRead(false))).closed).toBe(false);
  expect(status(bid(lotRead(true), lotRead(false))).closed).toBe(true);
  expect(status(bid(...tried(1, 'refused'), lotRead(true), placed(10, 100))).closed).toBe(false);
});
