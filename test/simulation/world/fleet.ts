import { Application } from '../app/application.js';
import type { Plan } from '../app/plan.js';
import type { Witness } from '../checks/witness.js';
import type { Choices } from './choices.js';
import type { Snapshot } from './database.js';
import {
  clientOf,
  type Deployment,
  isRight,
  ORIGIN,
  OTHER_BANK,
  OTHER_CLIENT,
  OTHER_ORIGIN,
  rightSetup,
  type Setup,
} from './deployment.js';
import type { Faults } from './faults.js';
import type { Network } from './network.js';
import { FAR_MS, SimulatedProcess } from './process.js';
import type { SharedStore } from './store.js';
import type { Timeline } from './timeline.js';

export interface FleetParts {
  readonly names: readonly string[];
  readonly timeline: Timeline;
  readonly choices: Choices;
  readonly faults: Faults;
  readonly witness: Witness;
  readonly network: Network;
  readonly store: SharedStore;
  readonly deployment: Deployment;
  readonly plan: Plan;
  note(line: string): void;
}

/** One process of the user's, through its lives. */
interface Slot {
  readonly name: string;
  readonly host: string;
  life: number;
  process: SimulatedProcess | undefined;
  application: Application | undefined;
  setup: Setup;
  /** Its plan is carried out. */
  isDone: boolean;
}

const RESTART_MS = [1_000, 20_000, 130_000, 400_000] as const;
const SKEW_MS = [0, 0, 0, 20_000, -20_000, 200_000, -200_000, 290_000, -290_000, 400_000, -400_000] as const;

/** When a backup is made, and how long after it is needed, ms. */
const BACKUP_MS = [1_000, 30, 100, 10_000, 60_000, 400_000] as const;
const NEEDED_MS = [5_000, 50, 500, 60_000, 400_000] as const;

/** The user's processes: started, ended, and started again. */
export class Fleet {
  /** Processes whose clock could not be relied on at some time. */
  readonly misled = new Set<string>();
  readonly #parts: FleetParts;
  readonly #slots: readonly Slot[];
  readonly #setups = new Map<string, Setup>();
  readonly #onceKeys = new Map<string, string[]>();
  #isCalm = false;
  /** A backup was restored, and nobody has declared that yet. */
  #isUndeclared = false;
  #hasBackup = false;

