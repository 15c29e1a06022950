import { award } from '../auctions/schedule.js';
import type { Call } from '../http/call.js';
import { messageOnly, type Outcome, type Reply } from '../http/replies.js';
import type { Drip } from '../http/wire.js';
import type { World } from '../world.js';
import { type Fault, faultReply, isRejection } from './faults.js';

/** Carries operations out, with whatever is planned to go wrong around them. */
export class Execution {
  readonly #world: World;
  readonly #sleepers = new Set<() => void>();
  /** Commands and bids that are in progress. */
  readonly #inProgress = new Set<Call>();
  #closed = false;

  constructor(world: World) {
    this.#world = world;
  }

  /** Answers a call that has been let in, struck by a fault or by none. */
  async run(call: Call, work: (call: Call) => Reply, fault: Fault | undefined): Promise<Outcome> {
    if (this.#isRepeated(call)) {
      return { reply: messageOnly(409, 'A request under this idempotency key is still in progress.') };
    }
    if (fault === undefined) return { reply: this.#answer(call, work) };
    switch (fault.fault) {
      case 'processing':
        void this.#later(call, work, fault.ms);
        return instead(fault, call);
      case 'drop_before_commit':
        return 'drop';
      case 'error_before_commit':
        return instead(fault, call);
      case 'delay': {
        const reply = await this.#later(call, work, fault.ms);
        return reply === undefined ? 'drop' : { reply };
      }
      default:
        return this.#afterwards(call, fault, this.#answer(call, work));
    }
  }

  /** Cuts off every request that still waits. */
  close(): void {
    this.#closed = true;
    for (const wake of this.#sleepers) wake();
  }

  async #afterwards(call: Call, fault: Fault, reply: Reply): Promise<Outcome> {
    switch (fault.fault) {
      case 'delay_after_commit':
        return (await this.#sleep(fault.ms)) ? { reply } : 'drop';
      case 'drop_after_commit':
        return 'drop';
      case 'truncate':
        return { reply, cut: fault.bytes ?? 'half' };
      case 'slow':
        return { reply, drip: this.#drip(fault) };
      case 'forget':
        this.#forget(call, fault.what ?? 'key');
        return fault.drop ? 'drop' : { reply };
      case 'refuse':
        // A bid that was rejected as planned has its reply.
        return isRejection(fault, call.operation.id) ? { reply } : instead(fault, call, reply);
      default:
        return instead(fault, call, reply);
    }
  }

  /** Carries it out after a while; undefined when the sandbox closed meanwhile. */
  async #later(call: Call, work: (call: Call) => Reply, ms: number): Promise<Reply | undefined> {
    const leave = this.#enter(call);
    try {
      return (await this.#sleep(ms)) ? this.#answer(call, work) : undefined;
    } finally {
      leave();
    }
  }

  /** Notes that it is in progress; the returned function ends that, and makes the awards that waited for a bid. */
  #enter(call: Call): () => void {
    const { operation, idempotencyKey, party, params } = call;
    if (operation.effect === 'read' || idempotencyKey === undefined) return () => {};
    this.#inProgress.add(call);
    const { store } = this.#world;
    const lot = operation.effect === 'bid' ? store.lots.get(params.get('lot') ?? '') : undefined;
    const auction = lot && store.auctionOf(lot);
    const leave =
      operation.effect === 'bid' ? store.enter(party.clientId, idempotencyKey, auction?.id) : () => {};
    return () => {
      this.#inProgress.delete(call);
      leave();
      if (auction !== undefined) award(this.#world, auction);
    };
  }

  /** Whether a copy under the same key is in progress, where that is refused. */
  #isRepeated({ idempotencyKey, party }: Call): boolean {
    if (idempotencyKey === undefined || this.#inProgress.size === 0) return false;
    if (this.#world.settings.variants['key-in-flight'] !== 'refused') return false;
    const key = idempotencyKey.toLowerCase();
    return [...this.#inProgress].some(
      (other) => other.party === party && other.idempotencyKey?.toLowerCase() === key,
    );
  }

  #answer(call: Call, work: (call: Call) => Reply): Reply {
    const { store, settings, clock } = this.#world;
    const { idempotencyKey: key, party } = call;
    const before = key === undefined ? undefined : store.recorded(party.clientId, key);
    const reply = work(call);
    const after = key === undefined ? undefined : store.recorded(party.clientId, key);
    if (key !== undefined && after !== before && settings.variants['key-retention'] === 'a-day') {
      clock.schedule(dayMs, () => {
        if (store.recorded(party.clientId, key) === after) store.forget(party.clientId, key);
      });
    }
    return reply;
  }

  #forget({ idempotencyKey, party }: Call, what: 'key' | 'record'): void {
    if (idempotencyKey === undefined) return;
    const { store } = this.#world;
    const forgotten = store.forget(party.clientId, idempotencyKey);
    const bid = store.bids.get(String(forgotten?.data['bid_id']));
    if (what === 'record' && bid !== undefined) store.undo(bid);
  }

  /** How a slow reply comes: so many bytes by each moment of sandbox time, and none after it stalls. */
  #drip({
    bytesPerMs = 1,
    stallAfter = Number.POSITIVE_INFINITY,
    part = 'body',
  }: Extract<Fault, { fault: 'slow' }>): Drip {
    const { clock } = this.#world;
    const start = clock.monotonic();
    const sleep = (ms: number | undefined) => this.#sleep(ms);
    return {
      part,
      async *pieces(bytes) {
        for (let sent = 0; sent < bytes.length; ) {
          const elapsed = clock.monotonic() - start;
          const due = Number.isFinite(bytesPerMs) ? Math.floor(elapsed * bytesPerMs + rounding) : bytesPerMs;
          const allowed = Math.min(due, stallAfter, bytes.length);
          if (allowed > sent) {
            yield bytes.subarray(sent, allowed);
            sent = allowed;
          } else if (!(await sleep(sent >= stallAfter ? undefined : (sent + 1) / bytesPerMs - elapsed))) {
            throw new TypeError('terminated');
          }
        }
      },
    };
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

function instead(fault: Fault, call: Call, real?: Reply): Outcome {
  const reply = faultReply(fault, call, real) ?? real;
  return reply === undefined ? 'drop' : { reply };
}

const dayMs = 86_400_000;
/** A byte is due at its moment, though the product of two fractions be a hair below it. */
const rounding = 1e-6;
