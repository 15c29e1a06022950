import { onTestFinished } from 'vitest';
import { recordKinds } from '../../src/api/operation.js';
import type { Sandbox, SandboxCredentials, SandboxOptions, WireRecord } from '../../src/sandbox/index.js';
import { type Got, get, onManualClock } from './caller.js';
import { command, done, type SoldLot, type Winning, wonLot } from './workflow.js';

type Body = Readonly<Record<string, unknown>>;

/** A command as it would be carried out next: `{kind}` in the path is the newest record of that kind. */
interface Act {
  readonly by: 'bank' | 'buyer';
  /** Under `/api/v1/`. */
  readonly path: string;
  readonly body: Body | ((story: Story) => Body);
}
const bank = (path: string, body: Act['body'] = {}): Act => ({ by: 'bank', path, body });
const buyer = (path: string, body: Act['body'] = {}): Act => ({ by: 'buyer', path, body });

const yes = { decision: 'approved', reason: 'Checked' };
const no = { decision: 'rejected', reason: 'Not this time' };
const because = { reason_code: 'R7', explanation: 'As agreed by phone' };
const vehicle = {
  title: 'Swift VXI 2019',
  external_id: 'LN-90017',
  schema_version: 'vehicles-4',
  values: { fld_1001: 'KA25MB1187', fld_1041: 'Petrol', fld_1042: 48_200 },
};

/** Every workflow command, and what a bank may say instead of yes. */
export const acts = {
  approve: bank('sale-cases/{sale}/decisions', (story) => {
    const offer = story.all('offer').findLast(({ state }) => state === 'accepted');
    return {
      ...yes,
      bid_id: story.sold.bidId,
      terms_version: offer?.data['terms_version'] ?? 'T1',
      due_at: story.in(7),
      payee_instructions: 'NEFT to 000111222333, IFSC EXMP0000001',
      ...(offer && { offer_id: offer.id }),
    };
  }),
  reject: bank('sale-cases/{sale}/decisions', no),
  acknowledge: buyer('sale-cases/{sale}/acknowledgments', (story) => ({
    terms_version: story.newest('sale').data['terms_version'] ?? 'T1',
  })),
  offer: bank('sale-cases/{sale}/offers', (story) => ({
    amount: '310000.50',
    currency: 'INR',
    terms_version: 'T7',
    valid_until: story.in(1),
    reason: 'Below the reserve',
  })),
  accept: buyer('offers/{offer}/responses', { decision: 'accepted', terms_version: 'T7', reason: 'Good' }),
  decline: buyer('offers/{offer}/responses', { decision: 'declined', terms_version: 'T7', reason: 'Much' }),
  cancelBid: buyer('bids/{bid}/cancellation-requests', because),
  approveBidCancellation: bank('bid-cancellation-requests/{cancellation}/decisions', yes),
  rejectBidCancellation: bank('bid-cancellation-requests/{cancellation}/decisions', no),
  cancelSale: buyer('sale-cases/{sale}/cancellation-requests', because),
  approveCancellation: bank('sale-cancellation-requests/{sale_cancellation}/decisions', yes),
  rejectCancellation: bank('sale-cancellation-requests/{sale_cancellation}/decisions', no),
  report: buyer('payment-reports', (story) => ({
    sale_id: story.sold.saleId,
    amount: story.sold.amount,
    currency: 'INR',
    method: 'bank_transfer',
    utr: `U-${story.sold.saleId}-${story.all('payment_report').filter(({ state }) => state !== 'rejected').length}`,
    paid_at: story.in(0),
    external_reference: 'ERP-88',
  })),
  verify: bank('payment-reports/{payment_report}/decisions', (story) => {
    const { id: bank_receipt_id, data } = story.newest('bank_receipt');
    const { bank_account_reference, amount: received_amount, currency } = data;
    const shown = { bank_receipt_id, bank_account_reference, received_amount, currency };
    return { decision: 'verified', reason: 'Found', ...shown };
  }),
  rejectReport: bank('payment-reports/{payment_report}/decisions', no),
  import: bank('bank-receipts/imports', (story) => {
    const nth = story.all('bank_receipt').length;
    const own = `${story.sold.saleId}-${nth}`;
    return {
      sale_id: story.sold.saleId,
      bank_account_reference: 'COLLECTION-7',
      utr: `U-${own}`,
      external_transaction_id: `S-${own}`,
      amount: story.sold.amount,
      currency: 'INR',
      value_date: '2026-03-01',
    };
  }),
  allocate: bank('payments/{payment}/allocations', ({ sold }) => ({
    sale_id: sold.saleId,
    amount: sold.amount,
  })),
  askBack: buyer('payments/{payment}/refund-requests', { amount: '200.50', reason: 'Paid twice' }),
  approveRefund: bank('refund-requests/{refund_request}/decisions', yes),
  rejectRefund: bank('refund-requests/{refund_request}/decisions', no),
  dispute: buyer('disputes', ({ sold }) => ({ sale_id: sold.saleId, ...because })),
  release: bank('sale-cases/{sale}/release-authorizations', (story) => ({
    recipient: { name: 'R. Iyer', id_proof: 'DL-7701' },
    yard: 'Unity Vehicle Park, Hubballi',
    expires_at: story.in(3),
    collection_date: '2026-03-02',
  })),
  revoke: bank('release-authorizations/{release}/revocations', { reason: 'Another day' }),
  collect: bank('release-authorizations/{release}/collections', (story) => ({
    collector: 'R. Iyer',
    vehicle_identity: story.plate,
  })),
  transfer: bank('sale-cases/{sale}/transfer-updates', (story) => ({
    status: 'submitted',
    responsible_party: { name: 'R. Iyer', office: 'RTO Hubballi' },
    reason: 'Form 29 handed in',
    document_checklist: ['Form 29', 'Form 30'],
    occurred_at: story.in(0),
  })),
  read: buyer('notifications/{notification}/acknowledgments', { status: 'read', external_reference: 'T-1' }),
  upload: buyer('document-uploads', ({ sold }) => ({
    sale_id: sold.saleId,
    purpose: 'payment_evidence',
    filename: 'slip.pdf',
    content_base64: 'YWJj',
  })),
  createVehicle: bank('bank/inventory/vehicles', vehicle),
  updateVehicle: bank('bank/inventory/vehicles/{inventory_vehicle}', {
    _method: 'PATCH',
    title: 'Other',
    values: {},
  }),
} satisfies Record<string, Act>;
export type ActName = keyof typeof acts;

