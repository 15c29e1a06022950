import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { get } from './caller.js';
import { all, evidence, heldToItsKey, inbox, paid } from './funds.js';
import {
  acknowledgedLot,
  approvedLot,
  command,
  done,
  type SoldLot,
  saleOf,
  type Winning,
  wonLot,
} from './workflow.js';

let sandbox: Sandbox;
let sold: SoldLot;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

const day = 86_400_000;
const authorized = {
  recipient: { name: 'R. Iyer', id_proof: 'DL-7701' },
  yard: 'Unity Vehicle Park, Hubballi',
  expires_at: '2026-03-02T15:30:00+05:30',
  collection_date: '2026-03-02',
};

/** Allocates what was paid: all that is due, unless another amount is given. */
async function fund(amount = sold.amount) {
  const payment = await paid(sandbox, sold);
  const url = `/api/v1/payments/${payment.id}/allocations`;
  const body = { sale_id: sold.saleId, amount, expected_version: payment.resource_version };
  await done(command(sandbox, sandbox.credentials.bank, url, body));
}

/** A lot that is sold, acknowledged and paid. */
async function paidLot(winning: Winning = {}) {
  sold = await acknowledgedLot(sandbox, winning);
  await fund();
}

/** Authorises the release on the sale's current version. */
async function release(change: Record<string, unknown> = {}, who = sandbox.credentials.bank) {
  const { resource_version } = await saleOf(sandbox, sold.saleId);
  return command(sandbox, who, `/api/v1/sale-cases/${sold.saleId}/release-authorizations`, {
    ...authorized,
    expected_version: resource_version,
    ...change,
  });
}
const read = (id: string, who = sandbox.credentials.bank) =>
  get(sandbox, who, `/api/v1/release-authorizations/${id}`);
const revoke = (id: string, change: Record<string, unknown> = {}, who = sandbox.credentials.bank) =>
  command(sandbox, who, `/api/v1/release-authorizations/${id}/revocations`, {
    reason: 'The buyer asked for another day',
    expected_version: 1,
    ...change,
  });

/** How the vehicle is known: by its plate, and by the number in the bank's field. */
async function numbers() {
  const event = sandbox.auctions.get('live-open').id;
  const { data } = (await get(sandbox, sold.who, `/api/v1/events/${event}/lots/${sold.lotId}`)).json;
  return { plate: String(data.registration_number), chassis: data.vehicle_details['Chassis Number'] };
}
async function collect(id: string, change: Record<string, unknown> = {}, who = sandbox.credentials.bank) {
  return command(sandbox, who, `/api/v1/release-authorizations/${id}/collections`, {
    collector: 'R. Iyer',
    vehicle_identity: (await numbers()).plate,
    expected_version: 1,
    ...change,
  });
}

/** Everything that a refusal might have changed. */
const everything = (id = 'rel_none') =>
  all(sandbox, [sold], [`/api/v1/sale-cases/${sold.saleId}`, `/api/v1/release-authorizations/${id}`]);

