import { expect, it } from 'vitest';
import { merged } from '../../src/learn/profile.js';
import { unknowns } from '../../tools/generate/reference.js';
import { sampled } from '../support/thorough.js';
import { answers, learnedFrom, livelySandbox } from './deployments.js';
import { type Answer, type Rewrite, serverOver } from './hand-made.js';

const isList = ({ json }: Answer) => json.last_page !== undefined;

/** Six services that are none of the sandbox: what each answers otherwise, and the answers that follow from it. */
const services: Readonly<Record<string, readonly [Rewrite, Readonly<Record<string, string>>]>> = {
  'has microseconds, and a time in each page': [
    ({ path, now }, answer) => {
      const { status, json } = answer;
      if (path === '/events')
        for (const event of json.data ?? []) event.starts_at = microseconds(Date.parse(event.starts_at));
      if (typeof json.server_time === 'string') json.server_time = microseconds(Date.parse(json.server_time));
      return isList(answer) ? { status, json: { ...json, server_time: microseconds(now) } } : undefined;
    },
    {
      'time-precision: fraction of server_time': 'refuted | 6 digits',
      'time-precision: fraction of starts_at': 'refuted | 6 digits',
      'time-precision: offset of starts_at': 'refuted | UTC',
      'page-envelope-details: events': 'refuted | server_time',
      'page-envelope-details: lots': 'refuted | server_time',
      'page-envelope-details: results': 'refuted | server_time',
      'page-envelope-details: bids': 'refuted | server_time',
    },
  ],
  'refuses pages past the end, and lots above 50': [
    ({ path, query, body }, answer) => {
      const { json } = answer;
      const refused = (field: string) => ({
        status: 422,
        json: { message: 'Invalid.', errors: { [field]: ['Too many.'] } },
      });
      if (path === '/lots/status-batch' && Array.isArray(body['lot_ids']) && body['lot_ids'].length > 50)
        return refused('lot_ids');
      if (isList(answer) && Number(query.get('page')) > json.last_page) return refused('page');
      if (isList(answer) && json.total === 0) json.last_page = 0;
      return undefined;
    },
    {
      'status-batch-size: lots in a batch': 'refuted | at most 50',
      'page-past-the-end: page past the last': 'refuted | 422',
      'empty-list-last-page: last_page of an empty list': 'refuted | 0',
    },
  ],
  'names winner updates otherwise, and ends them with null': [
    ({ path }, { status, json }) => {
      if (path !== '/winner-updates' || status !== 200) return undefined;
      const { data, next_cursor, server_time } = json;
      const updates = data.map(({ sale }: { sale: object }) => ({ event: 'sale.approved', sale }));
      return {
        status,
        json: { data: { updates, next_cursor: data.length === 0 ? null : next_cursor }, server_time },
      };
    },
    {
      'winner-update-list: name of the list': 'refuted | data.updates',
      'winner-update-list: place of next_cursor': 'refuted | data',
      'winner-update-fields: fields of an update': 'refuted | event, sale',
      'winner-update-ends: next_cursor at the end': 'refuted | null',
    },
  ],
  'says less in the inbox and of sales': [
    ({ path }, { json }) => {
      if (path === '/notifications')
        for (const message of json.data ?? []) {
          message.subject = { type: 'sale', id: 'sal_1' };
          message.acknowledgment = message.acknowledgment === null ? undefined : 'read';
        }
      if (/^\/sale-cases\/\w+$/.test(path) && json.data?.data !== undefined) {
        const { data } = json.data;
        for (const name of Object.keys(data)) if (data[name] === null) delete data[name];
        if (data.payee_version !== undefined) data.payee_version = String(data.payee_version);
      }
      if (path.endsWith('/receipts') && json.data !== undefined)
        json.data.documents = json.data.documents.map(({ id }: { id: string }) => ({ id }));
      if (path.startsWith('/documents/') && json.data?.data !== undefined)
        json.data.data.digest = Buffer.from(json.data.data.digest, 'hex').toString('base64');
      return undefined;
    },
    {
      'notification-fields: subject': 'refuted | id, type',
      'notification-fields: acknowledgment before': 'refuted | absent',
      'notification-fields: acknowledgment after': 'refuted | string',
      'sale-absent-fields: before the decision':
        'refuted | absent: acknowledged_at, due_at, payee_instructions, payee_version, terms_version',
      'active-offer-shape: A21 without an offer': 'refuted | absent',
      'policy-version-type: payee_version': 'refuted | string',
      'sale-receipt-items: documents': 'refuted | id',
      'document-digest-encoding: digest': 'refuted | base64',
      // Whether a sale is acknowledged does not show any more.
      'expected-version-conflict: a version that is not current': 'still open',
      'second-acknowledgment: A23 on an acknowledged sale': 'still open',
    },
  ],
  'has other capabilities, and numbers for prices': [
    ({ path }, { json }) => {
      if (path === '/integration/capabilities') {
        Object.assign(json.data, {
          policy_version: 7,
          rate_limits: { per_minute: 120 },
          sale_approval: 'maker_checker',
        });
        json.data.operations = json.data.operations.map(({ id }: { id: string }) => id);
      }
      if (path === '/integration/profile')
        for (const operation of json.data.operations) operation.id = operation.id.replace('.', '-');
      if (path === '/bidding-eligibility' && json.data?.starting_price !== undefined) {
        json.data.starting_price = Number(json.data.starting_price);
        json.data.limit_until = json.data.limit_until.slice(0, 10);
      }
      if (path.endsWith('/bids') && json.data?.highest_amount !== undefined)
        json.data.highest_amount = Number(json.data.highest_amount);
      if (path === '/bids') for (const bid of json.data ?? []) bid.created_at = inIndia(bid.created_at);
      return undefined;
    },
    {
      'capability-operations: items of operations': 'refuted | string',
      'capability-values: sale_approval': 'refuted | maker_checker',
      'capability-quotas: fields about quotas': 'refuted | rate_limits',
      'policy-version-type: policy_version': 'refuted | integer',
      'unlisted-operation-ids: id of the event list': 'refuted | events-list',
      'unlisted-operation-ids: id of submitting a bid': 'refuted | bids-submit',
      'eligibility-types: starting_price': 'refuted | integer',
      'eligibility-types: limit_until': 'refuted | date',
      'receipt-highest-amount-type: highest_amount in an open auction': 'refuted | number',
      'bid-created-at-zone: zone of created_at': 'refuted | +05:30',
    },
  ],
  'contradicts itself': [
    ({ path, query, body }, { status, json }) => {
      if (path === '/lots' && Number(query.get('page')) > json.last_page)
        return { status: 404, json: { message: 'No.' } };
      if (path === '/events' && json.data?.length > 1)
        json.data[0].starts_at = new Date(json.data[0].starts_at).toISOString();
      if (path === '/notifications' && json.data?.length > 1) json.data[0].subject = null;
      if (path === '/bids' && json.data?.length > 1)
        json.data[0].created_at = inIndia(json.data[0].created_at);
      if (path === '/lots/status-batch' && Array.isArray(body['lot_ids']) && body['lot_ids'].length === 100)
        return { status: 503, json: { message: 'Busy.' } };
      return { status, json };
    },
    {
      'page-past-the-end: page past the last': 'still open | an empty page | 404',
      'time-precision: fraction of starts_at': 'still open | 3 digits | none',
      'time-precision: offset of starts_at': 'still open | UTC | +05:30',
      'list-order: events by starts_at': 'confirmed | ascending',
      'list-order: bids by created_at': 'confirmed | descending',
      'notification-fields: subject': 'still open | null | string',
      'bid-created-at-zone: zone of created_at': 'still open | +05:30 | UTC',
      // The service was busy where it was asked.
      'status-batch-size: lots in a batch': 'still open',
    },
  ],
};

