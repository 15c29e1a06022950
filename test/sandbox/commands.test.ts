import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.js';
import { resources } from '../../src/api/service.js';
import type { WireRecord } from '../../src/sandbox/index.js';
import { send } from './caller.js';
import { type ActName, acts, type Body, dataOf, paidFor, type Row, rows } from './commands.js';
import { type Story, saleAfterIn, told } from './story.js';

/*
 * What holds of every workflow command, each in a row: keys, versions, fields, callers, evidence; the record that it
 * answers with, what else it changes, and whom it tells. What the text says of one feature alone is in a file of its own.
 */

const operations: readonly Operation[] = resources.flatMap((each) =>
  Object.values<Operation>(each.operations),
);
const commands = operations.filter(
  ({ effect, availability }) => effect === 'command' && availability === 'callable',
);
const table = commands.map((op) => {
  const row = rows[op.id];
  if (row === undefined) throw new Error(`${op.id} has no row in test/sandbox/commands.ts`);
  return [op.id, op.name, op, row] as const;
});

const prepared = ({ after = [] }: Row) => saleAfterIn({}, ...after);

/** What no field of this name takes, whatever the command. */
function neverTaken(field: string): unknown[] {
  if (field === 'idempotency_key') return ['none'];
  const wrong: unknown[] = [false];
  if (field === 'expected_version') return [...wrong, '1'];
  if (field !== 'values') wrong.push('');
  if (field.endsWith('amount')) wrong.push('0.00', '-1.00', '1.001', '1000000000000', 1);
  if (field === 'currency') wrong.push('USD');
  if (/_(at|until)$/.test(field)) wrong.push('2026-03-02T10:00:00', '2026-02-30T10:00:00Z');
  if (field.endsWith('_date')) wrong.push('2026-02-30');
  if (/^(evidence|sale)_id$/.test(field)) wrong.push('none_000000000000');
  return wrong;
}

/**
 * Sends a command that must succeed, and proves that its key stands for it: the same bytes get the same record, other
 * bytes and keys that don't agree are refused, and one thing was committed. Returns the record.
 */
async function heldToItsKey(story: Story, act: ActName, content: Body) {
  const { sandbox } = story;
  const key = randomUUID();
  const path = `/api/v1/${await story.path(act)}`;
  const sign = content['_method'] === undefined ? {} : { sign: { method: 'PATCH' } };
  const text = JSON.stringify({ ...content, idempotency_key: key });
  const before = sandbox.ledger().length;
  const post = (body: string, header: string | undefined) =>
    send(sandbox, story.sender(act), { path, body, headers: { 'Idempotency-Key': header }, ...sign });

  for (const header of [undefined, randomUUID()]) {
    expect(told(await post(text, header))).toEqual([422, 'IDEMPOTENCY_KEY_REQUIRED']);
  }
  expect(told(await post(JSON.stringify(content), key))).toEqual([422, ['idempotency_key']]);
  expect(sandbox.ledger()).toHaveLength(before);

  const first = await post(text, key);
  expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null]);
  expect(Object.keys(first.json)).toEqual(['data', 'request_id', 'server_time']);
  expect(first.json.server_time).toBe(story.in(0));
  expect(sandbox.ledger().at(-1)?.idempotencyKey).toBe(key);

  sandbox.clock.advance(500);
  const again = await post(text, key);
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(JSON.stringify(again.json.data)).toBe(JSON.stringify(first.json.data));
  expect(again.json.request_id).not.toBe(first.json.request_id);
  expect(told(await post(`${text} `, key))).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
  expect(sandbox.ledger()).toHaveLength(before + 1);
  return first.json.data;
}

/** Other records that were made or moved, each by one version and at this moment; and the lot. */
async function changesOf(story: Story, before: readonly WireRecord[], lotVersion: number, answered: string) {
  const old = new Map(before.map((record) => [record.id, record]));
  const changed = story.records().filter((record) => {
    const was = old.get(record.id);
    const isSame = was !== undefined && was.resource_version === record.resource_version;
    if (isSame) expect(record).toEqual(was);
    else expect(record.resource_version - (was?.resource_version ?? 0)).toBe(1);
    return !isSame && record.id !== answered;
  });
  for (const { updated_at } of changed) expect(updated_at).toBe('2026-03-01T10:01:00.000Z');
  const moves = changed.map(({ kind, state }) => `${kind} ${state}`);
  const lot = (await story.lotStatus()).resource_version - lotVersion;
  return lot === 0 ? moves : [...moves, lot === 1 ? 'lot' : `lot by ${lot}`];
}

