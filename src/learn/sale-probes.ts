import { at, type Exchange, isRecord, itemsOf, keysOf, shapeOf, textAt, typeName } from './exchange.js';
import type { Inquiry } from './inquiry.js';
import { isPermitted, type Observation, type Probe, seen } from './probe.js';

/** The finding for items that are workflow records. */
const RECORD = 'workflow records';

/** Probes of sales, payments, winner updates, documents and notifications. */
export const saleProbes: readonly Probe[] = [
  {
    id: 'policy-version-type',
    by: 'reading',
    assumes: {
      policy_version: ['string'],
      terms_version: ['string'],
      payee_version: ['integer'],
      schema_version: ['string'],
    },
    async *observe(ask) {
      const capabilities = await ask.get('/integration/capabilities');
      yield* typesOf(capabilities, at(capabilities?.body, 'data'), ['policy_version']);
      for (const { reply, data } of await salesOf(ask))
        yield* typesOf(reply, data, ['terms_version', 'payee_version']);
      if (ask.actor !== 'bank') return;
      const schemas = await ask.get('/bank/inventory/schemas');
      for (const schema of itemsOf(schemas)) yield* typesOf(schemas, schema, ['schema_version']);
    },
  },
  {
    id: 'sale-absent-fields',
    by: 'reading',
    assumes: {
      'before the decision': [
        'null: acknowledged_at, due_at, payee_instructions, payee_version, terms_version',
      ],
    },
    async *observe(ask) {
      const fields = ['acknowledged_at', 'due_at', 'payee_instructions', 'payee_version', 'terms_version'];
      for (const { reply, data } of await pendingSales(ask)) {
        const [none, absent] = [null, undefined].map((nothing) =>
          fields.filter((name) => data[name] === nothing),
        );
        const parts = [
          none?.length ? `null: ${none.join(', ')}` : '',
          absent?.length ? `absent: ${absent.join(', ')}` : '',
        ];
        yield seen(
          'before the decision',
          parts.filter((part) => part !== '').join('; ') || 'none',
          reply,
          keysOf(data),
        );
      }
    },
  },
  {
    id: 'active-offer-shape',
    by: 'reading',
    assumes: {
      'A21 without an offer': ['null'],
      'A21 with an offer': ['created_at, data, id, kind, resource_version, sale_id, state, updated_at'],
      'items of A20': ['absent'],
    },
    async *observe(ask) {
      const list = await ask.get('/sale-cases');
      for (const item of itemsOf(list)) {
        const data = item['data'];
        if (list !== undefined && isRecord(data))
          yield seen(
            'items of A20',
            Object.hasOwn(data, 'active_offer') ? 'present' : 'absent',
            list,
            keysOf(data),
          );
      }
      for (const { reply, data } of await salesOf(ask)) {
        const offer = data['active_offer'];
        if (isRecord(offer))
          yield seen('A21 with an offer', keysOf(offer), reply, shapeOf({ active_offer: offer }));
        else if (offer === null || offer === undefined)
          yield seen('A21 without an offer', typeName(offer), reply, shapeOf({ active_offer: offer }));
      }
    },
  },
  {
    id: 'payment-dues-before-approval',
    by: 'reading',
    assumes: { 'A34 before the decision': ['404'] },
    async *observe(ask) {
      for (const { id } of await pendingSales(ask)) {
        const reply = await ask.get(`/sale-cases/${id}/payment-dues`);
        const due = at(reply?.body, 'data.due_amount');
        if (reply === undefined || ![200, 404, 409, 422].includes(reply.status)) continue;
        if (reply.status === 404 && !(await isPermitted(ask, 'GET', '/sale-cases/{}/payment-dues'))) continue;
        if (reply.status !== 200) yield seen('A34 before the decision', String(reply.status), reply);
        else {
          const finding = typeof due === 'string' ? (/[1-9]/.test(due) ? 'amounts' : 'zeros') : typeName(due);
          yield seen('A34 before the decision', finding, reply, shapeOf({ due_amount: due }));
        }
      }
    },
  },
  {
    id: 'projection-versions',
    by: 'reading',
    assumes: { A34: ['that of the sale'], A58: ['that of the sale'] },
    async *observe(ask) {
      for (const [question, path] of [
        ['A34', 'payment-dues'],
        ['A58', 'transfer-status'],
      ] as const) {
        const equal: { readonly version: unknown; readonly reply: Exchange }[] = [];
        for (const { id } of (await salesOf(ask)).filter(({ state }) => state === 'approved')) {
          const sale = { method: 'GET', path: `/sale-cases/${id}` } as const;
          const before = await ask.send(sale);
          const reply = await ask.send({ method: 'GET', path: `/sale-cases/${id}/${path}` });
          const [version, shown] = [before, reply].map((one) => at(one?.body, 'data.resource_version'));
          const after = at((await ask.send(sale))?.body, 'data.resource_version');
          if (reply === undefined || typeof shown !== 'number' || version !== after) continue;
          if (shown !== version)
            yield seen(question, 'another', reply, { resource_version: shown, sale: version });
          else equal.push({ version, reply });
        }
        // Versions are small numbers: one pair can be equal by chance.
        const [first] = equal;
        if (first !== undefined && new Set(equal.map(({ version }) => version)).size > 1)
          yield seen(question, 'that of the sale', first.reply, {
            resource_versions: equal.map(({ version }) => version),
          });
      }
    },
  },
  {
    id: 'sale-receipt-items',
    by: 'reading',
    assumes: { payments: [RECORD], documents: [RECORD], allocations: [RECORD] },
    async *observe(ask) {
      for (const { id } of await salesOf(ask)) {
        const reply = await ask.get(`/sale-cases/${id}/receipts`);
        for (const name of Object.keys(this.assumes))
          yield* recordsOf(name, at(reply?.body, `data.${name}`), reply);
      }
    },
  },
  {
    id: 'transfer-milestones',
    by: 'reading',
    assumes: { milestones: [RECORD] },
    async *observe(ask) {
      for (const { id } of await salesOf(ask)) {
        const reply = await ask.get(`/sale-cases/${id}/transfer-status`);
        yield* recordsOf('milestones', at(reply?.body, 'data.milestones'), reply);
      }
    },
  },
  {
    id: 'lot-status-summaries',
    by: 'reading',
    actor: 'partner',
    assumes: {
      sale: ['acknowledged_at, amount, currency, due_at, id, resource_version, state'],
      payment: ['currency, due_amount, remaining, resource_version, sale_id, state, verified_credits'],
      release: ['collection_date, expires_at, id, resource_version, state'],
    },
    async *observe(ask) {
      for (const { data } of await salesOf(ask)) {
        const lot = textAt(data, 'lot_id');
        const reply = lot === undefined ? undefined : await ask.get(`/lots/${lot}/status`);
        for (const name of Object.keys(this.assumes)) {
          const summary = at(reply?.body, `data.${name}`);
          if (reply !== undefined && isRecord(summary))
            yield seen(name, keysOf(summary), reply, shapeOf({ [name]: summary }));
        }
      }
    },
  },
  {
    id: 'document-digest-encoding',
    by: 'reading',
    assumes: { digest: ['lower-case hex'] },
    async *observe(ask) {
      for (const { id } of await salesOf(ask)) {
        const receipts = await ask.get(`/sale-cases/${id}/receipts`);
        const documents = at(receipts?.body, 'data.documents');
        for (const document of Array.isArray(documents) ? documents.slice(0, 2) : []) {
          const name = textAt(document, 'id');
          const reply = name === undefined ? undefined : await ask.get(`/documents/${name}`);
          const digest = textAt(reply?.body, 'data.data.digest');
          const form = digest === undefined ? undefined : digestForm(digest);
          if (reply !== undefined && form !== undefined) yield seen('digest', form, reply, { digest });
        }
      }
    },
  },
  {
    id: 'notification-fields',
    by: 'reading',
    assumes: {
      subject: ['string'],
      'acknowledgment before': ['null'],
      'acknowledgment after': ['acknowledged_at, external_reference, status'],
    },
    async *observe(ask) {
      const reply = await ask.get('/notifications');
      for (const message of itemsOf(reply)) {
        if (reply === undefined) continue;
        const { subject, acknowledgment } = message;
        yield seen(
          'subject',
          isRecord(subject) ? keysOf(subject) : typeName(subject),
          reply,
          shapeOf({ subject }),
        );
        if (acknowledgment === null || acknowledgment === undefined)
          yield seen('acknowledgment before', typeName(acknowledgment), reply, shapeOf({ acknowledgment }));
        else {
          const form = isRecord(acknowledgment) ? keysOf(acknowledgment) : typeName(acknowledgment);
          yield seen('acknowledgment after', form, reply, shapeOf({ acknowledgment }));
        }
      }
    },
  },
  {
    id: 'inventory-schema-fields',
    by: 'reading',
    actor: 'bank',
    assumes: { fields: ['an array of id, label, private, required, type'] },
    async *observe(ask) {
      const reply = await ask.get('/bank/inventory/schemas');
      for (const { fields } of itemsOf(reply)) {
        if (reply === undefined || !(Array.isArray(fields) || isRecord(fields))) continue;
        const entries = Object.values(fields).filter(isRecord);
        if (entries.length === 0) continue;
        const [first = {}] = entries;
        const common = Object.keys(first).filter((name) =>
          entries.every((entry) => Object.hasOwn(entry, name)),
        );
        const form = Array.isArray(fields) ? 'an array of' : 'an object of';
        yield seen('fields', `${form} ${common.sort().join(', ')}`, reply, { fields: entries.slice(0, 1) });
      }
    },
  },
];