  constructor(parts: FleetParts) {
    this.#parts = parts;
    const together = parts.choices.choose('one host', 2) === 0;
    this.#slots = parts.names.map((name, index) => ({
      name,
      host: together ? 'host' : `host${index}`,
      life: 0,
      process: undefined,
      application: undefined,
      setup: rightSetup,
      isDone: false,
    }));
  }

  get isDone(): boolean {
    return !this.#isUndeclared && this.#slots.every((slot) => slot.isDone);
  }

  setupOf(process: SimulatedProcess): Setup {
    return this.#setups.get(process.name) ?? rightSetup;
  }

  start(): void {
    for (const slot of this.#slots) this.#live(slot);
    const { faults, timeline, choices, plan } = this.#parts;
    // Who doesn't know the keys of its bids can't take a backup up again.
    const knowsKeys = plan.bids.every(({ key, by }) => key !== undefined || by === 'once');
    if (knowsKeys && faults.strikes('backup restored')) {
      this.#hasBackup = true;
      const pick = (label: string, from: readonly number[]) => from[choices.choose(label, from.length)] ?? 0;
      timeline.after(pick('backup', BACKUP_MS), () => {
        const backup = this.#parts.store.snapshot();
        timeline.after(pick('needed', NEEDED_MS), () => this.#restore(backup));
      });
    }
  }

  /** Nobody starts anything new, and what has stopped or is set up wrongly is ended. */
  calm(): void {
    this.#isCalm = true;
    for (const { process, application, setup } of this.#slots) {
      const isWrong = application?.isStuck !== false || !isRight(setup) || process?.clockIsFarOff !== false;
      if (isWrong) process?.crash('because something is wrong with it');
    }
  }

  /** Every application that is still there recovers what its own process has left. */
  async recoverAll(): Promise<void> {
    for (const { process, application } of this.#slots) {
      if (process?.isDead === false) await application?.recover(false);
      if (application?.isStuck === true) process?.crash('because its store is stuck');
    }
  }

  /** An application that is well, started where there is none. */
  async any(): Promise<Application> {
    for (const { process, application, setup } of this.#slots) {
      const isWell = process?.isDead === false && application?.isStuck === false && !process.clockIsFarOff;
      if (isWell && isRight(setup) && application !== undefined) return this.#declared(application);
    }
    const slot = this.#slots[0];
    if (slot === undefined) throw new Error('A fleet without processes');
    slot.process?.crash('to be set up right');
    return this.#declared(this.#begin(slot));
  }

  /** All processes end. */
  endAll(): void {
    for (const { process } of this.#slots) process?.crash('for the last time');
  }

  async #declared(application: Application): Promise<Application> {
    if (this.#isUndeclared) this.#isUndeclared = !(await application.declareRestored());
    return application;
  }

  #restore(backup: Snapshot): void {
    const { store, note } = this.#parts;
    if (this.#isCalm || backup.size === 0) return;
    this.#isUndeclared = true;
    for (const { process } of this.#slots) process?.crash('because the store is lost');
    store.restore(backup);
    this.#onceKeys.clear();
    note('store: an earlier state of it is put back');
  }

  #live(slot: Slot): void {
    const application = this.#begin(slot);
    const { process } = slot;
    const isFirst = slot === this.#slots[0];
    const live = async () => {
      if (this.#isUndeclared && isFirst) await this.#declared(application);
      // What a restored store holds is touched by nobody before that.
      while (this.#isUndeclared) await process?.wait(1_000);
      await application.live(slot.life > 1);
    };
    live().then(
      () => {
        if (application.isStuck && !this.#isCalm && slot.life < 8)
          process?.crash('because its store is stuck');
        else slot.isDone = true;
      },
      (error: unknown) => {
        const text = error instanceof Error ? error.stack : String(error);
        this.#parts.witness.violated('strange error', `application: ${text}`);
      },
    );
  }

  #begin(slot: Slot): Application {
    const { timeline, choices, faults, witness, network, store, deployment, plan, note } = this.#parts;
    slot.life += 1;
    slot.setup = this.#setup(slot);
    const process = new SimulatedProcess({
      timeline,
      choices,
      faults,
      name: `${slot.name}${slot.life}`,
      host: slot.host,
      skewMs: this.#skew(),
      onCrash: () => this.#crashed(slot),
      onMisled: () => this.misled.add(process.name),
      note,
    });
    this.#setups.set(process.name, slot.setup);
    const client = clientOf(process, {
      network,
      store: store.connect(process),
      deployment,
      setup: slot.setup,
      riskLimits: plan.riskLimits,
    });
    slot.process = process;
    const application = new Application({
      process,
      client,
      setup: slot.setup,
      plan,
      choices,
      witness,
      onceKeys: slot.setup.label === undefined ? this.#onceKeys : new Map(),
      serverNow: () => timeline.now,
      aborts: () => faults.strikes('caller aborts'),
      halts: () => faults.strikes('bidding halted'),
    });
    slot.application = application;
    const { clientId, origin, formerOrigins, label } = slot.setup;
    note(`${process.name}: begins as ${clientId} ${label ?? ''} at ${origin}, once ${formerOrigins.join()}`);
    return application;
  }

  /** A process that starts again may be set up in another way: rightly, or by mistake. */
  #setup({ life }: Slot): Setup {
    const { faults, plan } = this.#parts;
    // Without a key of its own, a bid can't be recognised under other credentials.
    if (life === 1 || this.#isUndeclared || this.#isCalm) return rightSetup;
    const knowsKeys = plan.bids.every(({ key, by }) => key !== undefined || by === 'once');
    if (knowsKeys && faults.strikes('client id changed')) return { ...rightSetup, clientId: OTHER_CLIENT };
    // A backup is declared for each account, and only one is declared here.
    if (knowsKeys && !this.#hasBackup && faults.strikes('account label given')) {
      return { ...rightSetup, clientId: OTHER_BANK, label: 'other' };
    }
    if (!faults.strikes('base URL changed')) return rightSetup;
    const formerOrigins = faults.strikes('former origin left out') ? [] : [ORIGIN];
    return { ...rightSetup, origin: OTHER_ORIGIN, formerOrigins };
  }

  #crashed(slot: Slot): void {
    const { timeline, choices, witness } = this.#parts;
    for (const call of witness.calls) if (call.process === slot.process?.name) call.isOver = true;
    if (this.#isCalm) return;
    slot.isDone = false;
    const ms = RESTART_MS[choices.choose('restart', RESTART_MS.length)] ?? 0;
    timeline.after(ms, () => {
      if (!this.#isCalm) this.#live(slot);
    });
  }

  /** How far the wall clock of a machine is off. */
  #skew(): number {
    const { faults, choices } = this.#parts;
    if (!faults.strikes('wall clock off')) return 0;
    if (faults.strikes('wall clock 40 days off')) return choices.choose('far', 2) === 0 ? FAR_MS : -FAR_MS;
    const ms = SKEW_MS[choices.choose('skew', SKEW_MS.length)] ?? 0;
    if (Math.abs(ms) > 300_000) faults.note('wall clock off by more than the window');
    return ms;
  }
}