/** Sends the command of a row, and compares its record, everything else that it changed, the news and the ledger. */
async function proveCarriedOut(story: Story, op: Operation, row: Row): Promise<void> {
  const { act, gives, also = [], news = [], adds } = row;
  const [kind, state] = gives;
  const { sandbox, sold } = story;
  const { bank, rival, platform, otherBank } = sandbox.credentials;
  sandbox.clock.advance(60_000);
  const [body, before, lot] = [story.body(act), story.records(), await story.lotStatus()];
  const messages = await Promise.all([bank, sold.who].map((who) => story.news(who)));
  const record = await heldToItsKey(story, act, body);

  const was = before.find((each) => each.id === record.id);
  const given = 'evidence_id' in (op.body?.shape ?? {}) ? { evidence_id: null, ...body } : body;
  const said = Object.fromEntries(Object.entries(given).filter(([field]) => dataOf[kind].includes(field)));
  expect(record).toEqual({
    id: expect.stringMatching(/^[a-z]{3}_[0-9a-f]{12}$/),
    kind,
    state,
    resource_version: (was?.resource_version ?? 0) + 1,
    data: { ...was?.data, ...said, ...adds?.(story, body) },
    created_at: was?.created_at ?? '2026-03-01T10:01:00.000Z',
    updated_at: '2026-03-01T10:01:00.000Z',
  });
  if (kind !== 'notification_ack') expect(sandbox.records(kind)).toContainEqual(record);
  expect(await changesOf(story, before, lot.resource_version, record.id)).toEqual(also);
  for (const [at, who] of [bank, sold.who].entries()) {
    expect((await story.news(who)).slice(messages[at]?.length)).toEqual(news);
  }
  for (const who of [rival, platform, otherBank]) expect(await story.news(who)).toEqual([]);
  const { idempotencyKey, ...entry } = { ...sandbox.ledger().at(-1) };
  const amount = row.amount?.(story) ?? body['received_amount'] ?? body['amount'];
  const { saleId, lotId, bidId } = sold;
  const isOfSale = !['cancellation', 'inventory_command', 'notification_ack'].includes(kind);
  expect(entry).toEqual({
    kind,
    operation: op.id,
    call: op.name,
    recordId: record.id,
    clientId: story.sender(act).clientId,
    ...(isOfSale && { saleId, lotId, bidId }),
    ...(kind === 'cancellation' && { lotId, bidId }),
    ...(amount !== undefined && { amount }),
    at: Date.parse('2026-03-01T10:01:00.000Z'),
  });
}

