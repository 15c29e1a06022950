import { onTestFinished } from 'vitest';
import { recordKinds } from '../../src/api/operation.js';
import type { Sandbox, SandboxCredentials, SandboxOptions, WireRecord } from '../../src/sandbox/index.js';
import { type Got, get, onManualClock } from './caller.js';
import { type Act, type ActName, acts, type Body } from './commands.js';
import { command, done, type SoldLot, type Winning, wonLot } from './workflow.js';

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

export const aDay = 86_400_000;

/** What an answer says: its status, and its code or the fields that are wrong. */
export const told = ({ status, json }: Got): [status: number, what: string | string[]] => [
  status,
  json.code ?? Object.keys(json.errors ?? json),
];

/** An INR amount plus this. */
export const plusPaise = (amount: string, paise: number) => (Number(amount) + paise / 100).toFixed(2);
