import { API_PREFIX } from '../../api/common.js';
import { resources } from '../../api/service.js';
import { LinkedSignal, sleep } from '../../runtime/timers.js';
import { award } from '../auctions/schedule.js';
import type { Answered } from '../deployment/deployment.js';
import { type Fault, type FaultPlan, Faults, faultReply, isRejection } from '../faults/faults.js';
import { answered } from '../operations.js';
import type { World } from '../world.js';
import { Access, authorize } from './access.js';
import { type LoggedRequest, logLines } from './attempts.js';
import type { Arrived, Call, Incoming } from './call.js';
import { sha256Hex } from './canonical.js';
import { noQuery, readJson } from './checks.js';
import {
  fixedPageSize,
  messageOnly,
  notFound,
  type Outcome,
  Refusal,
  type Reply,
  replyTo,
  serialised,
  wireReply,
} from './replies.js';
import { type Match, Router } from './router.js';
import {
  type Handle,
  halves,
  type JsonBody,
  singleHeader,
  type WireReply,
  type WireRequest,
} from './wire.js';

/**
 * The auction service without sockets: takes a request, applies planned faults, and returns a reply or a cut
 * connection.
 */
export class Service {
  readonly #world: World;
  readonly #access: Access;
  readonly #router = new Router(resources);
  readonly faults = new Faults();
  /** Cuts every request that a fault still delays. */
  readonly #closing = new LinkedSignal();

  constructor(world: World) {
    this.#world = world;
    this.#access = new Access(world.clock, world.settings.rateLimit);
  }

  /** Answers a request; never rejects. */
  readonly handle: Handle = (wire) => {
    // Run due timers before the request.
    this.#world.clock.catchUp();
    return this.#take(wire, this.faults);
  };

  /** Arms a fault. The returned function withdraws it. Throws a RangeError for an invalid plan. */
  inject(plan: FaultPlan): () => void {
    if (plan.client !== undefined) this.#world.parties.known(plan.client);
    return this.faults.inject(plan);
  }

  /** Cuts every request that a fault still delays. */
  close(): void {
    this.#closing.fire();
  }

