import type { Operation } from '../../api/operation.js';
import { service } from '../../api/service.js';
import { interestIn, placeDirectly } from '../auctions/bidding.js';
import { AuctionControls } from '../auctions/controls.js';
import { rupees } from '../money.js';
import type { Party } from '../parties.js';
import type { Data, Kind, Rec, WireRecord } from '../records.js';
import type { SeededParties } from '../seed/parties.js';
import type { PartnerName } from '../seed/seed.js';
import { isoTime } from '../times.js';
import { subscribable } from '../webhooks/webhooks.js';
import type { World } from '../world.js';
import { BankActor, BuyerActor } from './bank-and-buyer.js';
import { mustTakeRejections, perform, performAsBank, reject, setState } from './perform.js';

const { bids, disputes, payments, paymentReports, saleCases } = service;

/** A type of event or message, and the shortest story that emits it. */
interface Story {
  readonly type: string;
  /** State of the sale at the end; defaults to `approved`. Null if there is no sale. */
  readonly sale?: string | null;
  run(stage: Stage): unknown;
}

/** An event type that the sandbox can emit. */
export interface EmittedType {
  readonly type: string;
  /** Where it arrives; nowhere for the bare award. */
  readonly arrives: readonly ('inbox' | 'webhook')[];
  /** State of the sale at the end of its story. Null if there is no sale. */
  readonly sale: string | null;
}

/** Result of a story. */
export interface StoryResult {
  readonly type: string;
  readonly auctionId: string;
  readonly lotId: string;
  /** Null before the award. */
  readonly saleId: string | null;
  readonly saleState: string | null;
}

/** All types that a story can emit. */
export function emittedTypes(): EmittedType[] {
  return stories.map(({ type, sale = 'approved' }) => {
    const isInbox = type !== AWARD && type !== 'auction.schedule_changed';
    const arrives = [isInbox && 'inbox', subscribable.has(type) && 'webhook'] as const;
    return { type, arrives: arrives.filter((where) => where !== false), sale };
  });
}

/**
 * Emits an event type through its shortest story, in a new auction with one lot that `buyer` bids on. Stories about
 * deadlines move the clock by two seconds. Throws a RangeError for an unknown type or a refused bid, and an
 * ActorRefusedError if the service refuses a step.
 */
export function runStory(
  world: World,
  parties: SeededParties,
  type: string,
  buyer: PartnerName,
): StoryResult {
  const story = stories.find((each) => each.type === type);
  if (story === undefined) {
    const types = stories.map((each) => each.type).join(', ');
    throw new RangeError(`No event has the type ${JSON.stringify(type)}. Types: ${types}.`);
  }
  if (type.endsWith('rejected')) mustTakeRejections(world);
  const stage = new Stage(world, parties, buyer);
  story.run(stage);
  const { auctionId, lotId } = stage;
  const lot = world.store.lots.get(lotId);
  const sale = lot && world.flow.salesOf(lot).at(-1);
  return { type, auctionId, lotId, saleId: sale?.id ?? null, saleState: sale?.state ?? null };
}

/** A new auction with one bid, and the steps that stories share. */
class Stage {
  readonly auctionId: string;
  readonly lotId: string;
  readonly auctions: AuctionControls;
  readonly bank: BankActor;
  readonly buyer: BuyerActor;
  readonly #world: World;
  readonly #party: Party;
  readonly #bid: Rec;

