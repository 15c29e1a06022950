import { type Plan, type PlannedLimits, planned } from '../app/plan.js';
import { UNVERSIONED_MS } from '../checks/departure.js';
import { unresolved, unsettled } from '../checks/liveness.js';
import type { Limits, StoreWrite } from '../checks/store-watch.js';
import type { Outcome } from '../checks/verdict.js';
import { Witness } from '../checks/witness.js';
import { paiseOf } from '../service/lot.js';
import { Service } from '../service/service.js';
import type { Choices } from './choices.js';
import { CLIENT, Deployment, KEY_RETENTION_MS, OTHER_BANK, OTHER_CLIENT } from './deployment.js';
import { type FaultPoint, Faults } from './faults.js';
import { Fleet } from './fleet.js';
import { Network } from './network.js';
import { moodsOf, type Settings } from './settings.js';
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
export class World {
  readonly timeline = new Timeline(START);
  readonly trace: string[] = [];
  readonly faults: Faults;
  readonly witness: Witness;
  readonly service: Service;
  readonly #choices: Choices;
  readonly #store: SharedStore;
  readonly #deployment: Deployment;
  readonly #plan: Plan;
  readonly #fleet: Fleet;
  readonly #checksAccessFirst: boolean;

  constructor(choices: Choices, settings: Settings, free: readonly FaultPoint[]) {
    const { timeline } = this;
    const note = (line: string) => void this.trace.push(`${(timeline.now - START) / 1000} ${line}`);
    const processes = settings.processes ?? ([2, 1, 3] as const)[choices.choose('processes', 3)] ?? 2;
    const faults = new Faults(choices, {
      moods: moodsOf(choices, settings.moods),
      rates: settings.rates,
      crashes: settings.crashes ?? 4,
      free,
    });
    this.#choices = choices;
    this.#checksAccessFirst = settings.checksAccessFirst ?? choices.choose('access first', 8) === 7;
    this.faults = faults;
    this.service = new Service({
      timeline,
      choices,
      manners: {
        remembersMs: choices.choose('forgets', 2) === 1 ? KEY_RETENTION_MS : Number.POSITIVE_INFINITY,
        receiptNamesBid: choices.choose('receipt', 2) === 0,
        wholeSeconds: choices.choose('precision', 2) === 1,
        conflictAsMessage: choices.choose('conflict as message', 2) === 1,
        checksAccessFirst: this.#checksAccessFirst,
      },
      strikes: (point) => faults.strikes(point),
      answeredBare: (request) => this.witness.answeredBare(request, false),
      answeredUnnamed: (request) => this.witness.unnamed.add(request.headers['idempotency-key'] ?? ''),
      note,
    });
    this.#plan = planned(choices, START, processes === 1);
    const witness = new Witness({
      limits: limitsOf(this.#plan.riskLimits),
      isOpenLot: (lot) => (this.service.lots.get(lot)?.closeAt ?? 0) > timeline.now,
      setupOf: (process) => this.#fleet.setupOf(process),
      now: () => timeline.now,
      note,
    });
    this.witness = witness;
    this.#store = new SharedStore({
      timeline,
      choices,
      faults,
      watch: witness.store,
      stopsWhenUnsure: choices.choose('stops when unsure', 2) === 1,
      note,
    });
    const network = new Network({
      timeline,
      choices,
      faults,
      service: this.service,
      leaves: (...leaving) => witness.leaves(...leaving),
      crossed: (key) => witness.crossed.add(key),
      copied: (request) => witness.copied.add(request.headers['idempotency-key'] ?? ''),
      answeredByGateway: (request) => witness.answeredBare(request, true),
      reached: (...arrival) => witness.reached(...arrival),
      note,
    });
    this.#deployment = new Deployment(this.service, [CLIENT, OTHER_CLIENT, OTHER_BANK]);
    stockUp(this.service, this.#plan, CLIENT);
    this.#fleet = new Fleet({
      names: ['p', 'q', 'r'].slice(0, processes),
      timeline,
      choices,
      faults,
      witness,
      network,
      store: this.#store,
      deployment: this.#deployment,
      plan: this.#plan,
      note,
    });
  }

  /** Lets the application work amid faults. */
  async live(): Promise<void> {
    this.#fleet.start();
    if (this.faults.strikes('key rotated')) {
      const ms = 1_000 * this.#choices.choose('rotation', 120);
      this.timeline.after(ms, () => this.#deployment.rotate(CLIENT));
    }
    let isOver = false;
    this.timeline.after(LIVE_MS, () => {
      isOver = true;
    });
    await this.timeline.play(
      () => isOver || this.#fleet.isDone || this.witness.violations.length > 0,
      MAX_STEPS,
    );
  }

  /** The faults end and time passes; then everything that the service knows must come to light. */
  async calmDown(): Promise<void> {
    this.faults.end();
    this.#fleet.calm();
    await this.#toEnd('calm', async () => {
      await this.timeline.sleep(CALM_MS);
      // A store that a fault has stopped shows it only when it is used, and goes on when it is opened again.
      for (let tries = 0; tries < 4; tries += 1) {
        await this.#fleet.recoverAll();
        const application = await this.#fleet.any();
        await application.settleAll();
        if (!application.isStuck) return;
      }
      this.witness.violated('store stuck', 'it does nothing, though nothing is wrong any more');
    });
    for (const detail of unsettled(this.outcome)) this.witness.violated('left open', detail);
    for (const call of this.witness.calls) {
      if (!call.isOver) this.witness.violated('never settled', `${call.what} ${call.key} of ${call.process}`);
    }
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
    const ours = told.filter(
      ({ order, key, account }) =>
        order > since &&
        account === 'sandbox' &&
        store.find(account, key)?.content.identity.clientId === CLIENT,
    );
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
    this.#store.close();
  }

  get outcome(): Outcome {
    const { sent, calls, told, writes, store, crossed, copied, hidden, unnamed } = this.witness;
    const usedBefore = new Map(
      this.#plan.bids.flatMap(({ key, usedBefore: how }) =>
        key === undefined || how === undefined ? [] : [[key, how] as const],
      ),
    );
    return {
      sent,
      calls,
      told,
      writes,
      rows: store.rows,
      restores: store.restores,
      ledger: this.service.ledger,
      now: this.timeline.now,
      // A restored store doesn't know of the first of two verdicts.
      muddled: new Set([
        ...usedBefore.keys(),
        ...(store.restores.length > 0 ? this.service.contradicted : []),
      ]),
      usedBefore,
      unprovable: this.service.parts.manners.receiptNamesBid ? new Set() : unnamed,
      crossed,
      refusedTwice: this.#checksAccessFirst ? copied : new Set(),
      hidden: new Set(
        [...hidden].flatMap(([key, { byGateway, bare }]) => (byGateway > 0 && bare > 1 ? [key] : [])),
      ),
      misled: this.#fleet.misled,
      giveUpAt,
      wasRead: (bid) => this.witness.wasRead(bid),
      storeText: this.#store.content(),
      secrets: this.#deployment.secrets,
    };
  }

  async #toEnd(what: string, work: () => Promise<void>): Promise<void> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work().then(end, (error: unknown) => {
      this.witness.violated(
        'strange error',
        `${what}: ${error instanceof Error ? error.stack : String(error)}`,
      );
      end();
    });
    if (!(await this.timeline.play(() => isOver, MAX_STEPS))) this.witness.violated('stuck', what);
  }
}

function isFinal(status: string): boolean {
  return status === 'accepted' || status === 'rejected' || status === 'done';
}

function limitsOf({ perBid, perBuyer, perLot }: PlannedLimits): Limits {
  return { perBid: paiseOf(perBid), perBuyer: paiseOf(perBuyer), perLot: paiseOf(perLot) };
}

/** When an intent whose effect is unknown is given up, at the earliest. */
function giveUpAt({ content }: StoreWrite): number {
  const { log, target, bid } = content;
  // It is not sent again, and a command cannot be looked up.
  if (log.some(({ type }) => type === 'restored')) return Number.NEGATIVE_INFINITY;
  const inserted = log[0]?.at ?? 0;
  if (bid !== undefined) return inserted + KEY_RETENTION_MS;
  const first = log.find(({ type }) => type === 'attempt')?.at ?? inserted;
  const rememberedUntil = inserted + KEY_RETENTION_MS - 300_000;
  // An attempt is recorded a moment after it was stamped.
  return target?.versioned === true
    ? rememberedUntil
    : Math.min(rememberedUntil, first + UNVERSIONED_MS - 62_000);
}
