import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { responseOf } from '../../src/core/reply/reply.js';
import { readOffer, readReceipts } from '../../src/index.js';
import type { Sandbox } from '../../src/sandbox/index.js';
import { rejection } from '../support/clients.js';
import { type Stage, stage } from './stage.js';

const terms = {
  decision: 'approved',
  reason: 'Above the reserve',
  terms_version: 'T3',
  due_at: '2026-03-09T18:00:00+05:30',
  payee_instructions: 'NEFT to account 0042',
} as const;

/** The dealer wins the first lot of the live open auction, which closes; the sale waits for the bank. */
async function won({ sandbox, dealer, bank }: Stage) {
  const { id, lots } = sandbox.auctions.get('live-open');
  const lot = lots[0];
  if (lot === undefined) throw new Error('no lots');
  const receipt = await dealer.bids.submit(lot.id, { amount: lot.startingPrice });
  sandbox.auctions.close(id);
  const [sale] = await bank.saleCases.list().toArray();
  if (sale === undefined) throw new Error('no sale');
  return { eventId: id, lotId: lot.id, amount: lot.startingPrice, bidId: receipt.bid_id, sale };
}

async function approved(world: Stage) {
  const award = await won(world);
  const sale = await world.bank.saleCases.decide(award.sale, { ...terms, bid_id: award.bidId });
  return { ...award, sale };
}

async function paid(world: Stage) {
  const { bank, dealer } = world;
  const { sale, amount, ...rest } = await approved(world);
  await dealer.saleCases.acknowledge(sale, { terms_version: 'T3' });
  await bank.bankReceipts.import({
    sale_id: sale.id,
    bank_account_reference: 'ACC-1',
    utr: 'U1',
    external_transaction_id: 'X1',
    amount,
    currency: 'INR',
    value_date: '2026-03-01',
  });
  const [payment] = readReceipts(await bank.saleCases.receipts(sale.id)).payments;
  const { id = '' } = payment?.data ?? {};
  await bank.payments.allocate(await bank.payments.get(id), { sale_id: sale.id, amount });
  return { ...rest, amount, sale: await bank.saleCases.get(sale.id) };
}

const release = {
  recipient: 'A. Buyer',
  yard: 'Pune 2',
  expires_at: '2026-03-12T18:00:00+05:30',
  collection_date: '2026-03-11',
} as const;

const committed = (sandbox: Sandbox, operation: string) =>
  sandbox.ledger().filter((entry) => entry.operation === operation).length;

