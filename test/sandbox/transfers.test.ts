import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.js';
import { get, onManualClock } from './caller.js';
import { all, evidence, heldToItsKey, inbox } from './funds.js';
import { askToCancel, decideCancellation, deliver, paidLot } from './reversals.js';
import { approvedLot, command, done, type SoldLot, saleOf, wonLot } from './workflow.js';

let sandbox: Sandbox;
let sold: SoldLot;
const start = async (variants: SandboxOptions['variants'] = {}) => {
  sandbox = await onManualClock({ variants });
};
beforeEach(() => start());
/** The registry confirms the latest milestone of a sale. */
const confirm = (saleId: string) => {
  const latest = sandbox.records('transfer').findLast(({ data }) => data['sale_id'] === saleId);
  return sandbox.actors.set(latest?.id ?? 'none', 'government_verified');
};

afterEach(() => sandbox.close());

const submitted = {
  status: 'submitted',
  responsible_party: { name: 'R. Iyer', office: 'RTO Hubballi' },
  occurred_at: '2026-03-01T15:00:00+05:30',
};
const updates = () => `/api/v1/sale-cases/${sold.saleId}/transfer-updates`;
const statusPath = () => `/api/v1/sale-cases/${sold.saleId}/transfer-status`;

/** Records a milestone on the sale's current version. */
async function record(change: Record<string, unknown> = {}, who = sandbox.credentials.bank) {
  const { resource_version } = await saleOf(sandbox, sold.saleId);
  return command(sandbox, who, updates(), { ...submitted, expected_version: resource_version, ...change });
}
const status = async (who = sandbox.credentials.bank) => (await get(sandbox, who, statusPath())).json.data;
const everything = () => all(sandbox, [sold], [`/api/v1/sale-cases/${sold.saleId}`, statusPath()]);

describe('A58 before anything is recorded', () => {
  // rule: state.transfer
  it('says not_started, to the bank and the buyer, whatever the state of the sale', async () => {
    sold = await wonLot(sandbox);
    for (const who of [sandbox.credentials.bank, sold.who]) {
      expect((await get(sandbox, who, statusPath())).json).toEqual({
        data: {
          sale_id: sold.saleId,
          state: 'not_started',
          government_verified: false,
          milestones: [],
          resource_version: 1,
        },
        server_time: '2026-03-01T10:00:00.000Z',
      });
    }
  });

  it('is a 404 to others, and where there is no sale', async () => {
    sold = await approvedLot(sandbox);
    const { rival, platform, otherBank, bank } = sandbox.credentials;
    for (const who of [rival, platform, otherBank]) {
      const hidden = await get(sandbox, who, statusPath());
      expect([hidden.status, hidden.json]).toEqual([404, { message: 'Not found.' }]);
    }
    const none = await get(sandbox, bank, '/api/v1/sale-cases/sal_none/transfer-status');
    expect([none.status, none.json]).toEqual([404, { message: 'Not found.' }]);
  });

  it('needs its scope', async () => {
    sold = await approvedLot(sandbox);
    const { scopes } = sandbox.partners.get(sold.who.clientId);
    sandbox.partners.update(sold.who.clientId, {
      scopes: scopes.filter((each) => each !== 'transfer:read'),
    });
    const denied = await get(sandbox, sold.who, statusPath());
    expect([denied.status, denied.json.code]).toEqual([403, 'SCOPE_DENIED']);
  });
});

