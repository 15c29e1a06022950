import { describe, expect, it } from 'vitest';
import type { AddedAuction, SandboxOptions, SandboxSeed, SeedAuction } from '../../src/sandbox/index.js';
import { seedJsonSchema } from '../../src/sandbox/seed/seed.js';
import { bid, get, lotOf, onManualClock, plus } from './caller.js';

const start = (seed: SandboxOptions['seed']) =>
  onManualClock({ listen: false, startAt: '2026-03-02T09:00:30Z', ...(seed !== undefined && { seed }) });

const mine: SeedAuction = {
  label: 'mine',
  name: 'My Sale',
  bid_type: 'open',
  increment: '5000',
  opens: -10,
  closes: 30,
  lots: [{ id: 'lot_mine', starting_price: '100000.50' }],
};

/** What a sandbox begins with, but for its credentials. */
async function inventory(seed: SandboxOptions['seed']) {
  await using sandbox = await start(seed);
  return { auctions: sandbox.auctions.list(), ledger: sandbox.ledger() };
}

describe('a built-in seed', () => {
  it('small gives the auctions and ids of the docs, however it is named', async () => {
    for (const seed of [undefined, 1, 'small', { random: 1 }, {}] as const) {
      const { auctions, ledger } = await inventory(seed);
      expect(Object.fromEntries(auctions.map(({ label, lots }) => [label, lots.length]))).toEqual({
        ...{ 'live-open': 40, 'live-closed': 30, 'live-legacy': 12, 'live-no-grid': 8, upcoming: 28 },
        ...{ over: 15, 'over-closed': 10, cancelled: 3, unassigned: 4, 'other-bank': 4 },
      });
      expect(auctions[0]).toMatchObject({
        id: 'auc_40897166e732',
        opensAt: Date.parse('2026-03-02T07:00:00Z'),
        closesAt: Date.parse('2026-03-02T13:00:00Z'),
      });
      expect(auctions[0]?.lots[0]).toMatchObject({ id: 'lot_6a66744122c5', startingPrice: '102500.00' });
      expect(ledger).toEqual([]);
      for (const { startingPrice } of auctions.flatMap(({ lots }) => lots))
        expect(startingPrice).toMatch(/\.00$/);
    }
  });

  it('gives the same for the same number, and something else for another', async () => {
    expect(await inventory(7)).toEqual(await inventory({ like: 'small', random: 7 }));
    expect(await inventory(7)).not.toEqual(await inventory(8));
  });

  it('busy has 5,000 lots, bids of the rival, and sales of what it won', async () => {
    await using sandbox = await start('busy');
    const { dealer, rival, bank } = sandbox.credentials;
    const auctions = sandbox.auctions.list();
    const ledger = sandbox.ledger();
    expect(await inventory('busy')).toEqual({ auctions, ledger });
    expect([auctions.length, new Set(auctions.flatMap(({ lots }) => lots.map(({ id }) => id))).size]).toEqual(
      [20, 5_000],
    );
    const small = ['live-open', 'live-closed', 'upcoming', 'over', 'unassigned'];
    expect(auctions.map(({ label }) => label)).toEqual(expect.arrayContaining(small));
    expect(ledger.length).toBeGreaterThan(1_000);
    expect(new Set(ledger.map(({ clientId }) => clientId))).toEqual(new Set([rival.clientId]));

    const bidsIn = (label: string) =>
      ledger.filter(({ lotId }) => sandbox.auctions.get(label).lots.some(({ id }) => id === lotId));
    const led = bidsIn('live-open').at(-1);
    const path = `/api/v1/events/${sandbox.auctions.get('live-open').id}/lots/${led?.lotId}`;
    const { json } = await get(sandbox, dealer, path);
    expect(json.data).toMatchObject({ bidder_status: 'no_bid', highest_amount: led?.amount });
    const won = new Set(bidsIn('over-sold').map(({ lotId }) => lotId)).size;
    expect(won).toBeGreaterThan(50);
    expect((await get(sandbox, bank, '/api/v1/sale-cases')).json.data.total).toBeGreaterThan(won);
  });
});

