import { resources } from '../api/service.js';
import { admit, type Gate } from './access.js';
import { type Arrived, arrive, conclude } from './arrival.js';
import { bounded } from './bounded.js';
import type { RoutedRequest } from './call.js';
import { callName } from './call-names.js';
import { Carrier, type Outcome, replyTo } from './carrier.js';
import { faultReply } from './faults/replies.js';
import { Faults, isRejection } from './faults/waiting.js';
import type { ArmedFault, Fault, FaultPlan } from './faults.js';
import { handlers } from './handlers/all.js';
import { route, skewed } from './intake.js';
import { logLines } from './log.js';
import { NonceMemory } from './nonces.js';
import { RateLimit } from './rate-limit.js';
import { messageOnly } from './replies.js';
import { Router } from './router.js';
import type { WireReply, WireRequest } from './wire.js';
import { wireReply } from './wire-reply.js';
import type { World } from './world.js';

/** The auction service: a request in, a reply or a cut connection out. It knows no sockets. */
export class Service {
  readonly #world: World;
  readonly #gate: Gate;
  readonly #router = new Router(resources);
  readonly #faults: Faults;
  readonly #carrier: Carrier;

  constructor(world: World) {
    this.#world = world;
    this.#gate = {
      nonces: new NonceMemory(world),
      rate: new RateLimit(world.clock, world.settings.rateLimit),
    };
    this.#faults = new Faults((id) => world.parties.find(id) !== undefined);
    this.#carrier = new Carrier(world);
  }

  /** Answers a request; never rejects. */
  handle(wire: WireRequest): Promise<WireReply | 'drop'> {
    // What is due by now has happened before the request.
    this.#world.clock.catchUp();
    return this.#take(wire, this.#faults);
  }

  /** Plans a fault; the returned function withdraws it. */
  inject(plan: FaultPlan): () => void {
    return this.#faults.inject(plan);
  }

  /** The faults that still wait. */
  armed(): readonly ArmedFault[] {
    return this.#faults.armed();
  }

  /** Cuts off every request that a fault still holds. */
  close(): void {
    this.#carrier.close();
  }

  /** Takes a request in, among the faults that may strike it. */
  async #take(wire: WireRequest, faults: Faults): Promise<WireReply | 'drop'> {
    const arrived = arrive(this.#world, wire);
    let outcome: Outcome;
    try {
      outcome = await this.#answer(wire, arrived, faults);
    } catch (error) {
      outcome = { reply: replyTo(error) };
    }
    conclude(arrived, outcome === 'drop' ? 'drop' : outcome.reply);
    this.#log(arrived);
    if (outcome === 'drop') return 'drop';
    const { clock, settings } = this.#world;
    return wireReply(outcome, clock.now() + skewOf(faults, arrived), settings.variants);
  }

  async #answer(wire: WireRequest, arrived: Arrived, faults: Faults): Promise<Outcome> {
    const routed = route(this.#world, this.#router, wire, arrived);
    const { operation, json } = routed;
    const { id } = operation;
    const sent = 'object' in json ? bounded(json.object) : null;
    arrived.learn({ operation: id, call: callName(operation), request: sent });
    const request = skewed(routed, faults.skewFor(arrived.attempt));
    const inFront = struckBy(faults, arrived, 'front');
    if (inFront !== undefined) return this.#struckInFront(inFront, request, wire);
    const party = admit(request, wire, this.#gate, arrived);
    const handler = handlers.get(id);
    if (handler === undefined) {
      const message = `This sandbox does not answer ${id} yet; docs/sandbox.md lists what it does.`;
      return { reply: messageOnly(404, message) };
    }
    const fault = struckBy(faults, arrived, 'inner');
    return this.#carrier.carry({ ...request, party, imposed: imposedBy(fault, id) }, handler, fault);
  }

  #struckInFront(fault: Fault, request: RoutedRequest, wire: WireRequest): Outcome {
    if (fault.fault === 'late_copy') {
      this.#world.clock.after(fault.ms, () => void this.#take(wire, noFaults));
    }
    const reply = faultReply(fault, request);
    return reply === undefined ? 'drop' : { reply };
  }

  #log(arrived: Arrived): void {
    const { log } = this.#world.settings;
    if (log === null) return;
    try {
      for (const line of logLines(arrived.attempt())) log(line);
    } catch {
      // Whoever writes the log can't stop the service.
    }
  }
}

const noFaults = new Faults(() => false);

function struckBy(faults: Faults, { attempt, learn }: Arrived, stage: 'front' | 'inner'): Fault | undefined {
  const fault = faults.strike(attempt, stage);
  if (fault !== undefined) learn({ fault: fault.fault });
  return fault;
}

/** A clock that is ahead is so in every reply, that to a request which nothing routes too. */
function skewOf(faults: Faults, { attempt }: Arrived): number {
  try {
    return faults.skewFor(attempt);
  } catch {
    // What its where() threw is the reply by now.
    return 0;
  }
}

function imposedBy(fault: Fault | undefined, operation: string) {
  if (fault?.fault !== 'refuse' || fault.code === undefined || !isRejection(fault, operation)) return [];
  return [fault.code];
}
