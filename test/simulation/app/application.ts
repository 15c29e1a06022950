import type { BatchProgress, BidRow, RowResult } from '../../../src/bids/bulk/types.js';
import type { PartnerClient } from '../../../src/client/partner-client.js';
import type { IntentOutcome } from '../../../src/client/recovery.js';
import { VehicleAuctionError } from '../../../src/errors/base.js';
import { UnexpectedResponseError } from '../../../src/errors/connection.js';
import { StoreError } from '../../../src/errors/store.js';
import type { IntentSummary } from '../../../src/intents/intents.js';
import { isOpen } from '../../../src/store/intents.js';
import { keyInsertedAt } from '../checks/departure.js';
import { faultsOfEffort } from '../checks/liveness.js';
import type { StoreWrite } from '../checks/store-watch.js';
import { isFinal, isOurs } from '../checks/verdict.js';
import type { BegunCall, Told } from '../checks/witness.js';
import { accountOf, KEY_RETENTION_MS, OTHER_LABEL } from '../world/deployment.js';
import { never, type SimulatedProcess } from '../world/process.js';
import type { World } from '../world/world.js';
import type { PlannedBid, PlannedCommand } from './plan.js';

/** For how long a copy of a request can be let in, ms. */
const COPY_LASTS_MS = 300_000;
/** For how long the SDK tries a bid where nobody says otherwise, ms. */
const SDK_PLACES_FOR_MS = 120_000;

/** What the application makes of what it is told. */
type Report = Omit<Told, 'order' | 'process' | 'client' | 'account' | 'by' | 'call'> & {
  /** Where it is on record, if not in the account of its process. */
  readonly account?: string | undefined;
};

/** What a caller does with the SDK in one process, and what it is told. */
export class Application {
  readonly process: SimulatedProcess;
  readonly #client: PartnerClient<'platform'>;
  readonly #world: World;
  /** Keys that `runOnce` made, by what they are for, the latest last; kept over restarts. */
  readonly #onceKeys: Map<string, string[]>;
  /** The batch is its to place. */
  readonly #hasBatch: boolean;
  /** Every row of the batch has its verdict, as far as this process was told. */
  #isBatchDone = false;
  /** When rows of the batch were settled, by key: true time. */
  readonly #settledAt = new Map<string, number>();
  /** The store refuses to go on: the process has to be started again. */
  isStuck = false;
  /** How far the feed of settlements has been read. */
  #cursor = 0;

  constructor(
    process: SimulatedProcess,
    client: PartnerClient<'platform'>,
    world: World,
    { onceKeys, hasBatch }: { readonly onceKeys: Map<string, string[]>; readonly hasBatch: boolean },
  ) {
    this.process = process;
    this.#client = client;
    this.#world = world;
    this.#onceKeys = onceKeys;
    this.#hasBatch = hasBatch;
  }

  /** Declares that a backup was restored; whether that succeeded. */
  async declareRestored(): Promise<boolean> {
    for (let tries = 0; tries < 20 && !this.isStuck; tries += 1) {
      if (await this.recover(false, true)) return true;
      await this.process.wait(5_000);
    }
    return false;
  }

