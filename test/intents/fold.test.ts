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
const seen = (refusalsSeen: number) => ({ refusalsSeen });

const bids: readonly (readonly [string, readonly IntentEvent[], string])[] = [
  ['recorded and nothing sent is ready', [], 'ready'],
  ['that no call holds any more is not sent', [unsent], 'not_sent'],
  ['whose process died during an attempt is in doubt', [attempt(1)], 'sent'],
  ['whose reply was lost is in doubt', tried(1, 'unknown'), 'sent'],
  ['that was accepted is accepted', tried(1, 'done'), 'accepted'],
  ['that was rejected is rejected', tried(1, 'rejected'), 'rejected'],
  ['that was refused is refused', tried(1, 'refused'), 'refused'],
  ['that never left is not sent', tried(1, 'not_sent'), 'not_sent'],
  ['that met a bare 4xx is in doubt', tried(1, 'uncoded'), 'sent'],

  [
    'is in doubt after a refusal while a later attempt is',
    [attempt(1), attempt(2), result(1, 'refused')],
    'sent',
  ],
  [
    'is in doubt after a refusal while an earlier attempt is',
    [...tried(1, 'unknown'), ...tried(2, 'refused')],
    'sent',
  ],
  ['is in doubt where the retry never left', [...tried(1, 'unknown'), ...tried(2, 'not_sent')], 'sent'],
  ['is accepted whatever else is in doubt', [...tried(1, 'unknown'), ...tried(2, 'done')], 'accepted'],
  [
    'is in doubt after a rejection while another attempt is',
    [...tried(1, 'unknown'), ...tried(2, 'rejected')],
    'sent',
  ],
  [
    'is rejected where A06 confirms that',
    [...tried(1, 'unknown'), ...tried(2, 'rejected'), looked('rejected')],
    'rejected',
  ],
  [
    'is refused where one attempt was and the other never left',
    [...tried(1, 'refused'), ...tried(2, 'not_sent')],
    'refused',
  ],

  ['in doubt is accepted where A06 shows it', [...tried(1, 'unknown'), looked('accepted')], 'accepted'],
  ['in doubt is rejected where A06 shows that', [...tried(1, 'unknown'), looked('rejected')], 'rejected'],
  [
    'in doubt stays so where A06 says processing',
    [...tried(1, 'unknown'), looked('processing', 301), looked('processing', 400)],
    'sent',
  ],
  [
    'in doubt stays so where A06 fails',
    [...tried(1, 'unknown'), looked('failed', 301), looked('failed', 400)],
    'sent',
  ],
  [
    'in doubt stays so after absences before copies of it expire',
    [...tried(1, 'unknown'), looked('absent', 100), looked('absent', 300)],
    'sent',
  ],
  [
    'in doubt stays so after one absence in the window',
    [...tried(1, 'unknown'), looked('absent', 299), looked('absent', 301)],
    'sent',
  ],
  [
    'in doubt stays so after absences less than 60 s apart',
    [...tried(1, 'unknown'), looked('absent', 301), looked('absent', 360.999)],
    'sent',
  ],
  ['in doubt is refused after two absences in the window', [...tried(1, 'unknown'), ...absences], 'refused'],
  [
    'in doubt counts the window from its last attempt',
    [...tried(1, 'unknown'), attempt(2, 100), ...absences],
    'sent',
  ],
  [
    'in doubt counts no absence from before its last attempt',
    [...tried(1, 'unknown'), looked('absent', 301), attempt(2, 310), looked('absent', 700)],
    'sent',
  ],
  [
    'in doubt stays so after absences past the retention of its key',
    [...tried(1, 'unknown'), looked('absent', 3_599), looked('absent', 3_660)],
    'sent',
  ],
  [
    'in doubt learns nothing from an absence of no known time',
    [
      ...tried(1, 'unknown'),
      looked('absent', 301),
      { type: 'lookup', at: at(400), found: 'absent', refusalsSeen: 0 },
    ],
    'sent',
  ],

  [
    'with a bare 4xx is provisionally refused after one look that began later',
    [...tried(1, 'uncoded'), looked('absent', 2, seen(1))],
    'refused?',
  ],
  [
    'with a bare 4xx stays in doubt after a look that began before it',
    [...tried(1, 'uncoded'), looked('absent')],
    'sent',
  ],
  [
    'with a bare 4xx stays in doubt where the look failed',
    [...tried(1, 'uncoded'), looked('failed', 2, seen(1))],
    'sent',
  ],
  [
    'with a bare 4xx stays in doubt while another attempt is',
    [...tried(1, 'unknown'), ...tried(2, 'uncoded'), looked('absent', 2, seen(1))],
    'sent',
  ],
  [
    'with a bare 4xx stays in doubt after a look past the retention of its key',
    [...tried(1, 'uncoded'), looked('absent', 3_601, seen(1))],
    'sent',
  ],
  [
    'provisionally refused is so for good after two absences in the window',
    [
      ...tried(1, 'uncoded'),
      looked('absent', 2, seen(1)),
      looked('absent', 301, seen(1)),
      looked('absent', 361, seen(1)),
    ],
    'refused',
  ],
  [
    'provisionally refused is accepted where a later look finds it',
    [...tried(1, 'uncoded'), looked('absent', 2, seen(1)), looked('accepted')],
    'accepted',
  ],
  [
    'provisionally refused stays as it was told once its key may be forgotten',
    [...tried(1, 'uncoded'), looked('absent', 2, seen(1)), expired],
    'refused?',
  ],

  [
    'accepted later is accepted though it was refused',
    [...tried(1, 'refused'), looked('accepted')],
    'accepted',
  ],
  [
    'accepted later is accepted though it was not sent',
    [...tried(1, 'not_sent'), looked('accepted')],
    'accepted',
  ],
  [
    'accepted later is accepted though it was abandoned',
    [...tried(1, 'unknown'), abandoned, looked('accepted')],
    'accepted',
  ],
  [
    'accepted later is stuck where it was reported as rejected',
    [...tried(1, 'rejected'), looked('accepted')],
    'stuck',
  ],
  [
    'accepted by a late reply is stuck where it was reported as rejected',
    [attempt(1), ...tried(2, 'unknown'), looked('rejected'), result(1, 'done')],
    'stuck',
  ],
  [
    'rejected by A06 is stuck where it was reported as accepted',
    [...tried(1, 'done'), looked('rejected')],
    'stuck',
  ],
  [
    'stuck past the retention of its key is accepted where A06 still finds it',
    [...tried(1, 'unknown'), stuck, looked('accepted')],
    'accepted',
  ],
  ['in doubt is abandoned by a person', [...tried(1, 'unknown'), abandoned], 'abandoned'],
  ['stuck is abandoned by a person', [...tried(1, 'unknown'), stuck, abandoned], 'abandoned'],
  ['with other content under its key is stuck', tried(1, 'unknown', { keyConflict: true }), 'stuck'],
  [
    'with other content under its key stays stuck whatever A06 finds there',
    [...tried(1, 'unknown', { keyConflict: true }), looked('accepted')],
    'stuck',
  ],

  [
    'whose acceptance another key claims is in doubt',
    [...tried(1, 'done', { bidId: 'bid_1' }), voided('bid_1')],
    'sent',
  ],
  [
    'whose rejection another key claims is in doubt',
    [...tried(1, 'rejected', { requestId: 'req_1' }), voided('req_1')],
    'sent',
  ],
  [
    'whose acceptance rests on other ids keeps it',
    [...tried(1, 'done', { bidId: 'bid_1' }), voided('bid_2')],
    'accepted',
  ],
  [
    'that A06 has confirmed keeps its verdict whoever claims its ids',
    [...tried(1, 'done', { bidId: 'bid_1' }), looked('accepted'), voided('bid_1')],
    'accepted',
  ],

  [
    'answered as a replay of what never left is in doubt',
    tried(1, 'done', { replayed: true, bidId: 'bid_1' }),
    'sent',
  ],
  [
    'answered as a replay is accepted where A05 shows this bid',
    [...tried(1, 'done', { replayed: true, bidId: 'bid_1' }), bidRead('accepted')],
    'accepted',
  ],
  [
    'rejected as a replay is rejected where A05 shows this bid',
    [...tried(1, 'rejected', { replayed: true, bidId: 'bid_1' }), bidRead('rejected')],
    'rejected',
  ],
  [
    'answered as a replay is stuck where A05 shows another bid',
    [...tried(1, 'done', { replayed: true, bidId: 'bid_1' }), bidRead('differs')],
    'stuck',
  ],
  [
    'answered as a replay stays in doubt where A05 fails',
    [...tried(1, 'done', { replayed: true, bidId: 'bid_1' }), bidRead('failed')],
    'sent',
  ],
  [
    'answered as a replay is stuck where A06 finds a bid that A05 can not show',
    [...tried(1, 'done', { replayed: true }), looked('accepted')],
    'stuck',
  ],
  [
    'answered as a replay of its own earlier attempt is accepted',
    [...tried(1, 'unknown'), ...tried(2, 'done', { replayed: true })],
    'accepted',
  ],
  [
    'answered as a replay is in doubt where its earlier attempt never left',
    [...tried(1, 'not_sent'), ...tried(2, 'done', { replayed: true, bidId: 'bid_1' })],
    'sent',
  ],
  ['turned away by a bare 409 is in doubt', tried(1, 'unknown', { bare409: true }), 'sent'],
  [
    'turned away by a bare 409 needs A05 for what A06 finds',
    [...tried(1, 'unknown', { bare409: true }), looked('accepted', 2, { bidId: 'bid_1' })],
    'sent',
  ],
  [
    'turned away by a bare 409 is accepted where A06 and A05 find it',
    [
      ...tried(1, 'unknown', { bare409: true }),
      looked('accepted', 2, { bidId: 'bid_1' }),
      bidRead('accepted'),
    ],
    'accepted',
  ],

  ['to be confirmed is in doubt after an acceptance', [confirm, ...tried(1, 'done')], 'sent'],
  ['to be confirmed is in doubt after a rejection', [confirm, ...tried(1, 'rejected')], 'sent'],
  ['to be confirmed is in doubt after a refusal', [confirm, ...tried(1, 'refused')], 'sent'],
  [
    'to be confirmed is accepted where A06 shows it',
    [confirm, ...tried(1, 'done'), looked('accepted')],
    'accepted',
  ],
  [
    'to be confirmed is provisionally refused after one look',
    [confirm, ...tried(1, 'refused'), looked('absent', 2, seen(1))],
    'refused?',
  ],
  [
    'to be confirmed is refused after an acceptance that two absences disprove',
    [confirm, ...tried(1, 'done'), ...absences],
    'refused',
  ],

  ['placed again after a refusal is ready', [...tried(1, 'refused'), placed(400, 500)], 'ready'],
  [
    'placed again and accepted is accepted',
    [...tried(1, 'refused'), placed(400, 500), ...tried(2, 'done')],
    'accepted',
  ],
  [
    'placed again and not sent is not sent',
    [...tried(1, 'refused'), placed(400, 500), ...tried(2, 'not_sent')],
    'not_sent',
  ],
  [
    'placed again after a provisional refusal is in doubt where the retry never left',
    [...tried(1, 'uncoded'), looked('absent', 2, seen(1)), placed(10, 100), ...tried(2, 'not_sent')],
    'sent',
  ],
  [
    'placed again after a provisional refusal, and not sent, is provisionally refused as before',
    [...tried(1, 'uncoded'), looked('absent', 2, seen(1)), placed(10, 100), unsent],
    'refused?',
  ],
  [
    'placed again after a provisional refusal that a look disproves is accepted',
    [...tried(1, 'uncoded'), looked('absent', 2, seen(1)), placed(10, 100), looked('accepted', 11)],
    'accepted',
  ],

  ['restored from a backup is in doubt', [restored(10)], 'sent'],
  [
    'restored from a backup is refused after two absences later than 300 s',
    [restored(10), looked('absent', 311), looked('absent', 371)],
    'refused',
  ],
  [
    'restored from a backup counts no absence from before',
    [...tried(1, 'unknown'), looked('absent', 301), restored(310), looked('absent', 700)],
    'sent',
  ],
  ['restored from a backup is accepted where A06 shows it', [restored(10), looked('accepted')], 'accepted'],
  [
    'that never left stays not sent however often it is absent',
    [...tried(1, 'not_sent'), looked('absent', 501), looked('absent', 600)],
    'not_sent',
  ],
];

