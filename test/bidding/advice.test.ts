import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../src/bidding/outcome-of.js';
import { JournalError } from '../../src/errors/journal.js';
import type { EndEntry, Entry } from '../../src/intents/entry.js';
import type { IntendedBid } from '../../src/intents/intent.js';
import { standingOf } from '../../src/intents/standing.js';
import {
  acceptance,
  html,
  invalidFields,
  LOT,
  lookup,
  lotStatus,
  messageOnly,
  NOW,
  recordedRejection,
  refusal,
} from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

/** What outcomes say and advise: as much as the SDK knows, and nothing that can't be done. */

const unheard: Step = { fail: 'maybe' };
const bid = { lot: LOT, amount: '465000', intentId: KEY };
const row = { batchId: 'b1', rowId: 'r7' };

async function placed(steps: readonly Step[], maxAttempts = 1) {
  const scene = new Scene();
  const { client, transport } = scene.dealer(steps);
  const outcome = await scene.during(client.bidding.place(bid, { maxAttempts }));
  return { outcome, scene, client, transport };
}

/** What is told of a bid that is on record with these entries, behind an attempt. */
function told(entries: readonly Entry[], { now, ...over }: Partial<IntendedBid> & { now?: number } = {}) {
  const intended = { lot: LOT, amount: '465000', placeBy: NOW + 120_000, ...over };
  const left: Entry = {
    type: 'attempt',
    attempt: 1,
    at: NOW,
    timestamp: NOW / 1_000,
    nonce: 'n',
    keyId: 'k',
  };
  const all = [left, ...entries];
  const standing = standingOf({ bid: intended }, all);
  return outcomeOf({ key: KEY, bid: intended, standing, entries: all, horizonMs: 3_600_000, now });
}

function ended(effect: EndEntry['effect'], status: number, codes: readonly string[] = []): EndEntry {
  return { type: 'end', attempt: 1, at: NOW, effect, reason: `HTTP ${status}`, status, codes };
}

describe('money that a look-up tells', () => {
  const receipt = { bid_id: 'bid_7', status: 'accepted', highest_amount: 470000, current_amount: 465000.5 };
  const decimal = { ...receipt, highest_amount: '470000.00', current_amount: '465000.50' };

  it('is decimal strings in what place resolves with, in what the journal is asked for later, and by the key alone', async () => {
    const { outcome, scene, client } = await placed([unheard, lookup('accepted', { receipt })]);
    expect(outcome).toMatchObject({ status: 'accepted', bidId: 'bid_7', receipt: decimal });
    expect(await scene.during(client.bidding.place(bid))).toEqual(outcome);
    expect(await scene.during(client.bidding.reconcile(KEY))).toEqual(outcome);
    const stranger = new Scene();
    const { bidding } = stranger.dealer([lookup('accepted', { receipt })]).client;
    expect(await stranger.during(bidding.reconcile(KEY))).toMatchObject({ receipt: decimal });
  });

  it('is decimal strings in what recovery finds', async () => {
    const { scene } = await placed([unheard, ...Array<Step>(4).fill(messageOnly(403))]);
    const { client } = scene.dealer([lookup('accepted', { receipt })]);
    expect(await scene.during(client.recover())).toMatchObject([{ status: 'accepted', receipt: decimal }]);
  });

  it('stays as it came where it is no amount', async () => {
    const odd = { ...receipt, highest_amount: null, current_amount: '1.5', of_next_year: 2.5 };
    const { outcome } = await placed([unheard, lookup('accepted', { receipt: odd })]);
    expect(outcome).toMatchObject({ receipt: odd });
  });
});

