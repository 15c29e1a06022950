import { describe, expect, it } from 'vitest';
import {
  type SandboxOptions,
  type SandboxSeed,
  type SeedAuction,
  startSandbox,
} from '../../src/sandbox/index.js';
import { seedJsonSchema } from '../../src/sandbox/seed/seed.js';
import { bid, get } from './caller.js';

const startAt = '2026-03-02T09:00:30Z';

function start(seed: SandboxOptions['seed'], options: SandboxOptions = {}) {
  return startSandbox({
    clock: 'manual',
    listen: false,
    startAt,
    ...(seed !== undefined && { seed }),
    ...options,
  });
}

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

describe('a number', () => {
  it('gives what it always gave: the ids of the docs', async () => {
    for (const seed of [undefined, 1, 'small', { random: 1 }, {}] as const) {
      const { auctions, ledger } = await inventory(seed);
      expect(auctions.map(({ label, lots }) => [label, lots.length])).toEqual([
        ['live-open', 40],
        ['live-closed', 30],
        ['live-legacy', 12],
        ['live-no-grid', 8],
        ['upcoming', 28],
        ['over', 15],
        ['over-closed', 10],
        ['cancelled', 3],
        ['unassigned', 4],
        ['other-bank', 4],
      ]);
      expect(auctions[0]).toMatchObject({
        id: 'auc_40897166e732',
        opensAt: Date.parse('2026-03-02T07:00:00Z'),
        closesAt: Date.parse('2026-03-02T13:00:00Z'),
      });
      expect(auctions[0]?.lots[0]).toMatchObject({ id: 'lot_6a66744122c5', startingPrice: '102500.00' });
      expect(ledger).toEqual([]);
    }
  });

  it('gives the same for the same number, and something else for another', async () => {
    expect(await inventory(7)).toEqual(await inventory({ like: 'small', random: 7 }));
    expect(await inventory(7)).not.toEqual(await inventory(8));
  });
});

describe('busy', () => {
  it('has 20 auctions with 5,000 lots, and the labels of small', async () => {
    const { auctions, ledger } = await inventory('busy');
    expect(auctions).toHaveLength(20);
    expect(auctions.flatMap(({ lots }) => lots)).toHaveLength(5_000);
    expect(new Set(auctions.flatMap(({ lots }) => lots.map(({ id }) => id))).size).toBe(5_000);
    const labels = auctions.map(({ label }) => label);
    expect(labels).toEqual(
      expect.arrayContaining(['live-open', 'live-closed', 'upcoming', 'over', 'unassigned']),
    );
    expect(await inventory('busy')).toEqual({ auctions, ledger });
  });

  it('has bids of the rival, and sales of what it won', async () => {
    await using sandbox = await start('busy');
    const { dealer, rival, bank } = sandbox.credentials;
    const ledger = sandbox.ledger();
    expect(ledger.length).toBeGreaterThan(1_000);
    expect(new Set(ledger.map(({ clientId }) => clientId))).toEqual(new Set([rival.clientId]));

    const live = sandbox.auctions.get('live-open');
    const led = ledger.find(({ lotId }) => live.lots.some(({ id }) => id === lotId));
    const read = await get(sandbox, dealer, `/api/v1/events/${live.id}/lots/${led?.lotId}`);
    const standing = ledger.filter(({ lotId }) => lotId === led?.lotId).at(-1);
    expect(read.json.data).toMatchObject({ bidder_status: 'no_bid', highest_amount: standing?.amount });

    const sold = sandbox.auctions.get('over-sold');
    const won = new Set(
      ledger.filter(({ lotId }) => sold.lots.some(({ id }) => id === lotId)).map((each) => each.lotId),
    );
    const cases = await get(sandbox, bank, '/api/v1/sale-cases');
    expect(won.size).toBeGreaterThan(50);
    expect(cases.json.data.total).toBeGreaterThan(won.size);
  });
});

