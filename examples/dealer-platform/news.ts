import {
  formatInr,
  NotFoundError,
  type PartnerClient,
  type SaleRecord,
  type WinnerUpdate,
} from 'vehicle-auction-sdk';
import { type Answer, type Buyer, pageOf, type Visit } from './http.js';
import type { Store } from './store.js';

type Service = Pick<PartnerClient<'platform'>, 'winnerUpdates' | 'saleCases' | 'notifications'>;

/** What the bank has to say, and who gets to hear it. */
export class News {
  readonly #service: Service;
  readonly #store: Store;
  readonly #buyers: ReadonlySet<string>;
  readonly #now: () => number;
  readonly #log: (line: string) => void;

  constructor(
    service: Service,
    store: Store,
    buyers: readonly Buyer[],
    now: () => number,
    log: (line: string) => void,
  ) {
    this.#service = service;
    this.#store = store;
    this.#buyers = new Set(buyers.map(({ reference }) => reference));
    this.#now = now;
    this.#log = log;
  }

  /** Reads the winner updates that are new, and tells each buyer of its sales. */
  async follow(signal?: AbortSignal): Promise<void> {
    const { winnerUpdates } = this.#service;
    const updates = winnerUpdates.list({ after: this.#store.cursor, limit: 50 }, { lane: 'poll', signal });
    for await (const page of updates.pages()) {
      for (const sale of await this.#salesOf(page.items, signal)) await this.#tell(sale);
      // Only now: what a crash cuts short comes again, and what has been told already is passed over.
      if (page.nextCursor !== undefined) await this.#store.moveTo(page.nextCursor);
    }
  }

  /** `GET /inbox`: what this platform has told this buyer. */
  async inbox(_: Visit, { reference }: Buyer): Promise<Answer> {
    const messages = this.#store.messagesTo(reference).map(({ id, at, text, sale_id, lot_id }) => ({
      id,
      at: new Date(at).toISOString(),
      text,
      sale_id,
      lot_id,
    }));
    return { status: 200, json: { messages } };
  }

  /**
   * `GET /operator/inbox`: the bank's messages. They are for the platform as a whole and name no buyer in a field of
   * their own, so none of them is passed on: a headline may tell one buyer of another.
   */
  async operatorInbox({ query, signal }: Visit): Promise<Answer> {
    const page = await this.#service.notifications.list({}, { signal }).page(pageOf(query));
    return { status: 200, json: { messages: page.items, page: page.page, last_page: page.lastPage } };
  }

  /** `POST /operator/inbox/{message}/read`: has been read, says the platform. It approves nothing. */
  async operatorRead({ param }: Visit): Promise<Answer> {
    const { state } = await this.#service.notifications.acknowledge(param('message'), { status: 'read' });
    return { status: 200, json: { id: param('message'), state } };
  }

  /**
   * The sales that updates are about, as they are by now. Where one doesn't say which, all sales are looked through:
   * slower, and nothing is missed.
   */
  async #salesOf(updates: readonly WinnerUpdate[], signal?: AbortSignal): Promise<SaleRecord[]> {
    const { saleCases } = this.#service;
    const sales: SaleRecord[] = [];
    for (const id of new Set(updates.map(saleIdOf))) {
      if (id === undefined) {
        for await (const sale of saleCases.list({}, { lane: 'poll', signal })) {
          if (sale.state === 'approved') sales.push(sale);
        }
      } else if (!this.#store.hasTold(newsOf(id))) {
        const sale = await saleCases.get(id, { lane: 'poll', signal }).catch(unlessGone);
        if (sale !== undefined) sales.push(sale);
      }
    }
    return sales;
  }

  async #tell({ id, state, data }: SaleRecord): Promise<void> {
    const buyer = data?.bidder_reference ?? '';
    if (!this.#buyers.has(buyer)) {
      return this.#log(`sale ${id} is of a buyer that is not known here: "${buyer}"`);
    }
    const price = data?.amount === undefined ? '' : ` for ${formatInr(data.amount)}`;
    await this.#store.tell({
      id: newsOf(id),
      buyer,
      at: this.#now(),
      text:
        state === 'approved'
          ? `The bank has approved your purchase${price}. Read the terms of the sale and acknowledge them.`
          : `The bank has decided on your purchase${price}. It is "${state}" by now.`,
      sale_id: id,
      ...(data?.lot_id !== undefined && { lot_id: data.lot_id }),
    });
  }
}

/**
 * The API shows no fields of an update, but says that it tells of the same decision as a `sale.approved` webhook: so
 * the id is looked for where that has it.
 */
function saleIdOf(update: WinnerUpdate): string | undefined {
  const body = { ...update, ...Object(update['data']) };
  const id: unknown = Object(body.sale).id ?? body.resource_id;
  return typeof id === 'string' ? id : undefined;
}

/** A sale is approved once, so this is told once, from however many updates and webhooks it is learnt. */
function newsOf(saleId: string): string {
  return `approved ${saleId}`;
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error;
}