describe("a user's own seed", () => {
  it('is all there is, unless it says what it is like', async () => {
    const alone = await inventory({ auctions: [mine] });
    expect(alone.auctions.map(({ label }) => label)).toEqual(['mine']);
    const beside = await inventory({ like: 'small', auctions: [mine] });
    expect(beside.auctions.slice(0, -1)).toEqual((await inventory('small')).auctions);
    expect(beside.auctions.at(-1)).toMatchObject({
      ...{ label: 'mine', bidType: 'open', legacy: false, increment: '5000.00' },
      opensAt: Date.parse('2026-03-02T08:50:00Z'),
      closesAt: Date.parse('2026-03-02T09:30:00Z'),
      lots: [{ id: 'lot_mine', startingPrice: '100000.50' }],
    });
  });

  it('is shown as it was given', async () => {
    const vehicle = {
      ...{ registration_number: 'KA05MX1234', make: 'Tata', model: 'Ace', year: 2019, region: 'Karnataka' },
      ...{ vehicle_type: 'Mini truck', yard: null, condition: 'Running', bank_reference: 'LN-7' },
    };
    const bank_fields = JSON.parse(
      '{"Key Box":3,"Remarks":"","__proto__":"kept","RC":null,"Hypothecated":true}',
    );
    const public_fields = { fld_7: { label: 'Owners', value: 2 } };
    const lot = { id: 'lot_mine', starting_price: '450000', vehicle, bank_fields, public_fields };
    const auction: SeedAuction = {
      ...{ ...mine, id: 'auc_mine', bid_type: 'closed' },
      opens: '2026-03-02T14:00:00+05:30',
      closes: '2026-03-05T00:00:00Z',
      lots: [{ ...lot, photos: 2, documents: 1 }, { withdrawn: true }],
    };
    await using sandbox = await start({ auctions: [auction] });
    const { dealer } = sandbox.credentials;
    expect((await get(sandbox, dealer, '/api/v1/events')).json.data).toMatchObject([
      {
        ...{ id: 'auc_mine', name: 'My Sale', bid_type: 'closed', bid_increment: '5000.00' },
        starts_at: '2026-03-02T14:00:00+05:30',
        ends_at: '2026-03-05T05:30:00+05:30',
        eligible_lots_count: 1,
      },
    ]);
    const { data } = (await get(sandbox, dealer, '/api/v1/events/auc_mine/lots/lot_mine')).json;
    const { registration_number, year, region, ...details } = vehicle;
    const shown = { registration_number, year, region, public_fields };
    expect(data).toMatchObject({ ...shown, starting_price: '450000.00' });
    const { ['__proto__']: _, ...labels } = bank_fields;
    expect(data.vehicle_details).toMatchObject({ title: '2019 Tata Ace', ...details, ...labels });
    expect(Object.getOwnPropertyDescriptor(data.vehicle_details, '__proto__')?.value).toBe('kept');
    expect([data.images.length, data.documents.length]).toEqual([2, 1]);
    expect(data.images[0]).toMatch(/\/events\/auc_mine\/lots\/lot_mine\/media\/\d+$/);
    expect((await get(sandbox, dealer, new URL(data.images[0]).pathname)).status).toBe(200);
  });

  it('changes nothing about other lots by what it says of one', async () => {
    const lots = async (first: object) =>
      (await inventory({ auctions: [{ ...mine, lots: [first, {}, {}] }] })).auctions[0]?.lots;
    const plain = await lots({});
    const told = await lots({ id: 'lot_x', photos: 9, vehicle: { make: 'Kia' } });
    expect(told?.slice(1)).toEqual(plain?.slice(1));
    expect(told?.[0]?.startingPrice).toBe(plain?.[0]?.startingPrice);
    expect((await inventory({ auctions: [{ ...mine, lots: 3 }] })).auctions[0]?.lots).toEqual(plain);
  });

  it('is assigned to all partners, to some, or to none, and a bank sees its own', async () => {
    const auctions: SeedAuction[] = [
      { ...mine, label: 'all', lots: 1 },
      { ...mine, label: 'some', lots: 1, assigned: ['platform'] },
      { ...mine, label: 'none', lots: 1, assigned: false },
      { ...mine, label: 'gone', lots: 1, cancelled: true },
      { ...mine, label: 'foreign', lots: 1, bank: 'otherBank' },
    ];
    await using sandbox = await start({ auctions });
    const label = (id: string) => sandbox.auctions.get(id).label;
    const seen = async (who: keyof typeof sandbox.credentials) => {
      const { json } = await get(sandbox, sandbox.credentials[who], '/api/v1/events', 'status=all');
      return json.data.map((event: { id: string }) => label(event.id)).sort();
    };
    expect(await seen('dealer')).toEqual(['all']);
    expect(await seen('platform')).toEqual(['all', 'some']);
    expect(await seen('bank')).toEqual(['all', 'none', 'some']);
    expect(await seen('otherBank')).toEqual(['foreign']);
    const { auctions: assigned } = sandbox.partners.get(sandbox.credentials.platform.clientId);
    expect(assigned.map(label)).toEqual(['all', 'some', 'gone']);
  });

  it('goes by legacy rules where it says so', async () => {
    await using sandbox = await start({ auctions: [{ ...mine, legacy: true }] });
    const first = await bid(sandbox, sandbox.credentials.dealer, 'lot_mine', { amount: '100000.50' });
    expect([first.status, first.json.errors]).toEqual([422, ['BID_BELOW_MINIMUM']]);
  });
});