/** A lot that was won, and what bank and buyer do about its sale. */
export class Story {
  readonly sandbox: Sandbox;
  readonly sold: SoldLot;
  /** The registration number of the vehicle. */
  readonly plate: string;

  constructor(sandbox: Sandbox, sold: SoldLot, plate: string) {
    this.sandbox = sandbox;
    this.sold = sold;
    this.plate = plate;
  }

  /** Another lot that was won in the same sandbox, and whose sale went as far as these commands. */
  another(winning: Winning, ...names: readonly ActName[]): Promise<Story> {
    return wonIn(this.sandbox, winning, names);
  }

  /** Records of a kind, oldest first; those of this sale, where they say of which they are. */
  all(kind: string): WireRecord[] {
    const { saleId, lotId } = this.sold;
    const isOurs = ({ id, data }: WireRecord) => {
      if (kind === 'sale') return id === saleId;
      if (kind === 'inventory_vehicle') return data['lot_id'] === null || data['lot_id'] === lotId;
      return data['sale_id'] === undefined || data['sale_id'] === saleId;
    };
    return this.sandbox.records(kind).filter(isOurs);
  }

  newest(kind: string): WireRecord {
    const found = this.all(kind).at(-1);
    if (found === undefined) throw new Error(`no ${kind} yet`);
    return found;
  }

  /** The path of a command under `/api/v1/`; undefined where there is no such record yet. */
  async path(name: ActName): Promise<string | undefined> {
    const { path } = acts[name];
    const kind = /\{(.*)\}/.exec(path)?.[1];
    if (kind === undefined) return path;
    let id = kind === 'bid' ? this.sold.bidId : this.all(kind).at(-1)?.id;
    if (kind === 'notification') id = (await this.read('notifications', this.sold.who))[0].id;
    return id && path.replace(/\{.*\}/, id);
  }

  /** Body of a command, with the version of the record that it is on. */
  body(name: ActName): Body {
    const { path, body }: Act = acts[name];
    const content = typeof body === 'function' ? body(this) : body;
    const kind = /\{(?!bid|notification)(.*)\}/.exec(path)?.[1];
    return kind === undefined
      ? content
      : { ...content, expected_version: this.newest(kind).resource_version };
  }

  /** Sends a command as it would be carried out now, but for `change`. */
  async send(name: ActName, change: Body = {}, who = this.sender(name)): Promise<Got> {
    return this.sendTo((await this.path(name)) ?? 'none', name, change, who);
  }

  /** The same to another path under `/api/v1/`. */
  sendTo(path: string, name: ActName, change: Body = {}, who = this.sender(name)): Promise<Got> {
    const body = { ...this.body(name), ...change };
    const sign = '_method' in body ? { method: 'PATCH' } : undefined;
    return command(this.sandbox, who, `/api/v1/${path}`, body, {}, sign);
  }

