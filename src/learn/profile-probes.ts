import { asList, at, type Exchange, isRecord, itemsOf, keysOf, textAt, typeName } from './exchange.js';
import { batchOf, isOk, type Observation, operationsOf, type Probe, pathOf, seen } from './probe.js';

/** Probes of A01 and A02: what the service says of itself and of the caller. */
export const profileProbes: readonly Probe[] = [
  {
    id: 'capability-operations',
    by: 'reading',
    assumes: { 'items of operations': ['actors, id, method, path, scope, title'] },
    async *observe(ask) {
      const reply = await ask.get('/integration/capabilities');
      const operations = asList(at(reply?.body, 'data.operations'));
      if (reply === undefined || operations === undefined) return;
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
        const actors = asList(operation['actors']);
        if (actors === undefined || actors.length === 0) continue;
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
];

function questionOn(operation: Readonly<Record<string, unknown>>): string | undefined {
  const { method } = operation;
  const path = pathOf(operation);
  if (method === 'GET' && path === '/events') return 'id of the event list';
  return method === 'POST' && /^\/lots\/[^/]+\/bids$/.test(path) ? 'id of submitting a bid' : undefined;
}

function* timeForm(name: string, time: string, reply: Exchange): Generator<Observation> {
  const [, fraction, offset] = /T\d\d:\d\d:\d\d(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)$/.exec(time) ?? [];
  if (offset === undefined) return;
  const digits = fraction === undefined ? 'none' : `${fraction.length} digits`;
  yield seen(`fraction of ${name}`, digits, reply, { [name]: time });
  yield seen(`offset of ${name}`, /^(Z|\+00:?00)$/.test(offset) ? 'UTC' : offset, reply, { [name]: time });
}