/** A sale as A21 shows it. */
export interface SeenSale {
  readonly id: string;
  readonly state: string;
  readonly version: unknown;
  readonly data: Readonly<Record<string, unknown>>;
  readonly reply: Exchange;
}

/** Sales that probes look at. */
const MOST_SALES = 8;

/** The newest sales of A20, each read with A21. */
export async function salesOf(ask: Inquiry): Promise<readonly SeenSale[]> {
  const sales: SeenSale[] = [];
  for (const item of itemsOf(await ask.get('/sale-cases')).slice(0, MOST_SALES)) {
    const sale = await saleOf(ask, String(item['id']));
    if (sale !== undefined) sales.push(sale);
  }
  return sales;
}

/** A sale, as it was when it was first read. */
async function saleOf(ask: Inquiry, id: string): Promise<SeenSale | undefined> {
  return seenSale(await ask.get(`/sale-cases/${id}`));
}

export function seenSale(reply: Exchange | undefined): SeenSale | undefined {
  const [record, data] = [at(reply?.body, 'data'), at(reply?.body, 'data.data')];
  const [id, state] = [textAt(record, 'id'), textAt(record, 'state')];
  if (reply === undefined || !isRecord(data) || id === undefined || state === undefined) return undefined;
  return { id, state, version: at(record, 'resource_version'), data, reply };
}

