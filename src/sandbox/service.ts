import type { Operation } from '../api/operation.js';
import { resources } from '../api/service.js';
import { admit, type Gate } from './access.js';
import type { Call, Handler, RoutedRequest } from './call.js';
import { sha256Hex } from './canonical.js';
import { type Fault, type FaultPlan, Faults, faultReply } from './faults.js';
import { handlers } from './handlers/all.js';
import { NonceMemory } from './nonces.js';
import { RateLimit } from './rate-limit.js';
import type { Attempt } from './records.js';
import { messageOnly, notFound, Refusal, type Reply } from './replies.js';
import { parseTarget, Router } from './router.js';
import { noQuery, readJson } from './validation.js';
import { singleHeader, type WireReply, type WireRequest } from './wire.js';
import { award } from './workflow/awards.js';
import type { World } from './world.js';

/** The auction service: a request in, a reply or a cut connection out. It knows no sockets. */
export class Service {
  readonly #world: World;
  readonly #gate: Gate;
  readonly #router = new Router(resources);
  readonly #faults: Faults;
  readonly #sleepers = new Set<() => void>();
  #closed = false;

  constructor(world: World) {
    this.#world = world;
    this.#gate = {
      nonces: new NonceMemory(world.clock),
      rate: new RateLimit(world.clock, world.settings.rateLimit),
    };
    this.#faults = new Faults(operationIds());
  }

  /** Answers a request; never rejects. */
  async handle(wire: WireRequest): Promise<WireReply | 'drop'> {
    // What is due by now has happened before the request.
    this.#world.clock.advance(0);
    const arrived = this.#arrive(wire);
    let outcome: Outcome;
    try {
      outcome = await this.#answer(wire, arrived);
    } catch (error) {
      outcome = { reply: replyTo(error) };
    }
    if (outcome === 'drop') {
      arrived.learn({ status: 'dropped' });
      return 'drop';
    }
    const { reply, cut } = outcome;
    arrived.learn({ status: reply.status, code: reply.code ?? null });
    return this.#write(reply, cut);
  }

  /** Plans a fault; the returned function withdraws it. */
  inject(plan: FaultPlan): () => void {
    return this.#faults.inject(plan);
  }

  /** Cuts off every request that a delay still holds. */
  close(): void {
    this.#closed = true;
    for (const wake of this.#sleepers) wake();
  }

  #arrive(wire: WireRequest): Arrived {
    const { clock, ids, records } = this.#world;
    const at = clock.now();
    const learn = records.arrive({
      operation: null,
      method: wire.method,
      path: wire.target,
      status: 'pending',
      clientId: singleHeader(wire, 'x-client-id') ?? null,
      idempotencyKey: singleHeader(wire, 'idempotency-key') ?? null,
      nonce: singleHeader(wire, 'x-nonce') ?? null,
      bodySha256: wire.body === 'too_large' ? null : sha256Hex(wire.body),
      at,
      code: null,
    });
    return { at, requestId: ids.next('req'), learn };
  }

  async #answer(wire: WireRequest, arrived: Arrived): Promise<Outcome> {
    const request = this.#route(wire, arrived);
    const { id } = request.operation;
    arrived.learn({ operation: id });
    const inFront = this.#faults.strike(id, 'front');
    if (inFront !== undefined) return { reply: faultReply(inFront) ?? notFound() };
    const party = admit(request, wire, this.#gate);
    const handler = handlers.get(id);
    if (handler === undefined) {
      return {
        reply: messageOnly(
          404,
          `This sandbox does not answer ${id} yet; docs/sandbox.md lists what it does.`,
        ),
      };
    }
    return this.#run({ ...request, party }, handler, this.#faults.strike(id, 'inner'));
  }

  #route(wire: WireRequest, arrived: Arrived): RoutedRequest {
    const { settings, clock } = this.#world;
    if (wire.body === 'too_large' || wire.body.length > settings.maxBodyBytes) {
      throw new Refusal(messageOnly(413, 'The request body is too large.'));
    }
    if (wire.method === 'PATCH' || wire.method === 'PUT') {
      throw new Refusal(messageOnly(405, 'PATCH and PUT are sent as POST with _method in the body.'));
    }
    const target = parseTarget(wire.target, settings.prefix);
    if (target === undefined) throw new Refusal(notFound());
    const json = readJson(wire.body, singleHeader(wire, 'content-type'));
    const tunnelled = wire.method === 'POST' && 'object' in json ? json.object['_method'] : undefined;
    const method = tunnelled === 'PATCH' || tunnelled === 'PUT' ? tunnelled : wire.method;
    const match = this.#router.match(method, target.path, target.query);
    if (match === undefined) throw new Refusal(notFound());
    return {
      world: this.#world,
      ...match,
      method,
      path: target.path,
      wireQuery: target.query,
      body: wire.body,
      json,
      idempotencyKey: singleHeader(wire, 'idempotency-key'),
      receivedAt: arrived.at,
      requestId: arrived.requestId,
      now: () => clock.now(),
    };
  }

  /** Carries the operation out, with whatever is planned to go wrong around it. */
  async #run(call: Call, handler: Handler, fault: Fault | undefined): Promise<Outcome> {
    const leave = call.operation.effect === 'bid' ? this.#enter(call) : undefined;
    let reply: Reply;
    try {
      if (fault?.fault === 'delay' && !(await this.#sleep(fault.ms))) return 'drop';
      if (fault?.fault === 'drop_before_commit') return 'drop';
      if (fault?.fault === 'error_before_commit') return { reply: faultReply(fault) ?? notFound() };
      reply = carryOut(call, handler);
    } finally {
      leave?.();
    }
    if (fault === undefined) return { reply };
    if (fault.fault === 'delay_after_commit' && !(await this.#sleep(fault.ms))) return 'drop';
    if (fault.fault === 'drop_after_commit') return 'drop';
    if (fault.fault === 'truncate') return { reply, cut: fault.bytes ?? 'half' };
    return { reply: faultReply(fault) ?? reply };
  }

  /** Notes that a bid is being worked on; the returned function ends that, and makes the awards that waited for it. */
  #enter(call: Call): (() => void) | undefined {
    if (call.idempotencyKey === undefined) return undefined;
    const { store } = this.#world;
    const lot = store.lots.get(call.params.get('lot') ?? '');
    const auction = lot && store.auctionOf(lot);
    const leave = store.enter(call.party.clientId, call.idempotencyKey, auction?.id);
    return () => {
      leave();
      if (auction !== undefined) award(this.#world, auction);
    };
  }

  /** Waits in sandbox time; false when the sandbox closed meanwhile. */
  async #sleep(ms: number): Promise<boolean> {
    if (this.#closed) return false;
    let wake = (): void => {};
    const slept = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#sleepers.add(wake);
    const cancel = this.#world.clock.after(ms, wake);
    await slept;
    cancel();
    this.#sleepers.delete(wake);
    return !this.#closed;
  }

  #write(reply: Reply, cut: number | 'half' | undefined): WireReply {
    const { body, contentType } = serialised(reply);
    const cutAt = cut === 'half' ? Math.floor(body.length / 2) : cut;
    return {
      status: reply.status,
      headers: [
        ['Content-Type', contentType],
        ['Content-Length', String(body.length)],
        ['Date', new Date(this.#world.clock.now()).toUTCString()],
        ...Object.entries(reply.headers ?? {}),
      ],
      body,
      ...(cutAt !== undefined && { cutAt: Math.min(Math.max(0, cutAt), Math.max(0, body.length - 1)) }),
    };
  }
}

type Outcome = 'drop' | { readonly reply: Reply; readonly cut?: number | 'half' };

interface Arrived {
  readonly at: number;
  readonly requestId: string;
  readonly learn: (learnt: Partial<Attempt>) => void;
}

/** Ids of what is answered, by themselves and by the names of their methods. */
function operationIds(): Map<string, string> {
  const named = resources.flatMap(({ name, operations }) =>
    Object.entries<Operation>(operations).map(([method, { id }]) => [`${name}.${method}`, id] as const),
  );
  const ids = [...handlers.keys()].map((id) => [id, id] as const);
  return new Map([...named.filter(([, id]) => handlers.has(id)), ...ids]);
}

function carryOut(call: Call, handler: Handler): Reply {
  try {
    if (call.operation.query === undefined) noQuery(call.query);
    return handler(call);
  } catch (error) {
    return replyTo(error);
  }
}

function serialised(reply: Reply): { readonly body: Uint8Array; readonly contentType: string } {
  if ('bytes' in reply) return { body: reply.bytes, contentType: reply.contentType };
  if ('html' in reply) {
    return { body: Buffer.from(reply.html, 'utf8'), contentType: 'text/html; charset=utf-8' };
  }
  return { body: Buffer.from(JSON.stringify(reply.json), 'utf8'), contentType: 'application/json' };
}

/** What went wrong inside is nobody's business outside. */
function replyTo(error: unknown): Reply {
  return error instanceof Refusal ? error.reply : messageOnly(500, 'Server error.');
}