  constructor(world: World, parties: SeededParties, buyer: PartnerName) {
    this.#world = world;
    this.#party = parties[buyer];
    this.bank = new BankActor(world);
    this.buyer = new BuyerActor(world);
    this.auctions = new AuctionControls(world, parties);
    const label = `trigger-${world.store.auctions.size + 1}`;
    const schedule = { opens: -1, closes: 60, assigned: [buyer] };
    const terms = { name: 'Triggered event', bid_type: 'open', increment: '5000' } as const;
    const { id, lots } = this.auctions.add({ label, ...terms, ...schedule, lots: 1 });
    this.auctionId = id;
    const lot = world.store.lots.get(lots[0]?.id ?? '');
    if (lot === undefined) throw new Error(`${label} has no lot`);
    this.lotId = lot.id;
    const reference = this.#party.partnerType === 'direct_dealer' ? undefined : 'buyer-1';
    const outcome = placeDirectly(world, {
      ...interestIn(this.#party, lot, reference),
      amount: lot.startingPrice,
    });
    if (outcome.status !== 'accepted')
      throw new RangeError(`The bid of the ${buyer} was not accepted: ${outcome.codes.join(', ')}.`);
    this.#bid = outcome.bid;
  }

  won(): this {
    this.auctions.close(this.auctionId);
    return this;
  }

  approved(dueIn?: number): this {
    this.won().bank.approve(this.lotId, dueIn === undefined ? {} : { dueIn });
    return this;
  }

  settled(): this {
    this.approved().bank.settle(this.lotId);
    return this;
  }

  released(validFor?: number): this {
    this.approved().buyer.acknowledge(this.lotId);
    this.bank.settle(this.lotId);
    this.bank.release(this.lotId, validFor === undefined ? {} : { validFor });
    return this;
  }

  offered(validFor?: number): this {
    const amount = rupees(this.won().#sale.bid.amount + 1_000_00n);
    this.bank.offer(this.lotId, { amount, ...(validFor !== undefined && { validFor }) });
    return this;
  }

  /** Asks for the cancellation of the bid. */
  bidCancellation(): WireRecord {
    return this.#asBuyer(bids.operations.requestCancellation, this.#bid, because);
  }

  saleCancellation(): WireRecord {
    return this.approved().#asBuyer(saleCases.operations.requestCancellation, this.#sale, because);
  }

  dispute(): WireRecord {
    return this.won().#asBuyer(disputes.operations.create, this.#sale, {
      sale_id: this.#sale.id,
      ...because,
    });
  }

  /** Asks for a refund of a received payment. */
  refundRequest(): WireRecord {
    const { amount } = this.approved().bank.receive(this.lotId).receipt.data;
    const body = { amount, reason: 'Paid twice.' };
    return this.#asBuyer(payments.operations.requestRefund, this.#latest('payment'), body);
  }