describe('bids of a seed', () => {
  const bids = [
    { by: 'rival', amount: '100000.50' },
    { by: 'platform', amount: '105000.50', bidder_reference: 'buyer-1' },
  ] as const;
  const lots = [{ id: 'lot_mine', starting_price: '100000.50', bids }];

  it('stand when the sandbox starts, in the order and the time of their auction', async () => {
    await using sandbox = await start({ auctions: [{ ...mine, lots }] });
    const { dealer, platform, rival } = sandbox.credentials;
    expect(sandbox.ledger()).toMatchObject([
      { kind: 'bid', clientId: rival.clientId, lotId: 'lot_mine', amount: '100000.50' },
      { kind: 'bid', clientId: platform.clientId, lotId: 'lot_mine', amount: '105000.50' },
    ]);
    const { json } = await get(sandbox, platform, `/api/v1/bids/${sandbox.ledger()[1]?.bidId}`);
    // 10 minutes and 30 seconds live, in three equal parts.
    const server_received_at = '2026-03-02T08:57:00.000Z';
    expect(json.data).toMatchObject({ bidder_reference: 'buyer-1', status: 'accepted', server_received_at });
    const low = await bid(sandbox, dealer, 'lot_mine', { amount: '105000.50' });
    expect([low.status, low.json.errors]).toEqual([422, ['BID_BELOW_MINIMUM']]);
    expect((await bid(sandbox, dealer, 'lot_mine', { amount: '110000.50' })).status).toBe(201);
  });

  it('are awarded where their auction is over', async () => {
    await using sandbox = await start({
      auctions: [{ ...mine, opens: -60, closes: -30, lots: [...lots, {}] }],
    });
    const { platform } = sandbox.credentials;
    const [sale] = (await get(sandbox, platform, '/api/v1/sale-cases')).json.data.items;
    expect(sale.data).toMatchObject({ lot_id: 'lot_mine', amount: '105000.50' });
    const { json } = await get(sandbox, platform, `/api/v1/bids/${sale.data.bid_id}`);
    expect(json.data.server_received_at).toBe('2026-03-02T08:20:00.000Z');
  });

  it.each<[string, string, string, string, Partial<SeedAuction>]>([
    ['off the grid', 'rival', '100001', 'BID_OFF_OPENING_GRID', {}],
    ['below the opening', 'rival', '95000.50', 'BID_OFF_OPENING_GRID', {}],
    ['without their buyer', 'platform', '100000.50', 'BIDDER_REFERENCE_REQUIRED', {}],
    ['before the opening', 'rival', '100000.50', 'LOT_NOT_LIVE', { opens: 5 }],
  ])('%s are refused', async (_, by, amount, code, change) => {
    const auctions = [
      { ...mine, ...change, lots: [{}, { starting_price: '100000.50', bids: [{ by, amount }] }] },
    ];
    const refusal = start({ auctions } as SandboxSeed);
    await expect(refusal).rejects.toThrow(/^seed\.auctions\[0\]\.lots\[1\]\.bids\[0\] /);
    await expect(refusal).rejects.toThrow(code);
  });
});

describe('credentials of a seed', () => {
  it('can link no dealer', async () => {
    await using sandbox = await start({ credentials: { dealer: { dealerId: null } } });
    expect(sandbox.partners.get(sandbox.credentials.dealer.clientId).dealerId).toBeNull();
  });

  it('take the place of the invented ones', async () => {
    const signingSecret = "it's-a-secret-of-nobody's";
    const ours = { clientId: 'client_ours', keyId: 'key_ours', signingSecret, dealerId: 'D-77' };
    const facts = { kyb: true, buyerLimit: '200000', auctions: ['live-open'] };
    const dealer = { ...ours, scopes: ['bids:write', 'catalogue:read'], facts };
    await using sandbox = await start({ like: 'small', credentials: { dealer } } as SandboxSeed);
    const who = sandbox.credentials.dealer;
    expect(who).toMatchObject(ours);
    expect(sandbox.partners.get('client_ours')).toMatchObject({
      scopes: ['catalogue:read', 'bids:write'],
      buyerLimit: '200000',
      auctions: ['auc_40897166e732'],
    });
    const events = await get(sandbox, who, '/api/v1/events');
    expect([events.status, events.json.data.length]).toEqual([200, 1]);
    expect((await get(sandbox, who, '/api/v1/bids')).json.code).toBe('SCOPE_DENIED');
    expect((await bid(sandbox, who, 'lot_6a66744122c5', { amount: '102500' })).status).toBe(201);
  });
});

