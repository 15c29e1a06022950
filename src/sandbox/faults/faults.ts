import type { Attempt, LoggedRequest } from '../http/attempts.js';
import { messageOnly, Refusal } from '../http/replies.js';
import { checkPlan, type Fault, type FaultPlan, isRejection } from './fault.js';

/** The faults that wait for their requests. */
export class Faults {
  readonly #isClient: (id: string) => boolean;
  readonly #waiting: ArmedFault[] = [];
  #planned = 0;

  /** `isClient` knows the sandbox's clients. */
  constructor(isClient: (id: string) => boolean) {
    this.#isClient = isClient;
  }

  /** Plans a fault; the returned function withdraws it. Throws a RangeError for one that can't be meant. */
  inject(plan: FaultPlan): () => void {
    checkPlan(plan, this.#isClient);
    this.#planned += 1;
    const { nth = 1, times = plan.fault === 'skew' ? Number.POSITIVE_INFINITY : 1 } = plan;
    const withdraw = () => this.#remove(waiting);
    const waiting: ArmedFault = { n: this.#planned, plan, toPass: nth - 1, left: times, withdraw };
    this.#waiting.push(waiting);
    return withdraw;
  }

  /**
   * The fault that strikes this request at this stage, if any. `front` faults come from something before the
   * service, which never sees the request; `inner` ones strike requests that have been let in.
   */
  strike(logged: LoggedRequest, stage: 'front' | 'inner'): Fault | undefined {
    if (this.#waiting.length === 0) return undefined;
    let struck: Fault | undefined;
    const isAt = (plan: FaultPlan, { operation }: Attempt) => stageOf(plan, operation) === stage;
    for (const waiting of this.#matching(logged, isAt)) {
      if (waiting.toPass > 0) {
        waiting.toPass -= 1;
      } else if (struck === undefined) {
        struck = waiting.plan;
        waiting.left -= 1;
        if (waiting.left === 0) this.#remove(waiting);
      }
    }
    return struck;
  }

  /** How far ahead the service's clock is for this request, milliseconds. */
  skewFor(logged: LoggedRequest): number {
    if (this.#waiting.length === 0) return 0;
    return this.#matching(logged, ({ fault }) => fault === 'skew')
      .map(({ plan }) => (plan.fault === 'skew' ? plan.ms : 0))
      .reduce((sum, ms) => sum + ms, 0);
  }

  /** What still waits, in the order planned; the inspector shows it. */
  armed(): readonly ArmedFault[] {
    return [...this.#waiting];
  }

  #matching(logged: LoggedRequest, concerns: (plan: FaultPlan, attempt: Attempt) => boolean): ArmedFault[] {
    const known = logged.attempt();
    return this.#waiting.filter(({ plan }) => concerns(plan, known) && isMeant(plan, known));
  }

  #remove(waiting: ArmedFault): void {
    const at = this.#waiting.indexOf(waiting);
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}

/** A fault that waits for its requests. */
export interface ArmedFault {
  /** Runs from 1. */
  readonly n: number;
  readonly plan: FaultPlan;
  /** How many requests that match it lets pass before it strikes. */
  toPass: number;
  /** How many it has yet to strike. */
  left: number;
  readonly withdraw: () => void;
}

function isMeant({ operation, client, where }: FaultPlan, attempt: Attempt): boolean {
  if (operation !== undefined && operation !== attempt.operation && operation !== attempt.call) return false;
  if (client !== undefined && client !== attempt.clientId) return false;
  try {
    return where === undefined || where(attempt);
  } catch (error) {
    throw new Refusal(messageOnly(500, `The where() of an injected fault threw ${String(error)}.`));
  }
}

/** Where a fault strikes; the skew of a clock strikes nowhere in particular. */
function stageOf(plan: Fault, operation: string | null): 'front' | 'inner' | undefined {
  switch (plan.fault) {
    case 'skew':
      return undefined;
    case 'late_copy':
      return 'front';
    case 'refuse':
      return plan.commit || isRejection(plan, operation) ? 'inner' : 'front';
    case 'rate_limit':
    case 'garbage':
    case 'redirect':
      return plan.commit ? 'inner' : 'front';
    default:
      return 'inner';
  }
}
