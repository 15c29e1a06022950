import {
  type BidOutcome,
  InvalidRequestError,
  isAmount,
  type Journal,
  type PartnerClient,
} from 'vehicle-auction-sdk';
import { type Answer, type Buyer, pageOf, requestIdOf, textOf, type Visit } from './http.js';
import { keyOf } from './keys.js';
import { httpStatuses, notFound, Problem, type Told, toldOfBid } from './outcomes.js';
import type { Store } from './store.js';

type Service = Pick<PartnerClient<'platform'>, 'bidding' | 'bids' | 'intents'>;

/**
 * The buyers' bids. One request id of a buyer is one bid: its key is made of the two, and the journal has the bid on
 * record before it leaves. So a double click, a lost reply and a crash all come back to the same bid.
 */
export class Bids {
  readonly #service: Service;
  readonly #journal: Pick<Journal, 'find' | 'list'>;
  readonly #store: Store;
  readonly #now: () => number;
  readonly #log: (line: string) => void;

  constructor(
    service: Service,
    journal: Pick<Journal, 'find' | 'list'>,
    store: Store,
    now: () => number,
    log: (line: string) => void,
  ) {
    this.#service = service;
    this.#journal = journal;
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
    const intentId = keyOf('bid', reference, requestId);
    const bid = { lot: param('lot'), amount, bidderReference: reference, intentId };
    // No signal: a browser that goes away takes no bid back.
    const outcome = await this.#service.bidding.place(bid);
    if (outcome.status !== 'accepted' && outcome.status !== 'rejected') {
      this.#log(`bid ${intentId}: ${outcome.what}`);
    }
    return answer(requestId, bid, await this.#told(outcome));
  }

  /** `GET /bids/requests/{request}`: what became of it; where that isn't known, by looking it up now. */
  async status({ param }: Visit, { reference }: Buyer): Promise<Answer> {
    const key = keyOf('bid', reference, param('request'));
    const [stored] = await this.#journal.find(key);
    if (stored?.intent.bid === undefined) throw notFound();
    const outcome = await this.#service.bidding.reconcile(key);
    return answer(param('request'), stored.intent.bid, await this.#told(outcome));
  }

  /** `GET /bids`: every bid of this buyer that the bank has recorded. */
  async list({ query, signal }: Visit, { reference }: Buyer): Promise<Answer> {
    const pager = this.#service.bids.list({ bidder_reference: reference }, { signal });
    const page = await pager.page(pageOf(query));
    const lots = await this.#lotsByBid();
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

  /** Settles what a crash or the network left open, by looking and never by bidding, and tells the buyers. */
  async settle(): Promise<void> {
    const { intents } = this.#service;
    const open = new Map((await intents.list()).map((intent) => [intent.idempotencyKey, intent]));
    for (const outcome of await intents.recover()) {
      const key = outcome.idempotencyKey;
      const { lot, amount, bidderReference: buyer } = open.get(key) ?? {};
      // Commands are recovered as well; those of payments are told where they belong.
      if ('operation' in outcome || lot === undefined || buyer === undefined) continue;
      const told = await this.#told(outcome);
      const id = `bid ${key} ${told.status}`;
      if (told.status === 'unknown' || this.#store.hasTold(id)) continue;
      this.#log(`bid ${key}: ${outcome.what}`);
      const text = `Your bid of INR ${amount}, which was in doubt: ${told.message}`;
      await this.#store.tell({ id, buyer, at: this.#now(), text, lot_id: lot });
    }
  }

  /** What a buyer is told. A bid that is absent for good is let go of, or the buyer could bid on this lot no more. */
  async #told(outcome: BidOutcome): Promise<Told> {
    const told = toldOfBid(outcome);
    if (told.status === 'not_recorded') {
      await this.#service.bidding.abandon(outcome.idempotencyKey, outcome.what).catch((error: unknown) => {
        if (!(error instanceof InvalidRequestError)) throw error; // let go of before, or somebody looks at it again
      });
    }
    return told;
  }

  /** The bank's list names no lots, but the record of a bid in the journal has both. */
  async #lotsByBid(): Promise<ReadonlyMap<unknown, string>> {
    const lots = new Map<unknown, string>();
    for await (const { intent, entries } of this.#journal.list({})) {
      const { bid } = intent;
      for (const entry of entries) {
        if (bid !== undefined && 'record' in entry) lots.set(entry.record?.['bid_id'], bid.lot);
      }
    }
    return lots;
  }
}

function answer(requestId: string, { lot, amount }: { lot: string; amount: string }, told: Told): Answer {
  return { status: httpStatuses[told.status], json: { request_id: requestId, lot_id: lot, amount, ...told } };
}
