import { type Exchange, isRecord, itemsOf, lastPageOf, listOf, textAt } from './exchange.js';
import { idsOf, isOk, orderOf, type Probe, seen } from './probe.js';

/** Probes of events, lots, bids and their lists. */
export const catalogueProbes: readonly Probe[] = [
  {
    id: 'event-status-active',
    by: 'reading',
    assumes: { active: ['live'], scheduled: ['upcoming'], ended: ['over'] },
    async *observe(ask) {
      const known = new Map<string, string>();
      for (const status of ['live', 'upcoming', 'over']) {
        const ids = idsOf(await ask.get('/events', { status, per_page: 100 }));
        if (ids !== '') known.set(ids, known.has(ids) ? 'ambiguous' : status);
      }
      for (const status of Object.keys(this.assumes)) {
        const reply = await ask.get('/events', { status, per_page: 100 });
        if (reply === undefined || (!isOk(reply) && reply.status !== 422)) continue;
        if (!isOk(reply)) yield seen(status, 'refused', reply);
        // Another selection may be a change of the events between two requests.
        const selected = known.get(idsOf(reply));
        if (selected !== undefined && selected !== 'ambiguous')
          yield seen(status, selected, reply, { ids: itemsOf(reply).map(({ id }) => id) });
      }
    },
  },
  {
    id: 'lots-listed',
    by: 'reading',
    assumes: { 'lots of upcoming events': ['not listed'], 'lots of closed events': ['not listed'] },
    async *observe(ask) {
      const pages: Exchange[] = [];
      let isWhole = false;
      for (let page = 1; page <= MOST_PAGES && !isWhole; page += 1) {
        const reply = await ask.get('/lots', { page });
        const last = lastPageOf(reply);
        if (reply === undefined || last === undefined) return;
        pages.push(reply);
        isWhole = page >= last;
      }
      for (const [status, question] of [
        ['upcoming', 'lots of upcoming events'],
        ['over', 'lots of closed events'],
      ] as const) {
        const events = itemsOf(await ask.get('/events', { status, per_page: 100 }));
        const ids = new Set(
          events.filter((one) => Number(one['eligible_lots_count']) > 0).map(({ id }) => id),
        );
        if (ids.size === 0) continue;
        const isListed = (page: Exchange) => itemsOf(page).some((lot) => ids.has(lot['auction_id']));
        const found = pages.find(isListed);
        const [first] = pages;
        if (found !== undefined) yield seen(question, 'listed', found, { auction_ids: [...ids] });
        else if (isWhole && first !== undefined)
          yield seen(question, 'not listed', first, { pages: pages.length });
      }
    },
  },
  {
    id: 'list-order',
    by: 'reading',
    assumes: {
      'events by starts_at': ['ascending'],
      'results by ends_at': ['descending'],
      'bids by created_at': ['descending'],
      'records by created_at': ['descending'],
      'messages by created_at': ['descending'],
    },
    async *observe(ask) {
      for (const [question, path, field, query] of [
        ['events by starts_at', '/events', 'starts_at', { status: 'all', per_page: 100 }],
        ['results by ends_at', '/results', 'ends_at', {}],
        ['bids by created_at', '/bids', 'created_at', {}],
        ['records by created_at', '/sale-cases', 'created_at', {}],
        ['messages by created_at', '/notifications', 'created_at', {}],
      ] as const) {
        const page1 = await ask.get(path, query);
        // A page past the end may repeat another one.
        const more = (lastPageOf(page1) ?? 1) > 1;
        const replies = [page1, ...(more ? [await ask.get(path, { ...query, page: 2 })] : [])];
        const times = replies.flatMap(itemsOf).map((item) => Date.parse(textAt(item, field) ?? ''));
        const [order, [first]] = [orderOf(times), replies];
        if (first !== undefined && order !== undefined)
          yield seen(question, order, first, { items: times.length });
      }
    },
  },
  {
    id: 'page-envelope-details',
    by: 'reading',
    assumes: { events: ['neither'], lots: ['neither'], results: ['neither'], bids: ['neither'] },
    async *observe(ask) {
      for (const name of Object.keys(this.assumes)) {
        const reply = await ask.get(`/${name}`, name === 'events' ? { status: 'all' } : {});
        const body = reply?.body;
        if (reply === undefined || !isRecord(body)) continue;
        const names = ['server_time', 'request_id'].filter((field) => Object.hasOwn(body, field));
        yield seen(name, names.join(' and ') || 'neither', reply, Object.keys(body));
      }
    },
  },
  {
    id: 'page-past-the-end',
    by: 'reading',
    assumes: { 'page past the last': ['an empty page'] },
    async *observe(ask) {
      for (const [path, query] of [
        ['/events', { status: 'all' }],
        ['/lots', {}],
      ] as const) {
        const last = lastPageOf(await ask.get(path, query));
        if (last === undefined) continue;
        const reply = await ask.get(path, { ...query, page: last + 7 });
        if (reply === undefined || reply.status === 403) continue;
        const count = listOf(reply)?.length;
        if (!isOk(reply)) yield seen('page past the last', String(reply.status), reply);
        else if (count !== undefined)
          yield seen('page past the last', count === 0 ? 'an empty page' : 'records', reply, {
            records: count,
          });
      }
    },
  },
  {
    id: 'empty-list-last-page',
    by: 'reading',
    assumes: { 'last_page of an empty list': ['1'] },
    async *observe(ask) {
      const [event] = itemsOf(await ask.get('/events', { status: 'all' }));
      const nothing = { search: 'no vehicle has this name' };
      for (const [path, query] of [
        ['/bids', {}],
        ['/sale-cases', {}],
        ['/notifications', {}],
        ...(event === undefined ? [] : [[`/events/${String(event['id'])}/lots`, nothing] as const]),
      ] as const) {
        const reply = await ask.get(path, query);
        if (reply === undefined || listOf(reply)?.length !== 0) continue;
        const last = lastPageOf(reply);
        if (last !== undefined)
          yield seen('last_page of an empty list', String(last), reply, { data: [], last_page: last });
      }
    },
  },
  {
    id: 'bid-created-at-zone',
    by: 'reading',
    assumes: { 'zone of created_at': ['UTC'] },
    async *observe(ask) {
      const list = await ask.get('/bids');
      for (const item of itemsOf(list).slice(0, FEW)) {
        const detail = await ask.get(`/bids/${String(item['public_id'])}`);
        const [created, received] = [
          textAt(item, 'created_at'),
          textAt(detail?.body, 'data.server_received_at'),
        ];
        if (list === undefined || created === undefined || received === undefined) continue;
        const zone = zoneBetween(created, received);
        if (zone !== undefined)
          yield seen('zone of created_at', zone, list, { created_at: created, server_received_at: received });
      }
    },
  },
  {
    id: 'channel-status-values',
    by: 'reading',
    actor: 'partner',
    assumes: { 'a channel that was outbid': ['no_bid'] },
    async *observe(ask) {
      for (const item of itemsOf(await ask.get('/bids')).slice(0, MANY)) {
        const bid = (await ask.get(`/bids/${String(item['public_id'])}`))?.body;
        const lot = textAt(bid, 'data.lot_id');
        if (lot === undefined) continue;
        const event = textAt((await ask.get(`/vehicles/${lot}`))?.body, 'data.auction_id');
        if (event === undefined) continue;
        const buyer = textAt(bid, 'data.bidder_reference');
        const query = buyer === undefined ? {} : { bidder_reference: buyer };
        const reply = await ask.get(`/events/${event}/lots/${lot}`, query);
        const status = textAt(reply?.body, 'data.channel_status');
        const isOutbid = textAt(reply?.body, 'data.bidder_status') === 'outbid';
        if (reply !== undefined && isOutbid && status !== undefined && status !== 'leading')
          yield seen('a channel that was outbid', status, reply, {
            bidder_status: 'outbid',
            channel_status: status,
          });
      }
    },
  },
];

/** Pages of a list that a probe reads. */
const MOST_PAGES = 8;

/** Records that a probe looks at. */
const FEW = 3;
const MANY = 10;

/** The zone in which a time without an offset is within two minutes of one with an offset. */
function zoneBetween(plain: string, stated: string): string | undefined {
  const ahead = (Date.parse(`${plain.replace(' ', 'T')}Z`) - Date.parse(stated)) / 60_000;
  const minutes = Math.round(ahead / 15) * 15;
  if (!Number.isFinite(ahead) || Math.abs(ahead - minutes) > 2 || Math.abs(minutes) > 14 * 60)
    return undefined;
  if (minutes === 0) return 'UTC';
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${minutes < 0 ? '-' : '+'}${hours}:${rest}`;
}
