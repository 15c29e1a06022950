import type { PartnerClient } from '../../../src/client/partner-client.js';
import { VehicleAuctionError } from '../../../src/errors/base.js';
import { JournalError } from '../../../src/errors/journal.js';
import type { BegunCall } from '../checks/record.js';
import type { Witness } from '../checks/witness.js';
import type { Choices } from '../world/choices.js';
import { never, type SimulatedProcess } from '../world/process.js';
import type { Plan, PlannedBid, PlannedCommand } from './plan.js';
import { plainly, type Report, reportOf, toldOf } from './reports.js';

export interface ApplicationParts {
  readonly process: SimulatedProcess;
  readonly client: PartnerClient<'platform'>;
  /** The API client that it is. */
  readonly clientId: string;
  readonly plan: Plan;
  readonly choices: Choices;
  readonly witness: Witness;
  /** True time, which is the service's. */
  serverNow(): number;
  /** Whether the caller loses patience with this call. */
  aborts(): boolean;
}

/** What a caller does with the SDK in one process, and what it is told. */
export class Application {
  readonly #parts: ApplicationParts;
  /** The journal refuses to go on: the process has to be started again. */
  isStuck = false;

  constructor(parts: ApplicationParts) {
    this.#parts = parts;
  }

  /** Carries the plan out, and comes back to what stays unknown. */
  async live(isRestart: boolean): Promise<void> {
    const { choices, plan, process } = this.#parts;
    if (isRestart) {
      const way = choices.choose('after a restart', 3);
      if (way < 2) await this.recover(way === 1);
    }
    const underWay: Promise<void>[] = [];
    const [some] = plan.bids;
    if (some?.key !== undefined && choices.choose('other bytes', 12) === 11) {
      underWay.push(this.place({ ...some, amount: `${some.amount}.50` }));
    }
    const all: readonly (PlannedBid | PlannedCommand)[] = [...plan.bids, ...plan.commands];
    for (const one of all) {
      const step = 'lot' in one ? this.place(one) : this.command(one);
      if (choices.choose('at once', 3) === 0) await step;
      else underWay.push(step);
      if (choices.choose('twice', 8) === 7 && 'lot' in one && one.key !== undefined)
        underWay.push(this.place(one));
    }
    await Promise.all(underWay);
    for (let round = 0; round < 4 && this.#unsettled.length > 0; round += 1) {
      const waits = [5_000, 60_000, this.#untilFence, 700_000, 3_300_000];
      await process.wait(waits[choices.choose('come back after', waits.length)] ?? 0);
      await this.#comeBack();
    }
  }

  async #comeBack(): Promise<void> {
    const { choices, plan } = this.#parts;
    const way = choices.choose('come back', 8);
    if (way === 0) return this.recover(false);
    if (way === 1) return this.recover(true);
    for (const key of this.#unsettled) {
      const bid = plan.bids.find((one) => one.key === key);
      const command = plan.commands.find((one) => one.key === key);
      if (command !== undefined) await this.command(command);
      else if (way < 5) await this.reconcile(key);
      else if (way < 7 && bid !== undefined) await this.place(bid);
      else await this.abandon(key);
    }
  }

  /** Comes back to everything until it is known, or can't be any better. */
  async settleAll(): Promise<void> {
    const { witness, process, plan } = this.#parts;
    for (let round = 0; round < 3; round += 1) {
      await this.recover(false);
      const keys = new Set(witness.sent.filter(({ kind }) => kind === 'bid').map(({ key }) => key));
      for (const key of keys) await this.reconcile(key);
      await process.wait(10_000);
    }
    await this.recover(true);
    // What is done is on record, and asking again for it is how to hear of it.
    for (const command of plan.commands) {
      const wasSent = witness.sent.some(({ key }) => key === command.key);
      if (wasSent && witness.told.findLast(({ key }) => key === command.key)?.status !== 'done') {
        await this.command(command);
      }
    }
  }

  async place(bid: PlannedBid): Promise<void> {
    const { client, process } = this.#parts;
    const { lot, buyer, tag, amount, placeWithinMs, overInDoubt } = bid;
    const key = bid.key ?? (await this.#keyInJournal(bid));
    // Who can't tell whether it was placed before doesn't place it under a new key.
    if (key === 'unread') return;
    const now = this.#parts.serverNow();
    const placeBy = placeWithinMs === undefined ? undefined : now + placeWithinMs;
    const slackMs = 120_000 + Math.abs(process.clock.now() - now);
    const call = { lot, buyer, tag, overInDoubt, placeBy: placeBy ?? now + slackMs };
    await this.#during({ what: 'place', ...call, ...(key !== undefined && { key }) }, async () => {
      const outcome = await client.bidding.place(
        { lot, bidderReference: buyer, amount, clientBidTime: tag, intentId: key, placeBy },
        { ...this.#limits(), ...(overInDoubt && { overInDoubt }) },
      );
      return [toldOf(outcome)];
    });
  }