describe("the user's own", () => {
  it('is all there is, unless it says what it is like', async () => {
    const alone = await inventory({ auctions: [mine] });
    expect(alone.auctions.map(({ label }) => label)).toEqual(['mine']);
    const beside = await inventory({ like: 'small', auctions: [mine] });
    expect(beside.auctions.slice(0, -1)).toEqual((await inventory('small')).auctions);
    expect(beside.auctions.at(-1)).toMatchObject({
      label: 'mine',
      bidType: 'open',
      legacy: false,
      increment: '5000.00',
      opensAt: Date.parse('2026-03-02T08:50:00Z'),
      closesAt: Date.parse('2026-03-02T09:30:00Z'),
      lots: [{ id: 'lot_mine', startingPrice: '100000.50' }],
    });
  });

  it('is shown as it was given', async () => {
    const auction: SeedAuction = {
      ...mine,
      id: 'auc_mine',
      opens: '2026-03-02T14:00:00+05:30',
      closes: '2026-03-05T00:00:00Z',
      bid_type: 'closed',
      lots: [
        {
          id: 'lot_mine',
          starting_price: '450000',
          vehicle: {
            registration_number: 'KA05MX1234',
            make: 'Tata',
            model: 'Ace',
            year: 2019,
            region: 'Karnataka',
            vehicle_type: 'Mini truck',
            yard: null,
            condition: 'Running',
            bank_reference: 'LN-7',
          },
          bank_fields: JSON.parse(
            '{"Key Box": 3, "Remarks": "", "__proto__": "kept", "RC": null, "Hypothecated": true}',
          ),
          public_fields: { fld_7: { label: 'Owners', value: 2 } },
          photos: 2,
          documents: 1,
        },
        { withdrawn: true },
      ],
    };
    await using sandbox = await start({ auctions: [auction] });
    const { dealer } = sandbox.credentials;
    const events = await get(sandbox, dealer, '/api/v1/events');
    expect(events.json.data).toMatchObject([
      {
        id: 'auc_mine',
        name: 'My Sale',
        bid_type: 'closed',
        bid_increment: '5000.00',
        starts_at: '2026-03-02T14:00:00+05:30',
        ends_at: '2026-03-05T05:30:00+05:30',
        eligible_lots_count: 1,
      },
    ]);
    const { data } = (await get(sandbox, dealer, '/api/v1/events/auc_mine/lots/lot_mine')).json;
    expect(data).toMatchObject({
      registration_number: 'KA05MX1234',
      year: 2019,
      region: 'Karnataka',
      starting_price: '450000.00',
      public_fields: { fld_7: { label: 'Owners', value: 2 } },
    });
    expect(data.vehicle_details).toMatchObject({
      title: '2019 Tata Ace',
      yard: null,
      condition: 'Running',
      bank_reference: 'LN-7',
      'Key Box': 3,
      Remarks: '',
      RC: null,
      Hypothecated: true,
    });
    expect(Object.getOwnPropertyDescriptor(data.vehicle_details, '__proto__')?.value).toBe('kept');
    expect([data.images.length, data.documents.length]).toEqual([2, 1]);
    expect(data.images[0]).toMatch(/\/events\/auc_mine\/lots\/lot_mine\/media\/\d+$/);
    const photo = new URL(data.images[0]).pathname;
    expect((await get(sandbox, dealer, photo)).headers.get('content-type')).toMatch(/^image\/(?:png|jpeg)$/);
  });

  it('changes nothing about other lots by what it says of one', async () => {
    const lots = (first: object) => inventory({ auctions: [{ ...mine, lots: [first, {}, {}] }] });
    const [plain, told] = [await lots({}), await lots({ id: 'lot_x', photos: 9, vehicle: { make: 'Kia' } })];
    expect(told.auctions[0]?.lots.slice(1)).toEqual(plain.auctions[0]?.lots.slice(1));
    expect(told.auctions[0]?.lots[0]?.startingPrice).toBe(plain.auctions[0]?.lots[0]?.startingPrice);
    expect((await inventory({ auctions: [{ ...mine, lots: 3 }] })).auctions[0]?.lots).toEqual(
      plain.auctions[0]?.lots,
    );
  });

  it('is assigned to all partners, to some, or to none, and a bank sees its own', async () => {
    const auctions = [
      { ...mine, label: 'all', lots: 1 },
      { ...mine, label: 'some', lots: 1, assigned: ['platform'] as const },
      { ...mine, label: 'none', lots: 1, assigned: false },
      { ...mine, label: 'gone', lots: 1, cancelled: true },
      { ...mine, label: 'foreign', lots: 1, bank: 'otherBank' as const },
    ];
    await using sandbox = await start({ auctions });
    const seen = async (who: keyof typeof sandbox.credentials) => {
      const { json } = await get(sandbox, sandbox.credentials[who], '/api/v1/events', 'status=all');
      const label = (id: string) => sandbox.auctions.get(id).label;
      return json.data.map((event: { id: string }) => label(event.id)).sort();
    };
    expect(await seen('dealer')).toEqual(['all']);
    expect(await seen('platform')).toEqual(['all', 'some']);
    expect(await seen('bank')).toEqual(['all', 'none', 'some']);
    expect(await seen('otherBank')).toEqual(['foreign']);
    const { auctions: assigned } = sandbox.partners.get(sandbox.credentials.platform.clientId);
    expect(assigned.map((id) => sandbox.auctions.get(id).label)).toEqual(['all', 'some', 'gone']);
  });

  it('goes by legacy rules where it says so', async () => {
    await using sandbox = await start({
      auctions: [{ ...mine, legacy: true, lots: [{ id: 'lot_old', starting_price: '100000' }] }],
    });
    const first = await bid(sandbox, sandbox.credentials.dealer, 'lot_old', { amount: '100000' });
    expect([first.status, first.json.errors]).toEqual([422, ['BID_BELOW_MINIMUM']]);
  });
});