  async #take(wire: WireRequest, faults: Faults): Promise<WireReply | 'drop'> {
    const { clock, ids, requests } = this.#world;
    const bodySha256 = wire.body === 'too_large' ? null : sha256Hex(wire.body);
    const logged = requests.arrive(wire, { at: clock.now(), requestId: ids.next('req'), bodySha256 });
    let skewMs = 0;
    let matched: Match | undefined;
    let outcome: Outcome;
    try {
      const { request, match } = this.#arrive(wire, logged);
      matched = match;
      // The skew also applies to refusals.
      skewMs = faults.skewFor(logged);
      outcome = await this.#answer({ request: withSkew(request, skewMs), wire, logged }, match, faults);
    } catch (error) {
      outcome = { reply: replyTo(error) };
    }
    if (outcome === 'drop') {
      logged.note({ status: 'dropped' });
      this.#log(logged);
      return 'drop';
    }
    const now = clock.now() + skewMs;
    const { reply, content } = this.#written(outcome.reply, { wire, match: matched, now });
    logged.answered(reply, content.json);
    this.#log(logged);
    return wireReply({ ...outcome, reply }, content, now);
  }

  /** The reply in the form of the deployment, and its bytes. */
  #written(documented: Reply, about: ReplyTo) {
    const { deployment } = this.#world;
    try {
      const reply = deployment.isDocumented
        ? documented
        : deployment.reply(documented, this.#answered(about));
      return { reply, content: serialised(reply) };
    } catch (error) {
      const reply = replyTo(error);
      return { reply, content: serialised(reply) };
    }
  }

  #answered({ wire, match, now }: ReplyTo): Answered {
    const clientId = singleHeader(wire, 'x-client-id');
    return {
      operation: match?.operation,
      perPage: Number(new URLSearchParams(match?.query).get('per_page') ?? fixedPageSize),
      allowance: clientId === undefined ? undefined : this.#access.allowance(clientId),
      now,
    };
  }

  /** A path without the operation: not found, or of another method. */
  #unmatched({ path }: Arrived): Refusal {
    const { refusals } = this.#world.settings.deployment;
    const methods = refusals === 'documented' ? [] : this.#router.methodsOf(path);
    if (methods.length === 0) return new Refusal(notFound());
    const message = `The method is not supported for this route. Supported methods: ${methods.join(', ')}.`;
    return new Refusal(messageOnly(405, message, { Allow: methods.join(', ') }));
  }

  async #answer(incoming: Incoming, match: Match | undefined, faults: Faults): Promise<Outcome> {
    const { request, logged, wire } = incoming;
    const inFront = faults.strike(logged, 'front');
    if (inFront?.fault === 'late_copy') {
      this.#world.clock.after(inFront.ms, () => void this.#take(wire, noFaults));
    }
    if (inFront !== undefined) return instead(inFront, request);
    const party = this.#access.authenticate(incoming);
    if (match === undefined) throw this.#unmatched(request);
    authorize(request, party, match.operation);
    const fault = faults.strike(logged, 'inner');
    const call: Call = { ...request, ...match, party, imposed: imposedBy(fault, match), ignored: [] };
    if (match.operation.query === undefined) noQuery(call);
    return this.#carryOut(call, fault);
  }

  /** Parses a request and finds its operation. Refuses oversized and misrouted requests. */
  #arrive(
    wire: WireRequest,
    logged: LoggedRequest,
  ): { readonly request: Arrived; readonly match?: Match | undefined } {
    const { settings, clock } = this.#world;
    if (wire.body === 'too_large' || wire.body.length > settings.maxBodyBytes) {
      throw new Refusal(messageOnly(413, 'The request body is too large. Send a smaller one.'));
    }
    if (wire.method === 'PATCH' || wire.method === 'PUT') {
      throw new Refusal(
        messageOnly(405, 'PATCH and PUT are not accepted. Send POST with _method in the body.'),
      );
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

  /** Carries out an authorised call and applies its fault. */
  async #carryOut(call: Call, fault: Fault | undefined): Promise<Outcome> {
    if (this.#isRepeated(call)) {
      return {
        reply: messageOnly(409, 'A request under this idempotency key is still in progress. Retry later.'),
      };
    }
    switch (fault?.fault) {
      case 'drop_before_commit':
      case 'error_before_commit':
        return instead(fault, call);
      case 'processing':
        void this.#later(call, fault.ms);
        return instead(fault, call);
      case 'delay': {
        const reply = await this.#later(call, fault.ms);
        return reply === undefined ? 'drop' : { reply };
      }
    }
    const reply = this.#reply(call);
    if (fault === undefined) return { reply };
    switch (fault.fault) {
      case 'drop_after_commit':
        return 'drop';
      case 'delay_after_commit':
        return (await this.#sleep(fault.ms)) ? { reply } : 'drop';
      case 'truncate':
        return { reply, pieces: (body) => cutOff(body, fault.bytes) };
      case 'slow':
        return { reply, pieces: (body) => this.#drip(body, fault) };
      case 'forget':
        this.#forget(call, fault.what ?? 'key');
        return fault.drop ? 'drop' : { reply };
      default:
        // A planned rejection is already in the reply.
        return isRejection(fault, call.operation.id) ? { reply } : instead(fault, call, reply);
    }
  }

  /** Carries out a call and applies the option `reply`. */
  #reply(call: Call): Reply {
    const reply = withHint(answered(call), call.ignored);
    const change = this.#world.settings.reply;
    if (change === undefined || !('json' in reply)) return reply;
    const { operation, method, path, params, party, json } = call;
    const about = {
      ...{ operation: operation.id, call: operation.name, method, path },
      params: Object.fromEntries(params),
      clientId: party.clientId,
      request: 'object' in json ? json.object : null,
      status: reply.status,
    };
    try {
      return { ...reply, json: change(about, structuredClone(reply.json)) };
    } catch (error) {
      return messageOnly(500, `The option reply threw ${String(error)}. Fix the function.`);
    }
  }

  /** Carries out a call after a delay; undefined if the sandbox closed meanwhile. */
  async #later(call: Call, ms: number): Promise<Reply | undefined> {
    const leave = this.#enter(call);
    try {
      return (await this.#sleep(ms)) ? this.#reply(call) : undefined;
    } finally {
      leave();
    }
  }

  /** Marks a call as in progress. The returned function ends that and runs awards that waited for the bid. */
  #enter({ operation: { effect }, idempotencyKey, party, params }: Call): () => void {
    if (effect === 'read' || idempotencyKey === undefined) return () => {};
    const { store } = this.#world;
    const isBid = effect === 'bid';
    const auction = isBid ? store.lots.get(params.get('lot') ?? '')?.auction : undefined;
    const leave = store.enter(party.clientId, idempotencyKey, { isBid, auction });
    return () => {
      leave();
      if (auction !== undefined) award(this.#world, auction);
    };
  }

  /** Whether to refuse a copy of a request that is still in progress. */
  #isRepeated({ idempotencyKey, party }: Call): boolean {
    const { store, settings } = this.#world;
    if (idempotencyKey === undefined || settings.variants['key-in-flight'] !== 'refused') return false;
    return store.inProgress(party.clientId, idempotencyKey) !== undefined;
  }

  #forget({ idempotencyKey, party }: Call, what: 'key' | 'record'): void {
    if (idempotencyKey === undefined) return;
    const { store, flow } = this.#world;
    const forgotten = store.forget(party.clientId, idempotencyKey);
    const bid = flow.get('bid', forgotten?.data['bid_id'])?.bid;
    if (what === 'record' && bid !== undefined) flow.undo(bid);
  }

  /** Sends a body slowly in sandbox time, and stalls after `stallAfter` bytes. */
  async *#drip(
    body: Uint8Array,
    { bytesPerSecond = 1_000, stallAfter = Number.POSITIVE_INFINITY }: Extract<Fault, { fault: 'slow' }>,
  ): AsyncGenerator<Uint8Array, void> {
    const { clock } = this.#world;
    const start = clock.monotonic();
    const bytesPerMs = bytesPerSecond / 1_000;
    for (let sent = 0; sent < body.length; ) {
      const elapsed = clock.monotonic() - start;
      const due = Number.isFinite(bytesPerMs) ? Math.floor(elapsed * bytesPerMs + rounding) : bytesPerMs;
      const allowed = Math.min(due, stallAfter, body.length);
      if (allowed > sent) {
        yield body.subarray(sent, allowed);
        sent = allowed;
      } else if (!(await this.#sleep(sent >= stallAfter ? undefined : (sent + 1) / bytesPerMs - elapsed))) {
        throw new TypeError('terminated');
      }
    }
  }

  /** Waits in sandbox time, or until close without `ms`; false if the sandbox closed meanwhile. */
  async #sleep(ms: number | undefined): Promise<boolean> {
    const { signal } = this.#closing;
    if (!signal.aborted) await sleep(this.#world.clock, ms ?? Number.POSITIVE_INFINITY, signal);
    return !signal.aborted;
  }

  #log(logged: LoggedRequest): void {
    const { log } = this.#world.settings;
    if (log === undefined) return;
    try {
      for (const line of logLines(logged.attempt())) log(line);
    } catch {
      // A failing log must not stop the service.
    }
  }
}

