import { API_PREFIX } from '../../api/common.js';
import { resources } from '../../api/service.js';
import { Execution } from '../faults/execution.js';
import {
  type ArmedFault,
  type Fault,
  type FaultPlan,
  Faults,
  faultReply,
  isRejection,
} from '../faults/faults.js';
import { answered } from '../operations.js';
import type { World } from '../world.js';
import { type AccessMemory, authenticate, authorize, NonceMemory, RateLimit } from './access.js';
import { type LoggedRequest, logLines } from './attempts.js';
import type { Arrived, Call } from './call.js';
import { sha256Hex } from './canonical.js';
import { noQuery, readJson } from './checks.js';
import {
  messageOnly,
  notFound,
  type Outcome,
  Refusal,
  type Reply,
  replyTo,
  serialised,
  wireReply,
} from './replies.js';
import { callName, type Match, Router } from './router.js';
import { type Handle, type JsonBody, singleHeader, type WireReply, type WireRequest } from './wire.js';

/** The auction service: a request in, a reply or a cut connection out. It knows no sockets. */
export class Service {
  readonly #world: World;
  readonly #access: AccessMemory;
  readonly #router = new Router(resources);
  readonly #faults: Faults;
  readonly #execution: Execution;

  constructor(world: World) {
    this.#world = world;
    const { clock, settings } = world;
    this.#access = { nonces: new NonceMemory(clock), rate: new RateLimit(clock, settings.rateLimit) };
    this.#faults = new Faults((id) => world.parties.find(id) !== undefined);
    this.#execution = new Execution(world);
  }

  /** Answers a request; never rejects. */
  readonly handle: Handle = (wire) => {
    // What is due by now has happened before the request.
    this.#world.clock.catchUp();
    return this.#take(wire, this.#faults);
  };

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
    this.#execution.close();
  }

  async #take(wire: WireRequest, faults: Faults): Promise<WireReply | 'drop'> {
    const { clock, ids, requests } = this.#world;
    const bodySha256 = wire.body === 'too_large' ? null : sha256Hex(wire.body);
    const logged = requests.arrive(wire, { at: clock.now(), requestId: ids.next('req'), bodySha256 });
    let outcome: Outcome;
    try {
      outcome = await this.#answer(wire, logged, faults);
    } catch (error) {
      outcome = { reply: replyTo(error) };
    }
    if (outcome === 'drop') {
      logged.note({ status: 'dropped' });
      this.#log(logged);
      return 'drop';
    }
    const { status, code } = outcome.reply;
    const content = serialised(outcome.reply);
    logged.answered(status, code, content.json);
    this.#log(logged);
    return wireReply(outcome, content, clock.now() + skewOf(faults, logged));
  }

  async #answer(wire: WireRequest, logged: LoggedRequest, faults: Faults): Promise<Outcome> {
    const { request, match } = this.#arrive(wire, logged);
    const skewed = withSkew(request, faults.skewFor(logged));
    const inFront = strike(faults, logged, 'front');
    if (inFront !== undefined) return this.#struckInFront(inFront, skewed, wire);
    const party = authenticate(skewed, wire, this.#access, logged);
    if (match === undefined) throw new Refusal(notFound());
    authorize(skewed, party, match.operation);
    const fault = strike(faults, logged, 'inner');
    const imposed = imposedBy(fault, match.operation.id);
    const call: Call = { ...skewed, ...match, party, imposed, ignored: [] };
    if (match.operation.query === undefined) noQuery(call);
    return this.#execution.run(
      call,
      (each) => withHint(this.#changed(each, answered(each)), each.ignored),
      fault,
    );
  }

  /** Takes a request apart; refuses what reaches no service. */
  #arrive(
    wire: WireRequest,
    logged: LoggedRequest,
  ): { readonly request: Arrived; readonly match: Match | undefined } {
    const { settings, clock } = this.#world;
    if (wire.body === 'too_large' || wire.body.length > settings.maxBodyBytes) {
      throw new Refusal(messageOnly(413, 'The request body is too large.'));
    }
    if (wire.method === 'PATCH' || wire.method === 'PUT') {
      throw new Refusal(messageOnly(405, 'PATCH and PUT are sent as POST with _method in the body.'));
    }
    const [whole, wireQuery] = halves(wire.target);
    if (!whole.startsWith(`${settings.prefix}${API_PREFIX}/`)) throw new Refusal(notFound());
    const path = whole.slice(settings.prefix.length);
    const json = readJson(wire.body, singleHeader(wire, 'content-type'));
    const method = effectiveMethod(wire, json);
    const match = this.#router.match(method, path, wireQuery);
    logged.routed(match?.operation, json);
    const request: Arrived = {
      world: this.#world,
      method,
      path,
      wireQuery,
      body: wire.body,
      bodySha256: logged.arrival.bodySha256 ?? '',
      json,
      idempotencyKey: singleHeader(wire, 'idempotency-key'),
      receivedAt: logged.arrival.at,
      requestId: logged.arrival.requestId,
      now: () => clock.now(),
    };
    return { request, match };
  }

  /** A reply as the user's own `reply` has it. */
  #changed(call: Call, reply: Reply): Reply {
    const change = this.#world.settings.reply;
    if (change === null || !('json' in reply)) return reply;
    const { operation, method, path, params, party, json } = call;
    const about = {
      operation: operation.id,
      call: callName(operation),
      method,
      path,
      params: Object.fromEntries(params),
      clientId: party.clientId,
      request: 'object' in json ? json.object : null,
      status: reply.status,
    };
    try {
      return { ...reply, json: change(about, structuredClone(reply.json)) };
    } catch (error) {
      return messageOnly(500, `The option reply threw ${String(error)}.`);
    }
  }

  #struckInFront(fault: Fault, request: Arrived, wire: WireRequest): Outcome {
    if (fault.fault === 'late_copy') {
      this.#world.clock.after(fault.ms, () => void this.#take(wire, noFaults));
    }
    const reply = faultReply(fault, request);
    return reply === undefined ? 'drop' : { reply };
  }

  #log(logged: LoggedRequest): void {
    const { log } = this.#world.settings;
    if (log === null) return;
    try {
      for (const line of logLines(logged.attempt())) log(line);
    } catch {
      // A failing log doesn't stop the service.
    }
  }
}