describe('a rejection', () => {
  const isFinal = 'It is final: a further bid is a new one, with a key of its own.';

  it.each([
    ['BID_BELOW_MINIMUM', 'The amount is below the minimum', 'decide whether to bid higher'],
    [
      'LOT_NOT_LIVE',
      'The auction is not published or not inside its live window',
      'Read the event and the lot again',
    ],
    ['BIDDER_REFERENCE_REQUIRED', 'came without bidder_reference', 'Send bidder_reference'],
  ])('%s is explained as bids.submit explains it', async (code, meaning, remedy) => {
    const { outcome } = await placed([recordedRejection([code])]);
    expect(outcome.what).toMatch(new RegExp(`^The service rejected this bid \\(${code}\\)\\. .*${meaning}`));
    expect(outcome.nextStep.startsWith(`${isFinal} `)).toBe(true);
    expect(outcome.nextStep).toContain(remedy);
  });

  it('by a code that nobody knows is final all the same', () => {
    expect(told([ended('rejected', 422, ['SOMETHING_NEW'])])).toMatchObject({
      what: 'The service rejected this bid (SOMETHING_NEW).',
      nextStep: isFinal,
    });
  });

  it('of a row in a batch leaves the batch its id', () => {
    expect(told([ended('rejected', 422)], { row }).nextStep).toBe(
      'It is final: a further bid is a new one, with a row id of its own.',
    );
  });
});

describe('a refusal', () => {
  const corrected =
    'A corrected bid is a new one, with a key of its own; place the same bid again under its key (as intentId), only if nothing in it changes.';

  it.each([
    ['a lot that nobody knows', messageOnly(404), 'Check the lot id'],
    ['a lot that nobody knows, by its code', refusal(404, 'NOT_FOUND'), 'Check the id'],
    ['a lot of another bank', refusal(403, 'BANK_ACCESS_DENIED'), 'Check the lot id'],
    ['another dealer', refusal(403, 'BUYER_NOT_ELIGIBLE'), 'Use the dealer_id'],
    ['fields that are wrong', invalidFields(), 'Mend what it names.'],
  ])('over %s: corrected, it is another bid', async (_, step, remedy) => {
    const { nextStep } = (await placed([step])).outcome;
    expect(nextStep.startsWith(remedy)).toBe(true);
    expect(nextStep.endsWith(` ${corrected}`)).toBe(true);
  });

  it.each([
    ['a scope', refusal(403, 'SCOPE_DENIED')],
    ['a key without its header', refusal(422, 'IDEMPOTENCY_KEY_REQUIRED')],
    ['something new', messageOnly(403)],
  ])('over %s: the same bid again', async (_, step) => {
    const { nextStep } = (await placed([step])).outcome;
    expect(nextStep).toMatch(/ Then place the same bid again under its key \(as intentId\)\.$/);
  });

  it('of a row in a batch names the row id, and the batch', () => {
    expect(told([ended('refused', 404)], { row }).nextStep).toBe(
      'Check the lot id, and that the lot is open to these credentials. A corrected bid is a new one, with a row id of its own; run the batch b1 again, only if nothing in it changes.',
    );
  });

  it('and following it meets no conflict: the corrected bid goes under a key of its own', async () => {
    const { scene } = await placed([messageOnly(404)]);
    const { client, transport } = scene.dealer([acceptance()]);
    const other = { ...bid, lot: 'lot_2' };
    expect(await rejection(client.bidding.place(other))).toMatchObject({ name: 'IdempotencyConflictError' });
    const { intentId: _, ...anew } = other;
    expect(await scene.during(client.bidding.place(anew))).toMatchObject({ status: 'accepted' });
    expect(transport.sent).toHaveLength(1);
  });
});