  refund(...states: readonly string[]): void {
    this.set(this.refundRequest(), 'approved');
    for (const state of states) setState(this.#world, this.#latest('refund').id, state);
  }

  rejectReport(): void {
    this.approved().buyer.report(this.lotId);
    reject(this.#world, this.#latest('payment_report'), paymentReports.operations.decide);
  }

  transfer(): WireRecord {
    return performAsBank(this.approved().#world, this.#sale, saleCases.operations.updateTransfer, {
      status: 'submitted',
      responsible_party: 'Agent of the buyer',
      reason: 'The form was handed in.',
      document_checklist: ['Form 29', 'Form 30'],
      occurred_at: isoTime(this.#world.clock.now()),
    });
  }

  set({ id }: WireRecord, state: string): void {
    setState(this.#world, id, state);
  }

  advance(ms: number): void {
    this.#world.clock.advance(ms);
  }

  revoke(): void {
    setState(this.#world, this.released().#latest('release').id, 'revoked');
  }

  get #sale() {
    const sale = this.#world.flow.sales().find(({ bid }) => bid === this.#bid);
    if (sale === undefined) throw new RangeError(`The auction ${this.auctionId} awarded no sale.`);
    return sale;
  }

  #latest(kind: Kind): Rec {
    const found = this.#world.flow.of(kind, this.#sale).at(-1);
    if (found === undefined) throw new Error(`${this.#sale.id} has no ${kind}`);
    return found;
  }

  #asBuyer(operation: Operation, on: Rec, body: Data): WireRecord {
    return perform(this.#world, this.#party, operation, on, body);
  }
}

const because = { reason_code: 'BUYER_REQUEST', explanation: 'The buyer asked for it.' };
const day = 86_400_000;
const second = 1_000;

/** The story that ends with a sale for the bank to decide. It emits nothing. */
const AWARD = 'award';
const pending = 'pending_bank_approval';

const stories: readonly Story[] = [
  { type: AWARD, sale: pending, run: (s) => s.won() },
  { type: 'auction.schedule_changed', sale: null, run: (s) => s.auctions.extend(s.auctionId, 60 * second) },
  { type: 'bid.cancellation_requested', sale: null, run: (s) => s.bidCancellation() },
  { type: 'bid.cancellation_approved', sale: null, run: (s) => s.set(s.bidCancellation(), 'approved') },
  { type: 'bid.cancellation_rejected', sale: null, run: (s) => s.set(s.bidCancellation(), 'rejected') },
  { type: 'offer.made', sale: pending, run: (s) => s.offered() },
  { type: 'offer.accepted', sale: pending, run: (s) => s.offered().buyer.respond(s.lotId, 'accepted') },
  { type: 'offer.declined', sale: pending, run: (s) => s.offered().buyer.respond(s.lotId, 'declined') },
  { type: 'offer.superseded', sale: pending, run: (s) => s.offered().offered() },
  { type: 'offer.expired', sale: pending, run: (s) => s.offered(second).advance(2 * second) },
  { type: 'sale.approved', run: (s) => s.approved() },
  { type: 'sale.rejected', sale: 'rejected', run: (s) => s.won().bank.reject(s.lotId) },
  { type: 'sale.acknowledged', run: (s) => s.approved().buyer.acknowledge(s.lotId) },
  { type: 'sale.cancellation_requested', run: (s) => s.saleCancellation() },
  {
    type: 'sale.cancellation_approved',
    sale: 'cancelled',
    run: (s) => s.set(s.saleCancellation(), 'approved'),
  },
  { type: 'sale.cancellation_rejected', run: (s) => s.set(s.saleCancellation(), 'rejected') },
  { type: 'sale.payment_due', run: (s) => s.approved(day + second).advance(2 * second) },
  { type: 'sale.payment_status_changed', run: (s) => s.settled() },
  { type: 'payment.reported', run: (s) => s.approved().buyer.report(s.lotId) },
  {
    type: 'payment.verified',
    run: (s) => {
      s.approved().buyer.report(s.lotId);
      s.bank.settle(s.lotId);
    },
  },
  { type: 'payment.rejected', run: (s) => s.rejectReport() },
  { type: 'payment.allocated', run: (s) => s.settled() },
  { type: 'refund.requested', run: (s) => s.refundRequest() },
  { type: 'refund.approved', run: (s) => s.refund() },
  { type: 'refund.rejected', run: (s) => s.set(s.refundRequest(), 'rejected') },
  { type: 'refund.processing', run: (s) => s.refund('processing') },
  { type: 'refund.succeeded', run: (s) => s.refund('succeeded') },
  { type: 'refund.failed', run: (s) => s.refund('failed') },
  { type: 'dispute.opened', sale: pending, run: (s) => s.dispute() },
  { type: 'dispute.resolved', sale: pending, run: (s) => s.set(s.dispute(), 'resolved') },
  { type: 'release.authorized', run: (s) => s.released() },
  { type: 'release.revoked', run: (s) => s.revoke() },
  { type: 'release.expired', run: (s) => s.released(second).advance(2 * second) },
  { type: 'vehicle.status_changed', run: (s) => s.approved() },
  { type: 'vehicle.collected', run: (s) => s.released().bank.collect(s.lotId) },
  { type: 'transfer.updated', run: (s) => s.transfer() },
  { type: 'transfer.verified', run: (s) => s.set(s.transfer(), 'government_verified') },
];
