import type { SandboxCredentials } from '../../../src/sandbox/index.js';
import { bid, type Got, send } from '../caller.js';
import { type ActName, acts, isAboutInventory } from '../commands.js';
import { Story } from '../story.js';
import { paise, rupees } from './money.js';
import type { Kept, Play } from './play.js';

/** One random move: what is tried, and numbers that pick by whom, on what, and how. */
export interface Move {
  readonly name: string;
  readonly by: number;
  readonly on: number;
  readonly how: number;
}

/** What a move does: undefined where there is nothing to try it on, `time` where it was no request. */
type Try = (play: Play, move: Move) => Promise<Got | 'time' | undefined>;

type Body = Readonly<Record<string, unknown>>;

const DAY = 86_400_000;

/** The workflow commands by their names, each now and then by the wrong one, on the wrong version or with wrong content. */
export const commands = (Object.keys(acts) as ActName[]).filter(
  (name) => !/^(reject|decline)/.test(name) && !isAboutInventory(name),
);

/** How each command ended, over all histories. */
export const met = new Set<string>();

export const moves: Readonly<Record<string, Try>> = {
  async bid(play, { by, on, how }) {
    const who = pick(play.partners, by);
    const lot = pick(play.lots, on);
    const isPlatform = who === play.sandbox.credentials.platform;
    const offGrid = how % 13 === 12 ? 1n : 0n;
    const amount = paise(lot.startingPrice) + BigInt(how % 12) * play.stepOf(lot.id) - offGrid;
    const reference = isPlatform ? `buyer-${how % 2}` : null;
    const got = await bid(play.sandbox, who, lot.id, {
      amount: rupees(amount),
      // Now and then a platform names nobody, or a dealer somebody.
      ...((how % 17 === 16) !== isPlatform && { bidder_reference: reference ?? 'stray' }),
    });
    play.heard(who, got);
    const id: unknown = got.json?.data?.bid_id;
    const accepted = got.status === 201;
    if (typeof id === 'string') play.bids.set(id, { who, lotId: lot.id, amount, accepted, reference });
    return got;
  },

  async advance(play, { how }) {
    play.sandbox.clock.advance([1_000, 60_000, 3_600_000, DAY][how % 4] ?? 1_000);
    return 'time';
  },

  async closeAuction(play, { on }) {
    const label = pick(play.labels, on);
    if (play.sandbox.auctions.get(label).status !== 'live') return undefined;
    play.sandbox.auctions.close(label);
    return 'time';
  },

  async replay(play, { on }) {
    const sent = play.sent[on % Math.max(1, play.sent.length)];
    if (sent === undefined) return undefined;
    const headers = { 'Idempotency-Key': sent.key };
    const again = await send(play.sandbox, sent.who, { path: sent.path, body: sent.text, headers });
    const changed = await send(play.sandbox, sent.who, { path: sent.path, body: `${sent.text} `, headers });
    const replayed = again.headers.get('idempotent-replayed');
    const said = [again.status, replayed, JSON.stringify(again.json.data)];
    play.expect(said, [200, 'true', sent.data], 'a replay');
    const refused = [changed.status, changed.json.code];
    play.expect(refused, [409, 'IDEMPOTENCY_CONFLICT'], 'changed bytes under a key');
    return changed;
  },

  async read(play, { by, on, how }) {
    const who = pick(play.partners, by);
    const { json } = await play.read(who, 'notifications');
    const notice = json.data[on % Math.max(1, json.data.length)];
    if (notice === undefined) return undefined;
    const status = how % 5 === 4 ? 'eaten' : 'read';
    const sender = how % 4 === 3 ? pick(play.everybody, how) : who;
    return ask(play, 'read', sender, `notifications/${notice.id}/acknowledgments`, { status });
  },

  async cancelBid(play, { by, on, how }) {
    const [id, placed] = [...play.bids][on % Math.max(1, play.bids.size)] ?? [];
    if (placed === undefined) return undefined;
    const who = by % 4 === 3 ? pick(play.everybody, by >> 2) : placed.who;
    return ask(play, 'cancelBid', who, `bids/${id}/cancellation-requests`, { reason_code: `R${how % 3}` });
  },

  ...Object.fromEntries(
    commands
      .filter((name) => name !== 'read' && name !== 'cancelBid')
      .map((name): [string, Try] => [name, (play, move) => carryOut(name, play, move)]),
  ),

  /** What a sale needs next, as it should be done: by chance alone hardly one would come to its end. */
  async progress(play, { on, how }) {
    const sale = play.all('sale')[on % Math.max(1, play.all('sale').length)];
    const next = sale === undefined ? undefined : nextOf(play, sale);
    // Sales wait for their decision a while, so that offers come in between.
    if (next === undefined || (next[0] === 'approve' && how % 4 > 0)) return undefined;
    const at = play.all(next[1].kind).findIndex(({ id }) => id === next[1].id);
    return carryOut(next[0], play, { name: next[0], on: at, by: 0, how: 0 });
  },
};

function nextOf(play: Play, sale: Kept): [name: ActName, on: Kept] | undefined {
  const newest = (kind: string) => play.all(kind).findLast(({ data }) => data.sale_id === sale.id);
  if (sale.state === 'pending_bank_approval') return ['approve', sale];
  if (sale.state !== 'approved') return undefined;
  if (sale.data.acknowledged_at === null) return ['acknowledge', sale];
  const payment = newest('payment');
  if (payment === undefined) return ['import', sale];
  if (!play.paid.has(sale.id)) return ['allocate', payment];
  const release = newest('release');
  if (release?.state === 'used') return undefined;
  return release?.state === 'valid' ? ['collect', release] : ['release', sale];
}

