import { minimumBid, nextBids } from '../money/minimum-bid.js';
import { isAmount } from '../money/paise.js';
import { at, type Exchange, isRecord, itemsOf, keysOf, shapeOf, textAt, typeName } from './exchange.js';
import type { Inquiry } from './inquiry.js';
import { type Probe, seen } from './probe.js';

/** Probes that place bids in a sandbox, and those that look at them later. */
export const bidProbes: readonly Probe[] = [
  {
    id: 'lookup-receipt',
    by: 'writing',
    actor: 'partner',
    assumes: {
      receipt: [
        'bid_id, bidder_status, channel_status, current_amount, effective_close_at, highest_amount, lot_version, replayed, request_id, server_received_at, status',
        'bid_id, bidder_status, channel_status, effective_close_at, highest_amount, lot_version, replayed, request_id, server_received_at, status',
      ],
    },
    async *observe(ask) {
      const bids = await placedBids(ask);
      const reply = bids === undefined ? undefined : await ask.get(`/bid-requests/${bids.first.key}`);
      const receipt = at(reply?.body, 'data.receipt');
      if (reply !== undefined && isRecord(receipt))
        yield seen('receipt', keysOf(receipt), reply, shapeOf({ receipt }));
    },
  },
  {
    id: 'receipt-highest-amount-type',
    by: 'writing',
    actor: 'partner',
    assumes: { 'highest_amount in an open auction': ['string'] },
    async *observe(ask) {
      const reply = (await placedBids(ask))?.first.reply;
      const amount = at(reply?.body, 'data.highest_amount');
      if (reply === undefined || amount === undefined || amount === null) return;
      const form = typeof amount === 'number' ? 'number' : typeName(amount);
      yield seen('highest_amount in an open auction', form, reply, shapeOf({ highest_amount: amount }));
    },
  },
  {
    id: 'receipt-highest-when-closed',
    by: 'writing',
    actor: 'partner',
    assumes: { 'highest_amount in a closed auction': ['absent'] },
    async *observe(ask) {
      const bid = await placeable(ask, 'closed');
      const reply = bid === undefined ? undefined : await submit(ask, bid, ask.uuid(), bid.amounts[0] ?? '');
      if (reply?.status !== 201) return;
      const amount = at(reply.body, 'data.highest_amount');
      yield seen(
        'highest_amount in a closed auction',
        typeName(amount),
        reply,
        shapeOf({ highest_amount: amount }),
      );
    },
  },
  {
    id: 'replayed-fields',
    by: 'writing',
    actor: 'partner',
    assumes: { 'lot_version of a replay': ['as first recorded'] },
    async *observe(ask) {
      const bids = await placedBids(ask);
      if (bids === undefined) return;
      const reply = await submit(ask, bids.bid, bids.first.key, bids.first.amount);
      const [was, is, shown] = [bids.first.reply, bids.second.reply, reply].map((one) =>
        at(one?.body, 'data.lot_version'),
      );
      if (reply?.status !== 200 || was === is) return;
      if (shown === was || shown === is)
        yield seen('lot_version of a replay', shown === was ? 'as first recorded' : 'as it is now', reply, {
          first: was,
          replay: shown,
        });
    },
  },
  {
    id: 'idempotency-conflict-message',
    by: 'writing',
    actor: 'partner',
    assumes: { 'another bid under the key of a bid': ['409 IDEMPOTENCY_CONFLICT'] },
    async *observe(ask) {
      const bids = await placedBids(ask);
      const reply = bids === undefined ? undefined : await submit(ask, bids.bid, bids.first.key, bids.third);
      if (reply?.status !== 409 || reply.codes.includes('NONCE_REPLAYED')) return;
      const [code] = reply.codes;
      yield seen(
        'another bid under the key of a bid',
        code === undefined ? '409 with a message' : `409 ${code}`,
        reply,
      );
    },
  },
  {
    id: 'key-namespace',
    by: 'writing',
    actor: 'partner',
    assumes: { 'a command under the key of a bid': ['refused'] },
    async *observe(ask) {
      const reply = (await placedBids(ask))?.cancelledUnderItsKey;
      if (reply?.status === 200 && textAt(reply.body, 'data.kind') !== undefined)
        yield seen('a command under the key of a bid', 'taken', reply);
      else if (reply?.status === 409 && isAboutKey(reply))
        yield seen('a command under the key of a bid', 'refused', reply);
    },
  },
  {
    id: 'second-cancellation-request',
    by: 'writing',
    actor: 'partner',
    assumes: { 'A07 while another request is pending': ['409'] },
    async *observe(ask) {
      const bids = await placedBids(ask);
      if (bids === undefined) return;
      const isFirst = bids.cancelledUnderItsKey?.status === 200;
      const first = isFirst
        ? bids.cancelledUnderItsKey
        : await requestCancellation(ask, bids.second.id, ask.uuid());
      if (at(first?.body, 'data.state') !== 'pending') return;
      const reply = await requestCancellation(ask, bids.second.id, ask.uuid());
      if (reply !== undefined && [200, 409, 422].includes(reply.status))
        yield seen(
          'A07 while another request is pending',
          reply.status === 200 ? 'taken' : String(reply.status),
          reply,
        );
    },
  },
  {
    id: 'key-retention',
    by: 'writing',
    actor: 'partner',
    isLater: true,
    assumes: { 'a key is remembered for': ['an hour or longer'] },
    async *observe(ask) {
      const remembered: number[] = [];
      for (const { key, bid, placedAt } of ask.earlierKeys.toReversed()) {
        // A sandbox that was reset knows neither the key nor the bid.
        if ((await ask.get(`/bids/${bid}`))?.status !== 200) continue;
        const reply = await ask.get(`/bid-requests/${key}`);
        const state = textAt(reply?.body, 'data.state');
        const minutes = Math.floor((ask.now() - Date.parse(placedAt)) / 60_000);
        if (reply === undefined || state === undefined || !Number.isFinite(minutes)) continue;
        const [question, shown] = ['a key is remembered for', { state, minutes_after_the_bid: minutes }];
        if (state === 'accepted') remembered.push(minutes);
        if (state === 'accepted' && minutes >= 60) yield seen(question, 'an hour or longer', reply, shown);
        if (state !== 'absent' || minutes >= 60) continue;
        const longest = Math.max(0, ...remembered.filter((age) => age < minutes));
        const settings = longest < LEAST_RETENTION ? {} : { keyRetention: longest * 60_000 };
        yield { ...seen(question, 'less than an hour', reply, shown), settings };
      }
    },
  },
];