describe('A57, a milestone', () => {
  beforeEach(async () => {
    sold = await approvedLot(sandbox);
  });

  // rule: state.transfer
  it('is recorded, literally, once under its key', async () => {
    const { resource_version } = await saleOf(sandbox, sold.saleId);
    const id = await evidence(sandbox, sold, sandbox.credentials.bank);
    const made = await heldToItsKey(sandbox, sandbox.credentials.bank, updates(), {
      ...submitted,
      reason: 'Form 29 handed in',
      evidence_id: id,
      document_checklist: ['Form 29', 'Form 30'],
      expected_version: resource_version,
    });
    expect(made).toEqual({
      id: expect.stringMatching(/^trf_/),
      kind: 'transfer',
      state: 'submitted',
      resource_version: 1,
      data: {
        status: 'submitted',
        responsible_party: { name: 'R. Iyer', office: 'RTO Hubballi' },
        reason: 'Form 29 handed in',
        evidence_id: id,
        document_checklist: ['Form 29', 'Form 30'],
        occurred_at: '2026-03-01T15:00:00+05:30',
        sale_id: sold.saleId,
        verification: 'operator_reported',
        government_verified: false,
      },
      created_at: '2026-03-01T10:00:01.000Z',
      updated_at: '2026-03-01T10:00:01.000Z',
    });
    expect(sandbox.ledger().at(-1)).toMatchObject({
      kind: 'transfer',
      operation: 'A57',
      saleId: sold.saleId,
      lotId: sold.lotId,
    });
    expect((await saleOf(sandbox, sold.saleId)).resource_version).toBe(resource_version + 1);
    for (const who of [sandbox.credentials.bank, sold.who]) {
      expect(await status(who)).toEqual({
        sale_id: sold.saleId,
        state: 'submitted',
        government_verified: false,
        milestones: [made],
        resource_version: resource_version + 1,
      });
      expect((await inbox(sandbox, who)).at(-1)).toBe('transfer.updated');
    }
  });

  it('may come without reason, evidence and checklist', async () => {
    const { data } = await done(record());
    expect(data).toMatchObject({ reason: null, evidence_id: null, document_checklist: null });
  });

  // rule: state.transfer
  it('after a milestone is another record, and the latest says where the transfer is', async () => {
    const first = await done(record());
    sandbox.clock.advance(60_000);
    const second = await done(record({ status: 'pending_documents', responsible_party: 'the buyer' }));
    const third = await done(record({ status: 'completed' }));
    expect(new Set([first.id, second.id, third.id]).size).toBe(3);
    expect(await status()).toMatchObject({ state: 'completed', milestones: [first, second, third] });
  });

  // rule: state.transfer
  it.each(['submitted', 'pending_documents', 'completed', 'rejected'])('can be %s', async (wanted) => {
    const made = await done(record({ status: wanted }));
    expect([made.state, made.data.status]).toEqual([wanted, wanted]);
    expect((await status()).state).toBe(wanted);
  });

  // rule: state.transfer
  it.each(['completed', 'rejected'])('is the last one when it is %s', async (end) => {
    await done(record({ status: end }));
    const before = await everything();
    for (const next of ['submitted', 'pending_documents', 'completed', 'rejected']) {
      const got = await record({ status: next });
      expect([got.status, got.json]).toEqual([409, { message: `The transfer is ${end} already.` }]);
    }
    expect(await everything()).toEqual(before);
  });

  it('may be five minutes ahead of the service', async () => {
    await done(record({ occurred_at: '2026-03-01T10:05:00Z' }));
  });

  it('tells another partner nothing', async () => {
    const made = await done(record());
    for (const who of [sandbox.credentials.rival, sandbox.credentials.platform]) {
      const { text } = await get(sandbox, who, '/api/v1/notifications');
      expect(text).not.toContain(made.id);
    }
  });
});

// rule: state.transfer
it('A57 waits for the approval of the sale', async () => {
  sold = await wonLot(sandbox);
  const before = await everything();
  const got = await record();
  expect([got.status, got.json]).toEqual([409, { message: 'The sale is not approved.' }]);
  expect(await everything()).toEqual(before);
});

it('A57 waits while a cancellation is asked for, and ends with the sale', async () => {
  sold = await approvedLot(sandbox);
  const { id } = await done(askToCancel(sandbox, sold));
  const before = await everything();
  const held = await record();
  expect([held.status, held.json]).toEqual([
    409,
    { message: expect.stringMatching(new RegExp(`^The transfer is frozen: .*${id} waits`)) },
  ]);
  expect(await everything()).toEqual(before);
  await done(decideCancellation(sandbox, id));
  const ended = await record();
  expect([ended.status, ended.json]).toEqual([409, { message: 'The sale is cancelled.' }]);
  expect((await status()).state).toBe('not_started');
});

it('A57 goes on where a cancellation is asked for that comes too late: nobody could end that hold', async () => {
  sold = await paidLot(sandbox);
  await deliver(sandbox, sold);
  await done(askToCancel(sandbox, sold));
  expect((await done(record())).state).toBe('submitted');
});

describe('the registry', () => {
  beforeEach(async () => {
    sold = await approvedLot(sandbox);
  });

  // rule: state.transfer
  it('confirms the latest milestone, which counts as a change', async () => {
    await done(record());
    const made = await done(record({ status: 'completed' }));
    const { resource_version } = await saleOf(sandbox, sold.saleId);
    sandbox.clock.advance(1_000);
    confirm(sold.saleId);
    const read = await status(sold.who);
    expect(read).toMatchObject({
      state: 'completed',
      government_verified: true,
      resource_version: resource_version + 1,
    });
    expect(read.milestones).toEqual([
      expect.objectContaining({ state: 'submitted', resource_version: 1 }),
      {
        ...made,
        resource_version: 2,
        updated_at: '2026-03-01T10:00:01.000Z',
        data: { ...made.data, verification: 'registry_verified', government_verified: true },
      },
    ]);
    expect(read.milestones[0].data).toMatchObject({
      verification: 'operator_reported',
      government_verified: false,
    });
    for (const who of [sandbox.credentials.bank, sold.who]) {
      expect((await inbox(sandbox, who)).at(-1)).toBe('transfer.verified');
    }
  });

  // rule: state.transfer
  it('has not confirmed what was recorded since', async () => {
    await done(record());
    confirm(sold.saleId);
    expect((await status()).government_verified).toBe(true);
    await done(record({ status: 'completed' }));
    expect((await status()).government_verified).toBe(false);
    confirm(sold.saleId);
    expect((await status()).government_verified).toBe(true);
  });

  it('confirms nothing twice, nothing that is not there, and no sale that there isn’t', async () => {
    expect(() => confirm(sold.saleId)).toThrow(RangeError);
    await done(record());
    confirm(sold.saleId);
    const before = await everything();
    expect(() => confirm(sold.saleId)).toThrow(/confirmed already/);
    expect(() => confirm('sal_none')).toThrow(RangeError);
    expect(await everything()).toEqual(before);
  });
});
