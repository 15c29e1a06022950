import type { Exchange, Inquiry } from './inquiry.js';
import {
  at,
  isPermitted,
  isRecord,
  itemsOf,
  keysOf,
  type Observation,
  operationsOf,
  orderOf,
  type Probe,
  pathOf,
  seen,
  textAt,
  typeName,
} from './probe.js';

/** Probes of the profile, the capabilities, the catalogue, bids and eligibility: what a partner or a bank can read. */
export const catalogueProbes: readonly Probe[] = [
  {
    id: 'capability-operations',
    by: 'reading',
    assumes: { 'items of operations': ['actors, id, method, path, scope, title'] },
    async *observe(ask) {
      const reply = await ask.get('/integration/capabilities');
      const operations = at(reply?.body, 'data.operations');
      if (reply === undefined || !Array.isArray(operations)) return;
      for (const form of new Set(operations.map((item) => (isRecord(item) ? keysOf(item) : typeName(item)))))
        yield seen('items of operations', form, reply, { operations: operations.slice(0, 1) });
    },
  },
  {
    id: 'capability-values',
    by: 'reading',
    assumes: {
      'bid_visibility.open': ['highest_amount'],
      'bid_visibility.closed': ['own_standing'],
      cancellation_mode: ['bank_approval'],
      sale_approval: ['bank'],
      payment_verification: ['bank'],
    },
    async *observe(ask) {
      const reply = await ask.get('/integration/capabilities');
      for (const name of Object.keys(this.assumes)) {
        const value = at(reply?.body, `data.${name}`);
        if (reply !== undefined && value !== undefined)
          yield seen(name, typeof value === 'string' ? value : typeName(value), reply, { [name]: value });
      }
    },
  },
  {
    id: 'capability-quotas',
    by: 'reading',
    assumes: { 'fields about quotas': ['none'] },
    async *observe(ask) {
      const reply = await ask.get('/integration/capabilities');
      const data = at(reply?.body, 'data');
      if (reply === undefined || !isRecord(data)) return;
      const names = Object.keys(data).filter((name) => /quota|limit|rate/i.test(name));
      const found = Object.fromEntries(names.map((name) => [name, data[name]]));
      yield seen('fields about quotas', names.sort().join(', ') || 'none', reply, found);
    },
  },
  {
    id: 'webhook-operative',
    by: 'reading',
    assumes: { 'webhooks.enabled': ['false'] },
    async *observe(ask) {
      const reply = await ask.get('/integration/capabilities');
      const enabled = at(reply?.body, 'data.webhooks.enabled');
      if (reply !== undefined && typeof enabled === 'boolean')
        yield seen('webhooks.enabled', String(enabled), reply, { webhooks: { enabled } });
    },
  },
  {
    id: 'unlisted-operation-ids',
    by: 'reading',
    assumes: { 'id of the event list': ['events.list'], 'id of submitting a bid': ['bids.submit'] },
    async *observe(ask) {
      for (const { operation, reply } of await operationsOf(ask)) {
        const [question] = Object.keys(this.assumes).filter((one) => questionOn(operation) === one);
        const id = textAt(operation, 'id');
        if (question !== undefined && id !== undefined) yield seen(question, id, reply, operation);
      }
    },
  },
  {
    id: 'unnamed-actors',
    by: 'reading',
    assumes: {
      'actors of the catalogue': ['bank, partner'],
      'actors of submitting a bid': ['partner', 'bank, partner'],
    },
    async *observe(ask) {
      for (const { operation, reply } of await operationsOf(ask)) {
        const actors = operation['actors'];
        if (!Array.isArray(actors) || actors.length === 0) continue;
        const finding = actors.map(String).sort().join(', ');
        if (questionOn(operation) === 'id of submitting a bid')
          yield seen('actors of submitting a bid', finding, reply, operation);
        else if (/^\/(events|lots|results)$/.test(pathOf(operation)) && operation['method'] === 'GET')
          yield seen('actors of the catalogue', finding, reply, operation);
      }
    },
  },
  {
    id: 'inventory-schema-actors',
    by: 'reading',
    actor: 'partner',
    assumes: { 'a partner reads schemas': ['refused'] },
    async *observe(ask) {
      const reply = await ask.get('/bank/inventory/schemas');
      if (reply !== undefined && [200, 403].includes(reply.status))
        yield seen('a partner reads schemas', isOk(reply) ? 'allowed' : 'refused', reply);
    },
  },
  {
    id: 'wrong-actor-code',
    by: 'reading',
    assumes: { 'a call of the other actor': ['403 SCOPE_DENIED'] },
    async *observe(ask) {
      const path = ask.actor === 'bank' ? '/bidding-eligibility' : '/bank/inventory/schemas';
      const reply = await ask.get(path, ask.actor === 'bank' ? { lot_id: 'lot_0' } : {});
      // A 404 may also come because there is no such operation.
      if (reply?.status !== 403) return;
      const finding = `403 ${reply.codes[0] ?? 'without a code'}`;
      yield seen('a call of the other actor', finding, reply);
    },
  },
  {
    id: 'time-precision',
    by: 'reading',
    assumes: {
      'fraction of server_time': ['3 digits'],
      'offset of server_time': ['UTC'],
      'fraction of starts_at': ['none'],
      'offset of starts_at': ['+05:30'],
    },
    async *observe(ask) {
      const profile = await ask.get('/integration/profile');
      const time = textAt(profile?.body, 'server_time');
      if (profile !== undefined && time !== undefined) yield* timeForm('server_time', time, profile);
      const events = await ask.get('/events', { status: 'all' });
      for (const event of itemsOf(events)) {
        const starts = textAt(event, 'starts_at');
        if (events !== undefined && starts !== undefined) yield* timeForm('starts_at', starts, events);
      }
    },
  },
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
        const last = at(reply?.body, 'last_page');
        if (reply === undefined || typeof last !== 'number') return;
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
        const replies = [await ask.get(path, query), await ask.get(path, { ...query, page: 2 })];
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
        const last = at((await ask.get(path, query))?.body, 'last_page');
        if (typeof last !== 'number') continue;
        const reply = await ask.get(path, { ...query, page: last + 7 });
        if (reply === undefined || reply.status === 403) continue;
        const count = itemsOf(reply).length;
        if (!isOk(reply)) yield seen('page past the last', String(reply.status), reply);
        else
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
        if (reply === undefined || !isOk(reply) || itemsOf(reply).length > 0) continue;
        const last = at(reply.body, 'last_page') ?? at(reply.body, 'data.last_page');
        if (typeof last === 'number')
          yield seen('last_page of an empty list', String(last), reply, { data: [], last_page: last });
      }
    },
  },
  {
    id: 'reply-envelopes',
    by: 'reading',
    assumes: { 'A11 has server_time': ['yes'], 'A63 has server_time': ['yes'] },
    async *observe(ask) {
      const isBank = ask.actor === 'bank';
      const reply = isBank ? await ask.get('/bank/inventory/schemas') : await batchOf(ask, ['lot_0']);
      if (reply === undefined || !isOk(reply)) return;
      const finding = at(reply.body, 'server_time') === undefined ? 'no' : 'yes';
      yield seen(
        `${isBank ? 'A63' : 'A11'} has server_time`,
        finding,
        reply,
        Object.keys(Object(reply.body)),
      );
    },
  },
  {
    id: 'status-batch-size',
    by: 'reading',
    actor: 'partner',
    assumes: { 'lots in a batch': ['at most 100'] },
    async *observe(ask) {
      const taken = async (count: number) => {
        const reply = await batchOf(ask, namesOf('lot_', count));
        if (reply === undefined || ![200, 400, 413, 422].includes(reply.status)) return undefined;
        return { isTaken: isOk(reply), reply };
      };
      const question = 'lots in a batch';
      // A batch of two shows that lots which do not exist are no reason to refuse one.
      if ((await taken(2))?.isTaken !== true) return;
      const [hundred, more] = [await taken(100), await taken(101)];
      if (hundred === undefined || more === undefined) return;
      if (hundred.isTaken) {
        yield seen(
          question,
          more.isTaken ? 'more than 100' : 'at most 100',
          more.reply,
          more.isTaken ? {} : undefined,
        );
        return;
      }
      let [most, least] = [2, 100];
      let refused = hundred;
      while (least - most > 1) {
        const middle = Math.floor((most + least) / 2);
        const found = await taken(middle);
        if (found === undefined) return;
        if (found.isTaken) most = middle;
        else [least, refused] = [middle, found];
      }
      yield seen(question, `at most ${most}`, refused.reply);
    },
  },
  {
    id: 'body-nesting',
    by: 'reading',
    actor: 'partner',
    assumes: { 'levels of a body': ['512'] },
    async *observe(ask) {
      const taken = async (levels: number) => {
        // The client refuses such a body, so it is sent by hand.
        const body = JSON.stringify({ lot_ids: ['lot_0'], ...buyerOf(ask), ...nested(levels - 1) });
        const reply = await ask.byHand({ method: 'POST', path: '/lots/status-batch', body });
        return reply === undefined ? undefined : { isTaken: isOk(reply), reply };
      };
      // An unknown field may be refused by itself.
      if ((await taken(2))?.isTaken !== true) return;
      const [whole, deeper] = [await taken(512), await taken(513)];
      if (whole === undefined || deeper === undefined) return;
      if (whole.isTaken)
        yield seen('levels of a body', deeper.isTaken ? 'more than 512' : '512', deeper.reply);
      else yield seen('levels of a body', 'fewer than 512', whole.reply);
    },
  },
  {
    id: 'accept-header',
    by: 'reading',
    assumes: { 'Accept: text/html': ['200'], 'without Accept': ['200'] },
    async *observe(ask) {
      for (const [question, headers] of [
        ['Accept: text/html', { accept: 'text/html' }],
        ['without Accept', {}],
      ] as const) {
        const reply = await ask.byHand({ method: 'GET', path: '/events', headers });
        if (reply !== undefined && [200, 406].includes(reply.status))
          yield seen(question, String(reply.status), reply, isOk(reply) ? {} : undefined);
      }
    },
  },
  {
    id: 'query-repeated-names',
    by: 'reading',
    assumes: { 'values of one name': ['in the order sent'], 'names are sorted': ['before encoding'] },
    async *observe(ask) {
      const accepted = async (...query: readonly (readonly [string, string])[]) => {
        const reply = await ask.byHand({ method: 'GET', path: '/events', query });
        if (reply === undefined || reply.status === 403) return undefined;
        return { isSigned: !reply.codes.includes('INVALID_SIGNATURE'), reply };
      };
      const [up, down] = [
        await accepted(['page', '1'], ['page', '2']),
        await accepted(['page', '2'], ['page', '1']),
      ];
      if (up?.isSigned === true && down !== undefined)
        yield seen('values of one name', down.isSigned ? 'in the order sent' : 'sorted', down.reply);
      // The one name sorts after the other as it is, and before it when it is encoded.
      const [plain, mixed] = [await accepted(['z', '1']), await accepted(['z', '1'], ['{', '1'])];
      if (plain?.isSigned === true && mixed !== undefined)
        yield seen('names are sorted', mixed.isSigned ? 'before encoding' : 'after encoding', mixed.reply);
    },
  },
  {
    id: 'query-repeated-values',
    by: 'reading',
    assumes: { 'a parameter that is sent twice': ['422'] },
    async *observe(ask) {
      const [live, upcoming] = [
        idsOf(await ask.get('/events', { status: 'live', per_page: 100 })),
        idsOf(await ask.get('/events', { status: 'upcoming', per_page: 100 })),
      ];
      const status = ['live', 'upcoming'].map((value) => ['status', value] as const);
      const reply = await ask.byHand({
        method: 'GET',
        path: '/events',
        query: [...status, ['per_page', '100']],
      });
      const question = 'a parameter that is sent twice';
      if (reply?.status === 422 || reply?.status === 400) yield seen(question, String(reply.status), reply);
      if (reply?.status !== 200 || live === upcoming) return;
      const used =
        idsOf(reply) === live
          ? 'the first counts'
          : idsOf(reply) === upcoming
            ? 'the last counts'
            : undefined;
      if (used !== undefined) yield seen(question, used, reply, { ids: itemsOf(reply).map(({ id }) => id) });
    },
  },
  {
    id: 'lookup-unknown-key',
    by: 'reading',
    actor: 'partner',
    assumes: { 'state of an unused key': ['absent'] },
    async *observe(ask) {
      const reply = await ask.get(`/bid-requests/${ask.uuid()}`);
      const state = textAt(reply?.body, 'data.state');
      if (reply?.status === 404 && (await isPermitted(ask, 'GET', '/bid-requests/{}')))
        yield seen('state of an unused key', '404', reply);
      else if (reply !== undefined && state !== undefined)
        yield seen('state of an unused key', state, reply, { state });
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
  {
    id: 'eligibility-types',
    by: 'reading',
    actor: 'partner',
    assumes: {
      eligible: ['boolean'],
      diagnostic_only: ['boolean'],
      errors: ['array'],
      notice: ['string'],
      starting_price: ['string'],
      bid_increment: ['string'],
      limit_until: ['date-time'],
      emd_until: ['date-time'],
      'a lot that is not visible': ['404'],
    },
    async *observe(ask) {
      const lot = await someLot(ask);
      if (lot !== undefined) {
        const reply = await ask.get('/bidding-eligibility', { lot_id: lot, ...buyerOf(ask) });
        if (reply !== undefined && isOk(reply)) {
          for (const name of Object.keys(this.assumes).filter((one) => /^[a-z_]+$/.test(one))) {
            const value = at(reply.body, `data.${name}`);
            if (value === null || value === undefined) continue;
            const form = name.endsWith('_until') ? dateForm(value) : typeName(value);
            yield seen(name, form, reply, { [name]: value });
          }
        }
      }
      const other = await ask.get('/bidding-eligibility', { lot_id: 'lot_0', ...buyerOf(ask) });
      if (!(await isPermitted(ask, 'GET', '/bidding-eligibility'))) return;
      if (other !== undefined && [200, 404, 422].includes(other.status))
        yield seen('a lot that is not visible', String(other.status), other, isOk(other) ? {} : undefined);
    },
  },
  {
    id: 'eligibility-parameters',
    by: 'reading',
    actor: 'partner',
    assumes: {
      'without lot_id': ['refused'],
      'without amount': ['taken'],
      'a platform without a buyer': ['taken'],
      'a direct dealer with a buyer': ['taken'],
    },
    async *observe(ask) {
      const lot = await someLot(ask);
      if (lot === undefined) return;
      const [lotOnly, buyer] = [{ lot_id: lot }, { bidder_reference: 'buyer-1' }];
      const whole = await ask.get('/bidding-eligibility', { ...lotOnly, ...buyerOf(ask), amount: '100000' });
      // The others mean something only where a whole question is answered.
      if (whole === undefined || !isOk(whole)) return;
      const asked = [
        ['without lot_id', { ...buyerOf(ask), amount: '100000' }],
        ['without amount', { ...lotOnly, ...buyerOf(ask) }],
        ...(ask.kind === 'platform' ? [['a platform without a buyer', lotOnly] as const] : []),
        ...(ask.kind === 'direct_dealer'
          ? [['a direct dealer with a buyer', { ...lotOnly, ...buyer }] as const]
          : []),
      ] as const;
      for (const [question, query] of asked) {
        const reply = await ask.get('/bidding-eligibility', query);
        if (reply?.status === 200)
          yield seen(question, 'taken', reply, { eligible: at(reply.body, 'data.eligible') });
        else if (reply?.status === 422) yield seen(question, 'refused', reply);
      }
    },
  },
  {
    id: 'buyer-of-a-direct-dealer',
    by: 'reading',
    actor: 'partner',
    assumes: { 'a direct dealer asks for a buyer': ['422'] },
    async *observe(ask) {
      const [event] = itemsOf(await ask.get('/events', { status: 'all' }));
      if (ask.kind !== 'direct_dealer' || event === undefined) return;
      const reply = await ask.get(`/events/${String(event['id'])}/lots`, { bidder_reference: 'buyer-1' });
      if (reply !== undefined && [200, 403, 422].includes(reply.status))
        yield seen(
          'a direct dealer asks for a buyer',
          String(reply.status),
          reply,
          isOk(reply) ? {} : undefined,
        );
    },
  },
  {
    id: 'bidder-reference-in-queries',
    by: 'reading',
    actor: 'partner',
    assumes: { 'bids list': ['422'], A03: ['422'], A11: ['422'] },
    async *observe(ask) {
      const lot = await someLot(ask);
      if (ask.kind !== 'platform' || lot === undefined) return;
      const [plain, dotted] = ['buyer-1', 'buyer.1'];
      const reads = {
        'bids list': (bidder_reference: string) => ask.get('/bids', { bidder_reference }),
        A03: (bidder_reference: string) => ask.get('/bidding-eligibility', { lot_id: lot, bidder_reference }),
        A11: (bidder_reference: string) => batchOf(ask, [lot], { bidder_reference }),
      };
      for (const [question, read] of Object.entries(reads)) {
        const [known, reply] = [await read(plain), await read(dotted)];
        if (known?.status === 200 && reply !== undefined && [200, 422].includes(reply.status))
          yield seen(question, String(reply.status), reply, isOk(reply) ? {} : undefined);
      }
    },
  },
];

/** Pages of a list that a probe reads. */
const MOST_PAGES = 8;

/** Records that a probe looks at. */
const FEW = 3;
const MANY = 10;

function isOk({ status }: Exchange): boolean {
  return status === 200;
}

/** A03 and A11 need a buyer of a platform. */
function buyerOf({ kind }: Inquiry): Readonly<Record<string, string>> {
  return kind === 'platform' || kind === 'aggregator' ? { bidder_reference: 'buyer-1' } : {};
}

function batchOf(
  ask: Inquiry,
  lot_ids: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): Promise<Exchange | undefined> {
  const body = { lot_ids, ...buyerOf(ask), ...more };
  return ask.send({ method: 'POST', path: '/lots/status-batch', body });
}

function namesOf(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index.toString(16).padStart(12, '0')}`);
}

/** An object in which `levels` objects are nested, under a name that no operation has. */
function nested(levels: number): Readonly<Record<string, unknown>> {
  let inner: Readonly<Record<string, unknown>> = {};
  for (let level = 1; level < levels; level += 1) inner = { level: inner };
  return { nesting: inner };
}

async function someLot(ask: Inquiry): Promise<string | undefined> {
  return textAt(itemsOf(await ask.get('/lots'))[0], 'id');
}

function questionOn(operation: Readonly<Record<string, unknown>>): string | undefined {
  const { method } = operation;
  const path = pathOf(operation);
  if (method === 'GET' && path === '/events') return 'id of the event list';
  return method === 'POST' && /^\/lots\/[^/]+\/bids$/.test(path) ? 'id of submitting a bid' : undefined;
}

function idsOf(reply: Exchange | undefined): string {
  return itemsOf(reply)
    .map(({ id }) => String(id))
    .sort()
    .join();
}

function* timeForm(name: string, time: string, reply: Exchange): Generator<Observation> {
  const [, fraction, offset] = /T\d\d:\d\d:\d\d(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)$/.exec(time) ?? [];
  if (offset === undefined) return;
  const digits = fraction === undefined ? 'none' : `${fraction.length} digits`;
  yield seen(`fraction of ${name}`, digits, reply, { [name]: time });
  yield seen(`offset of ${name}`, /^(Z|\+00:?00)$/.test(offset) ? 'UTC' : offset, reply, { [name]: time });
}

function dateForm(value: unknown): string {
  if (typeof value !== 'string') return typeName(value);
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return 'date';
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) ? 'date-time' : 'text';
}

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
