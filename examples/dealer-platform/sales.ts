import { NotFoundError, type PartnerClient, type SaleRecord } from 'vehicle-auction-sdk';
import type { Answer, Buyer, Visit } from './http.js';
import { notFound, Problem } from './outcomes.js';

type Service = Pick<PartnerClient<'platform'>, 'saleCases'>;

/** What a buyer has bought: to read, and to acknowledge. */
export class Sales {
  readonly #sales: Service['saleCases'];

  constructor({ saleCases }: Service) {
    this.#sales = saleCases;
  }

  /** `GET /sales`. The bank lists the sales of the whole platform, so this buyer's are picked out. */
  async list({ signal }: Visit, { reference }: Buyer): Promise<Answer> {
    const all = await this.#sales.list({}, { signal }).toArray();
    const sales = all.filter(({ data }) => data?.bidder_reference === reference).map(shown);
    return { status: 200, json: { sales } };
  }

  /** `GET /sales/{sale}`: with what is due, where the bank says so. */
  async get({ param, signal }: Visit, buyer: Buyer): Promise<Answer> {
    const sale = await ownSale(this.#sales, buyer, param('sale'), signal);
    const dues = await this.#sales.paymentDues(sale.id, { signal }).catch((error: unknown) => {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    });
    const due = dues && {
      amount: dues.due_amount,
      paid: dues.verified_credits,
      remaining: dues.remaining,
      state: dues.state,
      due_at: dues.due_at,
      payee_instructions: dues.payee_instructions,
    };
    return { status: 200, json: { ...shown(sale), due } };
  }

  /**
   * `POST /sales/{sale}/acknowledge` with the `terms_version` that the buyer has read. Nothing is stored for it: the
   * sale itself says whether it is acknowledged, so a repeated click finds it done.
   */
  async acknowledge({ param, body }: Visit, buyer: Buyer): Promise<Answer> {
    const { terms_version } = await body();
    const sale = await ownSale(this.#sales, buyer, param('sale'));
    if (sale.data?.acknowledged_at) return { status: 200, json: shown(sale) };
    const terms = sale.data?.terms_version;
    if (sale.state !== 'approved' || terms === undefined || terms === null) {
      throw new Problem(
        409,
        'not_approved',
        'The bank has not approved this sale, so there is nothing to acknowledge.',
      );
    }
    if (terms_version !== terms) {
      throw new Problem(409, 'other_terms', 'These are not the terms of the sale. Read it again.', {
        terms_version: terms,
      });
    }
    // The record brings its version along: had the sale moved since it was read, this would be refused.
    return { status: 200, json: shown(await this.#sales.acknowledge(sale, { terms_version: terms })) };
  }
}

/** A sale of this buyer. @throws Problem (404) where there is none, or it is another buyer's. */
export async function ownSale(
  sales: Service['saleCases'],
  { reference }: Buyer,
  id: string,
  signal?: AbortSignal,
): Promise<SaleRecord> {
  const sale = await sales.get(id, { signal });
  if (sale.data?.bidder_reference !== reference) throw notFound();
  return sale;
}

function shown({ id, state, data }: SaleRecord) {
  return {
    id,
    state,
    lot_id: data?.lot_id,
    amount: data?.amount,
    terms_version: data?.terms_version,
    acknowledged_at: data?.acknowledged_at,
    due_at: data?.due_at,
  };
}