describe('what is no seed', () => {
  const wrong: [seed: unknown, path: string, named?: string][] = [
    [1.5, ''],
    [Number.NaN, ''],
    ['huge', ''],
    [{ auction: [] }, '', 'auction'],
    [{ like: 'huge' }, '.like'],
    [{ auctions: [mine, { ...mine, lots: [] }] }, '.auctions[1].label'],
    [{ auctions: [mine, { ...mine, label: 'b' }] }, '.auctions[1].lots[0].id'],
    [{ auctions: [{ ...mine, label: 'live-open' }], like: 'small' }, '.auctions[0].label'],
    [{ credentials: { buyer: {} } }, '.credentials', 'buyer'],
    [{ credentials: { bank: { dealerId: 'D' } } }, '.credentials.bank', 'dealerId'],
  ];
  const wrongAuctions: [change: object, path: string, named?: string][] = [
    [{ label: 'a b' }, '.label'],
    [{ id: 'lot_1' }, '.id'],
    [{ name: '' }, '.name'],
    [{ bid_type: 'sealed' }, '.bid_type'],
    [{ increment: '-1' }, '.increment'],
    [{ opens: '09:00' }, '.opens'],
    [{ opens: 30 }, ''],
    [{ opens: -1e15 }, '.opens'],
    [{ closes: 1e300 }, '.closes'],
    [{ closes: '9999-12-31T18:30:00Z' }, '.closes'],
    [{ lots: -1 }, '.lots'],
    [{ lots: [{ price: '1' }] }, '.lots[0]', 'price'],
    [{ lots: [{ vehicle: { year: 19 } }] }, '.lots[0].vehicle.year'],
    [{ lots: [{ bank_fields: { a: [] } }] }, '.lots[0].bank_fields.a'],
    [{ lots: [{ bids: [{ by: 'bank', amount: '1' }] }] }, '.lots[0].bids[0].by'],
    [{ assigned: ['bank'] }, '.assigned[0]'],
  ];
  const wrongDealers: [change: object, path: string, named?: string][] = [
    [{ clientId: 'a b' }, '.clientId'],
    [{ signingSecret: 'two\nlines-of-a-secret' }, '.signingSecret'],
    [{ scopes: ['bids:everything'] }, '.scopes[0]'],
    [{ facts: { dealerId: 'D' } }, '.facts', 'dealerId'],
    [{ facts: { allowedIps: ['here'] } }, '.facts.allowedIps'],
    [{ facts: { auctions: ['x'] } }, '.facts.auctions'],
    [{ facts: { approvalLimit: 5 } }, '.facts.approvalLimit'],
    [{ facts: { limitUntil: ['2027-01-01'] } }, '.facts.limitUntil'],
    [{ facts: { emdUntil: 8.64e15 } }, '.facts.emdUntil'],
    [{ facts: { kyb: 'yes' } }, '.facts.kyb'],
    [{ facts: { buyerLimit: 'much' } }, '.facts.buyerLimit'],
  ];

  it.each([
    ...wrong.map(([seed, path, named]) => ['seed', path, seed, named] as const),
    ...wrongAuctions.map(
      ([auction, path, named]) =>
        ['seed.auctions[0]', path, { auctions: [{ ...mine, ...auction }] }, named] as const,
    ),
    ...wrongDealers.map(
      ([dealer, path, named]) =>
        ['seed.credentials.dealer', path, { credentials: { dealer } }, named] as const,
    ),
  ])('is refused at %s%s: %j', async (base, path, seed, named = '') => {
    const refusal: unknown = await start(seed as never).catch((error) => error);
    if (!(refusal instanceof RangeError)) throw new Error('not refused with a RangeError');
    const [at = ''] = /^[^ :]*/.exec(refusal.message) ?? [];
    expect([at, refusal.message]).toEqual([base + path, expect.stringContaining(named)]);
  });

  it('is refused where two parties would have one client id', async () => {
    const credentials = { dealer: { clientId: 'client_sbx_bank' } };
    await expect(start({ credentials })).rejects.toThrow(
      new RangeError('The client id client_sbx_bank is already in use. Choose another one.'),
    );
  });

  it('is told at once, wherever it is wrong', async () => {
    const auctions = [{ ...mine, name: 7, closes: true, lots: [{ id: 'x' }] }];
    const refusal = await start({ auctions } as never).catch(({ message }) => message);
    const [name, closes, lot, ...others] = String(refusal).split('\n');
    expect(name).toMatch(/^seed\.auctions\[0\]\.name /);
    expect(closes).toMatch(/^seed\.auctions\[0\]\.closes /);
    expect([lot?.split(' ')[0], others]).toEqual(['seed.auctions[0].lots[0].id', []]);
  });

  it('is told by a schema that names every field and lets no other in', () => {
    const { properties, additionalProperties } = seedJsonSchema();
    expect(Object.keys(properties ?? {})).toEqual(['$schema', 'like', 'random', 'auctions', 'credentials']);
    expect(additionalProperties).toBe(false);
    expect(JSON.stringify(seedJsonSchema())).toContain('"starting_price"');
  });
});