function microseconds(time: number): string {
  return new Date(time).toISOString().replace('Z', '000Z');
}

function inIndia(created: string): string {
  const time = Date.parse(`${created.replace(' ', 'T')}Z`) + 5.5 * 3_600_000;
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ');
}

async function learnedOver(rewrite: Rewrite) {
  const sandbox = await livelySandbox();
  await using server = await serverOver(sandbox, rewrite);
  const service = {
    ...sandbox,
    baseUrl: server.baseUrl,
    clock: sandbox.clock,
    credentials: sandbox.credentials,
  };
  const options = { allowWrites: true };
  const asDealer = await learnedFrom(service, 'dealer', options);
  return merged(asDealer, await learnedFrom(service, 'bank', options)).profile;
}

let usual: Promise<Record<string, string>> | undefined;

it.each(sampled(Object.keys(services), 3))(
  'A service that %s is learned as it is, and nothing else changes',
  async (name) => {
    const [rewrite, expected] = services[name] ?? [() => undefined, {}];
    usual ??= learnedOver(() => undefined).then(answers);
    const profile = await learnedOver(rewrite);
    expect(answers(profile)).toEqual({ ...(await usual), ...expected });
    const settled = profile.rows.filter(({ verdict }) => verdict !== 'still open').length;
    const observable = unknowns.filter((row) => row.observable !== 'no').length;
    if (name !== 'contradicts itself') expect(settled / observable).toBeGreaterThanOrEqual(0.9);
  },
);

it('A service that fails at every third request settles fewer questions, and none of them otherwise', async () => {
  usual ??= learnedOver(() => undefined).then(answers);
  let count = 0;
  const profile = await learnedOver(({ path }) => {
    count += 1;
    const fails = count % 3 === 0 && path !== '/integration/profile';
    return fails ? { status: 503, json: { message: 'Service Unavailable' } } : undefined;
  });
  const truth = await usual;
  const settled = Object.entries(answers(profile)).filter(([, answer]) => answer !== 'still open');
  expect(settled.length).toBeGreaterThan(20);
  expect(settled.filter(([question, answer]) => truth[question] !== answer)).toEqual([]);
});
