import { at, itemsOf, textAt, typeName } from './exchange.js';
import { batchOf, buyerOf, idsOf, isOk, isPermitted, type Probe, seen, someLot } from './probe.js';

/** Probes of how requests are taken: sizes, headers, parameters. */
export const requestProbes: readonly Probe[] = [
  {
    id: 'status-batch-size',
    by: 'reading',
    actor: 'partner',
    assumes: { 'lots in a batch': ['at most 100'] },
    async *observe(ask) {
      const taken = async (count: number) => {
        const reply = await batchOf(ask, numberedNames('lot_', count));
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
      const settings = { statusBatchSize: most };
      yield { ...seen(question, `at most ${most}`, refused.reply), settings };
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
        if (reply === undefined || ![200, 400, 413, 422].includes(reply.status)) return undefined;
        return { isTaken: isOk(reply), reply };
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
        // Another refusal may be that of a gateway, which does not look at the signature.
        if (reply === undefined || ![200, 401, 422].includes(reply.status)) return undefined;
        return { isSigned: reply.status !== 401, reply };
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
      if (used !== undefined) yield seen(question, used, reply, { events: itemsOf(reply).length });
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
      if (other !== undefined && [200, 404].includes(other.status))
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
      // The other answers mean something only if a whole question is answered.
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

function numberedNames(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index.toString(16).padStart(12, '0')}`);
}

/** An object in which `levels` objects are nested, under a name that no operation has. */
function nested(levels: number): Readonly<Record<string, unknown>> {
  let inner: Readonly<Record<string, unknown>> = {};
  for (let level = 1; level < levels; level += 1) inner = { level: inner };
  return { nesting: inner };
}

function dateForm(value: unknown): string {
  if (typeof value !== 'string') return typeName(value);
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return 'date';
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) ? 'date-time' : 'text';
}
