import { setTimeout as timer } from 'node:timers/promises';
import type { PartnerClient } from 'vehicle-auction-sdk';
import { Bids } from './bids.js';
import { Catalogue } from './catalogue.js';
import { type Accounts, listen, type Route } from './http.js';
import { News } from './news.js';
import { Payments } from './payments.js';
import { Sales } from './sales.js';
import { Store } from './store.js';

export interface PlatformOptions {
  /** Stays yours: close it after the platform. */
  readonly auction: PartnerClient<'platform'>;
  readonly accounts: Accounts;
  /** The file with what else has to survive a crash. */
  readonly storePath: string;
  /** 0, when left out, for any free one. */
  readonly port?: number;
  /** Seals the links to photos; one of this process when left out. */
  readonly linkSecret?: string | undefined;
  /** Routes beside the platform's own. */
  readonly moreRoutes?: readonly Route[];
  /** Unix ms; the machine's time when left out. */
  readonly now?: () => number;
  /** Resolves after `ms` milliseconds, or when the signal fires. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log?: (line: string) => void;
}

export interface Platform extends AsyncDisposable {
  /** Where it listens. */
  readonly url: string;
  /** One round of the work in the background: settles what is open, reads what is new. */
  round(): Promise<void>;
  /** Goes round until the platform is closed. */
  work(): Promise<void>;
  /** Takes no more requests, lets those under way and the round end, and closes. */
  close(): Promise<void>;
}

const pauseMs = 30_000;

/** Puts the parts together, settles what an earlier process left open, and listens. */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { auction, accounts, now = Date.now, sleep = pause, log = console.log } = options;
  const store = await Store.open(options.storePath);
  const catalogue = new Catalogue(auction, options.linkSecret);
  const bids = new Bids(auction, store, now, log);
  const sales = new Sales(auction);
  const payments = new Payments(auction, store, now, log);
  const news = new News(auction, store, accounts.buyers, now, log);

  const routes: Route[] = [
    { method: 'GET', path: '/auctions', buyer: (visit) => catalogue.auctions(visit) },
    {
      method: 'GET',
      path: '/auctions/{auction}/lots',
      buyer: (visit, buyer) => catalogue.lots(visit, buyer),
    },
    {
      method: 'GET',
      path: '/auctions/{auction}/lots/{lot}',
      buyer: (visit, buyer) => catalogue.lot(visit, buyer),
    },
    { method: 'GET', path: '/photos/{link}', buyer: (visit) => catalogue.photo(visit) },
    { method: 'POST', path: '/lots/{lot}/bids', buyer: (visit, buyer) => bids.place(visit, buyer) },
    { method: 'GET', path: '/bids', buyer: (visit, buyer) => bids.list(visit, buyer) },
    { method: 'GET', path: '/bids/requests/{request}', buyer: (visit, buyer) => bids.status(visit, buyer) },
    { method: 'GET', path: '/sales', buyer: (visit, buyer) => sales.list(visit, buyer) },
    { method: 'GET', path: '/sales/{sale}', buyer: (visit, buyer) => sales.get(visit, buyer) },
    {
      method: 'POST',
      path: '/sales/{sale}/acknowledge',
      buyer: (visit, buyer) => sales.acknowledge(visit, buyer),
    },
    {
      method: 'POST',
      path: '/sales/{sale}/evidence',
      buyer: (visit, buyer) => payments.upload(visit, buyer),
    },
    {
      method: 'POST',
      path: '/sales/{sale}/payments',
      buyer: (visit, buyer) => payments.report(visit, buyer),
    },
    {
      method: 'GET',
      path: '/sales/{sale}/payments/{request}',
      buyer: (visit, buyer) => payments.status(visit, buyer),
    },
    { method: 'GET', path: '/inbox', buyer: (visit, buyer) => news.inbox(visit, buyer) },
    { method: 'GET', path: '/operator/inbox', operator: (visit) => news.operatorInbox(visit) },
    { method: 'POST', path: '/operator/inbox/{message}/read', operator: (visit) => news.operatorRead(visit) },
    ...(options.moreRoutes ?? []),
  ];

  await bids.settle();
  const server = await listen(routes, accounts, options.port ?? 0, log);
  const closing = new AbortController();
  let working: Promise<void> = Promise.resolve();

  /** What fails is tried again in the next round, and keeps nothing else from its turn. */
  const round = async () => {
    const tasks = {
      bids: () => bids.settle(),
      payments: () => payments.settle(),
      news: () => news.follow(closing.signal),
    };
    for (const [name, task] of Object.entries(tasks)) {
      if (!closing.signal.aborted) await task().catch((error: unknown) => log(`${name}: ${String(error)}`));
    }
  };
  const goRound = async () => {
    while (!closing.signal.aborted) {
      await round();
      await sleep(pauseMs, closing.signal);
    }
  };
  const close = async () => {
    closing.abort();
    await Promise.all([server.close(), working]);
  };
  return {
    url: server.url,
    round,
    work: () => {
      working = goRound();
      return working;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await timer(ms, undefined, { signal }).catch(() => undefined);
}
