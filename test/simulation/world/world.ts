import { Inbox } from '../app/inbox.js';
import { type Plan, type PlannedLimits, planned } from '../app/plan.js';
import type { Limits } from '../checks/store-watch.js';
import { isFinal, isOurs, type Outcome, stillOpen, unresolved, unsettled } from '../checks/verdict.js';
import { Witness } from '../checks/witness.js';
import { paiseOf } from '../service/bids.js';
import { Service } from '../service/service.js';
import type { WireRequest } from '../service/wire.js';
import type { Choices } from './choices.js';
import { CLIENT, Deployment, KEY_RETENTION_MS, OTHER_BANK, OTHER_CLIENT } from './deployment.js';
import { type FaultPoint, Faults, moodsOf, type Settings, type Stage } from './faults.js';
import { Fleet } from './fleet.js';
import { Network } from './network.js';
import { stockUp } from './stock.js';
import { SharedStore } from './store.js';
import { Timeline } from './timeline.js';

const START = Date.parse('2026-03-02T06:00:00Z');
/** True time that a run may take amid faults, ms. */
const LIVE_MS = 7_200_000;
/** Until every copy has expired, ms. */
const CALM_MS = 650_000;
const MAX_STEPS = 60_000;

/** Everything of one run: the service, the network, the processes with their clients, and who watches them. */
export class World implements Stage {
  readonly timeline = new Timeline(START);
  readonly trace: string[] = [];
  readonly choices: Choices;
  readonly faults: Faults;
  readonly plan: Plan;
  readonly service: Service;
  readonly witness: Witness;
  readonly store: SharedStore;
  readonly network: Network;
  readonly deployment: Deployment;
  /** Webhooks and a list to follow, in some runs. */
  readonly inbox: Inbox | undefined;
  /** All that goes wrong passes. */
  readonly isPassing: boolean;
  readonly #relabelled: boolean | undefined;
  readonly #fleet: Fleet;

  constructor(choices: Choices, settings: Settings, free: readonly FaultPoint[]) {
    const { timeline } = this;
    const processes = settings.processes ?? ([2, 1, 3] as const)[choices.choose('processes', 3)] ?? 2;
    this.choices = choices;
    this.isPassing = settings.passing === true;
    this.#relabelled = settings.relabelled;
    this.faults = new Faults(choices, {
      moods: moodsOf(choices, settings.moods),
      rates: settings.rates,
      crashes: settings.crashes ?? 4,
      free,
    });
    const checksAccessFirst = settings.checksAccessFirst ?? choices.choose('access first', 8) === 7;
    this.service = new Service({
      timeline,
      choices,
      manners: {
        remembersMs: choices.choose('forgets', 2) === 1 ? KEY_RETENTION_MS : Number.POSITIVE_INFINITY,
        receiptNamesBid: choices.choose('receipt', 2) === 0,
        wholeSeconds: choices.choose('precision', 2) === 1,
        conflictAsMessage: choices.choose('conflict as message', 2) === 1,
        checksAccessFirst,
      },
      strikes: (point) => this.faults.strikes(point),
      throttles: (from, to) => this.witness.outages.push({ from, to }),
      // A command that it has carried out: this hides its success as a gateway would.
      answeredBare: (request) => this.witness.answeredBare(request, this.#hasCarriedOut(request)),
      answeredUnnamed: (request) => this.witness.unnamed.add(request.headers['idempotency-key'] ?? ''),
      note: this.note,
    });
    const { lots } = this.service;
    this.plan = planned(choices, {
      start: START,
      keyless: processes === 1,
      batch: settings.batch,
      passing: settings.passing === true,
    });
    const isOpenLot = (lot: string) => (lots.get(lot)?.closeAt ?? 0) > timeline.now;
    this.witness = new Witness(this, limitsOf(this.plan.riskLimits), isOpenLot);
    this.store = new SharedStore(this, this.witness.store, choices.choose('stops when unsure', 2) === 1);
    this.network = new Network(this, this.service, this.witness);
    this.deployment = new Deployment(this.service, [CLIENT, OTHER_CLIENT, OTHER_BANK]);
    stockUp(this.service, this.plan, CLIENT);
    const hasInbox = settings.inbox ?? choices.choose('inbox', 6) === 5;
    this.inbox = hasInbox ? new Inbox(this, this.store) : undefined;
    this.#fleet = new Fleet(this, ['p', 'q', 'r'].slice(0, processes), settings);
  }

  readonly note = (line: string): void => {
    this.trace.push(`${(this.timeline.now - START) / 1000} ${line}`);
  };

  #hasCarriedOut({ headers }: WireRequest): boolean {
    return this.service.ledger.commands.some(({ key }) => key === headers['idempotency-key']);
  }

