import type { SandboxCredentials } from '../../../src/sandbox/index.js';
import { bid, type Got, send } from '../caller.js';
import { paise, rupees } from './money.js';
import type { Play, WireRecord } from './play.js';

/** One random move: what is tried, and numbers that pick by whom, on what, and how. */
export interface Move {
  readonly name: string;
  readonly by: number;
  readonly on: number;
  readonly how: number;
}

/** What a move does: undefined where there is nothing to try it on, `time` where it was no request. */
type Try = (play: Play, move: Move) => Promise<Got | 'time' | undefined>;

const DAY = 86_400_000;

export const moves = {
  bid: async (play, { by, on, how }) => {
    const who = pick(play.partners, by);
    const lot = pick(play.lots, on);
    const isPlatform = who === play.sandbox.credentials.platform;
    const amount = rupees(
      paise(lot.startingPrice) + BigInt(how % 12) * play.stepOf(lot.id) - (how % 13 === 12 ? 1n : 0n),
    );
    const got = await bid(play.sandbox, who, lot.id, {
      amount,
      // Now and then a platform names nobody, or a dealer somebody.
      ...((how % 17 === 16) !== isPlatform && {
        bidder_reference: isPlatform ? `buyer-${how % 2}` : 'stray',
      }),
    });
    play.heard(who, got);
    if (typeof got.json?.data?.bid_id === 'string') {
      play.bids.set(got.json.data.bid_id, {
        who,
        lotId: lot.id,
        amount: paise(amount),
        accepted: got.status === 201,
        reference: isPlatform ? `buyer-${how % 2}` : null,
      });
    }
    return got;
  },

  advance: async (play, { how }) => {
    play.sandbox.clock.advance([1_000, 60_000, 3_600_000, DAY][how % 4] ?? 1_000);
    return 'time';
  },

  closeAuction: async (play, { on }) => {
    const label = pick(play.labels, on);
    if (play.sandbox.auctions.get(label).status !== 'live') return undefined;
    play.sandbox.auctions.close(label);
    return 'time';
  },

  requestBidCancellation: (play, { by, on, how }) =>
    onOne(play.bids, on, ([id, { who }]) => {
      const asking = by % 4 === 3 ? somebody(play, by >> 2) : who;
      return ask(play, asking, `bids/${id}/cancellation-requests`, { reason_code: `R${how % 3}` });
    }),

  decideBidCancellation: decides('cancellation', 'bid-cancellation-requests'),

  decideSale: asks('sale', bankMostly, 'sale-cases/{id}/decisions', (play, sale, { how }) => {
    const offer = sale.data.active_offer ?? undefined;
    return {
      decision: 'approved',
      bid_id: how % 11 === 10 ? 'bid_0' : sale.data.bid_id,
      terms_version: offer?.data?.terms_version ?? 'T1',
      due_at: at(play, how % 7 === 6 ? -DAY : 3 * DAY),
      payee_instructions: 'NEFT to account 0042',
      ...(offer !== undefined && how % 5 !== 4 && { offer_id: offer.id }),
    };
  }),

  acknowledge: asks('sale', ownerMostly, 'sale-cases/{id}/acknowledgments', (_, sale, { how }) => ({
    terms_version: how % 9 === 8 ? 'T9' : (sale.data.terms_version ?? 'T1'),
  })),

  offer: (play, { by, on, how }) =>
    onRecord(play, 'sale', on, async (sale) => {
      const got = await ask(play, bankMostly(play, by), `sale-cases/${sale.id}/offers`, {
        amount: rupees(paise(sale.data.amount) + BigInt(how % 5) * 100_000n),
        currency: 'INR',
        terms_version: `T${how % 3}`,
        valid_until: at(play, (how % 6) * 3_600_000),
        reason: 'reserve not met',
        expected_version: version(sale, how),
      });
      if (got.status === 200) play.offered.set(got.json.data.id, sale);
      return got;
    }),

  answerOffer: (play, { by, on, how }) =>
    onRecord(play, 'offer', on, (offer) =>
      ask(play, ownerMostly(play, by, play.offered.get(offer.id)), `offers/${offer.id}/responses`, {
        decision: how % 3 === 0 ? 'declined' : 'accepted',
        terms_version: offer.data.terms_version,
        expected_version: version(offer, how),
      }),
    ),

  requestSaleCancellation: asks('sale', somebody, 'sale-cases/{id}/cancellation-requests', () => ({
    reason_code: 'BUYER_WITHDREW',
  })),

  decideSaleCancellation: decides('sale_cancellation', 'sale-cancellation-requests'),

  upload: asks('sale', somebody, 'document-uploads', (_, sale, { how }) => ({
    sale_id: sale.id,
    purpose: 'payment_evidence',
    filename: `slip-${how}.pdf`,
    content_base64: Buffer.from(`%PDF-1.7 slip ${how}`).toString('base64'),
  })),

  report: asks('sale', ownerMostly, 'payment-reports', (play, sale, { on, how }) => ({
    sale_id: sale.id,
    amount: sale.data.amount,
    currency: 'INR',
    method: 'bank_transfer',
    utr: `UTR-${sale.id}-${how % 4 === 3 ? how : 0}`,
    paid_at: at(play, -60_000),
    ...(how % 3 === 0 && evidenceOf(play, on)),
  })),

  verify: (play, { by, on, how }) =>
    onRecord(play, 'payment_report', on, (report) => {
      const receipts = play.all('bank_receipt');
      const own = receipts.find(
        ({ data }) => data.sale_id === report.data.sale_id && data.utr === report.data.utr,
      );
      const receipt = how % 5 === 4 ? receipts[how % receipts.length] : own;
      if (receipt === undefined) return Promise.resolve(undefined);
      return ask(play, bankMostly(play, by), `payment-reports/${report.id}/decisions`, {
        decision: 'verified',
        bank_receipt_id: receipt.id,
        bank_account_reference: receipt.data.bank_account_reference,
        received_amount: receipt.data.amount,
        currency: 'INR',
        expected_version: version(report, how),
      });
    }),

  importReceipt: asks('sale', bankMostly, 'bank-receipts/imports', (play, sale, { on, how }) => ({
    sale_id: sale.id,
    bank_account_reference: 'COLLECTION-7',
    utr: `UTR-${sale.id}-${how % 4 === 3 ? how : 0}`,
    external_transaction_id: how % 7 === 6 ? 'S/1' : `S/${sale.id}/${how}`,
    amount: how % 4 === 3 ? '1000.50' : sale.data.amount,
    currency: 'INR',
    value_date: '2026-03-01',
    ...(how % 5 === 0 && evidenceOf(play, on)),
  })),

  allocate: asks('payment', bankMostly, 'payments/{id}/allocations', (play, payment, { how }) => {
    const sales = play.all('sale');
    const sale = how % 4 === 3 ? sales[how % sales.length] : play.records.get(payment.data.sale_id);
    return {
      sale_id: sale?.id ?? payment.data.sale_id,
      amount: [payment.data.amount, '250.25', '1000000.00'][how % 3],
    };
  }),

  requestRefund: asks('payment', somebody, 'payments/{id}/refund-requests', (_, payment, { how }) => ({
    amount: [payment.data.amount, '500.25', '0.01'][how % 3],
    reason: 'paid too much',
  })),

  decideRefund: decides('refund_request', 'refund-requests'),

  dispute: asks('sale', somebody, 'disputes', (play, sale, { on, how }) => ({
    sale_id: sale.id,
    reason_code: 'CONDITION',
    explanation: `the gearbox is stuck (${how})`,
    ...(how % 3 === 0 && evidenceOf(play, on)),
  })),

  release: asks('sale', bankMostly, 'sale-cases/{id}/release-authorizations', (play, _, { how }) => ({
    recipient: 'Asha Motors',
    yard: 'Unity Vehicle Park',
    expires_at: at(play, how % 5 === 4 ? 3_600_000 : 10 * DAY),
    collection_date: '2026-03-09',
  })),

  revoke: asks('release', bankMostly, 'release-authorizations/{id}/revocations', () => ({
    reason: 'changed our mind',
  })),

  collect: asks(
    'release',
    bankMostly,
    'release-authorizations/{id}/collections',
    (play, release, { how }) => {
      const sale = play.records.get(release.data.sale_id);
      return {
        collector: 'A. Rao',
        vehicle_identity: how % 6 === 5 ? 'KA00XX0000' : play.plateOf(sale?.data.lot_id),
      };
    },
  ),

  updateTransfer: asks('sale', bankMostly, 'sale-cases/{id}/transfer-updates', (play) => ({
    status: 'submitted',
    responsible_party: 'buyer',
    document_checklist: ['RC', 'Form 29'],
    occurred_at: at(play, -60_000),
  })),

  acknowledgeNotice: async (play, { by, on, how }) => {
    const who = pick(play.partners, by);
    const { json } = await play.read(who, 'notifications');
    const notice = json.data[on % Math.max(1, json.data.length)];
    if (notice === undefined) return undefined;
    return ask(
      play,
      how % 4 === 3 ? somebody(play, how) : who,
      `notifications/${notice.id}/acknowledgments`,
      { status: how % 5 === 4 ? 'eaten' : 'read' },
    );
  },

  replay: async (play, { on }) => {
    const sent = play.sent[on % Math.max(1, play.sent.length)];
    if (sent === undefined) return undefined;
    const headers = { 'Idempotency-Key': sent.key };
    const again = await send(play.sandbox, sent.who, { path: sent.path, body: sent.text, headers });
    const changed = await send(play.sandbox, sent.who, { path: sent.path, body: `${sent.text} `, headers });
    const replayed = again.headers.get('idempotent-replayed');
    play.expect(
      [again.status, replayed, JSON.stringify(again.json.data)],
      [200, 'true', sent.data],
      'a replay',
    );
    play.expect(
      [changed.status, changed.json.code],
      [409, 'IDEMPOTENCY_CONFLICT'],
      'changed bytes under a key',
    );
    return changed;
  },
} as const satisfies Record<string, Try>;