describe.each(table)('%s, %s', (_, __, op, row) => {
  const { act } = row;
  const [kind] = row.gives;
  const shape = Object.entries(op.body?.shape ?? {}).filter(([field]) => field !== '_method');
  const fields = shape.map(([field]) => field);
  const isOptional = (field: string) => op.body?.shape[field]?.safeParse(undefined).success === true;

  // rule: convention.2, convention.3, code.key-required, code.key-conflict, version.3
  it('is carried out once under its key, changes what it has to and tells whom it concerns', async () => {
    await proveCarriedOut(await prepared(row), op, row);
  });

  it('can be sent by each actor that the text names, without what is optional', async () => {
    const story = await prepared(row);
    const { bank } = story.sandbox.credentials;
    const optional = fields.filter((field) => isOptional(field) && !row.wrong?.[field]?.includes(undefined));
    const without = Object.fromEntries(optional.map((field) => [field, undefined]));
    const who = op.actors?.length === 2 && acts[act].by === 'buyer' ? bank : story.sender(act);
    const { data } = await story.do(act, without, who);
    const left = optional.filter((field) => dataOf[kind].includes(field));
    if (act === 'accept' || kind === 'inventory_command') return;
    for (const field of left) expect([field, data[field]]).toEqual([field, null]);
  });

  // rule: convention.2, limit.amount, error-shape.3
  it('is refused by the field that is wrong or missing, and nothing has changed', async () => {
    const story = await prepared(row);
    const before = await story.everything();
    for (const field of fields) {
      const missing = field !== 'idempotency_key' && !isOptional(field) ? [undefined] : [];
      for (const value of [...neverTaken(field), ...missing, ...(row.wrong?.[field] ?? [])]) {
        const got = await story.send(act, { [field]: value });
        expect([field, value, ...told(got)]).toEqual([field, value, 422, [field]]);
      }
    }
    expect(await story.everything()).toEqual(before);
    await story.do(act);
  });

  if (fields.includes('expected_version')) {
    // rule: convention.2, error.version, version.3
    it('is refused on another version than the current one, and nothing has changed', async () => {
      const story = await prepared(row);
      const before = await story.everything();
      for (const step of [-1, 1]) {
        const expected_version = Number(story.body(act)['expected_version']) + step;
        expect(told(await story.send(act, { expected_version }))).toEqual([409, ['message']]);
      }
      expect(await story.everything()).toEqual(before);
    });
  }

  // rule: general.4, general.5, code.not-found
  it('is for those whose record it is; others are told what is told of none', async () => {
    const story = await prepared(row);
    const { otherBank, rival, platform } = story.sandbox.credentials;
    const before = await story.everything();
    const names = (actor: 'bank' | 'partner') => op.actors?.includes(actor) ?? true;
    const strangers = [...(names('bank') ? [otherBank] : []), ...(names('partner') ? [rival, platform] : [])];
    const isInPath = acts[act].path.includes('{');
    if (isInPath || fields.includes('sale_id')) {
      const unknown = isInPath
        ? await story.sendTo(acts[act].path.replace(/\{.*\}/, 'none'), act)
        : await story.send(act, { sale_id: 'none' });
      expect(unknown.status).toBe(isInPath ? 404 : 422);
      for (const who of strangers) {
        const hidden = await story.send(act, {}, who);
        expect([hidden.status, hidden.json]).toEqual([unknown.status, unknown.json]);
      }
    }
    expect(await story.everything()).toEqual(before);
  });

  if (fields.includes('evidence_id')) {
    // rule: notification.evidence
    it('rests on evidence that is scanned, and of the same sale', async () => {
      const story = await prepared(row);
      const { sandbox } = story;
      sandbox.scanner.finds('unclean');
      const unclean = await story.evidence();
      sandbox.scanner.finds('clean');
      const foreign = await (await story.another({ label: 'live-closed' })).evidence();
      sandbox.scanner.pause();
      const { id } = await story.do('upload');
      sandbox.clock.advance(60_000);
      const before = await story.everything();
      for (const evidence_id of [id, unclean, foreign]) {
        expect(told(await story.send(act, { evidence_id }))).toEqual([422, ['evidence_id']]);
      }
      expect(await story.everything()).toEqual(before);
      sandbox.scanner.resume();
      expect((await story.do(act, { evidence_id: id })).data.evidence_id).toBe(id);
    });
  }
});

/** What a bank refuses, in a sandbox where it may. */
const refusals: Readonly<Record<string, Row>> = {
  A09: {
    act: 'rejectBidCancellation',
    after: ['cancelBid'],
    gives: ['cancellation', 'rejected'],
    news: ['bid.cancellation_rejected'],
  },
  A22: {
    act: 'reject',
    after: ['offer', 'accept'],
    gives: ['sale', 'rejected'],
    also: ['offer superseded', 'lot'],
    news: ['offer.superseded', 'sale.rejected'],
    amount: ({ sold }) => sold.amount,
  },
  A27: {
    act: 'rejectCancellation',
    after: [...paidFor, 'release', 'cancelSale'],
    gives: ['sale_cancellation', 'rejected'],
    also: ['sale approved', 'lot'],
    news: ['sale.cancellation_rejected'],
  },
  A38: {
    act: 'rejectReport',
    after: ['approve', 'report'],
    gives: ['payment_report', 'rejected'],
    news: ['payment.rejected'],
    amount: ({ sold }) => sold.amount,
  },
  A48: {
    act: 'rejectRefund',
    after: [...paidFor, 'askBack'],
    adds: () => ({ refund_id: null }),
    gives: ['refund_request', 'rejected'],
    also: ['payment succeeded'],
    news: ['refund.rejected'],
    amount: () => '200.50',
  },
};

// rule: state.cancellation, state.sale, state.sale-cancellation, state.payment-report, state.refund-request
it.each(Object.entries(refusals))(
  'with rejected-too, %s says no, and knows no third word',
  async (id, row) => {
    const op = commands.find((each) => each.id === id);
    if (op === undefined) throw new Error(`no ${id}`);
    const variants = { 'decision-values': 'rejected-too' } as const;
    const story = await saleAfterIn({ variants }, ...(row.after ?? []));
    for (const decision of ['declined', 'Rejected', undefined]) {
      expect(told(await story.send(row.act, { decision }))).toEqual([422, ['decision']]);
    }
    await proveCarriedOut(story, op, row);
  },
);