  /** Lets the application work amid faults. */
  async live(): Promise<void> {
    this.#fleet.start();
    this.inbox?.start();
    if (this.faults.strikes('key rotated')) {
      const ms = 1_000 * this.choices.choose('rotation', 120);
      this.timeline.after(ms, () => this.deployment.rotate(CLIENT));
    }
    let isOver = false;
    this.timeline.after(LIVE_MS, () => {
      isOver = true;
    });
    const { violations } = this.witness;
    const isDone = () => this.#fleet.isDone && this.inbox?.isOver !== false;
    await this.timeline.play(() => isOver || isDone() || violations.length > 0, MAX_STEPS);
  }

  /** The faults end and time passes; then everything that the service knows must come to light. */
  async calmDown(): Promise<void> {
    this.faults.end();
    this.#fleet.calm();
    this.inbox?.calm();
    await this.#toEnd('calm', async () => {
      await this.timeline.sleep(CALM_MS);
      const isRelabelled = this.#relabelled ?? this.choices.choose('given a label', 6) === 5;
      if (isRelabelled) await this.#recoverRelabelled();
      // A store that a fault has stopped shows it only when it is used, and goes on when it is opened again.
      for (let tries = 0; tries < 4; tries += 1) {
        await this.#fleet.recoverAll();
        const application = await this.#fleet.any();
        await application.settleAll();
        for await (const detail of application.unplaced()) {
          if (!application.isStuck) this.witness.violated('left unplaced', detail);
        }
        if (!application.isStuck) return;
      }
      this.witness.violated('store stuck', 'it does nothing, though nothing is wrong any more');
    });
    for (const detail of unsettled(this.outcome)) this.witness.violated('left open', detail);
    for (const detail of this.inbox?.unhandled() ?? []) this.witness.violated('not handled', detail);
    for (const call of this.witness.calls) {
      if (!call.isOver) this.witness.violated('never settled', `${call.what} ${call.key} of ${call.process}`);
    }
  }

  /** A client that was given another label finds what it recorded before. */
  async #recoverRelabelled(): Promise<void> {
    if (this.witness.store.restores.length > 0) return;
    const application = await this.#fleet.relabelled();
    await application.recoverRelabelled();
    if (application.isStuck) return;
    for (const detail of stillOpen(this.outcome)) this.witness.violated('left open', detail);
  }

  /** The service may have forgotten every key: what is still in doubt is for a person. */
  async growOld(): Promise<void> {
    await this.#toEnd('old', async () => {
      await this.timeline.sleep(KEY_RETENTION_MS);
      const application = await this.#fleet.any();
      await application.settleLate();
    });
    for (const detail of unresolved(this.witness.store.rows)) this.witness.violated('left open', detail);
  }

  /** What was final must be in the store: the service has forgotten, and the processes have ended. */
  async rememberWithoutService(): Promise<void> {
    const { told, store } = this.witness;
    const since = store.restores.at(-1) ?? 0;
    const ours = told.filter(({ order, key, account }) => {
      const row = store.find(account, key);
      return order > since && row !== undefined && isOurs(row);
    });
    const last = new Map(ours.map(({ key, status }) => [key, status] as const));
    const final = [...last].filter(([, status]) => isFinal(status));
    this.service.ledger.forget();
    this.#fleet.endAll();
    await this.#toEnd('without the service', async () => {
      const application = await this.#fleet.any();
      for (const [key] of final) await application.reconcile(key);
    });
    for (const [key, status] of final) {
      const now = told.findLast((report) => report.key === key)?.status;
      if (now !== status) this.witness.violated('lost', `${key} was ${status}, and is ${now} now`);
    }
  }

  /** Lets go of the database. */
  end(): void {
    this.#fleet.endAll();
    this.store.close();
  }

  get outcome(): Outcome {
    const { sent, calls, told, store, crossed, copied, hidden, unnamed, read } = this.witness;
    const { writes, rows, restores } = store;
    const { ledger, contradicted, parts } = this.service;
    const usedBefore = new Map(
      this.plan.bids.flatMap(({ key, usedBefore: how }) =>
        key === undefined || how === undefined ? [] : [[key, how] as const],
      ),
    );
    return {
      ...{ sent, calls, told, crossed, hidden, read, writes, rows, restores, ledger },
      now: this.timeline.now,
      // A restored store doesn't know of the first of two verdicts.
      muddled: new Set([...usedBefore.keys(), ...(restores.length > 0 ? contradicted : [])]),
      usedBefore,
      unprovable: parts.manners.receiptNamesBid ? new Set() : unnamed,
      refusedTwice: parts.manners.checksAccessFirst ? copied : new Set(),
      misled: this.#fleet.misled,
      storeText: this.store.content(),
      secrets: this.deployment.secrets,
    };
  }

  async #toEnd(what: string, work: () => Promise<void>): Promise<void> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work().then(end, (error: unknown) => {
      this.witness.strange(what, error);
      end();
    });
    if (!(await this.timeline.play(() => isOver, MAX_STEPS))) this.witness.violated('stuck', what);
  }
}

function limitsOf({ perBid, perBuyer, perLot }: PlannedLimits): Limits {
  return { perBid: paiseOf(perBid), perBuyer: paiseOf(perBuyer), perLot: paiseOf(perLot) };
}
