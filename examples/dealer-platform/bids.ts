import { isAmount, type PartnerClient } from 'vehicle-auction-sdk';
import { type Answer, type Buyer, pageOf, requestIdOf, textOf, type Visit } from './http.js';
import { keyOf } from './keys.js';
import { httpStatuses, notFound, Problem, type Told, toldOfBid } from './outcomes.js';
import type { Store } from './store.js';

type Service = Pick<PartnerClient<'platform'>, 'bids' | 'intents' | 'recover'>;

/**
 * The buyers' bids. One request id of a buyer is one bid: its key is derived from the two, and the client's store has it on
 * record before it leaves. So a double click, a lost reply and a crash all lead to the same bid.
 */
export class Bids {
  readonly #service: Service;
  readonly #store: Store;
  readonly #now: () => number;
  readonly #log: (line: string) => void;

  constructor(service: Service, store: Store, now: () => number, log: (line: string) => void) {
    this.#service = service;
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
    const idempotencyKey = keyOf('bid', reference, requestId);
    const bid = { lot: param('lot'), amount, bidderReference: reference };
    // No signal: a browser that goes away takes no bid back.
    const outcome = await this.#service.bids.place(bid, { idempotencyKey });
    if (outcome.status !== 'accepted' && outcome.status !== 'rejected') {
      this.#log(`bid ${idempotencyKey}: ${outcome.what}`);
    }
    return answer(requestId, bid, toldOfBid(outcome));
  }

  /** `GET /bids/requests/{request}`: what became of it; where that isn't known, by looking it up now. */
  async status({ param }: Visit, { reference }: Buyer): Promise<Answer> {
    const key = keyOf('bid', reference, param('request'));
    const { intents } = this.#service;
    const { lot, amount } = (await intents.get(key)) ?? {};
    if (lot === undefined || amount === undefined) throw notFound();
    const outcome = await intents.reconcile(key);
    if ('operation' in outcome) throw notFound(); // a command, which no key of a bid is
    return answer(param('request'), { lot, amount }, toldOfBid(outcome));
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
    for (const outcome of await this.#service.recover()) {
      // Commands are recovered, too; those of payments are told where they belong.
      if ('operation' in outcome) continue;
      const { idempotencyKey: key, lot, amount, bidderReference: buyer } = outcome;
      if (lot === undefined || buyer === undefined) continue;
      const told = toldOfBid(outcome);
      const id = `bid ${key} ${told.status}`;
      if (told.status === 'unknown' || this.#store.hasTold(id)) continue;
      this.#log(`bid ${key}: ${outcome.what}`);
      const text = `Your bid of INR ${amount}, which was in doubt: ${told.message}`;
      await this.#store.tell({ id, buyer, at: this.#now(), text, lot_id: lot });
    }
  }

  /** The bank's list names no lots, but the record of each bid has both. */
  async #lotsByBid(): Promise<ReadonlyMap<unknown, string>> {
    const lots = new Map<unknown, string>();
    for (let after = 0; ; ) {
      const intents = await this.#service.intents.list({ which: 'all', after, limit: 1_000 });
      for (const { bidId, lot, position } of intents) {
        if (bidId !== undefined && lot !== undefined) lots.set(bidId, lot);
        after = position;
      }
      if (intents.length < 1_000) return lots;
    }
  }
}

function answer(requestId: string, { lot, amount }: { lot: string; amount: string }, told: Told): Answer {
  return { status: httpStatuses[told.status], json: { request_id: requestId, lot_id: lot, amount, ...told } };
}
