import { winnerUpdates } from '../../api/winner-updates.js';
import type { Call, Handler } from '../call.js';
import type { Reply } from '../replies.js';
import { isoTime } from '../times.js';
import { unfamiliar } from '../unfamiliar.js';
import { checkedQuery } from '../validation.js';
import type { Variants } from '../variants.js';
import { mayHave } from '../workflow/cases.js';
import { unfit } from '../workflow/commands.js';
import type { WinnerUpdate } from '../workflow/entities.js';

const { operations } = winnerUpdates;

/** Committed approvals, from a cursor on. */
export const winnerUpdateHandlers: Readonly<Record<string, Handler>> = { [operations.list.id]: list };

/** A cursor names the last update that was read; at the end it stays the one that was asked with. */
function list(call: Call): Reply {
  const query = checkedQuery(operations.list.query, call.query);
  const { variants } = call.world.settings;
  const all = call.world.cases.winnerUpdates.filter(({ sale }) => mayHave(call.party, sale.owner));
  const start = query.after === undefined ? beginning(call, all) : behind(call, all, query.after);
  const page = all.slice(start, start + mostIn(call, query.limit));
  // A walk that begins behind the last update must still learn where it is.
  const last = page.at(-1) ?? (query.after === undefined ? all[start - 1] : undefined);
  const next = last === undefined ? (query.after ?? null) : cursorOf(last.id);
  const items = page.map(({ told }) => shown(told, variants));
  const server_time = isoTime(call.now());
  return {
    status: 200,
    json: { ...listed(items, cursorField(variants, next, page.length === 0), variants), server_time },
  };
}

/** Where a walk without a cursor begins isn't shown (unknowns: `winner-update-start`). */
function beginning({ world }: Call, all: readonly WinnerUpdate[]): number {
  return world.settings.variants['winner-update-start'] === 'now' ? all.length : 0;
}

/** Behind the update that a cursor names, for as long as it is good (unknowns: `winner-update-cursor-life`). */
function behind(call: Call, all: readonly WinnerUpdate[], cursor: string): number {
  const place = all.findIndex(({ id }) => cursorOf(id) === cursor);
  const named = all[place];
  if (named === undefined) throw unfit('after', 'This cursor was never given out.');
  const isMortal = call.world.settings.variants['winner-update-cursor-life'] === 'one-day';
  if (isMortal && call.now() - named.at > dayMs) throw unfit('after', 'This cursor is too old.');
  return place + 1;
}

/** The largest `limit` isn't shown (unknowns: `winner-update-limit`). */
function mostIn({ world }: Call, limit = defaultLimit): number {
  const variant = world.settings.variants['winner-update-limit'];
  if (variant === 'any' || limit <= highestLimit) return limit;
  if (variant === 'cut-to-100') return highestLimit;
  throw unfit('limit', `The limit is at most ${highestLimit}.`);
}

/** Neither are the fields of an update (unknowns: `winner-update-fields`). */
function shown(told: WinnerUpdate['told'], variants: Variants): unknown {
  return variants['winner-update-fields'] === 'unfamiliar' ? { news: unfamiliar } : told;
}

/** What the cursor says where there is nothing more isn't shown either (unknowns: `winner-update-ends`). */
function cursorField(variants: Variants, next: string | null, isEnd: boolean) {
  const variant = variants['winner-update-ends'];
  if (!isEnd || variant === 'same') return { next_cursor: next };
  return variant === 'null' ? { next_cursor: null } : {};
}

/** Nor is where the list stands (unknowns: `winner-update-list`). */
function listed(updates: readonly unknown[], cursor: object, variants: Variants) {
  switch (variants['winner-update-list']) {
    case 'data':
      return { data: updates, ...cursor };
    case 'updates':
      return { updates, ...cursor };
    case 'data-updates':
      return { data: { updates, ...cursor } };
  }
}

function cursorOf(id: string): string {
  return Buffer.from(`after ${id}`).toString('base64url');
}

const defaultLimit = 50;
const highestLimit = 100;
const dayMs = 24 * 3_600_000;