function pick<T>(all: readonly T[], at: number): T {
  const one = all[at % all.length];
  if (one === undefined) throw new Error('nothing to pick from');
  return one;
}

function somebody(play: Play, by: number): SandboxCredentials {
  return pick(play.everybody, by);
}

/** The bank, but for one time in eight. */
function bankMostly(play: Play, by: number): SandboxCredentials {
  return by % 8 === 7 ? somebody(play, by >> 3) : play.sandbox.credentials.bank;
}

/** The partner whose sale it is, but for one time in six. */
function ownerMostly(play: Play, by: number, sale: WireRecord | undefined): SandboxCredentials {
  const owner = sale && play.bids.get(sale.data.bid_id)?.who;
  return by % 6 === 5 || owner === undefined ? somebody(play, by >> 3) : owner;
}

/** The version as it was read last, but for one time in ten. */
const version = (record: WireRecord, how: number) =>
  how % 10 === 9 ? record.resource_version + 1 : record.resource_version;

const at = (play: Play, ms: number) => new Date(play.sandbox.clock.now() + ms).toISOString();

function evidenceOf(play: Play, on: number) {
  const documents = play.all('document');
  return documents.length === 0 ? {} : { evidence_id: documents[on % documents.length]?.id };
}

function onOne<T>(all: Iterable<T>, on: number, act: (one: T) => Promise<Got | undefined>) {
  const some = [...all];
  return some.length === 0 ? Promise.resolve(undefined) : act(pick(some, on));
}

