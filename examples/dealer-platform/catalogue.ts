import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  type AuctionEvent,
  bidSituation,
  type EventLot,
  InvalidRequestError,
  nextBids,
  type PartnerClient,
  responseOf,
} from 'vehicle-auction-sdk';
import { type Answer, type Buyer, pageOf, type Visit } from './http.js';
import { notFound } from './outcomes.js';

type Service = Pick<PartnerClient<'platform'>, 'events' | 'media'>;

/** What is on sale, as one buyer may see it: auctions, lots with its own standing, and photos. */
export class Catalogue {
  readonly #service: Service;
  readonly #linkSecret: string | Buffer;

  /** `linkSecret` makes links to photos outlive this process, and hold in its neighbours. */
  constructor(service: Service, linkSecret: string | undefined) {
    this.#service = service;
    this.#linkSecret = linkSecret ?? randomBytes(32);
  }

  /** `GET /auctions`: what is live. */
  async auctions({ query, signal }: Visit): Promise<Answer> {
    const page = await this.#service.events.list({ status: 'live' }, { signal }).page(pageOf(query));
    const auctions = page.items.map(({ id, name, bid_type, bid_increment, starts_at, ends_at }) => ({
      id,
      name,
      bid_type,
      bid_increment,
      starts_at,
      ends_at,
    }));
    return { status: 200, json: { auctions, page: page.page, last_page: page.lastPage } };
  }

  /** `GET /auctions/{auction}/lots`: lots with this buyer's standing in them. */
  async lots({ param, query, signal }: Visit, { reference }: Buyer): Promise<Answer> {
    const { events } = this.#service;
    const search = query.get('search') ?? undefined;
    const [event, page] = await Promise.all([
      events.get(param('auction'), { signal }),
      events.lots(param('auction'), { bidder_reference: reference, search }, { signal }).page(pageOf(query)),
    ]);
    const lots = page.items.map((lot) => this.#shown(event, lot));
    return { status: 200, json: { lots, page: page.page, last_page: page.lastPage } };
  }

  /** `GET /auctions/{auction}/lots/{lot}` */
  async lot({ param, signal }: Visit, { reference }: Buyer): Promise<Answer> {
    const { events } = this.#service;
    const [event, lot] = await Promise.all([
      events.get(param('auction'), { signal }),
      events.lot(param('auction'), param('lot'), { bidder_reference: reference }, { signal }),
    ]);
    return { status: 200, json: this.#shown(event, lot) };
  }

  /**
   * `GET /photos/{link}`: a browser can't sign, so the photo is fetched here and handed on as it comes. The signal
   * ends the download when the browser goes away.
   */
  async photo({ param, signal }: Visit): Promise<Answer> {
    const url = this.#urlBehind(param('link'));
    const photo = await this.#service.media.download(url, { signal }).catch((error: unknown) => {
      // The client signs for nobody but the bank: a lot that shows a stranger's URL has no photo there.
      throw error instanceof InvalidRequestError ? notFound() : error;
    });
    return {
      stream: photo.stream,
      headers: {
        'content-type': photo.contentType ?? 'application/octet-stream',
        'content-disposition': photo.contentDisposition ?? 'attachment',
        'cache-control': String(responseOf(photo).headers['cache-control'] ?? 'private, no-store'),
        // The file is the bank's, and the address is ours: it must not run as a page of ours.
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
        ...(photo.contentLength !== undefined && { 'content-length': String(photo.contentLength) }),
      },
    };
  }

  /**
   * Chosen by name. Private fields of the bank stay here (`vehicle_details` may hold some), and so does
   * `channel_status`: it would tell one buyer of another.
   */
  #shown(event: AuctionEvent, lot: EventLot) {
    return {
      id: lot.id,
      auction_id: lot.auction_id,
      title: lot.vehicle_details?.title,
      registration_number: lot.registration_number,
      make: lot.make,
      model: lot.model,
      year: lot.year,
      region: lot.region,
      details: Object.values(lot.public_fields ?? {}),
      starting_price: lot.starting_price,
      highest_amount: lot.highest_amount,
      own_amount: lot.own_amount,
      own_standing: lot.bidder_status,
      provisional: lot.provisional,
      /** Advice: what would be high enough if nothing moved meanwhile. */
      next_bids: nextBids(bidSituation(event, lot), 3),
      photos: (lot.images ?? []).map((url) => `/photos/${this.#linkTo(url)}`),
    };
  }

  /**
   * `media.download` fetches anything of the bank, so a URL of the browser's choice could be another buyer's sale. Only
   * links that this platform gave out are followed.
   */
  #linkTo(url: string): string {
    return `${Buffer.from(url).toString('base64url')}.${this.#seal(url)}`;
  }

  #urlBehind(link: string): string {
    const [encoded = '', seal = ''] = link.split('.');
    const url = Buffer.from(encoded, 'base64url').toString();
    const right = this.#seal(url);
    if (seal.length !== right.length || !timingSafeEqual(Buffer.from(seal), Buffer.from(right))) {
      throw notFound();
    }
    return url;
  }

  #seal(url: string): string {
    return createHmac('sha256', this.#linkSecret).update(url).digest('base64url');
  }
}
