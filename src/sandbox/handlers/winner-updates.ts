import { winnerUpdates } from '../../api/winner-updates.js';
import type { Call, Handler } from '../call.js';
import type { Reply } from '../replies.js';
import { isoTime } from '../times.js';
import { checkedQuery } from '../validation.js';
import { mayHave } from '../workflow/cases.js';
import { unfit } from '../workflow/commands.js';

const { operations } = winnerUpdates;

/** Committed approvals, from a cursor on. */
export const winnerUpdateHandlers: Readonly<Record<string, Handler>> = { [operations.list.id]: list };

/** A cursor names the last update that was read; at the end it stays the one that was asked with. */
function list(call: Call): Reply {
  const query = checkedQuery(operations.list.query, call.query);
  const all = call.world.cases.winnerUpdates.filter(({ sale }) => mayHave(call.party, sale.owner));
  const start = query.after === undefined ? 0 : all.findIndex(({ id }) => cursorOf(id) === query.after) + 1;
  if (query.after !== undefined && start === 0) throw unfit('after', 'This cursor was never given out.');
  const page = all.slice(start, start + (query.limit ?? defaultLimit));
  const last = page.at(-1);
  return {
    status: 200,
    json: {
      data: page.map(({ told }) => told),
      next_cursor: last === undefined ? (query.after ?? null) : cursorOf(last.id),
      server_time: isoTime(call.now()),
    },
  };
}

function cursorOf(id: string): string {
  return Buffer.from(`after ${id}`).toString('base64url');
}

const defaultLimit = 50;