function onRecord(play: Play, kind: string, on: number, act: (one: WireRecord) => Promise<Got | undefined>) {
  return onOne(play.all(kind), on, act);
}

/** A command on a record of a kind, or about it: with its version where the path names it. */
function asks(
  kind: string,
  by: (play: Play, by: number, record: WireRecord) => SandboxCredentials,
  path: string,
  body: (play: Play, record: WireRecord, move: Move) => Readonly<Record<string, unknown>>,
): Try {
  return (play, move) =>
    onRecord(play, kind, move.on, (record) =>
      ask(play, by(play, move.by, record), path.replace('{id}', record.id), {
        ...body(play, record, move),
        ...(path.includes('{id}') && { expected_version: version(record, move.how) }),
      }),
    );
}

function decides(kind: string, path: string): Try {
  const approved = { decision: 'approved', reason: 'as agreed' };
  return asks(kind, bankMostly, `${path}/{id}/decisions`, () => approved);
}

/** Sends a command, and keeps what was sent where it was carried out. */
async function ask(
  play: Play,
  who: SandboxCredentials,
  path: string,
  content: Record<string, unknown>,
): Promise<Got> {
  const key = play.nextKey();
  const sent = { path: `/api/v1/${path}`, body: JSON.stringify({ ...content, idempotency_key: key }) };
  const got = await send(play.sandbox, who, { ...sent, headers: { 'Idempotency-Key': key } });
  play.heard(who, got);
  if (got.status === 200) {
    play.sent.push({ who, path: sent.path, text: sent.body, key, data: JSON.stringify(got.json.data) });
    play.learn(got.json.data);
  }
  return got;
}