describe.each(['', '/index.php'])('after the hammer, behind the prefix "%s"', (prefix) => {
  // rule: general.4, state.offer
  it('an offer is made, accepted, and becomes the price', async () => {
    await using world = await stage(prefix);
    const { bank, dealer } = world;
    const { sale, bidId } = await won(world);
    const offer = {
      amount: '90000.00',
      currency: 'INR',
      terms_version: 'T3',
      valid_until: '2026-03-05T18:00:00+05:30',
      reason: 'Scratches',
    } as const;
    const first = await bank.saleCases.offer(sale, offer);
    const second = await bank.saleCases.offer(await bank.saleCases.get(sale.id), {
      ...offer,
      amount: '91000.00',
    });
    const active = readOffer(await dealer.saleCases.get(sale.id));
    expect(active?.data).toMatchObject({ id: second.id, state: 'open', version: 1, amount: '91000.00' });
    const stale = { id: first.id, resource_version: 2 };
    const reply = { decision: 'accepted', terms_version: 'T3' } as const;
    expect(await rejection(dealer.offers.respond(stale, reply))).toMatchObject({
      name: 'ConflictError',
      status: 409,
    });
    const answered = await dealer.offers.respond({ id: second.id, resource_version: 1 }, reply);
    expect(answered).toMatchObject({ state: 'accepted', data: { decision: 'accepted' } });

    const now = await bank.saleCases.get(sale.id);
    expect(now.state).not.toBe('approved');
    const nameless = await rejection(bank.saleCases.decide(now, { ...terms, bid_id: bidId }));
    expect(nameless).toMatchObject({
      name: 'ValidationError',
      fieldErrors: { offer_id: [expect.any(String)] },
    });
    const decided = await bank.saleCases.decide(now, { ...terms, bid_id: bidId, offer_id: second.id });
    expect(decided).toMatchObject({ state: 'approved', data: { amount: '91000.00' } });
    expect((await dealer.saleCases.paymentDues(sale.id)).due_amount).toBe('91000.00');
  });

  // rule: convention.3
  it('a command whose reply is lost is sent again with its bytes, and committed once', async () => {
    await using world = await stage(prefix);
    const { dealer, sandbox } = world;
    const { sale } = await approved(world);
    sandbox.inject({ operation: 'A23', fault: 'drop_after_commit' });
    const acknowledged = await dealer.saleCases.acknowledge(sale, { terms_version: 'T3' });
    expect(responseOf(acknowledged)).toMatchObject({ replayed: true, attempts: 2 });
    expect(committed(sandbox, 'A23')).toBe(1);
    const key = responseOf(acknowledged).idempotencyKey ?? '';
    const other = dealer.saleCases.acknowledge(sale, { terms_version: 'T4' }, { idempotencyKey: key });
    expect(await rejection(other)).toMatchObject({ name: 'IdempotencyConflictError' });
  });

  // rule: state.payment-report, state.document, notification.evidence
  it('evidence goes up, waits for its scan, and comes down as it was', async () => {
    await using world = await stage(prefix);
    const { dealer, bank, sandbox } = world;
    const { sale, amount } = await approved(world);
    const bytes = Buffer.from('%PDF-1.4 a transfer, as its bank shows it');
    const document = await dealer.documents.upload({
      sale_id: sale.id,
      purpose: 'payment_evidence',
      filename: 'transfer.pdf',
      content_base64: bytes.toString('base64'),
    });
    expect(document).toMatchObject({
      state: 'awaiting_scan',
      data: {
        mime: 'application/pdf',
        bytes: bytes.length,
        digest: createHash('sha256').update(bytes).digest('hex'),
      },
    });
    const report = {
      sale_id: sale.id,
      amount,
      currency: 'INR',
      method: 'bank_transfer',
      utr: 'U1',
      paid_at: '2026-03-01T15:20:00+05:30',
      evidence_id: document.id,
    } as const;
    expect(await rejection(dealer.paymentReports.create(report))).toMatchObject({
      name: 'ValidationError',
      outcome: 'refused',
      fieldErrors: { evidence_id: [expect.any(String)] },
    });
    expect(await rejection(dealer.documents.download(document.id))).toMatchObject({ status: 409 });
    sandbox.clock.advance(1_000);
    const ready = await dealer.documents.get(document.id);
    expect(ready.state).toBe('ready');
    for (const client of [dealer, bank]) {
      const file = await client.media.download(ready.data?.download_url ?? '');
      expect(file).toMatchObject({ contentType: 'application/pdf', contentLength: bytes.length });
      expect(Buffer.from(await new Response(file.stream).arrayBuffer())).toEqual(bytes);
    }
    expect(await dealer.paymentReports.create(report)).toMatchObject({
      state: 'reported_pending_verification',
    });
    expect(await rejection(world.platform.documents.get(document.id))).toMatchObject({
      name: 'NotFoundError',
    });
  });

  // rule: state.release, notification.inbox
  it('a release is revoked, given again, used once, and all of it is told', async () => {
    await using world = await stage(prefix);
    const { dealer, bank, sandbox } = world;
    const { sale, lotId, eventId } = await paid(world);
    const first = await bank.saleCases.authorizeRelease(sale, release);
    expect(await bank.releases.revoke(first, { reason: 'Wrong yard' })).toMatchObject({ state: 'revoked' });
    const second = await bank.saleCases.authorizeRelease(await bank.saleCases.get(sale.id), release);
    const { registration_number } = await dealer.events.lot(eventId, lotId);
    const handover = { collector: 'A. Buyer', vehicle_identity: registration_number ?? '' };
    const strange = await rejection(
      bank.releases.collect(second, { ...handover, vehicle_identity: 'KA01XX0000' }),
    );
    expect(strange).toMatchObject({
      name: 'ValidationError',
      fieldErrors: { vehicle_identity: expect.any(Array) },
    });
    expect(await bank.releases.collect(second, handover)).toMatchObject({ state: 'used' });
    const again = await rejection(bank.releases.collect(await bank.releases.get(second.id), handover));
    expect(again).toMatchObject({ name: 'ConflictError', outcome: 'refused' });
    expect((await dealer.releases.get(second.id)).state).toBe('used');
    expect(await dealer.lots.statusBatch({ lot_ids: [lotId] })).toMatchObject([
      { status: 200, data: { inventory_state: 'collected', release: { state: 'used' } } },
    ]);
    const types = (await dealer.notifications.list().toArray()).map(({ type }) => type);
    expect(types).toEqual(
      expect.arrayContaining(['release.authorized', 'release.revoked', 'vehicle.collected']),
    );
    expect(committed(sandbox, 'A56')).toBe(1);
  });
});
