import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Habits, habits } from '../../src/sandbox/deployment/habits.js';
import { type Deployment, type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { bid, type Got, get, lotOf, onManualClock, profile, send } from './caller.js';
import { Receiver, subscribed } from './webhooks/receivers.js';
import { command } from './workflow.js';

/** What a habit changes, for each of its choices. */
interface Probe {
  readonly of: (deployment: Deployment) => Promise<unknown>;
  readonly gives: Readonly<Record<string, unknown>>;
}

/** A value of a sandbox with this deployment, which is closed afterwards. */
const within =
  (read: (sandbox: Sandbox) => Promise<unknown>, rateLimit: number | false = false) =>
  async (deployment: Deployment) => {
    await using sandbox = await onManualClock({ deployment, rateLimit });
    return read(sandbox);
  };
/** A sale of the dealer that the bank approved. */
async function approvedSale(sandbox: Sandbox) {
  const { dealer } = sandbox.credentials;
  const lot = lotOf(sandbox, 'live-open');
  await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
  sandbox.auctions.close('live-open');
  sandbox.actors.bank.approve(lot.id);
  const [sale] = sandbox.records('sale');
  if (sale === undefined) throw new Error('no sale');
  const read = async (path: string) =>
    (await get(sandbox, dealer, `/api/v1/sale-cases/${sale.id}${path}`)).json.data;
  return { sandbox, dealer, sale, read };
}
const ofSale = (look: (sold: Awaited<ReturnType<typeof approvedSale>>) => Promise<unknown>) =>
  within(async (sandbox) => look(await approvedSale(sandbox)));

const events = (sandbox: Sandbox, query = '') =>
  get(sandbox, sandbox.credentials.dealer, '/api/v1/events', query);
const lots = (sandbox: Sandbox, query = 'per_page=1') => {
  const { id } = sandbox.auctions.get('live-open');
  return get(sandbox, sandbox.credentials.dealer, `/api/v1/events/${id}/lots`, query);
};
const failing = async (sandbox: Sandbox, status: number) => {
  sandbox.inject({ fault: 'error_before_commit', status });
  return events(sandbox);
};
const typeOf = ({ headers }: Got) => headers.get('content-type')?.replace(/;.*/, '');

const fields = [['Too low.', 'Odd.'], ['Empty.']];

const probes: { readonly [Name in keyof Habits]: Probe & { gives: Record<Habits[Name], unknown> } } = {
  money: {
    of: ofSale(async ({ read }) => [(await read('')).data.amount, (await read('/payment-dues')).remaining]),
    gives: {
      text: ['102500.00', '102500.00'],
      number: [102500, 102500],
      'four-decimals': ['102500.0000', '102500.0000'],
      mixed: [102500, '102500.0000'],
    },
  },
  integers: {
    of: ofSale(async ({ sandbox, read }) => {
      return [(await read('')).resource_version, (await events(sandbox)).json.current_page];
    }),
    gives: { number: [2, 1], text: ['2', 1] },
  },
  pageNumbers: {
    of: within(async (sandbox) => {
      const { current_page, last_page, total } = (await events(sandbox)).json;
      return [current_page, last_page, total];
    }),
    gives: { number: [1, 1, 4], text: ['1', '1', '4'] },
  },
  booleans: {
    of: within(async (sandbox) => (await lots(sandbox)).json.data[0].provisional),
    gives: { boolean: true, number: 1 },
  },
  ids: {
    of: ofSale(async ({ sandbox, dealer }) => {
      const { data, next_cursor } = (await get(sandbox, dealer, '/api/v1/winner-updates')).json;
      return [typeof next_cursor, data[0].id === next_cursor, typeof data[0].lot_id];
    }),
    gives: { text: ['string', true, 'string'], number: ['number', true, 'string'] },
  },
  lists: {
    of: within(async (sandbox) => {
      const { data } = (await lots(sandbox)).json;
      return [Object.keys(data), Array.isArray(data)];
    }),
    gives: { list: [['0'], true], 'by-index': [['1'], false] },
  },
  emptyLists: {
    of: within(async (sandbox) => (await lots(sandbox, 'search=nothing')).json.data),
    gives: { list: [], null: null },
  },
  emptyObjects: {
    of: async (deployment) => {
      const receiver = new Receiver();
      await using sandbox = await onManualClock({ deployment, webhooks: { send: receiver.send } });
      await subscribed(sandbox, sandbox.credentials.dealer);
      return receiver.got[0]?.event.data;
    },
    gives: { object: {}, list: [], null: null },
  },
  timestamps: {
    of: within(async (sandbox) => {
      const { server_time } = (await get(sandbox, sandbox.credentials.dealer, profile)).json;
      const [lot] = (await lots(sandbox)).json.data;
      return [server_time, typeof lot.vehicle_details.registration_number];
    }),
    gives: {
      documented: ['2026-03-01T10:00:00.000Z', 'string'],
      microseconds: ['2026-03-01T10:00:00.000000Z', 'string'],
      database: ['2026-03-01 10:00:00', 'string'],
    },
  },
  pages: {
    of: within(async (sandbox) => {
      const { json } = await lots(sandbox, 'page=2&per_page=15');
      const page = json.meta ?? json;
      return [Object.keys(json), page.current_page, page.last_page, page.total, page.from, page.to];
    }),
    gives: {
      documented: [['data', 'current_page', 'last_page', 'total'], 2, 3, 40, undefined, undefined],
      paginator: [
        [
          ...['current_page', 'data', 'first_page_url', 'from', 'last_page', 'last_page_url', 'links'],
          ...['next_page_url', 'path', 'per_page', 'prev_page_url', 'to', 'total'],
        ],
        ...[2, 3, 40, 16, 30],
      ],
      resource: [['data', 'links', 'meta'], 2, 3, 40, 16, 30],
    },
  },
  commandStatus: {
    of: ofSale(async ({ sandbox, dealer, sale: { id, data, resource_version } }) => {
      const { terms_version, amount } = data;
      const sent = (path: string, body: object) => command(sandbox, dealer, `/api/v1/${path}`, { ...body });
      const version = { terms_version, expected_version: resource_version };
      const moved = await sent(`sale-cases/${id}/acknowledgments`, version);
      const transfer = { sale_id: id, amount, currency: 'INR', method: 'bank_transfer', utr: 'U1' };
      const made = await sent('payment-reports', { ...transfer, paid_at: '2026-03-01T09:00:00Z' });
      return [made.status, moved.status];
    }),
    gives: { '200': [200, 200], '201': [201, 201], '202': [202, 202], mixed: [201, 202] },
  },
  refusals: {
    of: within(async (sandbox) => {
      const { dealer, bank } = sandbox.credentials;
      const body = { terms_version: 'T1', idempotency_key: 'none' };
      const otherMethod = await send(sandbox, dealer, { path: '/api/v1/events', body: {} });
      sandbox.inject({ fault: 'refuse', fields: { amount: ['Too low.', 'Odd.'], utr: ['Empty.'] } });
      const invalid = await events(sandbox);
      const withoutKey = await send(sandbox, bank, { path: '/api/v1/payment-reports', body });
      const stranger = await get(sandbox, { ...dealer, clientId: 'nobody' }, profile);
      return [
        [otherMethod.status, otherMethod.headers.get('allow')],
        invalid.json.message,
        Object.values(invalid.json.errors),
        withoutKey.json.code,
        stranger.json.code,
      ];
    }),
    gives: {
      documented: [
        [404, null],
        'The given data was invalid.',
        fields,
        'SCOPE_DENIED',
        'API_CLIENT_NOT_ACTIVE',
      ],
      framework: [[405, 'GET'], 'Too low. (and 2 more errors)', fields, undefined, 'API_CLIENT_NOT_ACTIVE'],
      message: [[405, 'GET'], 'Too low. (and 2 more errors)', fields, undefined, undefined],
    },
  },
  errors: {
    of: within(async (sandbox) => {
      const got = await failing(sandbox, 500);
      return [got.status, typeOf(got), Object.keys(got.json ?? {})];
    }),
    gives: {
      message: [500, 'application/json', ['message']],
      debug: [500, 'application/json', ['message', 'exception', 'file', 'line', 'trace']],
      html: [500, 'text/html', []],
    },
  },
  maintenance: {
    of: within(async (sandbox) => {
      const got = await failing(sandbox, 503);
      return [got.status, typeOf(got), got.headers.get('retry-after')];
    }),
    gives: {
      message: [503, 'application/json', null],
      json: [503, 'application/json', '60'],
      html: [503, 'text/html', '60'],
    },
  },
  throttle: {
    of: within(async (sandbox) => {
      const first = await events(sandbox);
      const second = await events(sandbox);
      const refused = await events(sandbox);
      expect([first.status, second.status, refused.status]).toEqual([200, 200, 429]);
      const told = (got: Got) =>
        ['limit', 'remaining', 'reset'].map((name) => got.headers.get(`x-ratelimit-${name}`));
      return [told(first), told(second), told(refused), refused.headers.get('retry-after')];
    }, 2),
    gives: {
      none: [[null, null, null], [null, null, null], [null, null, null], '60'],
      headers: [['2', '1', null], ['2', '0', null], ['2', '0', '1772359260'], '60'],
    },
  },
  urls: {
    of: async (deployment) => {
      const origin = 'https://auctions.bank.example:8443';
      await using sandbox = await startSandbox({ listen: false, origin, deployment });
      const { images, auction_id, id } = (await lots(sandbox)).json.data[0];
      return images[0].replace(new RegExp(`events/${auction_id}/lots/${id}/media/\\d+$`), '…');
    },
    gives: {
      configured: 'https://auctions.bank.example:8443/api/v1/…',
      http: 'http://auctions.bank.example:8443/api/v1/…',
      'without-port': 'https://auctions.bank.example/api/v1/…',
      'front-controller': 'https://auctions.bank.example:8443/index.php/api/v1/…',
      rewritten: 'http://auctions.bank.example/index.php/api/v1/…',
    },
  },
  webhookTimestamps: {
    of: async (deployment) => {
      const receiver = new Receiver();
      await using sandbox = await onManualClock({ deployment, webhooks: { send: receiver.send } });
      const { secret } = await subscribed(sandbox, sandbox.credentials.dealer);
      const [event] = receiver.got;
      const timestamp = event?.headers.get('service-timestamp');
      const signature = createHmac('sha256', secret).update(`${timestamp}.${event?.text}`).digest('hex');
      return [timestamp, event?.headers.get('service-signature') === `v1=${signature}`];
    },
    gives: {
      seconds: ['1772359200', true],
      milliseconds: ['1772359200000', true],
      decimals: ['1772359200.000', true],
      iso: ['2026-03-01T10:00:00.000Z', true],
    },
  },
};

describe.each(Object.entries(probes))('the habit %s of a deployment', (name, { of, gives }: Probe) => {
  it.each(Object.entries(gives))('%s is what replies show', async (choice, shown) => {
    expect(await of({ [name]: choice })).toEqual(shown);
  });

  it('has its documented form by default, and the choice of the table with laravel', async () => {
    const { choices, laravel } = habits[name as keyof Habits];
    expect(await of({})).toEqual(gives[choices[0]]);
    expect(Object.keys(gives)).toEqual(choices);
    expect(choices[0]).not.toBe(laravel);
  });
});

describe("deployment: 'laravel'", () => {
  it('changes how replies are written, not what is done or who may do it', async () => {
    const outcome = async (deployment: Deployment) => {
      await using sandbox = await onManualClock({ deployment });
      const { dealer, sale } = await approvedSale(sandbox);
      sandbox.actors.buyer.acknowledge(String(sale.data['lot_id']));
      const forged = await get(sandbox, { ...dealer, signingSecret: 'another secret' }, profile);
      const effects = sandbox.ledger().map(({ kind, operation, amount }) => [kind, operation, amount]);
      return [effects, forged.status, forged.json.code];
    };
    expect(await outcome({ like: 'laravel' })).toEqual(await outcome({}));
  });

  it('a recorded bid is replayed, and its rejection keeps every code', async () => {
    await using sandbox = await onManualClock({ deployment: 'laravel' });
    const { id, startingPrice } = lotOf(sandbox, 'live-open');
    const { dealer } = sandbox.credentials;
    const idempotency_key = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';
    const content = { amount: startingPrice, idempotency_key };
    const placed = [await bid(sandbox, dealer, id, content), await bid(sandbox, dealer, id, content)];
    expect(placed.map(({ status, json }) => [status, json.success, json.data.replayed])).toEqual([
      [201, 1, 0],
      [200, 1, 1],
    ]);
    const { status, json } = await bid(sandbox, dealer, id, { amount: startingPrice });
    expect([status, json.code, json.errors]).toEqual([422, 'BID_BELOW_MINIMUM', { 1: 'BID_BELOW_MINIMUM' }]);
  });

  it('single habits stand on top of it, and the hook reply sees documented JSON', async () => {
    const seen: unknown[] = [];
    await using sandbox = await onManualClock({
      deployment: { like: 'laravel', pageNumbers: 'number' },
      reply: (_call, json) => {
        seen.push(json);
        return { ...Object(json), total: 41 };
      },
    });
    const { json } = await events(sandbox);
    expect(sandbox.deployment).toMatchObject({ pageNumbers: 'number', lists: 'by-index' });
    expect([json.total, Object.keys(json.data)[0]]).toEqual([41, '1']);
    expect(seen).toMatchObject([{ data: expect.any(Array), total: 4 }]);
  });

  it('an unknown habit or choice is named', () => {
    const start = (deployment: object) => startSandbox({ deployment } as object);
    return Promise.all([
      expect(start({ monies: 'text' })).rejects.toThrow(/deployment.*no field "monies"/),
      expect(start({ money: 'float' })).rejects.toThrow(/deployment.*"text" or "number"/),
    ]);
  });
});

it('the guide lists every habit with its choices, and that of laravel', () => {
  const [, guide = ''] = readFileSync('docs/sandbox.md', 'utf8').split('## Forms of a real deployment');
  const rows = [...guide.matchAll(/^\| `(\w+)` \| (.*) \| `([\w-]+)` \|$/gm)];
  const listed = rows.map(([, name = '', about = '', laravel]) => {
    const known: readonly string[] = habits[name as keyof Habits]?.choices ?? [];
    const words = [...about.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
    return [name, [...new Set(words)].filter((word) => known.includes(word)), laravel];
  });
  expect(listed).toEqual(
    Object.entries(habits).map(([name, { choices, laravel }]) => [name, [...choices], laravel]),
  );
});
