import { Application } from '../app/application.js';
import type { Snapshot } from './database.js';
import {
  accountOf,
  clientOf,
  isRight,
  ORIGIN,
  OTHER_BANK,
  OTHER_CLIENT,
  OTHER_LABEL,
  OTHER_ORIGIN,
  rightSetup,
  type Setup,
} from './deployment.js';
import type { Settings } from './faults.js';
import { FAR_MS, SimulatedProcess } from './process.js';
import type { World } from './world.js';

/** One process of the user's, through its lives. */
interface Slot {
  readonly name: string;
  readonly host: string;
  life: number;
  application: Application | undefined;
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
  readonly #world: World;
  readonly #slots: readonly Slot[];
  /** They are threads of one process, which outlives them. */
  readonly #areThreads: boolean;
  /** All of them place the batch, not only the first. */
  readonly #shareBatch: boolean;
  readonly #all: SimulatedProcess[] = [];
  readonly #onceKeys = new Map<string, string[]>();
  #isCalm = false;
  /** A backup was restored, and nobody has declared that yet. */
  #isUndeclared = false;
  #hasBackup = false;

  constructor(world: World, names: readonly string[], { threads, sharedBatch }: Settings) {
    this.#world = world;
    this.#shareBatch =
      world.plan.batch.length > 0 && (sharedBatch ?? world.choices.choose('shared batch', 3) === 2);
    const together = world.choices.choose('one host', 2) === 0 || threads === true;
    this.#areThreads = together && (threads ?? world.choices.choose('threads', 4) === 3);
    this.#slots = names.map((name, index) => {
      const host = together ? 'host' : `host${index}`;
      return { name, host, life: 0, application: undefined, isDone: false };
    });
  }

  get isDone(): boolean {
    return !this.#isUndeclared && this.#slots.every((slot) => slot.isDone);
  }

  /** Processes whose clock could not be relied on at some time. */
  get misled(): ReadonlySet<string> {
    return new Set(this.#all.flatMap(({ name, wasMisled }) => (wasMisled ? [name] : [])));
  }

  /** Who doesn't know the keys of its bids can't recognise them under other credentials, or in a backup. */
  get #knowsKeys(): boolean {
    return this.#world.plan.bids.every(({ key, by }) => key !== undefined || by === 'once');
  }

  start(): void {
    for (const slot of this.#slots) this.#live(slot);
    const { faults, timeline, choices, store } = this.#world;
    if (!this.#knowsKeys || !faults.strikes('backup restored')) return;
    this.#hasBackup = true;
    const pick = (label: string, from: readonly number[]) => from[choices.choose(label, from.length)] ?? 0;
    timeline.after(pick('backup', BACKUP_MS), () => {
      const backup = store.snapshot();
      timeline.after(pick('needed', NEEDED_MS), () => this.#restore(backup));
    });
  }

  /** Nobody starts anything new, and what has stopped or is set up wrongly is ended. */
  calm(): void {
    this.#isCalm = true;
    for (const { application } of this.#slots) {
      if (application !== undefined && !isWell(application))
        application.process.crash('because something is wrong with it');
    }
  }

  /** Every application that is still there recovers what its own process has left. */
  async recoverAll(): Promise<void> {
    for (const { application } of this.#slots) {
      if (application?.process.isDead === false) await application.recover(false);
      if (application?.isStuck === true) application.process.crash('because its store is stuck');
    }
  }

  /** An application that is well, started where there is none. */
  async any(): Promise<Application> {
    for (const { application } of this.#slots) {
      if (application === undefined || application.process.isDead) continue;
      if (isWell(application)) return this.#declared(application);
    }
    const [slot] = this.#slots;
    if (slot === undefined) throw new Error('A fleet without processes');
    slot.application?.process.crash('to be set up right');
    return this.#declared(this.#begin(slot));
  }

  /** The same client under a label that it was given later. */
  async relabelled(): Promise<Application> {
    const [slot] = this.#slots;
    if (slot === undefined) throw new Error('A fleet without processes');
    slot.application?.process.crash('to be given a label');
    return this.#declared(this.#begin(slot, { ...rightSetup, label: OTHER_LABEL }));
  }

  /** All processes end. */
  endAll(): void {
    for (const { application } of this.#slots) application?.process.crash('for the last time');
  }

  async #declared(application: Application): Promise<Application> {
    if (this.#isUndeclared) this.#isUndeclared = !(await application.declareRestored());
    return application;
  }

  #restore(backup: Snapshot): void {
    const { store, note } = this.#world;
    if (this.#isCalm || backup.size === 0) return;
    this.#isUndeclared = true;
    for (const { application } of this.#slots) application?.process.crash('because the store is lost');
    store.restore(backup);
    this.#onceKeys.clear();
    note('store: an earlier state of it is put back');
  }

  #live(slot: Slot): void {
    const application = this.#begin(slot);
    const { process } = application;
    const isFirst = slot === this.#slots[0];
    const live = async () => {
      if (this.#isUndeclared && isFirst) await this.#declared(application);
      // What a restored store holds is touched by nobody before that.
      while (this.#isUndeclared) await process.wait(1_000);
      await application.live(slot.life > 1);
    };
    live().then(
      () => {
        if (application.isStuck && !this.#isCalm && slot.life < 8)
          process.crash('because its store is stuck');
        else slot.isDone = true;
      },
      (error: unknown) => this.#world.witness.strange('application', error),
    );
  }

  #begin(slot: Slot, given?: Setup): Application {
    slot.life += 1;
    const setup = given ?? this.#setup(slot);
    const name = `${slot.name}${slot.life}`;
    const process = new SimulatedProcess(this.#world, {
      name,
      host: slot.host,
      pid: this.#areThreads ? 1 : this.#all.length + 2,
      thread: this.#all.length + 2,
      skewMs: this.#skew(),
      setup,
      onCrash: () => this.#crashed(slot, name),
    });
    this.#all.push(process);
    const onceKeys = setup.label === undefined ? this.#onceKeys : new Map<string, string[]>();
    const client = clientOf(process, this.#world);
    const hasBatch = slot === this.#slots[0] || this.#shareBatch;
    slot.application = new Application(process, client, this.#world, { onceKeys, hasBatch });
    this.#world.inbox?.join(process);
    const { clientId, origin, formerOrigins } = setup;
    this.#world.note(
      `${name}: begins as ${clientId} in ${accountOf(setup)} at ${origin}, once ${formerOrigins.join()}`,
    );
    return slot.application;
  }

  /** A process that starts again may be set up in another way: rightly, or by mistake. */
  #setup({ life }: Slot): Setup {
    const { faults } = this.#world;
    if (life === 1 || this.#isUndeclared || this.#isCalm) return rightSetup;
    const knowsKeys = this.#knowsKeys;
    if (knowsKeys && faults.strikes('client id changed')) return { ...rightSetup, clientId: OTHER_CLIENT };
    // A backup is declared for each account, and only one is declared here.
    if (knowsKeys && !this.#hasBackup && faults.strikes('account label given')) {
      return { ...rightSetup, clientId: OTHER_BANK, label: 'other' };
    }
    if (knowsKeys && faults.strikes('environment mistaken')) {
      return { ...rightSetup, environment: 'production' };
    }
    if (knowsKeys && !this.#hasBackup && faults.strikes('account label changed')) {
      return { ...rightSetup, label: OTHER_LABEL };
    }
    if (!faults.strikes('base URL changed')) return rightSetup;
    const formerOrigins = faults.strikes('former origin left out') ? [] : [ORIGIN];
    return { ...rightSetup, origin: OTHER_ORIGIN, formerOrigins };
  }

  #crashed(slot: Slot, name: string): void {
    const { timeline, choices, witness } = this.#world;
    for (const call of witness.calls) if (call.process === name) call.isOver = true;
    if (this.#isCalm) return;
    slot.isDone = false;
    const ms = RESTART_MS[choices.choose('restart', RESTART_MS.length)] ?? 0;
    timeline.after(ms, () => {
      if (!this.#isCalm) this.#live(slot);
    });
  }

  /** How far the wall clock of a machine is off. */
  #skew(): number {
    const { faults, choices } = this.#world;
    if (!faults.strikes('wall clock off')) return 0;
    if (faults.strikes('wall clock 40 days off')) return choices.choose('far', 2) === 0 ? FAR_MS : -FAR_MS;
    const ms = SKEW_MS[choices.choose('skew', SKEW_MS.length)] ?? 0;
    if (Math.abs(ms) > 300_000) faults.note('wall clock off by more than the window');
    return ms;
  }
}

/** Whether an application is set up right, and nothing is wrong with its store and its clock. */
function isWell({ process, isStuck }: Application): boolean {
  return !isStuck && !process.clockIsFarOff && isRight(process.setup);
}