/** Content other than usual; a multiple of what is divided by leaves it as it was. */
const changes: Partial<Record<ActName, (play: Play, on: Kept, how: number) => Body>> = {
  approve: (play, { id }, how) => {
    const offers = play.all('offer').filter((offer) => play.saleByRecord.get(offer.id) === id);
    const offer = offers.find(({ state }) => state === 'accepted');
    return {
      terms_version: offer?.data.terms_version ?? 'T1',
      offer_id: how % 5 === 4 ? undefined : offer?.id,
      ...(how % 11 === 10 && { bid_id: 'bid_0' }),
      ...(how % 7 === 6 && { due_at: at(play, -DAY) }),
    };
  },
  acknowledge: (_, __, how) => (how % 9 === 8 ? { terms_version: 'T9' } : {}),
  offer: (play, { data }, how) => ({
    amount: rupees(paise(data.amount) + BigInt(how % 5) * 100_000n),
    valid_until: at(play, (how % 6) * 3_600_000),
  }),
  accept: (_, __, how) => (how % 3 === 2 ? { decision: 'declined' } : {}),
  report: (play, { id }, how) => ({ utr: transferOf(id, how), ...evidenceOf(play, how) }),
  import: (play, { id, data }, how) => ({
    utr: transferOf(id, how),
    external_transaction_id: how % 7 === 6 ? 'S/1' : `S/${id}/${how}`,
    amount: how % 4 === 3 ? '1000.50' : data.amount,
    ...evidenceOf(play, how),
  }),
  verify: (play, { data: { sale_id, utr } }, how) => {
    const receipts = play.all('bank_receipt');
    const own = receipts.find(({ data }) => data.sale_id === sale_id && data.utr === utr);
    const receipt = how % 5 === 4 ? receipts[how % receipts.length] : own;
    return {
      bank_receipt_id: receipt?.id ?? 'rcp_0',
      bank_account_reference: 'COLLECTION-7',
      received_amount: receipt?.data.amount ?? '1.00',
      currency: 'INR',
    };
  },
  allocate: (play, { data }, how) => {
    const sales = play.all('sale');
    const foreign = how % 4 === 3 ? sales[how % sales.length]?.id : undefined;
    return {
      sale_id: foreign ?? data.sale_id,
      amount: [data.amount, '250.25', '1000000.00'][how % 3],
    };
  },
  askBack: (_, { data }, how) => ({ amount: [data.amount, '500.25', '0.01'][how % 3] }),
  dispute: (play, _, how) => evidenceOf(play, how),
  release: (play, _, how) => ({ expires_at: at(play, how % 5 === 4 ? 3_600_000 : 10 * DAY) }),
  collect: (_, __, how) => (how % 6 === 5 ? { vehicle_identity: 'KA00XX0000' } : {}),
};

const transferOf = (sale: string, how: number) => `UTR-${sale}-${how % 4 === 3 ? how : 0}`;
const at = (play: Play, ms: number) => new Date(play.sandbox.clock.now() + ms).toISOString();

function evidenceOf(play: Play, how: number): Body {
  const documents = play.all('document');
  const document = how % 3 === 2 ? documents[how % documents.length] : undefined;
  return document === undefined ? {} : { evidence_id: document.id };
}

/** Sends a command as the story of its sale has it, but for what chance changes. */
async function carryOut(name: ActName, play: Play, { by, on, how }: Move): Promise<Got | undefined> {
  const { path, ...act } = acts[name];
  const named = /\{(.*)\}/.exec(path)?.[1];
  const records = play.all(named ?? 'sale');
  if (records.length === 0) return undefined;
  const record = pick(records, on);
  const sale = record.kind === 'sale' ? record : play.saleOf(record);
  const bidId: string = sale?.data.bid_id ?? 'bid_0';
  const { who: owner, lotId } = play.bids.get(bidId) ?? { who: pick(play.partners, by), lotId: 'none' };
  const sold = { saleId: sale?.id ?? 'none', lotId, bidId, amount: sale?.data.amount ?? '1.00', who: owner };
  const story = new Story(play.sandbox, sold, play.plateOf(lotId));
  const usual = changes[name]?.(play, record, how) ?? {};
  const fixed: Body | ((story: Story) => Body) = name === 'verify' ? { decision: 'verified' } : act.body;
  const body = typeof fixed === 'function' ? fixed(story) : fixed;
  const version = record.resource_version + (how % 10 === 9 ? 1 : 0);
  const right = act.by === 'bank' ? play.sandbox.credentials.bank : owner;
  const who = by % 5 === 4 ? pick(play.everybody, by >> 3) : right;
  const expected = named === undefined ? {} : { expected_version: version };
  const content = { ...body, ...usual, ...expected };
  const got = await ask(play, name, who, path.replace(/\{.*\}/, record.id), content);
  if (got.status === 200 && sale !== undefined) play.saleByRecord.set(got.json.data.id, sale.id);
  return got;
}

function pick<T>(all: readonly T[], at: number): T {
  const one = all[at % all.length];
  if (one === undefined) throw new Error('nothing to pick from');
  return one;
}

/** Sends a command, and keeps what was sent where it was carried out. */
async function ask(
  play: Play,
  name: ActName,
  who: SandboxCredentials,
  path: string,
  content: Body,
): Promise<Got> {
  const key = play.nextKey();
  const sent = { path: `/api/v1/${path}`, body: JSON.stringify({ ...content, idempotency_key: key }) };
  const got = await send(play.sandbox, who, { ...sent, headers: { 'Idempotency-Key': key } });
  play.heard(who, got);
  met.add(`${name} ${got.status === 200 ? 'done' : 'refused'}`);
  if (got.status === 200) {
    play.sent.push({ who, path: sent.path, text: sent.body, key, data: JSON.stringify(got.json.data) });
  }
  return got;
}
