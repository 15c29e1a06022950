import { appendFile, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import fastify, { type FastifyRequest } from 'fastify';
import {
  bidForBudget,
  type Charge,
  costOfBid,
  isVehicleAuctionError,
  type LotChange,
  type LotSummary,
  type MediaCache,
  memoryCache,
  minimumBid,
  type PartnerClient,
  readWinnerUpdate,
  type Standing,
  toPaise,
  VehicleAuctionError,
  type WinnerNews,
} from 'vehicle-auction-sdk';

/** A buyer of the platform. The `reference` of a buyer never changes. */
export interface Buyer {
  readonly reference: string;
  readonly name: string;
  /** The most that a lot may cost the buyer in all, INR decimal string. */
  readonly budget?: string;
}

export interface PlatformOptions {
  readonly auction: PartnerClient<'platform'>;
  /** Buyers by token. Replace this with a login with sessions. */
  readonly buyers: ReadonlyMap<string, Buyer>;
  /** What comes on top of a bid: fees and taxes. None by default. */
  readonly charges?: readonly Charge[];
  /** Photos that were fetched, for all buyers; defaults to memory. */
  readonly photos?: MediaCache;
  /** A file of won sales, one per line. Replace it with a table of your database. */
  readonly wins: string;
  readonly port?: number;
  readonly log?: (line: string) => void;
}

type Seen = Extract<LotChange, { type: 'snapshot' | 'changed' }>;

type Request = FastifyRequest<{ Params: { id: string; number: number } }>;

/** HTTP status for each outcome of a bid. After 202 and 503, the browser can repeat the request under the same id. */
const answers = {
  accepted: [201, 'Accepted: provisional, until the bank decides.'],
  rejected: [422, 'Rejected.'],
  refused: [403, 'The bank refused this bid and recorded nothing.'],
  not_sent: [503, 'Not sent. Try again.'],
  unknown: [202, 'It is not known yet whether the bank has this bid. Try again in a moment.'],
} as const;

/** Why a bid was rejected, in the buyer's words. Other codes are for the platform. */
const reasons: Readonly<Record<string, string>> = {
  BID_BELOW_MINIMUM: 'It is below the minimum now.',
  BID_OFF_OPENING_GRID: 'It does not match the bid steps of this lot.',
  LOT_NOT_LIVE: 'This lot takes no bids now.',
};

const problems = {
  InvalidRequestError: [400, 'This is not a valid amount.'],
  InDoubtError: [409, 'Your earlier bid on this lot is not settled yet.'],
  IdempotencyConflictError: [409, 'This request was used for another bid.'],
} as const;

/** Serves the platform, and follows the bank's lots and decisions until it is closed. */
export async function startPlatform({
  auction,
  buyers,
  charges = [],
  photos: cache = memoryCache({ maxBytes: 200_000_000 }),
  wins,
  port = 0,
  log = console.error,
}: PlatformOptions) {
  const { lots, increments } = await openLots(auction);
  const won = await readWins(wins);
  const page = await readFile(new URL('page.html', import.meta.url));
  const budgets = new Map([...buyers.values()].map(({ reference, budget }) => [reference, budget]));
  const viewers = new Map<ServerResponse, Buyer>();
  const references = [...new Set([...buyers.values()].map(({ reference }) => reference))];
  const watch = auction.lots.watch(lots.values(), { buyers: references });
  /** The latest status of each lot, with the standing of each buyer. */
  const latest = new Map<string, Seen>();
  const app = fastify({ forceCloseConnections: true });

  app.addContentTypeParser('application/octet-stream', (_, body, done) => done(null, body));
  app.setErrorHandler((error: Error & { statusCode?: number }, _, reply) => {
    log(String(error));
    const found = Object.entries(problems).find(([name]) => name === error.name)?.[1];
    const isBank = error instanceof VehicleAuctionError;
    const [status, message] =
      found ?? (isBank ? [503, 'The bank does not answer.'] : [error.statusCode ?? 500]);
    return reply.code(status).send({ message: message ?? error.message });
  });

  app.get('/login/:id', ({ params }: Request, reply) => {
    const cookie = buyers.has(params.id) ? `token=${params.id}` : fail(401, 'Unknown token.');
    return reply.header('set-cookie', `${cookie}; HttpOnly; SameSite=Strict; Path=/`).redirect('/');
  });

  app.get('/', (request, reply) => buyerOf(request) && reply.type('text/html').send(page));

  app.get('/live', (request, reply) => {
    const buyer = buyerOf(request);
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    reply.raw.on('close', () => viewers.delete(reply.raw));
    viewers.set(reply.raw, buyer);
    send({ type: 'hello', ...buyer }, buyer.reference);
    for (const win of won.values()) send({ type: 'win', ...win, title: titleOf(win) }, win.bidderReference);
    for (const seen of latest.values()) show(seen, buyer.reference);
  });

  app.post('/lots/:id/bids', async (request: Request, reply) => {
    const lot = lotOf(request.params.id);
    const { amount, requestId: idempotencyKey } = request.body as { amount: string; requestId: string };
    // No signal, because a disconnected browser does not cancel a bid. The same request id is the same bid, also
    // after a crash.
    const bid = { lot, amount, bidderReference: buyerOf(request).reference };
    const { status, codes } = await auction.bids.place(bid, { idempotencyKey });
    watch.notify(lot.id);
    const [code, message] = answers[status];
    if (status === 'refused') log(`A bid was refused: ${codes.join(' ')}`);
    const why = codes.flatMap((each) => reasons[each] ?? []);
    return reply.code(code).send({ status, message: [message, ...why].join(' ') });
  });

  app.get('/photos/:id/:number', async (request: Request, reply) => {
    buyerOf(request);
    // The URL comes from the lot, never from the browser, because other URLs of the bank are other buyers' files.
    const { images = [] } = lotOf(request.params.id);
    const address = images[request.params.number] ?? fail(404, 'No such photo.');
    const served = { cache, cacheControl: 'private, max-age=3600' };
    await auction.media.serve(address, reply.hijack().raw, served);
  });

  app.post('/sales/:id/acknowledgment', async (request: Request) => {
    const { saleId: id, version: resource_version, termsVersion: terms_version } = winOf(request);
    await auction.runOnce(['acknowledge', id], (idempotencyKey) =>
      auction.saleCases.acknowledge({ id, resource_version }, { terms_version }, { idempotencyKey }),
    );
    return { message: 'Acknowledged.' };
  });

  app.post('/sales/:id/evidence', async (request: Request) => {
    const { saleId: sale_id } = winOf(request);
    const content = request.body as AsyncIterable<Uint8Array>;
    const document = { sale_id, purpose: 'payment_evidence', filename: 'evidence', content };
    const { id } = await auction.documents.upload(document, { waitUntilReady: true });
    return { id, message: 'Received, and found clean.' };
  });

  // Most visible first, from the quota that bids and watches leave.
  const filling = auction.media.prefetch(lots.values(), { cache }).catch((error: unknown) => {
    if (!isVehicleAuctionError(error, 'AbortedError')) log(String(error)); // aborted: the platform closes
  });
  const watching = (async () => {
    for await (const change of watch) {
      if (change.type === 'snapshot' || change.type === 'changed') {
        latest.set(change.lot, change);
        show(change);
      } else if (change.type !== 'unavailable') send({ type: change.type });
    }
  })();
  const winning = auction.winnerUpdates.follow({
    name: 'platform',
    handle: async (update) => {
      const { complete, data } = readWinnerUpdate(update);
      if (!complete) return log(`A winner update that a person must read: ${JSON.stringify(update)}`);
      if (won.has(data.saleId)) return; // repeated after a crash
      await appendFile(wins, `\n${JSON.stringify(data)}`);
      won.set(data.saleId, data);
      send({ type: 'win', ...data, title: titleOf(data) }, data.bidderReference);
    },
  });
  const url = await app.listen({ port, host: '127.0.0.1' });
  return {
    url,
    /** Refuses new requests, and resolves once pending bids have their outcome. */
    async close() {
      for (const response of viewers.keys()) response.end();
      await app.close();
      await auction.close();
      await Promise.all([watching, winning, filling]);
    },
  };

  /** Sends a lot to each buyer, with the standing of this buyer. */
  function show({ after, standings }: Seen, only?: string): void {
    for (const standing of standings) {
      const { bidderReference } = standing;
      if (only !== undefined && bidderReference !== only) continue;
      send({ type: 'lot', ...shown(after, standing) }, bidderReference);
    }
  }

  /** Chosen by name: `vehicle_details` can hold private fields of the bank. */
  function shown(status: Seen['after'], { bidderReference, standing, ownAmount, doubts }: Standing) {
    const { id, title, images, auction_id, starting_price: startingPrice } = lotOf(status.lot_id);
    const { highest_amount: highestAmount, effective_close_at: closes, allowed_actions } = status;
    const increment = increments.get(auction_id) ?? '0';
    const next = minimumBid({ bidType: 'open', startingPrice, increment, highestAmount });
    const landed = costOfBid(next, charges).total;
    const budget = budgets.get(bidderReference ?? '');
    const most = budget === undefined ? next : (bidForBudget(budget, charges) ?? '0');
    return {
      ...{ id, title, closes, own: ownAmount, highest: highestAmount, photos: images?.length },
      ...{ next, landed, affordable: toPaise(next) <= toPaise(most) },
      open: allowed_actions?.includes('bid'),
      standing: doubts.length === 0 ? standing : 'being checked',
    };
  }

  function send(event: object, reference?: string | null): void {
    for (const [response, buyer] of viewers) {
      if (reference !== undefined && buyer.reference !== reference) continue;
      // Disconnect a page that reads too slowly. It reconnects and gets the current state.
      if (response.writableLength > 1_000_000) response.destroy();
      else response.write(`data: ${JSON.stringify(event)}\n\n`);
    }
  }

  function lotOf(id: string): LotSummary {
    return lots.get(id) ?? fail(404, 'No such lot.');
  }

  function titleOf({ lotId }: WinnerNews): string {
    return lots.get(lotId)?.title ?? lotId;
  }

  function winOf(request: Request): WinnerNews {
    const win = won.get(request.params.id);
    return win?.bidderReference === buyerOf(request).reference ? win : fail(404, 'No such sale.');
  }

  function buyerOf({ headers }: FastifyRequest): Buyer {
    const [, token = ''] = /(?:^|; )token=([\w-]+)/.exec(headers.cookie ?? '') ?? [];
    return buyers.get(token) ?? fail(401, 'Log in first.');
  }
}

/** Up to 30 lots of open auctions. In closed ones, each buyer's standing costs a request. */
async function openLots(auction: PartnerClient<'platform'>) {
  const lots = await auction.lots.list().toArray({ limit: 200 });
  const events = await auction.events.list({ status: 'live' }).toArray({ limit: 100 });
  const open = events.filter(({ bid_type }) => bid_type === 'open');
  const increments = new Map(open.map(({ id, bid_increment }) => [id, bid_increment]));
  const shown = lots.filter(({ auction_id }) => increments.has(auction_id)).slice(0, 30);
  return { lots: new Map(shown.map((lot) => [lot.id, lot])), increments };
}

/** Ignores a last line that a crash cut off: its update is delivered again. */
async function readWins(path: string): Promise<Map<string, WinnerNews>> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line.endsWith('}'));
  return new Map(lines.map((line): WinnerNews => JSON.parse(line)).map((win) => [win.saleId, win]));
}

function fail(statusCode: number, message: string): never {
  throw Object.assign(new Error(message), { statusCode });
}
