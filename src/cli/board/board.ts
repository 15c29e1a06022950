import type { LotStatus } from '../../generated/lots.js';
import type { Standing } from '../../index.js';

/** A lot of the board. */
export interface BoardRow {
  readonly lot: string;
  readonly vehicle: string;
  readonly state: string;
  /** INR decimal string; null without a bid or where it is hidden. */
  readonly highestAmount: string | null;
  readonly standings: readonly Standing[];
  /** Unix ms in server time; undefined if unknown. */
  readonly closesAt: number | undefined;
}

/** Facts of the moment. */
export interface BoardFacts {
  /** Server time, Unix ms. */
  readonly now: number;
  readonly quota: { readonly used: number; readonly limit: number };
  /** How up to date the lots are, as `watch.state()` says. */
  readonly status: string;
  readonly paused: boolean;
}

/** The lots of an event as they were last seen. */
export class Board {
  readonly #name: string;
  readonly #rows: Map<string, BoardRow>;

  constructor(name: string, rows: readonly BoardRow[]) {
    this.#name = name;
    this.#rows = new Map(rows.map((row) => [row.lot, row]));
  }

  /** Records a status, and returns the row. */
  update(status: LotStatus, standings: readonly Standing[]): BoardRow {
    const { lot_id: lot, auction_state, highest_amount, effective_close_at } = status;
    const before = this.#rows.get(lot);
    const row: BoardRow = {
      lot,
      vehicle: before?.vehicle ?? '',
      state: auction_state ?? '',
      highestAmount: highest_amount ?? null,
      standings,
      closesAt: zonedMs(effective_close_at) ?? before?.closesAt,
    };
    this.#rows.set(lot, row);
    return row;
  }

  /** Marks a lot without a status. */
  lose(lot: string): BoardRow | undefined {
    const before = this.#rows.get(lot);
    if (before === undefined) return undefined;
    const row = { ...before, state: 'unavailable' };
    this.#rows.set(lot, row);
    return row;
  }

  /** The board as text, with at most `height` lines. Lots that close first come first. */
  lines({ now, quota, status, paused }: BoardFacts, height: number): string[] {
    const clock = new Date(now).toISOString().slice(11, 19);
    const head = `${this.#name}  ${clock} UTC  quota ${quota.used}/${quota.limit}  updates: ${status}`;
    const keys = paused ? 'PAUSED  space: go on  q: quit' : 'space: pause  q: quit';
    const ordered = [...this.#rows.values()].sort(
      (one, other) => rank(one, now) - rank(other, now) || one.lot.localeCompare(other.lot),
    );
    const shown = ordered.slice(0, Math.max(0, height - 4));
    const cells = [
      ['lot', 'vehicle', 'highest', 'closes in', 'state', 'standings'],
      ...shown.map((row) => [
        row.lot,
        row.vehicle,
        row.highestAmount ?? '-',
        remaining(row.closesAt, now),
        row.state,
        row.standings.map(standingText).join(', '),
      ]),
    ];
    const widths = cells[0]?.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0))) ?? [];
    const table = cells.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '));
    const more = ordered.length - shown.length;
    return [head, ...table, more === 0 ? '' : `${more} more lots`, keys];
  }
}

/** A standing as text, such as `buyer-1 leading 465000.00`. A question mark means that it may be wrong. */
export function standingText({ bidderReference, standing, ownAmount, doubts }: Standing): string {
  const mark = doubts.length === 0 ? '' : '?';
  return [bidderReference, `${standing ?? 'unknown'}${mark}`, ownAmount]
    .filter((part) => part !== null)
    .join(' ');
}

/** Time to the close, such as `1:05:09` or `04:59`. */
export function remaining(closesAt: number | undefined, now: number): string {
  if (closesAt === undefined) return '?';
  const seconds = Math.ceil((closesAt - now) / 1_000);
  if (seconds <= 0) return 'closed';
  const two = (part: number) => String(part).padStart(2, '0');
  const hours = Math.floor(seconds / 3_600);
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return hours === 0 ? rest : `${hours}:${rest}`;
}

/** Unix ms of a time with a zone. */
export function zonedMs(text: string | null | undefined): number | undefined {
  if (typeof text !== 'string' || !/(Z|[+-]\d{2}:?\d{2})$/i.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Open lots by their close, then those without a known close, then closed ones. */
function rank({ closesAt = Number.MAX_SAFE_INTEGER - 1 }: BoardRow, now: number): number {
  return closesAt > now ? closesAt : Number.MAX_SAFE_INTEGER;
}