describe('A52, a release', () => {
  const path = () => `/api/v1/sale-cases/${sold.saleId}/release-authorizations`;

  // rule: state.release
  it('is authorised, literally, once under its key', async () => {
    await paidLot();
    const { resource_version } = await saleOf(sandbox, sold.saleId);
    const made = await heldToItsKey(sandbox, sandbox.credentials.bank, path(), {
      ...authorized,
      expected_version: resource_version,
    });
    expect(made).toEqual({
      id: expect.stringMatching(/^rel_/),
      kind: 'release',
      state: 'valid',
      resource_version: 1,
      data: { ...authorized, sale_id: sold.saleId },
      created_at: '2026-03-01T10:00:00.000Z',
      updated_at: '2026-03-01T10:00:00.000Z',
    });
    expect((await saleOf(sandbox, sold.saleId)).resource_version).toBe(resource_version + 1);
    expect(sandbox.ledger().at(-1)).toMatchObject({
      operation: 'A52',
      saleId: sold.saleId,
      lotId: sold.lotId,
    });
    for (const who of [sandbox.credentials.bank, sold.who]) {
      expect((await inbox(sandbox, who)).at(-1)).toBe('release.authorized');
      expect((await read(made.id, who)).json).toEqual({
        data: made,
        server_time: '2026-03-01T10:00:00.500Z',
      });
    }
    for (const who of [sandbox.credentials.rival, sandbox.credentials.platform]) {
      expect((await read(made.id, who)).status).toBe(404);
    }
    expect((await read('rel_none')).status).toBe(404);
  });

  // rule: general.3, state.release
  it.each([
    ['a sale that is not decided', () => wonLot(sandbox), 'The sale is not approved.'],
    [
      'a sale that is not acknowledged',
      () => approvedLot(sandbox),
      'The buyer has not acknowledged the sale yet.',
    ],
    ['a sale that is not paid', () => acknowledgedLot(sandbox), /^INR \d+\.\d\d of the sale are not paid/],
  ])('is refused for %s', async (_, prepare, message) => {
    sold = await prepare();
    const before = await everything();
    const got = await release();
    expect([got.status, got.json]).toEqual([
      409,
      { message: message instanceof RegExp ? expect.stringMatching(message) : message },
    ]);
    expect(await everything()).toEqual(before);
  });

  // rule: state.release
  it('is refused while a paisa is missing, paid for an approved sale but not allocated', async () => {
    sold = await acknowledgedLot(sandbox);
    const less = (Number(sold.amount) - 0.01).toFixed(2);
    await fund(less);
    const got = await release();
    expect([got.status, got.json.message]).toEqual([
      409,
      'INR 0.01 of the sale are not paid and allocated yet.',
    ]);
    const payment = (
      await get(sandbox, sandbox.credentials.bank, `/api/v1/sale-cases/${sold.saleId}/receipts`)
    ).json.data.payments[0];
    const url = `/api/v1/payments/${payment.id}/allocations`;
    const rest = { sale_id: sold.saleId, amount: '0.01', expected_version: payment.resource_version };
    await done(command(sandbox, sandbox.credentials.bank, url, rest));
    expect((await release()).status).toBe(200);
  });

  it.each([
    ['a withdrawn vehicle', () => sandbox.auctions.withdraw(sold.lotId)],
    ['a cancelled auction', () => sandbox.auctions.cancel('live-open')],
  ])('is refused for %s', async (_, spoil) => {
    await paidLot();
    spoil();
    const before = await everything();
    const got = await release();
    expect([got.status, got.json.message]).toEqual([
      409,
      'The vehicle of this sale is not available any more.',
    ]);
    expect(await everything()).toEqual(before);
  });

  it('is one at a time: another after a revocation or a lapse, none after the collection', async () => {
    await paidLot();
    const first = await done(release());
    expect((await release()).json.message).toBe('The vehicle is released already.');
    await done(revoke(first.id));
    const second = await done(release());
    expect(second.id).not.toBe(first.id);
    sandbox.clock.advance(day);
    const third = await done(release({ expires_at: '2026-03-04T10:00:00Z' }));
    await done(collect(third.id));
    const before = await everything(third.id);
    const late = await release({ expires_at: '2026-03-04T10:00:00Z' });
    expect([late.status, late.json.message]).toEqual([409, 'The vehicle is collected already.']);
    expect(await everything(third.id)).toEqual(before);
  });

  // rule: state.release
  it('lapses at its time, and not before', async () => {
    await paidLot();
    const { id } = await done(release());
    const sale = await saleOf(sandbox, sold.saleId);
    sandbox.clock.advance(day - 1);
    expect((await read(id)).json.data).toMatchObject({ state: 'valid', resource_version: 1 });
    sandbox.clock.advance(60_000);
    expect((await read(id)).json.data).toMatchObject({
      state: 'expired',
      resource_version: 2,
      updated_at: '2026-03-02T10:00:00.000Z',
    });
    expect((await inbox(sandbox, sold.who)).at(-1)).toBe('release.expired');
    expect(await saleOf(sandbox, sold.saleId)).toEqual(sale);
    const before = await everything(id);
    for (const got of [
      await collect(id, { expected_version: 2 }),
      await revoke(id, { expected_version: 2 }),
    ]) {
      expect([got.status, got.json.message]).toEqual([409, 'The release is not valid: it is expired.']);
    }
    expect(await everything(id)).toEqual(before);
  });
});

describe('A54, a revocation', () => {
  let id: string;
  beforeEach(async () => {
    await paidLot();
    id = (await done(release())).id;
  });
  const path = () => `/api/v1/release-authorizations/${id}/revocations`;

  // rule: state.release
  it('is made, literally, once under its key', async () => {
    sandbox.clock.advance(60_000);
    const body = { reason: 'Papers are missing', expected_version: 1 };
    const revoked = await heldToItsKey(sandbox, sandbox.credentials.bank, path(), body);
    expect(revoked).toEqual({
      id,
      kind: 'release',
      state: 'revoked',
      resource_version: 2,
      data: { ...authorized, sale_id: sold.saleId, reason: 'Papers are missing' },
      created_at: '2026-03-01T10:00:00.000Z',
      updated_at: '2026-03-01T10:01:00.000Z',
    });
    expect((await read(id, sold.who)).json.data).toEqual(revoked);
    expect((await inbox(sandbox, sold.who)).at(-1)).toBe('release.revoked');
    const before = await everything(id);
    for (const got of [
      await revoke(id, { expected_version: 2 }),
      await collect(id, { expected_version: 2 }),
    ]) {
      expect([got.status, got.json.message]).toEqual([409, 'The release is not valid: it is revoked.']);
    }
    sandbox.clock.advance(2 * day);
    expect(await everything(id)).toEqual(before);
  });

  it('needs no reason', async () => {
    expect((await done(revoke(id, { reason: undefined }))).data.reason).toBeNull();
  });

  // rule: state.release
  it('comes too late after the collection', async () => {
    await done(collect(id));
    const before = await everything(id);
    expect((await revoke(id)).json.message).toMatch(/version/);
    const got = await revoke(id, { expected_version: 2 });
    expect([got.status, got.json]).toEqual([409, { message: 'The release is not valid: it is used.' }]);
    expect(await everything(id)).toEqual(before);
  });
});

