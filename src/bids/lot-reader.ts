import { zonedTimeMs } from '../clock/reply-time.js';
import type { ClientLimits } from '../core/caller.js';
import { responseOf } from '../core/reply/reply.js';
import { thrownMessage } from '../errors/thrown.js';
import { statusIn } from '../following/standing.js';
import type { LotStatus, PartnerLots } from '../generated/lots.js';
import type { Recording } from '../intents/recording.js';
import { nextTurn } from '../runtime/timers.js';

/** The close of a lot, as the service states it. */
export interface LotClose {
  /** Undefined if the lot could not be read. */
  readonly closed: boolean | undefined;
  /** Unix ms in server time. */
  readonly closesAt?: number | undefined;
  /** Why it could not be read. */
  readonly why?: string;
}

/**
 * A lot that was read as closed is not read again for this time, ms: the rows of a batch on one lot follow each other.
 */
const CLOSED_FOR_MS = 60_000;

interface Ports {
  readonly lots: Pick<PartnerLots, 'status' | 'statusBatch'>;
  readonly recording: Pick<Recording, 'clock' | 'ledger'>;
  readonly limits: Pick<ClientLimits, 'deadline'>;
  /** Maximum number of lots in one A11. */
  readonly statusBatchSize: number;
}

/** Reads whether lots have closed: a single lot with A10, several at once with A11. */
export class LotReader {
  readonly #ports: Ports;
  readonly #asked = new Map<string, Promise<LotClose>>();
  readonly #closed = new Map<string, { readonly close: LotClose; readonly until: number }>();
  #batch: Promise<ReadonlyMap<string, LotClose>> | undefined;
  readonly #lots: string[] = [];

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Never rejects. */
  read(lot: string): Promise<LotClose> {
    const now = this.#ports.recording.clock.monotonic();
    for (const [id, { until }] of this.#closed) if (until <= now) this.#closed.delete(id);
    const known = this.#closed.get(lot);
    if (known !== undefined) return Promise.resolve(known.close);
    const asked = this.#asked.get(lot) ?? this.#readWithOthers(lot);
    this.#asked.set(lot, asked);
    return asked;
  }

  async #readWithOthers(lot: string): Promise<LotClose> {
    this.#lots.push(lot);
    this.#batch ??= this.#nextBatch();
    const batch = this.#batch;
    if (this.#lots.length >= this.#ports.statusBatchSize) this.#batch = undefined;
    const close = (await batch).get(lot) ?? { closed: undefined, why: 'the reply left this lot out' };
    this.#asked.delete(lot);
    if (close.closed === true) {
      const until = this.#ports.recording.clock.monotonic() + CLOSED_FOR_MS;
      this.#closed.set(lot, { close, until });
    }
    return close;
  }

  async #nextBatch(): Promise<ReadonlyMap<string, LotClose>> {
    // Rows that are begun together ask within one turn of the event loop.
    await nextTurn();
    const lots = this.#lots.splice(0, this.#ports.statusBatchSize);
    this.#batch = undefined;
    try {
      return await this.#readAll(lots);
    } catch (error) {
      const failed: LotClose = { closed: undefined, why: thrownMessage(error) };
      return new Map(lots.map((lot) => [lot, failed]));
    }
  }

  async #readAll(lots: readonly string[]): Promise<ReadonlyMap<string, LotClose>> {
    const options = { lane: 'bid', deadline: this.#ports.limits.deadline } as const;
    const [only] = lots;
    if (only !== undefined && lots.length === 1) {
      const status = await this.#ports.lots.status(only, options);
      return new Map([[only, this.#closeIn(status, responseOf(status))]]);
    }
    const results = await this.#ports.lots.statusBatch({ lot_ids: lots }, options);
    const reply = responseOf(results);
    return new Map(
      results.map((result) => {
        const { lot_id, code, status } = result;
        const known = statusIn(result);
        const why = `the service answered ${code ?? status ?? 'nothing'}`;
        return [lot_id, known ? this.#closeIn(known, reply) : { closed: undefined, why }];
      }),
    );
  }

  #closeIn(
    status: LotStatus,
    { serverTime, cached }: Pick<ReturnType<typeof responseOf>, 'serverTime' | 'cached'>,
  ): LotClose {
    return closeInStatus(status, { serverTime, cached }, this.#ports.recording.ledger.now());
  }
}

/** Whether a status shows its lot as closed, by the service's own time. */
export function closeInStatus(
  { auction_state, effective_close_at }: LotStatus,
  { serverTime, cached }: { readonly serverTime?: string | undefined; readonly cached?: string | undefined },
  now: number,
): LotClose {
  const closesAt = zonedTimeMs(effective_close_at);
  if (auction_state === 'over') return { closed: true, closesAt };
  // The close in a copy from a cache may have moved.
  if (closesAt === undefined || cached !== undefined)
    return { closed: undefined, why: cached ?? 'it has no close' };
  return { closed: (zonedTimeMs(serverTime) ?? now) >= closesAt, closesAt };
}