describe('a bid whose time to be sent is over', () => {
  const late = { now: NOW + 120_000 };
  const absent: Entry = { type: 'look', by: 'A06', at: NOW, found: 'absent', observedAt: NOW };
  const again = 'place the same bid again under its key (as intentId)';
  const over =
    "Reconcile it by its key after 2026-03-02T06:05:00.000Z server time; it is no longer sent, only looked up. Don't bid anew before that.";

  it('is no more told to be placed again as it is', () => {
    expect(told([ended('not_sent', 0)], late).nextStep).toBe(
      `If it is still wanted, ${again}, with a later placeBy or none.`,
    );
    expect(told([ended('refused', 403)], late).nextStep).toBe(
      `Mend what it names. Then ${again}, with a later placeBy or none.`,
    );
    expect(told([ended('in_doubt', 500), absent], late).nextStep).toBe(over);
  });

  it('is told so from that moment on, and by the deadline that it has by now', () => {
    const early = { now: NOW + 119_999 };
    expect(told([ended('not_sent', 0)], early).nextStep).toBe(`If it is still wanted, ${again}.`);
    expect(told([ended('in_doubt', 500), absent], early).nextStep).toContain(`, or ${again}, which can't`);
    const renewed: Entry = { type: 'word', word: 'renewed', at: NOW, reason: 'again', placeBy: NOW + 9_000 };
    const { nextStep } = told([ended('not_sent', 0), renewed], { now: NOW + 9_000 });
    expect(nextStep).toContain('with a later placeBy');
  });

  it('is only reconciled once its lot has said that it is closed', async () => {
    const { outcome, transport } = await placed([html(403), lookup('absent'), lotStatus(NOW - 1)], 3);
    expect(outcome).toMatchObject({ status: 'unknown', nextStep: over });
    expect(transport.bodies).toHaveLength(1);
  });

  it('or once it was rejected, though nobody could confirm that', () => {
    const rejected = { ...ended('rejected', 422), attempt: 2, record: { status: 'rejected' } };
    const second: Entry = {
      type: 'attempt',
      attempt: 2,
      at: NOW,
      timestamp: NOW / 1_000,
      nonce: 'm',
      keyId: 'k',
    };
    expect(told([second, rejected, absent]).nextStep).toBe(over);
  });
});

describe('a bid that nobody may send any more, at the time of the call', () => {
  it('is told to be placed with a later deadline: past the one it was given', async () => {
    const scene = new Scene();
    const { client } = scene.dealer();
    const outcome = await scene.during(client.bidding.place({ ...bid, placeBy: NOW - 1 }));
    expect(outcome).toMatchObject({
      status: 'not_sent',
      what: 'Nothing of this bid was sent (the time until which it may be sent has passed: its placeBy, the close, or two minutes).',
      nextStep:
        'If it is still wanted, place the same bid again under its key (as intentId), with a later placeBy or none.',
    });
  });

  it('is only reconciled, as recovery, explain and place itself say', async () => {
    const { scene, client } = await placed([unheard, ...Array<Step>(4).fill(lookup('absent'))]);
    await scene.clock.advance(120_000);
    const over = 'it is no longer sent, only looked up';
    expect(await client.intents.explain(KEY)).toContain(over);
    const next = scene.dealer(Array<Step>(9).fill(lookup('absent')));
    expect((await scene.during(next.client.bidding.place(bid))).nextStep).toContain(over);
    const [found] = await scene.during(next.client.recover());
    expect(found?.nextStep).toContain(over);
  });
});

describe('what is thrown under place', () => {
  it('names the method that was called, not the bare one', async () => {
    const named = { call: 'bidding.place', operation: 'bids.submit' };
    const message = expect.stringMatching(/^bidding\.place \(bids\.submit\): /);
    const full = new JournalError({ fault: 'full', what: 'No room.', nextStep: 'Make room.' });
    for (const method of ['create', 'find'] as const) {
      const scene = new Scene();
      scene.journal.trouble({ method, error: full });
      const error = await rejection(scene.during(scene.dealer().client.bidding.place(bid)));
      expect(error).toMatchObject({ name: 'JournalError', message, ...named });
    }
    const { scene } = await placed([unheard, ...Array<Step>(4).fill(messageOnly(403))]);
    const { client } = scene.dealer();
    const { intentId: _, ...anew } = bid;
    const twin = await rejection(scene.during(client.bidding.place(anew)));
    expect(twin).toMatchObject({ name: 'InDoubtError', message, ...named });
    const conflict = await rejection(scene.during(client.bidding.place({ ...bid, amount: '470000' })));
    expect(conflict).toMatchObject({ name: 'IdempotencyConflictError', message, ...named });
  });
});

