import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  BankClient,
  PartnerClient,
  type Store,
  StoreError,
  type Transport,
  TransportFailure,
  type TransportReply,
  type TransportRequest,
  undiciTransport,
} from 'vehicle-auction-sdk';
import { type Sandbox, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { keyOf } from '../../examples/dealer-platform/keys.js';
import {
  type Platform,
  type PlatformOptions,
  startPlatform,
} from '../../examples/dealer-platform/platform.js';
import { listen } from '../support/loopback.js';
import { root } from '../support/sources.js';

const accounts = {
  operator: 'operator-token',
  buyers: [
    { token: 'asha-token', reference: 'buyer-7', name: 'Asha Motors' },
    { token: 'ravi-token', reference: 'buyer-9', name: 'Ravi Used Cars' },
  ],
};

type Json = { readonly [field: string]: unknown };
type Send = (request: TransportRequest, inner: Transport) => Promise<TransportReply>;

/** A platform in front of a sandbox whose clock stands still, and everybody who takes part. */
async function stage(over: { readonly send?: Send; readonly options?: Partial<PlatformOptions> } = {}) {
  const sandbox = await startSandbox({ clock: 'manual', rateLimit: false });
  const bank = new BankClient({
    baseUrl: sandbox.baseUrl,
    environment: 'sandbox',
    credentials: sandbox.credentials.bank,
    clock: { now: () => sandbox.clock.now() },
    quota: { limit: Number.POSITIVE_INFINITY },
  });
  const folder = await mkdtemp(join(tmpdir(), 'dealer-platform-test-'));
  const logged: string[] = [];
  const opened: { platform?: Platform; auction: PartnerClient<'platform'>; transport: Transport }[] = [];
  let data = folder;

  /** A process of the platform. It begins with what the disk holds at this moment, as if the one before had just died. */
  async function start(
    send?: Send,
    options: Partial<PlatformOptions> = {},
    change = (store: Store) => store,
  ): Promise<Platform> {
    const before = data;
    data = await mkdtemp(join(folder, 'data-'));
    for (const name of ['store.json', 'auction.db', 'auction.db-journal']) {
      await copyFile(join(before, name), join(data, name)).catch(() => undefined); // the first one finds none
    }
    const { clock, during } = waitless(sandbox);
    const id = `host/${opened.length}`;
    const process = { id, isGone: (other: string) => other !== id };
    const store = change(watched(sqliteStore(join(data, 'auction.db'), { process }), during));
    const inner = undiciTransport();
    const transport: Transport = {
      send: (request) => during(() => (send ?? over.send)?.(request, inner) ?? inner.send(request)),
      close: () => inner.close(),
    };
    const { dealerId, ...credentials } = sandbox.credentials.platform;
    const auction = new PartnerClient({
      baseUrl: sandbox.baseUrl,
      environment: 'sandbox',
      credentials,
      partnerType: 'platform',
      dealerId,
      store,
      transport,
      clock,
      randomness: { fraction: () => 0 }, // no wait between attempts
      quota: { limit: Number.POSITIVE_INFINITY },
      logLevel: 'off',
    });
    const begun: (typeof opened)[number] = { auction, transport };
    opened.push(begun);
    const platform = await startPlatform({
      auction,
      accounts,
      storePath: join(data, 'store.json'),
      now: () => sandbox.clock.now(),
      log: (line) => logged.push(line),
      ...over.options,
      ...options,
    });
    begun.platform = platform;
    return platform;
  }

  const platform = await start();
  return {
    sandbox,
    bank,
    platform,
    logged,
    folder,
    start,
    /** The folder of the process that was started last. */
    get data() {
      return data;
    },
    get storePath() {
      return join(data, 'store.json');
    },
    asha: visitor(platform, 'asha-token'),
    ravi: visitor(platform, 'ravi-token'),
    operator: visitor(platform, 'operator-token'),
    [Symbol.asyncDispose]: async () => {
      for (const one of opened) {
        await one.platform?.close();
        await one.auction.close();
        await one.transport.close();
      }
      await bank.close();
      await sandbox.close();
      await rm(folder, { recursive: true });
    },
  };
}

type During = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * A clock whose waits pass at once, in sandbox time, as soon as nothing is `during` something. Longer timers are those of
 * attempts, which may take as long as they take.
 */
function waitless(sandbox: Sandbox) {
  let underWay = 0;
  const during: During = async (work) => {
    underWay += 1;
    try {
      return await work();
    } finally {
      underWay -= 1;
    }
  };
  const after = (ms: number, callback: () => void) => {
    // Five seconds are the sign of life of a call under way, which would let time run on its own; a minute is the wait
    // between two lookups.
    let isPending = (ms <= 8_000 && ms !== 5_000) || ms === 60_000;
    const pass = () => {
      if (!isPending) return;
      if (underWay > 0) return void setImmediate(pass);
      sandbox.clock.advance(ms);
      callback();
    };
    setImmediate(pass);
    return () => {
      isPending = false;
    };
  };
  return { clock: { now: () => sandbox.clock.now(), after }, during };
}

function watched(store: Store, during: During): Store {
  const { name, durable, process } = store;
  return {
    name,
    durable,
    process,
    transaction: (account, work) => during(() => store.transaction(account, work)),
    close: () => store.close(),
  };
}

interface Got {
  readonly status: number;
  readonly json: Json;
}

/** Somebody with a token and a browser. */
function visitor(platform: Platform, token: string) {
  const ask = async (path: string, init: RequestInit = {}): Promise<Got> => {
    const response = await raw(path, init);
    return { status: response.status, json: (await response.json()) as Json };
  };
  const raw = (path: string, init: RequestInit = {}) =>
    fetch(`${platform.url}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });
  return {
    raw,
    get: (path: string) => ask(path),
    post: (path: string, body: Json | Uint8Array = {}) =>
      ask(path, { method: 'POST', body: body instanceof Uint8Array ? body : JSON.stringify(body) }),
  };
}

function list({ json }: Got, name: string): Json[] {
  const found = json[name];
  if (!Array.isArray(found)) throw new Error(`no ${name} in ${JSON.stringify(json)}`);
  return found;
}

function lotOf(sandbox: Sandbox, label = 'live-open') {
  const [lot] = sandbox.auctions.get(label).lots;
  if (lot === undefined) throw new Error('no lots');
  return { id: lot.id, amount: lot.startingPrice, auction: sandbox.auctions.get(label).id };
}

/** The link to the first photo of a lot. */
function linkIn(lot: Json | undefined): string {
  const photos = lot?.['photos'];
  if (!Array.isArray(photos) || photos.length === 0) throw new Error('no photos');
  return String(photos[0]);
}

/** The bank closes an auction and approves its sales. Returns the sale of the lot. */
async function sell(
  sandbox: Sandbox,
  bank: BankClient,
  lot: { id: string; auction: string },
): Promise<string> {
  if (sandbox.auctions.get(lot.auction).status === 'live') sandbox.auctions.close(lot.auction);
  const sale = (await bank.saleCases.list().toArray()).find(({ data }) => data?.lot_id === lot.id);
  if (sale?.data?.bid_id === undefined) throw new Error('not sold');
  await bank.saleCases.decide(sale, {
    decision: 'approved',
    bid_id: sale.data.bid_id,
    reason: 'Highest bid',
    terms_version: 'T3',
    due_at: new Date(sandbox.clock.now() + 7 * 86_400_000).toISOString(),
    payee_instructions: 'NEFT to 000111222333',
  });
  return sale.id;
}

/** Asha has bought a vehicle. */
async function bought(set: Awaited<ReturnType<typeof stage>>): Promise<{ sale: string; amount: string }> {
  const lot = lotOf(set.sandbox);
  await set.asha.post(`/lots/${lot.id}/bids`, { request_id: 'b1', amount: lot.amount });
  return { sale: await sell(set.sandbox, set.bank, lot), amount: lot.amount };
}

function payment(sandbox: Sandbox, over: Json = {}): Json {
  return {
    request_id: 'p1',
    amount: '1000.00',
    utr: 'EXMPN26061234567',
    paid_at: new Date(sandbox.clock.now()).toISOString(),
    ...over,
  };
}

const advice = Buffer.from('Transfer advice, UTR EXMPN26061234567');

describe("a buyer's day through the platform", () => {
  it('goes from the list of auctions to a sale that is paid', async () => {
    await using set = await stage();
    const { sandbox, bank, platform, asha, ravi, operator } = set;
    const lot = lotOf(sandbox);
    const lotPath = `/auctions/${lot.auction}/lots/${lot.id}`;

    const auctions = list(await asha.get('/auctions'), 'auctions');
    expect(auctions.map(({ id }) => id)).toContain(lot.auction);
    const lots = list(await asha.get(`/auctions/${lot.auction}/lots`), 'lots');
    const seen = lots.find(({ id }) => id === lot.id);
    expect(seen).toMatchObject({ own_standing: 'no_bid', own_amount: null, starting_price: lot.amount });
    expect(seen?.['next_bids']).toContain(lot.amount);
    expect(seen).not.toHaveProperty('vehicle_details');
    expect(seen).not.toHaveProperty('channel_status');

    const photo = await asha.raw(linkIn(seen));
    expect(photo.status).toBe(200);
    expect(photo.headers.get('content-type')).toMatch(/^image\/(?:png|jpeg)$/);
    expect(photo.headers.get('cache-control')).toBe('private, no-store');
    const bytes = Buffer.from(await photo.arrayBuffer());
    expect(bytes.subarray(0, 3).toString('hex')).toBe('ffd8ff');
    expect(bytes).toHaveLength(Number(photo.headers.get('content-length')));

    const first = await asha.post(`/lots/${lot.id}/bids`, { request_id: 'b1', amount: lot.amount });
    expect(first).toMatchObject({
      status: 200,
      json: { status: 'accepted', standing: 'leading', replayed: false },
    });
    const [higher] = (await asha.get(lotPath)).json['next_bids'] as string[];
    sandbox.actors.rival.bid(lot.id, String(higher));
    const outbid = (await asha.get(lotPath)).json;
    expect(outbid).toMatchObject({ own_standing: 'outbid', own_amount: lot.amount, highest_amount: higher });
    expect((await ravi.get(lotPath)).json).toMatchObject({ own_standing: 'no_bid', own_amount: null });
    const inList = async ({ get }: typeof asha) =>
      list(await get(`/auctions/${lot.auction}/lots`), 'lots').find(({ id }) => id === lot.id);
    expect(await inList(asha)).toMatchObject({ own_standing: 'outbid', own_amount: lot.amount });
    expect(await inList(ravi)).toMatchObject({ own_standing: 'no_bid', own_amount: null });
    const [amount] = outbid['next_bids'] as string[];
    expect(await asha.post(`/lots/${lot.id}/bids`, { request_id: 'b2', amount })).toMatchObject({
      status: 200,
    });
    expect(list(await asha.get('/bids'), 'bids')).toMatchObject([
      { amount, status: 'accepted', lot_id: lot.id },
      { id: first.json['bid_id'], amount: lot.amount },
    ]);

    sandbox.auctions.close(lot.auction);
    const [pending] = list(await asha.get('/sales'), 'sales');
    const early = `/sales/${pending?.['id']}`;
    expect(await asha.get(early)).toMatchObject({ status: 200, json: { acknowledged_at: null } });
    expect(await asha.post(`${early}/acknowledge`, { terms_version: null })).toMatchObject({
      status: 409,
      json: { error: { code: 'not_approved' } },
    });
    const sale = await sell(sandbox, bank, lot);
    await platform.round();
    expect(list(await asha.get('/inbox'), 'messages')).toMatchObject([{ sale_id: sale, lot_id: lot.id }]);
    expect(list(await asha.get('/sales'), 'sales')).toMatchObject([{ id: sale, amount, state: 'approved' }]);
    const read = await asha.get(`/sales/${sale}`);
    expect(read.json).toMatchObject({ terms_version: 'T3', due: { remaining: amount, state: 'unpaid' } });

    const acknowledge = `/sales/${sale}/acknowledge`;
    expect(await asha.post(acknowledge, { terms_version: 'T2' })).toMatchObject({
      status: 409,
      json: { error: { code: 'other_terms', terms_version: 'T3' } },
    });
    const acknowledged = await asha.post(acknowledge, { terms_version: 'T3' });
    expect(acknowledged.json['acknowledged_at']).toEqual(expect.any(String));
    expect(await asha.post(acknowledge, { terms_version: 'T3' })).toEqual(acknowledged);

    sandbox.scanner.pause();
    const evidence = await asha.post(`/sales/${sale}/evidence?request_id=e1&filename=advice.txt`, advice);
    expect(evidence).toMatchObject({ status: 200, json: { status: 'uploaded' } });
    const { evidence_id } = evidence.json;
    const report = payment(sandbox, { amount, evidence_id });
    expect(await asha.post(`/sales/${sale}/payments`, report)).toMatchObject({
      status: 202,
      json: { status: 'awaiting_scan' },
    });
    sandbox.clock.advance(60_000);
    await platform.round();
    expect((await asha.get(`/sales/${sale}/payments/p1`)).json).toMatchObject({ status: 'awaiting_scan' });
    sandbox.scanner.resume();
    await platform.round();
    const reported = await asha.get(`/sales/${sale}/payments/p1`);
    expect(reported.json).toMatchObject({ status: 'reported', state: 'reported_pending_verification' });
    expect(list(await asha.get('/inbox'), 'messages')).toMatchObject([{ sale_id: sale }, { sale_id: sale }]);

    const account = { bank_account_reference: 'CURRENT-0001', currency: 'INR' } as const;
    const receipt = await bank.bankReceipts.import({
      ...account,
      sale_id: sale,
      utr: String(report['utr']),
      external_transaction_id: 'STMT-1',
      amount: String(amount),
      value_date: new Date(sandbox.clock.now()).toISOString().slice(0, 10),
    });
    await bank.paymentReports.decide(await bank.paymentReports.get(String(reported.json['report_id'])), {
      ...account,
      decision: 'verified',
      reason: 'Found on the statement',
      bank_receipt_id: receipt.id,
      received_amount: String(amount),
    });
    const { payments = [] } = await bank.saleCases.receipts(sale);
    const paid = await bank.payments.get(String((payments[0] as Json)['id']));
    await bank.payments.allocate(paid, { sale_id: sale, amount: String(amount) });
    expect((await asha.get(`/sales/${sale}/payments/p1`)).json).toMatchObject({ state: 'verified' });
    expect((await asha.get(`/sales/${sale}`)).json).toMatchObject({
      due: { remaining: '0.00', state: 'paid' },
    });

    const [message] = list(await operator.get('/operator/inbox'), 'messages');
    expect(message).toMatchObject({ acknowledgment: null });
    expect(await operator.post(`/operator/inbox/${message?.['id']}/read`)).toMatchObject({ status: 200 });
    const [again] = list(await operator.get('/operator/inbox'), 'messages');
    expect(again?.['acknowledgment']).not.toBeNull();
    expect(list(await ravi.get('/inbox'), 'messages')).toEqual([]);
    expect(set.logged).toEqual([]);
  });
});

describe('one request is one bid', () => {
  it('when the reply is lost once: the client settles it, and the answer says so', async () => {
    await using set = await stage();
    const lot = lotOf(set.sandbox);
    set.sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit' });
    const got = await set.asha.post(`/lots/${lot.id}/bids`, { request_id: 'b1', amount: lot.amount });
    expect(got).toMatchObject({ status: 200, json: { status: 'accepted', replayed: true } });
    expect(set.sandbox.ledger()).toHaveLength(1);
  });

  it('when every reply is lost: a look tells, and nothing more is sent', async () => {
    await using set = await stage();
    const lot = lotOf(set.sandbox);
    set.sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit', times: 3 });
    expect(
      await set.asha.post(`/lots/${lot.id}/bids`, { request_id: 'b1', amount: lot.amount }),
    ).toMatchObject({
      status: 200,
      json: { status: 'accepted', bid_id: set.sandbox.ledger()[0]?.bidId },
    });
    expect(set.sandbox.ledger()).toHaveLength(1);
    expect(operations(set.sandbox)).toEqual(['bids.submit', 'bids.submit', 'bids.submit', 'A06']);
  });

  it('when every reply is lost and nobody can look: 202, then a look tells', async () => {
    await using set = await stage();
    const lot = lotOf(set.sandbox);
    const lookAgain = loseReplies(set.sandbox);
    const got = await set.asha.post(`/lots/${lot.id}/bids`, { request_id: 'b1', amount: lot.amount });
    expect(got).toMatchObject({ status: 202, json: { status: 'unknown', request_id: 'b1' } });
    lookAgain();
    expect(await set.asha.get('/bids/requests/b1')).toMatchObject({
      status: 200,
      json: { status: 'accepted', bid_id: set.sandbox.ledger()[0]?.bidId },
    });
    expect(set.sandbox.ledger()).toHaveLength(1);
    expect(operations(set.sandbox).filter((operation) => operation === 'bids.submit')).toHaveLength(3);
  });

  it('when nobody asks again: the next round looks, and tells the buyer once', async () => {
    await using set = await stage();
    const { sandbox, asha, platform } = set;
    const lot = lotOf(sandbox);
    const grid = { request_id: 'b1', amount: String(Number(lot.amount) + 1) };
    const lookAgain = loseReplies(sandbox);
    expect(await asha.post(`/lots/${lot.id}/bids`, grid)).toMatchObject({ status: 202 });
    await platform.round();
    expect(list(await asha.get('/inbox'), 'messages')).toEqual([]);
    lookAgain();
    await platform.round();
    await platform.round();
    expect(list(await asha.get('/inbox'), 'messages')).toMatchObject([{ lot_id: lot.id }]);
    expect(await asha.get('/bids/requests/b1')).toMatchObject({
      status: 422,
      json: { status: 'rejected', codes: ['BID_OFF_OPENING_GRID'] },
    });
  });

  it('when it is clicked twice at once, and a third time later', async () => {
    await using set = await stage();
    const { sandbox, asha } = set;
    const lot = lotOf(sandbox);
    const click = () => asha.post(`/lots/${lot.id}/bids`, { request_id: 'b1', amount: lot.amount });
    const [one, two] = await Promise.all([click(), click()]);
    const three = await click();
    expect(one).toMatchObject({ status: 200, json: { status: 'accepted' } });
    expect([two, three]).toEqual([one, one]);
    expect(sandbox.attempts().filter(({ operation }) => operation === 'bids.submit')).toHaveLength(1);
  });

  it('and other content under its request id is a 409', async () => {
    await using set = await stage();
    const { sandbox, asha, ravi } = set;
    const lot = lotOf(sandbox);
    const path = `/lots/${lot.id}/bids`;
    await asha.post(path, { request_id: 'b1', amount: lot.amount });
    const other = String(Number(lot.amount) + 5_000);
    expect(await asha.post(path, { request_id: 'b1', amount: other })).toMatchObject({
      status: 409,
      json: { error: { code: 'request_id_used' } },
    });
    expect(sandbox.ledger()).toHaveLength(1);
    expect(await ravi.post(path, { request_id: 'b1', amount: other })).toMatchObject({ status: 200 });
  });

  it('by a key that stays, for with another one it would be another bid', () => {
    expect(keyOf('bid', 'buyer-7', 'b1')).toBe('1839f266-40ca-55e9-82ce-e2b4997a593c');
  });

  it('is on disk, with its key and its nonce, before it leaves', async () => {
    let stored = '';
    let sent: Readonly<Record<string, unknown>> = {};
    await using set = await stage({
      send: async (request, inner) => {
        if (request.method === 'POST') {
          stored = await readFile(join(set.data, 'auction.db'), 'utf8');
          sent = request.headers;
        }
        return inner.send(request);
      },
    });
    const lot = lotOf(set.sandbox);
    await set.asha.post(`/lots/${lot.id}/bids`, { request_id: 'b1', amount: lot.amount });
    expect(sent).toMatchObject({ 'idempotency-key': keyOf('bid', 'buyer-7', 'b1') });
    expect(stored).toContain(String(sent['idempotency-key']));
    expect(stored).toContain(String(sent['X-Nonce']));
  });

  it('and is not sent where it can not be written down', async () => {
    await using set = await stage();
    let isFull = false;
    const reason = new StoreError({ reason: 'full', what: 'The disk is full.', nextStep: 'Make room.' });
    const full = await set.start(undefined, {}, (store) => ({
      ...store,
      transaction: (account, work) => (isFull ? Promise.reject(reason) : store.transaction(account, work)),
    }));
    isFull = true;
    const asha = visitor(full, 'asha-token');
    const lot = lotOf(set.sandbox);
    const bid = { request_id: 'b1', amount: lot.amount };
    expect(await asha.post(`/lots/${lot.id}/bids`, bid)).toMatchObject({ status: 500 });
    expect(await asha.post(`/lots/${lot.id}/bids`, bid)).toMatchObject({ status: 500 });
    expect(operations(set.sandbox)).toEqual([]);
  });
});

/** No bid is answered any more, and no look either, until what is returned is called. */
function loseReplies(sandbox: Sandbox): () => void {
  sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit', times: 3 });
  return sandbox.inject({ operation: 'A06', fault: 'error_before_commit', times: 1_000 });
}

/** What arrived, but for the profile that a client reads to learn server time. */
function operations(sandbox: Sandbox): (string | null)[] {
  return sandbox.attempts().flatMap(({ operation }) => (operation === 'A01' ? [] : [operation]));
}

describe('what came of a bid', () => {
  it('rejected: every code, and for good', async () => {
    await using set = await stage();
    const { sandbox, asha } = set;
    const lot = lotOf(sandbox);
    sandbox.actors.rival.bid(lot.id, lot.amount);
    const bid = { request_id: 'b1', amount: String(Number(lot.amount) + 1) };
    const got = await asha.post(`/lots/${lot.id}/bids`, bid);
    expect(got).toMatchObject({
      status: 422,
      json: { status: 'rejected', codes: ['BID_OFF_OPENING_GRID', 'BID_BELOW_MINIMUM'] },
    });
    const before = sandbox.attempts().length;
    expect(await asha.post(`/lots/${lot.id}/bids`, bid)).toEqual(got);
    expect(sandbox.attempts()).toHaveLength(before);
  });

  it('refused: nothing recorded, no reason that is not for buyers, and the same request may come again', async () => {
    await using set = await stage();
    const { sandbox, asha } = set;
    const lot = lotOf(sandbox);
    const bid = { request_id: 'b1', amount: lot.amount };
    const { clientId } = sandbox.credentials.platform;
    sandbox.partners.update(clientId, { kyb: false });
    const got = await asha.post(`/lots/${lot.id}/bids`, bid);
    expect(got).toMatchObject({ status: 403, json: { status: 'refused' } });
    expect(JSON.stringify(got)).not.toContain('KYB');
    expect(set.logged.join()).toContain('KYB_REQUIRED');
    sandbox.partners.update(clientId, { kyb: true });
    expect(await asha.post(`/lots/${lot.id}/bids`, bid)).toMatchObject({ status: 200 });
    expect(sandbox.ledger()).toHaveLength(1);
  });

  it('not sent: the same request may come again', async () => {
    let isDown = true;
    await using set = await stage({
      send: (request, inner) =>
        isDown ? Promise.reject(new TransportFailure('no', new Error('down'))) : inner.send(request),
    });
    const lot = lotOf(set.sandbox);
    const bid = { request_id: 'b1', amount: lot.amount };
    expect(await set.asha.post(`/lots/${lot.id}/bids`, bid)).toMatchObject({
      status: 503,
      json: { status: 'not_sent' },
    });
    isDown = false;
    expect(await set.asha.post(`/lots/${lot.id}/bids`, bid)).toMatchObject({ status: 200 });
  });

  it('unknown, and refused or not sent afterwards: still unknown, for the first copy may be in', async () => {
    let isDown = false;
    await using set = await stage({
      send: (request, inner) =>
        isDown ? Promise.reject(new TransportFailure('no', new Error('down'))) : inner.send(request),
    });
    const { sandbox, asha, platform } = set;
    const lot = lotOf(sandbox);
    const bid = { request_id: 'b1', amount: lot.amount };
    const { clientId } = sandbox.credentials.platform;
    const lookAgain = loseReplies(sandbox);
    await asha.post(`/lots/${lot.id}/bids`, bid);
    isDown = true;
    expect(await asha.post(`/lots/${lot.id}/bids`, bid)).toMatchObject({ status: 202 });
    isDown = false;
    lookAgain();
    sandbox.partners.update(clientId, { kyb: false });
    expect(await asha.post(`/lots/${lot.id}/bids`, bid)).toMatchObject({ status: 202 });
    await platform.round();
    expect(await asha.get('/bids/requests/b1')).toMatchObject({ status: 202 });
    sandbox.partners.update(clientId, { kyb: true });
    expect(await asha.get('/bids/requests/b1')).toMatchObject({ status: 200, json: { status: 'accepted' } });
    expect(sandbox.ledger()).toHaveLength(1);
  });

  it('unknown: another bid of the buyer on the lot waits, one on another lot or of another buyer does not', async () => {
    await using set = await stage();
    const { sandbox, asha, ravi, platform } = set;
    const lot = lotOf(sandbox);
    const path = `/lots/${lot.id}/bids`;
    const lookAgain = loseReplies(sandbox);
    await asha.post(path, { request_id: 'b1', amount: lot.amount });
    const other = { request_id: 'b2', amount: String(Number(lot.amount) + 5_000) };
    const got = await asha.post(path, other);
    expect(got).toMatchObject({ status: 409, json: { error: { code: 'in_doubt', amount: lot.amount } } });
    expect(await asha.get('/bids/requests/b2')).toMatchObject({ status: 404 });
    const elsewhere = lotOf(sandbox, 'live-closed');
    const free = { request_id: 'b3', amount: elsewhere.amount };
    expect(await asha.post(`/lots/${elsewhere.id}/bids`, free)).toMatchObject({ status: 200 });
    expect(await ravi.post(path, other)).toMatchObject({ status: 200 });
    lookAgain();
    await platform.round();
    const higher = { ...other, amount: String(Number(lot.amount) + 10_000) };
    expect(await asha.post(path, higher)).toMatchObject({ status: 200, json: { standing: 'leading' } });
  });

  it('absent: unknown while a copy can arrive, then not recorded; sent again only when the buyer asks', async () => {
    await using set = await stage();
    const { sandbox, asha, platform } = set;
    const lot = lotOf(sandbox);
    const bid = { request_id: 'b1', amount: lot.amount };
    const path = `/lots/${lot.id}/bids`;
    const first = sandbox.clock.now();
    sandbox.inject({ operation: 'bids.submit', fault: 'drop_before_commit', times: 3 });
    const got = await asha.post(path, bid);
    expect(got).toMatchObject({ status: 202, json: { look_again_after: expect.any(String) } });
    expect(Date.parse(String(got.json['look_again_after']))).toBeGreaterThan(first + 299_000);
    sandbox.clock.advance(3 * 60_000);
    await platform.round();
    expect(await asha.post(path, bid)).toMatchObject({ status: 202 });
    const next = { ...bid, request_id: 'b2' };
    expect(await asha.post(path, next)).toMatchObject({ status: 409, json: { error: { code: 'in_doubt' } } });
    sandbox.clock.advance(3 * 60_000);
    await platform.round();
    expect(list(await asha.get('/inbox'), 'messages')).toMatchObject([{ lot_id: lot.id }]);
    expect(await asha.get('/bids/requests/b1')).toMatchObject({
      status: 409,
      json: { status: 'not_recorded' },
    });
    expect(operations(sandbox).filter((operation) => operation === 'bids.submit')).toHaveLength(3);
    expect(await asha.post(path, bid)).toMatchObject({ status: 200 });
    expect(sandbox.ledger()).toHaveLength(1);
  });

  it('absent, and then in after all: a look still finds it', async () => {
    let kept: TransportRequest | undefined;
    await using set = await stage({
      send: (request, inner) => {
        if (!request.path.endsWith('/bids') || kept !== undefined) return inner.send(request);
        kept = request;
        return Promise.reject(new TransportFailure('maybe', new Error('lost on the way')));
      },
    });
    const { sandbox, asha, platform } = set;
    const lot = lotOf(sandbox);
    sandbox.inject({ operation: 'bids.submit', fault: 'drop_before_commit', times: 2 });
    await asha.post(`/lots/${lot.id}/bids`, { request_id: 'b1', amount: lot.amount });
    sandbox.clock.advance(3 * 60_000);
    expect(await asha.get('/bids/requests/b1')).toMatchObject({ status: 202 });
    if (kept === undefined) throw new Error('nothing was sent');
    const copy = undiciTransport();
    expect(await copy.send({ ...kept, signal: new AbortController().signal })).toMatchObject({ status: 201 });
    await copy.close();
    await platform.round();
    expect(await asha.get('/bids/requests/b1')).toMatchObject({ status: 200, json: { status: 'accepted' } });
  });

  it('found too late for a look by its key: for a person', async () => {
    await using set = await stage();
    const { sandbox, asha } = set;
    const lot = lotOf(sandbox);
    const bid = { request_id: 'b1', amount: lot.amount };
    loseReplies(sandbox);
    await asha.post(`/lots/${lot.id}/bids`, bid);
    sandbox.clock.advance(2 * 3_600_000);
    const next = await set.start();
    await next.round();
    const told = await visitor(next, 'asha-token').get('/bids/requests/b1');
    expect(told).toMatchObject({ status: 202, json: { status: 'unclear' } });
    expect(list(await visitor(next, 'asha-token').get('/inbox'), 'messages')).toHaveLength(1);
    expect(set.logged.filter((line) => line.includes('may no longer remember'))).toHaveLength(1);
  });

  it('accepted, although the store that had it is lost', async () => {
    await using set = await stage();
    const { sandbox, asha } = set;
    const lot = lotOf(sandbox);
    const bid = { request_id: 'b1', amount: lot.amount };
    await asha.post(`/lots/${lot.id}/bids`, bid);
    await set.platform.close();
    await rm(join(set.data, 'auction.db'));
    const next = await set.start();
    expect(await visitor(next, 'asha-token').post(`/lots/${lot.id}/bids`, bid)).toMatchObject({
      status: 200,
      json: { status: 'accepted', replayed: true },
    });
    expect(sandbox.ledger()).toHaveLength(1);
  });

  it.each([
    [{ amount: '1000' }, 'request_id'],
    [{ request_id: 'a b', amount: '1000' }, 'request_id'],
    [{ request_id: 'b1', amount: 1000 }, 'amount'],
    [{ request_id: 'b1', amount: '1e5' }, 'amount'],
  ])('a 400 for %o', async (body, field) => {
    await using set = await stage();
    expect(await set.asha.post('/lots/lot_1/bids', body)).toMatchObject({
      status: 400,
      json: { error: { code: 'invalid', fields: [field] } },
    });
    expect(set.sandbox.attempts()).toEqual([]);
  });
});

describe('who gets in, and to what', () => {
  it('nobody without a token', async () => {
    await using set = await stage();
    const bare = await fetch(`${set.platform.url}/auctions`);
    expect(bare.status).toBe(401);
    expect(await visitor(set.platform, 'guess').get('/nowhere')).toMatchObject({ status: 401 });
    expect(set.sandbox.attempts()).toEqual([]);
  });

  it('buyers to no route of the operator, and the other way round', async () => {
    await using set = await stage();
    expect(await set.asha.get('/operator/inbox')).toMatchObject({ status: 404 });
    expect(await set.operator.get('/sales')).toMatchObject({ status: 404 });
    expect(await set.asha.get('/nowhere')).toMatchObject({ status: 404 });
  });

  it("no buyer to what is another one's, or to whether there is such a thing", async () => {
    await using set = await stage();
    const { sandbox, asha, ravi, platform } = set;
    const { sale } = await bought(set);
    await platform.round();
    const { json } = await asha.post(`/sales/${sale}/evidence?request_id=e1&filename=a.txt`, advice);
    const evidence_id = json['evidence_id'];
    await asha.post(`/sales/${sale}/payments`, payment(sandbox, { evidence_id }));
    const nothing = await ravi.get('/sales/sal_none');
    expect(nothing.status).toBe(404);
    expect(await ravi.get(`/sales/${sale}`)).toEqual(nothing);
    expect(await ravi.post(`/sales/${sale}/acknowledge`, { terms_version: 'T3' })).toEqual(nothing);
    expect(await ravi.post(`/sales/${sale}/evidence?request_id=e1&filename=a.txt`, advice)).toEqual(nothing);
    expect(await ravi.post(`/sales/${sale}/payments`, payment(sandbox, { evidence_id }))).toEqual(nothing);
    expect(await ravi.get(`/sales/${sale}/payments/p1`)).toEqual(nothing);
    expect(await asha.get('/sales/sal_none/payments/p1')).toEqual(nothing);
    expect(await ravi.get('/bids/requests/b1')).toEqual(nothing);
    expect(list(await ravi.get('/sales'), 'sales')).toEqual([]);
    expect(list(await ravi.get('/bids'), 'bids')).toEqual([]);
    expect(list(await ravi.get('/inbox'), 'messages')).toEqual([]);
    expect(list(await asha.get('/inbox'), 'messages')).toHaveLength(1);
  });

  it("no buyer to another one's evidence, though its own sale is named", async () => {
    await using set = await stage();
    const { sandbox, bank, asha, ravi } = set;
    const { lots, id } = sandbox.auctions.get('live-open');
    const [first, second] = lots;
    if (first === undefined || second === undefined) throw new Error('no lots');
    await asha.post(`/lots/${first.id}/bids`, { request_id: 'b', amount: first.startingPrice });
    await ravi.post(`/lots/${second.id}/bids`, { request_id: 'b', amount: second.startingPrice });
    const hers = await sell(sandbox, bank, { id: first.id, auction: id });
    const his = await sell(sandbox, bank, { id: second.id, auction: id });
    const { json } = await asha.post(`/sales/${hers}/evidence?request_id=e1&filename=a.txt`, advice);
    const report = payment(sandbox, { evidence_id: json['evidence_id'] });
    expect(await ravi.post(`/sales/${his}/payments`, report)).toMatchObject({ status: 404 });
    expect(sandbox.attempts().filter(({ operation }) => operation === 'A36')).toEqual([]);
  });

  it('bids of others that the bank lists all the same are not shown', async () => {
    await using set = await stage({
      send: (request, inner) => {
        const path = request.path.replace(/[?&]bidder_reference=[^&]*/, '');
        return request.path.includes('/bids?') ? answered(inner, request, path) : inner.send(request);
      },
    });
    const lot = lotOf(set.sandbox);
    await set.asha.post(`/lots/${lot.id}/bids`, { request_id: 'b1', amount: lot.amount });
    expect(list(await set.ravi.get('/bids'), 'bids')).toEqual([]);
    expect(list(await set.asha.get('/bids'), 'bids')).toHaveLength(1);
  });
});

/** Answers as if every buyer's bids had been asked for: a bank whose filter fails. */
async function answered(inner: Transport, request: TransportRequest, path: string): Promise<TransportReply> {
  const reply = await inner.send(request);
  const json = JSON.parse(await textIn(reply)) as { data: Json[] };
  const data = [{ public_id: 'bid_x', bidder_reference: 'buyer-7', amount: '1.00', status: 'accepted' }];
  return withJson(reply, { ...json, data, path });
}

async function textIn(reply: TransportReply): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function withJson(reply: TransportReply, json: unknown): TransportReply {
  const { 'content-length': _, ...headers } = reply.headers;
  return { ...reply, headers, body: Readable.from([Buffer.from(JSON.stringify(json))]) };
}

describe('photos', () => {
  it('come by links of the platform, and by no others: not from strangers, and not what else the bank has', async () => {
    await using set = await stage();
    const { sandbox, asha } = set;
    const lot = lotOf(sandbox);
    const [photo = ''] = (await asha.get(`/auctions/${lot.auction}/lots/${lot.id}`)).json[
      'photos'
    ] as string[];
    const seal = photo.split('.')[1];
    const before = sandbox.attempts().length;
    for (const url of ['https://elsewhere.example/api/v1/photo', `${sandbox.baseUrl}/bids`]) {
      const link = Buffer.from(url).toString('base64url');
      for (const end of ['', '.', `.${seal}`]) {
        expect(await asha.get(`/photos/${link}${end}`)).toMatchObject({ status: 404 });
      }
    }
    expect(sandbox.attempts()).toHaveLength(before);
  });

  it('that the bank says are with a stranger are not fetched there', async () => {
    await using stranger = await listen(createServer((_, response) => response.end('a signed request!')));
    await using set = await stage({
      send: async (request, inner) => {
        const reply = await inner.send(request);
        if (!request.path.includes('/lots/')) return reply;
        const json = JSON.parse(await textIn(reply)) as { data: Json };
        return withJson(reply, { ...json, data: { ...json.data, images: [`${stranger.baseUrl}/photo`] } });
      },
    });
    const lot = lotOf(set.sandbox);
    const { json } = await set.asha.get(`/auctions/${lot.auction}/lots/${lot.id}`);
    expect(await set.asha.get(linkIn(json))).toMatchObject({ status: 404 });
    expect(stranger.requests).toEqual([]);
  });

  it('stop coming when the browser goes away', async () => {
    let stopped: (() => void) | undefined;
    const wasStopped = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    await using set = await stage({
      send: async (request, inner) => {
        const reply = await inner.send(request);
        if (!request.path.includes('/media/')) return reply;
        await textIn(reply);
        const { 'content-length': _, ...headers } = reply.headers;
        return { ...reply, headers, body: endless(() => stopped?.()), discard: () => stopped?.() };
      },
    });
    const lot = lotOf(set.sandbox);
    const { json } = await set.asha.get(`/auctions/${lot.auction}/lots/${lot.id}`);
    const leaving = new AbortController();
    const photo = await set.asha.raw(linkIn(json), { signal: leaving.signal });
    await photo.body?.getReader().read();
    leaving.abort();
    await wasStopped;
  });

  it('are given up when the browser goes away before they begin', async () => {
    let begun: (() => void) | undefined;
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    let givenUp: (() => void) | undefined;
    const wasGivenUp = new Promise<void>((resolve) => {
      givenUp = resolve;
    });
    await using set = await stage({
      send: (request, inner) => {
        if (!request.path.includes('/media/')) return inner.send(request);
        begun?.();
        return new Promise((_, reject) => {
          request.signal.addEventListener('abort', () => {
            givenUp?.();
            reject(new TransportFailure('maybe', request.signal.reason));
          });
        });
      },
    });
    const lot = lotOf(set.sandbox);
    const { json } = await set.asha.get(`/auctions/${lot.auction}/lots/${lot.id}`);
    const leaving = new AbortController();
    const photo = set.asha.raw(linkIn(json), { signal: leaving.signal });
    await hasBegun;
    leaving.abort();
    await expect(photo).rejects.toThrow();
    await wasGivenUp;
    await set.platform.close();
    expect(set.logged).toEqual([]);
  });
});

/** Bytes without an end; `stopped` is called when nobody wants more. */
async function* endless(stopped: () => void): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      yield new Uint8Array(16_384);
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    stopped();
  }
}

describe('acknowledging', () => {
  it('in doubt is a 202, and done when the sale says so', async () => {
    await using set = await stage();
    const { sandbox, asha } = set;
    const { sale } = await bought(set);
    const path = `/sales/${sale}/acknowledge`;
    sandbox.inject({ operation: 'A23', fault: 'drop_after_commit', times: 3 });
    expect(await asha.post(path, { terms_version: 'T3' })).toMatchObject({
      status: 202,
      json: { error: { code: 'unknown' } },
    });
    const acknowledged = { status: 200, json: { acknowledged_at: expect.any(String) } };
    expect(await asha.get(`/sales/${sale}`)).toMatchObject(acknowledged);
    expect(await asha.post(path, { terms_version: 'T3' })).toMatchObject(acknowledged);
    expect(sandbox.ledger().filter(({ operation }) => operation === 'A23')).toHaveLength(1);
  });

  it('a sale that moves meanwhile is a 409', async () => {
    let overtake: (() => Promise<unknown>) | undefined;
    await using set = await stage({
      send: async (request, inner) => {
        const first = request.path.endsWith('/acknowledgments') ? overtake : undefined;
        if (first !== undefined) overtake = undefined;
        await first?.();
        return inner.send(request);
      },
    });
    const { sale } = await bought(set);
    const click = () => set.asha.post(`/sales/${sale}/acknowledge`, { terms_version: 'T3' });
    overtake = click;
    expect(await click()).toMatchObject({ status: 409, json: { error: { code: 'changed' } } });
  });
});

describe('payments', () => {
  it('one upload and one report, however often they are asked for and whatever gets lost', async () => {
    await using set = await stage();
    const { sandbox, asha, platform } = set;
    const { sale, amount } = await bought(set);
    const upload = (content: Uint8Array) =>
      asha.post(`/sales/${sale}/evidence?request_id=e1&filename=a.txt`, content);
    sandbox.inject({ operation: 'A72', fault: 'drop_after_commit', times: 3 });
    expect(await upload(advice)).toMatchObject({
      status: 202,
      json: { status: 'unknown', message: expect.stringContaining('the same file again') },
    });
    const uploaded = await upload(advice);
    expect(uploaded).toMatchObject({ status: 200, json: { status: 'uploaded' } });
    const before = sandbox.attempts().length;
    expect(await upload(advice)).toEqual(uploaded);
    expect(
      sandbox
        .attempts()
        .slice(before)
        .map(({ operation }) => operation),
    ).toEqual(['A21']);
    expect(await upload(Buffer.from('other bytes'))).toMatchObject({ status: 409 });

    sandbox.clock.advance(5_000);
    const report = payment(sandbox, { amount, evidence_id: uploaded.json['evidence_id'] });
    const never = { ...report, request_id: 'p0', paid_at: '2026-99-01T00:00:00Z' };
    expect(await asha.post(`/sales/${sale}/payments`, never)).toMatchObject({ json: { status: 'refused' } });
    sandbox.inject({ operation: 'A36', fault: 'drop_after_commit', times: 3 });
    expect(await asha.post(`/sales/${sale}/payments`, report)).toMatchObject({
      status: 202,
      json: { status: 'unknown' },
    });
    await platform.round();
    const reported = await asha.post(`/sales/${sale}/payments`, report);
    expect(reported).toMatchObject({ status: 200, json: { status: 'reported' } });
    const kinds = sandbox.ledger().map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'document')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'payment_report')).toHaveLength(1);
  });

  it('are on disk as possibly sent before they leave', async () => {
    let stored = '';
    let recorded = '';
    await using set = await stage({
      send: async (request, inner) => {
        if (request.path.endsWith('/payment-reports')) {
          stored = await readFile(set.storePath, 'utf8');
          recorded = await readFile(join(set.data, 'auction.db'), 'utf8');
        }
        return inner.send(request);
      },
    });
    const { sale, amount } = await bought(set);
    const { json } = await set.asha.post(`/sales/${sale}/evidence?request_id=e1&filename=a.txt`, advice);
    set.sandbox.clock.advance(5_000);
    const report = payment(set.sandbox, { amount, evidence_id: json['evidence_id'] });
    expect(await set.asha.post(`/sales/${sale}/payments`, report)).toMatchObject({ status: 200 });
    const { tasks } = JSON.parse(stored) as { tasks: Json[] };
    expect(tasks.find(({ requestId }) => requestId === 'p1')).toMatchObject({
      told: { status: 'unknown' },
    });
    expect(recorded).toContain(keyOf('payment', 'buyer-7', 'p1'));
  });

  it('in doubt for too long are for a person, and not sent again', async () => {
    await using set = await stage();
    const { sandbox, asha, platform } = set;
    const { sale, amount } = await bought(set);
    const { json } = await asha.post(`/sales/${sale}/evidence?request_id=e1&filename=a.txt`, advice);
    sandbox.clock.advance(5_000);
    const report = payment(sandbox, { amount, evidence_id: json['evidence_id'] });
    sandbox.inject({ operation: 'A36', fault: 'drop_before_commit', times: 3 });
    await asha.post(`/sales/${sale}/payments`, report);
    sandbox.clock.advance(61 * 60_000);
    await platform.round();
    await platform.round();
    expect(await asha.get(`/sales/${sale}/payments/p1`)).toMatchObject({
      status: 202,
      json: { status: 'unclear' },
    });
    expect(await asha.post(`/sales/${sale}/payments`, report)).toMatchObject({ json: { status: 'unclear' } });
    expect(set.logged.filter((line) => line.includes('needs manual resolution'))).toHaveLength(1);
    expect(sandbox.attempts().filter(({ operation }) => operation === 'A36')).toHaveLength(3);
  });

  it('refuses what is too large, or nothing at all, and leaves no file behind', async () => {
    await using set = await stage();
    const { sale } = await bought(set);
    const path = `/sales/${sale}/evidence?request_id=e1&filename=a.txt`;
    const scratch = await mkdtemp(join(set.folder, 'scratch-'));
    vi.stubEnv('TMPDIR', scratch);
    try {
      expect(await set.asha.post(path, new Uint8Array(11 * 1024 * 1024))).toMatchObject({ status: 413 });
      expect(await set.asha.post(path, new Uint8Array())).toMatchObject({ status: 400 });
    } finally {
      vi.unstubAllEnvs();
    }
    expect(await readdir(scratch)).toEqual([]);
    expect(await announced(set.platform, path, 11 * 1024 * 1024)).toBe(413);
    expect(await announced(set.platform, '/lots/lot_1/bids', 70_000)).toBe(413);
    expect(set.sandbox.attempts().filter(({ operation }) => operation === 'A72')).toEqual([]);
  });
});

/** The status of the answer to a body that is announced and does not come. */
async function announced(platform: Platform, path: string, length: number): Promise<number | undefined> {
  const headers = { authorization: 'Bearer asha-token', 'content-length': length };
  const sent = request(`${platform.url}${path}`, { method: 'POST', headers });
  sent.flushHeaders();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  sent.on('error', () => undefined); // it is not finished, and never will be
  sent.destroy();
  return response.statusCode;
}

describe('the winner updates', () => {
  it('are told once, from the cursor on, by a process that starts anew', async () => {
    await using set = await stage();
    const { sandbox, bank, asha, platform } = set;
    const { sale } = await bought(set);
    await platform.round();
    await platform.close();
    const before = sandbox.attempts().length;
    const { cursor } = JSON.parse(await readFile(set.storePath, 'utf8')) as { cursor: string };
    expect(cursor).toEqual(expect.any(String));

    const second = await set.start();
    const lot = lotOf(sandbox, 'live-closed');
    const later = visitor(second, 'asha-token');
    await later.post(`/lots/${lot.id}/bids`, { request_id: 'b9', amount: lot.amount });
    const next = await sell(sandbox, bank, lot);
    await second.round();
    const [asked] = sandbox
      .attempts()
      .slice(before)
      .filter(({ path }) => path.includes('winner-updates'));
    expect(asked?.path).toContain(`after=${cursor}`);
    expect(list(await later.get('/inbox'), 'messages').map(({ sale_id }) => sale_id)).toEqual([next, sale]);
    await expect(asha.get('/inbox')).rejects.toThrow(); // the first one is gone
  });

  it('that come again are passed over', async () => {
    await using set = await stage();
    const { sale } = await bought(set);
    await set.platform.round();
    await set.platform.close();
    const { cursor: _, ...rest } = JSON.parse(await readFile(set.storePath, 'utf8')) as Json;
    await writeFile(set.storePath, JSON.stringify(rest)); // died before the cursor was stored
    const reads = set.sandbox.attempts().length;
    const second = await set.start();
    await second.round();
    expect(list(await visitor(second, 'asha-token').get('/inbox'), 'messages')).toMatchObject([
      { sale_id: sale },
    ]);
    expect(
      set.sandbox
        .attempts()
        .slice(reads)
        .map(({ operation }) => operation),
    ).not.toContain('A21');
  });

  it('keep their cursor until they are handled', async () => {
    await using set = await stage();
    const { sandbox, asha, platform } = set;
    await bought(set);
    sandbox.inject({ operation: 'A21', fault: 'error_before_commit', times: 3 });
    await platform.round();
    const stored = await readFile(set.storePath, 'utf8').catch(() => '{}');
    expect(JSON.parse(stored)).not.toHaveProperty('cursor');
    expect(list(await asha.get('/inbox'), 'messages')).toEqual([]);
    expect(set.logged).toHaveLength(1);
    await platform.round();
    expect(list(await asha.get('/inbox'), 'messages')).toHaveLength(1);
    expect(JSON.parse(await readFile(set.storePath, 'utf8'))).toHaveProperty('cursor');
  });

  it('of a buyer who is not known here are logged, and told to nobody', async () => {
    await using set = await stage();
    const { sandbox, bank, ravi } = set;
    const lot = lotOf(sandbox);
    await ravi.post(`/lots/${lot.id}/bids`, { request_id: 'b1', amount: lot.amount });
    const sale = await sell(sandbox, bank, lot);
    const second = await set.start(undefined, {
      accounts: { ...accounts, buyers: accounts.buyers.slice(0, 1) },
    });
    await second.round();
    expect(set.logged).toEqual([expect.stringContaining(sale)]);
    expect(JSON.parse(await readFile(set.storePath, 'utf8'))).toMatchObject({ messages: [] });
  });

  it('that do not say which sale they mean lead to a look through all of them', async () => {
    await using set = await stage({
      send: async (request, inner) => {
        const reply = await inner.send(request);
        if (!request.path.includes('/winner-updates')) return reply;
        const json = JSON.parse(await textIn(reply)) as { data: Json[] };
        return withJson(reply, { data: json.data.map(({ id }) => ({ id })) });
      },
    });
    const { sale } = await bought(set);
    await set.platform.round();
    const told = await set.asha.get('/inbox');
    expect(list(told, 'messages')).toMatchObject([{ sale_id: sale }]);
    set.sandbox.clock.advance(60_000);
    await set.platform.round(); // without a cursor all of them come again
    expect(await set.asha.get('/inbox')).toEqual(told);
  });

  it('are followed round after round, until the platform is closed', async () => {
    const pauses: number[] = [];
    let wake: (() => void) | undefined;
    let asleep: (() => void) | undefined;
    const sleep = (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        pauses.push(ms);
        wake = resolve;
        signal.addEventListener('abort', () => resolve());
        asleep?.();
      });
    await using set = await stage({ options: { sleep } });
    const fallsAsleep = () =>
      new Promise<void>((resolve) => {
        asleep = resolve;
      });
    const once = fallsAsleep();
    const working = set.platform.work();
    await once;
    const { sale } = await bought(set);
    const twice = fallsAsleep();
    wake?.();
    await twice;
    expect(list(await set.asha.get('/inbox'), 'messages')).toMatchObject([{ sale_id: sale }]);
    await set.platform.close();
    await working;
    expect(pauses).toEqual([30_000, 30_000]);
  });
});

describe('closing', () => {
  it('waits for the round under way, and for no connection that asks for nothing', async () => {
    let wake: (() => void) | undefined;
    await using set = await stage({
      options: {
        sleep: () =>
          new Promise((resolve) => {
            wake = resolve;
          }),
      },
    });
    const reserve = connect(Number(new URL(set.platform.url).port), '127.0.0.1');
    await once(reserve, 'connect');
    await set.asha.get('/inbox');
    const working = set.platform.work();
    while (wake === undefined) await new Promise((resolve) => setImmediate(resolve));
    let isClosed = false;
    const closed = set.platform.close().then(() => {
      isClosed = true;
    });
    await once(reserve, 'close');
    await expect(set.asha.get('/inbox')).rejects.toThrow();
    expect(isClosed).toBe(false);
    wake();
    await Promise.all([working, closed]);
  });

  it('waits for a bid whose browser has gone away: it is not taken back, and its outcome is stored', async () => {
    let release: (() => void) | undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let sent: (() => void) | undefined;
    const wasSent = new Promise<void>((resolve) => {
      sent = resolve;
    });
    await using set = await stage({
      send: async (request, inner) => {
        sent?.();
        await released;
        return inner.send(request);
      },
    });
    const lot = lotOf(set.sandbox);
    const leaving = new AbortController();
    const body = JSON.stringify({ request_id: 'b1', amount: lot.amount });
    const click = set.asha.raw(`/lots/${lot.id}/bids`, { method: 'POST', body, signal: leaving.signal });
    await wasSent;
    leaving.abort();
    await expect(click).rejects.toThrow();
    const closed = set.platform.close();
    release?.();
    await closed;
    const next = visitor(await set.start(), 'asha-token');
    expect(await next.get('/bids/requests/b1')).toMatchObject({ status: 200, json: { status: 'accepted' } });
    expect(operations(set.sandbox)).toEqual(['bids.submit', 'A06']);
  });
});

describe('a crash', () => {
  it('between sending a bid and its answer: the next process finds the bid and asks after it', async () => {
    let release: (() => void) | undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let arrived: (() => void) | undefined;
    const hasArrived = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await using set = await stage();
    const { sandbox } = set;
    const lot = lotOf(sandbox);
    const dying = await set.start(async (request, inner) => {
      const reply = await inner.send(request);
      if (request.method === 'GET') return reply;
      arrived?.();
      await released; // this process will never read it
      return reply;
    });
    const click = visitor(dying, 'asha-token').post(`/lots/${lot.id}/bids`, {
      request_id: 'b1',
      amount: lot.amount,
    });
    await hasArrived;

    const next = await set.start();
    const asha = visitor(next, 'asha-token');
    expect(await asha.get('/bids/requests/b1')).toMatchObject({
      status: 200,
      json: { status: 'accepted', bid_id: sandbox.ledger()[0]?.bidId },
    });
    expect(list(await asha.get('/inbox'), 'messages')).toMatchObject([{ lot_id: lot.id }]);
    expect(await asha.post(`/lots/${lot.id}/bids`, { request_id: 'b1', amount: lot.amount })).toMatchObject({
      status: 200,
    });
    expect(operations(sandbox)).toEqual(['bids.submit', 'A06']);
    release?.();
    await click;
  });

  it('before a bid was sent: it is looked up, not sent, until the buyer asks for it again', async () => {
    await using set = await stage();
    const { sandbox } = set;
    const { lot, click, release } = await dying(set);
    const next = await set.start();
    await next.round();
    expect(await visitor(next, 'asha-token').get('/bids/requests/b1')).toMatchObject({ status: 202 });
    expect(sandbox.ledger()).toEqual([]);
    expect(operations(sandbox)).not.toContain('bids.submit');
    expect(await visitor(next, 'asha-token').post(`/lots/${lot.id}/bids`, click)).toMatchObject({
      status: 200,
    });
    expect(sandbox.ledger()).toMatchObject([{ idempotencyKey: keyOf('bid', 'buyer-7', 'b1') }]);
    await release();
  });

  it('before a bid was sent, found too late: a click looks it up, and sends nothing', async () => {
    await using set = await stage();
    const { sandbox } = set;
    const { lot, click, release } = await dying(set);
    sandbox.clock.advance(3 * 60_000);
    const next = await set.start();
    expect(await visitor(next, 'asha-token').post(`/lots/${lot.id}/bids`, click)).toMatchObject({
      status: 202,
      json: { status: 'unknown' },
    });
    expect(new Set(operations(sandbox))).toEqual(new Set(['A06']));
    await release();
  });

  it('while a payment waits for its scan: the next process reports it', async () => {
    await using set = await stage();
    const { sandbox, asha } = set;
    const { sale, amount } = await bought(set);
    sandbox.scanner.pause();
    const { json } = await asha.post(`/sales/${sale}/evidence?request_id=e1&filename=a.txt`, advice);
    await asha.post(
      `/sales/${sale}/payments`,
      payment(sandbox, { amount, evidence_id: json['evidence_id'] }),
    );
    const next = await set.start();
    sandbox.clock.advance(5_000);
    sandbox.scanner.resume();
    await next.round();
    expect((await visitor(next, 'asha-token').get(`/sales/${sale}/payments/p1`)).json).toMatchObject({
      status: 'reported',
    });
  });

  it('that left a damaged store is told, and not taken for a fresh start', async () => {
    await using set = await stage();
    await writeFile(set.storePath, '{"intents":[');
    await expect(set.start()).rejects.toThrow(SyntaxError);
    await expect(set.start(undefined, { storePath: set.folder })).rejects.toThrow('EISDIR');
  });
});

/** A process that dies as soon as a bid is written down as about to leave. */
async function dying(set: Awaited<ReturnType<typeof stage>>) {
  let release: (() => void) | undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let departed: (() => void) | undefined;
  const hasDeparted = new Promise<void>((resolve) => {
    departed = resolve;
  });
  const process = await set.start(async (request, inner) => {
    if (request.method === 'GET') return inner.send(request);
    departed?.();
    await released; // nothing of it reaches the bank
    throw new TransportFailure('no', new Error('dead'));
  });
  const lot = lotOf(set.sandbox);
  const click = { request_id: 'b1', amount: lot.amount };
  const clicked = visitor(process, 'asha-token').post(`/lots/${lot.id}/bids`, click);
  await hasDeparted;
  return {
    lot,
    click,
    release: async () => {
      release?.();
      await clicked;
    },
  };
}

describe('what buyers learn of failures', () => {
  it.each([
    ['a bank that is down', { fault: 'error_before_commit', times: 9 }],
    ['a proxy that answers', { fault: 'garbage', times: 9 }],
    ['too many requests', { fault: 'rate_limit', times: 9, retryAfter: 90 }],
  ] as const)('%s: 503, in words of the platform', async (_, plan) => {
    await using set = await stage();
    set.sandbox.inject(plan);
    const got = await set.asha.get('/auctions');
    expect(got).toMatchObject({ status: 503, json: { error: { message: expect.any(String) } } });
    telling(set.sandbox, got);
    expect(set.logged).toHaveLength(1);
  });

  it('a key that is revoked: 503, and nothing of keys', async () => {
    await using set = await stage();
    set.sandbox.partners.update(set.sandbox.credentials.platform.clientId, { keyRevoked: true });
    const got = await set.asha.get('/sales');
    expect(got.status).toBe(503);
    telling(set.sandbox, got);
    const bid = await set.asha.post('/lots/lot_1/bids', { request_id: 'b1', amount: '1000' });
    expect(bid).toMatchObject({ status: 403, json: { status: 'refused' } });
    telling(set.sandbox, bid);
    expect(set.logged.join('\n')).toContain('KEY_REVOKED');
    expect(set.logged.join('\n')).not.toContain(set.sandbox.credentials.platform.signingSecret);
  });

  it('ids that can not be, pages that can not be, and bodies that are no JSON: 400 or 404', async () => {
    await using set = await stage();
    expect(await set.asha.get('/sales/sal%2F1')).toMatchObject({ status: 404 });
    expect(await set.asha.get('/auctions?page=0')).toMatchObject({
      status: 400,
      json: { error: { fields: ['page'] } },
    });
    expect(await set.asha.post('/lots/lot_1/bids', Buffer.from('['))).toMatchObject({ status: 400 });
    expect(await set.asha.post('/lots/lot_1/bids', Buffer.alloc(70_000))).toMatchObject({ status: 413 });
    expect(await set.asha.get(`/auctions/${'a'.repeat(300)}/lots`)).toMatchObject({ status: 404 });
  });
});

/** Nothing of the SDK, of the credentials or of the bank's address. */
function telling({ credentials, baseUrl }: Sandbox, got: Got): void {
  const text = JSON.stringify(got);
  const { clientId, keyId, signingSecret, dealerId } = credentials.platform;
  for (const secret of [
    clientId,
    keyId,
    signingSecret,
    String(dealerId),
    baseUrl,
    'A20',
    'KEY_',
    'attempt',
  ]) {
    expect(text).not.toContain(secret);
  }
}

it('runs as a program against the embedded sandbox, and ends cleanly', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'dealer-platform-test-'));
  const program = spawn(
    process.execPath,
    ['--import', 'tsx', 'examples/dealer-platform/main.ts', '--sandbox'],
    {
      cwd: root,
      env: { ...process.env, PORT: '0', TMPDIR: scratch },
    },
  );
  const ended = once(program, 'exit');
  onTestFinished(() => {
    program.kill('SIGKILL');
  });
  let stdout = '';
  let stderr = '';
  program.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await new Promise<void>((resolve, reject) => {
    program.stdout.on('data', (chunk) => {
      stdout += chunk;
      if (/ravi-demo-token.*\/sales\n/.test(stdout)) resolve();
    });
    program.once('exit', () => reject(new Error(stderr)));
  });
  const commands = [...stdout.matchAll(/curl (-X POST )?-H 'Authorization: (.*?)' (\S+)(?: -d '(.*)')?$/gm)];
  const answers = [];
  for (const [, post, authorization = '', url = '', body] of commands) {
    const method = post !== undefined || body !== undefined ? 'POST' : 'GET';
    const response = await fetch(url, { method, body: body ?? null, headers: { authorization } });
    answers.push([response.status, (await response.json()) as Json] as const);
  }
  expect(answers.map(([status]) => status)).toEqual([200, 200, 200, 200, 200, 200, 200]);
  expect(answers[2]?.[1]).toMatchObject({ status: 'accepted' });
  expect(answers[5]?.[1]).toMatchObject({ sales: [{ state: 'approved' }] });
  expect(answers[6]?.[1]).toEqual({ sales: [] });
  program.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  expect(stderr).toBe('');
  expect((await readdir(scratch)).filter((name) => name.startsWith('dealer-platform-'))).toEqual([]);
  await rm(scratch, { recursive: true });
});
