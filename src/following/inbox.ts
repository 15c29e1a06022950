import { zonedTimeMs } from '../clock/reply-time.js';
import type { Notification } from '../generated/notifications.js';
import { Progress } from '../paging/list.js';
import type { Page } from '../ports/list.js';
import type { Follower, FollowHandler, Round } from './follow.js';

/** Name of the call in errors. */
export const INBOX = 'notifications.follow';

/** Progress through the inbox: the ids of all handled messages. */
export interface InboxState {
  /** The latest ids. */
  readonly seen: readonly string[];
  /** Number of stored parts; each has the next `PART_IDS` ids, from the first message on. */
  readonly parts: number;
  /** Number of messages at the last read. */
  readonly total?: number;
}

/** Ids in one part. The row that is saved after each message has fewer. */
const PART_IDS = 256;

/** Polls that read all older pages once, up to `MOST_OLDER_PAGES` each. */
const POLLS_PER_SWEEP = 10;
const MOST_OLDER_PAGES = 5;

type ReadPage = (page: number, signal: AbortSignal) => Promise<Page<Notification>>;

/**
 * Follows the inbox, whose order is undocumented (unknowns: `list-order`).
 *
 * Each poll reads the first page, follows news from both ends, and walks all pages if the number of messages shows that some are
 * missing. A message that arrives on a middle page as another leaves changes neither, so each poll also reads some older pages in turn.
 */
export function messages(read: ReadPage, handle: FollowHandler<Notification>): Follower<InboxState> {
  const parts = new Parts();
  let turn = 0;
  return {
    call: INBOX,
    start: { seen: [], parts: 0 },
    async round(before, context) {
      const { signal, save, handled } = context;
      const known = await parts.idsOf(before, context);
      const inbox = new Walk(read, known, before.total ?? 0, signal);
      turn = await inbox.findNews(turn);
      let state = before;
      for (const item of oldestFirst(inbox.found)) {
        if (signal.aborted) return false;
        await handled(handle, item);
        state = await saveHandled(state, item.id, save);
      }
      const { total } = inbox;
      if (total !== before.total && total !== undefined) await save({ ...state, total });
      return false;
    },
  };
}

/** Stored parts in memory. They never change. */
class Parts {
  readonly #ids = new Set<string>();
  #loaded = 0;

  async idsOf(state: InboxState, { part }: Round<InboxState>): Promise<ReadonlySet<string>> {
    for (; this.#loaded < state.parts; this.#loaded += 1) {
      const text = await part(String(this.#loaded + 1));
      for (const id of JSON.parse(text) as readonly string[]) this.#ids.add(id);
    }
    return new Set([...this.#ids, ...state.seen]);
  }
}

async function saveHandled(
  state: InboxState,
  id: string,
  save: Round<InboxState>['save'],
): Promise<InboxState> {
  const seen = [...state.seen, id];
  if (seen.length < PART_IDS) {
    const next = { ...state, seen };
    await save(next);
    return next;
  }
  const next = { ...state, seen: [], parts: state.parts + 1 };
  await save(next, { key: String(next.parts), value: JSON.stringify(seen) });
  return next;
}

/** One poll of the inbox. */
class Walk {
  readonly found = new Map<string, Notification>();
  total: number | undefined;
  readonly #progress = new Progress();
  /** True if its pages repeat themselves: this poll then ignores the number of pages that they state. */
  #isStalled = false;
  readonly #read: ReadPage;
  readonly #known: ReadonlySet<string>;
  readonly #totalBefore: number;
  readonly #signal: AbortSignal;

  constructor(read: ReadPage, known: ReadonlySet<string>, totalBefore: number, signal: AbortSignal) {
    this.#read = read;
    this.#known = known;
    this.#totalBefore = totalBefore;
    this.#signal = signal;
  }

  /** @returns the turn of the next poll among older pages */
  async findNews(turn: number): Promise<number> {
    const first = await this.#page(1);
    this.total = first.page.total;
    // Pages from `low` to `high` are unread.
    let low = 2;
    let high = first.page.lastPage ?? pagesIn(first.page);
    if (high === undefined) {
      await this.#toTheEnd(first.page);
      return turn;
    }
    const older = high - 1;
    let { isNews } = first;
    for (; isNews && low <= high; low += 1) ({ isNews } = await this.#page(low));
    for (; this.#isMissing() && low <= high && !this.#isStalled; high -= 1) await this.#page(high);
    const count = Math.min(Math.ceil(older / POLLS_PER_SWEEP), MOST_OLDER_PAGES);
    let next = turn;
    for (let read = 0; read < count && low <= high; read += 1, next += 1) {
      const number = 2 + (next % older);
      if (number < low || number > high) continue;
      if ((await this.#page(number)).isNews)
        for (; low <= high && !this.#isStalled; high -= 1) await this.#page(high);
    }
    return next;
  }

  /** Reads all pages of an inbox that does not say how many there are. */
  async #toTheEnd(first: Page<Notification>): Promise<void> {
    let last = first;
    for (let number = 2; last.items.length > 0 && !this.#isStalled; number += 1) {
      ({ page: last } = await this.#page(number));
      if (last.page !== undefined && last.page !== number) return;
    }
  }

  /** True if the number of messages has changed by another number than was found. */
  #isMissing(): boolean {
    return this.total !== undefined && this.total !== this.#totalBefore + this.found.size;
  }

  async #page(number: number) {
    const page = await this.#read(number, this.#signal);
    this.#isStalled = this.#progress.isStalled(page);
    const before = this.found.size;
    for (const item of page.items) {
      if (!this.#known.has(item.id)) this.found.set(item.id, item);
    }
    return { page, isNews: this.found.size > before };
  }
}

/** The number of pages, from the number of messages and the size of the first page. */
function pagesIn({ items, skipped = [], total }: Page<Notification>): number | undefined {
  const size = items.length + skipped.length;
  return total === undefined || size === 0 ? undefined : Math.max(1, Math.ceil(total / size));
}

/** The oldest first. */
function oldestFirst(found: ReadonlyMap<string, Notification>): readonly Notification[] {
  const fresh = [...found.values()].reverse();
  const isDated = fresh.every(({ created_at }) => !Number.isNaN(orderMs(created_at)));
  if (isDated) fresh.sort((a, b) => orderMs(a.created_at) - orderMs(b.created_at));
  return fresh;
}

/** Time to sort messages by; NaN for anything else. A time without a zone is read as UTC, not in the zone of this machine. */
function orderMs(text: unknown): number {
  if (typeof text !== 'string') return Number.NaN;
  return zonedTimeMs(text) ?? zonedTimeMs(`${text.replace(' ', 'T')}Z`) ?? Number.NaN;
}
