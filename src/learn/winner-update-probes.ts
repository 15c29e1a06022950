import { at, type Exchange, isRecord, keysOf, typeName } from './exchange.js';
import type { Inquiry } from './inquiry.js';
import { type Probe, seen } from './probe.js';

import { salesOf } from './sale-probes.js';

/** Probes of the winner updates. */
export const winnerUpdateProbes: readonly Probe[] = [
  {
    id: 'winner-update-list',
    by: 'reading',
    assumes: { 'name of the list': ['data'], 'place of next_cursor': ['top'] },
    async *observe(ask) {
      const reply = await ask.get('/winner-updates', { limit: 100 });
      const body = reply?.body;
      if (reply === undefined || !isRecord(body)) return;
      const inner = isRecord(body['data']) ? body['data'] : {};
      const lists = [
        ...Object.keys(body).filter((name) => Array.isArray(body[name])),
        ...Object.keys(inner).flatMap((name) => (Array.isArray(inner[name]) ? [`data.${name}`] : [])),
      ];
      if (lists.length > 0) yield seen('name of the list', lists.join(' and '), reply, Object.keys(body));
      const places = [
        Object.hasOwn(body, 'next_cursor') ? 'top' : '',
        Object.hasOwn(inner, 'next_cursor') ? 'data' : '',
      ];
      const found = places.filter((place) => place !== '').join(' and ');
      yield seen('place of next_cursor', found || 'absent', reply, Object.keys(body));
    },
  },
  {
    id: 'winner-update-fields',
    by: 'reading',
    assumes: { 'fields of an update': ['created_at, id, lot_id, resource_id, resource_version, sale, type'] },
    async *observe(ask) {
      const { pages } = await walkOf(ask);
      for (const { reply, updates } of pages)
        for (const update of updates)
          yield seen('fields of an update', keysOf(update), reply, keysOf(update));
    },
  },
  {
    id: 'winner-update-limit',
    by: 'reading',
    assumes: { 'a limit of 100000': ['taken'], 'updates without a limit': ['50'] },
    async *observe(ask) {
      const large = await ask.get('/winner-updates', { limit: 100_000 });
      if (large !== undefined && [200, 422].includes(large.status))
        yield seen(
          'a limit of 100000',
          large.status === 200 ? 'taken' : 'refused',
          large,
          large.status === 200 ? {} : undefined,
        );
      const plain = await ask.get('/winner-updates');
      const [all, some] = [large, plain].map((reply) => updatesOf(reply).length);
      // Only a page that leaves some out shows where it ends.
      if (plain !== undefined && all !== undefined && some !== undefined && some < all)
        yield seen('updates without a limit', String(some), plain, { updates: some });
    },
  },
  {
    id: 'winner-update-ends',
    by: 'reading',
    assumes: { 'next_cursor at the end': ['the cursor that was asked with'] },
    async *observe(ask) {
      const { end } = await walkOf(ask);
      if (end === undefined) return;
      const { reply, after, next } = end;
      const finding = next === after ? 'the cursor that was asked with' : typeName(next);
      yield seen('next_cursor at the end', finding, reply, { next_cursor: next });
    },
  },
  {
    id: 'winner-update-start',
    by: 'reading',
    assumes: { 'a walk without a cursor': ['begins with the first update'] },
    async *observe(ask) {
      const { pages, isWhole } = await walkOf(ask);
      const [first] = pages;
      const approved = (await salesOf(ask)).filter(({ state }) => state === 'approved');
      if (first === undefined || !isWhole || approved.length === 0) return;
      const walked = JSON.stringify(pages.map(({ updates }) => updates));
      const found = approved.filter(({ id }) => walked.includes(id)).length;
      const shown = { approved_sales: approved.length, found };
      if (found === approved.length)
        yield seen('a walk without a cursor', 'begins with the first update', first.reply, shown);
      else if (pages.every(({ updates }) => updates.length === 0))
        yield seen('a walk without a cursor', 'begins with what is new', first.reply, shown);
    },
  },
];

interface UpdatePage {
  readonly reply: Exchange;
  readonly updates: readonly Readonly<Record<string, unknown>>[];
}

interface UpdateWalk {
  readonly pages: readonly UpdatePage[];
  /** True if the walk came to its end. */
  readonly isWhole: boolean;
  /** The last reply, if it was asked for with a cursor. */
  readonly end?: { readonly reply: Exchange; readonly after: string; readonly next: unknown };
}

/** Pages of winner updates that are read at most. */
const MOST_UPDATE_PAGES = 20;

/** A walk from the beginning. `end` is its last reply, if it was reached after at least one cursor. */
async function walkOf(ask: Inquiry): Promise<UpdateWalk> {
  const pages: UpdatePage[] = [];
  let after: string | undefined;
  for (let count = 0; count < MOST_UPDATE_PAGES; count += 1) {
    const reply = await ask.get('/winner-updates', { limit: 100, ...(after !== undefined && { after }) });
    if (reply === undefined || reply.status !== 200) return { pages, isWhole: false };
    pages.push({ reply, updates: updatesOf(reply) });
    const next = at(reply.body, 'next_cursor') ?? at(reply.body, 'data.next_cursor');
    if (typeof next !== 'string' || next === after)
      return { pages, isWhole: true, ...(after !== undefined && { end: { reply, after, next } }) };
    after = next;
  }
  return { pages, isWhole: false };
}

function updatesOf(reply: Exchange | undefined): readonly Readonly<Record<string, unknown>>[] {
  const lists = [
    at(reply?.body, 'data'),
    ...Object.values(Object(reply?.body)),
    ...Object.values(Object(at(reply?.body, 'data'))),
  ];
  const list: unknown = lists.find(Array.isArray);
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