describe('an auction that is added', () => {
  const times = { opens: 5, closes: 20 };
  const flash: AddedAuction = { ...mine, ...times, label: 'flash', name: 'Flash sale', lots: 3 };
  const minute = 60_000;

  it('is like any other: listed, opened, bid in, closed and awarded at its times', async () => {
    await using sandbox = await onManualClock();
    const { dealer, bank } = sandbox.credentials;
    const begun = sandbox.clock.now();
    sandbox.clock.advance(10 * minute);
    const added = sandbox.auctions.add(flash);
    const closesAt = begun + 30 * minute;
    expect(added).toMatchObject({ label: 'flash', status: 'upcoming', increment: '5000.00' });
    expect(added).toMatchObject({ opensAt: begun + 15 * minute, closesAt, scheduledClosesAt: closesAt });
    expect(sandbox.auctions.get('flash')).toEqual(added);
    expect((await get(sandbox, dealer, `/api/v1/events/${added.id}`)).json.data).toMatchObject({
      ...{ name: 'Flash sale', reference: `EVT-00${sandbox.auctions.list().length}`, status: 'upcoming' },
      starts_at: '2026-03-01T15:45:00+05:30',
      eligible_lots_count: 3,
    });
    sandbox.clock.advance(5 * minute);
    const { id, startingPrice } = lotOf(sandbox, 'flash', 2);
    expect((await bid(sandbox, dealer, id, { amount: startingPrice })).status).toBe(201);
    expect(sandbox.actors.rival.bidNext(id).amount).toBe(plus(startingPrice, 5_000));
    sandbox.clock.advance(15 * minute);
    const sales = (await get(sandbox, bank, '/api/v1/sale-cases')).json.data.items;
    expect(sales).toMatchObject([{ data: { lot_id: id } }]);
  });

  it.each([
    [true, ['dealer', 'platform', 'aggregator', 'bank']],
    [['platform'], ['platform', 'bank']],
    [false, ['bank']],
  ] as const)(
    'assigned to %j is seen by %j, and by rivals of all names only if to all',
    async (assigned, seen) => {
      await using sandbox = await onManualClock();
      const second = sandbox.actors.rival.as('second');
      const id = sandbox.auctions.add({ ...flash, opens: 0, assigned }).lots[0]?.id ?? '';
      for (const who of ['dealer', 'platform', 'aggregator', 'bank', 'otherBank'] as const) {
        const { status } = await get(sandbox, sandbox.credentials[who], `/api/v1/vehicles/${id}`);
        expect([who, status]).toEqual([who, (seen as readonly string[]).includes(who) ? 200 : 404]);
      }
      const bids = () => second.bidNext(id);
      if (assigned === true) expect(bids).not.toThrow();
      else expect(bids).toThrow();
    },
  );

  it.each<[string, object]>([
    ['no label', { label: '' }],
    ['a label that is taken', { label: 'live-open' }],
    ['a lot that is there', { lots: [{ id: 'lot_6a66744122c5' }] }],
    ['a close before the opening', { closes: 1 }],
    ['bids on its lots', { lots: [{ bids: [{ by: 'dealer', amount: '1' }] }] }],
  ])('is refused with %s, and nothing is added', async (_, change) => {
    await using sandbox = await onManualClock();
    const before = sandbox.auctions.list();
    expect(() => sandbox.auctions.add({ ...flash, ...change } as AddedAuction)).toThrow(RangeError);
    expect(sandbox.auctions.list()).toEqual(before);
  });
});