// rule: state.release
it.each(['revocation', 'collection'])('of a %s and its counterpart at once, one holds', async (first) => {
  await paidLot();
  const { id } = await done(release());
  const { plate } = await numbers();
  const send = (what: 'revocations' | 'collections') =>
    command(sandbox, sandbox.credentials.bank, `/api/v1/release-authorizations/${id}/${what}`, {
      expected_version: 1,
      ...(what === 'collections' && { collector: 'R. Iyer', vehicle_identity: plate }),
    });
  const both = [() => send('revocations'), () => send('collections')];
  if (first === 'collection') both.reverse();
  const replies = await Promise.all(both.map((sent) => sent()));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  const held = replies.find(({ status }) => status === 200)?.json.data;
  expect((await read(id)).json.data).toEqual(held);
  expect(held.resource_version).toBe(2);
  const committed = sandbox.ledger().filter(({ operation }) => operation === 'A54' || operation === 'A56');
  expect(committed).toHaveLength(1);
});

describe('A56, the collection', () => {
  let id: string;
  beforeEach(async () => {
    await paidLot();
    id = (await done(release())).id;
  });

  // rule: state.release
  it('is confirmed, literally, once under its key', async () => {
    const { plate } = await numbers();
    const proof = await evidence(sandbox, sold);
    const body = {
      collector: { name: 'R. Iyer' },
      vehicle_identity: plate,
      evidence_id: proof,
      expected_version: 1,
    };
    const url = `/api/v1/release-authorizations/${id}/collections`;
    const collected = await heldToItsKey(sandbox, sandbox.credentials.bank, url, body);
    expect(collected).toEqual({
      id,
      kind: 'release',
      state: 'used',
      resource_version: 2,
      data: {
        ...authorized,
        sale_id: sold.saleId,
        collector: { name: 'R. Iyer' },
        vehicle_identity: plate,
        evidence_id: proof,
      },
      created_at: '2026-03-01T10:00:00.000Z',
      updated_at: '2026-03-01T10:00:01.000Z',
    });
    expect((await read(id, sold.who)).json.data).toEqual(collected);
    for (const who of [sandbox.credentials.bank, sold.who]) {
      expect((await inbox(sandbox, who)).at(-1)).toBe('vehicle.collected');
    }
    const before = await everything(id);
    const twice = await collect(id, { expected_version: 2 });
    expect([twice.status, twice.json.message]).toEqual([409, 'The release is not valid: it is used.']);
    sandbox.clock.advance(2 * day);
    expect(await everything(id)).toEqual(before);
  });

  it('goes without evidence', async () => {
    expect((await done(collect(id))).data.evidence_id).toBeNull();
  });

  it('comes in time until the very moment that the release lapses', async () => {
    sandbox.clock.advance(day - 1);
    expect((await collect(id)).status).toBe(200);
  });

  const spaced = (text: string) => [...text.toLowerCase()].join(' ');
  it.each<[string, (plate: string, chassis: string) => unknown]>([
    ['the plate, spaced and in small letters', (plate) => ` ${spaced(plate)}`],
    ['the chassis number', (_, chassis) => chassis],
    ['an object with the plate in it', (plate) => ({ seen_by: 'A. Rao', plate })],
    ['an object with the chassis number in it', (_, chassis) => ({ vin: spaced(chassis) })],
  ])('knows the vehicle by %s', async (_, identity) => {
    const { plate, chassis } = await numbers();
    const vehicle_identity = identity(plate, chassis);
    expect((await done(collect(id, { vehicle_identity }))).data).toMatchObject({ vehicle_identity });
  });

  // rule: state.release
  it.each<[string, (plate: string) => unknown]>([
    ['the plate of another', () => 'MH01AA0001'],
    ['more than the plate', (plate) => `${plate}1`],
    ['a part of the plate', (plate) => plate.slice(0, -1)],
    ['spaces', () => '   '],
    ['an object without a number of it', () => ({ make: 'Tata' })],
    ['an object with the plate further inside', (plate) => ({ vehicle: { plate } })],
    ['an empty object', () => ({})],
  ])('does not take %s for the vehicle', async (_, identity) => {
    const vehicle_identity = identity((await numbers()).plate);
    const before = await everything(id);
    const got = await collect(id, { vehicle_identity });
    expect([got.status, Object.keys(got.json.errors)]).toEqual([422, ['vehicle_identity']]);
    expect(await everything(id)).toEqual(before);
  });

  // rule: state.release
  it('looks at the vehicle again', async () => {
    const { plate } = await numbers();
    sandbox.auctions.withdraw(sold.lotId);
    const before = await everything(id);
    const got = await command(
      sandbox,
      sandbox.credentials.bank,
      `/api/v1/release-authorizations/${id}/collections`,
      { collector: 'R. Iyer', vehicle_identity: plate, expected_version: 1 },
    );
    expect([got.status, got.json.message]).toEqual([
      409,
      'The vehicle of this sale is not available any more.',
    ]);
    expect(await everything(id)).toEqual(before);
  });
});