/** The request of a reply, and its server time in Unix milliseconds. */
interface ReplyTo {
  readonly wire: WireRequest;
  readonly match: Match | undefined;
  readonly now: number;
}

const noFaults = new Faults();

/** The effective, signed method. POST can carry PATCH and PUT in its body. */
function effectiveMethod(wire: WireRequest, json: JsonBody): string {
  if (wire.method !== 'POST' || 'problem' in json) return wire.method;
  const tunnelled = json.object['_method'];
  return tunnelled === 'PATCH' || tunnelled === 'PUT' ? tunnelled : wire.method;
}

/** The request as seen by a service whose clock is `ms` ahead. */
function withSkew(request: Arrived, ms: number): Arrived {
  return ms === 0
    ? request
    : { ...request, receivedAt: request.receivedAt + ms, now: () => request.now() + ms };
}

/** Adds a header that lists ignored names in printable ASCII. */
function withHint(reply: Reply, ignored: readonly string[]): Reply {
  if (ignored.length === 0) return reply;
  const names = ignored.slice(0, mostNamed).map((name) => name.replace(/[^\x20-\x7e]/gu, '?').slice(0, 60));
  const more = ignored.length > mostNamed ? ` and ${ignored.length - mostNamed} more` : '';
  const hint = `Ignored undocumented names: ${names.join(', ')}${more}. Remove them from the request`;
  return { ...reply, headers: { ...reply.headers, 'X-Sandbox-Hint': hint } };
}

function imposedBy(fault: Fault | undefined, { operation }: Match): Call['imposed'] {
  const isImposed = fault?.fault === 'refuse' && isRejection(fault, operation.id);
  return isImposed && fault.code !== undefined ? [fault.code] : undefined;
}

/** The outcome of a fault, based on the `real` reply if there is one. */
function instead(fault: Fault, request: Arrived, real?: Reply): Outcome {
  const reply = faultReply(fault, request, real) ?? real;
  return reply === undefined ? 'drop' : { reply };
}

/** Sends the first bytes of a body (half by default), then cuts the connection. */
async function* cutOff(
  body: Uint8Array,
  bytes = Math.floor(body.length / 2),
): AsyncGenerator<Uint8Array, void> {
  yield body.subarray(0, Math.min(bytes, Math.max(0, body.length - 1)));
  throw new TypeError('terminated');
}

const mostNamed = 10;
/** Tolerance for floating-point error in the number of due bytes. */
const rounding = 1e-6;
