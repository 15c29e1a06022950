import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.js';
import { get } from './caller.js';
import { all, entryBody, reportBody, uploadBody } from './funds.js';
import { authorize, paidLot } from './reversals.js';
import { approvedLot, command, done, type SoldLot, saleOf } from './workflow.js';

let sandbox: Sandbox;
let sold: SoldLot;
const start = async (variants: SandboxOptions['variants'] = {}) => {
  sandbox = await startSandbox({
    clock: 'manual',
    startAt: '2026-03-01T10:00:00Z',
    rateLimit: false,
    variants,
  });
};
beforeEach(() => start());
afterEach(() => sandbox.close());

const bank = () => sandbox.credentials.bank;
const upload = async (of = sold): Promise<string> =>
  (await done(command(sandbox, bank(), '/api/v1/document-uploads', uploadBody(of)))).id;
const version = async () => (await saleOf(sandbox, sold.saleId)).resource_version;

/** Every command that rests on evidence: what it needs beforehand, and how it is sent. */
const commands = {
  'A36, a payment report': async () => {
    sold = await approvedLot(sandbox);
    return async (evidence_id?: string) =>
      command(sandbox, sold.who, '/api/v1/payment-reports', reportBody(sold, { evidence_id }));
  },
  'A42, a bank receipt': async () => {
    sold = await approvedLot(sandbox);
    return async (evidence_id?: string) =>
      command(sandbox, bank(), '/api/v1/bank-receipts/imports', entryBody(sold, { evidence_id }));
  },
  'A50, a dispute': async () => {
    sold = await approvedLot(sandbox);
    return async (evidence_id?: string) =>
      command(sandbox, sold.who, '/api/v1/disputes', {
        sale_id: sold.saleId,
        reason_code: 'NOT_AS_DESCRIBED',
        evidence_id,
      });
  },
  'A56, a collection': async () => {
    sold = await paidLot(sandbox);
    const release = await done(authorize(sandbox, sold));
    const event = sandbox.auctions.get('live-open').id;
    const lot = (await get(sandbox, sold.who, `/api/v1/events/${event}/lots/${sold.lotId}`)).json.data;
    return async (evidence_id?: string) =>
      command(sandbox, bank(), `/api/v1/release-authorizations/${release.id}/collections`, {
        collector: 'R. Iyer',
        vehicle_identity: lot.registration_number,
        evidence_id,
        expected_version: 1,
      });
  },
  'A57, a transfer milestone': async () => {
    sold = await approvedLot(sandbox);
    return async (evidence_id?: string) =>
      command(sandbox, bank(), `/api/v1/sale-cases/${sold.saleId}/transfer-updates`, {
        status: 'submitted',
        responsible_party: 'RTO Hubballi',
        occurred_at: '2026-03-01T10:00:00Z',
        evidence_id,
        expected_version: await version(),
      });
  },
} as const;
const names = Object.keys(commands) as (keyof typeof commands)[];
const everything = () =>
  all(
    sandbox,
    [sold],
    [`/api/v1/sale-cases/${sold.saleId}`, `/api/v1/sale-cases/${sold.saleId}/transfer-status`],
  );

describe.each(names)('%s', (name) => {
  // rule: notification.evidence
  it('rests on a document that is ready, and on no other', async () => {
    const send = await commands[name]();
    const awaits = 'The document awaits its scan; it is evidence as soon as it is ready.';
    const unclean = 'The scan found the document unclean; it is no evidence.';
    const foreign = 'This is not a document of the sale.';
    sandbox.scanner.finds('unclean');
    const bad = await upload();
    sandbox.clock.advance(1_000);
    sandbox.scanner.finds('clean');
    const other = await upload(await approvedLot(sandbox, { label: 'live-closed' }));
    sandbox.clock.advance(1_000);
    sandbox.scanner.pause();
    const waiting = await upload();
    sandbox.clock.advance(3_600_000);
    const before = await everything();
    for (const [id, message] of [
      [waiting, awaits],
      [bad, unclean],
      [other, foreign],
      ['doc_none', foreign],
    ]) {
      const got = await send(id);
      expect([got.status, got.json]).toEqual([
        422,
        { message: 'The given data was invalid.', errors: { evidence_id: [message] } },
      ]);
    }
    expect(await everything()).toEqual(before);
    sandbox.scanner.resume();
    expect((await done(send(waiting))).data.evidence_id).toBe(waiting);
  });

  it('does without any', async () => {
    const send = await commands[name]();
    expect((await done(send())).data.evidence_id).toBeNull();
  });
});
