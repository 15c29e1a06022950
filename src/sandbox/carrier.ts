import type { Call, Handler } from './call.js';
import { drip } from './faults/drip.js';
import { faultReply } from './faults/replies.js';
import { isRejection } from './faults/waiting.js';
import type { Fault } from './faults.js';
import { keySpace } from './idempotency.js';
import { messageOnly, Refusal, type Reply } from './replies.js';
import type { Recorded } from './store.js';
import { noQuery } from './validation.js';
import type { Drip } from './wire.js';
import { award } from './workflow/awards.js';
import type { World } from './world.js';

/** What comes of a request: a cut connection, or a reply and how it is sent. */
export type Outcome =
  | 'drop'
  | { readonly reply: Reply; readonly cut?: number | 'half'; readonly drip?: Drip };

/** Carries operations out, with whatever is planned to go wrong around them. */
export class Carrier {
  readonly #world: World;
  readonly #sleepers = new Set<() => void>();
  /** Commands and bids that are being worked on. */
  readonly #underWay = new Set<Call>();
  /** What is forgotten in time. */
  readonly #ageing = new WeakSet<Recorded>();
  #closed = false;

  constructor(world: World) {
    this.#world = world;
  }

  /** Answers a call that has been let in, struck by a fault or by none. */
  carry(call: Call, handler: Handler, fault: Fault | undefined): Outcome | Promise<Outcome> {
    if (this.#isRepeated(call)) {
      return { reply: messageOnly(409, 'A request under this idempotency key is still being worked on.') };
    }
    if (fault?.fault === 'processing') {
      void this.#carriedOut(call, handler, fault.ms);
      return this.#instead(fault, call);
    }
    if (fault?.fault === 'drop_before_commit') return 'drop';
    if (fault?.fault === 'error_before_commit') return this.#instead(fault, call);
    if (fault?.fault === 'delay') return this.#delayed(call, handler, fault, fault.ms);
    // Nothing is awaited where nothing waits, so nobody can find it under way.
    const reply = this.#answer(call, handler);
    return fault === undefined ? { reply } : this.#afterwards(call, fault, reply);
  }

  /** Cuts off every request that still waits. */
  close(): void {
    this.#closed = true;
    for (const wake of this.#sleepers) wake();
  }

  async #delayed(call: Call, handler: Handler, fault: Fault, ms: number): Promise<Outcome> {
    const reply = await this.#carriedOut(call, handler, ms);
    return reply === undefined ? 'drop' : this.#afterwards(call, fault, reply);
  }