describe('bids of a seed', () => {
  const bids = [
    { by: 'rival', amount: '100000.50' },
    { by: 'platform', amount: '105000.50', bidder_reference: 'buyer-1' },
  ] as const;

  it('stand when the sandbox starts, in the order and the time of their auction', async () => {
    await using sandbox = await start({
      auctions: [{ ...mine, lots: [{ id: 'lot_mine', starting_price: '100000.50', bids }] }],
    });
    const { dealer, platform, rival } = sandbox.credentials;
    expect(sandbox.ledger()).toMatchObject([
      { kind: 'bid', clientId: rival.clientId, lotId: 'lot_mine', amount: '100000.50' },
      { kind: 'bid', clientId: platform.clientId, lotId: 'lot_mine', amount: '105000.50' },
    ]);
    const listed = await get(sandbox, platform, '/api/v1/bids');
    expect(listed.json.data).toMatchObject([{ bidder_reference: 'buyer-1', status: 'accepted' }]);
    const received = await get(sandbox, platform, `/api/v1/bids/${sandbox.ledger()[1]?.bidId}`);
    // 10 minutes and 30 seconds live, in three equal parts.
    expect(received.json.data.server_received_at).toMatch(/^2026-03-02T08:57:00/);
    const low = await bid(sandbox, dealer, 'lot_mine', { amount: '105000.50' });
    expect([low.status, low.json.errors]).toEqual([422, ['BID_BELOW_MINIMUM']]);
    expect((await bid(sandbox, dealer, 'lot_mine', { amount: '110000.50' })).status).toBe(201);
  });

  it('are awarded where their auction is over', async () => {
    const over = {
      ...mine,
      opens: -60,
      closes: -30,
      lots: [{ id: 'lot_mine', starting_price: '100000.50', bids }, {}],
    };
    await using sandbox = await start({ auctions: [over] });
    const { json } = await get(sandbox, sandbox.credentials.platform, '/api/v1/sale-cases');
    expect(json.data.items).toMatchObject([{ data: { lot_id: 'lot_mine', amount: '105000.50' } }]);
    const bidId = json.data.items[0].data.bid_id;
    const received = await get(sandbox, sandbox.credentials.platform, `/api/v1/bids/${bidId}`);
    expect(received.json.data.server_received_at).toMatch(/^2026-03-02T08:20:00/);
  });

  it.each([
    ['off the grid', '100001', undefined, 'BID_OFF_OPENING_GRID'],
    ['below the opening', '95000.50', undefined, 'BID_OFF_OPENING_GRID'],
    ['without its buyer', '100000.50', 'platform', 'BIDDER_REFERENCE_REQUIRED'],
  ] as const)('%s are refused', async (_, amount, by, code) => {
    const auctions = [
      { ...mine, lots: [{}, { starting_price: '100000.50', bids: [{ by: by ?? 'rival', amount }] }] },
    ];
    await expect(start({ auctions } as SandboxSeed)).rejects.toThrow(
      `seed.auctions[0].lots[1].bids[0] would not have been accepted: ${code}`,
    );
  });

  it('are refused in an auction that has yet to open', async () => {
    const auctions = [{ ...mine, opens: 5, lots: [{ starting_price: '100000.50', bids: bids.slice(0, 1) }] }];
    await expect(start({ auctions })).rejects.toThrow('would not have been accepted: LOT_NOT_LIVE');
  });
});