/** Shortest `keyRetention` that a client takes, minutes. */
const LEAST_RETENTION = 10;

interface Placeable {
  readonly lot: string;
  /** Valid amounts, ascending. */
  readonly amounts: readonly string[];
}

interface PlacedBid {
  readonly key: string;
  readonly amount: string;
  readonly id: string;
  readonly reply: Exchange;
}

/** Two accepted bids on one lot of an open auction, and the amount of the next. */
interface PlacedBids {
  readonly bid: Placeable;
  readonly first: PlacedBid;
  readonly second: PlacedBid;
  readonly third: string;
  /** A07 on the second bid, sent under the key of the bid. */
  readonly cancelledUnderItsKey: Exchange | undefined;
}

/** Bids of a run: several probes look at the same two. */
const placed = new WeakMap<Inquiry, Promise<PlacedBids | undefined>>();

function placedBids(ask: Inquiry): Promise<PlacedBids | undefined> {
  let bids = placed.get(ask);
  if (bids === undefined) {
    bids = placeTwo(ask);
    placed.set(ask, bids);
  }
  return bids;
}

async function placeTwo(ask: Inquiry): Promise<PlacedBids | undefined> {
  const bid = await placeable(ask, 'open');
  const [low, high, third] = bid?.amounts ?? [];
  if (bid === undefined || low === undefined || high === undefined || third === undefined) return undefined;
  const first = await place(ask, bid, low);
  const second = first === undefined ? undefined : await place(ask, bid, high);
  if (first === undefined || second === undefined) return undefined;
  const cancelledUnderItsKey = await requestCancellation(ask, second.id, second.key);
  return { bid, first, second, third, cancelledUnderItsKey };
}

async function place(ask: Inquiry, bid: Placeable, amount: string): Promise<PlacedBid | undefined> {
  const key = ask.uuid();
  const reply = await submit(ask, bid, key, amount);
  const id = textAt(reply?.body, 'data.bid_id');
  if (reply?.status !== 201 || id === undefined) return undefined;
  ask.remember(key, id);
  return { key, amount, id, reply };
}

/** A live lot of an auction of this type on which three bids in a row would be valid. */
async function placeable(ask: Inquiry, type: 'open' | 'closed'): Promise<Placeable | undefined> {
  const events = itemsOf(await ask.get('/events', { status: 'live', per_page: 100 }));
  for (const event of events.filter((one) => one['bid_type'] === type)) {
    const path = `/events/${String(event['id'])}/lots`;
    const lots = itemsOf(await ask.get(path, { per_page: 100, ...referenceOf(ask) }));
    // An auction without a mark can be a legacy one. If somebody has the highest bid, the rules are the same.
    for (const lot of lots) {
      const [opening, increment] = [lot['starting_price'], event['bid_increment']];
      const [highest, own] = [lot['highest_amount'] ?? null, lot['own_amount'] ?? null];
      if (
        !isAmount(opening) ||
        !isAmount(increment) ||
        !/[1-9]/.test(String(increment)) ||
        highest !== null ||
        own !== null
      )
        continue;
      const grid = { bidType: type, startingPrice: opening, increment } as const;
      // One step above the opening price is valid in a legacy auction as well.
      const amounts = nextBids({ ...grid, ...above(grid) }, 3);
      return { lot: String(lot['id']), amounts };
    }
  }
  return undefined;
}

function above(grid: Parameters<typeof minimumBid>[0]) {
  const amount = minimumBid(grid);
  return grid.bidType === 'open' ? { highestAmount: amount } : { ownAmount: amount };
}

async function submit(
  ask: Inquiry,
  { lot }: Placeable,
  key: string,
  amount: string,
): Promise<Exchange | undefined> {
  const dealer_id = textAt((await ask.get('/integration/profile'))?.body, 'data.dealer_id');
  const body = JSON.stringify({ dealer_id, amount, idempotency_key: key, ...referenceOf(ask) });
  const headers = { accept: 'application/json', 'idempotency-key': key };
  // By hand: the client settles a conflict itself, and its store refuses another bid under a known key.
  return ask.byHand({ method: 'POST', path: `/lots/${lot}/bids`, body, headers });
}

function requestCancellation(ask: Inquiry, bid: string, key: string): Promise<Exchange | undefined> {
  const body = JSON.stringify({
    reason_code: 'OTHER',
    explanation: 'A trial of learn',
    idempotency_key: key,
  });
  const headers = { accept: 'application/json', 'idempotency-key': key };
  return ask.byHand({ method: 'POST', path: `/bids/${bid}/cancellation-requests`, body, headers });
}

function referenceOf({ kind }: Inquiry): Readonly<Record<string, string>> {
  return kind === 'platform' || kind === 'aggregator' ? { bidder_reference: 'learn-1' } : {};
}

function isAboutKey({ codes, message }: Exchange): boolean {
  return codes.includes('IDEMPOTENCY_CONFLICT') || /idempoten/i.test(message ?? '');
}