it.each(bids)('a bid %s', (_, log, expected) => {
  expect(word(bid(...log))).toBe(expected);
});

const bare = { status: 404 };

const commands: readonly (readonly [string, readonly IntentEvent[], string])[] = [
  ['recorded and nothing sent is ready', [], 'ready'],
  ['that no call holds any more is not sent', [unsent], 'not_sent'],
  ['whose process died during an attempt is in doubt', [attempt(1)], 'sent'],
  ['that took effect is done', tried(1, 'done'), 'done'],
  ['that was refused is refused', tried(1, 'refused'), 'refused'],
  ['that never left is not sent', tried(1, 'not_sent'), 'not_sent'],
  [
    'is in doubt after a refusal while another attempt is',
    [...tried(1, 'unknown'), ...tried(2, 'refused')],
    'sent',
  ],
  ['is done whatever else is in doubt', [...tried(1, 'unknown'), ...tried(2, 'done')], 'done'],
  ['is done though it was refused', [...tried(1, 'refused'), attempt(2), result(2, 'done')], 'done'],
  ['is done though it was abandoned', [attempt(1), abandoned, result(1, 'done')], 'done'],
  ['refused by a message alone is in doubt', tried(1, 'uncoded', bare), 'sent'],
  [
    'refused twice by a message alone is refused',
    [...tried(1, 'uncoded', bare), ...tried(2, 'uncoded', bare)],
    'refused',
  ],
  [
    'refused twice by a message alone is in doubt while a third attempt is',
    [...tried(1, 'uncoded', bare), ...tried(2, 'uncoded', bare), attempt(3)],
    'sent',
  ],
  [
    'refused twice by a bare 403 stays in doubt',
    [...tried(1, 'uncoded', { status: 403 }), ...tried(2, 'uncoded', { status: 403 })],
    'sent',
  ],
  [
    'refused by a code after a bare 404 stays in doubt',
    [...tried(1, 'uncoded', bare), ...tried(2, 'refused')],
    'sent',
  ],
  [
    'refused by a code stays in doubt while another attempt is, however old that is',
    [...tried(1, 'unknown'), attempt(2, 301), result(2, 'refused')],
    'sent',
  ],
  [
    'refused twice by a message alone, both times after the attempt in doubt has expired, is refused',
    [...tried(1, 'unknown'), ...[2, 3].flatMap((n) => [attempt(n, 301), result(n, 'uncoded', bare)])],
    'refused',
  ],
  [
    'refused twice by a message alone, once before the attempt in doubt has expired, is in doubt',
    [...tried(1, 'unknown'), ...[300, 301].flatMap((s) => [attempt(s, s), result(s, 'uncoded', bare)])],
    'sent',
  ],
  ['with other content under its key is stuck', tried(1, 'unknown', { keyConflict: true }), 'stuck'],
  ['too late to be resent is stuck', [...tried(1, 'unknown'), stuck], 'stuck'],
  ['restored from a backup is in doubt', [restored(10)], 'sent'],
  ['called again after a refusal is ready', [...tried(1, 'refused'), placed(10)], 'ready'],
];

it.each(commands)('a command %s', (_, log, expected) => {
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
