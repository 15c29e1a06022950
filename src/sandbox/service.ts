import { resources } from '../api/service.js';
import { admit, type Gate } from './access.js';
import type { RoutedRequest } from './call.js';
import { sha256Hex } from './canonical.js';
import { Carrier, type Outcome, replyTo } from './carrier.js';
import { faultReply } from './faults/replies.js';
import { Faults, isRejection } from './faults/waiting.js';
import type { ArmedFault, Fault, FaultPlan } from './faults.js';
import { handlerOf } from './handlers/all.js';
import { route, skewed } from './intake.js';
import { logLines } from './log.js';
import { NonceMemory } from './nonces.js';
import type { Noted } from './noted.js';
import { RateLimit } from './rate-limit.js';
import { Router } from './router.js';
import type { Handle, WireReply, WireRequest } from './wire.js';
import { wireReply } from './wire-reply.js';
import type { World } from './world.js';
import { serialised } from './writing.js';

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

  /** Answers a request, at once unless a fault makes it wait; neither throws nor rejects. */
  handle(wire: WireRequest): ReturnType<Handle> {
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

  /** A number that grows with whatever becomes of a fault. */
  get faultMoves(): number {
    return this.#faults.moves;
  }

  /** Cuts off every request that a fault still holds. */
  close(): void {
    this.#carrier.close();
  }

  /** Takes a request in, among the faults that may strike it. */
  #take(wire: WireRequest, faults: Faults): ReturnType<Handle> {
    const noted = this.#arrive(wire);
    let outcome: Outcome | Promise<Outcome>;
    try {
      outcome = this.#answer(wire, noted, faults);
    } catch (error) {
      outcome = { reply: replyTo(error) };
    }
    if (!(outcome instanceof Promise)) return this.#conclude(noted, faults, outcome);
    return outcome
      .catch((error: unknown): Outcome => ({ reply: replyTo(error) }))
      .then((later) => this.#conclude(noted, faults, later));
  }

  /** Notes that a request arrived. */
  #arrive(wire: WireRequest): Noted {
    const { clock, ids, records } = this.#world;
    const bodySha256 = wire.body === 'too_large' ? null : sha256Hex(wire.body);
    return records.arrive(wire, { at: clock.now(), requestId: ids.next('req'), bodySha256 });
  }

  #answer(wire: WireRequest, noted: Noted, faults: Faults): Outcome | Promise<Outcome> {
    const routed = route(this.#world, this.#router, wire, noted);
    const { operation } = routed;
    const { id } = operation;
    noted.routed(operation, routed.json);
    const request = skewed(routed, faults.skewFor(noted));
    const inFront = struckBy(faults, noted, 'front');
    if (inFront !== undefined) return this.#struckInFront(inFront, request, wire);
    const party = admit(request, wire, this.#gate, noted);
    const fault = struckBy(faults, noted, 'inner');
    return this.#carrier.carry(
      { ...request, party, imposed: imposedBy(fault, id) },
      handlerOf(operation),
      fault,
    );
  }

  /** Notes what became of it, and puts it into bytes. */
  #conclude(noted: Noted, faults: Faults, outcome: Outcome): WireReply | 'drop' {
    if (outcome === 'drop') {
      noted.dropped();
      this.#log(noted);
      return 'drop';
    }
    const { clock, settings } = this.#world;
    const { status, code } = outcome.reply;
    const content = serialised(outcome.reply, settings.variants);
    noted.answered(status, code, content.json);
    this.#log(noted);
    return wireReply(outcome, content, clock.now() + skewOf(faults, noted), settings.variants);
  }

  #struckInFront(fault: Fault, request: RoutedRequest, wire: WireRequest): Outcome {
    if (fault.fault === 'late_copy') {
      this.#world.clock.after(fault.ms, () => void this.#take(wire, noFaults));
    }
    const reply = faultReply(fault, request);
    return reply === undefined ? 'drop' : { reply };
  }

  #log(noted: Noted): void {
    const { log } = this.#world.settings;
    if (log === null) return;
    try {
      for (const line of logLines(noted.attempt())) log(line);
    } catch {
      // Whoever writes the log can't stop the service.
    }
  }
}

const noFaults = new Faults(() => false);

function struckBy(faults: Faults, noted: Noted, stage: 'front' | 'inner'): Fault | undefined {
  const fault = faults.strike(noted, stage);
  if (fault !== undefined) noted.struck(fault.fault);
  return fault;
}

/** A clock that is ahead is so in every reply, that to a request which nothing routes too. */
function skewOf(faults: Faults, noted: Noted): number {
  try {
    return faults.skewFor(noted);
  } catch {
    // What its where() threw is the reply by now.
    return 0;
  }
}

function imposedBy(fault: Fault | undefined, operation: string) {
  if (fault?.fault !== 'refuse' || fault.code === undefined || !isRejection(fault, operation))
    return undefined;
  return [fault.code];
}
