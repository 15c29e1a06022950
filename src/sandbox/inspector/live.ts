import type { Attempt } from '../attempt.js';
import type { Inspected } from './inspected.js';
import { type AttemptRow, attemptRow } from './views.js';

/**
 * Tells everybody who listens what is new, as server-sent events: `attempts` with rows of requests that arrived or of
 * which more is known, and `changed` with where things stand, so that a listener asks again for what it shows. Whoever
 * changed something, a request, a test or time itself, is seen; while nobody listens, nothing is looked at.
 */
export class Live {
  readonly #of: Inspected;
  readonly #listeners = new Set<(text: string) => void>();
  readonly #news = new Map<number, AttemptRow>();
  #glance: Glance | undefined;
  #stop: (() => void) | undefined;
  #quietFor = 0;

  constructor(inspected: Inspected) {
    this.#of = inspected;
  }

  /** Begins to tell `say` everything; the returned function ends it. */
  listen(say: (text: string) => void): () => void {
    this.#listeners.add(say);
    this.#stop ??= this.#look();
    say(`retry: 1000\n${event('changed', glanceAt(this.#of, this.#glance))}`);
    return () => {
      this.#listeners.delete(say);
      if (this.#listeners.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  }

  #look(): () => void {
    this.#glance = glanceAt(this.#of, undefined);
    const unwatch = this.#of.world.records.watch((attempt) => this.#note(attempt));
    const timer = setInterval(() => this.#tell(), everyMs);
    timer.unref();
    return () => {
      clearInterval(timer);
      unwatch();
      this.#news.clear();
    };
  }

  #note(attempt: Attempt): void {
    this.#news.set(attempt.n, attemptRow(attempt));
    const oldest = this.#news.keys().next().value;
    // More than anybody shows; a listener that wants all asks for them by number.
    if (this.#news.size > mostNews && oldest !== undefined) this.#news.delete(oldest);
  }

  #tell(): void {
    const before = this.#glance;
    this.#glance = glanceAt(this.#of, before);
    const news = [...this.#news.values()];
    this.#news.clear();
    const said = [
      ...(news.length > 0 ? [event('attempts', { attempts: news })] : []),
      ...(differs(before, this.#glance) ? [event('changed', this.#glance)] : []),
    ].join('');
    this.#quietFor = said === '' ? this.#quietFor + everyMs : 0;
    const text = said === '' && this.#quietFor >= quietMs ? ': still here\n\n' : said;
    if (text === '') return;
    if (said === '') this.#quietFor = 0;
    for (const say of this.#listeners) say(text);
  }
}

/** Where things stand, in numbers that differ once something does. */
interface Glance {
  /** Server time, Unix milliseconds. */
  readonly now: number;
  /** By how much server time is ahead of the machine's running time; it moves when the clock is moved. */
  readonly shift: number;
  readonly ledger: number;
  /** Counted, not compared: one that is planned and strikes between two looks leaves nothing to compare. */
  readonly faults: number;
  /** Every auction, its close and its lots. */
  readonly auctions: string;
}

function glanceAt({ world, faults }: Inspected, before: Glance | undefined): Glance {
  // What is due by now has happened; a clock that runs does that by itself, a manual one stands.
  const now = world.clock.now();
  const auctions = [...world.store.auctions.values()].map((auction) => {
    const phase = now < auction.startsAt ? 0 : now < auction.endsAt ? 1 : 2;
    const moves = world.store
      .lotsOf(auction.id)
      .reduce((sum, { version, resourceVersion }) => sum + version + resourceVersion, 0);
    return `${auction.revision}.${phase}.${auction.endsAt}.${moves}`;
  });
  const shift = world.clock.monotonic() - (world.settings.clock === 'real' ? performance.now() : 0);
  return {
    now,
    // A clock that runs drifts by a hair; that isn't a move.
    shift: before !== undefined && Math.abs(before.shift - shift) < 1 ? before.shift : shift,
    ledger: world.records.ledger().length,
    faults: faults.faultMoves,
    auctions: auctions.join(' '),
  };
}

function differs(before: Glance | undefined, after: Glance): boolean {
  return (
    before === undefined ||
    before.shift !== after.shift ||
    before.ledger !== after.ledger ||
    before.faults !== after.faults ||
    before.auctions !== after.auctions
  );
}

function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

const everyMs = 100;
const quietMs = 15_000;
const mostNews = 200;