  async command({ what, tag, key }: PlannedCommand): Promise<void> {
    const { client } = this.#parts;
    const options = { ...this.#limits(), idempotencyKey: key };
    await this.#during({ what: 'command', key, tag }, async () => {
      if (what === 'acknowledge') {
        await client.saleCases.acknowledge(tag, { terms_version: 't1', expected_version: 1 }, options);
      } else {
        await client.paymentReports.create(reportOf(tag), options);
      }
      return [{ key, kind: 'command', status: 'done', ...plainly }];
    });
  }

  async reconcile(key: string): Promise<void> {
    const { client } = this.#parts;
    await this.#during({ what: 'reconcile', key }, async () => [
      toldOf(await client.bidding.reconcile(key, this.#limits())),
    ]);
  }

  async recover(resend: boolean): Promise<void> {
    const { client } = this.#parts;
    await this.#during({ what: 'recover', ...(resend && { resends: true }) }, async () =>
      (await client.recover({ resend })).map(toldOf),
    );
  }

  async abandon(key: string): Promise<void> {
    const { client } = this.#parts;
    await this.#during({ what: 'abandon', key }, async () => [
      toldOf(await client.bidding.abandon(key, 'the simulation says so')),
    ]);
  }

  /** Ms until just after the moment that was last told, after which no copy is let in. */
  get #untilFence(): number {
    const { witness, serverNow } = this.#parts;
    const fenceAt = witness.told.findLast((told) => told.fenceAt !== undefined)?.fenceAt ?? 0;
    const ms = fenceAt + 300 - serverNow();
    return ms > 0 ? ms : 320_000;
  }

  /** What a call may take, and the signal of a caller who may not wait for it. */
  #limits() {
    const { plan, process, choices } = this.#parts;
    if (!this.#parts.aborts()) return plan.limits;
    const abort = new AbortController();
    process.wait(choices.choose('patience', 12_000)).then(() => abort.abort());
    return { ...plan.limits, signal: abort.signal };
  }

  /** Keys of which the application was last told that their fate is unknown. */
  get #unsettled(): string[] {
    const last = new Map(this.#parts.witness.told.map((told) => [told.key, told]));
    return [...last.values()]
      .filter(({ status, quarantined }) => status === 'unknown' && !quarantined)
      .map(({ key }) => key);
  }

  /** A bid whose key the SDK made, in an earlier life: the journal knows it by what it is about. */
  async #keyInJournal({ lot, buyer, amount }: PlannedBid): Promise<string | 'unread' | undefined> {
    try {
      for (const intent of await this.#parts.client.intents.list({ which: 'all' })) {
        const isIt = intent.lot === lot && intent.bidderReference === buyer && intent.amount === amount;
        if (isIt) return intent.idempotencyKey;
      }
      return undefined;
    } catch (error) {
      this.#note(error);
      return 'unread';
    }
  }

  /** Makes a call and hears what came of it; an error says what is known as well. */
  async #during(
    call: Omit<BegunCall, 'order' | 'at' | 'isOver' | 'process' | 'client'>,
    work: () => Promise<readonly Report[]>,
  ): Promise<void> {
    const { witness, process, clientId } = this.#parts;
    if (process.isDead) return never();
    const begun = witness.begins({ ...call, process: process.name, client: clientId });
    const tell = (report: Report) =>
      witness.tell({ ...report, call: begun.order, process: process.name, client: clientId, by: call.what });
    try {
      const reports = await work();
      if (process.isDead) return await never();
      for (const report of reports) tell(report);
    } catch (error) {
      if (process.isDead) return await never();
      this.#note(error);
      if (!(error instanceof VehicleAuctionError)) {
        witness.violated(
          'strange error',
          `${call.what}: ${error instanceof Error ? error.stack : String(error)}`,
        );
      } else {
        const key = call.key ?? error.idempotencyKey;
        const kind = call.what === 'command' ? 'command' : 'bid';
        const isOfTheIntent = call.what === 'command' || call.what === 'place';
        // Of a call that sent nothing itself, while earlier ones may have.
        const status = error.outcome === 'not_sent' ? 'nothing_sent' : error.outcome;
        if (key !== undefined && isOfTheIntent) tell({ key, kind, status, ...plainly });
      }
    } finally {
      begun.isOver = true;
    }
  }

  #note(error: unknown): void {
    const { witness, process } = this.#parts;
    witness.note(
      `${process.name}: error ${error instanceof Error ? `${error.name} ${error.message}` : String(error)}`,
    );
    if (error instanceof JournalError && stuck.has(error.fault)) this.isStuck = true;
  }
}

/** Faults after which a journal does nothing more until it is opened again. */
const stuck = new Set<string>(['full', 'sync_failed', 'damaged', 'closed']);