  /** Carries the plan out, and comes back to what stays unknown. */
  async live(isRestart: boolean): Promise<void> {
    const { choices, plan, faults, isPassing } = this.#world;
    const { setup } = this.process;
    if (setup.label === OTHER_LABEL) return this.#liveRelabelled();
    if (setup.environment !== 'sandbox') await this.#verify();
    if (isRestart) {
      const way = choices.choose('after a restart', 3);
      if (way < 2) await this.recover(way === 1);
    }
    const underWay: Promise<unknown>[] = [];
    if (this.#hasBatch) underWay.push(this.batch());
    const [some] = plan.bids;
    if (some?.key !== undefined && !isPassing && choices.choose('other bytes', 12) === 11) {
      underWay.push(this.place({ ...some, amount: `${some.amount}.50` }));
    }
    if (faults.strikes('bidding halted')) underWay.push(this.#haltForAWhile());
    const all: readonly (PlannedBid | PlannedCommand)[] = [...plan.bids, ...plan.commands];
    for (const one of all) {
      const step = 'lot' in one ? this.place(one) : this.command(one);
      if (choices.choose('at once', 3) === 0) await step;
      else underWay.push(step);
      if (choices.choose('twice', 8) === 7 && !('lot' in one && one.key === undefined)) {
        underWay.push('lot' in one ? this.place(one) : this.command(one));
      }
    }
    await Promise.all(underWay);
    for (let round = 0; round < 4 && this.#lastTold(isUnsettled).length > 0; round += 1) {
      const waits = [5_000, 60_000, this.#untilFence, 700_000, 1_700_000];
      await this.process.wait(waits[choices.choose('come back after', waits.length)] ?? 0);
      await this.#comeBack();
    }
  }

  async #comeBack(): Promise<void> {
    const { choices, plan, isPassing } = this.#world;
    const way = choices.choose('come back', isPassing ? 6 : 8);
    if (this.#hasBatch && !this.#isBatchDone) await this.batch();
    if (way === 0) await this.recover(false);
    else if (way === 1) await this.recover(true);
    else
      for (const key of this.#lastTold(isUnsettled)) {
        const isIt = (one: { readonly key: string | undefined; readonly tag: string }) =>
          one.key === key || this.#onceKeys.get(one.tag)?.includes(key) === true;
        const bid = plan.bids.find(isIt);
        const command = plan.commands.find(isIt);
        if (command !== undefined) await this.command(command);
        else if (way < 5) await this.reconcile(key);
        else if (way < 7 && bid !== undefined) await this.place(bid);
        else await this.abandon(key);
      }
    await this.readFeed();
  }

  /** Comes back to everything until it is known, or can't be any better. */
  async settleAll(): Promise<void> {
    const { plan, witness } = this.#world;
    this.#cursor = 0;
    await this.readFeed();
    for (let round = 0; round < 3; round += 1) {
      await this.recover(round === 2);
      for (const key of this.#lastTold(isUnknown)) await this.reconcile(key);
      await this.process.wait(70_000);
    }
    this.#cursor = 0;
    await this.readFeed();
    // What a restored backup has as refused or not sent may have been placed again since.
    if (witness.store.restores.length > 0)
      for (const key of this.#lastTold(isUnplaced)) await this.reconcile(key);
    // What is done is on record, and calling again is how to hear of it.
    for (const command of plan.commands) {
      const keys = command.key === undefined ? (this.#onceKeys.get(command.tag) ?? []) : [command.key];
      const wasSent = witness.sent.some(({ key }) => keys.includes(key));
      const isDone = witness.told.some(({ key, status }) => keys.includes(key) && status === 'done');
      if (wasSent && !isDone) await this.command(command);
    }
  }

  /** What is left is looked at once the service may have forgotten everything. */
  async settleLate(): Promise<void> {
    for (let round = 0; round < 2; round += 1) {
      await this.recover(false);
      await this.process.wait(10_000);
    }
    await this.readFeed();
  }

  /** The same client under another label: what it has in doubt under the former one blocks the same bid, and is recovered. */
  async #liveRelabelled(): Promise<void> {
    const { choices, plan } = this.#world;
    for (const [index, bid] of plan.bids.entries()) {
      if (choices.choose('bids again', 2) === 1) await this.recover(false);
      const tag = new Date(
        Date.parse(bid.tag) - 1_000 * (this.process.thread * 10 + index + 1),
      ).toISOString();
      await this.#place({ ...bid, tag, by: 'place', key: undefined });
    }
  }

  /** Recovers what it recorded under the label that it had before. */
  async recoverRelabelled(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      await this.recover(false);
      await this.process.wait(70_000);
    }
  }

  /** Asks the service who it is, as a program does before its first bid. */
  async #verify(): Promise<void> {
    for (let tries = 0; tries < 5; tries += 1) {
      const isKnown = await this.#during({ what: 'verify' }, async () => {
        await this.#client.verify();
        return [];
      });
      if (isKnown) return;
    }
  }

  /** Places the batch, or goes on with it where an earlier run ended. */
  async batch(): Promise<void> {
    const { plan, faults, timeline } = this.#world;
    if (plan.batch.length === 0) return;
    const rows = plan.batch.map(({ rowId, lot, buyer, amount, tag }) => {
      return { rowId, lot, amount, bidderReference: buyer, clientBidTime: tag };
    });
    const onProgress = ({ latest }: BatchProgress<BidRow>) => {
      if (latest !== undefined && 'idempotencyKey' in latest) {
        this.#settledAt.set(latest.idempotencyKey, timeline.now);
      }
      if (faults.strikes('callback fails')) throw new Error('the callback fails');
    };
    const { timeout } = plan.limits;
    const options = { batchId: 'evening', onProgress, place: { timeout } };
    await this.#during({ what: 'batch', tags: plan.batch.map(({ tag }) => tag) }, async () => {
      const run = this.#client.bids.placeAll(rows, options);
      const results = await run.toArray();
      this.#isBatchDone = (await run.summary).isComplete;
      for (const row of results) if (row.status === 'error') this.#note(row.error);
      return results.map(rowTold);
    });
  }

  /** Rows that a healthy service has not been given. */
  async *unplaced(): AsyncGenerator<string> {
    const { plan, witness } = this.#world;
    if (plan.batch.length === 0) return;
    await this.#resumeBidding();
    const before = witness.told.length;
    const since = witness.next();
    await this.batch();
    for (const { key, status, by, provisional } of witness.told.slice(before)) {
      // Once its key may be forgotten, a refusal for now stays one.
      const isSettled = isFinal(status) || provisional === true;
      if (by === 'batch' && !isSettled && this.#couldLeave(key, since)) yield `${key} is ${status}`;
    }
  }

  /** Whether nothing forbade a call to send a bid: it was not left to a person, and its key can't be forgotten yet. */
  #couldLeave(key: string, since: number): boolean {
    const { witness, timeline, outcome } = this.#world;
    const row = witness.store.find(accountOf(this.process.setup), key);
    if (row === undefined || witness.crossed.has(key) || outcome.refusedTwice.has(key)) return false;
    if (!isOurs(row) || row.state === 'stuck' || row.state === 'abandoned') return false;
    if (witness.store.restores.length > 0) return false;
    const { account } = row;
    const before = witness.store.writes.findLast(
      (write) => write.key === key && write.account === account && write.order < since,
    );
    const insertedAt = keyInsertedAt(key, account, witness.store.writes);
    const placed = row.content.log.findLast((event) => event.type === 'placed');
    // A row of the batch may be sent as long as its batch runs.
    const isRow = this.#world.plan.batch.some(({ lot }) => lot === row.lot);
    if (!isRow && placed?.placeBy !== undefined && placed.placeBy <= timeline.now) return false;
    const wasOver = before !== undefined && !isOpen(before.state) && !before.provisional;
    return wasOver || timeline.now < insertedAt + KEY_RETENTION_MS - COPY_LASTS_MS;
  }

  async #resumeBidding(): Promise<void> {
    await this.#during({ what: 'halt' }, async () => {
      await this.#client.bids.resume();
      return [];
    });
  }

  place(bid: PlannedBid): Promise<unknown> {
    if (bid.by === 'submit') return this.#submit(bid);
    return bid.by === 'once' ? this.#placeOnce(bid) : this.#place(bid);
  }

  async command(command: PlannedCommand): Promise<void> {
    const { key, tag } = command;
    const told = (one: string): Report => ({ key: one, kind: 'command', status: 'done' });
    if (key !== undefined) {
      await this.#during({ what: 'command', key, tag }, async () => {
        await this.#send(command, key);
        return [told(key)];
      });
      return;
    }
    await this.#once({ what: 'command', tag }, ['do', tag], (made) => this.#send(command, made), told);
  }

  async reconcile(key: string): Promise<void> {
    await this.#during({ what: 'reconcile', key }, async () => [
      toldOf(await this.#client.intents.reconcile(this.#spelled(key), this.#limits())),
    ]);
  }

  /** @returns whether it came to its end */
  async recover(resend: boolean, restored = false): Promise<boolean> {
    return this.#during({ what: 'recover', ...(resend && { resends: true }) }, async () =>
      (await this.#client.recover({ resend, restored })).map(toldOf),
    );
  }

  async abandon(key: string): Promise<void> {
    await this.#during({ what: 'abandon', key }, async () => [
      toldOf(await this.#client.intents.abandon(this.#spelled(key), 'the simulation gives it up')),
    ]);
  }

  /** Reads what has settled since the last time, whoever settled it. */
  async readFeed(): Promise<void> {
    await this.#during({ what: 'feed' }, async () => {
      const settled = await this.#client.intents.list({ settledAfter: this.#cursor }).toArray();
      this.#cursor = settled.at(-1)?.settledSequence ?? this.#cursor;
      return settled.flatMap((summary) => settledOf(summary) ?? []);
    });
  }

  async #place(bid: PlannedBid): Promise<void> {
    const key = bid.key ?? (await this.#keyOnRecord(bid));
    // Who can't tell whether it was placed before doesn't place it under a new key.
    if (key === 'unread') return;
    const { place, call } = this.#begun(bid);
    await this.#during({ what: 'place', ...call, ...(key !== undefined && { key }) }, async () => [
      toldOf(await place(key)),
    ]);
  }

  async #placeOnce(bid: PlannedBid): Promise<void> {
    const { place, call } = this.#begun(bid);
    await this.#once({ what: 'place', ...call }, ['bid', bid.tag], place, (_, outcome) => toldOf(outcome));
  }

  async #submit(bid: PlannedBid): Promise<void> {
    const { lot, buyer, tag, amount, key } = bid;
    if (key === undefined) return;
    const { call } = this.#begun({ ...bid, placeWithinMs: undefined, allowUnresolved: false });
    await this.#during({ what: 'place', ...call, key }, async () => {
      await this.#client.bids.submit(
        lot,
        { bidder_reference: buyer, amount, client_bid_time: tag },
        { ...this.#limits(), idempotencyKey: this.#spelled(key) },
      );
      return [{ key, kind: 'bid', status: 'accepted' }];
    });
  }

  /** How a bid is placed, with the moment until which it may leave, and the call as it is witnessed. */
  #begun({ lot, buyer, tag, amount, allowUnresolved, confirm, placeWithinMs }: PlannedBid) {
    const until = placeWithinMs === undefined ? {} : { placeBy: this.#world.timeline.now + placeWithinMs };
    const place = (key: string | undefined) =>
      this.#client.bids.place(
        { lot, bidderReference: buyer, amount, clientBidTime: tag, ...until },
        {
          ...this.#limits(),
          idempotencyKey: key === undefined ? undefined : this.#spelled(key),
          allowUnresolved,
          confirm,
        },
      );
    return { place, call: { tag, allowUnresolved, confirm, ...until } };
  }

  /** Runs something once, and tells what is known of the last key that was made for it. */
  async #once<T>(
    call: Omit<BegunCall, 'order' | 'at' | 'isOver' | 'process' | 'key'> & {
      readonly tag: string;
    },
    parts: readonly string[],
    run: (key: string) => Promise<T>,
    report: (key: string, value: T) => Report,
  ): Promise<void> {
    const keys = this.#onceKeys.get(call.tag) ?? [];
    this.#onceKeys.set(call.tag, keys);
    let made: string | undefined;
    await this.#during(
      call,
      async () => {
        const value = await this.#client.runOnce(parts, (key) => {
          made = key;
          if (!keys.includes(key)) keys.push(key);
          return run(key);
        });
        const key = made ?? this.#doneAmong(keys);
        const told = key === undefined ? undefined : report(key, value);
        return told === undefined ? [] : [told];
      },
      () => made,
    );
  }

  /** Which of the keys that were made for something took effect: `runOnce` returns its result without its key. */
  #doneAmong(keys: readonly string[]): string | undefined {
    const { store } = this.#world.witness;
    const isDone = (key: string) => store.find(accountOf(this.process.setup), key)?.state === 'done';
    return keys.findLast(isDone) ?? keys.at(-1);
  }

  async #send({ what, tag }: PlannedCommand, key: string): Promise<unknown> {
    const options = { ...this.#limits(), idempotencyKey: this.#spelled(key) };
    return what === 'acknowledge'
      ? this.#client.saleCases.acknowledge(tag, { terms_version: 't1', expected_version: 1 }, options)
      : this.#client.paymentReports.create(reportOf(tag), options);
  }

  /** A key as somebody writes it: a UUID is the same in capitals. */
  #spelled(key: string): string {
    return this.#world.faults.strikes('key in capitals') ? key.toUpperCase() : key;
  }

  /** Nobody bids for a while. Whatever fails meanwhile, bidding goes on in the end. */
  async #haltForAWhile(): Promise<void> {
    const { process } = this;
    const { choices } = this.#world;
    await process.wait(1_000 * choices.choose('halt after', 20));
    await this.#during({ what: 'halt' }, async () => {
      await this.#client.bids.halt('the simulation says so');
      return [];
    });
    await process.wait(1_000 * (1 + choices.choose('halt for', 60)));
    await this.#resumeBidding();
  }

  /** Ms until just after the moment that was last told, after which no copy is let in. */
  get #untilFence(): number {
    const { witness, timeline } = this.#world;
    const fenceAt = witness.told.findLast((told) => told.fenceAt !== undefined)?.fenceAt ?? 0;
    const ms = fenceAt + 300 - timeline.now;
    return ms > 0 ? ms : 320_000;
  }

  /** What a call may take, and the signal of a caller who may not wait for it. */
  #limits() {
    const { plan, faults, choices } = this.#world;
    if (!faults.strikes('caller aborts')) return plan.limits;
    const abort = new AbortController();
    this.process.wait(choices.choose('patience', 12_000)).then(() => abort.abort());
    return { ...plan.limits, signal: abort.signal };
  }

  /** Keys of which this holds of what the application was last told. */
  #lastTold(holds: (told: Told) => boolean): string[] {
    const last = new Map(this.#world.witness.told.map((told) => [told.key, told]));
    return [...last.values()].filter(holds).map(({ key }) => key);
  }

  /** A bid whose key the SDK made, in an earlier life: the store knows it by what it is about. */
  async #keyOnRecord({ lot, buyer, amount }: PlannedBid): Promise<string | 'unread' | undefined> {
    try {
      for (const intent of await this.#client.intents.list({ which: 'all' }).toArray()) {
        const isSame = intent.lot === lot && intent.bidderReference === buyer && intent.amount === amount;
        const isIt = isSame && !this.#world.plan.bids.some(({ key }) => key === intent.idempotencyKey);
        if (isIt) return intent.idempotencyKey;
      }
      return undefined;
    } catch (error) {
      this.#note(error);
      return 'unread';
    }
  }

  /**
   * Makes a call and hears what came of it; an error tells what is known as well.
   *
   * @returns whether it succeeded
   */
  async #during(
    call: Omit<BegunCall, 'order' | 'at' | 'isOver' | 'process'>,
    work: () => Promise<readonly Report[]>,
    made: () => string | undefined = () => undefined,
  ): Promise<boolean> {
    const { process } = this;
    const { witness } = this.#world;
    if (process.isDead) return never();
    const { clientId } = process.setup;
    const begun = witness.begins({ ...call, process: process.name });
    const teller = {
      call: begun.order,
      process: process.name,
      client: clientId,
      account: accountOf(process.setup),
      by: call.what,
    };
    const tell = ({ account = teller.account, ...report }: Report) =>
      witness.tell({ ...report, ...teller, account });
    try {
      const reports = await work();
      if (process.isDead) return await never();
      for (const report of reports) tell(report);
      this.#checkEffort(begun, reports);
      return true;
    } catch (error) {
      if (process.isDead) return await never();
      this.#note(error);
      if (!(error instanceof VehicleAuctionError)) {
        witness.strange(call.what, error);
        return false;
      }
      const isOfTheIntent = call.what === 'command' || call.what === 'place';
      const key = call.key ?? made() ?? (call.tag === undefined ? error.idempotencyKey : undefined);
      if (key !== undefined) this.#checkBlame(key, error);
      if (key !== undefined && isOfTheIntent) tell(toldByError(key, call.what === 'command', error));
      return false;
    } finally {
      begun.isOver = true;
    }
  }

  /** While all that is wrong passes, the call that places a bid brings its verdict. */
  #checkEffort(call: BegunCall, reports: readonly Report[]): void {
    const { plan, witness, isPassing } = this.#world;
    if (!isPassing || (call.what !== 'place' && call.what !== 'batch')) return;
    const { deadline } = plan.limits;
    const until = call.placeBy === undefined ? SDK_PLACES_FOR_MS : call.placeBy - call.at;
    const tried = reports
      .filter(({ key }) => this.#couldLeave(key, call.order) && !this.#isShared(key, call))
      .map(({ key, status }) =>
        call.what === 'place'
          ? { key, status, triedMs: witness.now - call.at, worthMs: Math.min(until, deadline) }
          : { key, status, triedMs: this.#triedMs(key, call), worthMs: deadline },
      );
    for (const detail of faultsOfEffort(tried, call, witness, plan.quota))
      witness.violated('given up', detail);
  }

  /** Whether another process works on the same bid: only one of them sends it. */
  #isShared(key: string, { order, process }: BegunCall): boolean {
    const { plan, witness } = this.#world;
    const account = accountOf(this.process.setup);
    const lot = witness.store.find(account, key)?.lot;
    const tag = [...plan.bids, ...plan.batch].find((one) => one.lot === lot)?.tag;
    const isUnderWay = witness.calls.some(
      (other) =>
        other.process !== process &&
        !other.isOver &&
        (other.key === key || (tag !== undefined && other.tags?.includes(tag) === true)),
    );
    const isWritten = (write: StoreWrite) =>
      write.key === key && write.process !== process && write.order > order;
    return isUnderWay || witness.store.writes.some(isWritten);
  }

  /** From the first attempt of a row in this run of its batch to its result, ms. */
  #triedMs(key: string, call: BegunCall): number {
    const { log = [] } = this.#world.witness.store.find(accountOf(this.process.setup), key)?.content ?? {};
    const first = log.find(({ type, at }) => type === 'attempt' && at >= call.at - 1_500);
    return (this.#settledAt.get(key) ?? 0) - (first?.at ?? call.at);
  }

  /** A success answers another request only if it is on record and the record contradicts it. */
  #checkBlame(key: string, error: VehicleAuctionError): void {
    const isBlamed = error instanceof UnexpectedResponseError && error.reason === 'other_request';
    const { witness } = this.#world;
    const { content, state } = witness.store.find(accountOf(this.process.setup), key) ?? {};
    const isOnRecord =
      content?.log.some((event) => event.type === 'result' && event.effect === 'done') === true;
    const isContradicted = isOnRecord && state !== 'accepted' && state !== 'done';
    if (isBlamed && !isContradicted)
      witness.violated('service blamed for the store', `${key}: ${error.message}`);
  }

  #note(error: unknown): void {
    this.#world.note(
      `${this.process.name}: error ${error instanceof Error ? `${error.name} ${error.message}` : String(error)}`,
    );
    if (error instanceof StoreError && error.reason === 'stopped') this.isStuck = true;
  }
}