  sender(name: ActName): SandboxCredentials {
    return acts[name].by === 'bank' ? this.sandbox.credentials.bank : this.sold.who;
  }

  /** Sends a command that must succeed, and gives its record. */
  do(name: ActName, change: Body = {}, who = this.sender(name)) {
    return done(this.send(name, change, who));
  }

  /** Carries commands out, one after the other. */
  async go(...names: readonly ActName[]): Promise<this> {
    for (const name of names) await this.do(name);
    return this;
  }

  /** An ISO time so many days from now. */
  in(days: number): string {
    return new Date(this.sandbox.clock.now() + days * aDay).toISOString();
  }

  /** The data of a read under `/api/v1/`, to the bank if not told otherwise. */
  async read(path: string, who = this.sandbox.credentials.bank) {
    return (await get(this.sandbox, who, `/api/v1/${path}`)).json.data;
  }

  dues() {
    return this.read(`sale-cases/${this.sold.saleId}/payment-dues`);
  }

  receipts() {
    return this.read(`sale-cases/${this.sold.saleId}/receipts`);
  }

  lotStatus() {
    return this.read(`lots/${this.sold.lotId}/status`, this.sold.who);
  }

  /** The types in an inbox, oldest first. */
  async news(who = this.sandbox.credentials.bank): Promise<string[]> {
    const messages = await this.read('notifications', who);
    return messages.map(({ type }: { type: string }) => type).reverse();
  }

  /** Every record, and the vehicles of the bank. */
  records(): WireRecord[] {
    return [...recordKinds, 'inventory_vehicle'].flatMap((kind) => this.sandbox.records(kind));
  }

  /** Uploads a document, waits until it is scanned, and gives its id. */
  async evidence(): Promise<string> {
    const { id } = await this.do('upload');
    this.sandbox.clock.advance(1_000);
    return id;
  }

  /** Everything that anybody can read of the sale and of these paths, and everything that was recorded. */
  async everything(...paths: readonly string[]) {
    const { bank, dealer, platform } = this.sandbox.credentials;
    const sale = `sale-cases/${this.sold.saleId}`;
    const own = [sale, `${sale}/payment-dues`, `${sale}/receipts`, `${sale}/transfer-status`];
    const lists = ['notifications', 'sale-cases', 'bid-cancellation-requests', 'bids'];
    const seen: unknown[] = [];
    for (const who of [bank, dealer, platform]) {
      for (const path of [...lists, ...own, `lots/${this.sold.lotId}/status`, ...paths]) {
        const { status, json } = await get(this.sandbox, who, `/api/v1/${path}`);
        const { server_time: _, request_id: __, timestamp: ___, ...rest } = json;
        seen.push([who.clientId, path, status, rest]);
      }
    }
    return { seen, ledger: this.sandbox.ledger(), records: this.records() };
  }
}

/** A sandbox in which a lot was won, and these commands were carried out about its sale. Closed with the test. */
export const saleAfter = (...names: readonly ActName[]): Promise<Story> => saleAfterIn({}, ...names);

/** The same in a sandbox with options. */
export async function saleAfterIn(options: SandboxOptions, ...names: readonly ActName[]): Promise<Story> {
  const sandbox = await onManualClock(options);
  return storyOf(sandbox, {}, ...names);
}

/** The same in a sandbox that is there already. */
export function storyOf(sandbox: Sandbox, winning: Winning, ...names: readonly ActName[]): Promise<Story> {
  onTestFinished(() => sandbox.close());
  return wonIn(sandbox, winning, names);
}

async function wonIn(sandbox: Sandbox, winning: Winning, names: readonly ActName[]): Promise<Story> {
  const sold = await wonLot(sandbox, winning);
  const { data } = (await get(sandbox, sold.who, `/api/v1/vehicles/${sold.lotId}`)).json;
  sandbox.vehicleOf(sold.lotId);
  return new Story(sandbox, sold, data.vehicle_details.registration_number).go(...names);
}

/** Money that arrived and was credited in full. */
export const paidFor = ['approve', 'acknowledge', 'import', 'allocate'] as const;

export const aDay = 86_400_000;

/** What an answer says: its status, and its code or the fields that are wrong. */
export const told = ({ status, json }: Got): [status: number, what: string | string[]] => [
  status,
  json.code ?? Object.keys(json.errors ?? json),
];

/** An INR amount plus this. */
export const plusPaise = (amount: string, paise: number) => (Number(amount) + paise / 100).toFixed(2);