  async #afterwards(call: Call, fault: Fault, reply: Reply): Promise<Outcome> {
    switch (fault.fault) {
      case 'delay_after_commit':
        return (await this.#sleep(fault.ms)) ? { reply } : 'drop';
      case 'drop_after_commit':
        return 'drop';
      case 'truncate':
        return { reply, cut: fault.bytes ?? 'half' };
      case 'slow': {
        const waits = { sleep: (ms: number) => this.#sleep(ms), forGood: () => this.#sleep(undefined) };
        return { reply, drip: drip(fault, this.#world.clock, waits) };
      }
      case 'forget':
        this.#forget(call, fault.what ?? 'key');
        return fault.drop ? 'drop' : { reply };
      case 'refuse':
        // A bid that was rejected as planned has its reply.
        return isRejection(fault, call.operation.id) ? { reply } : this.#instead(fault, call, reply);
      default:
        return this.#instead(fault, call, reply);
    }
  }

  #instead(fault: Fault, call: Call, real?: Reply): Outcome {
    const reply = faultReply(fault, call, real) ?? real;
    return reply === undefined ? 'drop' : { reply };
  }

  /** Carries it out after a while; undefined when the sandbox closed meanwhile. */
  async #carriedOut(call: Call, handler: Handler, ms: number): Promise<Reply | undefined> {
    const leave = this.#enter(call);
    try {
      return (await this.#sleep(ms)) ? this.#answer(call, handler) : undefined;
    } finally {
      leave();
    }
  }

  /** Notes that it is being worked on; the returned function ends that, and makes the awards that waited for a bid. */
  #enter(call: Call): () => void {
    if (call.operation.effect === 'read' || call.idempotencyKey === undefined) return () => {};
    this.#underWay.add(call);
    const leave = call.operation.effect === 'bid' ? this.#enterBid(call, call.idempotencyKey) : undefined;
    return () => {
      this.#underWay.delete(call);
      leave?.();
    };
  }

  #enterBid(call: Call, key: string): () => void {
    const { store } = this.#world;
    const lot = store.lots.get(call.params.get('lot') ?? '');
    const auction = lot && store.auctionOf(lot);
    const leave = store.enter(call.party.clientId, key, auction?.id);
    return () => {
      leave();
      if (auction !== undefined) award(this.#world, auction);
    };
  }

  /** Whether a copy under the same key is being worked on, where that is refused (unknowns: key-in-flight). */
  #isRepeated({ idempotencyKey, party }: Call): boolean {
    if (idempotencyKey === undefined || this.#underWay.size === 0) return false;
    if (this.#world.settings.variants['key-in-flight'] !== 'refused') return false;
    const key = idempotencyKey.toLowerCase();
    return [...this.#underWay].some(
      (other) => other.party === party && other.idempotencyKey?.toLowerCase() === key,
    );
  }

  #answer(call: Call, handler: Handler): Reply {
    const reply = answer(call, handler);
    this.#forgetInTime(call);
    return this.#world.settings.variants['reply-envelopes'] === 'described'
      ? reply
      : withRequestId(call, reply);
  }

  /** A key is remembered for good, or for a day (unknowns: key-retention). */
  #forgetInTime(call: Call): void {
    const { store, settings, clock } = this.#world;
    const key = call.idempotencyKey;
    if (settings.variants['key-retention'] === 'for-ever' || key === undefined) return;
    const space = keySpace(this.#world, call.party.clientId, call.operation.effect);
    const recorded = store.recorded(space, key);
    if (recorded === undefined || this.#ageing.has(recorded)) return;
    this.#ageing.add(recorded);
    clock.after(dayMs, () => {
      if (store.recorded(space, key) === recorded) store.forget(space, key);
    });
  }

  #forget(call: Call, what: 'key' | 'record'): void {
    if (call.idempotencyKey === undefined) return;
    const space = keySpace(this.#world, call.party.clientId, call.operation.effect);
    const forgotten = this.#world.store.forget(space, call.idempotencyKey);
    const bid = this.#world.store.bids.get(String(forgotten?.data['bid_id']));
    if (what === 'record' && bid !== undefined) this.#world.store.undo(bid);
  }

  /** Waits in sandbox time, or for good; false when the sandbox closed meanwhile. */
  async #sleep(ms: number | undefined): Promise<boolean> {
    if (this.#closed) return false;
    let wake = (): void => {};
    const slept = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#sleepers.add(wake);
    const cancel = ms === undefined ? undefined : this.#world.clock.after(ms, wake);
    await slept;
    cancel?.();
    this.#sleepers.delete(wake);
    return !this.#closed;
  }
}

function answer(call: Call, handler: Handler): Reply {
  try {
    if (call.operation.query === undefined) noQuery(call.query);
    return handler(call);
  } catch (error) {
    return replyTo(error);
  }
}

/** What a read says of its request, beside what is described (unknowns: reply-envelopes). */
function withRequestId({ requestId }: Call, reply: Reply): Reply {
  if (!('json' in reply) || typeof reply.json !== 'object' || reply.json === null) return reply;
  return 'server_time' in reply.json && !('request_id' in reply.json)
    ? { ...reply, json: { ...reply.json, request_id: requestId } }
    : reply;
}

const dayMs = 86_400_000;

/** What went wrong inside is nobody's business outside. */
export function replyTo(error: unknown): Reply {
  return error instanceof Refusal ? error.reply : messageOnly(500, 'Server error.');
}