describe('credentials of a seed', () => {
  it('take the place of the invented ones', async () => {
    await using sandbox = await start({
      like: 'small',
      credentials: {
        dealer: {
          clientId: 'client_ours',
          keyId: 'key_ours',
          signingSecret: "it's-a-secret-of-nobody's",
          dealerId: 'D-77',
          scopes: ['bids:write', 'catalogue:read'],
          facts: { kyb: true, buyerLimit: '200000', auctions: ['live-open'] },
        },
      },
    });
    const { dealer } = sandbox.credentials;
    expect(dealer).toMatchObject({
      clientId: 'client_ours',
      keyId: 'key_ours',
      signingSecret: "it's-a-secret-of-nobody's",
      dealerId: 'D-77',
    });
    expect(sandbox.partners.get('client_ours')).toMatchObject({
      scopes: ['catalogue:read', 'bids:write'],
      buyerLimit: '200000',
      auctions: ['auc_40897166e732'],
    });
    const events = await get(sandbox, dealer, '/api/v1/events');
    expect([events.status, events.json.data.length]).toEqual([200, 1]);
    const denied = await get(sandbox, dealer, '/api/v1/bids');
    expect([denied.status, denied.json.code]).toEqual([403, 'SCOPE_DENIED']);
    const made = await bid(sandbox, dealer, 'lot_6a66744122c5', { amount: '102500' });
    expect(made.status).toBe(201);
  });

  it('let bids stand that their facts would forbid from now on', async () => {
    await using sandbox = await start({
      auctions: [
        {
          ...mine,
          lots: [{ id: 'lot_mine', starting_price: '100000', bids: [{ by: 'dealer', amount: '100000' }] }],
        },
      ],
      credentials: { dealer: { facts: { blocked: true } } },
    });
    expect(sandbox.ledger()).toHaveLength(1);
    const next = await bid(sandbox, sandbox.credentials.dealer, 'lot_mine', { amount: '105000' });
    expect([next.status, next.json.errors]).toEqual([422, ['DEALER_NOT_ELIGIBLE']]);
  });
});