/** Sales that wait for the decision of the bank. The state has no documented name, so other names are left out. */
export async function pendingSales(ask: Inquiry): Promise<readonly SeenSale[]> {
  return (await salesOf(ask)).filter(({ state }) => /pending|provisional|await/i.test(state));
}

function* typesOf(
  reply: Exchange | undefined,
  value: unknown,
  names: readonly string[],
): Generator<Observation> {
  for (const name of names) {
    const found = at(value, name);
    if (reply !== undefined && found !== undefined && found !== null)
      yield seen(name, typeName(found), reply, { [name]: found });
  }
}

function* recordsOf(name: string, items: unknown, reply: Exchange | undefined): Generator<Observation> {
  for (const item of Array.isArray(items) ? items : []) {
    if (reply === undefined) continue;
    const isWhole =
      isRecord(item) && ['id', 'kind', 'state', 'resource_version', 'data'].every((one) => one in item);
    yield seen(
      name,
      isWhole ? RECORD : isRecord(item) ? keysOf(item) : typeName(item),
      reply,
      shapeOf({ [name]: [item] }),
    );
  }
}

function digestForm(digest: string): string | undefined {
  if (/^[0-9a-f]{64}$/.test(digest)) return 'lower-case hex';
  if (/^[0-9A-F]{64}$/.test(digest)) return 'upper-case hex';
  if (/^sha-?256[:=]/i.test(digest)) return 'with a prefix';
  return /^[\w+/-]{43}=?$/.test(digest) ? 'base64' : undefined;
}
