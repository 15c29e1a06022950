import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/intents/entry.js';
import type { Change, Journal } from '../../src/intents/journal.js';
import { acceptance, LOT, NOW, recordedRejection, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

/** A process that slept past its lease, and wakes up when another one has taken its intent over. */

const id = { namespace: JSON.stringify(['https://bank.example', 'sandbox', 'cl_7f3a']), key: KEY };
const bid = { lot: LOT, amount: '465000', intentId: KEY };
const acknowledgment = { status: 'read', external_reference: 'x' } as const;

const attempt: Entry = {
  type: 'attempt',
  attempt: 2,
  at: NOW,
  timestamp: NOW / 1000,
  nonce: 'n2',
  keyId: 'k',
};
const record = { bid_id: 'bid_7', status: 'accepted' };
const done: Entry = {
  type: 'end',
  attempt: 2,
  at: NOW,
  effect: 'done',
  reason: 'HTTP 200',
  status: 200,
  record,
};

/** Another process takes the intent over, which nobody holds any more, and writes what came of it there. */
function takenOver(change: Change) {
  return async (journal: Journal) => {
    await journal.release(id, 1);
    const claimed = await journal.claim(id, { owner: 'another', ttlMs: 1 });
    if (claimed.kind !== 'claimed') throw new Error('somebody holds it');
    await journal.append(id, claimed.held.fence, change);
    await journal.release(id, claimed.held.fence);
  };
}

describe('a bid', () => {
  /** It is answered like this, and has been taken over when that is to be written down. */
  async function placed(step: Step, change: Change, isReadable = true) {
    const scene = new Scene();
    scene.journal.trouble({ method: 'append', before: takenOver(change) });
    if (!isReadable) scene.journal.trouble({ method: 'read' });
    const { client } = scene.dealer([step]);
    const outcome = await scene.during(client.bidding.place(bid, { maxAttempts: 1, deadline: 500 }));
    return { outcome, stored: await scene.journal.only() };
  }

  it.each([
    ['refused', refusal(401, 'TIMESTAMP_EXPIRED')],
    ['not sent', { fail: 'no' } as Step],
    ['in doubt', { fail: 'maybe' } as Step],
  ])('%s here, accepted there: accepted', async (_, step) => {
    const { outcome, stored } = await placed(step, { entries: [attempt, done], state: 'accepted' });
    expect(outcome).toMatchObject({ status: 'accepted', bidId: 'bid_7' });
    expect(stored.state).toBe('accepted');
  });

  it.each([
    ['refused', refusal(403, 'SCOPE_DENIED')],
    ['not sent', { fail: 'no' } as Step],
  ])('%s here, and nothing written there yet: unknown, for it may be on its way there', async (_, step) => {
    const { outcome } = await placed(step, { entries: [], state: 'unknown' });
    expect(outcome.status).toBe('unknown');
  });

  it('accepted here is written down as soon as the other has let go', async () => {
    const { outcome, stored } = await placed(acceptance(), { entries: [attempt], state: 'unknown' });
    expect(outcome).toMatchObject({ status: 'accepted', bidId: 'bid_77' });
    expect(stored.state).toBe('accepted');
    expect(stored.entries.map(({ type }) => type)).toEqual(['attempt', 'attempt', 'end']);
  });

  it.each([
    ['refused', refusal(403, 'SCOPE_DENIED')],
    ['not sent', { fail: 'no' } as Step],
    ['rejected', recordedRejection()],
  ])('%s here, in doubt there: unknown', async (_, step) => {
    const { outcome, stored } = await placed(step, { entries: [attempt], state: 'unknown' });
    expect(outcome.status).toBe('unknown');
    expect(stored.state).toBe('unknown');
  });

  it('accepted here, in doubt there: accepted, for the service said so', async () => {
    const { outcome } = await placed(acceptance(), { entries: [attempt], state: 'unknown' });
    expect(outcome).toMatchObject({ status: 'accepted', bidId: 'bid_77' });
  });

  it.each([
    ['refused', refusal(403, 'SCOPE_DENIED')],
    ['not sent', { fail: 'no' } as Step],
  ])('%s here, and nobody can read what became of it there: unknown', async (_, step) => {
    const { outcome } = await placed(step, { entries: [attempt], state: 'unknown' }, false);
    expect(outcome.status).toBe('unknown');
  });

  it('that is about to be sent again is not: nothing leaves under the old lease', async () => {
    const scene = new Scene();
    scene.journal.trouble({
      method: 'append',
      before: takenOver({ entries: [attempt, done], state: 'accepted' }),
    });
    const { client, transport } = scene.dealer([{ fail: 'maybe' }, acceptance()]);
    const outcome = await scene.during(client.bidding.place(bid));
    expect(outcome).toMatchObject({ status: 'accepted', bidId: 'bid_7' });
    expect(transport.lines).toEqual([`POST /lots/${LOT}/bids`]);
  });
});

describe('a command', () => {
  async function called(step: Step, change: Change) {
    const scene = new Scene();
    scene.journal.trouble({ method: 'append', before: takenOver(change) });
    const { client } = scene.dealer([step]);
    const options = { idempotencyKey: KEY, maxAttempts: 1 };
    return { scene, calling: scene.during(client.notifications.acknowledge('n_1', acknowledgment, options)) };
  }

  it.each([
    ['refused', refusal(403, 'SCOPE_DENIED'), 'PermissionError'],
    ['not sent', { fail: 'no' } as Step, 'ConnectionError'],
  ])('%s here, carried out there: the error calls its effect unknown', async (_, step, name) => {
    const { scene, calling } = await called(step, { entries: [attempt, done], state: 'done' });
    const error = await rejection(calling);
    expect(error).toMatchObject({
      name: 'JournalError',
      fault: 'lease_lost',
      outcome: 'unknown',
      idempotencyKey: KEY,
      operation: 'A75',
      cause: { name },
    });
    expect(String(error)).toContain(
      'Another process took this intent over while this call was at work on it',
    );
    expect((await scene.journal.only()).state).toBe('done');
  });

  it('carried out here: the caller has its record all the same', async () => {
    const data = { id: 'n_1', kind: 'notification_ack', state: 'read', resource_version: 1 };
    const { calling } = await called(
      { status: 200, json: { data, request_id: 'req_1', server_time: '2026-03-02T06:00:00+00:00' } },
      { entries: [attempt], state: 'unknown' },
    );
    expect(await calling).toMatchObject({ id: 'n_1' });
  });
});