describe('what is no seed', () => {
  const auction = (over: object) => ({ auctions: [{ ...mine, ...over }] });
  const dealer = (over: object) => ({ credentials: { dealer: over } });

  it.each<[unknown, string]>([
    [1.5, 'seed must be a whole number'],
    [Number.NaN, 'seed must be a whole number'],
    ['huge', 'seed must be a whole number'],
    [[], 'seed must be an object with the fields $schema, like, random, auctions, credentials'],
    [
      { auction: [] },
      'seed has no field "auction"; its fields are $schema, like, random, auctions, credentials',
    ],
    [{ like: 'huge' }, 'seed.like must be "small" or "busy"'],
    [{ random: '7' }, 'seed.random must be a whole number'],
    [auction({ label: 'a b' }), 'seed.auctions[0].label must be 1 to 60 letters, digits, ".", "_" and "-"'],
    [auction({ id: 'lot_1' }), 'seed.auctions[0].id must be an auction id such as "auc_spring"'],
    [auction({ name: '' }), 'seed.auctions[0].name must be text of 1 to 240 characters'],
    [auction({ bid_type: 'sealed' }), 'seed.auctions[0].bid_type must be "open" or "closed"'],
    [
      auction({ increment: 5000 }),
      'seed.auctions[0].increment must be an INR decimal string such as "450000"',
    ],
    [
      auction({ increment: '-1' }),
      'seed.auctions[0].increment must be an INR decimal string such as "450000"',
    ],
    [
      auction({ opens: '09:00' }),
      'seed.auctions[0].opens must be minutes from the start, such as -120, or an ISO 8601',
    ],
    [auction({ opens: 30 }), 'seed.auctions[0] must open before it closes'],
    [auction({ lots: -1 }), 'seed.auctions[0].lots must be a whole number from 0 to 20000'],
    [
      auction({ lots: '5' }),
      'seed.auctions[0].lots must be a number of lots from 0 to 20000, or a list of lots',
    ],
    [
      auction({ lots: [{ price: '1' }] }),
      'seed.auctions[0].lots[0] has no field "price"; its fields are id, starting_price',
    ],
    [
      auction({ lots: [{ vehicle: { year: 19 } }] }),
      'seed.auctions[0].lots[0].vehicle.year must be a whole number from 1900 to',
    ],
    [
      auction({ lots: [{ bank_fields: { a: [] } }] }),
      'seed.auctions[0].lots[0].bank_fields.a must be text, a number, true, false',
    ],
    [
      auction({ lots: [{ bids: [{ by: 'bank', amount: '1' }] }] }),
      'seed.auctions[0].lots[0].bids[0].by must be "dealer" or',
    ],
    [auction({ assigned: ['bank'] }), 'seed.auctions[0].assigned[0] must be "dealer" or "platform"'],
    [{ auctions: [mine, { ...mine, lots: [] }] }, 'seed.auctions[1].label is "mine", which is taken'],
    [
      { auctions: [mine, { ...mine, label: 'b' }] },
      'seed.auctions[1].lots[0].id is "lot_mine", which is taken',
    ],
    [
      { ...auction({ label: 'live-open' }), like: 'small' },
      'seed.auctions[0].label is "live-open", which is taken',
    ],
    [
      { credentials: { buyer: {} } },
      'seed.credentials has no field "buyer"; its fields are dealer, platform',
    ],
    [dealer({ clientId: 'a b' }), 'seed.credentials.dealer.clientId must be 1 to 120 letters, digits'],
    [
      dealer({ clientId: 'client_sbx_bank' }),
      'seed.credentials.dealer.clientId is client_sbx_bank, which is taken',
    ],
    [
      dealer({ signingSecret: 'two\nlines-of-a-secret' }),
      'seed.credentials.dealer.signingSecret must be 16 to 256 ASCII',
    ],
    [
      dealer({ scopes: ['bids:everything'] }),
      'seed.credentials.dealer.scopes[0] must be "catalogue:read" or',
    ],
    [
      dealer({ facts: { kyc: true } }),
      'seed.credentials.dealer.facts has no field "kyc"; its fields are active, keyRevoked',
    ],
    [dealer({ facts: { dealerId: 'D' } }), 'seed.credentials.dealer.facts has no field "dealerId"'],
    [dealer({ facts: { allowedIps: ['here'] } }), 'seed.credentials.dealer.facts.allowedIps must be'],
    [
      dealer({ facts: { allowedIps: '10.0.0.1' } }),
      'seed.credentials.dealer.facts.allowedIps must be a list of texts',
    ],
    [dealer({ facts: { auctions: null } }), 'seed.credentials.dealer.facts.auctions must be a list of texts'],
    [
      dealer({ facts: { approvalLimit: 5 } }),
      'seed.credentials.dealer.facts.approvalLimit must be an INR decimal string',
    ],
    [dealer({ facts: { limitUntil: ['2027-01-01'] } }), 'seed.credentials.dealer.facts.limitUntil'],
    [dealer({ facts: { emdUntil: 8.64e15 } }), 'seed.credentials.dealer.facts.emdUntil must be'],
    [auction({ opens: -1e15 }), 'seed.auctions[0].opens: a moment is Unix milliseconds'],
    [auction({ closes: 1e300 }), 'seed.auctions[0].closes: a moment is Unix milliseconds'],
    [auction({ closes: '9999-12-31T18:30:00Z' }), 'seed.auctions[0].closes: a moment is Unix milliseconds'],
    [dealer({ facts: { kyb: 'yes' } }), 'seed.credentials.dealer.facts.kyb must be true or false'],
    [
      dealer({ facts: { buyerLimit: 5 } }),
      'seed.credentials.dealer.facts.buyerLimit must be an INR decimal string',
    ],
    [
      dealer({ facts: { buyerLimit: 'much' } }),
      'seed.credentials.dealer.facts.buyerLimit must be an INR decimal string',
    ],
    [
      dealer({ facts: { auctions: ['x'] } }),
      'seed.credentials.dealer.facts.auctions: there is no auction "x"',
    ],
    [
      { credentials: { bank: { dealerId: 'D' } } },
      'seed.credentials.bank has no field "dealerId": it is of partners',
    ],
  ])('%j is refused', async (seed, message) => {
    const refusal = start(seed as never);
    await expect(refusal).rejects.toThrow(RangeError);
    await expect(refusal).rejects.toThrow(message);
  });

  it('is told of at once, wherever it is wrong', async () => {
    await expect(start(auction({ name: 7, closes: true, lots: [{ id: 'x' }] }) as never)).rejects.toThrow(
      [
        'seed.auctions[0].name must be text of 1 to 240 characters',
        'seed.auctions[0].closes must be minutes from the start, such as -120, or an ISO 8601 date-time with a zone',
        'seed.auctions[0].lots[0].id must be a lot id such as "lot_swift1"',
      ].join('\n'),
    );
  });
});

describe('the schema of seeds', () => {
  it('names every field, and lets no other in', () => {
    const { properties, additionalProperties } = seedJsonSchema();
    expect(Object.keys(properties ?? {})).toEqual(['$schema', 'like', 'random', 'auctions', 'credentials']);
    expect(additionalProperties).toBe(false);
    expect(JSON.stringify(seedJsonSchema())).toContain('"starting_price"');
  });
});
