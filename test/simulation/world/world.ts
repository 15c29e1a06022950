import { type Plan, planned } from '../app/plan.js';
import { unsettled } from '../checks/liveness.js';
import type { Outcome } from '../checks/verdict.js';
import { Witness } from '../checks/witness.js';
import { Service } from '../service/service.js';
import type { Choices } from './choices.js';
import { CLIENT, Deployment, HORIZON_MS, OTHER_CLIENT } from './deployment.js';
import { type FaultPoint, Faults } from './faults.js';
import { FileStorage } from './file-storage.js';
import { Fleet } from './fleet.js';
import { Network } from './network.js';
import { moodsOf, type Settings } from './settings.js';
import { SharedJournal } from './shared-journal.js';
import { stockUp } from './stock.js';
import type { Storage } from './storage.js';
import { Timeline } from './timeline.js';

const START = Date.parse('2026-03-02T06:00:00Z');
/** True time that a run may take amid faults, ms. */
const LIVE_MS = 7_200_000;
/** Past the fence, and past every lease, ms. */
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
  readonly #storage: Storage;
  readonly #deployment: Deployment;
  readonly #plan: Plan;
  readonly #fleet: Fleet;

  constructor(choices: Choices, settings: Settings, free: readonly FaultPoint[]) {
    const { timeline } = this;
    const note = (line: string) => void this.trace.push(`${(timeline.now - START) / 1000} ${line}`);
    const journal = settings.journal ?? (choices.choose('journal', 2) === 0 ? 'shared' : 'file');
    const faults = new Faults(choices, {
      moods: moodsOf(choices, settings.moods),
      rates: settings.rates,
      crashes: settings.crashes ?? 4,
      free,
    });
    this.#choices = choices;
    this.faults = faults;
    this.service = new Service({
      timeline,
      choices,
      manners: {
        remembersMs: choices.choose('forgets', 2) === 1 ? HORIZON_MS + 1_200_000 : Number.POSITIVE_INFINITY,
        receiptNamesBid: choices.choose('receipt', 2) === 0,
        wholeSeconds: choices.choose('precision', 2) === 1,
        conflictAsMessage: choices.choose('conflict as message', 2) === 1,
      },
      strikes: (point) => faults.strikes(point),
      note,
    });
    const witness = new Witness({
      holds: (key, nonce) => this.#storage.holds(key, nonce),
      isOneAccount: () => !this.#fleet.wasMisconfigured,
      now: () => timeline.now,
      note,
    });
    this.witness = witness;
    const { watch } = witness;
    const Kind = journal === 'file' ? FileStorage : SharedJournal;
    this.#storage = new Kind({ timeline, choices, faults, watch });
    const network = new Network({
      timeline,
      choices,
      faults,
      service: this.service,
      leaves: (...leaving) => witness.leaves(...leaving),
      reached: (...arrival) => witness.reached(...arrival),
      note,
    });
    this.#deployment = new Deployment(this.service, [CLIENT, OTHER_CLIENT]);
    this.#plan = planned(choices, START, journal === 'file');
    stockUp(this.service, this.#plan, CLIENT);
    this.#fleet = new Fleet({
      names: journal === 'file' ? ['p'] : ['p', 'q'],
      timeline,
      choices,
      faults,
      witness,
      network,
      storage: this.#storage,
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
      // A journal that a fault has stopped shows it only when it is used, and goes on when it is opened again.
      for (let tries = 0; tries < 4; tries += 1) {
        const application = this.#fleet.any();
        await application.settleAll();
        if (!application.isStuck) return;
      }
      this.witness.violated('journal stuck', 'it does nothing, though nothing is wrong any more');
    });
    for (const detail of unsettled(this.outcome)) this.witness.violated('left open', detail);
    for (const call of this.witness.calls) {
      if (!call.isOver) this.witness.violated('never settled', `${call.what} ${call.key} of ${call.process}`);
    }
  }

  /** What was final must be in the journal: the service has forgotten, and the processes have ended. */
  async rememberWithoutService(): Promise<void> {
    const { told, sent } = this.witness;
    const ours = new Set(sent.filter(({ client }) => client === CLIENT).map(({ key }) => key));
    const last = new Map(told.map(({ key, status }) => [key, status] as const));
    const final = [...last].filter(([key, status]) => isFinal(status) && ours.has(key));
    this.service.ledger.forget();
    this.#fleet.endAll();
    await this.#toEnd('without the service', async () => {
      const application = this.#fleet.any();
      for (const [key] of final) await application.reconcile(key);
    });
    for (const [key, status] of final) {
      const now = told.findLast((report) => report.key === key)?.status;
      if (now !== status) this.witness.violated('lost', `${key} was ${status}, and is ${now} now`);
    }
  }

  get outcome(): Outcome {
    const { sent, calls, told, journal, foreign, rejected, accepted } = this.witness;
    const usedBefore = this.#plan.bids
      .filter((bid) => bid.usedBefore !== undefined)
      .map(({ key = '' }) => key);
    const misaddressed = this.#fleet.wasMisconfigured ? told.map(({ key }) => key) : [];
    return {
      sent,
      calls,
      told,
      journal,
      foreign,
      rejected,
      accepted,
      now: this.timeline.now,
      client: CLIENT,
      resendableMs:
        this.faults.counts.has('wall clock off') || this.faults.counts.has('wall clock steps')
          ? 0
          : 1_500_000,
      ledger: this.service.ledger,
      refused: this.service.refused,
      muddled: new Set([...usedBefore, ...this.service.contradicted, ...misaddressed]),
      journalText: this.#storage.content(),
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
  return status === 'accepted' || status === 'rejected';
}