describe('abandoning a bid that is settled', () => {
  it('says that nothing is left to abandon', async () => {
    const { client } = await placed([acceptance()]);
    const error = await rejection(client.bidding.abandon(KEY, 'by mistake'));
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      nextStep: 'It is settled, so nothing is left to abandon; intents.explain(key) tells what became of it.',
    });
  });
});

describe('a bid in quarantine', () => {
  it.each([
    [
      'accepted',
      acceptance({ replayed: true }, 200),
      { status: 'accepted', bidId: 'bid_77', codes: [] },
      '(bid_77)',
    ],
    [
      'rejected',
      recordedRejection(['LOT_NOT_LIVE'], { replayed: true }),
      { status: 'rejected', bidId: 'bid_78', codes: ['LOT_NOT_LIVE'] },
      '(bid_78, LOT_NOT_LIVE)',
    ],
  ])('tells what the service says: %s', async (word, step, said, named) => {
    const { outcome, client } = await placed([step]);
    expect(outcome).toMatchObject({ status: 'unknown', quarantined: { said } });
    const sentence = `The service says: ${word} ${named}.`;
    expect(outcome.what.endsWith(` ${sentence}`)).toBe(true);
    expect(await client.intents.explain(KEY)).toContain(sentence);
  });

  it('tells nothing where the word is of another bid; and which row that was', async () => {
    const { outcome } = await placed([refusal(409, 'IDEMPOTENCY_CONFLICT')]);
    expect(outcome).toMatchObject({ quarantined: { reason: expect.stringContaining('other content') } });
    expect(outcome).not.toHaveProperty('quarantined.said');
    expect(outcome.what).toMatch(/are not the same\.$/);
    const conflict = { ...ended('in_doubt', 409), keyConflict: true };
    expect(told([conflict], { row }).what).toMatch(
      /are not the same\. Row id r7 of batch b1 was used for another bid before\.$/,
    );
  });

  it('is the same for the same key when it is placed again', async () => {
    const { outcome, scene } = await placed([acceptance({ replayed: true }, 200)]);
    expect(await scene.during(scene.dealer().client.bidding.place(bid))).toEqual(outcome);
  });
});

describe('an error of a journal', () => {
  const full = new JournalError({ fault: 'full', what: 'No room.', nextStep: 'Make room.' });

  it('counts the attempts that were begun: what could not be written down is none', async () => {
    const scene = new Scene();
    scene.journal.trouble({ method: 'create', error: full });
    const { client } = scene.dealer();
    expect(await rejection(scene.during(client.bidding.place(bid)))).toMatchObject({
      name: 'JournalError',
      outcome: 'not_sent',
      attempts: 0,
    });
  });
});

describe('what recovery tells of bids and commands', () => {
  it('is told apart by call, and by path where the compiler asks', async () => {
    const scene = new Scene();
    const { client } = scene.platform([unheard, ...Array<Step>(4).fill(messageOnly(403)), unheard]);
    const place = client.bidding.place({ ...bid, bidderReference: 'a' }, { maxAttempts: 1 });
    await scene.during(place);
    const acknowledge = client.notifications.acknowledge(
      'n_1',
      { status: 'read', external_reference: 'x' },
      { maxAttempts: 1 },
    );
    await rejection(scene.during(acknowledge));
    const { client: next } = scene.platform([lookup('accepted')]);
    const found = (await scene.during(next.recover())).map((outcome) => [
      outcome.call,
      'path' in outcome ? outcome.path : outcome.lot,
    ]);
    expect(found).toEqual([
      ['bidding.place', LOT],
      ['notifications.acknowledge', '/api/v1/notifications/n_1/acknowledgments'],
    ]);
  });
});