const noFaults = new Faults(() => false);

/** Path and query of a target: nothing of them is unescaped. */
function halves(target: string): [path: string, query: string] {
  const mark = target.indexOf('?');
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}

/** The method that is meant and signed: POST carries PATCH and PUT in its body. */
function effectiveMethod(wire: WireRequest, json: JsonBody): string {
  if (wire.method !== 'POST' || 'problem' in json) return wire.method;
  const tunnelled = json.object['_method'];
  return tunnelled === 'PATCH' || tunnelled === 'PUT' ? tunnelled : wire.method;
}

/** The same request as a service sees it whose clock is `ms` ahead. */
function withSkew(request: Arrived, ms: number): Arrived {
  return ms === 0
    ? request
    : { ...request, receivedAt: request.receivedAt + ms, now: () => request.now() + ms };
}

/** Names what was ignored in printable ASCII, as a header needs it. */
function withHint(reply: Reply, ignored: readonly string[]): Reply {
  if (ignored.length === 0) return reply;
  const names = ignored.slice(0, mostNamed).map((name) => name.replace(/[^\x20-\x7e]/gu, '?').slice(0, 60));
  const more = ignored.length > mostNamed ? ` and ${ignored.length - mostNamed} more` : '';
  const hint = `ignored, for the operation does not list them: ${names.join(', ')}${more}`;
  return { ...reply, headers: { ...reply.headers, 'X-Sandbox-Hint': hint } };
}

function strike(faults: Faults, logged: LoggedRequest, stage: 'front' | 'inner'): Fault | undefined {
  const fault = faults.strike(logged, stage);
  if (fault !== undefined) logged.note({ fault: fault.fault });
  return fault;
}

/** A clock that is ahead is so in every reply. */
function skewOf(faults: Faults, logged: LoggedRequest): number {
  try {
    return faults.skewFor(logged);
  } catch {
    // What its where() threw is the reply by now.
    return 0;
  }
}

function imposedBy(fault: Fault | undefined, operation: string): Call['imposed'] {
  const isRejected = fault !== undefined && isRejection(fault, operation);
  return isRejected && fault.fault === 'refuse' && fault.code !== undefined ? [fault.code] : undefined;
}

const mostNamed = 10;
