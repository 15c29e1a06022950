import { inspect, isDeepStrictEqual } from 'node:util';
import type { Sandbox, SandboxCredentials, WireRecord } from '../../../src/sandbox/index.js';
import { type Got, get, send } from '../caller.js';
import { paise } from './money.js';

/** A workflow record. */
export interface Kept extends WireRecord {
  // biome-ignore lint/suspicious/noExplicitAny: the fields depend on the kind, and checks compare them one by one
  readonly data: any;
}

export interface PlacedBid {
  readonly who: SandboxCredentials;
  readonly lotId: string;
  readonly amount: bigint;
  readonly accepted: boolean;
  readonly reference: string | null;
}

/** Something that may never be, and was. */
export class Broken extends Error {}

/** One random history of a sandbox: who takes part, what was tried, and what everybody was told. */
export class Play {
  readonly sandbox: Sandbox;
  readonly labels = ['live-open', 'live-closed', 'live-legacy', 'live-no-grid'];
  readonly lots: readonly { readonly id: string; readonly startingPrice: string; readonly label: string }[];
  readonly partners: readonly SandboxCredentials[];
  readonly everybody: readonly SandboxCredentials[];
  readonly bids = new Map<string, PlacedBid>();
  /** The sale of a record that doesn't name it, by the ids of both. */
  readonly saleByRecord = new Map<string, string>();
  /** Ids of the sales of which nothing is due any more. */
  readonly paid = new Set<string>();
  readonly sent: { who: SandboxCredentials; path: string; text: string; key: string; data: string }[] = [];
  readonly #told = new Map<string, string[]>();
  readonly #plates = new Map<string, string>();
  #keys = 0;

  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
    const { dealer, rival, platform, bank, otherBank } = sandbox.credentials;
    this.partners = [dealer, rival, platform];
    this.everybody = [...this.partners, bank, otherBank];
    this.lots = this.labels.flatMap((label) =>
      sandbox.auctions
        .get(label)
        .lots.slice(0, 2)
        .map(({ id, startingPrice }) => ({ id, startingPrice, label })),
    );
  }

  /** Reads the plates, which a collection must name. */
  async begin(): Promise<void> {
    for (const lot of this.lots) {
      const { json } = await this.read(this.sandbox.credentials.dealer, `vehicles/${lot.id}`);
      this.#plates.set(lot.id, json.data.vehicle_details.registration_number);
    }
  }

  async read(who: SandboxCredentials, path: string, query = ''): Promise<Got> {
    const got = await get(this.sandbox, who, `/api/v1/${path}`, query);
    this.heard(who, got);
    return got;
  }

  async post(who: SandboxCredentials, path: string, body: Readonly<Record<string, unknown>>): Promise<Got> {
    const got = await send(this.sandbox, who, { path: `/api/v1/${path}`, body });
    this.heard(who, got);
    return got;
  }

  /** Keeps what a party was told, to see that nothing of another one's is in it. */
  heard(who: SandboxCredentials, { text }: Got): void {
    const told = this.#told.get(who.clientId) ?? [];
    this.#told.set(who.clientId, told);
    told.push(text);
  }

  /** Everything a party was told since the last call. */
  told(who: SandboxCredentials): string {
    const told = (this.#told.get(who.clientId) ?? []).join('\n');
    this.#told.delete(who.clientId);
    return told;
  }

  /** The records of a kind, oldest first. */
  all(kind: string): Kept[] {
    return this.sandbox.records(kind);
  }

  /** The sale that a record is about, where it is known. */
  saleOf({ id, data }: Kept): Kept | undefined {
    const saleId = data.sale_id ?? this.saleByRecord.get(id);
    return this.all('sale').find((sale) => sale.id === saleId);
  }

  /** The increment of a lot's auction in paise; a rupee where there is none. */
  stepOf(lotId: string): bigint {
    const lot = this.lots.find(({ id }) => id === lotId);
    const increment = paise(this.sandbox.auctions.get(lot?.label ?? '').increment);
    return increment === 0n ? 100n : increment;
  }

  plateOf(lotId: string): string {
    return this.#plates.get(lotId) ?? 'none';
  }

  /** Keys that come out the same for the same history. */
  nextKey(): string {
    this.#keys += 1;
    return `00000000-0000-4000-8000-${String(this.#keys).padStart(12, '0')}`;
  }

  must(holds: boolean, what: string): asserts holds {
    if (!holds) throw new Broken(what);
  }

  expect(found: unknown, expected: unknown, what: string): void {
    if (isDeepStrictEqual(found, expected)) return;
    const [is, shouldBe] = [found, expected].map((value) => inspect(value, { depth: 9 }));
    throw new Broken(`${what}: ${is} is not ${shouldBe}`);
  }
}
