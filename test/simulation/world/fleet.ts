import { Application } from '../app/application.js';
import type { Plan } from '../app/plan.js';
import type { Witness } from '../checks/witness.js';
import type { Choices } from './choices.js';
import { CLIENT, clientOf, type Deployment, OTHER_CLIENT } from './deployment.js';
import type { Faults } from './faults.js';
import type { Network } from './network.js';
import { SimulatedProcess } from './process.js';
import type { Storage } from './storage.js';
import type { Timeline } from './timeline.js';

export interface FleetParts {
  readonly names: readonly string[];
  readonly timeline: Timeline;
  readonly choices: Choices;
  readonly faults: Faults;
  readonly witness: Witness;
  readonly network: Network;
  readonly storage: Storage;
  readonly deployment: Deployment;
  readonly plan: Plan;
  note(line: string): void;
}

/** One process of the user's, through its lives. */
interface Slot {
  readonly name: string;
  life: number;
  process: SimulatedProcess | undefined;
  application: Application | undefined;
  clientId: string;
  /** Its plan is carried out. */
  isDone: boolean;
}

const RESTART_MS = [1_000, 20_000, 130_000, 400_000] as const;
const SKEW_MS = [0, 0, 0, 20_000, -20_000, 200_000, -200_000, 290_000, -290_000, 400_000, -400_000] as const;

/** The user's processes: started, ended, and started again. */
export class Fleet {
  /** A process ran with credentials of another API client. */
  wasMisconfigured = false;
  readonly #parts: FleetParts;
  readonly #slots: readonly Slot[];
  #isCalm = false;

  constructor(parts: FleetParts) {
    this.#parts = parts;
    this.#slots = parts.names.map((name) => ({
      name,
      life: 0,
      process: undefined,
      application: undefined,
      clientId: CLIENT,
      isDone: false,
    }));
  }

  get isDone(): boolean {
    return this.#slots.every((slot) => slot.isDone);
  }

  start(): void {
    for (const slot of this.#slots) this.#live(slot);
  }

  /** Nobody starts anything new. */
  calm(): void {
    this.#isCalm = true;
  }

  /** An application that is well, started where there is none. */
  any(): Application {
    for (const { process, application, clientId } of this.#slots) {
      const isWell = process?.isDead === false && clientId === CLIENT && application?.isStuck === false;
      if (isWell && application !== undefined) return application;
    }
    const slot = this.#slots[0];
    if (slot === undefined) throw new Error('A fleet without processes');
    slot.process?.crash('to be set up right');
    return this.#begin(slot);
  }

  /** All processes end, and the power fails. */
  endAll(): void {
    for (const { process } of this.#slots) process?.crash('for the last time');
    this.#parts.storage.powerCut();
  }

  #live(slot: Slot): void {
    const application = this.#begin(slot);
    const { process } = slot;
    application.live(slot.life > 1).then(
      () => {
        if (application.isStuck && !this.#isCalm && slot.life < 8)
          process?.crash('because its journal is stuck');
        else slot.isDone = true;
      },
      (error: unknown) => {
        const text = error instanceof Error ? error.stack : String(error);
        this.#parts.witness.violated('strange error', `application: ${text}`);
      },
    );
  }

  #begin(slot: Slot): Application {
    const { timeline, choices, faults, witness, network, storage, deployment, plan, note } = this.#parts;
    slot.life += 1;
    // Without a key of its own, a bid can't be told again under other credentials.
    const mayChange = slot.life > 1 && plan.bids.every(({ key }) => key !== undefined);
    const isOther = mayChange && faults.strikes('client id changed');
    slot.clientId = isOther ? OTHER_CLIENT : CLIENT;
    this.wasMisconfigured ||= isOther;
    const process = new SimulatedProcess({
      timeline,
      choices,
      faults,
      name: `${slot.name}${slot.life}`,
      skewMs: this.#skew(),
      onCrash: () => this.#crashed(slot),
      note,
    });
    const journal = storage.connect(process);
    const client = clientOf(process, { network, journal, deployment, clientId: slot.clientId });
    slot.process = process;
    const application = new Application({
      process,
      client,
      clientId: slot.clientId,
      plan,
      choices,
      witness,
      serverNow: () => timeline.now,
      aborts: () => faults.strikes('caller aborts'),
    });
    slot.application = application;
    note(`${process.name}: begins as ${slot.clientId}`);
    return application;
  }

  #crashed(slot: Slot): void {
    const { timeline, choices, faults, storage, witness } = this.#parts;
    for (const call of witness.calls) if (call.process === slot.process?.name) call.isOver = true;
    if (!storage.keepsLeases && slot.process !== undefined) witness.leasesEnd(slot.process.name);
    if (this.#isCalm) return;
    if (faults.strikes('power cut at a crash')) storage.powerCut();
    const ms = RESTART_MS[choices.choose('restart', RESTART_MS.length)] ?? 0;
    timeline.after(ms, () => {
      if (!this.#isCalm) this.#live(slot);
    });
  }

  /** How far the wall clock of a machine is off. */
  #skew(): number {
    const { faults, choices } = this.#parts;
    if (!faults.strikes('wall clock off')) return 0;
    const ms = SKEW_MS[choices.choose('skew', SKEW_MS.length)] ?? 0;
    if (Math.abs(ms) > 300_000) faults.note('wall clock off by more than the window');
    return ms;
  }
}
