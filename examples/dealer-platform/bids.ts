import { isAmount, type PartnerClient, VehicleAuctionError } from 'vehicle-auction-sdk';
import { type Answer, type Buyer, pageOf, requestIdOf, textOf, type Visit } from './http.js';
import { httpStatuses, inDoubt, notFound, Problem, type Told, toldOf } from './outcomes.js';
import type { IntentOf, Store } from './store.js';

type BidIntent = IntentOf<'bid'>;

/** A click that is repeated later than this sends nothing any more: the bid is only looked up. */
const resendForMs = 2 * 60_000;
/** A copy can be let in for 300 s by the clock that stamped it; after this none is under way any more. */
const noCopyLeftMs = 15 * 60_000;

/**
 * The buyers' bids. One request id of a buyer is one bid: its idempotency key is on disk before the bid leaves, so a
 * double click, a lost reply and a crash all come back to the same bid.
 */
export class Bids {
  readonly #bids: PartnerClient<'platform'>['bids'];
  readonly #store: Store;
  readonly #now: () => number;
  readonly #log: (line: string) => void;

  constructor(
    { bids }: Pick<PartnerClient<'platform'>, 'bids'>,
    store: Store,
    now: () => number,
    log: (line: string) => void,
  ) {
    this.#bids = bids;
    this.#store = store;
    this.#now = now;
    this.#log = log;
  }

  /** `POST /lots/{lot}/bids` with `request_id` and `amount`. */
  async place({ param, body }: Visit, { reference }: Buyer): Promise<Answer> {
    const fields = await body();
    const requestId = requestIdOf(fields);
    const amount = textOf(fields, 'amount');
    if (!isAmount(amount)) {
      throw new Problem(400, 'invalid', 'An amount is a text such as "465000" or "465000.50".', {
        fields: ['amount'],
      });
    }
    const what = { kind: 'bid', lot: param('lot'), amount } as const;
    return this.#store.inTurn(reference, requestId, async () => {
      const intent = await this.#store.claim(reference, requestId, what, this.#now());
      return answer(await this.#proceed(intent));
    });
  }

  /** `GET /bids/requests/{request}`: what became of it; where that isn't known, by looking it up now. */
  async status({ param }: Visit, { reference }: Buyer): Promise<Answer> {
    return this.#store.inTurn(reference, param('request'), async () => {
      const intent = this.#store.find('bid', reference, param('request'));
      if (intent === undefined) throw notFound();
      return answer(isOpen(intent) ? await this.#lookUp(intent) : intent);
    });
  }

  /** `GET /bids`: every bid of this buyer that the bank has recorded. */
  async list({ query, signal }: Visit, { reference }: Buyer): Promise<Answer> {
    const pager = this.#bids.list({ bidder_reference: reference }, { signal });
    const page = await pager.page(pageOf(query));
    const lots = new Map(this.#store.intents('bid').map(({ told, what }) => [told?.['bid_id'], what.lot]));
    const bids = page.items
      // Asked for, and checked all the same: it is what keeps buyers apart.
      .filter(({ bidder_reference }) => bidder_reference === reference)
      .map(({ public_id, amount, status }) => ({
        id: public_id,
        lot_id: lots.get(public_id),
        amount,
        status,
      }));
    return { status: 200, json: { bids, page: page.page, last_page: page.lastPage } };
  }

  /** Settles what a crash or the network left open: by looking, never by bidding. */
  async settle(): Promise<void> {
    for (const { buyer, requestId } of this.#store.intents('bid').filter(isOpen)) {
      await this.#store.inTurn(buyer, requestId, async () => {
        const intent = this.#store.find('bid', buyer, requestId);
        if (intent === undefined || !isOpen(intent)) return;
        const { key, told, what } = await this.#lookUp(intent);
        if (told === undefined || told.status === 'unknown') return;
        const text = `Your bid of INR ${what.amount}, which was in doubt, is settled. ${told.message}`;
        await this.#store.tell({ id: `bid ${key}`, buyer, at: this.#now(), text, lot_id: what.lot });
      });
    }
  }

  async #proceed(intent: BidIntent): Promise<BidIntent> {
    const now = this.#now();
    switch (intent.told?.status) {
      case undefined:
        return this.#send(intent);
      case 'unknown':
        return now - intent.at <= resendForMs ? this.#send(intent) : this.#lookUp(intent);
      case 'not_sent':
      case 'refused': {
        // Nothing was recorded, so this is a fresh start under the same key.
        const { told: _, ...fresh } = intent;
        return this.#send(await this.#store.keep({ ...fresh, at: now }));
      }
      default:
        return intent;
    }
  }

  /** The same bytes under the same key each time. No signal: a browser that goes away takes no bid back. */
  async #send(intent: BidIntent): Promise<BidIntent> {
    const { what, buyer, key, told } = intent;
    try {
      const receipt = await this.#bids.submit(what.lot, {
        amount: what.amount,
        bidder_reference: buyer,
        idempotency_key: key,
      });
      return await this.#tell(intent, {
        status: 'accepted',
        message: 'Accepted, provisionally. Whether you have bought it is for the bank to decide.',
        bid_id: receipt.bid_id,
        standing: receipt.bidder_status,
        highest_amount: receipt.highest_amount,
        closes_at: receipt.effective_close_at,
        /** True where the bank had it already: an answer was lost on the way, and no second bid was made. */
        replayed: receipt.replayed === true,
      });
    } catch (error) {
      if (!(error instanceof VehicleAuctionError)) throw error;
      if (error.outcome !== 'rejected') this.#log(`bid ${key}: ${error.message}`);
      return this.#tell(intent, toldOf(error, told !== undefined));
    }
  }

  async #lookUp(intent: BidIntent): Promise<BidIntent> {
    const doubted = { ...intent, told: inDoubt };
    try {
      const { state } = await this.#bids.lookup(intent.key);
      // It is recorded, so the same bytes bring back the record, with every code of a rejection.
      if (state === 'accepted' || state === 'rejected') return await this.#send(doubted);
      if (state === 'absent' && this.#now() - intent.at > noCopyLeftMs) {
        return await this.#tell(intent, {
          status: 'not_recorded',
          message: 'The bank has no record of this bid. If you still want it, bid under a new request_id.',
        });
      }
    } catch (error) {
      if (!(error instanceof VehicleAuctionError)) throw error;
      this.#log(`bid ${intent.key}: ${error.message}`); // no answer says nothing about the bid
    }
    return doubted;
  }

  #tell(intent: BidIntent, told: Told): Promise<BidIntent> {
    return this.#store.keep({ ...intent, told });
  }
}

function isOpen({ told }: BidIntent): boolean {
  return told === undefined || told.status === 'unknown';
}

function answer({ requestId, what, told }: BidIntent): Answer {
  if (told === undefined) throw notFound();
  const { lot, amount } = what;
  return { status: httpStatuses[told.status], json: { request_id: requestId, lot_id: lot, amount, ...told } };
}