/** Unknown, or only known for now. */
function isUnknown({ status, provisional }: Told): boolean {
  return status === 'unknown' || provisional === true;
}

function isUnsettled(told: Told): boolean {
  return isUnknown(told) && told.isForAPerson !== true;
}

function isUnplaced({ kind, status }: Told): boolean {
  return kind === 'bid' && (status === 'refused' || status === 'not_sent');
}

/** What an outcome says. */
function toldOf(outcome: IntentOutcome): Report {
  const { idempotencyKey: key, status, attempts } = outcome;
  const isForAPerson = outcome.status === 'unknown' && outcome.reason !== 'in_doubt';
  const { account } = outcome;
  if ('path' in outcome) return { key, kind: 'command', status, isForAPerson, attempts, account };
  const evidence = outcome.status === 'unknown' ? outcome.evidence : undefined;
  const fenceAt = evidence?.kind === 'absent' ? evidence.copiesExpireAt : undefined;
  const provisional = outcome.status === 'refused' && outcome.provisional;
  return { key, kind: 'bid', status, isForAPerson, attempts, provisional, fenceAt, account };
}

/** What the result of a row says. */
function rowTold(row: RowResult<BidRow>): Report {
  if ('outcome' in row) return toldOf(row.outcome);
  if (row.status === 'error' && row.error instanceof VehicleAuctionError) {
    return toldByError(row.idempotencyKey, false, row.error);
  }
  throw new Error(`A row of the batch is ${row.status}: ${row.what}`);
}

/** What the feed of settlements says of an intent; undefined where it is open again by now. */
function settledOf({
  idempotencyKey: key,
  state,
  lot,
  provisional,
  attempts,
}: IntentSummary): Report | undefined {
  if (state === 'ready' || state === 'sent' || state === 'stuck') return undefined;
  const isForAPerson = state === 'abandoned';
  const status = isForAPerson ? 'unknown' : state;
  return { key, kind: lot === undefined ? 'command' : 'bid', status, provisional, isForAPerson, attempts };
}

/** A report of a payment. */
function reportOf(reference: string) {
  return {
    sale_id: 'sale_0',
    amount: '465000',
    currency: 'INR',
    method: 'bank_transfer',
    utr: 'UTR1',
    paid_at: '2026-03-02T05:00:00Z',
    external_reference: reference,
  } as const;
}

/** What an error says of the intent, or of a call that sent nothing itself while earlier ones may have. */
function toldByError(key: string, isCommand: boolean, { outcome }: VehicleAuctionError): Report {
  const done = isCommand ? 'done' : 'accepted';
  const status = outcome === 'not_sent' ? 'nothing_sent' : outcome === 'done' ? done : outcome;
  return { key, kind: isCommand ? 'command' : 'bid', status };
}
